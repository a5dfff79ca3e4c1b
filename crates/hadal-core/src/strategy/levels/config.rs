//! Named configurations of the level strategies.

use super::examples::FeatureSelection;
use crate::strategy::baselines::SiteLimits;

/// Features selected per level and feature space. The ACHE paper leaves `k` of algorithm 2 open; its table 2
/// lists five.
const FEATURES_PER_SPACE: usize = 5;
/// Share of a level's examples that must contain a stem. The FFC paper (section 3.1) gives no number. Guess.
const MIN_SHARE: f32 = 0.05;
/// New relevant forms between learning iterations (ACHE paper, section 3.2).
const LEARN_AFTER: u32 = 100;

/// Configuration of a level strategy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelConfig {
    /// Name of the strategy.
    pub name: &'static str,
    /// Number of levels, each with its own queues.
    pub levels: u8,
    /// Method that selects the features of the link classifier.
    pub selection: FeatureSelection,
    /// Train the link classifier by a backward crawl before the crawl.
    pub offline: bool,
    /// New relevant forms between learning iterations; `None` keeps no paths and never learns online.
    pub learn_after: Option<u32>,
    /// Use an apprentice that predicts whether a link stays on topic.
    pub apprentice: bool,
    /// Crawl backward from new relevant forms at each learning iteration.
    pub backward: bool,
    /// Stopping criteria of sites.
    pub limits: SiteLimits,
}

/// The Form-Focused Crawler (FFC paper, section 3).
pub const FFC: LevelConfig = LevelConfig {
    name: "ffc",
    levels: 3,
    selection: FeatureSelection::MinShare(MIN_SHARE),
    offline: true,
    learn_after: None,
    apprentice: false,
    backward: false,
    limits: SiteLimits::USUAL,
};

/// The Form-Focused Crawler with one level, for immediate benefit only (FFC paper, section 4).
pub const FFC_1: LevelConfig = LevelConfig { name: "ffc-1", levels: 1, ..FFC };

/// ACHE, offline learning: a fixed link classifier (ACHE paper, section 4.1).
pub const ACHE_OFFLINE: LevelConfig = LevelConfig {
    name: "ache-offline",
    selection: FeatureSelection::MostFrequent(FEATURES_PER_SPACE),
    ..FFC
};

/// ACHE, offline-online learning: starts with a trained classifier and updates it (ACHE paper, section 4.1).
pub const ACHE_OFFLINE_ONLINE: LevelConfig =
    LevelConfig { name: "ache-offline-online", learn_after: Some(LEARN_AFTER), ..ACHE_OFFLINE };

/// ACHE, online learning: starts as `best-first-sc` and builds its classifier during the crawl (ACHE paper,
/// section 4.1).
pub const ACHE_ONLINE: LevelConfig =
    LevelConfig { name: "ache-online", offline: false, ..ACHE_OFFLINE_ONLINE };

/// ACHE with an apprentice, named as future work in the ACHE paper (section 6).
pub const ACHE_APPRENTICE: LevelConfig =
    LevelConfig { name: "ache-offline-online+apprentice", apprentice: true, ..ACHE_OFFLINE_ONLINE };

/// ACHE with a backward crawl at each learning iteration, named as future work in the ACHE paper (section 6).
pub const ACHE_BACKWARD: LevelConfig =
    LevelConfig { name: "ache-offline-online+backward", backward: true, ..ACHE_OFFLINE_ONLINE };

impl LevelConfig {
    /// The same configuration, but it only collects examples and never learns online. The difference between the two
    /// is the gain of adaptation.
    pub fn frozen(self) -> LevelConfig {
        LevelConfig { learn_after: self.learn_after.map(|_| u32::MAX), apprentice: false, ..self }
    }

    /// Classes of the link classifier. With one level it needs a second class to compare with.
    pub(super) fn classes(self) -> u8 {
        self.levels.max(2)
    }
}
