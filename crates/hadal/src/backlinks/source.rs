//! Sources as people name them: `own`, `common-crawl:DIR`, `searxng:URL`, several with commas between.

use std::path::PathBuf;
use url::Url;

/// A source that can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// What crawls in the same store met themselves.
    Own,
    /// The folder of a Common Crawl web graph.
    CommonCrawl(PathBuf),
    /// The address of a SearXNG-compatible search engine.
    Searxng(Url),
}

/// What a list of sources looks like.
pub const EXPECTED: &str = "none, or some of own, common-crawl:DIR, searxng:URL with commas between";

impl Source {
    /// Reads a list; `none` is empty. `None` when it is no list of sources.
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
    fn what_names_no_source_is_refused() {
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
