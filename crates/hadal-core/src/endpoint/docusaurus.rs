//! Docusaurus, a documentation generator: its search plugins load an index file that only the bundled script names.

use super::{EndpointDetector, PageMarkup};
use crate::http::Method;
use crate::page::{Form, FormSource};

/// Index files of the common search plugins, in the folder of the site: `docusaurus-lunr-search` and
/// `docusaurus-search-local`.
const FILES: [&str; 2] = ["search-doc.json", "search-index.json"];
/// Folder of the scripts below that of the site.
const SCRIPTS: &str = "assets/js/";

/// Detector of the generator.
pub struct Docusaurus;

impl EndpointDetector for Docusaurus {
    fn detect(&self, markup: &PageMarkup<'_>, found: &mut Vec<Form>) {
        if !markup.generator().to_ascii_lowercase().starts_with("docusaurus") {
            return;
        }
        let script = markup.scripts.iter().find_map(|address| address.split_once(SCRIPTS));
        let Some(folder) = script.and_then(|(folder, _)| markup.base.join(folder).ok()) else { return };
        for url in FILES.iter().filter_map(|file| folder.join(file).ok()) {
            if !found.iter().any(|form| form.action == url) {
                let form = Form::to(url, Method::Get, Vec::new());
                let source = FormSource::SearchIndex;
                found.push(Form { index: u32::MAX, source, names_action: false, ..form });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::html::parse;
    use url::Url;

    #[test]
    fn index_files_lie_beside_the_scripts_and_are_no_forms_of_a_crawl() {
        let html = "<meta name=generator content='Docusaurus v3.1'><script src='/docs/assets/js/main.1f.js'></script>";
        let page = parse(html.as_bytes(), None, &Url::parse("http://a.org/docs/intro").unwrap());
        let found: Vec<&str> = page.hints.endpoints.iter().map(|form| form.action.as_str()).collect();
        assert_eq!(found, ["http://a.org/docs/search-doc.json", "http://a.org/docs/search-index.json"]);
        assert!(page.forms.is_empty());
    }
}
