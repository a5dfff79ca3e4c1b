//! Keys of a run in memory, so that a crawl asks the server for few of them.
//!
//! For each page a crawl looks up its links, forms and sites. Only the worker that holds the lease of a run, or of a
//! partition, adds any to it. So it keeps their keys from [`KnownKeys::load`] on and answers from memory. States of
//! hosts are large and asked for once per host: only the names of the requested ones are kept.

use super::super::{Batch, FoundForm, FrontierChange, LookUp, LookUpResult, RunId};
use super::codec::{Columns, bits};
use super::connection::{ServerConnection, command};
use super::fault::Fault;
use super::frontier::{self, SITE_COUNTERS, site_counters};
use super::workers;
use crate::store::Partition;
use hadal_core::address::{Host, Site};
use hadal_core::identity::FormId;
use hadal_core::strategy::SiteCounters;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Number of links up to which their keys are kept: about 100 MB. A larger run asks the server. Guess.
const MAX_LINKS: i64 = 5_000_000;

/// Keys of the rows of a run.
pub struct KnownKeys {
    links: FxHashSet<u64>,
    forms: FxHashSet<FormId>,
    sites: FxHashMap<Site, SiteCounters>,
    /// Hosts that were requested.
    hosts: FxHashSet<Host>,
}

/// Reads the keys of the hosts of a run, or of some of its partitions. `None` if there are too many.
pub fn stored_hosts(
    connection: &ServerConnection,
    run: RunId,
    partitions: Option<&BTreeSet<Partition>>,
) -> Result<Option<Vec<i64>>, Fault> {
    let sql = "SELECT array_agg(id) FROM (SELECT id FROM hosts WHERE run = $1
            AND ($3::smallint[] IS NULL OR partition = ANY($3)) LIMIT $2) AS kept";
    let partitions = partitions.map(workers::numbers);
    let found = connection.query(command!(sql, bits(run.0), MAX_LINKS + 1, partitions))?;
    let hosts: Option<Vec<i64>> = found.first().map_or(Ok(None), |row| row.column(0))?;
    Ok(Some(hosts.unwrap_or_default()).filter(|hosts| hosts.len() as i64 <= MAX_LINKS))
}

impl KnownKeys {
    /// Reads the keys of a run, or of some of its partitions, in one round trip. `None` if there are too
    /// many. Forms and sites are those of the whole run, since they are few.
    pub fn load(
        connection: &ServerConnection,
        run: RunId,
        partitions: Option<&BTreeSet<Partition>>,
    ) -> Result<Option<KnownKeys>, Fault> {
        let links =
            "SELECT array_agg(id) FROM (SELECT id FROM links WHERE run = $1 AND ($3::smallint[] IS NULL
            OR host IN (SELECT id FROM hosts WHERE run = $1 AND partition = ANY($3))) LIMIT $2) AS kept";
        let partitions: Option<Vec<i16>> =
            partitions.map(|gained| gained.iter().copied().map(workers::number).collect());
        let sites = format!("SELECT {SITE_COUNTERS}, site FROM sites WHERE run = $1");
        let hosts = "SELECT host FROM hosts WHERE run = $1 AND next_at IS NOT NULL";
        let found = connection.run(&[
            command!(links, bits(run.0), MAX_LINKS + 1, partitions),
            command!("SELECT form_id FROM forms WHERE run = $1", bits(run.0)),
            command!(sites, bits(run.0)),
            command!(hosts, bits(run.0)),
        ])?;
        let links: Option<Vec<i64>> = found[0].first().map_or(Ok(None), |row| row.column(0))?;
        let links = links.unwrap_or_default();
        if links.len() as i64 > MAX_LINKS {
            return Ok(None);
        }
        let site = |row: &tokio_postgres::Row| Ok((Site(row.column(10)?), site_counters(row, 0)?));
        Ok(Some(KnownKeys {
            links: links.into_iter().map(i64::cast_unsigned).collect(),
            forms: found[1].iter().map(|row| row.parsed(0)).collect::<Result<_, Fault>>()?,
            sites: found[2].iter().map(site).collect::<Result<_, Fault>>()?,
            hosts: found[3].iter().map(|row| row.column(0).map(Host)).collect::<Result<_, Fault>>()?,
        }))
    }

    /// Adds the keys of further partitions.
    pub fn merge(&mut self, more: KnownKeys) {
        self.links.extend(more.links);
        self.forms.extend(more.forms);
        self.sites.extend(more.sites);
        self.hosts.extend(more.hosts);
    }

    /// Adds the keys of a batch, before it is written.
    pub fn add(&mut self, batch: &Batch) {
        for outcome in &batch.outcomes {
            self.links.extend(outcome.found.iter().map(|queued| queued.link.id.0));
            self.forms.extend(outcome.forms.iter().filter_map(FoundForm::new_id));
            self.sites.extend(outcome.site.clone());
            self.hosts.extend(outcome.hosts.iter().map(|state| state.host.clone()));
        }
        for change in &batch.changes {
            match change {
                FrontierChange::Add(links) => self.links.extend(links.iter().map(|queued| queued.link.id.0)),
                FrontierChange::CloseSite(site) => {
                    self.sites.entry(site.clone()).or_default().closed = true;
                }
                _ => {}
            }
        }
    }

    /// True if the answer to a look-up is in memory as a whole.
    pub fn has_all(&self, keys: &LookUp<'_>) -> bool {
        keys.link_rows.is_empty() && !keys.hosts.iter().any(|host| self.hosts.contains(host))
    }

    /// Answers a look-up. Only rows of links and states of requested hosts are read.
    pub fn look_up(
        &self,
        connection: &ServerConnection,
        run: RunId,
        keys: &LookUp<'_>,
    ) -> Result<LookUpResult, Fault> {
        let requested: Vec<Host> =
            keys.hosts.iter().filter(|host| self.hosts.contains(host)).cloned().collect();
        let unknown = LookUp { hosts: &requested, link_rows: keys.link_rows, ..LookUp::default() };
        let read = frontier::look_up(connection, run, &unknown)?;
        let states: FxHashMap<&Host, _> = requested.iter().zip(read.hosts).collect();
        Ok(LookUpResult {
            link_rows: read.link_rows,
            links: keys.links.iter().map(|link| self.links.contains(&link.0)).collect(),
            forms: keys.forms.iter().map(|form| self.forms.contains(form)).collect(),
            hosts: keys.hosts.iter().map(|host| states.get(host).cloned().flatten()).collect(),
            sites: keys.sites.iter().map(|site| self.sites.get(site).copied().unwrap_or_default()).collect(),
        })
    }
}
