//! Speed of the classifiers without parsing.

use super::{Anyhow, cpu, say};
use hadal_core::critic::classifiers::Classifiers;
use hadal_core::critic::topic_features::{page_text_features, page_topic_features};
use hadal_core::page::Page;
use url::Url;

/// Bytes of text per classified page.
const LONG: usize = 50_000;
/// Shorter texts are not repeated to reach the length.
const WORTH_REPEATING: usize = 2_000;
/// Pages per round.
const LONG_PAGES: usize = 300;
/// CPU seconds per row.
const ENOUGH: f64 = 5.0;

/// Forms: searchable, kind and domain, with given page features. Pages: topic.
pub fn judge_all(what: &str, bodies: &[(Vec<u8>, Url)]) -> Anyhow<()> {
    let parse = |(body, url): &(Vec<u8>, Url)| hadal_core::html::parse(body, Some("text/html"), url);
    let pages: Vec<Page> = bodies.iter().map(parse).collect();
    forms(what, &pages)?;
    long_pages(what, &pages)
}

fn forms(what: &str, pages: &[Page]) -> Anyhow<()> {
    let judges = Classifiers::shipped();
    let words: Vec<_> = pages.iter().map(page_text_features).collect();
    let count: usize = pages.iter().map(|page| page.forms.len()).sum();
    let round = || {
        for (page, words) in pages.iter().zip(&words) {
            for form in &page.forms {
                std::hint::black_box(judges.searchable.classify(form, page));
                std::hint::black_box(judges.domains.classify(form, page, Some(words)));
            }
        }
    };
    say(&format!("judge forms, {what} ({count} forms)"), per_second(count, round)?, "forms per CPU-s");
    Ok(())
}

fn long_pages(what: &str, pages: &[Page]) -> Anyhow<()> {
    let judges = Classifiers::shipped();
    let worth = pages.iter().filter(|page| page.text.len() >= WORTH_REPEATING);
    let long: Vec<Page> = worth.cycle().take(LONG_PAGES).map(lengthened).collect();
    let round = || {
        for page in &long {
            std::hint::black_box(
                judges.pages.classify(&page_topic_features(page, &page_text_features(page))),
            );
        }
    };
    let name = format!("classify pages, {what} ({} KB of text)", LONG / 1000);
    say(&name, per_second(long.len(), round)?, "pages per CPU-s");
    Ok(())
}

fn lengthened(page: &Page) -> Page {
    let mut text = format!("{} ", page.text).repeat(LONG / page.text.len() + 1);
    text.truncate((0..=LONG).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0));
    Page { text, ..page.clone() }
}

/// Items per CPU-second, without the first round.
fn per_second(count: usize, round: impl Fn()) -> Anyhow<f64> {
    round();
    let (start, mut rounds) = (cpu()?, 0);
    while cpu()? - start < ENOUGH {
        round();
        rounds += 1;
    }
    Ok((count * rounds) as f64 / (cpu()? - start))
}
