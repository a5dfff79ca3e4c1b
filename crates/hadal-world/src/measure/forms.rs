//! Measurements of forms: number, kind, depth, and number of relevant forms per topic.

use super::{DENSITY, Measurement, share};
use crate::form::plan::{FormScope, PlannedForm};
use crate::lexicon::{TOPIC_COUNT, TOPICS};
use crate::site::Site;
use crate::world::World;
use hadal_core::critic::FormKind;

/// Counts over all sites. "Shallow" means within depth 3; an interface is a search form of a database.
#[derive(Default)]
struct FormCounts {
    forms: f64,
    searchable: f64,
    deep_sites: f64,
    shallow_sites: f64,
    databases: f64,
    shallow_databases: f64,
    interfaces: f64,
    shallow_interfaces: f64,
}

/// Measures the forms of all sites that answer, and the distribution of site sizes.
pub(super) fn measure(world: &World) -> Vec<Measurement> {
    let mut counts = FormCounts::default();
    let mut sizes = Vec::new();
    for index in 0..world.site_count() as u32 {
        let site = world.site(index);
        sizes.push(site.tree.pages);
        if site.profile.answers() {
            counts.add(&site);
        }
    }
    let mut figures = counts.figures();
    figures.push(Measurement::new(
        "pages in the largest tenth of sites",
        "heavy tail",
        tail(sizes),
        0.4,
        0.95,
    ));
    figures
}

/// Share of all pages that are on the largest tenth of sites.
fn tail(mut sizes: Vec<u32>) -> f64 {
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let sum = |part: &[u32]| part.iter().map(|&size| f64::from(size)).sum::<f64>();
    share(sum(&sizes[..sizes.len() / 10]), sum(&sizes))
}

/// Depth of the first page with a form.
fn depth(site: &Site<'_>, form: &PlannedForm) -> u32 {
    match form.scope {
        FormScope::Everywhere => 0,
        FormScope::Utility => 1,
        FormScope::Inside(_) => 2,
        FormScope::Around(page) | FormScope::Only(page) => site.tree.depth(page),
    }
}

impl FormCounts {
    fn add(&mut self, site: &Site<'_>) {
        self.forms += site.forms.len() as f64;
        let searches = site.forms.iter().filter(|form| form.kind == FormKind::Search);
        self.searchable += searches.count() as f64;
        self.add_databases(site);
    }

    fn add_databases(&mut self, site: &Site<'_>) {
        let mut nearest: [Option<u32>; 8] = [None; 8];
        for form in site.forms.iter().filter(|form| form.database > 0) {
            let depth = depth(site, form);
            self.interfaces += 1.0;
            self.shallow_interfaces += f64::from(u8::from(depth <= 3));
            let known = &mut nearest[usize::from(form.database) % 8];
            *known = Some(known.map_or(depth, |known| known.min(depth)));
        }
        let depths: Vec<u32> = nearest.into_iter().flatten().collect();
        let shallow = depths.iter().filter(|depth| **depth <= 3).count();
        self.databases += depths.len() as f64;
        self.shallow_databases += shallow as f64;
        self.deep_sites += f64::from(u8::from(!depths.is_empty()));
        self.shallow_sites += f64::from(u8::from(shallow > 0));
    }

    fn figures(&self) -> Vec<Measurement> {
        let new = Measurement::new;
        vec![
            new("interfaces per deep site", "4.2", share(self.interfaces, self.deep_sites), 3.8, 4.6),
            new(
                "databases within depth 3",
                "0.94",
                share(self.shallow_databases, self.databases),
                0.91,
                0.97,
            ),
            new(
                "interfaces within depth 3",
                "0.72",
                share(self.shallow_interfaces, self.interfaces),
                0.67,
                0.77,
            ),
            new(
                "deep sites within depth 3",
                "about 0.92",
                share(self.shallow_sites, self.deep_sites),
                0.89,
                0.95,
            ),
            new("searchable share of forms", "about 1/3", share(self.searchable, self.forms), 0.28, 0.38),
        ]
    }
}

/// Number of pages of the longest crawl that must not run out of relevant forms. Guess.
const LONGEST_CRAWL: f64 = 100_000.0;

/// Measures the number of relevant forms per topic, in multiples of what a crawl of [`LONGEST_CRAWL`] pages
/// finds at the published density.
pub(super) fn measure_supply(world: &World) -> Vec<Measurement> {
    let mut forms = [0.0; TOPIC_COUNT];
    for site in world.deep_sites() {
        for form in site.forms.iter().filter(|form| form.kind == FormKind::Search) {
            if let Some(count) = form.subject.and_then(|subject| forms.get_mut(usize::from(subject))) {
                *count += 1.0;
            }
        }
    }
    let figure = |topic: usize| {
        let name = format!("relevant forms over those in 100,000 pages, {}", TOPICS[topic]);
        let found = DENSITY[topic] / 100.0 * LONGEST_CRAWL;
        Measurement::new(&name, "at least 15", forms[topic] / found, 15.0, 1000.0)
    };
    (0..TOPIC_COUNT).map(figure).collect()
}
