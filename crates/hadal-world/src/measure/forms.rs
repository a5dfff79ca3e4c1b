//! Figures of sites and their forms: how many, what for, how deep.

use super::{Measurement, share};
use crate::form::plan::{FormScope, PlannedForm};
use crate::site::Site;
use crate::world::World;
use hadal_core::critic::FormKind;

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

/// Counts the forms of all sites that answer.
pub(super) fn measure(world: &World) -> Vec<Measurement> {
    let mut tally = FormCounts::default();
    let mut sizes = Vec::new();
    for index in 0..world.site_count() as u32 {
        let site = world.site(index);
        sizes.push(site.tree.pages);
        if site.profile.answers() {
            tally.add(&site);
        }
    }
    let mut figures = tally.figures();
    figures.push(Measurement::new(
        "pages in the largest tenth of sites",
        "heavy tail",
        tail(sizes),
        0.4,
        0.95,
    ));
    figures
}

fn tail(mut sizes: Vec<u32>) -> f64 {
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let sum = |part: &[u32]| part.iter().map(|&size| f64::from(size)).sum::<f64>();
    share(sum(&sizes[..sizes.len() / 10]), sum(&sizes))
}

/// Depth of the first page a form stands on.
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
