//! `hadal find --backlinks`: the store keeps links for its own index, and wrong options are refused.

use crate::crawl_process::Site;
use crate::program::Place;
use std::path::Path;

fn remembered(store: &Path) -> i64 {
    let db = rusqlite::Connection::open(store.join("hadal.db")).unwrap();
    db.query_row("SELECT count(*) FROM backlinks", [], |row| row.get(0)).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn find_keeps_its_links_only_if_its_strategy_may_ask_for_them() {
    let site = Site::tiny(11).await;
    let folder = tempfile::tempdir().unwrap();
    for (name, strategy, sources, keeps) in [
        ("own", "smart", "own", true),
        ("none", "smart", "none", false),
        ("unused", "breadth-first", "own", false),
    ] {
        let store = folder.path().join(name);
        let status = site.find_by(strategy, &store, "60").args(["--backlinks", sources]).status().unwrap();
        assert!(status.success());
        assert_eq!(remembered(&store) > 0, keeps, "{name}");
    }
}

#[test]
fn invalid_sources_examples_and_priors_are_refused() {
    let place = Place::new();
    let find = |more: &[&str]| {
        let start = ["find", "book", "--seeds", "http://a.example/"];
        place.run(&[&start[..], more].concat())
    };
    find(&["--backlinks", "google"]).refused(&["crawl.backlinks", "--backlinks", "searxng:URL"]);
    find(&["--backlinks", "common-crawl:nowhere"]).refused(&["no Common Crawl web graph in nowhere"]);
    find(&["--examples", "no-such-file"]).refused(&["examples 'no-such-file'"]);
    find(&["--examples", "ftp://a.example/"]).refused(&["'ftp://a.example/' is not a URL"]);
    find(&["--prior", "latest"]).refused(&["crawl.prior", "--prior", "auto or none"]);
    find(&["--prior", "3"]).refused(&["unknown run 3"]);
}
