//! Forms found at the end of the budget, by topic (ACHE figure 3, SmartCrawler figures 5 and 6).

use super::comparison::{Count, FindComparison};
use crate::figures::{mean, shown};
use hadal::output::chart::{Chart, Shape};
use hadal::output::sections::Section;
use std::borrow::Cow;

/// Relevant forms, with a chart per topic.
pub fn relevant(all: FindComparison<'_>) -> Section {
    let note = "Distinct relevant forms, rightly taken for such, when all requests are spent, training charged. \
                The oracle knows where they are; random knows nothing.";
    let charts = all.topics().into_iter().map(|topic| Chart {
        title: format!("{topic}: relevant forms"),
        shape: Shape::Bars { unit: "distinct relevant forms".into(), bars: bars(all, topic) },
    });
    Section { charts: charts.collect(), ..table(all, "Relevant forms", note, |point| point.relevant) }
}

/// Requests at which relevant forms are reported, besides the end of the budget. Choice of the report.
const EARLY: [u64; 4] = [250, 500, 1_000, 10_000];

/// Relevant forms after few requests, as a mean over topics.
pub fn early(all: FindComparison<'_>) -> Section {
    let spent = all.0.iter().map(|trial| trial.end().requests).max().unwrap_or(0);
    let places: Vec<u64> = EARLY.into_iter().filter(|place| *place <= spent).collect();
    let row = |strategy: &str| {
        let found = |place: &u64| {
            let by_topic = all.topics().into_iter().filter_map(|topic| {
                all.mean(topic, strategy, |trial| trial.at_requests(*place).relevant as f64)
            });
            shown(mean(by_topic), 1)
        };
        std::iter::once(strategy.to_string()).chain(places.iter().map(found)).collect()
    };
    let heading = |place: &u64| Cow::Owned(place.to_string());
    Section {
        title: "Relevant forms after few requests".into(),
        note: "Mean over topics of distinct relevant forms after a number of requests, training charged."
            .into(),
        headings: std::iter::once("strategy".into()).chain(places.iter().map(heading)).collect(),
        rows: all.strategies().into_iter().map(row).collect(),
        ..Section::default()
    }
}

/// Sites with at least one relevant form found.
pub fn deep_sites(all: FindComparison<'_>) -> Section {
    let note = "Distinct sites with at least one relevant form found.";
    table(all, "Deep sites", note, |point| point.deep_sites)
}

/// Searchable forms of any topic.
pub fn searchable(all: FindComparison<'_>) -> Section {
    let note = "Distinct searchable forms of any topic. The oracle looks for relevant ones only.";
    table(all, "Searchable forms", note, |point| point.searchable)
}

fn bars(all: FindComparison<'_>, topic: &str) -> Vec<(String, f64)> {
    let found = |strategy: &str| all.mean(topic, strategy, |trial| trial.end().relevant as f64);
    let mut bars: Vec<(String, f64)> = all
        .strategies()
        .into_iter()
        .filter_map(|strategy| Some((strategy.to_string(), found(strategy)?)))
        .collect();
    bars.sort_by(|a, b| b.1.total_cmp(&a.1));
    bars
}

fn table(all: FindComparison<'_>, title: &str, note: &str, count: Count) -> Section {
    let topics = all.topics();
    let row = |strategy: &str| {
        let found: Vec<Option<f64>> = topics
            .iter()
            .map(|topic| all.mean(topic, strategy, |trial| count(&trial.end()) as f64))
            .collect();
        let sum = mean(found.iter().flatten().copied());
        let cells = found.iter().map(|found| shown(*found, 0));
        std::iter::once(strategy.to_string()).chain(cells).chain([shown(sum, 1)]).collect()
    };
    let topic = |topic: &&str| Cow::Owned(topic.to_string());
    let headings = std::iter::once("strategy".into()).chain(topics.iter().map(topic)).chain(["mean".into()]);
    Section {
        title: title.into(),
        note: note.into(),
        headings: headings.collect(),
        rows: all.strategies().into_iter().map(row).collect(),
        ..Section::default()
    }
}
