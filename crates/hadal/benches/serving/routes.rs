//! All requests that the API description allows.

use super::harvests::SOUGHT;
use super::{Anyhow, client::Client};
use serde_json::Value;

/// A measured request.
pub struct Route {
    /// Name in the table.
    pub name: String,
    /// Path and parameters.
    pub path: String,
    /// Cursor parameter, if a page deep in the list is measured.
    pub place: Option<String>,
}

/// Every JSON route: plain, deep in the list, and with each parameter.
pub async fn all(client: &Client) -> Anyhow<Vec<Route>> {
    let description = client.json("/api/openapi.json").await?;
    let paths = description["paths"].as_object().into_iter().flatten();
    let mut routes = Vec::new();
    for (path, methods) in paths {
        let asked = &methods["get"];
        if !asked["responses"]["200"]["content"]["application/json"].is_null() {
            routes.extend(of(path, asked)?);
        }
    }
    Ok(routes)
}

fn of(path: &str, asked: &Value) -> Anyhow<Vec<Route>> {
    let filled = ["{run}", "{harvest}"].iter().fold(path.to_string(), |path, name| path.replace(name, "1"));
    let filled = filled.replace("{form}", "0000000000000001");
    let whole = Route { name: path.to_string(), path: filled.clone(), place: None };
    let parameters = asked["parameters"].as_array().into_iter().flatten();
    let wanted = parameters.filter(|one| one["in"] == "query").filter_map(|one| one["name"].as_str());
    let mut routes = vec![whole];
    for name in wanted.filter(|name| *name != "limit") {
        if ["after", "before"].contains(&name) {
            let (name, place) = (format!("{path}, far on"), Some(name.to_string()));
            routes.push(Route { name, path: filled.clone(), place });
            continue;
        }
        for value in values(name)? {
            let coded: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
            let (path, name) = (format!("{filled}?{name}={coded}"), format!("{path} {name}={value}"));
            routes.push(Route { name, path, place: None });
        }
    }
    Ok(routes)
}

/// Frequent and rare values of a parameter.
fn values(parameter: &str) -> Anyhow<Vec<&'static str>> {
    Ok(match parameter {
        "run" => vec!["1"],
        "topic" => vec!["book", "nothing"],
        "site" => vec!["site-1-0.example"],
        "language" => vec!["en", "is"],
        "method" => vec!["get", "post"],
        "fields" => vec!["2", "12"],
        "min_relevance" => vec!["0.9"],
        "min_searchable" => vec!["0.99"],
        "label" => vec!["any", "wrong"],
        "q" => SOUGHT.map(|(words, _)| words).to_vec(),
        _ => anyhow::bail!("say in {} what to give for {parameter}", file!()),
    })
}
