//! Who links where: pages that cite an address on another site, and the page it was first found on.

use super::super::{MOST_CITING, RunId, is_root};
use super::codec::{bits, undecodable, unsigned};
use super::frontier;
use super::outcomes::RunCommit;
use hadal_core::address::{LinkId, Site};
use rusqlite::{Connection, Row, params};
use rustc_hash::FxHashSet;
use url::Url;

impl RunCommit<'_> {
    /// Remembers where a page links to. What is cited by many is full soon and then costs a count.
    pub fn keep_cited(&self, page: LinkId, targets: &[Url]) -> rusqlite::Result<()> {
        let sql = "INSERT OR IGNORE INTO backlinks (run, site, target, source) SELECT ?1, ?2, ?3, ?4
            WHERE (SELECT count(*) FROM backlinks WHERE run = ?1 AND site = ?2 AND target = ?3) < ?5";
        for url in targets {
            let (site, target) = (Site::of(url).0, bits(LinkId::of(url).0));
            self.execute(sql, params![self.run, site, target, bits(page.0), MOST_CITING as i64])?;
        }
        Ok(())
    }
}

/// Pages that link to an address, the latest run's first.
pub fn of(db: &Connection, source: &str, url: &Url, limit: usize) -> rusqlite::Result<Vec<Url>> {
    let mut same_web = db.prepare_cached("SELECT id FROM runs WHERE source = ? ORDER BY id DESC")?;
    let runs = same_web.query_map([source], |row| unsigned(row, 0).map(RunId))?;
    let (mut met, mut linking) = (FxHashSet::default(), Vec::new());
    for run in runs {
        let run = run?;
        let known = citing(db, run, url, limit)?.into_iter().chain(found_on(db, run, url)?);
        linking.extend(known.filter(|page| page != url && met.insert(page.clone())));
    }
    linking.truncate(limit);
    Ok(linking)
}

/// Pages of other sites that cite an address, or anything on the site whose root it is.
fn citing(db: &Connection, run: RunId, url: &Url, limit: usize) -> rusqlite::Result<Vec<Url>> {
    let target = (!is_root(url)).then(|| bits(LinkId::of(url).0));
    let wanted = if target.is_some() { "target = ?3" } else { "?3 IS NULL" };
    let sql = format!(
        "SELECT links.url
         FROM (SELECT DISTINCT source FROM backlinks WHERE run = ?1 AND site = ?2 AND {wanted}
               ORDER BY source < 0, source LIMIT ?4) AS citing
         CROSS JOIN links ON links.run = ?1 AND links.id = citing.source
         ORDER BY citing.source < 0, citing.source"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let values = params![bits(run.0), Site::of(url).0, target, limit];
    let address =
        |row: &Row<'_>| Url::parse(row.get_ref(0)?.as_str()?).map_err(|error| undecodable(0, error));
    db.prepare_cached(&sql)?.query_map(values, address)?.collect()
}

/// The page on which a run first found an address.
fn found_on(db: &Connection, run: RunId, url: &Url) -> rusqlite::Result<Option<Url>> {
    let parent = frontier::lead(db, run, LinkId::of(url))?.and_then(|lead| lead.parent);
    let page = parent.map(|parent| frontier::lead(db, run, parent.id)).transpose()?.flatten();
    Ok(page.map(|page| page.url))
}
