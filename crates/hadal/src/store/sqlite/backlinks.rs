//! Pages that link to a URL.

use super::super::{MAX_CITING_PAGES, RunId, is_site_root};
use super::codec::{self, bits, undecodable, unsigned};
use super::commit::RunCommit;
use super::frontier;
use hadal_core::address::{LinkId, Site};
use rusqlite::{Connection, Row, params};
use rustc_hash::FxHashSet;
use url::Url;

impl RunCommit<'_> {
    /// Stores the links of a page to other sites. Once a URL has its maximum number of citing pages, a further one
    /// costs one count.
    pub fn put_citations(&self, page: LinkId, targets: &[Url]) -> rusqlite::Result<()> {
        // A count in the statement that inserts would need a temporary table for each link.
        let count = "SELECT count(*) FROM backlinks WHERE run = ? AND site = ? AND target = ?";
        let insert = "INSERT OR IGNORE INTO backlinks (run, site, target, source) VALUES (?, ?, ?, ?)";
        let mut known = self.db.prepare_cached(count)?;
        for url in targets {
            let (site, target) = (Site::of(url).0, bits(LinkId::of(url).0));
            let citing: i64 = known.query_row(params![self.run, site, target], |row| row.get(0))?;
            if citing < MAX_CITING_PAGES as i64 {
                self.execute(insert, params![self.run, site, target, bits(page.0)])?;
            }
        }
        Ok(())
    }
}

/// Pages that link to a URL, those of the latest run first.
pub fn of(db: &Connection, source: &str, url: &Url, limit: usize) -> rusqlite::Result<Vec<Url>> {
    let mut same_source = db.prepare_cached("SELECT id FROM runs WHERE source = ? ORDER BY id DESC")?;
    let runs = same_source.query_map([source], |row| unsigned(row, 0).map(RunId))?;
    let (mut seen, mut linking) = (FxHashSet::default(), Vec::new());
    for run in runs {
        let run = run?;
        let known = citing(db, run, url, limit)?.into_iter().chain(parent_page(db, run, url)?);
        linking.extend(known.filter(|page| page != url && seen.insert(page.clone())));
    }
    linking.truncate(limit);
    Ok(linking)
}

/// Pages of other sites that cite a URL, or any page of the site if the URL is its root.
fn citing(db: &Connection, run: RunId, url: &Url, limit: usize) -> rusqlite::Result<Vec<Url>> {
    let target = (!is_site_root(url)).then(|| bits(LinkId::of(url).0));
    let wanted = if target.is_some() { "target = ?3" } else { "?3 IS NULL" };
    let sql = format!(
        "SELECT links.url
         FROM (SELECT DISTINCT source FROM backlinks WHERE run = ?1 AND site = ?2 AND {wanted}
               ORDER BY source < 0, source LIMIT ?4) AS citing
         CROSS JOIN links ON links.run = ?1 AND links.id = citing.source
         ORDER BY citing.source < 0, citing.source"
    );
    let values = params![bits(run.0), Site::of(url).0, target, codec::limit(limit)];
    let read = |row: &Row<'_>| Url::parse(row.get_ref(0)?.as_str()?).map_err(|error| undecodable(0, error));
    db.prepare_cached(&sql)?.query_map(values, read)?.collect()
}

/// The page on which a run found a URL first.
fn parent_page(db: &Connection, run: RunId, url: &Url) -> rusqlite::Result<Option<Url>> {
    let parent = frontier::link(db, run, LinkId::of(url))?.and_then(|row| row.queued.link.parent);
    let page = parent.map(|parent| frontier::link(db, run, parent.id)).transpose()?.flatten();
    Ok(page.map(|row| row.queued.link.url))
}
