//! What goes wrong, as every route tells it: a status code and one sentence in JSON.

use super::guard::Refusal;
use crate::store::StoreError;
use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

/// A request that was not answered as hoped.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    message: String,
}

/// An error as clients see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    /// What went wrong, in a sentence.
    pub error: String,
}

impl Problem {
    /// The request makes no sense.
    pub fn bad(message: impl Into<String>) -> Problem {
        Problem { status: StatusCode::BAD_REQUEST, message: message.into() }
    }

    /// There is no such thing.
    pub fn missing(message: impl Into<String>) -> Problem {
        Problem { status: StatusCode::NOT_FOUND, message: message.into() }
    }

    /// It makes sense and cannot be done.
    pub fn conflict(message: impl Into<String>) -> Problem {
        Problem { status: StatusCode::CONFLICT, message: message.into() }
    }

    /// Another status.
    pub fn of(status: StatusCode, message: impl Into<String>) -> Problem {
        Problem { status, message: message.into() }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        tracing::error!("{error}");
        Problem::of(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        let status = match refusal {
            Refusal::NoToken => StatusCode::UNAUTHORIZED,
            Refusal::WrongHost | Refusal::WrongOrigin | Refusal::NoCsrf => StatusCode::FORBIDDEN,
        };
        Problem::of(status, refusal.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(ErrorBody { error: self.message })).into_response()
    }
}
