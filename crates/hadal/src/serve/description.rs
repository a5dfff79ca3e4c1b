//! Parts of the OpenAPI description that all routes share.

use super::error::ErrorBody;
use utoipa::OpenApi;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{ContentBuilder, OpenApi as Described, Ref, RefOr, ResponseBuilder};

const TOKEN: &str = "token";

#[derive(OpenApi)]
#[openapi(
    info(title = "hadal", description = "Runs, forms, harvests and records of a hidden-web crawler."),
    components(schemas(ErrorBody))
)]
struct Description;

/// Description without routes.
pub fn begun() -> Described {
    Description::openapi()
}

/// Adds the common errors and the token to every route.
pub fn complete(mut description: Described) -> Described {
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    if let Some(components) = &mut description.components {
        components.add_security_scheme(TOKEN, SecurityScheme::Http(bearer));
    }
    let nobody = SecurityRequirement::default();
    description.security = Some(vec![nobody, SecurityRequirement::new(TOKEN, Vec::<String>::new())]);
    for path in description.paths.paths.values_mut() {
        [&mut path.get, &mut path.put, &mut path.post].into_iter().flatten().for_each(may_fail);
    }
    description
}

/// Adds the error response, and the descriptions that OpenAPI requires of all responses.
fn may_fail(operation: &mut Operation) {
    let summary = operation.summary.clone().unwrap_or_else(|| "Success".to_string());
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            response.description.clone_from(&summary);
        }
    }
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody"))).build();
    let response = ResponseBuilder::new().description("Error").content("application/json", body).build();
    operation.responses.responses.insert("default".to_string(), response.into());
}
