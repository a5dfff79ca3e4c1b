//! The index of the words of records: each with the number of its harvest, so that nothing is looked through
//! that another harvest brought up.

use super::super::super::search::words;
use rusqlite::{Connection, OptionalExtension, params};

/// Stretches of the index that words are looked for together in. Each is so many times as long as the words are
/// apart where it begins: rare ones are looked for farther on, at about the same price.
const STRETCHES: usize = 4;
const GAPS: i64 = 200;
const LONGEST: i64 = 1 << 18;
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

/// Numbers of rows, and the row after which to go on, unless there are no more.
pub type Rows = (Vec<i64>, Option<i64>);

/// The next rows after `last` that have all of these words, at most so many. There may be fewer and more to come:
/// of words that are frequent and never together, only so much is looked through at once.
pub fn after(
    db: &Connection,
    harvest: i64,
    words: &[String],
    last: i64,
    limit: usize,
) -> rusqlite::Result<Rows> {
    let words: Vec<String> = words.iter().map(|word| format!("\"{}\"", of_harvest(harvest, word))).collect();
    let (mut found, mut end) = (Vec::new(), last);
    for _ in 0..STRETCHES {
        let Some(start) = first_of_all(db, &words, end)? else { return Ok((found, None)) };
        end = end_of_stretch(db, &words, start)?;
        found.extend(between(db, &words.join(" "), start, end, limit - found.len())?);
        if found.len() == limit {
            return Ok((found.clone(), found.last().copied()));
        }
    }
    Ok((found, Some(end).filter(|end| *end < i64::MAX)))
}

/// The first row after `last` before which not all of the words can be together; none when one has no more.
fn first_of_all(db: &Connection, words: &[String], last: i64) -> rusqlite::Result<Option<i64>> {
    let sql =
        "SELECT rowid FROM record_words WHERE record_words MATCH ? AND rowid > ? ORDER BY rowid LIMIT 1";
    let mut sought = db.prepare_cached(sql)?;
    let mut first = None;
    for word in words {
        match sought.query_row(params![word, last], |row| row.get(0)).optional()? {
            Some(row) => first = first.max(Some(row)),
            None => return Ok(None),
        }
    }
    Ok(first)
}

/// One word alone is wherever it is found: the stretch is as long as it has to be.
fn end_of_stretch(db: &Connection, words: &[String], start: i64) -> rusqlite::Result<i64> {
    if words.len() == 1 {
        return Ok(i64::MAX);
    }
    let next = first_of_all(db, words, start)?;
    let length = next.map_or(LONGEST, |next| (next - start).saturating_mul(GAPS).min(LONGEST));
    Ok(start.saturating_add(length))
}

fn between(db: &Connection, words: &str, start: i64, end: i64, limit: usize) -> rusqlite::Result<Vec<i64>> {
    let sql = "SELECT rowid FROM record_words WHERE record_words MATCH ? AND rowid >= ? AND rowid <= ?
        ORDER BY rowid LIMIT ?";
    let mut sought = db.prepare_cached(sql)?;
    sought.query_map(params![words, start, end, limit as i64], |row| row.get(0))?.collect()
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
    fn words_that_are_never_together_are_given_up_for_now_and_found_further_on() {
        let db = empty();
        for n in 1..5000 {
            index(&db, 1, n, &[["even", "odd"][n as usize % 2]]).unwrap();
        }
        index(&db, 1, 5000, &["odd even"]).unwrap();
        let sought = ["even".to_string(), "odd".to_string()];
        let (found, end) = after(&db, 1, &sought, 0, 10).unwrap();
        assert!(found.is_empty() && end.is_some_and(|end| end < 2000), "{found:?} {end:?}");
        let (mut found, mut end, mut looks) = (Vec::new(), Some(0), 0);
        while let Some(last) = end {
            let (more, next) = after(&db, 1, &sought, last, 10).unwrap();
            found.extend(more);
            (end, looks) = (next, looks + 1);
        }
        assert_eq!(found, [5000]);
        assert!((3..20).contains(&looks), "{looks}");
    }

    #[test]
    fn rare_words_are_looked_for_farther_on() {
        let db = empty();
        let rows: Vec<i64> = (1..=100).map(|n| n * 700).collect();
        rows.iter().for_each(|n| index(&db, 1, *n, &["deep sea"]).unwrap());
        let sought = ["deep".to_string(), "sea".to_string()];
        assert_eq!(after(&db, 1, &sought, 0, 99).unwrap(), (rows[..99].to_vec(), Some(rows[98])));
    }

    #[test]
    fn one_word_is_found_at_once_wherever_it_is() {
        let db = empty();
        let rows: Vec<i64> = (1..9).map(|n| n * 2 * LONGEST).collect();
        rows.iter().for_each(|n| index(&db, 1, *n, &["deep"]).unwrap());
        let sought = ["deep".to_string()];
        assert_eq!(after(&db, 1, &sought, 0, 99).unwrap(), (rows.clone(), None));
        assert_eq!(after(&db, 1, &sought, rows[2], 2).unwrap(), (rows[3..5].to_vec(), Some(rows[4])));
        assert_eq!(after(&db, 11, &sought, 0, 99).unwrap(), (vec![], None), "another harvest's");
    }
}
