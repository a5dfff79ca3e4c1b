//! Figures of hand-made trials.

use super::*;
use crate::find::figures::json;
use crate::harvest::curve::{HIGHEST_LEVEL, HarvestCurve, HarvestPoint};
use crate::harvest::plan::HarvestCase;
use crate::harvest::recorded_estimates::RecordedEstimate;
use hadal_core::harvest::estimate::EstimateInterval;

/// A harvest of 1,000 records that finds five records per query at two requests each, for `queries` queries.
fn trial(collection: &str, setting: &str, policy: &str, every: u64, queries: u64) -> HarvestTrial {
    let point = |n: u64| HarvestPoint {
        queries: n,
        requests: 2 * n,
        shown: 2 * every * n,
        found: (every * n).min(1_000),
    };
    let mut curve = HarvestCurve::new(1_000);
    (1..=queries).for_each(|n| curve.note(point(n)));
    curve.finish(point(queries));
    let case = HarvestCase {
        collection: collection.into(),
        records: 1_000,
        setting: setting.into(),
        policy: policy.into(),
        seed: 1,
        start: 0,
        requests: None,
        until_percent: HIGHEST_LEVEL,
    };
    HarvestTrial { case, budget: 2_000, curve, claims: Vec::new(), evidence: Vec::new(), cpu_seconds: 0.5 }
}

fn section(trials: &[HarvestTrial], title: &str) -> Section {
    let found = sections(trials).into_iter().find(|section| section.title.starts_with(title));
    found.unwrap_or_else(|| panic!("no section {title}"))
}

fn row<'s>(section: &'s Section, first: &str) -> Vec<&'s str> {
    let row = section.rows.iter().find(|row| row[0] == first);
    row.unwrap_or_else(|| panic!("no row {first}")).iter().map(String::as_str).collect()
}

#[test]
fn levels_are_given_in_queries_and_requests_and_misses_count_at_the_budget() {
    let trials = [trial("ships", "base", "hadal", 10, 96), trial("ships", "base", "adaptive", 10, 75)];
    let efforts = section(&trials, "Queries and requests");
    assert_eq!(efforts.headings[2..], ["50 %", "70 %", "80 %", "90 %", "95 %"]);
    assert_eq!(efforts.rows[0][1..], ["hadal", "50 / 100", "70 / 140", "80 / 160", "90 / 180", "95 / 190"]);
    // 75 queries took 150 of 2,000 requests.
    assert_eq!(efforts.rows[1][4..], [">1000 / 2000", ">1000 / 2000", ">1000 / 2000"]);
}

#[test]
fn a_policy_that_always_needs_half_has_a_ratio_of_a_half() {
    let twice =
        |name, setting| [trial(name, setting, "hadal", 20, 50), trial(name, setting, "adaptive", 10, 100)];
    let trials: Vec<HarvestTrial> = [twice("ships", "base"), twice("boats", "base"), twice("ships", "paper")]
        .into_iter()
        .flatten()
        .collect();
    let ratios = section(&trials, "Requests to 90 %");
    assert_eq!(ratios.headings, ["setting", "hadal / adaptive"]);
    for name in ["base", "paper", "all with a cap", "all"] {
        assert_eq!(row(&ratios, name)[1], "0.50 (0.50-0.50)");
    }
    let by_coverage = section(&trials, "Requests to each coverage");
    assert_eq!(by_coverage.headings[1..3], ["adaptive 50 %", "adaptive 70 %"]);
    for name in ["all with a cap", "all without a cap", "ships", "boats"] {
        assert_eq!(row(&by_coverage, name)[1], "0.50");
    }
    assert!(section(&trials, "Where hadal loses").rows.is_empty());
}

#[test]
fn losses_are_named() {
    let trials = [
        trial("ships", "base", "hadal", 10, 100),
        trial("ships", "base", "adaptive", 20, 100),
        trial("boats", "base", "hadal", 20, 100),
        trial("boats", "base", "adaptive", 20, 100),
    ];
    let losses = section(&trials, "Where hadal loses");
    assert_eq!(losses.rows, [["base", "ships", "2.00"]]);
    assert!(losses.note.contains("1 of 2"), "{}", losses.note);
    let alone = section(&trials[..2], "Requests to 90 %");
    assert_eq!(row(&alone, "base")[1], "2.00 (2.00-2.00) loss");
}

#[test]
fn the_paper_is_checked_in_its_own_setting() {
    let trials = [
        trial("pubmed", "paper", "adaptive", 10, 100),
        trial("pubmed", "paper", "generic-frequency", 8, 125),
        trial("pubmed", "paper", "random-16k", 2, 300),
    ];
    let paper = section(&trials, "The paper's own setting");
    assert_eq!(row(&paper, "pubmed")[1..], ["80", "100", "0.80", ">1000", "39.8 %"]);
    assert_eq!(row(&paper, "published for PubMed")[3], "0.78");
}

#[test]
fn courses_are_drawn_by_collection_and_first_words_when_there_are_several() {
    let mut trials =
        vec![trial("ships", "paper", "adaptive", 10, 100), trial("ships", "paper", "random-16k", 1, 900)];
    let titles = |trials: &[HarvestTrial]| {
        sections(trials).into_iter().map(|section| section.title).collect::<Vec<_>>()
    };
    assert!(!titles(&trials).contains(&"First words".to_string()));
    let other = trial("ships", "paper", "adaptive", 9, 112);
    trials.push(HarvestTrial { case: HarvestCase { start: 1, ..other.case.clone() }, ..other });
    assert_eq!(section(&trials, "First words").charts.len(), 1);
    let course = section(&trials, "Coverage over queries");
    let hadal::output::chart::Shape::Lines { lines, .. } = &course.charts[0].shape else {
        panic!("no lines")
    };
    let last = lines[1].1.last().unwrap();
    assert_eq!(lines.len(), 2);
    assert!(
        (last.0 - 1.2 * 100.0).abs() < 1e-9 && last.1 < 13.0,
        "{last:?}: cut where the complete one ends"
    );
}

#[test]
fn caps_are_drawn_side_by_side() {
    let trials = [trial("ships", "base", "adaptive", 10, 100), trial("ships", "cap-200", "adaptive", 5, 200)];
    assert_eq!(section(&trials, "Coverage by result limit").charts.len(), 1);
    let titles: Vec<String> = sections(&trials[..1]).into_iter().map(|section| section.title).collect();
    assert!(!titles.iter().any(|title| title.contains("limit")), "{titles:?}");
}

#[test]
fn an_interval_holds_when_the_truth_is_within() {
    let promise = |low, high| {
        let size = Some(EstimateInterval { low, estimate: (low + high) / 2.0, high });
        RecordedEstimate { coverage: 0.3, size }
    };
    let said = |claims| HarvestTrial { claims, ..trial("ships", "base", "hadal", 10, 100) };
    let trials = [
        said(vec![promise(900.0, 1_100.0)]),
        said(vec![promise(1_001.0, 1_501.0)]),
        said(vec![promise(700.0, 1_300.0)]),
    ];
    let sizes = section(&trials, "Estimated sizes");
    assert_eq!(row(&sizes, "base")[1..], ["0.67 of 3, width 0.50", "-", "-"]);
    assert_eq!(row(&sizes, "all by hadal")[1], "0.67 of 3, width 0.50");
    let silent = section(&[said(vec![RecordedEstimate { coverage: 0.3, size: None }])], "Estimated sizes");
    assert_eq!(row(&silent, "base")[1], "0.00 of 1, width inf");
}

#[test]
fn without_trials_there_are_no_figures() {
    assert!(sections(&[]).iter().all(|section| section.rows.is_empty() && section.charts.is_empty()));
    let trials = [trial("ships", "base", "hadal", 10, 100)];
    let report = json(&trials, &sections(&trials)).unwrap();
    assert!(report.contains("\"tables\"") && report.contains("\"levels\""));
}
