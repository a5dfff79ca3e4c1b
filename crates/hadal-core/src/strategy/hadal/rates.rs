//! Rate of new relevant forms of links and sites: the fixed prior plus the learned part.
//!
//! Pure arithmetic on [`LinkDescription`]s, so that a crawl and the search for weights use the same code. Formulas and
//! symbols are those of the [module documentation](super).

use super::features;
use super::prior::{LinkTraits, PriorWeights, site_facts, weighted};
use crate::address::Site;
use crate::learn::rate::{HashedFeature, OnlinePoisson};
use crate::link::FrontierLink;
use crate::strategy::SiteCounters;
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::hash::Hasher;

/// log2 of the number of weights. Guess.
const WEIGHT_BITS: u8 = 16;
/// log2 of the number of cells that count mentions of sites. Guess.
const SITE_BITS: u32 = 14;

/// Number of a site in the tables of mentions and failures. Different sites may share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SiteCell(usize);

impl SiteCell {
    /// Cell of a site.
    pub fn of(site: &Site) -> SiteCell {
        let mut hasher = FxHasher::default();
        hasher.write(site.0.as_bytes());
        SiteCell((hasher.finish() >> (64 - SITE_BITS)) as usize)
    }
}

/// A link as the rates see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkDescription {
    /// Properties that the prior reads.
    pub traits: LinkTraits,
    /// Hashed features of the learned part, without those of the site.
    pub features: Vec<HashedFeature>,
    /// Site of the target.
    pub site: SiteCell,
}

impl LinkDescription {
    /// Describes a link.
    pub fn of(link: &FrontierLink) -> LinkDescription {
        LinkDescription {
            traits: LinkTraits::of(link),
            features: features::of_link(link),
            site: SiteCell::of(&link.site()),
        }
    }

    /// The same link on a page, reached by another way.
    pub fn reached(&self, depth: u16, site_depth: u16, parent_has_form: bool) -> LinkDescription {
        let mut link = self.clone();
        link.traits = LinkTraits { depth, site_depth, parent_has_form, ..link.traits };
        features::set_path_features(&mut link.features, link.traits.is_outward, site_depth, parent_has_form);
        link
    }

    /// Link to the target of a redirect from this link.
    pub fn redirected(&self) -> LinkDescription {
        LinkDescription { traits: LinkTraits { is_redirect: true, ..self.traits }, ..self.clone() }
    }
}

/// A visit, as the rates see it.
pub struct RatedVisit<'a> {
    /// Link that was visited.
    pub link: &'a LinkDescription,
    /// Links that led to it, nearest first.
    pub path: &'a [LinkDescription],
    /// Counters of the site before the visit.
    pub site_before: &'a SiteCounters,
    /// Counters of the site after the visit.
    pub site: &'a SiteCounters,
    /// Events `R` of the visit.
    pub events: f32,
}

/// Rates of links and sites.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinkRates {
    /// The learned part.
    pub model: OnlinePoisson,
    /// Links from sites with relevant forms, by site.
    mentions: Vec<u8>,
    /// Visits without a page, by site.
    failures: Vec<u8>,
    /// Weights of the prior. Not saved: a run that resumes uses the shipped ones.
    #[serde(skip)]
    weights: PriorWeights,
}

impl LinkRates {
    /// Rates that have learned nothing.
    pub fn new(weights: PriorWeights) -> LinkRates {
        LinkRates {
            model: OnlinePoisson::new(WEIGHT_BITS, weights.step),
            mentions: vec![0; 1 << SITE_BITS],
            failures: vec![0; 1 << SITE_BITS],
            weights,
        }
    }

    /// Prior of a link, `a·d(l)`.
    pub fn link_prior(&self, link: &LinkDescription, site: &SiteCounters) -> f32 {
        weighted(&self.weights.link, &link.traits.facts(self.mentions_if_new(link.site, site)))
    }

    /// Learned part of a link's score, `w·x(l, s)`.
    pub fn learned(&self, link: &LinkDescription, site: &SiteCounters) -> f32 {
        self.model.log_rate(&self.link_row(link, site))
    }

    /// Score of a link without the bonus of its site.
    pub fn score(&self, link: &LinkDescription, site: &SiteCounters) -> f32 {
        self.link_prior(link, site) + self.learned(link, site)
    }

    /// Mentions of a site without visits; 0 for other sites.
    fn mentions_if_new(&self, cell: SiteCell, site: &SiteCounters) -> u8 {
        if site.pages == 0 { self.mentions[cell.0] } else { 0 }
    }

    /// `x(l, s)` of the module documentation.
    fn link_row(&self, link: &LinkDescription, site: &SiteCounters) -> Vec<HashedFeature> {
        let mut row = link.features.clone();
        if site.pages == 0 {
            row.extend(features::of_mentions(self.mentions[link.site.0]));
        }
        row
    }

    /// Counts a link from a site with relevant forms to another site.
    pub fn count_citation(&mut self, site: SiteCell) {
        let count = &mut self.mentions[site.0];
        *count = count.saturating_add(1);
    }

    /// Learns from a visit. Returns the events discounted over the whole path.
    pub fn learn(&mut self, visit: &RatedVisit<'_>) -> f32 {
        let site_row = match visit.site_before.pages {
            0 => Vec::new(),
            _ => features::of_site(visit.site_before),
        };
        let mut row = self.link_row(visit.link, visit.site_before);
        row.extend(&site_row);
        let failures = self.failures[visit.link.site.0];
        let offset = self.link_prior(visit.link, visit.site_before)
            + weighted(&self.weights.site, &site_facts(visit.site_before, failures));
        self.model.add_trial(&row, offset);
        self.model.add_events(&row, visit.events);
        self.reward_path(visit, &site_row)
    }

    /// Credits delayed events to the links before the visited one.
    fn reward_path(&mut self, visit: &RatedVisit<'_>, site_row: &[HashedFeature]) -> f32 {
        let mut discounted = visit.events;
        for earlier in visit.path {
            discounted *= self.weights.discount;
            let mut row = earlier.features.clone();
            if earlier.site == visit.link.site {
                row.extend(site_row);
            }
            self.model.add_events(&row, discounted);
        }
        discounted
    }

    /// Bonus of a site after a visit. A site that was never reached costs a robots.txt first.
    pub fn bonus(&mut self, visit: &RatedVisit<'_>) -> f32 {
        let failures = &mut self.failures[visit.link.site.0];
        *failures = failures.saturating_add(u8::from(visit.site.pages == visit.site_before.pages));
        let prior = weighted(&self.weights.site, &site_facts(visit.site, *failures));
        if visit.site.pages == 0 {
            return prior;
        }
        prior + self.weights.open_site + self.model.log_rate(&features::of_site(visit.site))
    }
}
