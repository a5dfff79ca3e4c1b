//! Cost of a first visit: generate, parse and judge a page, without fetching and storing.

use super::{Anyhow, cpu, say};
use hadal_core::critic::Critic;
use hadal_core::critic::trained::{CriticTarget, TrainedCritic};
use hadal_core::html::parse;
use hadal_core::http::Request;
use hadal_core::identity::form_id;
use hadal_core::learn::rng::Rng;
use hadal_core::time::Time;
use hadal_world::{Spec, World};
use std::collections::HashSet;
use std::hint::black_box;
use url::Url;

const PAGES: usize = 6000;

/// Visits pages of the evaluation world once each.
pub fn first_visits() -> Anyhow<()> {
    let world = World::new(Spec::evaluation(7));
    let critic = TrainedCritic::new(CriticTarget::built_in("book").expect("book is built in"));
    let addresses = wander(&world);
    let (start, mut bytes) = (cpu()?, 0);
    for url in &addresses {
        bytes += visit(&world, &critic, url);
    }
    let spent = cpu()? - start;
    let size = bytes as f64 / addresses.len() as f64 / 1000.0;
    let name = format!("first visit ({} pages of {size:.0} KB)", addresses.len());
    say(&name, addresses.len() as f64 / spent, "pages generated, parsed and judged per CPU-s");
    Ok(())
}

fn body(world: &World, url: &Url) -> Option<Vec<u8>> {
    let response = world.respond(&Request::get(url.clone()), Time(0)).result.ok()?;
    let is_page = response.headers.get("content-type").is_some_and(|kind| kind.starts_with("text/html"));
    (is_page && response.status == 200).then_some(response.body)
}

/// URLs found by a random walk from the seeds of all topics.
fn wander(world: &World) -> Vec<Url> {
    let mut random = Rng::new(7);
    let mut waiting: Vec<Url> = World::topics().iter().flat_map(|topic| world.seeds(topic)).collect();
    let (mut met, mut pages) = (HashSet::new(), Vec::new());
    while pages.len() < PAGES && !waiting.is_empty() {
        let url = waiting.swap_remove(random.below(waiting.len()));
        if !met.insert(url.clone()) {
            continue;
        }
        let Some(body) = body(world, &url) else { continue };
        waiting.extend(parse(&body, Some("text/html"), &url).links.into_iter().map(|link| link.url));
        pages.push(url);
    }
    pages
}

/// Generates, parses and judges a page. Returns its size.
fn visit(world: &World, critic: &dyn Critic, url: &Url) -> usize {
    let body = body(world, url).unwrap_or_default();
    let page = parse(&body, Some("text/html"), url);
    let verdict = critic.judge_page(&page);
    for form in &page.forms {
        black_box((critic.judge_form(form, &page, &verdict), form_id(form, url)));
    }
    body.len()
}
