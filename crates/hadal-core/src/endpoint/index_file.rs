//! Search indexes of static sites: one file with all records, which a script loads and searches.
//!
//! A page names the index itself, or a script of the generator in the same folder as the index: Sphinx, MkDocs.

use super::{EndpointDetector, LinkElement, PageMarkup};
use crate::http::Method;
use crate::page::{Form, FormSource};
use url::Url;

/// Scripts of a generator, and the path of the index relative to them.
const GENERATORS: [(&str, &str); 5] = [
    ("_static/documentation_options.js", "../searchindex.js"),
    ("_static/doctools.js", "../searchindex.js"),
    ("_static/searchtools.js", "../searchindex.js"),
    ("search/main.js", "search_index.json"),
    ("mkdocs/js/search.js", "../search_index.json"),
];

/// Longest address of an index in a script, in bytes. Guess.
const MAX_NAME: usize = 300;

/// Detector of search indexes.
pub struct IndexFile;

impl EndpointDetector for IndexFile {
    fn detect(&self, markup: &PageMarkup<'_>, found: &mut Vec<Form>) {
        let is_file = |link: &&LinkElement<'_>| is_loaded(link.rel) && !link.kind.contains("opensearch");
        let links = markup.links.iter().filter(is_file).map(|link| link.href);
        let named =
            markup.scripts.iter().copied().chain(links).filter(|address| is_index_name(file_name(address)));
        let urls = named.filter_map(|address| markup.base.join(address.trim()).ok());
        let quoted = markup.inline.iter().flat_map(|script| quoted_names(script));
        let quoted = quoted.filter_map(|address| markup.base.join(address).ok());
        let beside = markup.scripts.iter().filter_map(|address| beside_script(address, markup.base));
        let worker = markup.inline.iter().filter_map(|script| beside_worker(script, markup.base));
        for url in urls
            .chain(quoted)
            .chain(beside)
            .chain(worker)
            .filter(|url| matches!(url.scheme(), "http" | "https"))
        {
            if !found.iter().any(|form| form.action == url) {
                found.push(index_form(url));
            }
        }
    }
}

/// Form of a file with all records.
fn index_form(url: Url) -> Form {
    let form = Form::to(url, Method::Get, Vec::new());
    Form { index: u32::MAX, source: FormSource::SearchIndex, ..form }
}

/// True for links to files that a script loads.
fn is_loaded(rel: &str) -> bool {
    ["preload", "prefetch", "alternate"].iter().any(|known| rel.eq_ignore_ascii_case(known))
}

fn file_name(address: &str) -> &str {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default().trim()
}

/// True for names such as `searchindex.js`, `search-index.json`, `search_data.js`, `lunr-index.en.json`, `search.json`
/// and `local-search.xml`. A script called `search.js` is code.
fn is_index_name(name: &str) -> bool {
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let stem = stem.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| stem.contains(part));
    let is_search = ["search", "lunr"].iter().any(|word| has_word_start(&stem, word));
    let is_data = matches!(ending, "json" | "xml");
    let is_index = is_search && has(&["index", "data", "docs", "content", "store"]);
    let is_code = has(&["worker", "bundle", "min"]);
    (is_data || ending == "js") && is_index && !is_code
        || is_data && (stem == "search" || stem == "lunr" || stem.ends_with("-search"))
}

/// True if a word is at the start of a text or after a character that is not a letter: not in `research`.
fn has_word_start(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(char::is_alphabetic))
}

/// Quoted texts of a script that name an index. An address that ends with `=` waits for words.
fn quoted_names(script: &str) -> impl Iterator<Item = &str> {
    let texts = script
        .split(['"', '\'', '`'])
        .filter(|text| text.len() <= MAX_NAME && !text.contains([' ', '(', '\n']) && !text.ends_with('='));
    texts.filter(|text| is_index_name(file_name(text)))
}

fn beside_script(address: &str, base: &Url) -> Option<Url> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let (_, index) = GENERATORS.iter().find(|(script, _)| is_path_end(path, script))?;
    base.join(path).ok()?.join(index).ok()
}

/// Index of a site with settings that name a search worker and the root of the site.
fn beside_worker(settings: &str, base: &Url) -> Option<Url> {
    let settings: serde_json::Value = serde_json::from_str(settings.trim()).ok()?;
    settings.get("search")?.as_str().filter(|worker| worker.contains("workers/search"))?;
    let root = settings.get("base")?.as_str()?.trim_end_matches('/');
    base.join(&format!("{root}/search/search_index.json")).ok()
}

/// True if a path ends with whole segments.
fn is_path_end(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use crate::html::parse;
    use url::Url;

    fn found(html: &str) -> Vec<String> {
        let page = parse(html.as_bytes(), None, &Url::parse("http://a.org/docs/guide/start.html").unwrap());
        page.hints.endpoints.iter().map(|form| form.action.to_string()).collect()
    }

    #[test]
    fn an_index_is_named_by_the_page_or_is_beside_a_script() {
        for (html, expected) in [
            ("<script src='../searchindex.js' defer></script>", "http://a.org/docs/searchindex.js"),
            ("<script src='../_static/doctools.js?v=9a2'></script>", "http://a.org/docs/searchindex.js"),
            (
                "<script data-url_root='../' src='../_static/documentation_options.js'></script>",
                "http://a.org/docs/searchindex.js",
            ),
            ("<script src='../search/main.js'></script>", "http://a.org/docs/search/search_index.json"),
            ("<link rel=preload as=fetch href=/search-index.json>", "http://a.org/search-index.json"),
            ("<script src=/assets/js/search-data.js></script>", "http://a.org/assets/js/search-data.js"),
            (
                r#"<script type="application/json">{"base": "..", "search": "../js/workers/search.1.min.js"}</script>"#,
                "http://a.org/docs/search/search_index.json",
            ),
            ("<script>fetch('/search.json').then(show)</script>", "http://a.org/search.json"),
            (
                "<script>var path_to_index = \"../searchindex.js\";</script>",
                "http://a.org/docs/searchindex.js",
            ),
        ] {
            assert_eq!(found(html), [expected], "{html}");
        }
    }

    #[test]
    fn scripts_that_search_are_no_index() {
        for html in [
            "<script src=/search.js></script>",
            "<script src=/js/search-index.worker.js></script>",
            "<script src=/research-group.json.js></script>",
            "<script>var searchindex = 1</script>",
            "<script src='data:text/javascript,searchindex.js'></script>",
            "<a href=/searchindex.js>index</a>",
            "<link rel=search type=application/opensearchdescription+xml href=/search.xml>",
            "<link rel=alternate type=application/opensearchdescription+xml href=/search.xml>",
            "<script>fetch('/search.json?q=' + search.value)</script>",
            "<script>fetch('/research-data.json')</script>",
        ] {
            assert!(found(html).is_empty(), "{html}");
        }
    }
}
