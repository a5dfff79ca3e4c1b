//! What is kept in memory per site; everything else about it is derived from its seed.

use crate::site::tree::PageTree;

/// One site, small enough to hold millions.
#[derive(Clone, Debug)]
pub(crate) struct SiteProfile {
    /// Where the site's choices come from.
    pub(crate) seed: u64,
    /// Pages of its tree.
    pub(crate) pages: u32,
    /// Children of the home page.
    pub(crate) sections: u8,
    /// Children of other pages.
    pub(crate) branching: u8,
    /// Index of the subject it is about.
    pub(crate) subject: u8,
    /// Attempts needed for a host name nobody else has.
    pub(crate) name: u8,
    /// What sort of site it is.
    pub(crate) role: SiteRole,
    /// How it answers.
    pub(crate) health: Health,
    /// Its endless space.
    pub(crate) trap: Option<Trap>,
    /// Whether it holds databases.
    pub(crate) deep: bool,
    /// Whether missing pages answer 200.
    pub(crate) soft_404: bool,
    /// Whether it has a robots.txt.
    pub(crate) robots: bool,
    /// Whether it has a sitemap.xml.
    pub(crate) sitemap: bool,
    /// Whether its first section lives on a host of its own.
    pub(crate) second_host: bool,
    /// Whether every page has a search box for the site.
    pub(crate) site_search: bool,
}

/// What sort of site it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SiteRole {
    /// The kind that seeds are taken from, as book shops among book sites.
    Seeded,
    /// The kind that holds most databases, as libraries among book sites.
    Major,
    /// Writes about the subject.
    Content,
    /// Lists other sites.
    Directory,
}

/// How a site answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// Well.
    Fine,
    /// Never.
    Dead,
    /// After many seconds.
    Slow,
    /// Most of the time.
    Flaky,
    /// With the address of another site.
    Moved(u32),
    /// With a circle of redirects.
    Looping,
}

/// An endless space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trap {
    /// Every month has a next month.
    Calendar,
    /// Every archive page has a next page.
    EndlessNext,
    /// Every visit hands out a new session id, in every link.
    Sessions,
    /// A relative link that forgets where it stands.
    GrowingPath,
}

impl SiteProfile {
    /// The shape of the site.
    pub(crate) fn tree(&self) -> PageTree {
        let (sections, branching) = (u32::from(self.sections), u32::from(self.branching));
        PageTree { pages: self.pages, sections, branching }
    }

    /// Whether pages can be had from it at all.
    pub(crate) fn answers(&self) -> bool {
        matches!(self.health, Health::Fine | Health::Slow | Health::Flaky)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_site_costs_less_than_200_bytes() {
        assert!(size_of::<super::SiteProfile>() <= 40);
    }
}
