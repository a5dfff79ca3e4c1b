//! A query policy of your own, compared with two built-in ones on a generated collection:
//! `cargo run --release --example my_policy`.

use hadal_core::harvest::policy::{
    Policy, PolicyContext, PolicyEntry, PolicyRegistry, QueryOutcome, RequestCosts, RetryCounter,
};
use hadal_core::harvest::query::Query;
use hadal_core::text::words::each_word;
use hadal_eval::harvest::settings::setting;
use hadal_eval::harvest::{HIGHEST_LEVEL, HarvestTrialPlan, NamedCollection, run};
use hadal_eval::trials::TrialFolder;
use std::collections::{BTreeSet, HashSet};

/// Sends the longest word of the records seen so far that was not sent yet. Reads every answer to its end.
struct LongestWord {
    /// Words by length in bytes, then by alphabet.
    unsent: BTreeSet<(usize, String)>,
    sent: HashSet<String>,
    retries: RetryCounter,
}

impl LongestWord {
    fn new(context: &PolicyContext) -> LongestWord {
        let unsent = context.first_words.iter().map(|word| (word.len(), word.clone())).collect();
        LongestWord { unsent, sent: HashSet::new(), retries: RetryCounter::default() }
    }
}

impl Policy for LongestWord {
    fn choose(&mut self, costs: &RequestCosts) -> Option<Query> {
        self.top_queries(costs, 1).pop().map(|(query, _)| query)
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        if self.retries.is_settled(answer) {
            let word = answer.query.words.clone();
            self.unsent.remove(&(word.len(), word.clone()));
            self.sent.insert(word);
        }
        for hit in answer.hits {
            each_word(hit.text, |word| {
                if !self.sent.contains(word) {
                    self.unsent.insert((word.len(), word.to_string()));
                }
            });
        }
    }

    fn top_queries(&self, _costs: &RequestCosts, limit: usize) -> Vec<(Query, f64)> {
        self.unsent.iter().rev().take(limit).map(|(_, word)| (Query::words(word), 0.0)).collect()
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
        until_percent: HIGHEST_LEVEL,
    };
    let folder = tempfile::tempdir()?;
    for trial in run(&plan, &policies, &TrialFolder::open(folder.path())?, 1, &|_| ())? {
        println!("{:18} {:5.0} requests to 90 % of the records", trial.case.policy, trial.requests_to(3));
    }
    Ok(())
}
