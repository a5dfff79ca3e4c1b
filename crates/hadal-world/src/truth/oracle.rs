//! Visits of an oracle that knows where the forms of a site are. They bound what a crawl can achieve.

use crate::form::plan::{FormScope, PlannedForm};
use crate::lexicon::TOPICS;
use crate::site::Site;
use crate::site::tree::PageTree;
use crate::world::World;
use hadal_core::critic::FormKind;
use std::collections::BTreeSet;

/// Visit to a site that finds all of its relevant forms with few requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleVisit {
    /// Registrable domain of the site.
    pub site: String,
    /// Number of new relevant forms on each visited page, in order of the visit. The first page is the home page.
    pub steps: Vec<u32>,
}

impl World {
    /// Visits to all sites with relevant forms of a topic. A visit is greedy: it goes next to the page with
    /// the most new forms per request, where the requests include the pages on the way.
    pub fn shortest_visits(&self, topic: &str) -> Vec<OracleVisit> {
        let Some(subject) = TOPICS.iter().position(|name| *name == topic) else { return Vec::new() };
        self.deep_sites().filter_map(|site| visit(&site, subject as u8)).collect()
    }
}

fn visit(site: &Site<'_>, subject: u8) -> Option<OracleVisit> {
    let wanted = |form: &&PlannedForm| form.kind == FormKind::Search && form.subject == Some(subject);
    let mut left: Vec<FormScope> = site.forms.iter().filter(wanted).map(|form| form.scope).collect();
    if left.is_empty() {
        return None;
    }
    let mut plan = VisitPlan { tree: site.tree, seen: BTreeSet::new(), steps: Vec::new() };
    plan.go_to(0, &mut left);
    while let Some(next) = plan.best(&left) {
        plan.go_to(next, &mut left);
    }
    Some(OracleVisit { site: site.domain.clone(), steps: plan.steps })
}

/// Visit under construction.
struct VisitPlan {
    tree: PageTree,
    seen: BTreeSet<u32>,
    steps: Vec<u32>,
}

impl VisitPlan {
    /// Unvisited pages on the path to a page, the page last.
    fn path_to(&self, page: u32) -> Vec<u32> {
        let mut path: Vec<u32> = std::iter::once(page)
            .chain(self.tree.ancestors(page))
            .filter(|page| !self.seen.contains(page))
            .collect();
        path.reverse();
        path
    }

    /// Visits a page and removes the forms on the path from `left`.
    fn go_to(&mut self, page: u32, left: &mut Vec<FormScope>) {
        for page in self.path_to(page) {
            let before = left.len();
            left.retain(|form| !form.covers(self.tree, page));
            self.steps.push((before - left.len()) as u32);
            self.seen.insert(page);
        }
    }

    /// Page with the most new forms per request.
    fn best(&self, left: &[FormScope]) -> Option<u32> {
        let pages = left.iter().filter_map(|form| match *form {
            FormScope::Around(page) | FormScope::Only(page) => Some(page),
            FormScope::Everywhere | FormScope::Utility | FormScope::Inside(_) => None,
        });
        let value = |page: u32| {
            let path = self.path_to(page);
            let gain =
                left.iter().filter(|form| path.iter().any(|page| form.covers(self.tree, *page))).count();
            gain as f64 / path.len().max(1) as f64
        };
        pages
            .map(|page| (value(page), page))
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
    fn visits_find_every_relevant_form_once() {
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
    fn a_visit_shares_paths_and_goes_to_rich_pages_first() {
        let tree = PageTree { pages: 100, sections: 3, branching: 3 };
        // Pages 4, 5 and 6 are children of page 1; page 7 is a child of page 2.
        let mut left = vec![
            FormScope::Only(7),
            FormScope::Only(4),
            FormScope::Only(5),
            FormScope::Around(1),
            FormScope::Only(4),
        ];
        let mut plan = VisitPlan { tree, seen: BTreeSet::new(), steps: Vec::new() };
        plan.go_to(0, &mut left);
        while let Some(next) = plan.best(&left) {
            plan.go_to(next, &mut left);
        }
        assert_eq!(plan.steps, [0, 1, 2, 1, 0, 1]);
    }
}
