//! Crawls of a simulated web for books, with everything that they stored.

use super::{forms, lessons, pages, run, setup};
use hadal::backlinks::WorldBacklinks;
use hadal::engine::{self, Budget, Crawl, CrawlEvent};
use hadal::fetch::in_process::InProcess;
use hadal::store::{FormRow, LessonRow, PageRow, RunId};
use hadal_core::strategy::Strategy;
use hadal_world::World;
use std::sync::Arc;
use tokio::sync::Notify;
use url::Url;

/// Crawl for books with a request budget.
pub fn over(world: &Arc<World>, strategy: Box<dyn Strategy>, requests: u64) -> Crawl {
    let seeds: Vec<String> = world.seeds("book").iter().map(Url::to_string).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let mut crawl = setup(Arc::new(InProcess(Arc::clone(world))), strategy, &seeds);
    crawl.backlinks = Some(Arc::new(WorldBacklinks(Arc::clone(world))));
    crawl.budget = Budget { requests: Some(requests), ..Budget::default() };
    crawl
}

/// Pages, forms and lessons of a crawl, in order.
#[derive(PartialEq)]
pub struct Course {
    pub pages: Vec<PageRow>,
    pub forms: Vec<FormRow>,
    /// Lessons of the strategy.
    pub lessons: Vec<LessonRow>,
}

/// Runs a crawl to its end and reads its results.
pub async fn course(crawl: Crawl) -> Course {
    let store = Arc::clone(&crawl.store);
    run(crawl).await;
    let (store, run) = (store.as_ref(), RunId(1));
    Course { pages: pages(store, run), forms: forms(store), lessons: lessons(store, run) }
}

/// Drops a crawl after it found this number of forms, as if the process had been killed.
pub async fn kill_after(forms: usize, session: Crawl) {
    let (enough, mut left) = (Notify::new(), forms);
    let mut tell = |event| {
        left = left.saturating_sub(usize::from(matches!(event, CrawlEvent::Form(_))));
        if left == 0 {
            enough.notify_one();
        }
    };
    tokio::select! {
        biased;
        () = enough.notified() => {}
        ended = engine::crawl(session, &mut tell) => drop(ended.unwrap()),
    }
}
