//! How links move: in, around, in flight, out.

use super::super::{FrontierChange, LessonRow, SentStep, StepEnd, StepTarget};
use super::codec::{Json, bits};
use super::frontier::PackedLink;
use super::outcomes::RunCommit;
use hadal_core::address::{Host, LinkId, Site};
use hadal_core::link::{QueueId, QueuedLink};
use rusqlite::{OptionalExtension, params};

impl RunCommit<'_> {
    pub fn change(&mut self, change: &FrontierChange) -> rusqlite::Result<()> {
        match change {
            FrontierChange::Add(leads) => leads.iter().try_for_each(|waiting| self.add(waiting)),
            FrontierChange::Replace(leads) => leads.iter().try_for_each(|waiting| self.replace(waiting)),
            FrontierChange::Drop(links) => links.iter().try_for_each(|&link| self.drop(link)),
            FrontierChange::CloseSite(site) => self.close(site),
            FrontierChange::FailHost(host, kind) => self.fail(host, kind),
            FrontierChange::Learned(lesson) => self.learned(lesson),
        }
    }

    /// Takes in a lead, unless it is known.
    pub fn add(&mut self, waiting: &QueuedLink) -> rusqlite::Result<()> {
        let host = self.host(&waiting.link.host())?;
        self.waiting += self.execute(
            "INSERT OR IGNORE INTO links (run, id, url, host, state, lane, score, falling, arrival,
                 generation, attempts, not_before, depth, context)
             VALUES (?, ?, ?, ?, 'waiting', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                self.run,
                bits(waiting.link.id.0),
                waiting.link.url.as_str(),
                host,
                bits(waiting.queue.0),
                waiting.score,
                waiting.rank().score_key(),
                bits(waiting.order),
                waiting.generation,
                waiting.attempts,
                bits(waiting.not_before.0),
                waiting.link.depth,
                PackedLink::of(&waiting.link).packed()?,
            ],
        )?;
        Ok(())
    }

    fn replace(&self, placed: &QueuedLink) -> rusqlite::Result<()> {
        self.execute(
            "UPDATE links SET lane = ?, score = ?, falling = ?, generation = ?
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

    fn drop(&mut self, link: LinkId) -> rusqlite::Result<()> {
        let sql = "UPDATE links SET state = 'dropped' WHERE run = ? AND id = ? AND state = 'waiting'";
        self.waiting -= self.execute(sql, [self.run, bits(link.0)])?;
        Ok(())
    }

    fn close(&mut self, site: &Site) -> rusqlite::Result<()> {
        self.waiting -= self.execute(
            "UPDATE links SET state = 'dropped' WHERE state = 'waiting' AND lane NOT IN (?, ?)
                 AND host IN (SELECT n FROM hosts WHERE run = ? AND site = ?)",
            params![bits(QueueId::PROBES.0), bits(QueueId::SAMPLE.0), self.run, site.0],
        )?;
        self.execute(
            "INSERT INTO sites (run, site, closed) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET closed = 1",
            params![self.run, site.0],
        )?;
        Ok(())
    }

    fn fail(&mut self, host: &Host, kind: &str) -> rusqlite::Result<()> {
        let failed = self.execute(
            "UPDATE links SET state = 'failed' WHERE state = 'waiting'
                 AND host = (SELECT n FROM hosts WHERE run = ? AND host = ?)",
            params![self.run, host.0],
        )?;
        self.waiting -= failed;
        self.tally.count_failures(kind, failed.cast_unsigned());
        Ok(())
    }

    fn learned(&self, row: &LessonRow) -> rusqlite::Result<()> {
        let sql = "INSERT INTO lessons (run, at_request, at_page, lesson) VALUES (?, ?, ?, ?)";
        self.execute(sql, params![self.run, bits(row.at_request), bits(row.at_page), Json(&row.lesson)])?;
        Ok(())
    }

    /// A lead goes in flight, if it waits; robots.txt always does.
    pub fn dispatch(&mut self, step: &SentStep) -> rusqlite::Result<()> {
        let begin = "INSERT OR IGNORE INTO in_flight (run, seq, at, work) VALUES (?, ?, ?, ?)";
        let taken = match step.target {
            StepTarget::Robots { .. } => 1,
            StepTarget::Link(link) => self.execute(
                "UPDATE links SET state = 'in flight' WHERE run = ? AND id = ? AND state = 'waiting'",
                [self.run, bits(link.0)],
            )?,
        };
        if taken > 0 {
            self.execute(begin, params![self.run, bits(step.seq), bits(step.at.0), Json(&step.target)])?;
            self.waiting -= i64::from(matches!(step.target, StepTarget::Link(_)));
        }
        Ok(())
    }

    /// A link comes back from its flight.
    pub fn land(&mut self, link: LinkId, ending: &StepEnd) -> rusqlite::Result<()> {
        let state = match ending {
            StepEnd::Visited | StepEnd::Redirected | StepEnd::Robots => "done",
            StepEnd::Failed(_) => "failed",
            StepEnd::Retry(waiting, _) | StepEnd::Continue(waiting) => return self.put_back(link, waiting),
        };
        let sql = "UPDATE links SET state = ? WHERE run = ? AND id = ?";
        self.execute(sql, params![state, self.run, bits(link.0)])?;
        Ok(())
    }

    fn put_back(&mut self, link: LinkId, waiting: &QueuedLink) -> rusqlite::Result<()> {
        let host = self.host(&waiting.link.host())?;
        self.waiting += self.execute(
            "UPDATE links SET state = 'waiting', url = ?, host = ?, lane = ?, score = ?, falling = ?, arrival = ?,
                 generation = ?, attempts = ?, not_before = ?, depth = ?, context = ?
             WHERE run = ? AND id = ?",
            params![
                waiting.link.url.as_str(),
                host,
                bits(waiting.queue.0),
                waiting.score,
                waiting.rank().score_key(),
                bits(waiting.order),
                waiting.generation,
                waiting.attempts,
                bits(waiting.not_before.0),
                waiting.link.depth,
                PackedLink::of(&waiting.link).packed()?,
                self.run,
                bits(link.0),
            ],
        )?;
        Ok(())
    }

    /// The number of a host, a new one if need be.
    pub fn host(&mut self, host: &Host) -> rusqlite::Result<i64> {
        if let Some(&n) = self.hosts.get(host) {
            return Ok(n);
        }
        let mut sought = self.db.prepare_cached("SELECT n FROM hosts WHERE run = ? AND host = ?")?;
        let known = sought.query_row(params![self.run, host.0], |row| row.get(0)).optional()?;
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
