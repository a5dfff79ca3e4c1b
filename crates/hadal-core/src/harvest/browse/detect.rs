//! Lists to browse: rows of links on a page that say nothing but letters, years or stretches.

use super::mark::BrowseLabel;
use crate::harvest::query::BrowseLink;
use crate::page::{Link, Page};
use rustc_hash::{FxHashMap, FxHashSet};
use url::{Host, Position, Url};

/// Links that make a list.
const LEAST: usize = 8;
/// Links of a list.
const MOST: usize = 500;
/// The share of a row's links that must be marks of one sort; "All" and "Other" may stand beside them.
const SHARE: f64 = 0.7;

/// The lists of a page, in its order. On an answer to words, links that repeat these narrow that answer and
/// lead to nothing else; rows of numbers are pagers there.
pub fn lists(page: &Page, words: &str) -> Vec<Vec<BrowseLink>> {
    let mut rows: FxHashMap<String, Vec<&Link>> = FxHashMap::default();
    let mut order = Vec::new();
    for link in page.links.iter().filter(|link| leads_away(&page.url, &link.url, words)) {
        let key = row_of(link);
        if !rows.contains_key(&key) {
            order.push(key.clone());
        }
        rows.entry(key).or_default().push(link);
    }
    let rows = order.iter().filter_map(|key| rows.remove(key));
    rows.filter_map(|row| list(&row, words)).collect()
}

/// Whether a link leads to another page of the same host, and does not repeat the words.
fn leads_away(here: &Url, there: &Url, words: &str) -> bool {
    let host = |url: &Url| url.host().map(|host: Host<&str>| host.to_owned());
    let is_page = host(here) == host(there) && matches!(there.scheme(), "http" | "https");
    let repeats = |value: &str| !words.is_empty() && value.eq_ignore_ascii_case(words);
    is_page
        && there[..Position::AfterQuery] != here[..Position::AfterQuery]
        && !there.query_pairs().any(|(_, value)| repeats(&value))
}

/// Links of one row stand in the same place and have addresses that differ at their end.
fn row_of(link: &Link) -> String {
    let path = link.url.path().trim_end_matches('/');
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut names: Vec<String> = link.url.query_pairs().map(|(name, _)| name.into_owned()).collect();
    names.sort_unstable();
    format!("{} {folder} {}", link.context.tag_path, names.join("&"))
}

fn list(row: &[&Link], words: &str) -> Option<Vec<BrowseLink>> {
    let marked = row.iter().filter_map(|link| Some((BrowseLabel::of(&link.context.anchor)?, *link)));
    let marked: Vec<(BrowseLabel, &Link)> = marked.take(MOST).collect();
    let count = |sort: BrowseLabel| marked.iter().filter(|(mark, _)| *mark == sort).count();
    let sorts = [BrowseLabel::Letter, BrowseLabel::Number, BrowseLabel::Stretch];
    let sort = sorts.into_iter().find(|sort| count(*sort) >= LEAST)?;
    if sort != BrowseLabel::Letter && !words.is_empty() || (count(sort) as f64) < SHARE * row.len() as f64 {
        return None;
    }
    // "0-9" belongs to the letters.
    let belongs =
        |mark: BrowseLabel| mark == sort || (sort == BrowseLabel::Letter && mark == BrowseLabel::Stretch);
    let mut seen = FxHashSet::default();
    let posts = marked.iter().filter(|(mark, link)| belongs(*mark) && seen.insert(&link.url));
    let posts = posts
        .map(|(_, link)| BrowseLink { label: link.context.anchor.trim().to_string(), url: link.url.clone() });
    Some(posts.collect()).filter(|posts: &Vec<BrowseLink>| posts.len() >= LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    fn labels(html: &str, words: &str) -> Vec<Vec<String>> {
        let url = Url::parse("http://a.org/find?q=sea").unwrap();
        let page = crate::html::parse(html.as_bytes(), None, &url);
        let labels = |list: Vec<BrowseLink>| list.into_iter().map(|post| post.label).collect();
        lists(&page, words).into_iter().map(labels).collect()
    }

    fn row(labels: impl Iterator<Item = String>, href: &str) -> String {
        let mut html = String::from("<p>");
        for label in labels {
            write!(html, "<a href='{}'>{label}</a> ", href.replace('*', &label)).unwrap();
        }
        html + "</p>"
    }

    fn alphabet() -> impl Iterator<Item = String> {
        ('A'..='Z').map(String::from)
    }

    #[test]
    fn an_alphabet_is_a_list_however_its_addresses_are_made() {
        for href in ["/browse?letter=*", "/titles/*", "/titles/*/", "/list-*.html"] {
            assert_eq!(labels(&row(alphabet(), href), "").len(), 1, "{href}");
        }
        let with_rest = row(["0-9".into(), "All".into()].into_iter().chain(alphabet()), "/titles/*");
        assert_eq!(labels(&with_rest, "")[0].len(), 27);
    }

    #[test]
    fn years_are_a_list_and_pages_are_none() {
        let numbers = |from: u32, to: u32| (from..to).map(|number| number.to_string());
        assert_eq!(labels(&row(numbers(1990, 2010), "/year/*"), "")[0].len(), 20);
        assert!(labels(&row(numbers(1, 30), "/find?page=*"), "").is_empty());
        assert!(labels(&row(numbers(1990, 2010), "/year/*"), "sea").is_empty(), "on an answer");
    }

    #[test]
    fn what_stays_on_the_page_or_repeats_the_words_is_none() {
        assert!(labels(&row(alphabet(), "#*"), "").is_empty());
        assert!(labels(&row(alphabet(), "/find?q=sea&letter=*"), "sea").is_empty());
        assert!(labels(&row(alphabet(), "http://b.org/*"), "").is_empty());
        assert!(labels(&row(alphabet().take(7), "/titles/*"), "").is_empty());
    }
}
