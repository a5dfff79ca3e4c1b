//! What a simulated web is like: how large, how hostile, how helpful to those who learn from it.

use crate::random::SeededRng;

/// Everything a world is made from. Two worlds with equal specs are equal to the last byte.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Where all choices come from.
    pub seed: u64,
    /// How many sites.
    pub sites: u32,
    /// Mean number of pages of a site; single sites differ by orders of magnitude.
    pub mean_pages: u32,
    /// The largest site.
    pub max_pages: u32,
    /// Share of sites about one of the twelve topics; the rest is about other things.
    pub topic_share: f64,
    /// Multiplies the share of sites that hold databases: 1 is the density of real crawls.
    pub deep_site_factor: f64,
    /// Share of a site's chosen neighbours that are about its own subject.
    pub same_subject_share: f64,
    /// Mean number of off-site links on a page, between 1 and 3.
    pub off_site_links: f64,
    /// Share of directories among sites, where there are any.
    pub hub_share: f64,
    /// Multiplies how often links say what they lead to.
    pub topic_word_factor: f64,
    /// Whether directories exist that list many sites of a topic.
    pub hubs: Hubs,
    /// Whether links of one kind stand in the same place of a site's pages.
    pub tag_paths: TagPaths,
    /// Whether anchors say what they lead to.
    pub anchors: Anchors,
    /// How the programs behind forms behave.
    pub back_ends: BackEnds,
    /// How often things go wrong.
    pub rates: Rates,
}

/// Directories of sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hubs {
    /// A few sites per topic list many others.
    Present,
    /// Nobody lists anything.
    Absent,
}

/// Where links stand in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagPaths {
    /// Each site keeps to its template.
    Regular,
    /// Class names change from page to page.
    Random,
}

/// What links are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchors {
    /// After what they lead to, often enough to learn from.
    Informative,
    /// "Click here", "more", a number.
    Uninformative,
}

/// The programs behind forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackEnds {
    /// Every search lists what it finds or says that it found nothing, and what looks like a search
    /// is one.
    Plain,
    /// They echo, redirect, suggest and refuse, and some forms only look like searches.
    Varied,
}

/// Shares of all sites, between 0 and 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// Never answer.
    pub dead: f64,
    /// SiteResponse after many seconds.
    pub slow: f64,
    /// Fail now and then; a later try may succeed.
    pub flaky: f64,
    /// Have moved to another site, or send visitors in circles.
    pub redirecting: f64,
    /// SiteResponse 200 for pages that do not exist.
    pub soft_404: f64,
    /// Hold an endless space: calendar, session ids, endless next, growing paths.
    pub traps: f64,
    /// Have a robots.txt.
    pub robots: f64,
    /// SubmittedForm in their robots.txt to be visited slowly.
    pub crawl_delay: f64,
    /// Have a sitemap.xml.
    pub sitemap: f64,
    /// Keep a part of themselves on a second host.
    pub second_host: f64,
    /// Have a search box for the site itself on every page.
    pub site_search: f64,
}

impl Rates {
    /// What a crawler meets out there.
    pub fn usual() -> Rates {
        Rates {
            dead: 0.04,
            slow: 0.03,
            flaky: 0.03,
            redirecting: 0.03,
            soft_404: 0.07,
            traps: 0.08,
            robots: 0.6,
            crawl_delay: 0.1,
            sitemap: 0.3,
            second_host: 0.1,
            site_search: 0.18,
        }
    }

    /// A friendly web: every page answers at once, every space ends.
    pub fn calm() -> Rates {
        let (dead, slow, flaky, redirecting) = (0.0, 0.0, 0.0, 0.0);
        Rates { dead, slow, flaky, redirecting, traps: 0.0, crawl_delay: 0.0, ..Rates::usual() }
    }
}

impl Spec {
    /// 2,000 sites and over a million pages, rich enough in databases for a first look.
    pub fn demo(seed: u64) -> Spec {
        let rates = Rates { site_search: 0.5, ..Rates::usual() };
        Spec { sites: 2_000, mean_pages: 520, deep_site_factor: 8.0, rates, ..Spec::evaluation(seed) }
    }

    /// The scale strategies are compared at: 800,000 sites and over 80 million pages.
    pub fn evaluation(seed: u64) -> Spec {
        Spec {
            seed,
            sites: 800_000,
            mean_pages: 120,
            max_pages: 100_000,
            topic_share: 0.75,
            deep_site_factor: 1.0,
            same_subject_share: 0.65,
            off_site_links: 1.1,
            hub_share: 0.02,
            topic_word_factor: 1.0,
            hubs: Hubs::Present,
            tag_paths: TagPaths::Regular,
            anchors: Anchors::Informative,
            back_ends: BackEnds::Varied,
            rates: Rates::usual(),
        }
    }

    /// A web like the evaluation's in other proportions: richer or poorer, closer knit or looser, with more
    /// or fewer directories, plainer or more telling links, larger or smaller sites.
    pub fn varied(seed: u64) -> Spec {
        let mut rng = SeededRng::new(seed, 130);
        let mut times = |most: f64| most.powf(2.0 * rng.unit() - 1.0);
        let usual = Spec::evaluation(seed);
        let rates = &usual.rates;
        Spec {
            deep_site_factor: times(2.0),
            same_subject_share: usual.same_subject_share * times(1.25),
            off_site_links: (usual.off_site_links * times(1.5)).max(1.0),
            hub_share: usual.hub_share * times(2.5),
            topic_word_factor: times(1.35),
            mean_pages: (f64::from(usual.mean_pages) * times(1.4)) as u32,
            rates: Rates {
                dead: rates.dead * times(2.0),
                slow: rates.slow * times(2.0),
                flaky: rates.flaky * times(2.0),
                redirecting: rates.redirecting * times(2.0),
                soft_404: rates.soft_404 * times(1.5),
                traps: rates.traps * times(2.0),
                site_search: rates.site_search * times(1.5),
                ..rates.clone()
            },
            ..usual
        }
    }

    /// About 60 calm sites that a test crawls to exhaustion in a moment.
    pub fn tiny(seed: u64) -> Spec {
        Spec {
            sites: 60,
            mean_pages: 40,
            max_pages: 150,
            deep_site_factor: 4.0,
            back_ends: BackEnds::Plain,
            rates: Rates::calm(),
            ..Spec::evaluation(seed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varied_webs_stay_within_sensible_ranges() {
        for seed in 0..200 {
            let spec = Spec::varied(seed);
            assert!((0.5..=2.0).contains(&spec.deep_site_factor));
            assert!((0.5..0.85).contains(&spec.same_subject_share));
            assert!((1.0..=2.0).contains(&spec.off_site_links));
            assert!(u64::from(spec.mean_pages) * u64::from(spec.sites) > 20_000_000);
        }
        assert_ne!(Spec::varied(1).deep_site_factor, Spec::varied(2).deep_site_factor);
    }
}
