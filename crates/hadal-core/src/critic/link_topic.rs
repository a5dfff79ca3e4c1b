//! Topic of a link's target, from the words of the link.
//!
//! The words are judged by the page classifier as if they were a short page: anchor text and URL as its title, or the
//! text around the link as its text. Host names and paths join words (`usedcars`), so they are split into known words.

use crate::address::Site;
use crate::page::{Link, LinkTopic, Page, PageHints};
use crate::text::joined::each_known_word;
use crate::text::words::each_part;
use rustc_hash::FxHashSet;
use url::Url;

/// Judges the links of a page with a classifier of pages.
pub(super) fn judge_links(page: &Page, p_topic: impl Fn(&Page) -> f32) -> Vec<LinkTopic> {
    let other_sites = count_other_sites(page);
    let judged = |link| LinkTopic { other_sites, ..judge(link, page.language.as_deref(), &p_topic) };
    page.links.iter().map(judged).collect()
}

fn count_other_sites(page: &Page) -> u16 {
    let here = Site::of(&page.url);
    let sites: FxHashSet<Site> = page.links.iter().map(|link| Site::of(&link.url)).collect();
    sites.into_iter().filter(|site| *site != here).count().try_into().unwrap_or(u16::MAX)
}

fn judge(link: &Link, language: Option<&str>, p_topic: impl Fn(&Page) -> f32) -> LinkTopic {
    let context = &link.context;
    let own = format!("{} {}", context.anchor, url_words(&link.url));
    let around = format!("{} {}", context.before, context.after);
    LinkTopic {
        own: p_topic(&short_page(link, language, own, String::new())),
        around: p_topic(&short_page(link, language, String::new(), around)),
        ..LinkTopic::default()
    }
}

/// Words of host name and path, without the public suffix.
fn url_words(url: &Url) -> String {
    let host = url.domain().unwrap_or_default();
    let suffix = psl::suffix_str(host).unwrap_or_default();
    let mut words = String::new();
    for name in [host.strip_suffix(suffix).unwrap_or(host), url.path()] {
        each_part(name, |part| each_known_word(part, |word| words.extend([word, " "])));
    }
    words
}

fn short_page(link: &Link, language: Option<&str>, title: String, text: String) -> Page {
    Page {
        url: link.url.clone(),
        base: link.url.clone(),
        title,
        text,
        language: language.map(String::from),
        charset: "UTF-8",
        links: Vec::new(),
        forms: Vec::new(),
        hints: PageHints::default(),
        fingerprint: 0,
        truncated_by: None,
    }
}

#[cfg(test)]
mod tests {
    use crate::critic::Critic;
    use crate::critic::trained::{CriticTarget, TrainedCritic};
    use crate::html;
    use crate::page::LinkTopic;
    use url::Url;

    fn judged(body: &str) -> Vec<LinkTopic> {
        let critic = TrainedCritic::new(CriticTarget::built_in("hotel").unwrap());
        let page = format!("<html lang=en><body>{body}</body></html>");
        critic.judge_links(&html::parse(page.as_bytes(), None, &Url::parse("http://here.example/").unwrap()))
    }

    fn own(address: &str, anchor: &str) -> f32 {
        judged(&format!("<a href='{address}'>{anchor}</a>"))[0].own
    }

    #[test]
    fn words_of_anchor_path_and_host_tell_the_topic() {
        let plain = own("http://a.example/x", "more");
        assert!(own("http://a.example/x", "Hotels and resorts") > plain + 0.3);
        assert!(own("http://a.example/hotel-rooms.html", "more") > plain + 0.3);
        assert!(own("http://seasidehotels.example/", "more") > plain + 0.3);
        assert!(own("http://a.example/x", "Used cars for sale") < plain);
    }

    #[test]
    fn the_text_around_is_judged_apart() {
        let topic = judged("<a href='/x'>more</a> hotel rooms for two guests")[0];
        assert!(topic.around > 0.5 && topic.own < 0.5, "{topic:?}");
    }

    #[test]
    fn the_other_sites_of_a_page_are_counted() {
        let list = "<a href='http://a.example/'>1</a><a href='http://www.a.example/'>2</a>\
                    <a href='http://b.example/'>3</a><a href='/about'>4</a>";
        assert_eq!(judged(list)[3].other_sites, 2);
    }
}
