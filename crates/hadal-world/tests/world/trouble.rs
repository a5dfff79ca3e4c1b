//! Traps, flaky hosts and redirects between host names.

use crate::common::{TINY, get, links, page};
use hadal_core::http::Request;
use hadal_core::time::Time;
use hadal_world::{Rates, Spec, World};
use std::collections::BTreeSet;
use url::Url;

/// World with high failure rates and a trap on every site.
fn rough() -> World {
    let rates = Rates { dead: 0.2, slow: 0.2, flaky: 0.2, redirecting: 0.2, traps: 1.0, ..Rates::usual() };
    World::new(Spec { sites: 600, rates, ..Spec::tiny(3) })
}

#[test]
fn traps_have_no_end() {
    let world = rough();
    let homes: BTreeSet<Url> =
        world.truth().filter(|form| form.depth == 0).map(|form| form.page_url).collect();
    let mut kinds = BTreeSet::new();
    for home in homes {
        let Ok(response) = get(&world, &home).result else { continue };
        let entry =
            links(&home, &response.body).into_iter().find_map(|url| trap_kind(&url).map(|kind| (kind, url)));
        let Some((kind, mut at)) = entry else { continue };
        let mut seen = BTreeSet::new();
        for _ in 0..30 {
            let Some(body) = answer_of(&world, &at) else { break };
            assert!(seen.insert(at.clone()), "{kind}: back at {at}");
            let mut onward = links(&at, &body)
                .into_iter()
                .filter(|url| trap_kind(url) == Some(kind) && !seen.contains(url));
            at = onward.next_back().unwrap_or_else(|| panic!("{kind} ends at {at}"));
        }
        if seen.len() == 30 {
            kinds.insert(kind);
        }
    }
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

/// Body of a page, with retries while the host is flaky.
fn answer_of(world: &World, url: &Url) -> Option<Vec<u8>> {
    (0..40).find_map(|n| {
        let response = world.respond(&Request::get(url.clone()), Time(n * 5_000)).result.ok()?;
        (response.status == 200).then_some(response.body)
    })
}

fn trap_kind(url: &Url) -> Option<&'static str> {
    let path = url.path();
    let kinds = [
        ("/calendar/", "calendar"),
        ("/archive", "archive"),
        (";jsessionid=", "sessions"),
        ("/more/", "more"),
    ];
    let growing =
        |word: &str| word != "more" || path.split_terminator('/').skip(1).all(|step| step == "more");
    kinds.into_iter().find(|(mark, kind)| path.contains(mark) && growing(kind)).map(|(_, kind)| kind)
}

#[test]
fn flaky_hosts_answer_a_retry() {
    let world = rough();
    let mut recovered = 0;
    for form in world.truth().step_by(3) {
        let Ok(response) = get(&world, &form.page_url).result else { continue };
        if response.status == 503 {
            assert!(response.headers.get("retry-after").unwrap().parse::<u64>().unwrap() > 0);
            assert!(answer_of(&world, &form.page_url).is_some(), "{}", form.page_url);
            recovered += 1;
        }
    }
    assert!(recovered > 5);
}

#[test]
fn the_other_name_of_a_host_redirects_to_the_page() {
    for home in TINY.seeds("job") {
        let host = home.host_str().unwrap();
        let other = host.strip_prefix("www.").map_or(format!("www.{host}"), String::from);
        let response = page(&TINY, &Url::parse(&format!("http://{other}/")).unwrap());
        assert_eq!((response.status, response.headers.get("location")), (301, Some(home.as_str())));
    }
}

#[test]
fn delivery_equals_the_latency_of_respond() {
    let world = rough();
    let pages: BTreeSet<Url> = world.truth().map(|form| form.page_url).collect();
    let (mut answered, mut troubled) = (0, 0);
    for (nth, url) in pages.into_iter().enumerate().filter(|(nth, _)| nth % 7 == 0) {
        let (request, at) = (Request::get(url), Time(1_777 * nth as u64));
        let exchange = world.respond(&request, at);
        let content = exchange.result.as_ref().ok().filter(|response| response.status == 200);
        let bytes = content.map_or(0, |response| response.body.len());
        match world.delivery(&request, at, bytes) {
            Some(delivery) => {
                assert_eq!(delivery, (exchange.took, exchange.peer.expect("an answer comes from somewhere")));
                answered += 1;
            }
            None => {
                assert!(content.is_none(), "{}", request.url);
                troubled += 1;
            }
        }
    }
    assert!(answered > 50 && troubled > 5, "{answered} {troubled}");
}
