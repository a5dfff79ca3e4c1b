//! Selection of backlink sources by name (`own`, `common-crawl:DIR`, `searxng:URL`, separated by commas), and the chain
//! that asks them in order.

use super::Backlinks;
use futures::future::BoxFuture;
use hadal_core::http::FetchError;
use std::path::PathBuf;
use std::sync::Arc;
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

/// Sources, in the order in which they are asked.
pub struct Chain(pub Vec<Arc<dyn Backlinks>>);

impl Backlinks for Chain {
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        Box::pin(async move {
            let mut failure = None;
            for source in &self.0 {
                match source.lookup(url).await {
                    Ok(linking) if linking.is_empty() => {}
                    Ok(linking) => return Ok(linking),
                    Err(error) => failure = Some(error),
                }
            }
            failure.map_or(Ok(Vec::new()), Err)
        })
    }

    fn sends_requests(&self) -> bool {
        self.0.iter().any(|source| source.sends_requests())
    }

    fn remembers(&self) -> bool {
        self.0.iter().any(|source| source.remembers())
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

    struct Fixed(Result<Vec<Url>, FetchError>);

    impl Backlinks for Fixed {
        fn lookup<'a>(&'a self, _url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
            Box::pin(async { self.0.clone() })
        }
    }

    fn page(name: &str) -> Url {
        Url::parse(&format!("http://{name}.example/")).unwrap()
    }

    async fn answer(sources: Vec<Result<Vec<Url>, FetchError>>) -> Result<Vec<Url>, FetchError> {
        let sources = sources.into_iter().map(|answer| Arc::new(Fixed(answer)) as Arc<dyn Backlinks>);
        Chain(sources.collect()).lookup(&page("target")).await
    }

    #[tokio::test]
    async fn the_first_source_with_a_result_answers() {
        let (failed, nothing) = (Err(FetchError::Closed), Ok(vec![]));
        let known = |name| Ok(vec![page(name)]);
        assert_eq!(answer(vec![nothing.clone(), known("a"), known("b")]).await, known("a"));
        assert_eq!(answer(vec![failed.clone(), known("b")]).await, known("b"));
        assert_eq!(
            answer(vec![failed.clone(), nothing.clone()]).await,
            failed,
            "a failed source may have had an answer"
        );
        assert_eq!(answer(vec![nothing.clone(), nothing.clone()]).await, nothing);
    }
}
