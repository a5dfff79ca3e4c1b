//! The backward crawl: from pages with forms to the links that link there (FFC paper, section 3.1).
//!
//! Breadth first: who links to a page with a form is asked of whoever knows backlinks, a few of the
//! answers are read, and the link found there is an example of level 1; then the same is asked about the
//! page it stood on, for level 2, and so on. Look-ups and pages are visits like all others, and are paid
//! for. Answers may be wrong and pages may be gone: what does not come back is not waited for here.

use super::example::Example;
use crate::address::{LinkId, Site};
use crate::link::{FrontierLink, LinkOrigin};
use crate::page::Page;
use crate::strategy::StrategyCommand;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// Pages read of those that link to one page.
const PAGES_PER_TARGET: usize = 4;
/// Pages of one site read for one level: more would teach the site, and wait for its host again and again.
const PAGES_PER_SITE: u32 = 2;

/// A backward crawl under way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BackwardCrawl {
    /// Pages that may still be read, by level.
    room: Vec<u32>,
    /// Pages that were asked about, and the level of a link to them.
    asked: BTreeMap<LinkId, u8>,
    /// Pages to read, and what they are said to link to.
    noted: BTreeMap<LinkId, Vec<Target>>,
    /// Pages noted so far, by level and site.
    of_site: BTreeMap<(u8, Site), u32>,
    /// Pages that were read: they are not visited a second time.
    read: BTreeSet<LinkId>,
    /// Look-ups asked for so far.
    lookups: u32,
    /// Pages read so far.
    pages: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Target {
    page: LinkId,
    level: u8,
}

/// What came of reading a page.
#[derive(Debug, Default, PartialEq)]
pub struct Reading {
    /// The links it was read for, with their levels.
    pub examples: Vec<(u8, Example)>,
    /// What to ask next.
    pub commands: Vec<StrategyCommand>,
}

impl BackwardCrawl {
    /// Sets out from pages with forms; `room` is how many pages may be read for each level. What an
    /// earlier crawl still expected is no longer waited for.
    pub fn set_out(&mut self, pages: &[Url], room: &[u32]) -> Vec<StrategyCommand> {
        self.asked.clear();
        self.noted.clear();
        self.of_site.clear();
        self.read.clear();
        self.room = room.to_vec();
        pages.iter().filter_map(|page| self.ask(page, 1)).collect()
    }

    /// Takes an answer: notes which of the linking pages are worth reading.
    pub fn hear(&mut self, about: &Url, linking: &[Url]) {
        let target = LinkId::of(about);
        let Some(level) = self.asked.remove(&target) else { return };
        let mut noted = 0;
        for page in in_turns(about, linking) {
            let id = LinkId::of(page);
            if noted < PAGES_PER_TARGET && !self.read.contains(&id) && self.makes_room(page, level) {
                noted += 1;
                self.noted.entry(id).or_default().push(Target { page: target, level });
            }
        }
    }

    /// Whether one more page may be read for a level.
    fn makes_room(&mut self, page: &Url, level: u8) -> bool {
        let Some(room) = self.room.get_mut(usize::from(level).wrapping_sub(1)) else { return false };
        let of_site = self.of_site.entry((level, Site::of(page))).or_default();
        let has_room = *room > 0 && *of_site < PAGES_PER_SITE;
        if has_room {
            *room -= 1;
            *of_site += 1;
        }
        has_room
    }

    /// Whether a link is one of the pages to read, or what became of one.
    pub fn wants(&self, link: &FrontierLink) -> bool {
        matches!(link.origin, LinkOrigin::Backlink | LinkOrigin::Redirect)
            && ids(link).any(|id| self.noted.contains_key(&id))
    }

    /// Takes a visit, if it is of a page to read.
    pub fn read(&mut self, link: &FrontierLink, page: Option<&Page>) -> Option<Reading> {
        let targets: Vec<Target> = ids(link).filter_map(|id| self.noted.remove(&id)).flatten().collect();
        if targets.is_empty() {
            return None;
        }
        self.read.extend(ids(link));
        self.pages += u32::from(page.is_some());
        let mut reading = Reading::default();
        for target in targets {
            let links = page.map_or(&[][..], |page| &page.links);
            if let Some(link) = links.iter().find(|link| LinkId::of(&link.url) == target.page) {
                reading.examples.push((target.level, Example::of(&link.url, &link.context)));
                reading.commands.extend(self.ask(&link.url, target.level.saturating_add(1)));
            }
        }
        Some(reading)
    }

    /// Whether answers or pages are still expected.
    pub fn expects(&self) -> bool {
        !self.asked.is_empty() || !self.noted.is_empty()
    }

    /// Pages read so far.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Look-ups asked for so far.
    pub fn lookups(&self) -> u32 {
        self.lookups
    }

    fn ask(&mut self, page: &Url, level: u8) -> Option<StrategyCommand> {
        let room = self.room.get(usize::from(level).wrapping_sub(1)).copied().unwrap_or(0);
        let id = LinkId::of(page);
        if room == 0 || self.asked.contains_key(&id) {
            return None;
        }
        self.asked.insert(id, level);
        self.lookups += 1;
        Some(StrategyCommand::LookUpBacklinks(page.clone()))
    }
}

/// A link's own identity and those of the addresses that redirected to it.
fn ids(link: &FrontierLink) -> impl Iterator<Item = LinkId> {
    std::iter::once(link.id).chain(link.redirects.iter().map(LinkId::of))
}

/// Linking pages of other sites and of the page's own in turns, as they were given: a crawl meets both
/// kinds of link, and of either kind there may be hundreds.
fn in_turns<'a>(about: &Url, linking: &'a [Url]) -> Vec<&'a Url> {
    let home = Site::of(about);
    let (here, elsewhere): (Vec<&Url>, Vec<&Url>) =
        linking.iter().filter(|url| *url != about).partition(|url| Site::of(url) == home);
    let turns = here.len().max(elsewhere.len());
    (0..turns).flat_map(|n| [elsewhere.get(n), here.get(n)]).flatten().copied().collect()
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
        assert_eq!(crawl.set_out(&[url(FORM)], &[9, 9]), [StrategyCommand::LookUpBacklinks(url(FORM))]);
        crawl.hear(&url(FORM), &[url(HUB)]);
        assert!(crawl.wants(&backlink(HUB)) && !crawl.wants(&backlink("http://other.org/")));
        let Reading { examples, commands } = crawl.read(&backlink(HUB), Some(&page(HUB, FORM))).unwrap();
        assert_eq!(examples.iter().map(|(level, _)| *level).collect::<Vec<_>>(), [1]);
        assert_eq!(examples[0].1.terms(1), ["search", "book"]);
        assert_eq!(commands, [StrategyCommand::LookUpBacklinks(url(HUB))]);
        crawl.hear(&url(HUB), &[url("http://top.org/")]);
        let Reading { examples, commands } =
            crawl.read(&backlink("http://top.org/"), Some(&page("http://top.org/", HUB))).unwrap();
        assert_eq!((examples[0].0, commands.len(), crawl.expects()), (2, 0, false));
    }

    #[test]
    fn pages_that_are_gone_or_link_elsewhere_teach_nothing() {
        let mut crawl = BackwardCrawl::default();
        crawl.set_out(&[url(FORM)], &[9, 9]);
        crawl.hear(&url(FORM), &[url(HUB), url("http://gone.org/")]);
        let elsewhere = page(HUB, "http://elsewhere.org/");
        assert_eq!(crawl.read(&backlink(HUB), Some(&elsewhere)), Some(Reading::default()));
        assert_eq!(crawl.read(&backlink("http://gone.org/"), None), Some(Reading::default()));
        assert_eq!(crawl.read(&backlink("http://gone.org/"), None), None);
    }

    #[test]
    fn a_page_is_read_once_and_others_are_preferred_to_it() {
        let mut crawl = BackwardCrawl::default();
        crawl.set_out(&[url(FORM), url("http://form2.org/")], &[9]);
        crawl.hear(&url(FORM), &[url(HUB)]);
        crawl.read(&backlink(HUB), Some(&page(HUB, FORM)));
        crawl.hear(&url("http://form2.org/"), &[url(HUB), url("http://other.org/")]);
        assert!(!crawl.wants(&backlink(HUB)) && crawl.wants(&backlink("http://other.org/")));
    }

    #[test]
    fn a_page_that_redirects_is_read_where_it_went() {
        let mut crawl = BackwardCrawl::default();
        crawl.set_out(&[url(FORM)], &[9]);
        crawl.hear(&url(FORM), &[url(HUB)]);
        let moved = FrontierLink {
            redirects: vec![url(HUB)],
            ..FrontierLink::root(url("https://hub.org/list"), LinkOrigin::Redirect)
        };
        assert!(crawl.wants(&moved));
        assert_eq!(crawl.read(&moved, Some(&page("https://hub.org/list", FORM))).unwrap().examples.len(), 1);
    }

    #[test]
    fn a_few_pages_are_read_for_each_target_in_turns_and_as_many_as_there_is_room_for() {
        let own = (0..9).map(|n| url(&format!("http://form.org/{n}")));
        let others = (0..9).map(|n| url(&format!("http://other{n}.org/")));
        let linking: Vec<Url> = own.chain(others).collect();
        for (room, read) in [(9, 4), (3, 3)] {
            let mut crawl = BackwardCrawl::default();
            crawl.set_out(&[url(FORM)], &[room]);
            crawl.hear(&url(FORM), &linking);
            let noted: Vec<&Url> =
                linking.iter().filter(|url| crawl.wants(&backlink(url.as_str()))).collect();
            assert_eq!(noted.len(), read);
            assert!(
                noted.contains(&&url("http://form.org/0")) && noted.contains(&&url("http://other0.org/"))
            );
        }
    }

    #[test]
    fn of_one_site_only_so_many_pages_are_read_for_a_level() {
        let targets: Vec<Url> = (0..9).map(|n| url(&format!("http://form{n}.org/"))).collect();
        let mut crawl = BackwardCrawl::default();
        crawl.set_out(&targets, &[99]);
        let linking: Vec<Url> = (0..9).map(|n| url(&format!("http://hub.org/{n}"))).collect();
        for (target, page) in targets.iter().zip(&linking) {
            crawl.hear(target, std::slice::from_ref(page));
        }
        let noted = linking.iter().filter(|page| crawl.wants(&backlink(page.as_str()))).count();
        assert_eq!(noted, PAGES_PER_SITE as usize);
    }

    #[test]
    fn answers_nobody_asked_for_are_not_heard() {
        let mut crawl = BackwardCrawl::default();
        crawl.hear(&url(FORM), &[url(HUB)]);
        assert!(!crawl.expects() && !crawl.wants(&backlink(HUB)));
    }
}
