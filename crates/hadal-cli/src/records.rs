//! `hadal records`: lists downloaded records.

use super::exit::Exit;
use super::harvested::{HarvestedArgs, some_words};
use super::list::list;
use super::session::Session;
use super::wacz::warc_files;
use anyhow::Context;
use clap::Args;
use hadal::fetch::warc_index::WarcIndex;
use hadal::output::harvested::ArchivedRecord;
use hadal::store::{HarvestId, HarvestQuery, RecordRow, Store, all_records};
use hadal_core::address::Site;
use hadal_core::time::Time;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// List or export the records that harvests downloaded
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal records --topic book --format csv --output books.csv
  hadal records --search \"deep sea\" --limit 20
  hadal records --since 7d --format jsonl")]
pub struct RecordsArgs {
    #[command(flatten)]
    filter: HarvestedArgs,
    /// Only records with all of these words in their title, text or detail page
    #[arg(long, value_name = "WORDS", value_parser = some_words)]
    search: Option<String>,
    /// Only records that were found, changed or removed since a date (2026-11-01, 2026-11-01T12:00:00Z) or in the last
    /// time (7d, 12h)
    #[arg(long, value_name = "DATE|TIME", value_parser = moment)]
    since: Option<Time>,
    /// WARC files of --warc, or a folder of them: columns `warc_file` and `warc_offset` name the response with the
    /// record
    #[arg(long, value_name = "FILE|DIR")]
    warc: Option<PathBuf>,
}

/// Parses a date in UTC, or a duration before now.
fn moment(text: &str) -> Result<Time, String> {
    let since_epoch = |at: SystemTime| at.duration_since(UNIX_EPOCH).ok().map(|since| Time(0).after(since));
    let date = humantime::parse_rfc3339_weak(text.trim());
    let date = date.or_else(|_| humantime::parse_rfc3339_weak(&format!("{}T00:00:00", text.trim())));
    let ago = || humantime::parse_duration(text).ok().and_then(|ago| SystemTime::now().checked_sub(ago));
    date.ok().or_else(ago).and_then(since_epoch).ok_or_else(|| {
        "expected a date such as 2026-11-01, a time such as 2026-11-01T12:00:00Z, or 7d".to_string()
    })
}

pub fn run(args: &RecordsArgs, session: &Session) -> anyhow::Result<Exit> {
    let store = session.reader()?;
    let mut query = args.filter.query(store.as_ref(), args.search.as_ref())?;
    query.since = args.since;
    let nothing = "no matching records; harvest a form first or loosen the filters";
    let rows = all_records(store.as_ref(), query);
    match &args.warc {
        None => list(&args.filter.list, session, nothing, rows),
        Some(warc) => {
            let index = WarcIndex::of_files(&warc_files(warc)?)
                .with_context(|| format!("could not read {}", warc.display()))?;
            let sites = search_sites(store.as_ref())?;
            let archived = |row: RecordRow| {
                let site = sites.get(&row.harvest);
                let place = site.and_then(|site| index.last_until(site, row.fetched_at)).cloned();
                ArchivedRecord { row, place }
            };
            list(&args.filter.list, session, nothing, rows.map(|row| row.map(archived)))
        }
    }
}

/// Site that answers the queries of each harvest.
fn search_sites(store: &dyn Store) -> anyhow::Result<BTreeMap<HarvestId, Site>> {
    let harvests = store.harvests(&HarvestQuery::default())?;
    Ok(harvests.iter().map(|row| (row.id, Site::of(&row.spec.form_snapshot.action))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_date_a_time_or_a_duration_before_now() {
        assert_eq!(moment("1970-01-02"), Ok(Time(86_400_000)));
        assert_eq!(moment("1970-01-02T00:00:01Z"), Ok(Time(86_401_000)));
        assert!(moment("7d").unwrap() < moment("1h").unwrap());
        assert!(moment("yesterday").is_err());
    }
}
