//! What was found over what was spent (ACHE figure 5, SmartCrawler figure 7).

use super::comparison::{Comparison, mean};
use crate::find::score::Point;
use crate::find::trial::Trial;
use hadal::output::chart::{Chart, Shape};
use hadal::output::sections::Section;

/// Points of each line.
const POINTS: u64 = 100;

/// Relevant forms over requests, and over pages as the papers count.
pub fn section(all: Comparison<'_>) -> Section {
    let charts = all.topics().into_iter().flat_map(|topic| {
        [
            chart(all, topic, "requests", |point| point.requests, Trial::at_requests),
            chart(all, topic, "pages, without training", |point| point.pages, Trial::at_pages),
        ]
    });
    Section {
        title: "Relevant forms over requests and pages".into(),
        note: "Over requests all is charged: training, robots.txt, look-ups. Over pages training is free."
            .into(),
        charts: charts.collect(),
        ..Section::default()
    }
}

fn chart(
    all: Comparison<'_>,
    topic: &str,
    unit: &str,
    spent: fn(&Point) -> u64,
    at: fn(&Trial, u64) -> Point,
) -> Chart {
    let end =
        all.0.iter().filter(|trial| trial.setting.topic == topic).map(|trial| spent(&trial.end())).max();
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
