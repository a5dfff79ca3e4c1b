//! Names of backlink sources: `own`, `common-crawl:DIR`, `searxng:URL`, separated by commas.

use std::path::PathBuf;
use url::Url;

/// Name of a backlink source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Links in the same store.
    Own,
    /// Folder of a Common Crawl web graph.
    CommonCrawl(PathBuf),
    /// URL of a SearXNG-compatible search engine.
    Searxng(Url),
}

/// Expected form of a list of sources, for error messages.
pub const EXPECTED: &str = "none, or some of own, common-crawl:DIR, searxng:URL with commas between";

impl Source {
    /// Parses a list of sources; `none` is the empty list. Returns `None` for invalid text.
    pub fn list(text: &str) -> Option<Vec<Source>> {
        match text.trim() {
            "none" => Some(Vec::new()),
            text => text.split(',').map(|part| Source::read(part.trim())).collect(),
        }
    }

    fn read(text: &str) -> Option<Source> {
        match text.split_once(':') {
            None if text == "own" => Some(Source::Own),
            Some(("common-crawl", folder)) if !folder.is_empty() => Some(Source::CommonCrawl(folder.into())),
            Some(("searxng", address)) => {
                let url = Url::parse(address).ok()?;
                let web = matches!(url.scheme(), "http" | "https") && url.has_host();
                web.then_some(Source::Searxng(url))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read_in_their_order() {
        let searxng = Source::Searxng(Url::parse("https://search.example/x").unwrap());
        let graph = Source::CommonCrawl("graphs/2026".into());
        assert_eq!(Source::list("none"), Some(vec![]));
        assert_eq!(Source::list("own"), Some(vec![Source::Own]));
        assert_eq!(
            Source::list("own, common-crawl:graphs/2026,searxng:https://search.example/x"),
            Some(vec![Source::Own, graph, searxng])
        );
    }

    #[test]
    fn invalid_names_are_refused() {
        for text in
            ["", "own,", "owm", "own:", "common-crawl", "common-crawl:", "searxng:", "world", "none,own"]
        {
            assert_eq!(Source::list(text), None, "{text}");
        }
        for text in ["searxng:search.example", "searxng:ftp://search.example/", "searxng:https://"] {
            assert_eq!(Source::list(text), None, "{text}");
        }
    }
}
