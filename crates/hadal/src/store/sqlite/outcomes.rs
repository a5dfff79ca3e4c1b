//! A batch, applied within one transaction: what steps brought, then [`changes`](super::changes).

use super::super::tally::probability;
use super::super::*;
use super::codec::{Json, Word, bits, packed};
use super::{catalogue, runs, submissions};
use hadal_core::strategy::SiteCounters;
use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::{FxHashMap, FxHashSet};

/// A batch being applied.
pub struct RunCommit<'a> {
    pub db: &'a Connection,
    pub run: i64,
    /// What this batch adds to the run's counters.
    pub tally: RunCounters,
    /// How many leads more than before wait, or fewer.
    pub waiting: i64,
    /// Numbers of the hosts met so far.
    pub hosts: FxHashMap<Host, i64>,
}

/// Applies a batch in the documented order.
pub fn apply(db: &Connection, run: RunId, batch: &Batch) -> rusqlite::Result<()> {
    let (tally, hosts) = (RunCounters::default(), FxHashMap::default());
    let mut commit = RunCommit { db, run: bits(run.0), tally, waiting: 0, hosts };
    for outcome in &batch.outcomes {
        commit.end(outcome)?;
    }
    for change in &batch.changes {
        commit.change(change)?;
    }
    for step in &batch.sent {
        commit.dispatch(step)?;
    }
    for entry in &batch.submissions {
        submissions::log(db, entry)?;
    }
    runs::count(db, run, &commit.tally, commit.waiting)?;
    if commit.tally.requests > 0 {
        catalogue::curves::note_run(db, run)?;
    }
    batch.progress.as_ref().map_or(Ok(()), |progress| runs::save(db, run, progress))
}

impl RunCommit<'_> {
    /// Runs a statement and tells how many rows it changed.
    pub fn execute(&self, sql: &str, values: impl rusqlite::Params) -> rusqlite::Result<i64> {
        self.db.prepare_cached(sql)?.execute(values).map(|changed| changed as i64)
    }

    fn end(&mut self, outcome: &Outcome) -> rusqlite::Result<()> {
        let landed = self.execute(
            "DELETE FROM in_flight WHERE run = ? AND seq = ? AND work = ?",
            params![self.run, bits(outcome.seq), Json(&outcome.target)],
        )?;
        if landed == 0 {
            return Ok(());
        }
        self.tally.count_step(outcome);
        if let StepTarget::Link(link) = outcome.target {
            self.land(link, &outcome.end)?;
        }
        if let Some(page) = &outcome.page {
            self.keep_page(page)?;
            self.keep_cited(page.id, &outcome.cited)?;
        }
        if let Some((site, tally)) = &outcome.site {
            self.keep_site(site, tally)?;
        }
        for host in &outcome.hosts {
            self.keep_host(host)?;
        }
        self.keep_forms(&outcome.forms)?;
        if let Some(judged) = &outcome.probe {
            self.keep_judged(judged)?;
        }
        if let Some(answer) = &outcome.submission {
            let run = Submitter::Run(RunId(self.run.cast_unsigned()));
            submissions::complete(self.db, run, outcome.seq, answer)?;
        }
        outcome.found.iter().try_for_each(|waiting| self.add(waiting))
    }

    fn keep_page(&self, page: &PageRow) -> rusqlite::Result<()> {
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

    fn keep_site(&mut self, site: &Site, tally: &SiteCounters) -> rusqlite::Result<()> {
        let mut before = self.db.prepare_cached("SELECT pages FROM sites WHERE run = ? AND site = ?")?;
        let pages = before.query_row(params![self.run, site.0], |row| row.get(0)).optional()?;
        let before = SiteCounters { pages: pages.unwrap_or(0), ..SiteCounters::default() };
        self.tally.count_site(&before, tally);
        self.execute(
            "INSERT INTO sites (run, site, pages, forms, searchable, relevant, dry, probes, closed, barren,
                 on_topic, worth)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET pages = excluded.pages, forms = excluded.forms,
                 searchable = excluded.searchable, relevant = excluded.relevant, dry = excluded.dry,
                 probes = excluded.probes, closed = excluded.closed, barren = excluded.barren,
                 on_topic = excluded.on_topic, worth = excluded.worth",
            params![
                self.run,
                site.0,
                tally.pages,
                tally.forms,
                tally.searchable,
                tally.relevant,
                tally.pages_since_searchable,
                tally.probes,
                tally.closed,
                tally.pages_since_relevant,
                tally.on_topic,
                tally.bonus
            ],
        )?;
        Ok(())
    }

    fn keep_host(&mut self, state: &HostState) -> rusqlite::Result<()> {
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
                bits(state.address_next_at.0),
                state.robots_validator,
                host,
            ],
        )?;
        Ok(())
    }

    /// Keeps the forms of one page; a form that stands there twice stands there once.
    fn keep_forms(&mut self, forms: &[FoundForm]) -> rusqlite::Result<()> {
        let mut here = FxHashSet::default();
        for form in forms {
            let id = form.id();
            if here.contains(&id) {
                continue;
            }
            match form {
                _ if self.also_here(id)? => {}
                FoundForm::New(row) => self.keep_form(row)?,
                FoundForm::Known(_) => continue,
            }
            here.insert(id);
        }
        Ok(())
    }

    /// Whether the form is known; then it stands on one page more.
    fn also_here(&self, form: FormId) -> rusqlite::Result<bool> {
        let sql = "UPDATE forms SET also_on = also_on + 1 WHERE run = ? AND form_id = ?";
        Ok(self.execute(sql, params![self.run, form.to_string()])? > 0)
    }

    fn keep_form(&mut self, row: &FormRow) -> rusqlite::Result<()> {
        self.tally.count_form(row);
        self.execute(
            "INSERT INTO forms (run, topic, form_id, site, page_url, action, method, fields, kind,
                 p_searchable, p_relevant, found_at_request, depth, also_on, source, language, evidence,
                 finding, whole, open_fields, is_first)
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
                row.whole.as_deref().map(packed).transpose()?,
                open_fields(row.fields.iter().map(|field| field.kind.as_str())) as i64,
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

    /// A form is held for something else than before.
    fn keep_judged(&mut self, judged: &ProbedForm) -> rusqlite::Result<()> {
        let id = judged.form.to_string();
        let sql = "SELECT p_searchable, p_relevant, site FROM forms WHERE run = ? AND form_id = ?";
        let mut sought = self.db.prepare_cached(sql)?;
        let read = |row: &rusqlite::Row<'_>| Ok(((row.get(0)?, row.get(1)?), row.get::<_, String>(2)?));
        let Some((before, site)) = sought.query_row(params![self.run, id], read).optional()? else {
            return Ok(());
        };
        let verdict = &judged.verdict;
        let after = (probability(verdict.p_searchable), probability(verdict.p_relevant));
        self.tally.count_verdict(before, after);
        let (kind, evidence, finding) = (Word(verdict.kind), Json(&verdict.evidence), Word(judged.finding));
        self.execute(
            "UPDATE forms SET p_searchable = ?, p_relevant = ?, kind = ?, evidence = ?, finding = ?
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
