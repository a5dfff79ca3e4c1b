//! Worlds and helpers shared by the tests.

use hadal_core::address::Site;
use hadal_core::html;
use hadal_core::http::{Exchange, Request, Response};
use hadal_core::identity::{FormId, form_id};
use hadal_core::time::Time;
use hadal_world::{Spec, World};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::LazyLock;
use url::Url;

/// Small world without failures.
pub static TINY: LazyLock<World> = LazyLock::new(|| World::new(Spec::tiny(5)));
/// World of `hadal demo`, with failures.
pub static DEMO: LazyLock<World> = LazyLock::new(|| World::new(Spec::demo(5)));

/// Sends a GET request at time 0.
pub fn get(world: &World, url: &Url) -> Exchange {
    world.respond(&Request::get(url.clone()), Time(0))
}

/// Response to a GET request at time 0; panics on a connection failure.
pub fn page(world: &World, url: &Url) -> Response {
    get(world, url).result.expect("the host answers")
}

/// URLs in `href` attributes, found without the parser of the crawler.
pub fn links(base: &Url, body: &[u8]) -> Vec<Url> {
    let text = String::from_utf8_lossy(body);
    let mut found = Vec::new();
    for part in text.split("href=").skip(1) {
        let end = |stop: &[char]| part[1..].find(stop).map(|at| &part[1..at + 1]);
        let quoted = part.starts_with('"');
        let value = if quoted { end(&['"']) } else { part.split([' ', '>']).next() };
        found.extend(value.and_then(|value| base.join(&value.replace("&amp;", "&")).ok()));
    }
    found
}

/// Click distance of each page of a site from its home page, by breadth-first search.
pub fn click_depths(world: &World, home: &Url) -> HashMap<Url, u32> {
    let mut depths = HashMap::from([(home.clone(), 0)]);
    let mut queue = VecDeque::from([home.clone()]);
    while let Some(url) = queue.pop_front() {
        let depth = depths[&url];
        let response = page(world, &url);
        if !response.headers.get("content-type").unwrap_or_default().starts_with("text/html") {
            continue;
        }
        for link in links(&url, &response.body) {
            if Site::of(&link) == Site::of(home) && !depths.contains_key(&link) {
                depths.insert(link.clone(), depth + 1);
                queue.push_back(link);
            }
        }
    }
    depths
}

/// Ids of the forms that the parser of the crawler finds on a page.
pub fn parsed_forms(url: &Url, response: &Response) -> BTreeSet<FormId> {
    let parsed = html::parse(&response.body, response.headers.get("content-type"), url);
    parsed.forms.iter().map(|form| form_id(form, url)).collect()
}
