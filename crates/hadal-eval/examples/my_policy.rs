//! A query policy of your own, compared with two built-in ones on a generated collection:
//! `cargo run --release --example my_policy`.

use hadal_core::harvest::policy::{
    Policy, PolicyContext, PolicyEntry, PolicyRegistry, QueryOutcome, RequestCosts,
};
use hadal_core::harvest::query::Query;
use hadal_eval::harvest::settings::setting;
use hadal_eval::harvest::{HarvestTrialPlan, NamedCollection, run};
use hadal_eval::trial_folder::TrialFolder;
use std::collections::{HashMap, HashSet};

/// Sends the longest word of the records seen so far that was not sent yet. Reads every answer to its end.
struct LongestWord {
    candidates: HashMap<String, usize>,
    sent: HashSet<String>,
}

impl LongestWord {
    fn new(context: &PolicyContext) -> LongestWord {
        let candidates = context.first_words.iter().map(|word| (word.clone(), word.len())).collect();
        LongestWord { candidates, sent: HashSet::new() }
    }
}

impl Policy for LongestWord {
    fn choose(&mut self, _costs: &RequestCosts) -> Option<Query> {
        let unsent = self.candidates.iter().filter(|(word, _)| !self.sent.contains(*word));
        let (word, _) = unsent.max_by_key(|(word, length)| (**length, word.as_str()))?;
        let word = word.clone();
        self.sent.insert(word.clone());
        Some(Query::words(&word))
    }

    fn wants_next_page(&self, _answer: &QueryOutcome<'_>, _costs: &RequestCosts) -> bool {
        true
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        for hit in answer.hits {
            for word in hit.text.split_whitespace() {
                self.candidates.insert(word.to_lowercase(), word.len());
            }
        }
    }

    fn top_queries(&self, _costs: &RequestCosts, _most: usize) -> Vec<(Query, f64)> {
        Vec::new()
    }
}

fn main() -> anyhow::Result<()> {
    let mut policies = PolicyRegistry::built_in();
    let about = "the longest word seen so far";
    policies
        .register(PolicyEntry::new("longest-word", about, |context| Box::new(LongestWord::new(context))))?;
    let plan = HarvestTrialPlan {
        collections: NamedCollection::generated().into_iter().take(1).collect(),
        records: 500,
        settings: setting("base").into_iter().collect(),
        policies: ["generic-frequency", "longest-word", "hadal"].map(String::from).to_vec(),
        seeds: vec![1],
        requests: None,
    };
    let folder = tempfile::tempdir()?;
    for trial in run(&plan, &policies, &TrialFolder::open(folder.path())?, 1, &|_| ())? {
        println!("{:18} {:5.0} requests to 90 % of the records", trial.case.policy, trial.requests_to(3));
    }
    Ok(())
}
