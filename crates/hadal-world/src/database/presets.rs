//! Named and random configurations of databases.

use super::collection::{Collection, Column};
use super::config::{
    ControlKind, DatabaseConfig, EmptyQuery, Excerpt, Fault, FilterControl, IndexedText, QueryOperator,
    Ranking, SingleHit, StopWords, TotalShown, UnspacedTerms, WordMatch,
};
use super::layout::Layout;
use crate::random::SeededRng;
use hadal_core::http::Method;

/// Name and constructor of a configuration.
pub type Preset = (&'static str, fn() -> DatabaseConfig);

/// Presets without faults.
const CORRECT: [Preset; 2] = [("plain", DatabaseConfig::default), ("used-cars", used_cars)];

/// Presets with one fault each.
const FAULTY: [Preset; 10] = [
    ("same-page", || with_fault(Fault::SameAnswer)),
    ("random-records", || with_fault(Fault::RandomAnswer)),
    ("half-fails", || DatabaseConfig { failure_rate: 0.5, ..DatabaseConfig::default() }),
    ("endless", || with_fault(Fault::Endless)),
    ("shuffled", || with_fault(Fault::Shuffled)),
    ("cap-of-1", || DatabaseConfig { result_cap: Some(1), page_size: 1, ..DatabaseConfig::default() }),
    ("vanishing", || with_fault(Fault::Vanishes(25))),
    ("hostile-titles", || with_fault(Fault::HostileTitles)),
    ("login-wall", || with_fault(Fault::LoginWall(20))),
    ("captcha", || with_fault(Fault::Captcha(20))),
];

impl DatabaseConfig {
    /// Preset by name.
    pub fn preset(name: &str) -> Option<DatabaseConfig> {
        DatabaseConfig::presets().find(|(known, _)| *known == name).map(|(_, config)| config())
    }

    /// All presets, those without faults first.
    pub fn presets() -> impl Iterator<Item = Preset> {
        CORRECT.into_iter().chain(FAULTY)
    }

    /// Presets with a fault.
    pub fn faulty_presets() -> impl Iterator<Item = Preset> {
        FAULTY.into_iter()
    }
}

fn with_fault(fault: Fault) -> DatabaseConfig {
    DatabaseConfig { fault, ..DatabaseConfig::default() }
}

/// Form with selects for make, model and price range, at most 100 cars per query. The list of models does not depend on
/// the make. Years are facets.
fn used_cars() -> DatabaseConfig {
    let cheap = (0..20_000).step_by(100).chain((20_000..30_000).step_by(250));
    let prices =
        cheap.chain((30_000..50_000).step_by(500)).chain((50_000..=200_000).step_by(5_000)).collect();
    DatabaseConfig {
        has_box: false,
        result_cap: Some(100),
        page_size: 20,
        empty_query: EmptyQuery::Everything,
        controls: vec![
            FilterControl::new("make", ControlKind::Select),
            FilterControl::new("model", ControlKind::Select),
            FilterControl::new("price", ControlKind::Steps(prices)),
        ],
        facets: vec!["year".to_string()],
        ..DatabaseConfig::default()
    }
}

/// Maximum number of values of a column with a select in random configurations. Guess.
const LONGEST_LIST: usize = 300;

/// Maximum number of controls of random configurations. Guess.
const MAX_CONTROLS: usize = 4;

impl DatabaseConfig {
    /// Random configuration with a text box and without faults. The weights are guesses.
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
            total_shown: [TotalShown::Exact, TotalShown::Rounded, TotalShown::Hidden, TotalShown::Bound]
                [rng.weighted(&[6.0, 2.0, 2.0, 1.0])],
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
            excerpt: [Excerpt::Full, Excerpt::Words(30), Excerpt::Around(30), Excerpt::Title]
                [rng.weighted(&[4.0, 2.0, 2.0, 1.0])],
            layout: Layout::varied(rng.bits() >> 1),
            fault: Fault::None,
            unspaced: rng.pick(&[
                UnspacedTerms::AdjacentCharacters,
                UnspacedTerms::Characters,
                UnspacedTerms::Words,
            ]),
        }
    }

    /// Adds random filter controls and facets for the columns of a collection.
    pub fn with_controls_for(mut self, collection: &Collection) -> DatabaseConfig {
        let mut rng = SeededRng::new(self.seed, 0xc0217);
        for column in collection.columns().iter().filter(|column| column.values().len() > 1) {
            if self.controls.len() < MAX_CONTROLS && rng.chance(0.4) {
                self.controls.extend(control(column, &mut rng));
            } else if (2..=40).contains(&column.values().len()) && rng.chance(0.2) {
                self.facets.push(column.name().to_string());
            }
        }
        self
    }
}

/// Random control that fits the values of a column, if any fits.
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

/// About twenty round numbers that divide the values of a column into ranges with equally many values.
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
