//! Gain from learning over the density of relevant forms (ACHE figure 4).

use super::comparison::{FindComparison, ratio_over_pages};
use crate::figures::shown;
use crate::find::trial::FindTrial;
use hadal::output::chart::{Chart, Shape};
use hadal::output::sections::{Section, headings};

const LEARNED: &str = "ache-offline-online";
const BASELINE: &str = "best-first-sc";

/// Counts of the learning strategy divided by those of the baseline, for one topic.
struct LearningGain<'t> {
    topic: &'t str,
    /// Relevant forms per hundred pages of the baseline.
    density: f64,
    relevant: Option<f64>,
    searchable: Option<f64>,
}

/// Gain per topic, in order of density.
pub fn section(all: FindComparison<'_>) -> Option<Section> {
    let mut gains: Vec<LearningGain<'_>> =
        all.topics().into_iter().filter_map(|topic| gain(all, topic)).collect();
    gains.sort_by(|a, b| a.density.total_cmp(&b.density));
    let row = |gain: &LearningGain<'_>| {
        let ratios = [gain.relevant, gain.searchable].map(|ratio| shown(ratio, 2));
        [gain.topic.to_string(), format!("{:.3}", gain.density)].into_iter().chain(ratios).collect()
    };
    (!gains.is_empty()).then(|| Section {
        title: "Gain from learning, by density".into(),
        note: format!(
            "{LEARNED} over {BASELINE} at the same number of pages, training free. Density: relevant forms in a \
             hundred pages under {BASELINE}."
        ),
        headings: headings(&["topic", "density, %", "relevant, ratio", "searchable, ratio"]),
        rows: gains.iter().map(row).collect(),
        charts: vec![
            chart("relevant forms", &gains, |gain| gain.relevant),
            chart("searchable forms", &gains, |gain| gain.searchable),
        ],
        ..Section::default()
    })
}

fn gain<'t>(all: FindComparison<'t>, topic: &'t str) -> Option<LearningGain<'t>> {
    let pairs = all.pairs(topic, LEARNED, BASELINE);
    let density = |trial: &FindTrial| 100.0 * trial.end().relevant as f64 / trial.end().pages.max(1) as f64;
    Some(LearningGain {
        topic,
        density: all.mean(topic, BASELINE, density).filter(|_| !pairs.is_empty())?,
        relevant: ratio_over_pages(&pairs, None, |point| point.relevant),
        searchable: ratio_over_pages(&pairs, None, |point| point.searchable),
    })
}

fn chart(title: &str, gains: &[LearningGain<'_>], ratio: fn(&LearningGain<'_>) -> Option<f64>) -> Chart {
    let bars = gains.iter().filter_map(|gain| Some((gain.topic.to_string(), ratio(gain)?))).collect();
    Chart {
        title: title.into(),
        shape: Shape::Bars { unit: format!("times {BASELINE}, rarest topic first"), bars },
    }
}
