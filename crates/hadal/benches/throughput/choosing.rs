//! Cost of choosing the next query after a million records.

use super::{Anyhow, cpu, peak_mb, say};
use hadal_core::harvest::policy::{
    self, Hit, Policy, PolicyContext, QueryOutcome, ReadingEnd, RequestCosts, StatedTotal,
};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::record::RecordId;
use hadal_core::learn::rng::Rng;
use std::ops::Range;

const RECORDS: u64 = 1_000_000;
/// Size of the vocabulary; the rarest words occur once or never.
const WORDS: f64 = 1_500_000.0;
/// Words per record.
const LENGTH: usize = 24;
/// Records per answer while the policy is filled.
const LIST: u64 = 1_000;
/// Records per answer, one of them new.
const ANSWER: u64 = 10;
/// Number of measured choices.
const CHOSEN: u64 = 40;

/// CPU time and memory of each adaptive policy.
pub fn choose_all(name: &str) -> Anyhow<()> {
    let entry = policy::find_policy(name).ok_or_else(|| anyhow::anyhow!("no policy {name}"))?;
    let mut policy =
        entry.make(&PolicyContext { first_words: vec!["w1".into()], ..PolicyContext::default() });
    let costs = RequestCosts { query: 1.0, page: 1.0, detail: 0.0, page_size: 10, cap: Some(100) };
    let mut random = Rng::new(7);
    for list in 0..RECORDS / LIST {
        answer(&mut *policy, &Query::default(), list * LIST..(list + 1) * LIST, &mut random);
    }
    let (mut chosen, mut spent) = (0u64, 0.0);
    for _ in 0..CHOSEN {
        let start = cpu()?;
        let query = policy.choose(&costs);
        spent += cpu()? - start;
        let Some(query) = query else { break };
        chosen += 1;
        let from = RECORDS + chosen - ANSWER;
        answer(&mut *policy, &query, from..from + ANSWER, &mut random);
    }
    anyhow::ensure!(chosen == CHOSEN, "{name} ran out of words");
    say(&format!("choose a query, {name}"), 1_000.0 * spent / CHOSEN as f64, "CPU-ms");
    say(&format!("peak memory, {name}"), peak_mb()?, "MB");
    Ok(())
}

/// A word drawn from a Zipf distribution.
fn word(random: &mut Rng) -> String {
    format!("w{}", WORDS.powf(random.fraction()) as u64)
}

/// Answers a query with records that contain its words.
fn answer(policy: &mut dyn Policy, query: &Query, records: Range<u64>, random: &mut Rng) {
    let text = |_| {
        let words = (0..LENGTH).map(|_| word(random));
        words.chain([query.words.clone()]).collect::<Vec<_>>().join(" ")
    };
    let texts: Vec<String> = records.clone().map(text).collect();
    let hit = |(number, text)| Hit { id: RecordId(number), is_new: true, title: "", text, fields: &[] };
    let hits: Vec<Hit<'_>> = records.zip(texts.iter().map(String::as_str)).map(hit).collect();
    let total = Some(StatedTotal::Exactly(hits.len() as u64)).filter(|_| !query.words.is_empty());
    policy.learn(&QueryOutcome { query, hits: &hits, total, pages: 1, end: ReadingEnd::LastPage });
}
