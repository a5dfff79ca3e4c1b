//! Fills a store with harvests: one with half of all records, nine that share the rest.

use super::Anyhow;
use hadal::store::*;
use hadal_core::harvest::policy::{ReadingEnd, StatedTotal};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use hadal_core::learn::rng::Rng;
use hadal_core::page::{Field, FieldKind, Form};
use hadal_core::time::Time;
use url::Url;

const HARVESTS: u64 = 10;
const RECORDS_PER_STEP: u64 = 10;
const STEPS_PER_QUERY: u64 = 5;
/// Records per answer; most are known.
const HITS: u64 = 200;
/// Steps per commit.
const STEPS: u64 = 500;
const VOCABULARY: f64 = 20_000.0;

/// Search words with their frequency among the records of the first harvest, see [`text`].
pub const SOUGHT: [(&str, &str); 6] = [
    ("common", "in every record"),
    ("common rare", "in one of a thousand"),
    ("odd even", "in half of them each, in none together"),
    ("elsewhere", "only in other harvests"),
    ("common elsewhere", "one of them only in other harvests"),
    ("nowhere", "in none"),
];

/// Fills a store. Without records there is one empty harvest.
pub fn fill(store: &dyn Store, records: u64) -> Anyhow<()> {
    let began: Vec<HarvestId> = (0..HARVESTS).map(|n| begin(store, n)).collect::<Anyhow<_>>()?;
    let (mut random, mut seqs) = (Rng::new(1), vec![0; began.len()]);
    for step in 0..records / RECORDS_PER_STEP {
        let n = if step % 2 == 0 { 0 } else { 1 + (step / 2 % (HARVESTS - 1)) as usize };
        store.commit_harvest(began[n], &taken(n, seqs[n], &mut random).into())?;
        seqs[n] += 1;
        if step.is_multiple_of(STEPS) {
            store.sync()?;
        }
    }
    Ok(store.sync()?)
}

fn begin(store: &dyn Store, n: u64) -> Anyhow<HarvestId> {
    let page = Url::parse(&format!("http://www.site-{n}.example/find"))?;
    let fields = vec![Field::new(FieldKind::Text, "q", ""), Field::new(FieldKind::Hidden, "s", "1")];
    let spec = HarvestSpec {
        form: FormId(n + 1),
        topic: "book".into(),
        form_snapshot: Form::to(page.join("results")?, Method::Get, fields),
        page,
        policy: "hadal".into(),
        seed: 1,
        source: "web".into(),
    };
    Ok(store.begin_harvest(&spec, Time(0))?)
}

fn taken(harvest: usize, seq: u64, random: &mut Rng) -> HarvestStep {
    let number = (seq / STEPS_PER_QUERY) as u32;
    let ids = seq * RECORDS_PER_STEP..(seq + 1) * RECORDS_PER_STEP;
    let is_end = seq % STEPS_PER_QUERY == STEPS_PER_QUERY - 1;
    let size = 1e6;
    HarvestStep {
        seq,
        at: Time(seq),
        requests: 1,
        bytes: 30_000,
        pages: 1,
        finished_query: is_end.then(|| asked(number, ids.end)),
        records: ids.map(|id| record(harvest, id, number, random)).collect(),
        estimate: Some(HarvestEstimate { size: [size / 2.0, size, size * 2.0], coverage: [0.2, 0.5, 0.8] }),
        next: vec!["deep sea".into(), "whales".into()],
        ..HarvestStep::default()
    }
}

fn asked(number: u32, end: u64) -> QueryRow {
    QueryRow {
        harvest: HarvestId(0),
        form: FormId(0),
        number,
        query: Query::words("deep sea"),
        words: "deep sea".into(),
        kind: "word".into(),
        total: Some(StatedTotal::About(2000)),
        found: HITS as u32,
        new: (RECORDS_PER_STEP * STEPS_PER_QUERY) as u32,
        pages: STEPS_PER_QUERY as u32,
        requests: STEPS_PER_QUERY as u32,
        end: ReadingEnd::Paused,
        at: Time(end),
        hits: (end.saturating_sub(HITS)..end).map(RecordId).collect(),
        next: None,
        rechecks: QueryRechecks::default(),
    }
}

fn record(harvest: usize, id: u64, asked: u32, random: &mut Rng) -> RecordRow {
    let text = text(harvest, id, random);
    RecordRow {
        harvest: HarvestId(0),
        form: FormId(0),
        topic: String::new(),
        record: Record {
            id: RecordId(id),
            url: Url::parse(&format!("http://www.site-{harvest}.example/record/{id}")).ok(),
            title: text.split_inclusive(' ').take(5).collect(),
            text,
            fields: vec![
                ("year".into(), (1800 + id % 200).to_string()),
                ("author".into(), "J. Verne".into()),
            ],
        },
        query_number: asked,
        words: "deep sea".into(),
        position: (id % HITS) as u32,
        fetched_at: Time(id),
        detail: None,
        dates: RecordDates::default(),
    }
}

/// Thirty words with a skewed distribution, and those of [`SOUGHT`].
fn text(harvest: usize, id: u64, random: &mut Rng) -> String {
    let half = if id.is_multiple_of(2) { "even" } else { "odd" };
    let rare = if id % 1000 == 999 { " rare" } else { "" };
    let elsewhere = if harvest > 0 { " elsewhere" } else { "" };
    let mut text = format!("common {half}{rare}{elsewhere}");
    for _ in 0..30 {
        text.push_str(&format!(" w{:x}", VOCABULARY.powf(random.fraction()) as u64));
    }
    text
}
