//! Backlinks: pages that link to a URL.

use crate::fixture::*;
use hadal::store::*;
use hadal_core::link::{ParentPage, QueuedLink};
use hadal_core::strategy::SiteCounters;
use std::collections::BTreeSet;

/// A link without a parent page.
fn orphan(address: &str, order: u64) -> QueuedLink {
    let mut waiting = queued_link(address, 0, 0.5, order);
    waiting.link.parent = None;
    waiting
}

/// Visits a page that links to these URLs on other sites.
fn citing(store: &dyn Store, run: RunId, seq: u64, page: &str, cited: &[&str]) {
    let waiting = orphan(page, seq);
    let cited = cited.iter().map(|address| url(address)).collect();
    let counters = SiteCounters { pages: 1, ..SiteCounters::default() };
    run_step(store, run, &waiting, Outcome { cited, ..visit(seq, &waiting, counters) });
}

fn linking(store: &dyn Store, address: &str) -> BTreeSet<String> {
    let found = store.backlinks("web", &[url(address)], 1000).unwrap().remove(0);
    let distinct: BTreeSet<String> = found.iter().map(|page| page.to_string()).collect();
    assert_eq!(distinct.len(), found.len(), "no page twice: {found:?}");
    distinct
}

fn set(pages: &[&str]) -> BTreeSet<String> {
    pages.iter().map(|page| page.to_string()).collect()
}

pub fn a_citing_page_on_another_site_is_a_backlink(store: &dyn Store) {
    let run = begin(store);
    citing(store, run, 0, "http://hub.org/1", &["http://a.org/x", "http://b.org/x"]);
    citing(store, run, 1, "http://hub.org/2", &["http://a.org/x"]);
    citing(store, run, 2, "http://hub.org/3", &["http://a.org/y"]);
    assert_eq!(linking(store, "http://a.org/x"), set(&["http://hub.org/1", "http://hub.org/2"]));
    assert_eq!(linking(store, "http://b.org/x"), set(&["http://hub.org/1"]));
    assert_eq!(linking(store, "http://a.org/z"), set(&[]));
    assert_eq!(store.backlinks("web", &[url("http://a.org/x")], 1).unwrap()[0].len(), 1, "as many as wanted");
}

pub fn the_root_of_a_site_selects_links_to_all_its_pages(store: &dyn Store) {
    let run = begin(store);
    citing(store, run, 0, "http://hub.org/1", &["http://a.org/x", "https://www.a.org/y"]);
    citing(store, run, 1, "http://hub.org/2", &["http://a.org/"]);
    citing(store, run, 2, "http://hub.org/3", &["http://another.org/"]);
    assert_eq!(linking(store, "http://a.org/"), set(&["http://hub.org/1", "http://hub.org/2"]));
    assert_eq!(linking(store, "http://a.org/?q=1"), set(&[]), "that is a page of its own");
}

pub fn the_page_of_the_first_find_is_a_backlink(store: &dyn Store) {
    let run = begin(store);
    let (parent, mut child) = (orphan("http://a.org/list", 0), orphan("http://a.org/item", 1));
    let id = parent.link.id;
    child.link.parent = Some(ParentPage { id, p_topic: 0.5, has_relevant_form: false, same_site: true });
    run_step(store, run, &parent, Outcome { found: vec![child], ..outcome(0, &parent, StepEnd::Visited) });
    assert_eq!(linking(store, "http://a.org/item"), set(&["http://a.org/list"]));
    citing(store, run, 1, "http://hub.org/", &["http://a.org/item"]);
    assert_eq!(linking(store, "http://a.org/item"), set(&["http://a.org/list", "http://hub.org/"]));
    assert_eq!(linking(store, "http://a.org/list"), set(&[]));
}

pub fn backlinks_of_earlier_runs_with_the_same_source_count(store: &dyn Store) {
    let target = "http://a.org/x";
    let (books, cars) = (begin(store), store.begin(&spec("cars")).unwrap());
    let elsewhere = store.begin(&RunSpec { source: "demo world 1".into(), ..spec("books") }).unwrap();
    citing(store, books, 0, "http://hub.org/books", &[target]);
    citing(store, cars, 0, "http://hub.org/cars", &[target]);
    citing(store, cars, 1, "http://hub.org/books", &[target]);
    citing(store, elsewhere, 0, "http://hub.org/simulated", &[target]);
    assert_eq!(linking(store, target), set(&["http://hub.org/books", "http://hub.org/cars"]));
    store.discard(Activity::Run(cars)).unwrap();
    assert_eq!(linking(store, target), set(&["http://hub.org/books"]));
}

pub fn the_number_of_citing_pages_per_url_is_limited(store: &dyn Store) {
    let run = begin(store);
    for seq in 0..MAX_CITING_PAGES as u64 + 5 {
        citing(store, run, seq, &format!("http://hub{seq}.org/"), &["http://a.org/x"]);
    }
    citing(store, run, 99, "http://late.org/", &["http://a.org/x", "http://a.org/y"]);
    assert_eq!(linking(store, "http://a.org/x").len(), MAX_CITING_PAGES);
    assert_eq!(linking(store, "http://a.org/y"), set(&["http://late.org/"]));
    assert_eq!(linking(store, "http://a.org/").len(), MAX_CITING_PAGES + 1);
}

pub fn citations_of_an_outcome_applied_twice_are_kept_once(store: &dyn Store) {
    let run = begin(store);
    let (waiting, address) = (orphan("http://hub.org/", 0), "http://a.org/x");
    let end = Outcome { cited: vec![url(address)], ..visit(0, &waiting, SiteCounters::default()) };
    run_step(store, run, &waiting, end.clone());
    let late = Outcome { cited: vec![url("http://b.org/x")], ..end };
    store.commit(run, &ending(vec![late])).unwrap();
    assert_eq!(linking(store, address), set(&["http://hub.org/"]));
    assert_eq!(linking(store, "http://b.org/x"), set(&[]), "the step had ended");
}
