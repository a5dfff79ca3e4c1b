//! The index of the words of records: each with the number of its harvest, so that nothing is looked through
//! that another harvest brought up.
//!
//! Words that many records have and none has together would be gone through to their end. So some records are
//! milestones, with one more word that no text has: every search for several words halts at them, and a page
//! ends after so many.

use super::super::super::search::words;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Records that are indexed anew at once.
const CHUNK: i64 = 1000;
/// The row of every so many-th record is a milestone. A prime, so that harvests that take turns get their share.
const MILE: i64 = 1009;
/// Milestones that one page comes by.
pub const MOST_MILES: usize = 16;
/// The word of milestones.
const MILESTONE: &str = "";

/// Whether a search for several words halts at a row, whatever its record says.
pub fn is_milestone(n: i64) -> bool {
    n % MILE == 0
}

/// Lets a record be found by the words of these texts and no others.
pub fn index(db: &Connection, harvest: i64, n: i64, texts: &[&str]) -> rusqlite::Result<()> {
    let mut words = words(texts);
    words.extend(is_milestone(n).then(|| MILESTONE.to_string()));
    let words: Vec<String> = words.iter().map(|word| of_harvest(harvest, word)).collect();
    let sql = "INSERT OR REPLACE INTO record_words (rowid, words) VALUES (?, ?)";
    db.prepare_cached(sql)?.execute(params![n, words.join(" ")])?;
    Ok(())
}

const TEXTS: &str = "SELECT n, harvest, title, text, coalesce(detail, '') FROM records";

/// Indexes every record of a store whose index is empty.
pub fn index_all(db: &Connection) -> rusqlite::Result<()> {
    let mut sought = db.prepare_cached(&format!("{TEXTS} WHERE n > ? ORDER BY n LIMIT ?"))?;
    let mut last = i64::MIN;
    loop {
        let before = last;
        let mut rows = sought.query([last, CHUNK])?;
        while let Some(row) = rows.next()? {
            last = row.get(0)?;
            index_row(db, row)?;
        }
        if last == before {
            return Ok(());
        }
    }
}

/// Indexes the milestones of a store anew that knew of none.
pub fn index_milestones(db: &Connection) -> rusqlite::Result<()> {
    let last: i64 = db.query_row("SELECT coalesce(max(n), 0) FROM records", [], |row| row.get(0))?;
    let mut sought = db.prepare_cached(&format!("{TEXTS} WHERE n = ?"))?;
    for n in (1..=last / MILE).map(|mile| mile * MILE) {
        sought.query_row([n], |row| index_row(db, row)).optional()?;
    }
    Ok(())
}

fn index_row(db: &Connection, row: &Row<'_>) -> rusqlite::Result<()> {
    let text = |at| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
    index(db, row.get(1)?, row.get(0)?, &[text(2)?, text(3)?, text(4)?])
}

/// No word begins with digits and then a `q` that are its harvest's and could be another's: the first `q` ends them.
fn of_harvest(harvest: i64, word: &str) -> String {
    format!("{harvest}q{word}")
}

/// The next rows after `last` that have all of these words, and milestones, which may lack some: at most so many
/// rows, at most so many milestones. Then where to go on, unless that was all: there may be few rows, or none,
/// although more follow.
pub fn after(
    db: &Connection,
    harvest: i64,
    words: &[String],
    last: i64,
    (most, miles): (usize, usize),
) -> rusqlite::Result<(Vec<i64>, Option<i64>)> {
    let Some(begin) = first_of_each(db, harvest, words, last)? else { return Ok((Vec::new(), None)) };
    let sql =
        "SELECT rowid FROM record_words WHERE record_words MATCH ? AND rowid >= ? ORDER BY rowid LIMIT ?";
    let mut sought = db.prepare_cached(sql)?;
    let mut rows = sought.query(params![expression(harvest, words), begin, most as i64])?;
    let (mut found, mut passed) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let n = row.get(0)?;
        found.push(n);
        passed += usize::from(is_milestone(n));
        if found.len() == most || passed == miles {
            return Ok((found, Some(n)));
        }
    }
    Ok((found, None))
}

/// The row after `last` before which one of the words has none; nothing when one has none at all.
fn first_of_each(
    db: &Connection,
    harvest: i64,
    words: &[String],
    last: i64,
) -> rusqlite::Result<Option<i64>> {
    let sql =
        "SELECT rowid FROM record_words WHERE record_words MATCH ? AND rowid > ? ORDER BY rowid LIMIT 1";
    let mut sought = db.prepare_cached(sql)?;
    let mut begin = last + 1;
    for word in words {
        let first =
            sought.query_row(params![quoted(harvest, word), begin - 1], |row| row.get(0)).optional()?;
        let Some(first) = first else { return Ok(None) };
        begin = first;
    }
    Ok(Some(begin))
}

/// What to ask the index for. One word alone leads from row to row; of several, each may be missing at a milestone.
fn expression(harvest: i64, words: &[String]) -> String {
    let milestone = quoted(harvest, MILESTONE);
    let word = |word: &String| match words.len() {
        1 => quoted(harvest, word),
        _ => format!("({} OR {milestone})", quoted(harvest, word)),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" AND ")
}

fn quoted(harvest: i64, word: &str) -> String {
    format!("\"{}\"", of_harvest(harvest, word))
}

#[cfg(test)]
mod tests {
    use super::super::super::schema::CREATE_4;
    use super::*;

    /// An index and nothing else.
    fn empty() -> Connection {
        let db = Connection::open_in_memory().unwrap();
        let create = CREATE_4.find("CREATE VIRTUAL").map(|at| &CREATE_4[at..]).unwrap();
        db.execute_batch(create.split_inclusive(';').next().unwrap()).unwrap();
        db
    }

    #[test]
    fn rows_are_found_by_all_words_of_their_own_harvest() {
        let db = empty();
        let rows: Vec<i64> = (1..=100).map(|n| n * 700).collect();
        rows.iter().for_each(|n| index(&db, 1, *n, &["deep sea"]).unwrap());
        index(&db, 1, 5, &["deep"]).unwrap();
        let sought = ["deep".to_string(), "sea".to_string()];
        let page = |words: &[String], last, most| after(&db, 1, words, last, (most, 9)).unwrap();
        assert_eq!(page(&sought, 0, 99), (rows[..99].to_vec(), Some(rows[98])));
        assert_eq!(page(&sought, rows[97], 99), (rows[98..].to_vec(), None));
        assert_eq!(page(&sought[..1], 0, 2), (vec![5, 700], Some(700)));
        assert_eq!(after(&db, 11, &sought, 0, (99, 9)).unwrap(), (vec![], None), "another harvest's");
    }

    #[test]
    fn words_that_are_never_together_are_looked_for_from_milestone_to_milestone() {
        let db = empty();
        let miles: Vec<i64> = (1..=10).map(|mile| mile * MILE).collect();
        for n in miles.iter().flat_map(|mile| [mile - 2, mile - 1, *mile, mile + 1]) {
            index(&db, 1, n, &[if n % 2 == 0 { "even" } else { "odd" }]).unwrap();
        }
        let sought = ["even".to_string(), "odd".to_string()];
        let (mut last, mut pages) = (0, Vec::new());
        while let (found, Some(end)) = after(&db, 1, &sought, last, (50, 4)).unwrap() {
            pages.push(found);
            last = end;
        }
        assert_eq!(pages, [&miles[..4], &miles[4..8]], "no row but those where every search halts");
        assert_eq!(after(&db, 1, &sought, last, (50, 4)).unwrap(), (miles[8..].to_vec(), None));
        let nowhere = ["even".to_string(), "nowhere".to_string()];
        assert_eq!(after(&db, 1, &nowhere, 0, (50, 4)).unwrap(), (vec![], None), "no milestone is asked");
        assert_eq!(after(&db, 1, &sought[..1], miles[0], (2, 9)).unwrap().0, [miles[0] + 1, miles[1] - 2]);
    }
}
