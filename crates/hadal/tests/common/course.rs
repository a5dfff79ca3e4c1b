//! Crawls of a simulated web for books, and all that can be told of them afterwards.

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

/// A crawl for books with so many requests.
pub fn over(world: &Arc<World>, strategy: Box<dyn Strategy>, requests: u64) -> Crawl {
    let seeds: Vec<String> = world.seeds("book").iter().map(Url::to_string).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let mut crawl = setup(Arc::new(InProcess(Arc::clone(world))), strategy, &seeds);
    crawl.backlinks = Some(Arc::new(WorldBacklinks(Arc::clone(world))));
    crawl.budget = Budget { requests: Some(requests), ..Budget::default() };
    crawl
}

/// All that a crawl saw, found and learned, in order.
#[derive(PartialEq)]
pub struct Course {
    /// Pages.
    pub pages: Vec<PageRow>,
    /// Forms.
    pub forms: Vec<FormRow>,
    /// Lessons.
    pub lessons: Vec<LessonRow>,
}

/// Runs a crawl to its end.
pub async fn course(crawl: Crawl) -> Course {
    let store = Arc::clone(&crawl.store);
    run(crawl).await;
    let (store, run) = (store.as_ref(), RunId(1));
    Course { pages: pages(store, run), forms: forms(store), lessons: lessons(store, run) }
}

/// Leaves a crawl in the middle, after so many forms, as if the process had been killed.
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
