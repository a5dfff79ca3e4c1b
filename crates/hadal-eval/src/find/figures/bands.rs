//! Published figures of the papers beside ours.
//!
//! Counted as in the papers: in pages, without the cost of training.

use super::comparison::{Count, FindComparison, ratio_over_pages};
use crate::figures::shown;
use crate::find::plan::Preset;
use crate::find::score::CurvePoint;
use hadal::output::sections::{Section, headings};
use hadal_world::World;

/// A published ratio of two strategies.
struct Band {
    claim: &'static str,
    one: &'static str,
    other: &'static str,
    topics: &'static [&'static str],
    count: Count,
    /// Pages at which the ratio is measured; `None` for the end of the shorter crawl.
    pages: Option<u64>,
    low: f64,
    high: f64,
}

/// Counts that the papers report.
const RELEVANT: Count = |point: &CurvePoint| point.relevant;
const SEARCHABLE: Count = |point: &CurvePoint| point.searchable;
/// Upper end of a band without one.
const ANY: f64 = f64::INFINITY;

/// Topics of the ACHE paper.
const ACHE: &[&str] = &["airfare", "auto", "book", "hotel", "job", "movie", "music", "rental"];
const ACHE_BUT_MOVIE: &[&str] = &["airfare", "auto", "book", "hotel", "job", "music", "rental"];
const TWELVE: &[&str] = World::topics();

#[rustfmt::skip]
const BANDS: &[Band] = &[
    Band { claim: "ACHE: online over baseline, +34 to +585 %", one: "ache-online", other: "best-first-sc", topics: ACHE_BUT_MOVIE, count: RELEVANT, pages: None, low: 1.34, high: 6.85 },
    Band { claim: "ACHE: online never learns on movie", one: "ache-online", other: "best-first-sc", topics: &["movie"], count: RELEVANT, pages: None, low: 0.9, high: 1.1 },
    Band { claim: "ACHE: offline-online over offline, +4 to +245 %", one: "ache-offline-online", other: "ache-offline", topics: ACHE, count: RELEVANT, pages: None, low: 1.04, high: 3.45 },
    Band { claim: "ACHE: online above offline", one: "ache-online", other: "ache-offline", topics: &["airfare", "auto", "book", "rental"], count: RELEVANT, pages: None, low: 1.0, high: ANY },
    Band { claim: "ACHE: online above offline-online on rental", one: "ache-online", other: "ache-offline-online", topics: &["rental"], count: RELEVANT, pages: None, low: 1.0, high: ANY },
    Band { claim: "ACHE: offline-online about 9 times baseline on book", one: "ache-offline-online", other: "best-first-sc", topics: &["book"], count: RELEVANT, pages: None, low: 6.0, high: 13.5 },
    Band { claim: "ACHE: on book only +10 % in searchable forms", one: "ache-offline-online", other: "best-first-sc", topics: &["book"], count: SEARCHABLE, pages: None, low: 0.9, high: 1.3 },
    Band { claim: "FFC: three levels over one, +20 to +110 % searchable", one: "ffc", other: "ffc-1", topics: &["auto", "book", "job"], count: SEARCHABLE, pages: Some(30_000), low: 1.2, high: 2.1 },
    Band { claim: "FFC: at least 5 times fixed depth, searchable", one: "ffc", other: "fixed-depth", topics: &["job"], count: SEARCHABLE, pages: Some(30_000), low: 5.0, high: ANY },
    Band { claim: "FFC: at least 10 times fixed depth, searchable", one: "ffc", other: "fixed-depth", topics: &["auto", "book"], count: SEARCHABLE, pages: Some(30_000), low: 10.0, high: ANY },
    Band { claim: "SmartCrawler over ACHE, 1.48 to 4.74 times searchable", one: "smart", other: "ache-offline-online", topics: TWELVE, count: SEARCHABLE, pages: None, low: 1.48, high: 4.74 },
    Band { claim: "SmartCrawler: SCDI above ACHE, searchable", one: "scdi", other: "ache-offline-online", topics: TWELVE, count: SEARCHABLE, pages: None, low: 1.0, high: ANY },
    Band { claim: "SmartCrawler: SCDI below the whole, searchable", one: "scdi", other: "smart", topics: TWELVE, count: SEARCHABLE, pages: None, low: 0.0, high: 1.0 },
];

/// Further claims of the SmartCrawler paper (figure 6), for crawls in its own setting.
#[rustfmt::skip]
const DEEP_SEEDS_BANDS: &[Band] = &[
    Band { claim: "SmartCrawler above ACHE, relevant", one: "smart", other: "ache-offline-online", topics: TWELVE, count: RELEVANT, pages: None, low: 1.0, high: ANY },
    Band { claim: "SmartCrawler: SCDI above ACHE, relevant", one: "scdi", other: "ache-offline-online", topics: TWELVE, count: RELEVANT, pages: None, low: 1.0, high: ANY },
    Band { claim: "SmartCrawler: SCDI below the whole, relevant", one: "scdi", other: "smart", topics: TWELVE, count: RELEVANT, pages: None, low: 0.0, high: 1.0 },
];

/// All bands for which both strategies were run.
pub fn section(all: FindComparison<'_>) -> Option<Section> {
    let has_deep_seeds = all.0.iter().any(|trial| trial.spec.world == Preset::DeepSeeds);
    let further = if has_deep_seeds { DEEP_SEEDS_BANDS } else { &[] };
    let bands = BANDS.iter().chain(further);
    let rows: Vec<Vec<String>> =
        bands.flat_map(|band| band.topics.iter().filter_map(|topic| row(all, band, topic))).collect();
    let met = rows.iter().filter(|row| row[4] == "yes").count();
    (!rows.is_empty()).then(|| Section {
        title: "The papers' bands".into(),
        note: format!(
            "Ratios at the same number of pages, training not counted, as in the papers. {met} of {} met.",
            rows.len()
        ),
        headings: headings(&["claim", "topic", "published", "measured", "met"]),
        rows,
        ..Section::default()
    })
}

fn row(all: FindComparison<'_>, band: &Band, topic: &str) -> Option<Vec<String>> {
    let pairs = all.pairs(topic, band.one, band.other);
    if pairs.is_empty() {
        return None;
    }
    let measured = ratio_over_pages(&pairs, band.pages, band.count);
    let published = match (band.low, band.high) {
        (low, high) if high == ANY => format!("{low:.2} or more"),
        (0.0, high) => format!("{high:.2} or less"),
        (low, high) => format!("{low:.2} to {high:.2}"),
    };
    let met = measured.is_some_and(|ratio| (band.low..=band.high).contains(&ratio));
    let met = if met { "yes" } else { "no" };
    Some(vec![band.claim.into(), topic.into(), published, shown(measured, 2), met.into()])
}
