//! Changes of links during a commit.

use super::super::packed_link::PackedLink;
use super::super::{FailureKind, FrontierChange, LessonRow, LinkState, SentStep, StepEnd, StepTarget};
use super::codec::{Json, bits, unwritable};
use super::commit::RunCommit;
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::link::{QueueId, QueuedLink};
use rusqlite::{OptionalExtension, params};

/// Statement that puts a link into its queue, with the SQL action for a known one.
macro_rules! put_link {
    ($otherwise:literal) => {
        concat!(
            "INSERT INTO links (run, id, url, host, state, queue, score, score_key, arrival, generation, attempts,
                 not_before, depth, context)
             VALUES (?, ?, ?, ?, 'waiting', ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, id) DO ",
            $otherwise
        )
    };
}

const ADD_LINK: &str = put_link!("NOTHING");
const REQUEUE_LINK: &str = put_link!(
    "UPDATE SET state = excluded.state, url = excluded.url, host = excluded.host, queue = excluded.queue,
         score = excluded.score, score_key = excluded.score_key, arrival = excluded.arrival,
         generation = excluded.generation, attempts = excluded.attempts, not_before = excluded.not_before,
         depth = excluded.depth, context = excluded.context"
);

impl RunCommit<'_> {
    pub fn apply_change(&mut self, change: &FrontierChange) -> rusqlite::Result<()> {
        match change {
            FrontierChange::Add(links) => links.iter().try_for_each(|queued| self.add(queued)),
            FrontierChange::Replace(links) => links.iter().try_for_each(|queued| self.replace(queued)),
            FrontierChange::Drop(links) => links.iter().try_for_each(|&link| self.drop_link(link)),
            FrontierChange::CloseSite(site) => self.close_site(site),
            FrontierChange::FailHost(host, kind) => self.fail_host(host, *kind),
            FrontierChange::Retry(links) => links.iter().try_for_each(|queued| self.retry(queued)),
            FrontierChange::Learned(lesson) => self.add_lesson(lesson),
            // A run of this store has one worker, which owns all links.
            FrontierChange::Forward(_) | FrontierChange::Receive(_) => Ok(()),
        }
    }

    /// Adds a link, unless it is known.
    pub fn add(&mut self, queued: &QueuedLink) -> rusqlite::Result<()> {
        self.put(ADD_LINK, queued.link.id, queued)
    }

    /// Puts a link into its queue by one of the two statements.
    fn put(&mut self, sql: &str, id: LinkId, queued: &QueuedLink) -> rusqlite::Result<()> {
        let host = self.host(&queued.link.host())?;
        self.waiting += self.execute(
            sql,
            params![
                self.run,
                bits(id.0),
                queued.link.url.as_str(),
                host,
                bits(queued.queue.0),
                queued.score,
                queued.rank().score_key(),
                bits(queued.order),
                queued.generation,
                queued.attempts,
                bits(queued.not_before.0),
                queued.link.depth,
                PackedLink::pack(&queued.link).map_err(unwritable)?,
            ],
        )?;
        Ok(())
    }

    fn replace(&self, placed: &QueuedLink) -> rusqlite::Result<()> {
        self.execute(
            "UPDATE links SET queue = ?, score = ?, score_key = ?, generation = ?
             WHERE run = ? AND id = ? AND state = 'waiting'",
            params![
                bits(placed.queue.0),
                placed.score,
                placed.rank().score_key(),
                placed.generation,
                self.run,
                bits(placed.link.id.0),
            ],
        )?;
        Ok(())
    }

    fn drop_link(&mut self, link: LinkId) -> rusqlite::Result<()> {
        let sql = "UPDATE links SET state = 'dropped' WHERE run = ? AND id = ? AND state = 'waiting'";
        self.waiting -= self.execute(sql, [self.run, bits(link.0)])?;
        Ok(())
    }

    fn close_site(&mut self, site: &Site) -> rusqlite::Result<()> {
        self.waiting -= self.execute(
            "UPDATE links SET state = 'dropped' WHERE state = 'waiting' AND queue NOT IN (?, ?)
                 AND host IN (SELECT n FROM hosts WHERE run = ? AND site = ?)",
            params![bits(QueueId::PROBES.0), bits(QueueId::SAMPLE.0), self.run, site.0],
        )?;
        self.execute(
            "INSERT INTO sites (run, site, closed) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET closed = 1",
            params![self.run, site.0],
        )?;
        Ok(())
    }

    fn fail_host(&mut self, host: &Host, kind: FailureKind) -> rusqlite::Result<()> {
        let failed = self.execute(
            "UPDATE links SET state = 'failed' WHERE state = 'waiting'
                 AND host = (SELECT n FROM hosts WHERE run = ? AND host = ?)",
            params![self.run, host.0],
        )?;
        self.waiting -= failed;
        self.counters.count_failures(kind, failed.cast_unsigned());
        Ok(())
    }

    fn add_lesson(&self, row: &LessonRow) -> rusqlite::Result<()> {
        let sql = "INSERT INTO lessons (run, at_request, at_page, lesson) VALUES (?, ?, ?, ?)";
        self.execute(sql, params![self.run, bits(row.at_request), bits(row.at_page), Json(&row.lesson)])?;
        Ok(())
    }

    /// Puts a step in flight. A link must be waiting.
    pub fn send(&mut self, step: &SentStep) -> rusqlite::Result<()> {
        let insert = "INSERT OR IGNORE INTO in_flight (run, seq, at, target) VALUES (?, ?, ?, ?)";
        let is_ready = match step.target {
            StepTarget::Robots { .. } => true,
            StepTarget::Link(link) => {
                let sql =
                    "UPDATE links SET state = 'in flight' WHERE run = ? AND id = ? AND state = 'waiting'";
                self.execute(sql, [self.run, bits(link.0)])? > 0
            }
        };
        if is_ready {
            self.execute(insert, params![self.run, bits(step.seq), bits(step.at.0), Json(&step.target)])?;
            self.waiting -= i64::from(matches!(step.target, StepTarget::Link(_)));
        }
        Ok(())
    }

    /// Applies the end of a step to its link.
    pub fn end_step(&mut self, link: LinkId, end: &StepEnd) -> rusqlite::Result<()> {
        let state = match end {
            StepEnd::Visited | StepEnd::Redirected | StepEnd::Robots | StepEnd::RobotsFailed(_) => {
                LinkState::Done
            }
            StepEnd::Failed(_) => LinkState::Failed,
            StepEnd::Retry(queued, _) | StepEnd::Continue(queued) => return self.requeue(link, queued),
        };
        let sql = "UPDATE links SET state = ? WHERE run = ? AND id = ?";
        self.execute(sql, params![state.name(), self.run, bits(link.0)])?;
        Ok(())
    }

    /// Lets a failed link wait again.
    fn retry(&mut self, queued: &QueuedLink) -> rusqlite::Result<()> {
        let sql = "SELECT 1 FROM links WHERE run = ? AND id = ? AND state = 'failed'";
        let id = queued.link.id;
        if self.db.prepare_cached(sql)?.exists([self.run, bits(id.0)])? {
            self.counters.count_retried(1);
            self.requeue(id, queued)?;
        }
        Ok(())
    }

    fn requeue(&mut self, link: LinkId, queued: &QueuedLink) -> rusqlite::Result<()> {
        self.put(REQUEUE_LINK, link, queued)
    }

    /// Row number of a host, which is added if it is new.
    pub fn host(&mut self, host: &Host) -> rusqlite::Result<i64> {
        if let Some(&n) = self.hosts.get(host) {
            return Ok(n);
        }
        let mut known = self.db.prepare_cached("SELECT n FROM hosts WHERE run = ? AND host = ?")?;
        let known = known.query_row(params![self.run, host.0], |row| row.get(0)).optional()?;
        let n = match known {
            Some(n) => n,
            None => {
                let sql = "INSERT INTO hosts (run, host, site) VALUES (?, ?, ?)";
                self.execute(sql, params![self.run, host.0, host.site().0])?;
                self.db.last_insert_rowid()
            }
        };
        self.hosts.insert(host.clone(), n);
        Ok(n)
    }
}
