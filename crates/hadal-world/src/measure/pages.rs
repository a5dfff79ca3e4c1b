//! Measurements of pages: size, links, and topic words in links that lead to forms.

use super::{Measurement, share};
use crate::form::plan::FormRoute;
use crate::random::SeededRng;
use crate::site::Site;
use crate::site::resource::{Resource, resource_at, without_session};
use crate::world::World;
use hadal_core::address;
use hadal_core::html;
use hadal_core::http::Request;
use hadal_core::page::{Link, Page};
use hadal_core::time::Time;
use url::Url;

/// Pages sampled per site. Guess.
const PAGES_PER_SITE: u32 = 4;

/// Number of words before and after a link that count as its surrounding text, as strategies count them.
const WINDOW: usize = 5;

/// Counts over the sampled pages.
#[derive(Default)]
struct PageCounts {
    pages: f64,
    bytes: f64,
    links: f64,
    off_site: f64,
    /// By clicks to the form (1, 2, 3): number of links, and of those with a topic word in URL, anchor and surrounding
    /// text.
    words: [[f64; 4]; 3],
    hosts: f64,
    soft_404: f64,
}

/// Measures a sample of about `sample` pages.
pub(super) fn measure(world: &World, sample: usize) -> Vec<Measurement> {
    let (mut counts, mut near) = (PageCounts::default(), PageCounts::default());
    let sites = (sample as u64 / u64::from(PAGES_PER_SITE)).clamp(2, 2 * world.site_count()) / 2;
    for n in 0..sites {
        count_pages(world, &world.site((n * world.site_count() / sites) as u32), &mut counts);
    }
    // Links to forms are sampled on deep sites, because most sites have no forms.
    let deep = world.deep_sites().count();
    for site in world.deep_sites().step_by((deep / sites as usize).max(1)) {
        count_pages(world, &site, &mut near);
    }
    let mut figures = vec![
        Measurement::new("mean page bytes", "about 15,000", share(counts.bytes, counts.pages), 12e3, 18e3),
        Measurement::new(
            "off-site share of links",
            "0.04-0.11",
            share(counts.off_site, counts.links),
            0.04,
            0.11,
        ),
        Measurement::new("soft-404 share of sites", "0.07", share(counts.soft_404, counts.hosts), 0.04, 0.1),
    ];
    const TARGETS: [(&str, [f64; 3]); 3] =
        [("URL", [0.59, 0.19, 0.07]), ("anchor", [0.21, 0.14, 0.08]), ("around", [0.35, 0.16, 0.15])];
    for (space, (name, targets)) in TARGETS.into_iter().enumerate() {
        for (clicks, target) in targets.into_iter().enumerate() {
            let [links, words @ ..] = near.words[clicks];
            let name = format!("topic word in {name}, {} from form", clicks + 1);
            let slack = (0.3 * target).max(0.03);
            let measured = share(words[space], links);
            figures.push(Measurement::new(
                &name,
                &target.to_string(),
                measured,
                target - slack,
                target + slack,
            ));
        }
    }
    figures
}

fn count_pages(world: &World, site: &Site<'_>, counts: &mut PageCounts) {
    if !site.profile.answers() {
        return;
    }
    counts.hosts += 1.0;
    let missing = world.respond(&Request::get(site.url_on_main("/no/such/page")), Time(0));
    counts.soft_404 += f64::from(u8::from(missing.result.is_ok_and(|response| response.status == 200)));
    let mut rng = SeededRng::new(site.profile.seed, 110);
    for nth in 0..PAGES_PER_SITE {
        let number = if nth == 0 { 0 } else { rng.below(site.tree.pages) };
        let url = site.url(number);
        let Ok(response) = world.respond(&Request::get(url.clone()), Time(0)).result else { continue };
        if response.status != 200 {
            continue;
        }
        counts.pages += 1.0;
        counts.bytes += response.body.len() as f64;
        let page = html::parse(&response.body, response.headers.get("content-type"), &url);
        count_links(world, &page, counts);
    }
}

fn count_links(world: &World, page: &Page, counts: &mut PageCounts) {
    let here = address::Site::of(&page.url);
    for link in &page.links {
        counts.links += 1.0;
        counts.off_site += f64::from(u8::from(address::Site::of(&link.url) != here));
        let Some((index, host)) = world.locate(&link.url) else { continue };
        let site = world.site(index);
        let (path, _) = without_session(&link.url);
        // Home pages are left out: all pages link to them, and their URLs have no words.
        let Resource::Page(target @ 1..) = resource_at(&site, host, &path) else { continue };
        if let Some(route) = site.route_from(target) {
            count_words(&site, route, link, &mut counts.words[usize::from(route.clicks) - 1]);
        }
    }
}

fn count_words(site: &Site<'_>, route: FormRoute, link: &Link, word_counts: &mut [f64; 4]) {
    let has_topic_word = |text: &str| {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| word.eq_ignore_ascii_case(site.topic_word(Some(route))))
    };
    let context = &link.context;
    let url = has_topic_word(&url_text(&link.url));
    let before = context.before.split_whitespace().rev().take(WINDOW).any(has_topic_word);
    let around = before || context.after.split_whitespace().take(WINDOW).any(has_topic_word);
    word_counts[0] += 1.0;
    for (count, named) in word_counts[1..].iter_mut().zip([url, has_topic_word(&context.anchor), around]) {
        *count += f64::from(u8::from(named));
    }
}

/// Host, path and query of a URL as text.
fn url_text(url: &Url) -> String {
    format!("{} {} {}", url.host_str().unwrap_or_default(), url.path(), url.query().unwrap_or_default())
}
