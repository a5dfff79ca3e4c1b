//! Adaptive learning of the site ranker and the link ranker (SmartCrawler paper, sections 4.2 and 4.3).

use super::feature_space::FeatureSpace;
use crate::link::FrontierLink;
use crate::page::LinkContext;
use crate::strategy::features::LinkPart;
use crate::strategy::{Lesson, StrategyCommand};
use serde::{Deserialize, Serialize};
use url::Url;

/// New deep sites between learning iterations (section 4.2).
const LEARN_AFTER_SITES: u32 = 50;
/// New searchable forms between learning iterations (section 4.2).
const LEARN_AFTER_FORMS: u32 = 100;
/// Weight of the similarity in the rank of a site, `alpha` of equation 7. The paper gives no number. Guess.
const ALPHA: f32 = 0.5;

/// Site ranker and link ranker with their examples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AdaptiveLearner {
    sites: FeatureSpace,
    links: FeatureSpace,
    iteration: u32,
    new_deep_sites: u32,
    new_forms: u32,
}

impl Default for AdaptiveLearner {
    fn default() -> AdaptiveLearner {
        AdaptiveLearner {
            sites: FeatureSpace::new([LinkPart::Url, LinkPart::Anchor, LinkPart::Around]),
            links: FeatureSpace::new([LinkPart::Path, LinkPart::Anchor, LinkPart::Around]),
            iteration: 0,
            new_deep_sites: 0,
            new_forms: 0,
        }
    }
}

impl AdaptiveLearner {
    /// Rank of a site (equation 7): `alpha ST(s) + (1 - alpha) ln(1 + SF(s))`, where `ST(s)` is the similarity of the
    /// link to its home page with FSS and `SF(s)` the number of deep sites that link to it.
    pub fn rank_site(&self, link: &FrontierLink, frequency: u16) -> f32 {
        let similarity = self.sites.similarity(&link.url, &link.context);
        ALPHA * similarity + (1.0 - ALPHA) * f32::from(frequency).ln_1p()
    }

    /// Rank of a link inside a site: its similarity with FSL (equation 8).
    pub fn rank_link(&self, link: &FrontierLink) -> f32 {
        self.links.similarity(&link.url, &link.context)
    }

    /// Counts new searchable forms of a page; `link` is the link to the page inside its site.
    pub fn add_forms(&mut self, forms: u32, link: Option<&FrontierLink>) {
        self.new_forms += forms;
        if let Some(link) = link {
            self.links.add(&link.url, &link.context);
        }
    }

    /// Counts a site with its first searchable form.
    pub fn count_deep_site(&mut self) {
        self.new_deep_sites += 1;
    }

    /// Adds a site with its first relevant form; `home` is the link to its home page.
    pub fn add_relevant_site(&mut self, home: &FrontierLink) {
        self.sites.add(&home.url, &home.context);
    }

    /// Adds seed URLs and pages known to hold relevant forms, before a crawl.
    pub fn add_examples(&mut self, seeds: &[Url], pages: &[Url]) {
        let no_context = LinkContext::default();
        seeds.iter().chain(pages).filter_map(|url| url.join("/").ok()).for_each(|home| {
            self.sites.add(&home, &no_context);
        });
        pages.iter().for_each(|page| self.links.add(page, &no_context));
    }

    /// Replaces the examples by those of an earlier crawl.
    pub fn load_earlier(&mut self, earlier: AdaptiveLearner) {
        self.sites = earlier.sites;
        self.links = earlier.links;
    }

    /// True if a learning iteration is due.
    pub fn is_due(&self) -> bool {
        self.new_deep_sites >= LEARN_AFTER_SITES || self.new_forms >= LEARN_AFTER_FORMS
    }

    /// Runs a learning iteration. Rescores waiting links only if the selected stems changed.
    pub fn learn(&mut self) -> Vec<StrategyCommand> {
        self.iteration += 1;
        (self.new_deep_sites, self.new_forms) = (0, 0);
        let changed = self.sites.select() | self.links.select();
        let mut commands = self.lessons();
        commands.extend(changed.then_some(StrategyCommand::RescoreHeads));
        commands
    }

    /// Starts the rankers with the examples from before the crawl.
    pub fn start(&mut self) -> Vec<StrategyCommand> {
        self.sites.select();
        self.links.select();
        if self.sites.examples() + self.links.examples() > 0 { self.lessons() } else { Vec::new() }
    }

    /// Rebuilds the vectors, which are not saved.
    pub fn rebuild_vectors(&mut self) {
        self.sites.rebuild_vectors();
        self.links.rebuild_vectors();
    }

    /// Learning iterations so far.
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
        FrontierLink { context, ..FrontierLink::root(Url::parse(url).unwrap(), LinkOrigin::AddedPage) }
    }

    #[test]
    fn the_rank_of_a_site_combines_similarity_and_frequency() {
        let mut learner = AdaptiveLearner::default();
        let shop = link("http://book.com/", "shop");
        assert_eq!(learner.rank_site(&shop, 0), 0.0);
        assert_eq!(learner.rank_site(&shop, 7), 0.5 * 8f32.ln());
        learner.add_relevant_site(&shop);
        learner.learn();
        let similarity = 2.0;
        assert!((learner.rank_site(&shop, 7) - 0.5 * (similarity + 8f32.ln())).abs() < 1e-6);
    }

    #[test]
    fn fifty_deep_sites_or_a_hundred_forms_make_learning_due() {
        let mut by_sites = AdaptiveLearner::default();
        (0..49).for_each(|_| by_sites.count_deep_site());
        assert!(!by_sites.is_due());
        by_sites.count_deep_site();
        assert!(by_sites.is_due());
        let mut by_forms = AdaptiveLearner::default();
        by_forms.add_forms(99, None);
        assert!(!by_forms.is_due());
        by_forms.add_forms(1, None);
        assert!(by_forms.is_due());
        by_forms.learn();
        assert!(!by_forms.is_due());
    }

    #[test]
    fn links_are_ranked_by_similarity_to_links_to_forms() {
        let mut learner = AdaptiveLearner::default();
        learner.add_forms(1, Some(&link("http://a.org/catalogue/search.html", "find a book")));
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
        assert!(!learner.learn().contains(&StrategyCommand::RescoreHeads), "the selection did not change");
    }
}
