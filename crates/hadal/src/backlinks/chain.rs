//! Several sources, asked in order until one returns a page.

use super::Backlinks;
use futures::future::BoxFuture;
use hadal_core::http::FetchError;
use std::sync::Arc;
use url::Url;

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
