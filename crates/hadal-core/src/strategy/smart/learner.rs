//! Adaptive learning (SmartCrawler paper, section 4.2): what deep sites and links to forms look like is
//! learned again every so many finds.

use super::feature_space::FeatureSpace;
use crate::link::FrontierLink;
use crate::page::LinkContext;
use crate::strategy::features::Space;
use crate::strategy::{Lesson, StrategyCommand};
use serde::{Deserialize, Serialize};
use url::Url;

/// New deep sites after which is learned.
const DEEP_SITES: u32 = 50;
/// New searchable forms after which is learned.
const FORMS: u32 = 100;
/// Weight of similarity against frequency in a site's rank.
const ALPHA: f32 = 0.5;

/// The site ranker, the link ranker, and what they learn from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Learner {
    sites: FeatureSpace,
    links: FeatureSpace,
    iteration: u32,
    new_deep: u32,
    new_forms: u32,
}

impl Default for Learner {
    fn default() -> Learner {
        Learner {
            sites: FeatureSpace::of([Space::Url, Space::Anchor, Space::Around]),
            links: FeatureSpace::of([Space::Path, Space::Anchor, Space::Around]),
            iteration: 0,
            new_deep: 0,
            new_forms: 0,
        }
    }
}

impl Learner {
    /// How similar a home page's link is to those of known deep sites, and how many of them link to it:
    /// `alpha ST(s) + (1 - alpha) ln(1 + SF(s))` (equation 7).
    pub fn rank_site(&self, link: &FrontierLink, frequency: u16) -> f32 {
        let similarity = self.sites.similarity(&link.url, &link.context);
        ALPHA * similarity + (1.0 - ALPHA) * f32::from(frequency).ln_1p()
    }

    /// How similar a link is to those that led to forms (equation 8).
    pub fn rank_link(&self, link: &FrontierLink) -> f32 {
        self.links.similarity(&link.url, &link.context)
    }

    /// A page with so many searchable forms that were not known; `link` led to it within its site.
    pub fn found_forms(&mut self, forms: u32, link: Option<&FrontierLink>) {
        self.new_forms += forms;
        if let Some(link) = link {
            self.links.observe(&link.url, &link.context);
        }
    }

    /// A site yielded its first searchable form.
    pub fn found_deep(&mut self) {
        self.new_deep += 1;
    }

    /// A site yielded its first relevant form; `home` led to it.
    pub fn found_relevant(&mut self, home: &FrontierLink) {
        self.sites.observe(&home.url, &home.context);
    }

    /// Before a crawl: sites that are known to be good, and pages with forms.
    pub fn prepare(&mut self, sites: &[Url], pages: &[Url]) {
        let unsaid = LinkContext::default();
        sites.iter().chain(pages).filter_map(|url| url.join("/").ok()).for_each(|home| {
            self.sites.observe(&home, &unsaid);
        });
        pages.iter().for_each(|page| self.links.observe(page, &unsaid));
    }

    /// Takes over what an earlier crawl saw.
    pub fn inherit(&mut self, earlier: Learner) {
        self.sites = earlier.sites;
        self.links = earlier.links;
    }

    /// Whether it is time to learn.
    pub fn is_due(&self) -> bool {
        self.new_deep >= DEEP_SITES || self.new_forms >= FORMS
    }

    /// Learns, and tells what. The rest of the frontier is looked at again only if other words count now.
    pub fn learn(&mut self) -> Vec<StrategyCommand> {
        self.iteration += 1;
        (self.new_deep, self.new_forms) = (0, 0);
        let changed = self.sites.select() | self.links.select();
        let mut commands = self.lessons();
        commands.extend(changed.then_some(StrategyCommand::RescoreHeads));
        commands
    }

    /// Starts the rankers with what is known before a crawl, and tells what that is.
    pub fn start(&mut self) -> Vec<StrategyCommand> {
        self.sites.select();
        self.links.select();
        if self.sites.examples() + self.links.examples() > 0 { self.lessons() } else { Vec::new() }
    }

    /// Makes ready what follows from what is saved.
    pub fn ready(&mut self) {
        self.sites.ready();
        self.links.ready();
    }

    /// How many times it has learned.
    pub fn iteration(&self) -> u32 {
        self.iteration
    }

    fn lessons(&self) -> Vec<StrategyCommand> {
        let lesson = |model: &str, space: &FeatureSpace| {
            StrategyCommand::RecordLesson(Lesson {
                model: model.into(),
                iteration: self.iteration,
                examples: space.examples(),
                selected: space.selected(),
            })
        };
        vec![lesson("site", &self.sites), lesson("link", &self.links)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::LinkOrigin;

    fn link(url: &str, anchor: &str) -> FrontierLink {
        let context = LinkContext { anchor: anchor.into(), ..LinkContext::default() };
        FrontierLink { context, ..FrontierLink::root(Url::parse(url).unwrap(), LinkOrigin::SiteRoot) }
    }

    #[test]
    fn the_rank_of_a_site_is_half_similarity_half_logarithm_of_frequency() {
        let mut learner = Learner::default();
        let shop = link("http://book.com/", "shop");
        assert_eq!(learner.rank_site(&shop, 0), 0.0);
        assert_eq!(learner.rank_site(&shop, 7), 0.5 * 8f32.ln());
        learner.found_relevant(&shop);
        learner.learn();
        let similarity = 2.0;
        assert!((learner.rank_site(&shop, 7) - 0.5 * (similarity + 8f32.ln())).abs() < 1e-6);
    }

    #[test]
    fn fifty_deep_sites_or_a_hundred_forms_are_a_reason_to_learn() {
        let mut by_sites = Learner::default();
        (0..49).for_each(|_| by_sites.found_deep());
        assert!(!by_sites.is_due());
        by_sites.found_deep();
        assert!(by_sites.is_due());
        let mut by_forms = Learner::default();
        by_forms.found_forms(99, None);
        assert!(!by_forms.is_due());
        by_forms.found_forms(1, None);
        assert!(by_forms.is_due());
        by_forms.learn();
        assert!(!by_forms.is_due());
    }

    #[test]
    fn links_are_ranked_by_those_that_led_to_forms() {
        let mut learner = Learner::default();
        learner.found_forms(1, Some(&link("http://a.org/catalogue/search.html", "find a book")));
        let commands = learner.learn();
        let like = learner.rank_link(&link("http://b.org/search", "find"));
        assert!(like > learner.rank_link(&link("http://b.org/imprint", "about us")));
        let models = commands.iter().filter_map(|command| match command {
            StrategyCommand::RecordLesson(lesson) => {
                Some((lesson.model.as_str(), lesson.iteration, lesson.examples))
            }
            _ => None,
        });
        assert_eq!(models.collect::<Vec<_>>(), [("site", 1, 0), ("link", 1, 1)]);
        assert_eq!(commands.last(), Some(&StrategyCommand::RescoreHeads));
        assert!(!learner.learn().contains(&StrategyCommand::RescoreHeads), "nothing new was selected");
    }
}
