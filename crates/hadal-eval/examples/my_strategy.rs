//! A strategy of your own, compared with two built-in ones on a small simulated web:
//! `cargo run --release --example my_strategy`.

use hadal_core::link::{FrontierLink, QueueId};
use hadal_core::strategy::*;
use hadal_eval::find::{FindPlan, Preset, run};
use hadal_eval::trials::TrialFolder;

/// Follows links with the word "search" in their anchor text first, then links of pages on topic.
struct SearchAnchors;

impl Strategy for SearchAnchors {
    fn place(&self, link: &FrontierLink, _site: &SiteCounters) -> Placement {
        let is_search = link.context.anchor.to_lowercase().contains("search");
        let parent = link.parent.as_ref().map_or(1.0, |parent| parent.p_topic);
        Placement::Enqueue { queue: QueueId(0), score: parent + f32::from(u8::from(is_search)) }
    }

    fn choose(&mut self, heads: &dyn QueueHeads) -> QueueChoice {
        serve_best(heads)
    }

    fn learn(&mut self, _visit: &PageVisit<'_>) -> Vec<StrategyCommand> {
        Vec::new()
    }
}

fn main() -> anyhow::Result<()> {
    let mut strategies = StrategyRegistry::built_in();
    let about = "links that mention search first";
    strategies.register(StrategyEntry::new("search-anchors", about, |_| Box::new(SearchAnchors)))?;
    let plan = FindPlan {
        world: Preset::Tiny,
        sites: None,
        seeds: vec![1],
        topics: vec!["book".into()],
        strategies: ["breadth-first", "search-anchors", "hadal"].map(String::from).to_vec(),
        requests: 300,
    };
    let folder = tempfile::tempdir()?;
    let trials = run(&plan, &strategies, &TrialFolder::open(folder.path())?, 1, 1 << 28, &|_| ())?;
    for trial in &trials {
        let end = trial.end();
        println!(
            "{:15} {:3} relevant forms with {} requests",
            trial.spec.strategy, end.relevant, end.requests
        );
    }
    Ok(())
}
