//! Habits with names: for tests, catalogues and evaluations.

use super::habits::{Control, ControlKind, EmptyQuery, Habits};
use super::misconduct::Misconduct;

/// A name and the habits it stands for.
pub type Preset = (&'static str, fn() -> Habits);

/// Well-behaved databases.
const GOOD: [Preset; 2] = [("plain", Habits::default), ("used-cars", used_cars)];

/// Databases that do something wrong each.
const BAD: [Preset; 10] = [
    ("same-page", || wrong(Misconduct::SameAnswer)),
    ("random-records", || wrong(Misconduct::RandomAnswer)),
    ("half-fails", || Habits { failures: 0.5, ..Habits::default() }),
    ("endless", || wrong(Misconduct::Endless)),
    ("shuffled", || wrong(Misconduct::Shuffled)),
    ("cap-of-1", || Habits { cap: Some(1), page_size: 1, ..Habits::default() }),
    ("vanishing", || wrong(Misconduct::Vanishes(25))),
    ("hostile-titles", || wrong(Misconduct::HostileTitles)),
    ("login-wall", || wrong(Misconduct::LoginWall(20))),
    ("captcha", || wrong(Misconduct::Captcha(20))),
];

impl Habits {
    /// The habits of a name.
    pub fn preset(name: &str) -> Option<Habits> {
        Habits::presets().find(|(known, _)| *known == name).map(|(_, habits)| habits())
    }

    /// Every name, well-behaved databases first.
    pub fn presets() -> impl Iterator<Item = Preset> {
        GOOD.into_iter().chain(BAD)
    }

    /// Those that do something wrong.
    pub fn bad() -> impl Iterator<Item = Preset> {
        BAD.into_iter()
    }
}

fn wrong(misconduct: Misconduct) -> Habits {
    Habits { misconduct, ..Habits::default() }
}

/// Make, model and a range of prices from lists, at most a hundred cars a question; the list of models does
/// not depend on the make. Years are offered as links.
fn used_cars() -> Habits {
    let cheap = (0..20_000).step_by(100).chain((20_000..30_000).step_by(250));
    let prices =
        cheap.chain((30_000..50_000).step_by(500)).chain((50_000..=200_000).step_by(5_000)).collect();
    Habits {
        has_box: false,
        cap: Some(100),
        page_size: 20,
        empty_query: EmptyQuery::Everything,
        controls: vec![
            Control::new("make", ControlKind::Select),
            Control::new("model", ControlKind::Select),
            Control::new("price", ControlKind::Steps(prices)),
        ],
        facets: vec!["year".to_string()],
        ..Habits::default()
    }
}
