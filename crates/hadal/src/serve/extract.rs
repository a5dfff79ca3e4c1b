//! What a request asks for, checked: bad input is answered in JSON like everything else.

use super::problem::Problem;
use axum::extract::{FromRequest, FromRequestParts, Json, Path, Query, Request};
use http::request::Parts;
use serde::de::DeserializeOwned;

/// Values behind the question mark.
pub struct Params<T>(pub T);

/// Values in the path.
pub struct Named<T>(pub T);

/// A JSON body.
pub struct Body<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Params<T>, Problem> {
        let read = Query::from_request_parts(parts, state).await;
        read.map(|Query(value)| Params(value)).map_err(|error| Problem::bad(error.body_text()))
    }
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Named<T>, Problem> {
        let read = Path::from_request_parts(parts, state).await;
        read.map(|Path(value)| Named(value)).map_err(|error| Problem::bad(error.body_text()))
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, Problem> {
        let read = Json::from_request(request, state).await;
        read.map(|Json(value)| Body(value)).map_err(|error| Problem::of(error.status(), error.body_text()))
    }
}
