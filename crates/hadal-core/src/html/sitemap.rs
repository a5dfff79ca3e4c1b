//! Sitemaps: XML lists of a site's pages, and lists of such lists.

use crate::address::{MAX_URL_BYTES, Site, TrackingParams, normalise};
use crate::page::{Link, LinkContext};
use crate::text::concepts::{CONCEPTS, Concept};
use crate::text::words::each_part;
use quick_xml::XmlVersion;
use quick_xml::events::Event;
use quick_xml::reader::Reader;
use std::sync::LazyLock;
use url::Url;

/// Addresses that are read from one sitemap. The limit of the protocol.
const MAX_ADDRESSES: usize = 50_000;
/// Pages of a sitemap that become links. Guess.
const MAX_LINKS: usize = 300;
/// Tag path of the links, which no page has.
const TAG_PATH: &str = "sitemap";

static SEARCH: LazyLock<Vec<Concept>> =
    LazyLock::new(|| CONCEPTS.named(&["search", "find", "advanced", "browse", "library_catalogue"]));

/// Contents of a sitemap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// Pages of the site.
    pub pages: Vec<Url>,
    /// Sitemaps that an index lists.
    pub sitemaps: Vec<Url>,
}

/// Reads a sitemap, up to its first XML error. Addresses of other sites are left out, as the protocol demands.
pub fn sitemap(xml: &[u8], base: &Url) -> Sitemap {
    let text = String::from_utf8_lossy(xml);
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let (site, mut found) = (Site::of(base), Sitemap::default());
    let (mut address, mut is_index): (Option<String>, bool) = (None, false);
    // For each open element: true if it is an entry, which holds one address. Other elements hold those of pictures.
    let mut open: Vec<bool> = Vec::new();
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Eof => break,
            Event::Start(tag) => {
                let name = tag.local_name().into_inner();
                is_index |= name.eq_ignore_ascii_case("sitemapindex");
                let is_address = name.eq_ignore_ascii_case("loc") && open.last() == Some(&true);
                address = is_address.then(String::new);
                open.push(name.eq_ignore_ascii_case("url") || name.eq_ignore_ascii_case("sitemap"));
            }
            Event::Text(part) => add(&mut address, &part.xml_content(XmlVersion::Implicit1_0)),
            Event::CData(part) => add(&mut address, &part),
            Event::GeneralRef(name) if &*name == "amp" => add(&mut address, "&"),
            Event::End(_) => {
                open.pop();
                let url = address.take().and_then(|address| address_of(&address, base));
                let url = url.filter(|url| Site::of(url) == site && found.pages.len() < MAX_ADDRESSES);
                if is_index { found.sitemaps.extend(url) } else { found.pages.extend(url) }
            }
            _ => {}
        }
    }
    found
}

fn add(address: &mut Option<String>, part: &str) {
    if let Some(address) = address {
        address.push_str(part);
    }
}

fn address_of(text: &str, base: &Url) -> Option<Url> {
    let text = text.trim();
    let url = if text.len() <= MAX_URL_BYTES { base.join(text).ok() } else { None };
    url.and_then(|url| normalise(url, TrackingParams::Strip))
}

/// Links to the pages of a sitemap: those that name a search in their address first, then those with short paths.
pub fn sitemap_links(pages: &[Url]) -> Vec<Link> {
    let key = |url: &&Url| (!names_search(url), url.path().matches('/').count(), url.as_str().len());
    let mut pages: Vec<&Url> = pages.iter().collect();
    pages.sort_by_cached_key(key);
    let context = LinkContext { tag_path: TAG_PATH.to_string(), ..LinkContext::default() };
    let link = |url: &Url| Link { url: url.clone(), context: context.clone(), is_unused: false };
    pages.into_iter().take(MAX_LINKS).map(link).collect()
}

fn names_search(url: &Url) -> bool {
    let mut names = false;
    each_part(url.path(), |part| names |= SEARCH.contains(&CONCEPTS.of_word(part)));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_the_site_are_listed_and_searches_come_first() {
        let xml =
            "<?xml version='1.0'?><urlset><url><loc> http://a.org/news/1 </loc><lastmod>2026</lastmod></url>
            <url><loc>http://a.org/catalogue/advanced-search?lang=en&amp;x=1</loc></url>
            <url><loc>http://b.net/</loc></url><url><loc>http://a.org/</loc>
            <image:image><image:loc>http://a.org/photo</image:loc></image:image></url></urlset>";
        let found = sitemap(xml.as_bytes(), &Url::parse("http://www.a.org/sitemap.xml").unwrap());
        assert_eq!((found.pages.len(), found.sitemaps.len()), (3, 0));
        let links = sitemap_links(&found.pages);
        assert!(links[0].url.path().contains("advanced-search"), "{links:?}");
        assert_eq!(links[1].url.as_str(), "http://a.org/");
    }

    #[test]
    fn an_index_names_further_sitemaps() {
        let xml = "<sitemapindex><sitemap><loc>http://a.org/s1.xml</loc></sitemap></sitemapindex>";
        let found = sitemap(xml.as_bytes(), &Url::parse("http://a.org/sitemap.xml").unwrap());
        assert_eq!(found.sitemaps.len(), 1);
        assert!(found.pages.is_empty());
        assert_eq!(sitemap(b"<html><p>Not found", &Url::parse("http://a.org/").unwrap()), Sitemap::default());
    }
}
