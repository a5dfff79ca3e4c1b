//! Backlinks from the simulated web.

use super::Backlinks;
use futures::future::BoxFuture;
use hadal_core::http::FetchError;
use hadal_world::World;
use std::sync::Arc;
use url::Url;

/// Backlinks from a simulated web. It returns a part of them, as a real service does.
pub struct WorldBacklinks(pub Arc<World>);

impl Backlinks for WorldBacklinks {
    fn lookup<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Vec<Url>, FetchError>> {
        Box::pin(async move { Ok(self.0.backlinks(url)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_world::Spec;

    #[tokio::test]
    async fn the_simulated_web_returns_its_backlinks() {
        let world = Arc::new(World::new(Spec::tiny(3)));
        let target = world.seeds("book").remove(0);
        let linking = WorldBacklinks(Arc::clone(&world)).lookup(&target).await.unwrap();
        assert_eq!(linking, world.backlinks(&target));
        assert!(!linking.is_empty());
        let nobody = Url::parse("http://no-such-site.invalid/").unwrap();
        assert_eq!(WorldBacklinks(world).lookup(&nobody).await, Ok(vec![]));
    }
}
