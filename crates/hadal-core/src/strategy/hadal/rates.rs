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
use url::Url;

/// log2 of the number of weights. With their squared gradients they take 512 KB. Guess.
const WEIGHT_BITS: u8 = 16;
/// log2 of the number of cells that count mentions and failures of sites, one byte each. Guess.
const SITE_BITS: u32 = 14;
/// log2 of the number of folders in [`FolderVisits`]. Guess.
const FOLDER_BITS: u32 = 14;
/// Usual share of failed visits. In 24 crawls of real pages 6 % of the visits failed.
const USUAL_FAILURES: f32 = 0.06;
/// Weight of [`USUAL_FAILURES`] in the estimate of a site, in visits. Chosen by hand to fit the share of failed visits
/// after 0 to 4 earlier failures.
const SITE_PRIOR_VISITS: f32 = 2.0;
/// Weight of the estimate of a site in that of a folder, in visits. Chosen by hand in the same way.
const FOLDER_PRIOR_VISITS: f32 = 0.2;

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

/// Number of a folder of a host in [`FolderVisits`]. Different folders may share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderCell(u16);

impl FolderCell {
    /// Cell of the folder of a URL: host and path without the last segment. A URL with a query belongs to its program,
    /// so the whole path counts.
    pub fn of(url: &Url) -> FolderCell {
        let path = url.path();
        let folder = match url.query() {
            None => path.rsplit_once('/').map_or("", |(folder, _)| folder),
            Some(_) => path,
        };
        let mut hasher = FxHasher::default();
        hasher.write(url.host_str().unwrap_or_default().as_bytes());
        hasher.write(folder.as_bytes());
        FolderCell((hasher.finish() >> (64 - FOLDER_BITS)) as u16)
    }
}

/// Visits by folder. Pages of one folder often disappear together.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FolderVisits {
    /// Visits with and without a page, by cell. Empty before the first visit.
    counts: Vec<[u8; 2]>,
}

impl FolderVisits {
    fn count(&mut self, folder: FolderCell, has_page: bool) {
        self.counts.resize(1 << FOLDER_BITS, [0; 2]);
        let count = &mut self.counts[usize::from(folder.0)][usize::from(!has_page)];
        *count = count.saturating_add(1);
    }

    /// `h(l) = ln (1 - f) - ln (1 - p)`: change of the log rate of a link by the failures in its folder.
    ///
    /// `p = (F + 2 · 0.06) / (F + P + 2)` is the probability that a visit of the site fails, after `F` visits without
    /// and `P` with a page, and `f = (F' + 0.2 p) / (F' + P' + 0.2)` the same for the folder. In 24 crawls of real
    /// pages 6 % of the visits failed, 92 % of those to a folder with one failure and no page, and 14 % of those to a
    /// folder with one failure and three or more pages.
    fn log_success_ratio(&self, folder: FolderCell, site_failures: u8, site_pages: u32) -> f32 {
        let [pages, failures] = self.counts.get(usize::from(folder.0)).copied().unwrap_or_default();
        if failures == 0 {
            return 0.0;
        }
        let (pages, failures, of_site) = (f32::from(pages), f32::from(failures), f32::from(site_failures));
        let of_site = (of_site + SITE_PRIOR_VISITS * USUAL_FAILURES)
            / (of_site + site_pages as f32 + SITE_PRIOR_VISITS);
        let of_folder = (failures + FOLDER_PRIOR_VISITS * of_site) / (failures + pages + FOLDER_PRIOR_VISITS);
        ((1.0 - of_folder) / (1.0 - of_site)).ln().min(0.0)
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
    /// Folder of the target.
    pub folder: FolderCell,
}

impl LinkDescription {
    /// Describes a link.
    pub fn of(link: &FrontierLink) -> LinkDescription {
        LinkDescription {
            traits: LinkTraits::of(link),
            features: features::of_link(link),
            site: SiteCell::of(&link.site()),
            folder: FolderCell::of(&link.url),
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
    /// Visits by folder. Saved beside the rates, so that states of earlier versions can be read.
    #[serde(skip)]
    pub folders: FolderVisits,
    /// Weights of the prior. Not saved: a run that resumes uses the shipped ones.
    #[serde(skip)]
    weights: PriorWeights,
}

impl LinkRates {
    /// Rates that have learned nothing.
    pub fn new(weights: PriorWeights) -> LinkRates {
        LinkRates {
            model: OnlinePoisson::new(WEIGHT_BITS, weights.first_step),
            mentions: vec![0; 1 << SITE_BITS],
            failures: vec![0; 1 << SITE_BITS],
            folders: FolderVisits::default(),
            weights,
        }
    }

    /// `a·d(l) + h(l)` of the module documentation.
    pub fn link_prior(&self, link: &LinkDescription, site: &SiteCounters) -> f32 {
        let facts = link.traits.facts(self.mentions_if_new(link.site, site));
        let failures = self.failures[link.site.0];
        weighted(&self.weights.link, &facts)
            + self.folders.log_success_ratio(link.folder, failures, site.pages)
    }

    /// Learned part of a link's score, `w·x(l, s)`.
    pub fn learned(&self, link: &LinkDescription, site: &SiteCounters) -> f32 {
        self.model.log_rate(&self.link_row(link, site))
    }

    /// Adapts the step size of the model to the number of events so far. With few events, the features of one link
    /// cannot be told apart, and a large step would favour whatever resembles it.
    pub fn set_events(&mut self, events: f32) {
        self.model.set_step(self.weights.step_after(events));
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

    /// Counts a mention: a link from a site with relevant forms to another site.
    pub fn count_mention(&mut self, site: SiteCell) {
        let count = &mut self.mentions[site.0];
        *count = count.saturating_add(1);
    }

    /// Learns from a visit and counts it. Returns the events discounted over the whole path.
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
        self.count_visit(visit);
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

    /// Counts a visit with or without a page, by site and folder.
    fn count_visit(&mut self, visit: &RatedVisit<'_>) {
        let has_page = visit.site.pages > visit.site_before.pages;
        self.folders.count(visit.link.folder, has_page);
        let failures = &mut self.failures[visit.link.site.0];
        *failures = failures.saturating_add(u8::from(!has_page));
    }

    /// `bonus(s)` of the module documentation. A site without a fetched page has no advantage `o`: its robots.txt may
    /// still have to be fetched.
    pub fn site_bonus(&self, cell: SiteCell, site: &SiteCounters) -> f32 {
        let prior = weighted(&self.weights.site, &site_facts(site, self.failures[cell.0]));
        if site.pages == 0 {
            return prior;
        }
        prior + self.weights.open_site + self.model.log_rate(&features::of_site(site))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(visits: &FolderVisits, address: &str) -> f32 {
        visits.log_success_ratio(FolderCell::of(&Url::parse(address).unwrap()), 1, 10)
    }

    #[test]
    fn failures_count_against_their_folder_and_pages_outweigh_them() {
        let mut visits = FolderVisits::default();
        let folder = |address: &str| FolderCell::of(&Url::parse(address).unwrap());
        visits.count(folder("http://a.org/old/1.html"), false);
        assert!(loss(&visits, "http://a.org/old/2.html") < -1.0);
        assert_eq!(loss(&visits, "http://a.org/new/2.html"), 0.0);
        assert_eq!(loss(&visits, "http://b.org/old/2.html"), 0.0);
        (0..9).for_each(|_| visits.count(folder("http://a.org/old/3.html"), true));
        assert!(loss(&visits, "http://a.org/old/2.html") > -0.1);
    }

    #[test]
    fn a_program_with_parameters_is_a_folder_of_its_own() {
        let cell = |address: &str| FolderCell::of(&Url::parse(address).unwrap());
        assert_eq!(cell("http://a.org/cgi/show?id=1"), cell("http://a.org/cgi/show?id=2"));
        assert_ne!(cell("http://a.org/cgi/show?id=1"), cell("http://a.org/cgi/list?id=1"));
    }
}
