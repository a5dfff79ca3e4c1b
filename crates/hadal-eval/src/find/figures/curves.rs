//! Relevant forms over requests and pages (ACHE figure 5, SmartCrawler figure 7).

use super::comparison::FindComparison;
use crate::figures::mean;
use crate::find::score::CurvePoint;
use crate::find::trial::FindTrial;
use hadal::output::chart::{Chart, Shape};
use hadal::output::sections::Section;

/// Points per line of a chart. Choice of the report.
const POINTS: u64 = 100;

/// Charts over requests, and over pages as in the papers.
pub fn section(all: FindComparison<'_>) -> Section {
    let charts = all.topics().into_iter().flat_map(|topic| {
        [
            chart(all, topic, "requests", |point| point.requests, FindTrial::at_requests),
            chart(all, topic, "pages, without training", |point| point.pages, FindTrial::at_pages),
        ]
    });
    Section {
        title: "Relevant forms over requests and pages".into(),
        note: "Requests include training, robots.txt and look-ups. Pages do not include training.".into(),
        charts: charts.collect(),
        ..Section::default()
    }
}

fn chart(
    all: FindComparison<'_>,
    topic: &str,
    unit: &str,
    spent: fn(&CurvePoint) -> u64,
    at: fn(&FindTrial, u64) -> CurvePoint,
) -> Chart {
    let end = all.0.iter().filter(|trial| trial.spec.topic == topic).map(|trial| spent(&trial.end())).max();
    let places: Vec<u64> = (0..=POINTS).map(|n| n * end.unwrap_or(0) / POINTS).collect();
    let line = |strategy: &str| {
        let found = |place: u64| mean(all.of(topic, strategy).map(|trial| at(trial, place).relevant as f64));
        let point = |place: &u64| Some((*place as f64, found(*place)?));
        (strategy.to_string(), places.iter().filter_map(point).collect())
    };
    Chart {
        title: topic.to_string(),
        shape: Shape::Lines {
            x: unit.into(),
            y: "relevant forms".into(),
            lines: all.drawn().into_iter().map(line).collect(),
        },
    }
}
