//! DatabaseConfig with names: for tests, catalogues and evaluations.

use super::config::{ControlKind, DatabaseConfig, EmptyQuery, FilterControl};
use super::misconduct::Fault;

/// A name and the config it stands for.
pub type Preset = (&'static str, fn() -> DatabaseConfig);

/// Well-behaved databases.
const GOOD: [Preset; 2] = [("plain", DatabaseConfig::default), ("used-cars", used_cars)];

/// Databases that do something wrong each.
const BAD: [Preset; 10] = [
    ("same-page", || wrong(Fault::SameAnswer)),
    ("random-records", || wrong(Fault::RandomAnswer)),
    ("half-fails", || DatabaseConfig { failure_rate: 0.5, ..DatabaseConfig::default() }),
    ("endless", || wrong(Fault::Endless)),
    ("shuffled", || wrong(Fault::Shuffled)),
    ("cap-of-1", || DatabaseConfig { result_cap: Some(1), page_size: 1, ..DatabaseConfig::default() }),
    ("vanishing", || wrong(Fault::Vanishes(25))),
    ("hostile-titles", || wrong(Fault::HostileTitles)),
    ("login-wall", || wrong(Fault::LoginWall(20))),
    ("captcha", || wrong(Fault::Captcha(20))),
];

impl DatabaseConfig {
    /// The config of a name.
    pub fn preset(name: &str) -> Option<DatabaseConfig> {
        DatabaseConfig::presets().find(|(known, _)| *known == name).map(|(_, config)| config())
    }

    /// Every name, well-behaved databases first.
    pub fn presets() -> impl Iterator<Item = Preset> {
        GOOD.into_iter().chain(BAD)
    }

    /// Those that do something wrong.
    pub fn faulty_presets() -> impl Iterator<Item = Preset> {
        BAD.into_iter()
    }
}

fn wrong(misconduct: Fault) -> DatabaseConfig {
    DatabaseConfig { fault: misconduct, ..DatabaseConfig::default() }
}

/// Make, model and a range of prices from lists, at most a hundred cars a question; the list of models does
/// not depend on the make. Years are offered as links.
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
