//! Sites, pages and links: size, reachability, backlinks, determinism.

use crate::common::{DEMO, TINY, click_depths, get, links, page};
use hadal_core::address::Site;
use hadal_core::http::{FetchError, Method, Request};
use hadal_core::time::Time;
use hadal_world::{Spec, World};
use proptest::prelude::*;
use std::collections::{BTreeSet, VecDeque};
use url::Url;

#[test]
fn equal_specs_give_equal_bytes() {
    let (one, two) = (World::new(Spec::tiny(9)), World::new(Spec::tiny(9)));
    let other = World::new(Spec::tiny(10));
    for topic in World::topics() {
        assert_eq!(one.seeds(topic), two.seeds(topic));
        assert_ne!(one.seeds(topic), other.seeds(topic));
        for seed in one.seeds(topic) {
            assert_eq!(page(&one, &seed), page(&two, &seed));
        }
    }
}

#[test]
fn worlds_have_the_promised_size() {
    assert_eq!(DEMO.site_count(), 2_000);
    assert!(DEMO.page_count() >= 1_000_000, "{}", DEMO.page_count());
    assert!(TINY.page_count() <= 5_000, "{}", TINY.page_count());
}

#[test]
fn every_topic_has_seeds_and_forms() {
    for world in [&*TINY, &*DEMO] {
        for topic in World::topics() {
            assert!(!world.seeds(topic).is_empty(), "{topic}");
            assert!(world.relevant(topic).count() > 0, "{topic}");
        }
    }
    assert!(TINY.seeds("gardening").is_empty());
}

#[test]
fn click_depths_are_true_and_every_form_is_reachable() {
    for topic in World::topics() {
        let home = &TINY.seeds(topic)[0];
        let depths = click_depths(&TINY, home);
        let forms: Vec<_> = TINY.truth().filter(|form| form.site == Site::of(home).0).collect();
        assert!(!forms.is_empty());
        for form in forms {
            assert_eq!(depths.get(&form.page_url), Some(&form.depth), "{form:?}");
        }
    }
}

#[test]
fn every_site_is_reachable_from_every_seed() {
    let mut sites = BTreeSet::new();
    let start = TINY.seeds("movie")[0].clone();
    let mut queue = VecDeque::from([start.clone()]);
    let mut seen = BTreeSet::from([start]);
    while let Some(url) = queue.pop_front() {
        sites.insert(Site::of(&url));
        let response = page(&TINY, &url);
        for link in links(&url, &response.body) {
            if seen.insert(link.clone()) {
                queue.push_back(link);
            }
        }
    }
    assert_eq!(sites.len() as u64, TINY.site_count());
    assert!(seen.len() < 20_000, "a tiny world ends: {}", seen.len());
}

#[test]
fn backlinks_link_and_links_are_among_the_backlinks() {
    for topic in World::topics() {
        let home = &TINY.seeds(topic)[0];
        for from in TINY.backlinks(home) {
            assert!(links(&from, &page(&TINY, &from).body).contains(home), "{from} -> {home}");
        }
        let away =
            links(home, &page(&TINY, home).body).into_iter().filter(|url| Site::of(url) != Site::of(home));
        for target in away {
            assert!(TINY.backlinks(&target).contains(home), "{home} -> {target}");
        }
    }
}

#[test]
fn unknown_hosts_do_not_resolve() {
    for text in ["http://nobody.example/", "http://127.0.0.1/", "http://localhost/x"] {
        let url = Url::parse(text).unwrap();
        assert_eq!(get(&TINY, &url).result.unwrap_err(), FetchError::NoSuchHost);
    }
}

proptest! {
    #[test]
    fn any_address_of_any_host_gets_an_answer(path in "\\PC{0,60}", topic in 0usize..12, at: u64, post: bool) {
        let home = &DEMO.seeds(World::topics()[topic])[0];
        if let Ok(url) = home.join(&path) {
            let method = if post { Method::Post } else { Method::Get };
            let request = Request { method, body: path.into_bytes(), ..Request::get(url.clone()) };
            let _ = DEMO.respond(&request, Time(at));
            let _ = DEMO.backlinks(&url);
        }
    }
}
