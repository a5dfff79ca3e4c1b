//! Worlds and readers that the scenarios share.
#![allow(dead_code, reason = "each scenario uses some of it")]

use hadal_core::address::Site;
use hadal_core::html;
use hadal_core::http::{Exchange, Request, Response};
use hadal_core::identity::{FormId, form_id};
use hadal_core::time::Time;
use hadal_world::{Spec, World};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::LazyLock;
use url::Url;

/// Calm, small, crawled to its end in a moment.
pub static TINY: LazyLock<World> = LazyLock::new(|| World::new(Spec::tiny(5)));
/// The size and the trouble of a demonstration.
pub static DEMO: LazyLock<World> = LazyLock::new(|| World::new(Spec::demo(5)));

/// One request at the beginning of time.
pub fn get(world: &World, url: &Url) -> Exchange {
    world.respond(&Request::get(url.clone()), Time(0))
}

/// An answer that must come.
pub fn page(world: &World, url: &Url) -> Response {
    get(world, url).result.expect("the host answers")
}

/// Addresses in `href` attributes, as any reader finds them.
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

/// Clicks from a site's home page to each of its pages.
pub fn walk(world: &World, home: &Url) -> HashMap<Url, u32> {
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

/// Identities of the forms that the real parser finds on a page.
pub fn parsed_forms(url: &Url, response: &Response) -> BTreeSet<FormId> {
    let parsed = html::parse(&response.body, response.headers.get("content-type"), url);
    parsed.forms.iter().map(|form| form_id(form, url)).collect()
}
