//! Data kept in memory per site. Everything else about a site is derived from it.

use super::tree::PageTree;

/// Compact description of a site, small enough for millions of sites.
#[derive(Clone, Debug)]
pub(crate) struct SiteProfile {
    /// Seed of everything that is generated for the site.
    pub(crate) seed: u64,
    /// Number of pages in the page tree.
    pub(crate) pages: u32,
    /// Number of children of the home page.
    pub(crate) sections: u8,
    /// Number of children of other pages.
    pub(crate) branching: u8,
    /// Index of the site's subject in the lexicon.
    pub(crate) subject: u8,
    /// Number of host names tried before an unused one was found.
    pub(crate) name_attempt: u8,
    pub(crate) role: SiteRole,
    pub(crate) health: Health,
    pub(crate) trap: Option<Trap>,
    /// True if the site has a database.
    pub(crate) deep: bool,
    /// True if missing pages are answered with status 200.
    pub(crate) soft_404: bool,
    /// True if the site has a robots.txt.
    pub(crate) robots: bool,
    /// True if the site has a sitemap.xml.
    pub(crate) sitemap: bool,
    /// True if the first section is on a host of its own.
    pub(crate) second_host: bool,
    /// True if every page has a search box for the site's own pages.
    pub(crate) site_search: bool,
}

/// Type of a site within its subject.
///
/// The deep sites of a subject are of two types with different vocabularies. Seeds come from one type only, and most
/// databases are on sites of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SiteRole {
    /// Type of site that seeds come from, such as book shops.
    Seeded,
    /// Type of site with most of the databases, such as libraries.
    Unseeded,
    /// Site with texts about the subject.
    Content,
    /// Site that lists many others.
    Hub,
}

/// Reliability of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// Answers every request.
    Fine,
    /// Answers no request.
    Dead,
    /// Answers after many seconds.
    Slow,
    /// Fails some requests.
    Flaky,
    /// Redirects every request to the site with this index.
    Moved(u32),
    /// Redirects every request in a loop.
    Looping,
}

/// Kind of crawler trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trap {
    /// Each month links to the next month.
    Calendar,
    /// Each archive page links to a next page.
    EndlessNext,
    /// Each response puts a new session id into all links.
    Sessions,
    /// A relative link makes the path one step longer on each page.
    GrowingPath,
}

impl SiteProfile {
    /// Shape of the site's page tree.
    pub(crate) fn tree(&self) -> PageTree {
        let (sections, branching) = (u32::from(self.sections), u32::from(self.branching));
        PageTree { pages: self.pages, sections, branching }
    }

    /// True if pages can be fetched from the site.
    pub(crate) fn answers(&self) -> bool {
        matches!(self.health, Health::Fine | Health::Slow | Health::Flaky)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_profile_takes_at_most_40_bytes() {
        assert!(size_of::<super::SiteProfile>() <= 40);
    }
}
