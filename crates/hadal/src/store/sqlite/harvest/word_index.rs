//! Full-text index of records, in the FTS5 table `record_words`.
//!
//! A row of the index has the row number of its record and no text. Each word is prefixed with the number of
//! its harvest (`12qword`), so that a search reads no rows of other harvests.
//!
//! A search for several frequent words that never occur together would read all their rows. So some records are
//! milestones: they have an additional empty word (`12q`), and a search for several words stops at each of them. A page
//! of results ends after [`MAX_MILESTONES`] of them.
//!
//! FTS5 removes a row of such an index only if it gets the same words again. They are derived from the stored texts, so
//! a change of the word splitting needs the next format number and a new index. The test
//! `words_are_split_as_in_this_format` guards this.

use super::super::super::search::words;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// Number of records that are read at once. Guess.
const CHUNK: i64 = 1000;
/// Distance of milestones in row numbers. A prime, so that harvests that run in turns get their share of them. Guess.
const MILESTONE_DISTANCE: i64 = 1009;
/// Number of milestones after which a page of results ends. Guess.
pub const MAX_MILESTONES: usize = 16;
/// Additional word of milestones.
const MILESTONE: &str = "";

/// True if a search for several words stops at this row, whether its record matches or not.
pub fn is_milestone(n: i64) -> bool {
    n % MILESTONE_DISTANCE == 0
}

/// Indexes the record in row `n` by the words of its texts.
pub fn add(db: &Connection, harvest: i64, n: i64, texts: &[&str]) -> rusqlite::Result<()> {
    let sql = "INSERT INTO record_words (rowid, words) VALUES (?, ?)";
    db.prepare_cached(sql)?.execute(params![n, content(harvest, n, texts)])?;
    Ok(())
}

/// Removes the record in row `n`, which was indexed with these texts.
pub fn remove(db: &Connection, harvest: i64, n: i64, texts: &[&str]) -> rusqlite::Result<()> {
    let sql = "INSERT INTO record_words (record_words, rowid, words) VALUES ('delete', ?, ?)";
    db.prepare_cached(sql)?.execute(params![n, content(harvest, n, texts)])?;
    Ok(())
}

/// Content of the column `words` for a record.
fn content(harvest: i64, n: i64, texts: &[&str]) -> String {
    let mut words = words(texts);
    words.extend(is_milestone(n).then(|| MILESTONE.to_string()));
    words.iter().map(|word| prefixed(harvest, word)).collect::<Vec<_>>().join(" ")
}

/// Indexes all records of a store. The index must be empty.
pub fn index_all(db: &Connection) -> rusqlite::Result<()> {
    for_each_record(db, None, add)
}

/// Removes all records of a harvest.
pub fn remove_harvest(db: &Connection, harvest: i64) -> rusqlite::Result<()> {
    for_each_record(db, Some(harvest), remove)
}

/// Calls `change` with the harvest, the row number and the texts of each record, of one harvest or of all.
fn for_each_record(
    db: &Connection,
    harvest: Option<i64>,
    change: fn(&Connection, i64, i64, &[&str]) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let of_harvest = if harvest.is_some() { "harvest = ?1 AND" } else { "" };
    let sql = format!(
        "SELECT n, harvest, title, text, coalesce(detail, '') FROM records
         WHERE {of_harvest} n > ?2 ORDER BY n LIMIT ?3"
    );
    let mut read = db.prepare_cached(&sql)?;
    let mut last = i64::MIN;
    loop {
        let before = last;
        let mut rows = read.query(params![harvest, last, CHUNK])?;
        while let Some(row) = rows.next()? {
            last = row.get(0)?;
            change(db, row.get(1)?, last, &texts(row)?)?;
        }
        if last == before {
            return Ok(());
        }
    }
}

fn texts<'a>(row: &'a Row<'_>) -> rusqlite::Result<[&'a str; 3]> {
    let text = |at| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
    Ok([text(2)?, text(3)?, text(4)?])
}

/// A word of a harvest. The first `q` ends the number, so that prefixed words of two harvests never coincide.
fn prefixed(harvest: i64, word: &str) -> String {
    format!("{harvest}q{word}")
}

/// Returns the next rows after `last` that have all words, and milestones, which may lack some: at most `most` rows and
/// `milestones` milestones. The second value is the row after which to continue; `None` if there are no more rows.
pub fn after(
    db: &Connection,
    harvest: i64,
    words: &[String],
    last: i64,
    (most, milestones): (usize, usize),
) -> rusqlite::Result<(Vec<i64>, Option<i64>)> {
    let Some(begin) = first_candidate(db, harvest, words, last)? else { return Ok((Vec::new(), None)) };
    let sql =
        "SELECT rowid FROM record_words WHERE record_words MATCH ? AND rowid >= ? ORDER BY rowid LIMIT ?";
    let mut matching = db.prepare_cached(sql)?;
    let mut rows = matching.query(params![expression(harvest, words), begin, most as i64])?;
    let (mut found, mut passed) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let n = row.get(0)?;
        found.push(n);
        passed += usize::from(is_milestone(n));
        if found.len() == most || passed == milestones {
            return Ok((found, Some(n)));
        }
    }
    Ok((found, None))
}

/// A row after `last` before which no row has all words; `None` if one of the words does not occur any more.
fn first_candidate(
    db: &Connection,
    harvest: i64,
    words: &[String],
    last: i64,
) -> rusqlite::Result<Option<i64>> {
    let sql =
        "SELECT rowid FROM record_words WHERE record_words MATCH ? AND rowid > ? ORDER BY rowid LIMIT 1";
    let mut matching = db.prepare_cached(sql)?;
    let mut begin = last + 1;
    for word in words {
        let first =
            matching.query_row(params![quoted(harvest, word), begin - 1], |row| row.get(0)).optional()?;
        let Some(first) = first else { return Ok(None) };
        begin = first;
    }
    Ok(Some(begin))
}

/// FTS5 expression of a search. Of several words, each may be missing at a milestone.
fn expression(harvest: i64, words: &[String]) -> String {
    let milestone = quoted(harvest, MILESTONE);
    let word = |word: &String| match words.len() {
        1 => quoted(harvest, word),
        _ => format!("({} OR {milestone})", quoted(harvest, word)),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" AND ")
}

fn quoted(harvest: i64, word: &str) -> String {
    format!("\"{}\"", prefixed(harvest, word))
}

#[cfg(test)]
mod tests {
    use super::super::super::schema::CREATE_WORD_INDEX;
    use super::*;

    /// A database with an empty index.
    fn empty() -> Connection {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(CREATE_WORD_INDEX).unwrap();
        db
    }

    #[test]
    fn rows_are_found_by_all_words_of_their_harvest() {
        let db = empty();
        let rows: Vec<i64> = (1..=100).map(|n| n * 700).collect();
        rows.iter().for_each(|n| add(&db, 1, *n, &["deep sea"]).unwrap());
        add(&db, 1, 5, &["deep"]).unwrap();
        let sought = ["deep".to_string(), "sea".to_string()];
        let page = |words: &[String], last, most| after(&db, 1, words, last, (most, 9)).unwrap();
        assert_eq!(page(&sought, 0, 99), (rows[..99].to_vec(), Some(rows[98])));
        assert_eq!(page(&sought, rows[97], 99), (rows[98..].to_vec(), None));
        assert_eq!(page(&sought[..1], 0, 2), (vec![5, 700], Some(700)));
        assert_eq!(after(&db, 11, &sought, 0, (99, 9)).unwrap(), (vec![], None), "of another harvest");
    }

    #[test]
    fn words_that_never_occur_together_are_searched_from_milestone_to_milestone() {
        let db = empty();
        let miles: Vec<i64> = (1..=10).map(|mile| mile * MILESTONE_DISTANCE).collect();
        for n in miles.iter().flat_map(|mile| [mile - 2, mile - 1, *mile, mile + 1]) {
            add(&db, 1, n, &[if n % 2 == 0 { "even" } else { "odd" }]).unwrap();
        }
        let sought = ["even".to_string(), "odd".to_string()];
        let (mut last, mut pages) = (0, Vec::new());
        while let (found, Some(end)) = after(&db, 1, &sought, last, (50, 4)).unwrap() {
            pages.push(found);
            last = end;
        }
        assert_eq!(pages, [&miles[..4], &miles[4..8]], "only milestones");
        assert_eq!(after(&db, 1, &sought, last, (50, 4)).unwrap(), (miles[8..].to_vec(), None));
        let nowhere = ["even".to_string(), "nowhere".to_string()];
        assert_eq!(after(&db, 1, &nowhere, 0, (50, 4)).unwrap(), (vec![], None), "no milestone is read");
        assert_eq!(after(&db, 1, &sought[..1], miles[0], (2, 9)).unwrap().0, [miles[0] + 1, miles[1] - 2]);
    }

    #[test]
    fn a_record_that_changes_is_found_by_its_new_words_only() {
        let db = empty();
        let found = |word: &str| after(&db, 1, &[word.to_string()], 0, (9, 9)).unwrap().0;
        add(&db, 1, 1009, &["old", "text"]).unwrap();
        add(&db, 1, 7, &["text"]).unwrap();
        remove(&db, 1, 1009, &["old", "text"]).unwrap();
        assert_eq!((found("old"), found("text"), found(MILESTONE)), (vec![], vec![7], vec![]));
        add(&db, 1, 1009, &["new", "text"]).unwrap();
        assert_eq!((found("new"), found("text"), found(MILESTONE)), (vec![1009], vec![7, 1009], vec![1009]));
    }

    /// If this test fails, the splitting of words has changed: take the next format number, rebuild the index in its
    /// migration, and put the new words here.
    #[test]
    fn words_are_split_as_in_this_format() {
        let text = "Deep-sea Fish, 1872; l\u{2019}\u{e9}t\u{e9} don't \u{6df1}\u{6d77}\u{9b5a} \u{c9}tudes x2 A.B. 3,5";
        let expected = [
            "1872",
            "3",
            "5",
            "a",
            "b",
            "deep",
            "don",
            "fish",
            "l\u{2019}\u{e9}t\u{e9}",
            "sea",
            "t",
            "x2",
            "\u{e9}tudes",
            "\u{6d77}\u{9b5a}",
            "\u{6df1}\u{6d77}",
            MILESTONE,
        ];
        let expected = expected.map(|word| format!("12q{word}")).join(" ");
        assert_eq!(content(12, 1009, &[text, "fish"]), expected);
    }
}
