//! Rows that a commit refers to, read before anything is written.

use super::super::*;
use super::codec::{Columns, bits};
use super::connection::{Command, ServerConnection, command};
use super::fault::Fault;
use super::frontier::link_state;
use super::run_commit::Target;
use super::runs;
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::identity::FormId;
use hadal_core::link::QueueId;
use rustc_hash::{FxHashMap, FxHashSet};
use tokio_postgres::Row;

/// Rows that the batches of a commit refer to.
#[derive(Default)]
pub struct RowKeys {
    pub steps: FxHashSet<u64>,
    pub links: FxHashSet<LinkId>,
    pub forms: FxHashSet<FormId>,
    pub sites: FxHashSet<Site>,
    pub cited: FxHashSet<(Site, LinkId)>,
}

impl RowKeys {
    pub fn of(batches: &[&Batch]) -> RowKeys {
        let mut keys = RowKeys::default();
        for batch in batches {
            batch.outcomes.iter().for_each(|outcome| keys.add_outcome(outcome));
            batch.changes.iter().for_each(|change| keys.add_change(change));
            for step in &batch.sent {
                keys.steps.insert(step.seq);
                keys.add_target(&step.target);
            }
        }
        keys
    }

    fn add_target(&mut self, target: &StepTarget) {
        if let StepTarget::Link(link) = target {
            self.links.insert(*link);
        }
    }

    fn add_outcome(&mut self, outcome: &Outcome) {
        self.steps.insert(outcome.seq);
        self.add_target(&outcome.target);
        self.links.extend(outcome.found.iter().map(|queued| queued.link.id));
        self.forms.extend(outcome.forms.iter().map(FoundForm::id));
        self.forms.extend(outcome.probe.iter().map(|probe| probe.form));
        self.sites.extend(outcome.site.iter().map(|(site, _)| site.clone()));
        self.cited.extend(outcome.cited.iter().map(|url| (Site::of(url), LinkId::of(url))));
    }

    /// Adds the links of a change. A new score needs no look-up: it is written on the condition that the link waits.
    fn add_change(&mut self, change: &FrontierChange) {
        match change {
            FrontierChange::Add(links) | FrontierChange::Retry(links) => {
                self.links.extend(links.iter().map(|queued| queued.link.id));
            }
            FrontierChange::Drop(links) => self.links.extend(links),
            _ => {}
        }
    }
}

/// Rows of a run before a commit.
#[derive(Default)]
pub struct RowsBefore {
    /// Counters, without failures by kind: those of the worker, if the run is shared.
    pub counters: RunCounters,
    /// Requests at the last point of the curve.
    pub last_point: Option<u64>,
    pub in_flight: FxHashMap<u64, StepTarget>,
    pub links: FxHashMap<LinkId, KnownLink>,
    pub forms: FxHashMap<FormId, KnownForm>,
    /// Number of pages of known sites.
    pub sites: FxHashMap<Site, u32>,
    /// Number of citing pages.
    pub citing: FxHashMap<LinkId, usize>,
}

/// A link in the database.
pub struct KnownLink {
    pub state: LinkState,
    pub queue: QueueId,
    pub url: String,
    pub host: Host,
}

/// A form in the database.
pub struct KnownForm {
    pub p_searchable: f32,
    pub p_relevant: f32,
    pub site: Site,
}

/// Reads the rows that a commit refers to, in one round trip.
pub fn read(
    connection: &ServerConnection,
    first: Option<Command>,
    target: Target,
    keys: &RowKeys,
) -> Result<RowsBefore, Fault> {
    let id = bits(target.run.0);
    let skipped = usize::from(first.is_some());
    let (sites, targets): (Vec<String>, Vec<i64>) =
        keys.cited.iter().map(|(site, target)| (site.0.clone(), bits(target.0))).unzip();
    let mut commands: Vec<Command> = first.into_iter().collect();
    commands.push(match target.worker {
        Some(worker) => command!(runs::COUNTERS_OF_WORKER, worker),
        None => command!(runs::COUNTERS, id),
    });
    commands.push(command!("SELECT max(requests) FROM curve WHERE run = $1", id));
    let flights = "SELECT seq, target FROM in_flight WHERE run = $1 AND seq = ANY($2)";
    commands.push(command!(flights, id, keys.steps.iter().map(|seq| bits(*seq)).collect::<Vec<_>>()));
    let links = "SELECT links.id, state, queue, url, hosts.host FROM links
        JOIN hosts ON hosts.run = links.run AND hosts.id = links.host WHERE links.run = $1 AND links.id = ANY($2)";
    commands.push(command!(links, id, keys.links.iter().map(|link| bits(link.0)).collect::<Vec<_>>()));
    let forms =
        "SELECT form_id, p_searchable, p_relevant, site FROM forms WHERE run = $1 AND form_id = ANY($2)";
    commands.push(command!(forms, id, keys.forms.iter().map(ToString::to_string).collect::<Vec<_>>()));
    let known = "SELECT site, pages FROM sites WHERE run = $1 AND site = ANY($2)";
    commands.push(command!(known, id, keys.sites.iter().map(|site| site.0.clone()).collect::<Vec<_>>()));
    let citing =
        "SELECT target, count(*) FROM backlinks JOIN unnest($2::text[], $3::bigint[]) AS cited (site, target)
        USING (site, target) WHERE run = $1 GROUP BY target";
    commands.push(command!(citing, id, sites, targets));
    let found = connection.run(&commands)?;
    let [counters, point, flights, links, forms, sites, citing] = &found[skipped..] else {
        return Err(Fault::damaged("a part of the answer is missing"));
    };
    Ok(RowsBefore {
        counters: counters.first().map_or(Ok(RunCounters::default()), runs::counters)?,
        last_point: point
            .first()
            .map_or(Ok(None), |row| row.column::<Option<i64>>(0))?
            .map(i64::cast_unsigned),
        in_flight: flights
            .iter()
            .map(|row| Ok((row.unsigned(0)?, row.json(1)?)))
            .collect::<Result<_, Fault>>()?,
        links: links.iter().map(known_link).collect::<Result<_, Fault>>()?,
        forms: forms.iter().map(known_form).collect::<Result<_, Fault>>()?,
        sites: sites
            .iter()
            .map(|row| Ok((Site(row.text(0)?), row.number(1)?)))
            .collect::<Result<_, Fault>>()?,
        citing: citing
            .iter()
            .map(|row| Ok((LinkId(row.unsigned(0)?), row.number(1)?)))
            .collect::<Result<_, Fault>>()?,
    })
}

fn known_link(row: &Row) -> Result<(LinkId, KnownLink), Fault> {
    let known = KnownLink {
        state: link_state(row.column(1)?),
        queue: QueueId(row.unsigned(2)?),
        url: row.column(3)?,
        host: Host(row.column(4)?),
    };
    Ok((LinkId(row.unsigned(0)?), known))
}

fn known_form(row: &Row) -> Result<(FormId, KnownForm), Fault> {
    let (p_searchable, p_relevant, site) = (row.column(1)?, row.column(2)?, Site(row.text(3)?));
    Ok((row.parsed(0)?, KnownForm { p_searchable, p_relevant, site }))
}
