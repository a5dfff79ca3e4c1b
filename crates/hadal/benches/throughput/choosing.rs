//! Choosing the next query, once a million records of a million words have come.

use super::{Anyhow, cpu, peak_mb, say};
use hadal_core::harvest::policy::{self, Asked, Briefing, Costs, End, Hit, Policy, Total};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::record::RecordId;
use hadal_core::learn::random::Random;

const RECORDS: u64 = 1_000_000;
/// Words there are, of which the rarest are met once or never.
const WORDS: f64 = 1_500_000.0;
/// Words of a record.
const LENGTH: usize = 24;
/// Records of an answer.
const ANSWER: u64 = 1_000;
/// Queries that are chosen.
const CHOSEN: u32 = 40;

/// CPU time and memory of each policy that chooses by what came.
pub fn choose_all(name: &str) -> Anyhow<()> {
    let offer = policy::offer(name).ok_or_else(|| anyhow::anyhow!("no policy {name}"))?;
    let mut policy = offer.make(&Briefing { first: vec!["w1".into()], ..Briefing::default() });
    let costs = Costs { query: 1.0, page: 1.0, detail: 0.0, page_size: 10, cap: Some(ANSWER as u32) };
    let mut random = Random::new(7);
    for number in 0..RECORDS / ANSWER {
        answer(&mut *policy, &Query::words(&word(&mut random)), number * ANSWER, &mut random);
    }
    let (mut chosen, mut spent) = (0, 0.0);
    for _ in 0..CHOSEN {
        let start = cpu()?;
        let query = policy.choose(&costs);
        spent += cpu()? - start;
        let Some(query) = query else { break };
        chosen += 1;
        answer(&mut *policy, &query, random.bits() % RECORDS, &mut random);
    }
    anyhow::ensure!(chosen == CHOSEN, "{name} ran out of words");
    say(&format!("choose a query, {name}"), 1_000.0 * spent / f64::from(CHOSEN), "CPU-ms");
    say(&format!("peak memory, {name}"), peak_mb()?, "MB");
    Ok(())
}

/// A word, drawn as often as words are.
fn word(random: &mut Random) -> String {
    format!("w{}", WORDS.powf(random.share()) as u64)
}

/// Has a query answered with records from a number on.
fn answer(policy: &mut dyn Policy, query: &Query, from: u64, random: &mut Random) {
    let text = |_| (0..LENGTH).map(|_| word(random)).collect::<Vec<_>>().join(" ");
    let texts: Vec<String> = (0..ANSWER).map(text).collect();
    let hit = |(number, text)| Hit { id: RecordId(number), is_new: true, title: "", text, fields: &[] };
    let hits: Vec<Hit<'_>> = (from..).zip(texts.iter().map(String::as_str)).map(hit).collect();
    let total = Some(Total::Exactly(3 * ANSWER));
    policy.learn(&Asked { query, hits: &hits, total, pages: 100, end: End::Last });
}
