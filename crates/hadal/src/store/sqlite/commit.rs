//! Application of a batch within one transaction: outcomes here, the frontier in [`changes`](super::changes).

use super::super::counters::probability;
use super::super::state_changes::WrittenStates;
use super::super::*;
use super::codec::{Json, Word, bits, packed};
use super::strategy_state;
use super::{catalogue, runs, submissions};
use hadal_core::address::{Host, Site};
use hadal_core::identity::FormId;
use hadal_core::strategy::SiteCounters;
use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::{FxHashMap, FxHashSet};

/// A batch in the course of being applied.
pub struct RunCommit<'a> {
    pub db: &'a Connection,
    pub run: i64,
    /// Increase of the run's counters.
    pub counters: RunCounters,
    /// Change of the number of waiting links.
    pub waiting: i64,
    /// Row numbers of hosts used so far.
    pub hosts: FxHashMap<Host, i64>,
}

/// Applies a batch in the documented order.
pub fn apply(db: &Connection, run: RunId, batch: &Batch, states: &mut WrittenStates) -> rusqlite::Result<()> {
    let (counters, hosts) = (RunCounters::default(), FxHashMap::default());
    let mut commit = RunCommit { db, run: bits(run.0), counters, waiting: 0, hosts };
    batch.outcomes.iter().try_for_each(|outcome| commit.apply_outcome(outcome))?;
    batch.changes.iter().try_for_each(|change| commit.apply_change(change))?;
    batch.sent.iter().try_for_each(|step| commit.send(step))?;
    batch.submissions.iter().try_for_each(|entry| submissions::log(db, entry))?;
    runs::add_counters(db, run, &commit.counters, commit.waiting)?;
    if commit.counters.requests > 0 {
        catalogue::curves::add_run_point(db, run)?;
    }
    let Some(progress) = &batch.progress else { return Ok(()) };
    runs::save_progress(db, run, progress)?;
    progress.strategy.as_ref().map_or(Ok(()), |state| strategy_state::save(db, run, state, states))
}

impl RunCommit<'_> {
    /// Executes a statement and returns the number of rows changed.
    pub fn execute(&self, sql: &str, values: impl rusqlite::Params) -> rusqlite::Result<i64> {
        self.db.prepare_cached(sql)?.execute(values).map(|changed| changed as i64)
    }

    fn apply_outcome(&mut self, outcome: &Outcome) -> rusqlite::Result<()> {
        let was_in_flight = self.execute(
            "DELETE FROM in_flight WHERE run = ? AND seq = ? AND target = ?",
            params![self.run, bits(outcome.seq), Json(&outcome.target)],
        )?;
        if was_in_flight == 0 {
            return Ok(());
        }
        self.counters.count_step(outcome);
        self.put_failure(outcome)?;
        if let StepTarget::Link(link) = outcome.target {
            self.end_step(link, &outcome.end)?;
        }
        if let Some(page) = &outcome.page {
            self.put_page(page)?;
            self.put_citations(page.id, &outcome.cited)?;
        }
        if let Some((site, counters)) = &outcome.site {
            self.put_site(site, counters)?;
        }
        for host in &outcome.hosts {
            self.put_host(host)?;
        }
        self.put_forms(&outcome.forms)?;
        if let Some(probe) = &outcome.probe {
            self.put_probe(probe)?;
        }
        if let Some(result) = &outcome.submission {
            let run = Submitter::Run(RunId(self.run.cast_unsigned()));
            submissions::complete(self.db, run, outcome.seq, result)?;
        }
        outcome.found.iter().try_for_each(|queued| self.add(queued))
    }

    /// Stores the failure of a step, one row per URL.
    fn put_failure(&self, outcome: &Outcome) -> rusqlite::Result<()> {
        const AGAIN: &str = "ON CONFLICT (run, url) DO UPDATE SET kind = excluded.kind, at = excluded.at,
            times = times + 1, given_up = excluded.given_up";
        let Some((kind, given_up)) = outcome.end.failure() else { return Ok(()) };
        let (kind, at) = (Word(kind), bits(outcome.at.0));
        match &outcome.target {
            StepTarget::Link(link) => self.execute(
                &format!(
                    "INSERT INTO failures (run, host, url, kind, at, times, given_up)
                     SELECT links.run, hosts.host, links.url, ?, ?, 1, ? FROM links
                     JOIN hosts ON hosts.n = links.host WHERE links.run = ? AND links.id = ? {AGAIN}"
                ),
                params![kind, at, given_up, self.run, bits(link.0)],
            ),
            StepTarget::Robots { host, url, .. } => self.execute(
                &format!(
                    "INSERT INTO failures (run, host, url, kind, at, times, given_up)
                     VALUES (?, ?, ?, ?, ?, 1, ?) {AGAIN}"
                ),
                params![self.run, host.0, url.as_str(), kind, at, given_up],
            ),
        }
        .map(|_| ())
    }

    fn put_page(&self, page: &PageRow) -> rusqlite::Result<()> {
        self.execute(
            "INSERT INTO pages (run, link, url, site, status, title, language, p_topic, fingerprint,
                 depth, parent, redirects, at_request, validator, note)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                self.run,
                bits(page.id.0),
                page.url.as_str(),
                page.site.0,
                page.status,
                page.title,
                page.language,
                probability(page.p_topic),
                bits(page.fingerprint),
                page.depth,
                page.parent.map(|parent| bits(parent.0)),
                Json(&page.redirects),
                bits(page.at_request),
                page.validator,
                page.note,
            ],
        )?;
        Ok(())
    }

    fn put_site(&mut self, site: &Site, counters: &SiteCounters) -> rusqlite::Result<()> {
        let mut before = self.db.prepare_cached("SELECT pages FROM sites WHERE run = ? AND site = ?")?;
        let pages = before.query_row(params![self.run, site.0], |row| row.get(0)).optional()?;
        let before = SiteCounters { pages: pages.unwrap_or(0), ..SiteCounters::default() };
        self.counters.count_site(&before, counters);
        self.execute(
            "INSERT INTO sites (run, site, pages, forms, searchable, relevant,
                 pages_since_searchable, probes, closed, pages_since_relevant, on_topic, bonus)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET pages = excluded.pages, forms = excluded.forms,
                 searchable = excluded.searchable, relevant = excluded.relevant,
                 pages_since_searchable = excluded.pages_since_searchable, probes = excluded.probes,
                 closed = excluded.closed, pages_since_relevant = excluded.pages_since_relevant,
                 on_topic = excluded.on_topic, bonus = excluded.bonus",
            params![
                self.run,
                site.0,
                counters.pages,
                counters.forms,
                counters.searchable,
                counters.relevant,
                counters.pages_since_searchable,
                counters.probes,
                counters.closed,
                counters.pages_since_relevant,
                counters.on_topic,
                counters.bonus
            ],
        )?;
        Ok(())
    }

    fn put_host(&mut self, state: &HostState) -> rusqlite::Result<()> {
        let host = self.host(&state.host)?;
        self.execute(
            "UPDATE hosts SET ip = ?1, robots = coalesce(?2, robots),
                 robots_until = iif(?2 IS NULL, coalesce(robots_until, ?3), ?3),
                 next_at = ?4, failures = ?5, latency_ms = ?6, requests = ?7, address_next_at = ?8,
                 robots_validator = iif(?2 IS NULL, robots_validator, ?9) WHERE n = ?10",
            params![
                state.ip.map(|ip| ip.to_string()),
                state.robots.as_ref().map(Json),
                bits(state.robots_until.0),
                bits(state.next_at.0),
                state.failures,
                state.latency_ms,
                bits(state.requests),
                bits(state.group_next_at.0),
                state.robots_validator,
                host,
            ],
        )?;
        Ok(())
    }

    /// Stores the forms of a page. A form that is there twice counts once.
    fn put_forms(&mut self, forms: &[FoundForm]) -> rusqlite::Result<()> {
        let mut here = FxHashSet::default();
        for form in forms {
            let id = form.id();
            if here.contains(&id) {
                continue;
            }
            match form {
                _ if self.count_page_of(id)? => {}
                FoundForm::New(row) => self.put_form(row)?,
                FoundForm::Known(_) => continue,
            }
            here.insert(id);
        }
        Ok(())
    }

    /// Counts one more page of a known form. False if the form is unknown.
    fn count_page_of(&self, form: FormId) -> rusqlite::Result<bool> {
        let sql = "UPDATE forms SET also_on = also_on + 1 WHERE run = ? AND form_id = ?";
        Ok(self.execute(sql, params![self.run, form.to_string()])? > 0)
    }

    fn put_form(&mut self, row: &FormRow) -> rusqlite::Result<()> {
        self.counters.count_form(row);
        self.execute(
            "INSERT INTO forms (run, topic, form_id, site, page_url, action, method, fields, kind,
                 p_searchable, p_relevant, found_at_request, depth, also_on, source, language, evidence,
                 probe_result, whole, open_fields, is_first)
             SELECT id, topic, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, ?12, ?13, ?14, ?15, ?16, ?17,
                 NOT EXISTS (SELECT 1 FROM forms AS same WHERE same.form_id = ?1 AND same.topic = runs.topic)
             FROM runs WHERE id = ?18",
            params![
                row.form_id.to_string(),
                row.site.0,
                row.page_url.as_str(),
                row.action.as_str(),
                Word(row.method),
                Json(&row.fields),
                Word(row.kind),
                probability(row.p_searchable),
                probability(row.p_relevant),
                bits(row.found_at_request),
                row.depth,
                Word(row.source),
                row.language,
                Json(&row.evidence),
                row.finding.map(Word),
                row.form_snapshot.as_deref().map(packed).transpose()?,
                count_open_fields(row.fields.iter().map(|field| field.kind.as_str())) as i64,
                self.run,
            ],
        )?;
        self.execute(
            "INSERT INTO sites (run, site, best) VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET best = max(best, excluded.best)",
            params![self.run, row.site.0, probability(row.p_relevant)],
        )?;
        Ok(())
    }

    /// Stores the new verdict on a probed form.
    fn put_probe(&mut self, probe: &ProbedForm) -> rusqlite::Result<()> {
        let id = probe.form.to_string();
        let sql = "SELECT p_searchable, p_relevant, site FROM forms WHERE run = ? AND form_id = ?";
        let mut known = self.db.prepare_cached(sql)?;
        let read = |row: &rusqlite::Row<'_>| Ok(((row.get(0)?, row.get(1)?), row.get::<_, String>(2)?));
        let Some((before, site)) = known.query_row(params![self.run, id], read).optional()? else {
            return Ok(());
        };
        let verdict = &probe.verdict;
        let after = (probability(verdict.p_searchable), probability(verdict.p_relevant));
        self.counters.count_verdict(before, after);
        let (kind, evidence, finding) = (Word(verdict.kind), Json(&verdict.evidence), Word(probe.finding));
        self.execute(
            "UPDATE forms SET p_searchable = ?, p_relevant = ?, kind = ?, evidence = ?, probe_result = ?
             WHERE run = ? AND form_id = ?",
            params![after.0, after.1, kind, evidence, finding, self.run, id],
        )?;
        self.execute(
            "UPDATE sites SET best = (SELECT max(p_relevant) FROM forms WHERE run = ?1 AND site = ?2)
             WHERE run = ?1 AND site = ?2",
            params![self.run, site],
        )?;
        Ok(())
    }
}
