//! The best that a crawl could do in a site: what an oracle would visit, and what each page would give.

use crate::form::plan::{FormScope, PlannedForm};
use crate::lexicon::TOPICS;
use crate::site::Site;
use crate::site::tree::PageTree;
use crate::world::World;
use hadal_core::critic::FormKind;
use std::collections::BTreeSet;

/// The shortest visit to a site that takes all of its relevant forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleVisit {
    /// The registrable domain.
    pub site: String,
    /// New relevant forms at each page visited in order; the first page is the home page.
    pub steps: Vec<u32>,
}

impl World {
    /// A tour of every site with forms that a crawl for the topic looks for. In each the pages that give
    /// most forms per page come first, each after the pages that lead to it.
    pub fn shortest_visits(&self, topic: &str) -> Vec<OracleVisit> {
        let Some(subject) = TOPICS.iter().position(|name| *name == topic) else { return Vec::new() };
        self.deep_sites().filter_map(|site| tour(&site, subject as u8)).collect()
    }
}

fn tour(site: &Site<'_>, subject: u8) -> Option<OracleVisit> {
    let wanted = |form: &&PlannedForm| form.kind == FormKind::Search && form.subject == Some(subject);
    let mut left: Vec<FormScope> = site.forms.iter().filter(wanted).map(|form| form.scope).collect();
    if left.is_empty() {
        return None;
    }
    let mut walk = VisitPlan { tree: site.tree, seen: BTreeSet::new(), steps: Vec::new() };
    walk.to(0, &mut left);
    while let Some(next) = walk.best(&left) {
        walk.to(next, &mut left);
    }
    Some(OracleVisit { site: site.domain.clone(), steps: walk.steps })
}

/// A visit in progress.
struct VisitPlan {
    tree: PageTree,
    seen: BTreeSet<u32>,
    steps: Vec<u32>,
}

impl VisitPlan {
    /// Pages still to be visited on the way to a page, the page last.
    fn way(&self, page: u32) -> Vec<u32> {
        let mut way: Vec<u32> = std::iter::once(page)
            .chain(self.tree.ancestors(page))
            .filter(|page| !self.seen.contains(page))
            .collect();
        way.reverse();
        way
    }

    /// Goes to a page and takes the forms on the way.
    fn to(&mut self, page: u32, left: &mut Vec<FormScope>) {
        for page in self.way(page) {
            let before = left.len();
            left.retain(|form| !form.covers(self.tree, page));
            self.steps.push((before - left.len()) as u32);
            self.seen.insert(page);
        }
    }

    /// Where the most forms per page are to be had.
    fn best(&self, left: &[FormScope]) -> Option<u32> {
        let pages = left.iter().filter_map(|form| match *form {
            FormScope::Around(page) | FormScope::Only(page) => Some(page),
            FormScope::Everywhere | FormScope::Utility | FormScope::Inside(_) => None,
        });
        let worth = |page: u32| {
            let way = self.way(page);
            let gain =
                left.iter().filter(|form| way.iter().any(|page| form.covers(self.tree, *page))).count();
            gain as f64 / way.len().max(1) as f64
        };
        pages
            .map(|page| (worth(page), page))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
            .map(|best| best.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;
    use std::collections::BTreeMap;

    #[test]
    fn tours_take_every_relevant_form_once() {
        let world = World::new(Spec::demo(1));
        for topic in World::topics() {
            let mut forms: BTreeMap<String, u32> = BTreeMap::new();
            for form in world.relevant(topic) {
                *forms.entry(form.site).or_default() += 1;
            }
            let taken: BTreeMap<String, u32> = world
                .shortest_visits(topic)
                .into_iter()
                .map(|tour| (tour.site, tour.steps.iter().sum()))
                .collect();
            assert_eq!(taken, forms, "{topic}");
        }
        assert!(world.shortest_visits("gardening").is_empty());
    }

    #[test]
    fn a_tour_shares_ways_and_takes_rich_pages_first() {
        let tree = PageTree { pages: 100, sections: 3, branching: 3 };
        // 4, 5 and 6 stand under 1; 7 under 2.
        let mut left = vec![
            FormScope::Only(7),
            FormScope::Only(4),
            FormScope::Only(5),
            FormScope::Around(1),
            FormScope::Only(4),
        ];
        let mut walk = VisitPlan { tree, seen: BTreeSet::new(), steps: Vec::new() };
        walk.to(0, &mut left);
        while let Some(next) = walk.best(&left) {
            walk.to(next, &mut left);
        }
        assert_eq!(walk.steps, [0, 1, 2, 1, 0, 1]);
    }
}
