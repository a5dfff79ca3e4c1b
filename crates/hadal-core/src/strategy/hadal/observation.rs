//! Visits as the strategy learns from them, in a form that several workers of a crawl exchange.
//!
//! A worker that learns from the observations of the others, besides its own visits, has the model of one worker that
//! made all visits, up to the order of updates.

use super::rates::{LinkDescription, RatedVisit, SiteCell};
use crate::address::Site;
use crate::link::LinkOrigin;
use crate::strategy::{PageVisit, SiteCounters};
use serde::{Deserialize, Serialize};

/// A visit, with all that the strategy learns from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Observation {
    link: LinkDescription,
    path: Vec<LinkDescription>,
    site_before: SiteCounters,
    site: SiteCounters,
    /// Events `R` of the visit.
    pub events: f32,
    /// Other sites that the page links to, if its own site has relevant forms.
    pub mentioned: Vec<SiteCell>,
    /// The page was found by a backlink look-up.
    pub is_backlink: bool,
    /// The path of the visit starts at a page that a backlink look-up found.
    pub follows_backlink: bool,
}

impl Observation {
    /// Observation of a visit.
    pub fn of(visit: &PageVisit<'_>) -> Observation {
        let is_backlink = |origin| origin == LinkOrigin::Backlink;
        Observation {
            link: LinkDescription::of(visit.link),
            path: visit.path.iter().map(LinkDescription::of).collect(),
            site_before: *visit.site_before,
            site: *visit.site,
            events: visit.reward * visit.verdict.p_topic,
            mentioned: mentioned(visit),
            is_backlink: is_backlink(visit.link.origin),
            follows_backlink: is_backlink(visit.path.last().unwrap_or(visit.link).origin),
        }
    }

    /// The visit as the rates see it.
    pub fn rated(&self) -> RatedVisit<'_> {
        RatedVisit {
            link: &self.link,
            path: &self.path,
            site_before: &self.site_before,
            site: &self.site,
            events: self.events,
        }
    }
}

fn mentioned(visit: &PageVisit<'_>) -> Vec<SiteCell> {
    let Some(page) = visit.page.filter(|_| visit.site.relevant > 0) else { return Vec::new() };
    let here = visit.link.site();
    let sites = page.links.iter().map(|link| Site::of(&link.url));
    sites.filter(|site| *site != here).map(|site| SiteCell::of(&site)).collect()
}

/// Observations of one worker since it last sent some.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Observations {
    pub visits: Vec<Observation>,
    /// Number of backlink look-ups.
    pub lookups: u64,
}
