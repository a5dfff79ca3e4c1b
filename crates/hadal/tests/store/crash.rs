//! A process that writes into a store, crawling and harvesting, is killed at any moment: what was synced
//! is there, whole.
//!
//! The test binary starts itself again as the victim, which commits and syncs without end and says
//! after each sync how far it got.

use crate::fixture::*;
use crate::harvest_fixture::*;
use hadal::store::*;
use hadal_core::address::LinkId;
use hadal_core::link::QueuedLink;
use hadal_core::strategy::SiteCounters;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FOLDER: &str = "HADAL_TEST_VICTIM_FOLDER";
const LINKS: u64 = 40;
const RECORDS: u64 = 5;
const KILLS: u64 = 20;

fn links(round: u64) -> Vec<QueuedLink> {
    let link = |n| lead(&format!("http://s{n}.org/{round}"), n % 3, 0.5, round * LINKS + n);
    (0..LINKS).map(link).collect()
}

/// One round: the dispatch of its first lead in one commit, the outcome in another, the two steps of a
/// query in two more, then a sync.
fn play(store: &dyn Store, run: RunId, harvest: HarvestId, round: u64) {
    let leads = links(round);
    store.commit(run, &Batch { sent: vec![dispatch(round, &leads[0])], ..adding(&leads) }).unwrap();
    let end = Outcome {
        forms: vec![new_form(form(round, leads[0].link.url.as_str(), 0.9, 0.9))],
        ..visit(round, &leads[0], SiteCounters { pages: 1, ..SiteCounters::default() })
    };
    let progress = Some(RunProgress { next_seq: round + 1, ..RunProgress::default() });
    store.commit(run, &Batch { progress, ..ending(vec![end]) }).unwrap();
    let (number, first) = (round as u32, round * RECORDS);
    commit_steps(&*store, harvest, &[harvest_step(2 * round, number, first..first + 2)]);
    let rest = harvest_step(2 * round + 1, number, first + 2..first + RECORDS);
    let answer = Some(asked(number, first..first + RECORDS));
    commit_steps(&*store, harvest, &[HarvestStep { asked: answer, ..rest }]);
    store.sync().unwrap();
}

/// Not a test of its own: plays rounds until it is killed, when the other test asks for it.
#[test]
fn victim() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let store = open(&folder, Access::Crawl).unwrap();
    let (run, harvest) = (begin(&*store), begin_harvest(&*store));
    for round in store.resume(run).unwrap().progress.next_seq.. {
        play(&*store, run, harvest, round);
        println!("synced {}", round + 1);
    }
}

/// Starts a victim, kills it a moment after it said something and tells how far it surely got.
fn kill_one(folder: &str, after_lines: u64, then: Duration) -> u64 {
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::victim", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut rounds = lines.filter_map(|line| line.rsplit_once("synced ")?.1.parse::<u64>().ok());
    let mut said = 0;
    for _ in 0..after_lines {
        said = rounds.next().expect("the victim goes on until it is killed");
    }
    let moment = Instant::now();
    while moment.elapsed() < then {
        std::hint::spin_loop();
    }
    victim.kill().unwrap();
    victim.wait().unwrap();
    rounds.last().unwrap_or(said)
}

/// How many rounds are in the store, after checking that each of them is there whole.
fn whole_rounds(folder: &str, access: Access) -> u64 {
    let store = open(folder, access).unwrap();
    let run = runs(&*store)[0].id;
    let checkpoint = store.resume(run).unwrap();
    let rounds = checkpoint.progress.next_seq;
    let expected = RunCounters {
        requests: rounds,
        bytes: 100 * rounds,
        pages: rounds,
        sites: 1,
        forms: rounds,
        searchable: rounds,
        relevant: rounds,
        waiting: rounds * (LINKS - 1),
        ..RunCounters::default()
    };
    assert_eq!(checkpoint.counters, expected);
    assert_eq!(checkpoint.in_flight, []);
    assert_eq!(checkpoint.queues.iter().map(|queue| queue.length).sum::<u64>(), expected.waiting);
    assert_eq!(forms(&*store, &FormQuery::default()).len() as u64, rounds);
    assert_eq!(pages(&*store, run).len() as u64, rounds);
    let ids = |round| links(round).iter().map(|waiting| waiting.link.id).collect::<Vec<LinkId>>();
    assert!((0..rounds).all(|round| known(&*store, run, &ids(round)) == [true; LINKS as usize]));
    assert_eq!(known(&*store, run, &ids(rounds)), [false; LINKS as usize]);
    assert_harvested(&*store, rounds);
    rounds
}

/// Whether the harvest is there whole, as far as this many rounds.
fn assert_harvested(store: &dyn Store, rounds: u64) {
    let harvest = store.harvests(&HarvestQuery::default()).unwrap()[0].id;
    let checkpoint = store.resume_harvest(harvest).unwrap();
    let tally = checkpoint.row.counters;
    assert_eq!((tally.records, tally.queries, tally.requests), (rounds * RECORDS, rounds, 2 * rounds));
    assert_eq!((checkpoint.next_seq, checkpoint.open), (2 * rounds, vec![]));
    assert!(
        past(store, harvest)
            .iter()
            .all(|answer| answer.records.iter().filter(|hit| hit.is_new).count() as u64 == RECORDS)
    );
    let found = HarvestRowQuery { search: Some("record".into()), ..HarvestRowQuery::default() };
    assert_eq!(records(store, &found).len() as u64, rounds * RECORDS);
}

#[test]
fn a_store_survives_twenty_kills_with_every_sync_whole() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let mut before = 0;
    for n in 0..KILLS {
        let said = kill_one(folder, 1 + n % 4, Duration::from_micros(n * 7919 % 6007));
        let read = whole_rounds(folder, Access::Read);
        let reopened = whole_rounds(folder, Access::Crawl);
        assert_eq!(read, reopened);
        assert!(said <= read && read <= said + 1 && before < read, "{before} {said} {read}");
        before = read;
    }
}
