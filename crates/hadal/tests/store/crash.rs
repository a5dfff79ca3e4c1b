//! A process that crawls and harvests into a store is killed at a random moment. Everything synced before is complete.
//!
//! The test binary starts itself again as the process to kill. That process commits and syncs without end, and prints
//! the number of rounds after each sync.

use hadal::store::*;
use hadal_core::address::LinkId;
use hadal_core::link::QueuedLink;
use hadal_core::strategy::SiteCounters;
use hadal_store_contract::fixture::*;
use hadal_store_contract::harvest_fixture::*;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FOLDER: &str = "HADAL_TEST_VICTIM_FOLDER";
const LINKS: u64 = 40;
const RECORDS: u64 = 5;
const KILLS: u64 = 20;

fn links(round: u64) -> Vec<QueuedLink> {
    let link = |n| queued_link(&format!("http://s{n}.org/{round}"), n % 3, 0.5, round * LINKS + n);
    (0..LINKS).map(link).collect()
}

/// One round: a commit that sends its first link, one with the outcome, two with the steps of a query, and a sync.
fn run_round(store: &dyn Store, run: RunId, harvest: HarvestId, round: u64) {
    let links = links(round);
    store.commit(run, &Batch { sent: vec![sent_step(round, &links[0])], ..adding(&links) }).unwrap();
    let end = Outcome {
        forms: vec![new_form(form(round, links[0].link.url.as_str(), 0.9, 0.9))],
        ..visit(round, &links[0], SiteCounters { pages: 1, ..SiteCounters::default() })
    };
    let progress = Some(RunProgress { next_seq: round + 1, ..RunProgress::default() });
    store.commit(run, &Batch { progress, ..ending(vec![end]) }).unwrap();
    let (number, first) = (round as u32, round * RECORDS);
    commit_steps(store, harvest, &[harvest_step(2 * round, number, first..first + 2)]);
    let rest = harvest_step(2 * round + 1, number, first + 2..first + RECORDS);
    let answer = Some(query_row(number, first..first + RECORDS));
    commit_steps(store, harvest, &[HarvestStep { finished_query: answer, ..rest }]);
    store.sync().unwrap();
}

/// Not a test by itself: runs rounds until it is killed, if the other test started it.
#[test]
fn child_process() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let store = open(&folder, Access::Crawl).unwrap();
    let (run, harvest) = (begin(&*store), begin_harvest(&*store));
    for round in store.resume(run, usize::MAX).unwrap().progress.next_seq.. {
        run_round(&*store, run, harvest, round);
        println!("synced {}", round + 1);
    }
}

/// Starts a process, kills it soon after it printed a line, and returns the number of rounds that it printed last.
fn kill_child(folder: &str, after_lines: u64, then: Duration) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child_process", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut rounds = lines.filter_map(|line| line.rsplit_once("synced ")?.1.parse::<u64>().ok());
    let mut printed = 0;
    for _ in 0..after_lines {
        printed = rounds.next().expect("the child runs until it is killed");
    }
    let moment = Instant::now();
    while moment.elapsed() < then {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    rounds.last().unwrap_or(printed)
}

/// Returns the number of rounds in the store, after a check that each of them is complete.
fn complete_rounds(folder: &str, access: Access) -> u64 {
    let store = open(folder, access).unwrap();
    let run = runs(&*store)[0].id;
    let checkpoint = store.resume(run, usize::MAX).unwrap();
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

/// Checks that the harvest is complete up to this number of rounds.
fn assert_harvested(store: &dyn Store, rounds: u64) {
    let harvest = store.harvests(&HarvestQuery::default()).unwrap()[0].id;
    let checkpoint = store.resume_harvest(harvest).unwrap();
    let counters = checkpoint.row.counters;
    assert_eq!(
        (counters.records, counters.queries, counters.requests),
        (rounds * RECORDS, rounds, 2 * rounds)
    );
    assert_eq!(checkpoint.next_seq, 2 * rounds);
    assert!(
        past(store, harvest)
            .iter()
            .all(|answer| answer.records.iter().filter(|hit| hit.is_new).count() as u64 == RECORDS)
    );
    let found = HarvestRowQuery { search: Some("record".into()), ..HarvestRowQuery::default() };
    assert_eq!(records(store, &found).len() as u64, rounds * RECORDS);
}

#[test]
fn a_store_survives_twenty_kills_with_every_sync_complete() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let mut before = 0;
    for n in 0..KILLS {
        let printed = kill_child(folder, 1 + n % 4, Duration::from_micros(n * 7919 % 6007));
        let read = complete_rounds(folder, Access::Read);
        let reopened = complete_rounds(folder, Access::Crawl);
        assert_eq!(read, reopened);
        assert!(printed <= read && read <= printed + 1 && before < read, "{before} {printed} {read}");
        before = read;
    }
}
