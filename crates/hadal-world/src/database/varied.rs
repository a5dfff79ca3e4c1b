//! DatabaseConfig drawn from a seed, so that no two databases are alike.

use super::collection::Collection;
use super::collection::Column;
use super::config::{
    ControlKind, DatabaseConfig, EmptyQuery, Excerpt, FilterControl, IndexedText, QueryOperator, Ranking,
    SingleHit, StopWords, TotalShown, WordMatch,
};
use super::layout::Layout;
use super::misconduct::Fault;
use crate::random::SeededRng;
use hadal_core::http::Method;

/// The longest list of values that a form is drawn with, and the shortest for links.
const LONGEST_LIST: usize = 300;
const MOST_CONTROLS: usize = 4;

impl DatabaseConfig {
    /// DatabaseConfig drawn from a seed: a search box of some kind that does nothing wrong.
    pub fn varied(seed: u64) -> DatabaseConfig {
        let mut rng = SeededRng::new(seed, 0x4ab17);
        DatabaseConfig {
            seed: rng.bits() >> 1,
            operator: [QueryOperator::And, QueryOperator::Or, QueryOperator::Phrase]
                [rng.weighted(&[6.0, 3.0, 1.0])],
            word_match: [WordMatch::Whole, WordMatch::Stemmed, WordMatch::Prefix, WordMatch::Substring]
                [rng.weighted(&[5.0, 3.0, 1.0, 1.0])],
            indexed: [IndexedText::Full, IndexedText::Title][rng.weighted(&[4.0, 1.0])],
            stop_words: [StopWords::Indexed, StopWords::Ignored][rng.weighted(&[1.0, 1.0])],
            shortest_word: [1, 2, 3, 4][rng.weighted(&[6.0, 1.0, 2.0, 1.0])],
            ranking: [Ranking::Static, Ranking::Frequency, Ranking::Recency][rng.weighted(&[1.0, 2.0, 1.0])],
            result_cap: rng.pick(&[None, None, Some(50), Some(100), Some(200), Some(500), Some(1000)]),
            page_size: rng.pick(&[5, 10, 10, 10, 20, 25, 50, 100]),
            total_shown: [TotalShown::Exact, TotalShown::Rounded, TotalShown::Hidden]
                [rng.weighted(&[6.0, 2.0, 2.0])],
            failure_rate: rng.pick(&[0.0, 0.0, 0.0, 0.02, 0.1]),
            rate_limit: rng.pick(&[None, None, None, None, Some(60), Some(120)]),
            method: [Method::Get, Method::Post][rng.weighted(&[3.0, 1.0])],
            token_lifetime: rng.pick(&[None, None, None, None, Some(60), Some(900)]),
            single_hit: [SingleHit::Listed, SingleHit::Redirected][rng.weighted(&[3.0, 1.0])],
            empty_query: [EmptyQuery::Everything, EmptyQuery::Nothing, EmptyQuery::Error]
                [rng.weighted(&[1.0, 2.0, 1.0])],
            has_box: true,
            controls: Vec::new(),
            facets: Vec::new(),
            has_letter_index: rng.chance(0.15),
            excerpt: [Excerpt::Full, Excerpt::Words(30), Excerpt::Title][rng.weighted(&[4.0, 4.0, 1.0])],
            layout: Layout::varied(rng.bits() >> 1),
            fault: Fault::None,
        }
    }

    /// The same with some controls and links for the attributes of a collection.
    pub fn with_controls_for(mut self, collection: &Collection) -> DatabaseConfig {
        let mut rng = SeededRng::new(self.seed, 0xc0217);
        for column in collection.columns().iter().filter(|column| column.values().len() > 1) {
            if self.controls.len() < MOST_CONTROLS && rng.chance(0.4) {
                self.controls.extend(control(column, &mut rng));
            } else if (2..=40).contains(&column.values().len()) && rng.chance(0.2) {
                self.facets.push(column.name().to_string());
            }
        }
        self
    }
}

/// A control that suits an attribute, if any does.
fn control(column: &Column, rng: &mut SeededRng) -> Option<FilterControl> {
    let kind = match column.values() {
        [first, ..] if first.len() == 10 && column.is_numeric() => ControlKind::Dates,
        values if column.is_numeric() && values.len() > 20 => match rng.below(3) {
            0 => ControlKind::Steps(steps(column)),
            1 => ControlKind::Bands(steps(column)),
            _ => ControlKind::Between,
        },
        values if values.len() <= 5 && rng.chance(0.5) => ControlKind::Radio,
        values if values.len() <= LONGEST_LIST => ControlKind::Select,
        _ => return None,
    };
    Some(FilterControl::new(column.name(), kind))
}

/// Round numbers that part the values into about twenty ranges.
fn steps(column: &Column) -> Vec<i64> {
    let mut numbers: Vec<f64> =
        column.values().iter().filter_map(|value| super::collection::column::number_in(value)).collect();
    numbers.sort_by(f64::total_cmp);
    let (Some(low), Some(high)) = (numbers.first(), numbers.last()) else { return Vec::new() };
    let unit = 10f64.powf(((high - low) / 100.0).max(1.0).log10().floor());
    let round = |number: f64| ((number / unit).floor() * unit) as i64;
    let mut steps: Vec<i64> = (0..20).map(|at| round(numbers[at * numbers.len() / 20])).collect();
    steps.push(round(*high).saturating_add(unit as i64));
    steps.dedup();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::CollectionSpec;

    #[test]
    fn draws_differ_and_the_same_seed_draws_the_same() {
        assert_eq!(DatabaseConfig::varied(3), DatabaseConfig::varied(3));
        let drawn: Vec<DatabaseConfig> = (0..40).map(DatabaseConfig::varied).collect();
        let differ = |key: fn(&DatabaseConfig) -> String| {
            drawn.iter().map(key).collect::<std::collections::HashSet<String>>().len() > 1
        };
        assert!(differ(|config| format!("{:?}", config.operator)));
        assert!(differ(|config| format!("{:?}", config.result_cap)));
        assert!(differ(|config| format!("{:?}", config.layout.arrangement)));
    }

    #[test]
    fn controls_are_of_attributes_that_exist() {
        let collection = CollectionSpec { records: 500, ..CollectionSpec::default() }.generate();
        let drawn: Vec<DatabaseConfig> =
            (0..20).map(|seed| DatabaseConfig::varied(seed).with_controls_for(&collection)).collect();
        assert!(drawn.iter().any(|config| !config.controls.is_empty()));
        let names = drawn.iter().flat_map(|config| config.controls.iter().map(|control| &control.column));
        assert!(names.into_iter().all(|name| collection.column(name).is_some()));
    }
}
