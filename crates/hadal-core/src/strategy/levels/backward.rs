//! Backward crawl: from pages with forms to the links that lead to them (FFC paper, section 3.1).
//!
//! Breadth first. The crawl looks up backlinks of a page with a form and reads some of the linking pages. The
//! link found there is an example of level 1. Backlinks of that page give examples of level 2, and so on.
//! Look-ups and pages are ordinary visits and cost requests. Backlinks may be wrong and pages may be gone, so
//! the crawl does not wait for pages that never arrive.

use super::examples::LinkExample;
use crate::address::{LinkId, Site};
use crate::link::{FrontierLink, LinkOrigin};
use crate::page::Page;
use crate::strategy::StrategyCommand;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// Linking pages that are read per target. The FFC paper selects "a subset". Guess.
const PAGES_PER_TARGET: usize = 4;
/// Pages that are read per site and level, so that no single site dominates the examples. Guess.
const PAGES_PER_SITE: u32 = 2;

/// State of a backward crawl.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BackwardCrawl {
    /// Pages that may still be read, by level.
    page_budget: Vec<u32>,
    /// Pages with a pending look-up, and the level of a link to them.
    pending_lookups: BTreeMap<LinkId, u8>,
    /// Pages to read, and the pages they link to according to the look-ups.
    pending_pages: BTreeMap<LinkId, Vec<BackwardTarget>>,
    /// Pages scheduled so far, by level and site.
    pages_of_site: BTreeMap<(u8, Site), u32>,
    /// Pages that were read; none is visited twice.
    read: BTreeSet<LinkId>,
    lookups: u32,
    pages_read: u32,
}

/// A page that a linking page is read for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct BackwardTarget {
    page: LinkId,
    level: u8,
}

/// Result of reading one page.
#[derive(Debug, Default, PartialEq)]
pub struct BackwardStep {
    /// Links to the targets, with their levels.
    pub examples: Vec<(u8, LinkExample)>,
    /// Look-ups of the next level.
    pub commands: Vec<StrategyCommand>,
}

impl BackwardCrawl {
    /// Starts from pages with forms. `page_budget` is the number of pages to read for each level. Pending pages of an
    /// earlier crawl are forgotten.
    pub fn start(&mut self, pages: &[Url], page_budget: &[u32]) -> Vec<StrategyCommand> {
        self.pending_lookups.clear();
        self.pending_pages.clear();
        self.pages_of_site.clear();
        self.read.clear();
        self.page_budget = page_budget.to_vec();
        pages.iter().filter_map(|page| self.look_up(page, 1)).collect()
    }

    /// Receives the result of a look-up and schedules some of the linking pages.
    pub fn on_backlinks(&mut self, about: &Url, linking: &[Url]) {
        let target = LinkId::of(about);
        let Some(level) = self.pending_lookups.remove(&target) else { return };
        let mut scheduled = 0;
        for page in alternate_sites(about, linking) {
            let id = LinkId::of(page);
            if scheduled < PAGES_PER_TARGET && !self.read.contains(&id) && self.reserve(page, level) {
                scheduled += 1;
                let targets = self.pending_pages.entry(id).or_default();
                targets.push(BackwardTarget { page: target, level });
            }
        }
    }

    /// Takes a page from the budget of a level; false if the budget or the limit of the site is used up.
    fn reserve(&mut self, page: &Url, level: u8) -> bool {
        let Some(budget) = self.page_budget.get_mut(usize::from(level).wrapping_sub(1)) else {
            return false;
        };
        let of_site = self.pages_of_site.entry((level, Site::of(page))).or_default();
        let is_free = *budget > 0 && *of_site < PAGES_PER_SITE;
        if is_free {
            *budget -= 1;
            *of_site += 1;
        }
        is_free
    }

    /// True if a link leads to a page to read, directly or by redirects.
    pub fn is_awaited(&self, link: &FrontierLink) -> bool {
        matches!(link.origin, LinkOrigin::Backlink | LinkOrigin::Redirect)
            && ids(link).any(|id| self.pending_pages.contains_key(&id))
    }

    /// Reads a visited page; `None` if it was not scheduled.
    pub fn on_visit(&mut self, link: &FrontierLink, page: Option<&Page>) -> Option<BackwardStep> {
        let targets: Vec<BackwardTarget> =
            ids(link).filter_map(|id| self.pending_pages.remove(&id)).flatten().collect();
        if targets.is_empty() {
            return None;
        }
        self.read.extend(ids(link));
        self.pages_read += u32::from(page.is_some());
        let mut step = BackwardStep::default();
        for target in targets {
            let links = page.map_or(&[][..], |page| &page.links);
            if let Some(found) = links.iter().find(|link| LinkId::of(&link.url) == target.page) {
                step.examples.push((target.level, LinkExample::of(&found.url, &found.context)));
                step.commands.extend(self.look_up(&link.url, target.level.saturating_add(1)));
            }
        }
        Some(step)
    }

    /// True if look-ups or pages are pending.
    pub fn is_pending(&self) -> bool {
        !self.pending_lookups.is_empty() || !self.pending_pages.is_empty()
    }

    /// Pages read so far.
    pub fn pages_read(&self) -> u32 {
        self.pages_read
    }

    /// Look-ups requested so far.
    pub fn lookups(&self) -> u32 {
        self.lookups
    }

    fn look_up(&mut self, page: &Url, level: u8) -> Option<StrategyCommand> {
        let budget = self.page_budget.get(usize::from(level).wrapping_sub(1)).copied().unwrap_or(0);
        let id = LinkId::of(page);
        if budget == 0 || self.pending_lookups.contains_key(&id) {
            return None;
        }
        self.pending_lookups.insert(id, level);
        self.lookups += 1;
        Some(StrategyCommand::LookUpBacklinks(page.clone()))
    }
}

/// Ids of a link and of the URLs that redirected to it.
fn ids(link: &FrontierLink) -> impl Iterator<Item = LinkId> {
    std::iter::once(link.id).chain(link.redirects.iter().map(LinkId::of))
}

/// Linking pages of other sites and of the page's own site, alternating. A crawl follows both kinds of links,
/// and either kind alone may have hundreds of pages.
fn alternate_sites<'a>(about: &Url, linking: &'a [Url]) -> Vec<&'a Url> {
    let home = Site::of(about);
    let (own, other): (Vec<&Url>, Vec<&Url>) =
        linking.iter().filter(|url| *url != about).partition(|url| Site::of(url) == home);
    let turns = own.len().max(other.len());
    (0..turns).flat_map(|n| [other.get(n), own.get(n)]).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn page(at: &str, links_to: &str) -> Page {
        let html = format!("<a href='{links_to}'>Search books</a>");
        crate::html::parse(html.as_bytes(), Some("text/html"), &url(at))
    }

    fn backlink(at: &str) -> FrontierLink {
        FrontierLink::root(url(at), LinkOrigin::Backlink)
    }

    const FORM: &str = "http://form.org/search";
    const HUB: &str = "http://hub.org/list";

    #[test]
    fn a_link_to_a_form_is_of_level_1_and_a_link_to_that_page_of_level_2() {
        let mut crawl = BackwardCrawl::default();
        assert_eq!(crawl.start(&[url(FORM)], &[9, 9]), [StrategyCommand::LookUpBacklinks(url(FORM))]);
        crawl.on_backlinks(&url(FORM), &[url(HUB)]);
        assert!(crawl.is_awaited(&backlink(HUB)) && !crawl.is_awaited(&backlink("http://other.org/")));
        let BackwardStep { examples, commands } =
            crawl.on_visit(&backlink(HUB), Some(&page(HUB, FORM))).unwrap();
        assert_eq!(examples.iter().map(|(level, _)| *level).collect::<Vec<_>>(), [1]);
        assert_eq!(examples[0].1.stems(1), ["search", "book"]);
        assert_eq!(commands, [StrategyCommand::LookUpBacklinks(url(HUB))]);
        crawl.on_backlinks(&url(HUB), &[url("http://top.org/")]);
        let BackwardStep { examples, commands } =
            crawl.on_visit(&backlink("http://top.org/"), Some(&page("http://top.org/", HUB))).unwrap();
        assert_eq!((examples[0].0, commands.len(), crawl.is_pending()), (2, 0, false));
    }

    #[test]
    fn missing_pages_and_pages_without_the_link_give_no_example() {
        let mut crawl = BackwardCrawl::default();
        crawl.start(&[url(FORM)], &[9, 9]);
        crawl.on_backlinks(&url(FORM), &[url(HUB), url("http://gone.org/")]);
        let elsewhere = page(HUB, "http://elsewhere.org/");
        assert_eq!(crawl.on_visit(&backlink(HUB), Some(&elsewhere)), Some(BackwardStep::default()));
        assert_eq!(crawl.on_visit(&backlink("http://gone.org/"), None), Some(BackwardStep::default()));
        assert_eq!(crawl.on_visit(&backlink("http://gone.org/"), None), None);
    }

    #[test]
    fn a_page_is_read_once() {
        let mut crawl = BackwardCrawl::default();
        crawl.start(&[url(FORM), url("http://form2.org/")], &[9]);
        crawl.on_backlinks(&url(FORM), &[url(HUB)]);
        crawl.on_visit(&backlink(HUB), Some(&page(HUB, FORM)));
        crawl.on_backlinks(&url("http://form2.org/"), &[url(HUB), url("http://other.org/")]);
        assert!(!crawl.is_awaited(&backlink(HUB)) && crawl.is_awaited(&backlink("http://other.org/")));
    }

    #[test]
    fn a_redirected_page_is_read_at_its_new_url() {
        let mut crawl = BackwardCrawl::default();
        crawl.start(&[url(FORM)], &[9]);
        crawl.on_backlinks(&url(FORM), &[url(HUB)]);
        let moved = FrontierLink {
            redirects: vec![url(HUB)],
            ..FrontierLink::root(url("https://hub.org/list"), LinkOrigin::Redirect)
        };
        assert!(crawl.is_awaited(&moved));
        assert_eq!(
            crawl.on_visit(&moved, Some(&page("https://hub.org/list", FORM))).unwrap().examples.len(),
            1
        );
    }

    #[test]
    fn pages_of_the_own_site_and_of_others_alternate_within_the_limits() {
        let own = (0..9).map(|n| url(&format!("http://form.org/{n}")));
        let others = (0..9).map(|n| url(&format!("http://other{n}.org/")));
        let linking: Vec<Url> = own.chain(others).collect();
        for (room, read) in [(9, 4), (3, 3)] {
            let mut crawl = BackwardCrawl::default();
            crawl.start(&[url(FORM)], &[room]);
            crawl.on_backlinks(&url(FORM), &linking);
            let noted: Vec<&Url> =
                linking.iter().filter(|url| crawl.is_awaited(&backlink(url.as_str()))).collect();
            assert_eq!(noted.len(), read);
            assert!(
                noted.contains(&&url("http://form.org/0")) && noted.contains(&&url("http://other0.org/"))
            );
        }
    }

    #[test]
    fn pages_per_site_and_level_are_limited() {
        let targets: Vec<Url> = (0..9).map(|n| url(&format!("http://form{n}.org/"))).collect();
        let mut crawl = BackwardCrawl::default();
        crawl.start(&targets, &[99]);
        let linking: Vec<Url> = (0..9).map(|n| url(&format!("http://hub.org/{n}"))).collect();
        for (target, page) in targets.iter().zip(&linking) {
            crawl.on_backlinks(target, std::slice::from_ref(page));
        }
        let noted = linking.iter().filter(|page| crawl.is_awaited(&backlink(page.as_str()))).count();
        assert_eq!(noted, PAGES_PER_SITE as usize);
    }

    #[test]
    fn unexpected_backlinks_are_ignored() {
        let mut crawl = BackwardCrawl::default();
        crawl.on_backlinks(&url(FORM), &[url(HUB)]);
        assert!(!crawl.is_pending() && !crawl.is_awaited(&backlink(HUB)));
    }
}
