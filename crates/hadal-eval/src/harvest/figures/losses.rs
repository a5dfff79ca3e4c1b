//! Settings and collections where `hadal` needs more requests than `adaptive`.

use super::comparison::HarvestComparison;
use super::ratios::{LEVEL, Pair, ratio};
use hadal::output::sections::{Section, headings};

const OURS: &str = "hadal";
const THEIRS: &str = "adaptive";

/// Ratios up to this count as equal. Guess.
const TIE: f64 = 1.02;

/// All losses, largest first.
pub fn section(all: HarvestComparison<'_>) -> Option<Section> {
    let is_compared = all.policies().contains(&OURS) && all.policies().contains(&THEIRS);
    let mut lost: Vec<(f64, &str, &str)> = Vec::new();
    let mut compared = 0;
    for setting in all.settings() {
        let pairs = all.pairs(setting, OURS, THEIRS);
        for collection in all.collections() {
            let of_it = |pair: &&Pair<'_>| pair.0.case.collection == collection;
            let of_it: Vec<Pair<'_>> = pairs.iter().filter(of_it).copied().collect();
            let ratio = ratio(&of_it, |trial| trial.requests_to(LEVEL)).estimate;
            compared += usize::from(!ratio.is_nan());
            if ratio > TIE {
                lost.push((ratio, setting, collection));
            }
        }
    }
    lost.sort_by(|a, b| b.0.total_cmp(&a.0));
    let row = |(ratio, setting, collection): &(f64, &str, &str)| {
        vec![setting.to_string(), collection.to_string(), format!("{ratio:.2}")]
    };
    is_compared.then(|| Section {
        title: format!("Where {OURS} loses"),
        note: format!(
            "Collections and settings in which {OURS} takes more requests to 90 % than {THEIRS}: {} of {compared}. \
             Differences of 2 % are ties.",
            lost.len()
        ),
        headings: headings(&["setting", "collection", "hadal / adaptive"]),
        rows: lost.iter().map(row).collect(),
        ..Section::default()
    })
}
