//! Gauges of the strategies: site queues (SmartCrawler figure 9), reverse searches (table 4).

use super::comparison::FindComparison;
use crate::figures::shown;
use crate::find::trial::FindTrial;
use hadal::output::chart::{Chart, Shape};
use hadal::output::sections::Section;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Gauge with a chart for every topic. Other gauges have a chart for one topic.
const SITE_QUEUE: &str = "high queue";

/// Last value of every gauge by topic, and charts.
pub fn section(all: FindComparison<'_>) -> Option<Section> {
    let names: BTreeSet<&str> =
        all.0.iter().flat_map(|trial| trial.gauges.keys().map(String::as_str)).collect();
    let topics = all.topics();
    let mut rows = Vec::new();
    for name in &names {
        for strategy in all.strategies() {
            let last: Vec<Option<f64>> =
                topics.iter().map(|topic| last(all, topic, strategy, name)).collect();
            if last.iter().any(Option::is_some) {
                let cells = last.into_iter().map(|value| shown(value, 0));
                rows.push([name.to_string(), strategy.to_string()].into_iter().chain(cells).collect());
            }
        }
    }
    let headings = ["gauge", "strategy"].map(Cow::Borrowed).into_iter();
    let wanted = |topic: &str, name: &str| name == SITE_QUEUE || Some(topic) == all.model_topic();
    let places = names.iter().flat_map(|name| topics.iter().map(move |topic| (*topic, *name)));
    let charts =
        places.filter(|(topic, name)| wanted(topic, name)).map(|(topic, name)| chart(all, topic, name));
    (!rows.is_empty()).then(|| Section {
        title: "Queues and look-ups".into(),
        note: "Last value of each gauge of the strategies, by topic; charts show the first world.".into(),
        headings: headings.chain(topics.iter().map(|topic| Cow::Owned(topic.to_string()))).collect(),
        rows,
        charts: charts.collect(),
        ..Section::default()
    })
}

fn last(all: FindComparison<'_>, topic: &str, strategy: &str, gauge: &str) -> Option<f64> {
    let value = |trial: &FindTrial| trial.gauges.get(gauge).and_then(|run| run.last()).map(|last| last.1);
    crate::figures::mean(all.of(topic, strategy).filter_map(value))
}

fn chart(all: FindComparison<'_>, topic: &str, gauge: &str) -> Chart {
    let line = |strategy: &str| {
        let run = all.of(topic, strategy).next()?.gauges.get(gauge)?;
        Some((strategy.to_string(), run.iter().map(|(at, value)| (*at as f64, *value)).collect()))
    };
    Chart {
        title: format!("{topic}: {gauge}"),
        shape: Shape::Lines {
            x: "requests".into(),
            y: gauge.to_string(),
            lines: all.strategies().into_iter().filter_map(line).collect(),
        },
    }
}
