//! Repositories: the harvesting protocol OAI-PMH and data catalogues of CKAN.

use super::{EndpointDetector, PageMarkup, hidden};
use crate::http::Method;
use crate::page::{Form, FormSource};
use url::Url;

/// Repository software by the start of its `generator`, and the path of its OAI-PMH interface from the root
/// of the host.
const GENERATORS: [(&str, &str); 3] =
    [("dspace", "/oai/request"), ("eprints", "/cgi/oai2"), ("open journal systems", "/index.php/index/oai")];
/// Data sets per request. Guess; the interface allows 1,000.
const CATALOGUE_PAGE: &str = "100";

/// Verbs of OAI-PMH in links.
const VERBS: [&str; 3] = ["verb=Identify", "verb=GetRecord", "verb=List"];

/// Detector of OAI-PMH interfaces: links with a verb of the protocol, and software that has one.
pub struct OaiPmh;

/// Detector of CKAN.
pub struct Ckan;

impl EndpointDetector for OaiPmh {
    fn detect(&self, markup: &PageMarkup<'_>, found: &mut Vec<Form>) {
        let linked = markup.links.iter().find(|link| VERBS.iter().any(|verb| link.href.contains(verb)));
        let linked = linked.and_then(|link| markup.base.join(link.href).ok());
        let generator = markup.generator().to_ascii_lowercase();
        let known = GENERATORS.iter().find(|(name, _)| generator.starts_with(name));
        let known = known.and_then(|(_, path)| markup.base.join(path).ok());
        found.extend(linked.or(known).map(record_list));
    }
}

fn record_list(mut interface: Url) -> Form {
    interface.set_query(None);
    let fields = vec![hidden("verb", "ListRecords"), hidden("metadataPrefix", "oai_dc")];
    Form { index: u32::MAX, source: FormSource::OaiPmh, ..Form::to(interface, Method::Get, fields) }
}

impl EndpointDetector for Ckan {
    fn detect(&self, markup: &PageMarkup<'_>, found: &mut Vec<Form>) {
        if !markup.generator().to_ascii_lowercase().starts_with("ckan") {
            return;
        }
        let Ok(action) = markup.base.join("/api/3/action/package_search") else { return };
        let fields = vec![hidden("rows", CATALOGUE_PAGE), hidden("start", "0")];
        found.push(Form {
            index: u32::MAX,
            source: FormSource::Ckan,
            ..Form::to(action, Method::Get, fields)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::first_request;

    #[test]
    fn repositories_list_their_records() {
        let link = "<link rel=alternate href='/oai2d?verb=Identify'>";
        assert_eq!(first_request(link), "http://a.org/oai2d?verb=ListRecords&metadataPrefix=oai_dc");
        let software = "<meta name=Generator content='DSpace 6.3'>";
        assert_eq!(
            first_request(software),
            "http://a.org/oai/request?verb=ListRecords&metadataPrefix=oai_dc"
        );
        let catalogue = "<meta name=generator content='ckan 2.10.1'>";
        assert_eq!(first_request(catalogue), "http://a.org/api/3/action/package_search?rows=100&start=0");
    }
}
