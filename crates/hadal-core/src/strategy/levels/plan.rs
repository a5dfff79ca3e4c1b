//! The named configurations of the level strategies.

use super::selection::Selection;

/// Features selected for each level and space (ACHE paper, algorithm 2).
const FEATURES: usize = 5;
/// A word is a feature when this share of a level's examples has it. The FFC paper gives no number.
const SHARE: f32 = 0.05;
/// New relevant forms before a learning iteration (ACHE paper, section 3.2).
const LEARN_AFTER: u32 = 100;

/// What a level strategy does and leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Its name.
    pub name: &'static str,
    /// Queues, one for each level that counts.
    pub levels: u8,
    /// How features are selected.
    pub selection: Selection,
    /// Whether a backward crawl comes first.
    pub offline: bool,
    /// New relevant forms before it learns again; `None` keeps no paths and never does.
    pub learn_after: Option<u32>,
    /// Whether an apprentice judges where links link.
    pub apprentice: bool,
    /// Whether it crawls backward from what it found whenever it learns.
    pub backward: bool,
}

/// The Form-Focused Crawler.
pub const FFC: Plan = Plan {
    name: "ffc",
    levels: 3,
    selection: Selection::Threshold(SHARE),
    offline: true,
    learn_after: None,
    apprentice: false,
    backward: false,
};

/// The Form-Focused Crawler that looks for immediate benefit only.
pub const FFC_1: Plan = Plan { name: "ffc-1", levels: 1, ..FFC };

/// ACHE with a fixed focus.
pub const OFFLINE: Plan = Plan { name: "ache-offline", selection: Selection::MostFrequent(FEATURES), ..FFC };

/// ACHE with a focus that adapts.
pub const OFFLINE_ONLINE: Plan =
    Plan { name: "ache-offline-online", learn_after: Some(LEARN_AFTER), ..OFFLINE };

/// ACHE that builds its focus from nothing.
pub const ONLINE: Plan = Plan { name: "ache-online", offline: false, ..OFFLINE_ONLINE };

/// With an apprentice.
pub const APPRENTICE: Plan =
    Plan { name: "ache-offline-online+apprentice", apprentice: true, ..OFFLINE_ONLINE };

/// With a backward crawl at each learning iteration.
pub const BACKWARD: Plan = Plan { name: "ache-offline-online+backward", backward: true, ..OFFLINE_ONLINE };

impl Plan {
    /// The same, gathering what it could learn from and never learning: what adapting adds is the
    /// difference to this.
    pub fn frozen(self) -> Plan {
        Plan { learn_after: self.learn_after.map(|_| u32::MAX), apprentice: false, ..self }
    }

    /// Levels that the link classifier tells apart: what is near can only be told from what is not.
    pub(super) fn classes(self) -> u8 {
        self.levels.max(2)
    }
}
