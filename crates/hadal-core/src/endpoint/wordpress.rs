//! REST interface of WordPress, which lists all published contents.

use super::{EndpointDetector, PageMarkup, hidden};
use crate::http::Method;
use crate::page::{Field, Form, FormSource};
use url::Url;

/// Records per request, with their whole text. Guess; the interface allows 100.
const PAGE_SIZE: &str = "50";

/// Detector of `<link rel="https://api.w.org/">`.
pub struct WordPress;

impl EndpointDetector for WordPress {
    fn detect(&self, markup: &PageMarkup<'_>, found: &mut Vec<Form>) {
        let link = markup.links.iter().find(|link| link.rel.eq_ignore_ascii_case("https://api.w.org/"));
        found.extend(link.and_then(|link| list_form(markup.base.join(link.href).ok()?)));
    }
}

/// Form of the interface's search without words. Sites without readable URLs pass the path as a parameter.
fn list_form(root: Url) -> Option<Form> {
    let route =
        root.query_pairs().find(|(name, _)| name == "rest_route").map(|(_, route)| route.into_owned());
    let mut fields: Vec<Field> = Vec::new();
    let action = match route {
        Some(route) => {
            fields.push(hidden("rest_route", &format!("{}/wp/v2/search", route.trim_end_matches('/'))));
            root
        }
        None => root.join("wp/v2/search").ok()?,
    };
    fields.extend([hidden("per_page", PAGE_SIZE), hidden("page", "1"), hidden("_embed", "1")]);
    let form = Form::to(action, Method::Get, fields);
    Some(Form { index: u32::MAX, source: FormSource::WordPress, ..form })
}

#[cfg(test)]
mod tests {
    use super::super::tests::first_request;

    #[test]
    fn the_interface_is_at_a_path_or_in_a_parameter() {
        let link = "<link rel='https://api.w.org/' href='http://a.org/blog/wp-json/'>";
        assert_eq!(first_request(link), "http://a.org/blog/wp-json/wp/v2/search?per_page=50&page=1&_embed=1");
        let link = "<link rel='https://api.w.org/' href='http://a.org/index.php?rest_route=/'>";
        let expected = "http://a.org/index.php?rest_route=%2Fwp%2Fv2%2Fsearch&per_page=50&page=1&_embed=1";
        assert_eq!(first_request(link), expected);
    }
}
