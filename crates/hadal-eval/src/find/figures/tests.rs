//! Figures of hand-made trials.

use super::*;
use crate::find::cached_web::RequestCounts;
use crate::find::plan::{Preset, TrialSpec};
use crate::find::score::{CurvePoint, Gauges};
use crate::find::trial::{DeepSite, TrainingCost, TrialCost};

/// A crawl that finds `relevant` and `searchable` forms per 1,000 pages at a constant rate.
fn trial(topic: &str, strategy: &str, seed: u64, relevant: u64, searchable: u64) -> FindTrial {
    let point = |n: u64| CurvePoint {
        requests: n * 110,
        pages: n * 100,
        relevant: relevant * n / 10,
        met: relevant * n / 10,
        wrong: 0,
        searchable: searchable * n / 10,
        deep_sites: relevant * n / 20,
    };
    FindTrial {
        spec: TrialSpec {
            world: Preset::Tiny,
            sites: 60,
            seed,
            topic: topic.into(),
            strategy: strategy.into(),
            requests: 1_100,
        },
        existing: 1_000,
        curve: (0..=10).map(point).collect(),
        requests: RequestCounts { robots: 100, lookups: 0, pages: 1_000 },
        training: TrainingCost::default(),
        deep: Vec::new(),
        lessons: Vec::new(),
        gauges: Gauges::new(),
        cost: TrialCost::default(),
    }
}

fn section(trials: &[FindTrial], title: &str) -> Section {
    let found = sections(trials).into_iter().find(|section| section.title.starts_with(title));
    found.unwrap_or_else(|| panic!("no section {title}"))
}

fn row<'s>(section: &'s Section, first: &str) -> Vec<&'s str> {
    let row = section.rows.iter().find(|row| row[0] == first);
    row.unwrap_or_else(|| panic!("no row {first}")).iter().map(String::as_str).collect()
}

#[test]
fn forms_after_few_requests_are_means_over_topics_up_to_the_budget() {
    let trials = [trial("book", "random", 1, 10, 40), trial("hotel", "random", 1, 30, 90)];
    let early = section(&trials, "Relevant forms after");
    assert_eq!(early.headings, ["strategy", "250", "500", "1000"]);
    assert_eq!(row(&early, "random"), ["random", "4.0", "8.0", "18.0"]);
}

#[test]
fn relevant_forms_are_means_over_worlds() {
    let trials = [
        trial("book", "random", 1, 10, 40),
        trial("book", "random", 2, 30, 40),
        trial("hotel", "random", 1, 100, 90),
        trial("hotel", "random", 2, 200, 90),
    ];
    let forms = section(&trials, "Relevant forms");
    assert_eq!(row(&forms, "random"), ["random", "20", "150", "85.0"]);
    assert_eq!(forms.charts.len(), 2);
    assert_eq!(row(&section(&trials, "Deep sites"), "random"), ["random", "10", "75", "42.5"]);
}

#[test]
fn a_strategy_that_always_finds_twice_as_much_has_a_ratio_of_two() {
    let trials: Vec<FindTrial> = [("book", 1, 1_000), ("book", 2, 3_000), ("job", 1, 500), ("job", 2, 700)]
        .into_iter()
        .flat_map(|(topic, seed, found)| {
            [trial(topic, "best-first-sc", seed, found, 0), trial(topic, "hadal", seed, 2 * found, 0)]
        })
        .collect();
    let ratios = section(&trials, "Relevant forms as ratios");
    assert_eq!(ratios.headings, ["strategy", "over best-first-sc"]);
    assert_eq!(row(&ratios, "hadal")[1], "2.00 (2.00-2.00)");
    assert_eq!(row(&ratios, "best-first-sc")[1], "1.00 (1.00-1.00)");
}

#[test]
fn bands_are_read_at_equal_pages_with_training_free() {
    let baseline = trial("book", "best-first-sc", 1, 50, 200);
    let mut learned = trial("book", "ache-offline-online", 1, 400, 220);
    let bands = |learned: &FindTrial| section(&[baseline.clone(), learned.clone()], "The papers' bands");
    let claim = "ACHE: offline-online about 9 times baseline on book";
    assert_eq!(row(&bands(&learned), claim)[1..], ["book", "6.00 to 13.50", "8.00", "yes"]);
    // A tenth of the pages is training. The baseline finds 45 forms in the other 900 pages.
    learned.training = TrainingCost { requests: 110, pages: 100 };
    assert_eq!(row(&bands(&learned), claim)[3], "8.89");
    assert_eq!(row(&bands(&learned), "ACHE: on book only +10 % in searchable forms")[3..], ["1.22", "yes"]);
}

#[test]
fn topics_are_ordered_by_density() {
    let trials: Vec<FindTrial> = [("hotel", 100, 150), ("book", 10, 80)]
        .into_iter()
        .flat_map(|(topic, baseline, learned)| {
            [
                trial(topic, "best-first-sc", 1, baseline, 50),
                trial(topic, "ache-offline-online", 1, learned, 55),
            ]
        })
        .collect();
    let density = section(&trials, "Gain from learning");
    assert_eq!(density.rows[0], ["book", "1.000", "8.00", "1.10"]);
    assert_eq!(density.rows[1], ["hotel", "10.000", "1.50", "1.10"]);
}

#[test]
fn common_sites_are_those_that_both_visited() {
    let site = |site, relevant| DeepSite { site, pages: 9, relevant };
    let mut smart = trial("book", "smart", 1, 10, 10);
    let mut scdi = trial("book", "scdi", 1, 10, 10);
    smart.deep = vec![site(1, 4), site(2, 2), site(3, 1)];
    scdi.deep = vec![site(2, 0), site(3, 5), site(9, 7)];
    let common = section(&[smart, scdi], "Common sites");
    assert_eq!(common.rows, [["smart, scdi", "book", "2", "3", "5"]]);
}

#[test]
fn gauges_show_their_last_value_and_their_run() {
    let mut smart = trial("book", "smart", 1, 10, 10);
    smart.gauges.insert("sites waiting".into(), vec![(500, 3.0), (1_000, 17.0)]);
    let gauges = section(&[smart, trial("book", "random", 1, 1, 1)], "Queues");
    assert_eq!(gauges.rows, [["sites waiting", "smart", "17"]]);
    assert_eq!(gauges.charts.len(), 1);
}

#[test]
fn without_trials_there_are_no_figures() {
    let titles: Vec<String> = sections(&[]).into_iter().map(|section| section.title).collect();
    assert!(!titles.iter().any(|title| title.contains("bands") || title.contains("ratios")), "{titles:?}");
    let alone = sections(&[trial("book", "random", 1, 3, 3)]);
    let report = json(&[trial("book", "random", 1, 3, 3)], &alone).unwrap();
    assert!(report.contains("\"tables\"") && report.contains("Relevant forms"));
}
