//! Files for machines: robots.txt and sitemap.xml.

use crate::random::SeededRng;
use crate::site::Site;
use std::fmt::Write;

/// Pages a sitemap lists at most.
const SITEMAP_PAGES: u32 = 500;

/// The robots.txt of a site. It closes answers and endless spaces, never the pages themselves.
pub(crate) fn robots_txt(site: &Site<'_>) -> String {
    let mut rng = SeededRng::new(site.profile.seed, 80);
    if rng.chance(0.05) {
        return "<html><body>User-agent: everybody\nDisalow /cgi-bin\n\u{fffd}\u{0}:::\n</body></html>"
            .to_string();
    }
    let mut text =
        String::from("# visitors are welcome\nUser-agent: *\nDisallow: /files/\nDisallow: /cart\n");
    for path in ["/cgi-bin/", "/detail/", "/calendar/", "/archive", "/more/more/"] {
        if rng.chance(0.3) {
            text.push_str("Disallow: ");
            text.push_str(path);
            text.push('\n');
        }
    }
    let rates = &site.spec.rates;
    if rng.chance(rates.crawl_delay / rates.robots.max(f64::EPSILON)) {
        writeln!(text, "Crawl-delay: {}", rng.between(1, 5)).expect("writing to a string cannot fail");
    }
    if site.profile.sitemap {
        text.push_str("Sitemap: ");
        text.push_str(site.url_on_main("/sitemap.xml").as_str());
        text.push('\n');
    }
    text
}

/// The sitemap of a site: its first pages.
pub(crate) fn sitemap(site: &Site<'_>) -> String {
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
    let mut text = String::from(head);
    for page in 0..site.tree.pages.min(SITEMAP_PAGES) {
        text.push_str("<url><loc>");
        text.push_str(&site.url(page).as_str().replace('&', "&amp;"));
        text.push_str("</loc></url>\n");
    }
    text.push_str("</urlset>\n");
    text
}
