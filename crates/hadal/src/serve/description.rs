//! What the generated description of the interface says of every route alike.

use super::problem::ErrorBody;
use utoipa::OpenApi;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{ContentBuilder, OpenApi as Described, Ref, ResponseBuilder};

const TOKEN: &str = "token";

#[derive(OpenApi)]
#[openapi(
    info(title = "hadal", description = "What a crawler of the hidden web does and has found."),
    components(schemas(ErrorBody))
)]
struct Description;

/// The description before any route is in it.
pub fn begun() -> Described {
    Description::openapi()
}

/// Adds what can go wrong everywhere, and that a token may be needed.
pub fn complete(description: &mut Described) {
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    if let Some(components) = &mut description.components {
        components.add_security_scheme(TOKEN, SecurityScheme::Http(bearer));
    }
    let nobody = SecurityRequirement::default();
    description.security = Some(vec![nobody, SecurityRequirement::new(TOKEN, Vec::<String>::new())]);
    for path in description.paths.paths.values_mut() {
        [&mut path.get, &mut path.put, &mut path.post].into_iter().flatten().for_each(may_fail);
    }
}

fn may_fail(operation: &mut Operation) {
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody"))).build();
    let response = ResponseBuilder::new().description("Why not").content("application/json", body).build();
    operation.responses.responses.insert("default".to_string(), response.into());
}
