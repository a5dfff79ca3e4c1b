//! The index of the words of records: each with the number of its harvest, so that nothing is looked through
//! that another harvest brought up.

use super::super::super::search::words;
use rusqlite::{Connection, params};

/// Records that are indexed anew at once.
const CHUNK: i64 = 1000;

/// Lets a record be found by the words of these texts and no others.
pub fn index(db: &Connection, harvest: i64, n: i64, texts: &[&str]) -> rusqlite::Result<()> {
    let words: Vec<String> = words(texts).iter().map(|word| of_harvest(harvest, word)).collect();
    let sql = "INSERT OR REPLACE INTO record_words (rowid, words) VALUES (?, ?)";
    db.prepare_cached(sql)?.execute(params![n, words.join(" ")])?;
    Ok(())
}

/// Indexes every record of a store whose index is empty.
pub fn index_all(db: &Connection) -> rusqlite::Result<()> {
    let sql =
        "SELECT n, harvest, title, text, coalesce(detail, '') FROM records WHERE n > ? ORDER BY n LIMIT ?";
    let mut sought = db.prepare_cached(sql)?;
    let mut last = i64::MIN;
    loop {
        let before = last;
        let mut rows = sought.query([last, CHUNK])?;
        while let Some(row) = rows.next()? {
            last = row.get(0)?;
            let text = |at| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
            index(db, row.get(1)?, last, &[text(2)?, text(3)?, text(4)?])?;
        }
        if last == before {
            return Ok(());
        }
    }
}

/// No word begins with digits and then a `q` that are its harvest's and could be another's: the first `q` ends them.
fn of_harvest(harvest: i64, word: &str) -> String {
    format!("{harvest}q{word}")
}

/// The next rows after `last` that have all of these words, at most so many.
pub fn after(
    db: &Connection,
    harvest: i64,
    words: &[String],
    last: i64,
    limit: usize,
) -> rusqlite::Result<Vec<i64>> {
    let words: Vec<String> = words.iter().map(|word| format!("\"{}\"", of_harvest(harvest, word))).collect();
    let sql =
        "SELECT rowid FROM record_words WHERE record_words MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?";
    let mut sought = db.prepare_cached(sql)?;
    sought.query_map(params![words.join(" "), last, limit as i64], |row| row.get(0))?.collect()
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
        assert_eq!(after(&db, 1, &sought, 0, 99).unwrap(), rows[..99]);
        assert_eq!(after(&db, 1, &sought, rows[97], 99).unwrap(), rows[98..]);
        assert_eq!(after(&db, 1, &sought[..1], 0, 2).unwrap(), [5, 700]);
        assert!(after(&db, 11, &sought, 0, 99).unwrap().is_empty(), "another harvest's");
    }
}
