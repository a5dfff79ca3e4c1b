//! Identity of records: when two records of different answers are the same.
//!
//! A record is identified by the URL of its detail page without the parts that belong to the visit: sessions, tracking,
//! the query, the position in the list. Some of these parts are known by name. Others are learned per form. A part has
//! no share in the identity if the remaining parts still distinguish the records of an answer and one of these holds:
//!
//! - all records of an answer share its value, and the value is the query;
//! - all records of an answer share its value, and the value without the words of the query is that of the last answer;
//! - all records of an answer share its value, the last answer had another value, and the value looks like a token or
//!   one of the records was seen before with the other value;
//! - it is a parameter that has the query as value in every record, or that counts up through the list.
//!
//! A part may equal the query by chance, as `type=book` does for the query "book". If all records of a later
//! answer have another value than its query, the part belongs to the identity after all. So does a part
//! without which records of different titles become one.
//!
//! The fragment belongs to the identity once records of one answer with different titles differ in it only. Parameters
//! that are known by name, such as `query`, belong to it once records of different titles differ in them only.
//!
//! Where URLs do not distinguish records, the text does. An answer may list several passages of a record, each with the
//! URL and the title of the record. There the URL identifies the record.

use super::records::{RawRecord, RecordFields};
use super::view::{hashed, plain_hash};
use crate::address::is_session_name;
use crate::harvest::query::Query;
use crate::harvest::record::RecordId;
use crate::url_query::query_pairs;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of constant parts remembered per form. Guess.
const MAX_PARTS: usize = 64;
/// Maximum number of record hashes remembered per form, see [`IdentityRules::seen`]. Guess.
const MAX_SEEN: usize = 2_000;
/// Maximum number of path segments and parameters of one URL that are examined. Guess.
const MAX_PARTS_PER_URL: usize = 40;
/// Maximum number of records of one answer that are examined. Guess.
const MAX_RECORDS: usize = 100;
/// Least length of a value that may be a token, in bytes. Guess.
const MIN_TOKEN_BYTES: usize = 8;
/// Maximum difference between the numbers of neighbouring records if they are list positions; above 1, because some
/// records may be hidden. Guess.
const MAX_POSITION_STEP: i64 = 3;
/// Least number of records for growing numbers to be taken for positions. Guess.
const MIN_POSITIONS: usize = 3;
/// Records of an answer that must become one with a record of another title before a part is restored. One may be a
/// record that is listed twice. Guess.
const MIN_MERGED_RECORDS: usize = 2;

/// Least number of distinct URLs in an answer that shows passages. All records of a small list may link to one page.
/// Guess.
const MIN_PASSAGE_URLS: usize = 3;

/// Number of characters of a title that enter an id. Sites cut titles at greater lengths. Guess.
const MAX_TITLE_CHARS: usize = 100;

/// A named part of a URL: `host`, `/n` for the n-th path segment, `?name` for a parameter, or `#`.
type UrlPart = (String, String);

/// Name of the part that is the fragment.
const FRAGMENT: &str = "#";

/// Answers that must show that the value of a part is the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartEvidence {
    /// One answer is enough, for the first answers of a form. A later one may show that it was chance.
    OneAnswer,
    /// Two answers in a row.
    TwoAnswers,
}

/// Part of a record that identifies it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum IdentitySource {
    /// The URL.
    #[default]
    Url,
    /// The text, because most URLs of an answer coincide.
    Text,
    /// The URL, although an answer repeats it for several passages of a record.
    UrlOfPassages,
}

/// Rules learned for the detail URLs of one form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct IdentityRules {
    /// Names of parts without a share in the identity.
    ignored: BTreeSet<String>,
    /// Ignored parts that had the query as value.
    with_query: BTreeSet<String>,
    /// Parts that identify records although they looked as if they belonged to the visit: their value was the query or
    /// counted up by chance, or they are the fragment or a visit parameter.
    by_chance: BTreeSet<String>,
    /// Names of parts that all records of an answer shared, with the hash of the last value. For the key of
    /// [`rest_key`], the hash of the value without the words of the query.
    constant: BTreeMap<String, u64>,
    /// Hashes of records without one of the constant parts.
    seen: BTreeSet<u64>,
    /// Part of a record that identifies it.
    identified_by: IdentitySource,
    /// Names of fields that number the records of an answer.
    counting_fields: BTreeSet<String>,
}

impl IdentityRules {
    /// Learns from the records of an answer. Returns true if the rules changed, so that other ids follow from now on.
    pub(super) fn learn(&mut self, records: &[RawRecord], query: &Query) -> bool {
        let before = self.identified_by;
        self.counting_fields.extend(counting_fields(records));
        let has_new_parts = self.learn_parts(records, query, PartEvidence::OneAnswer);
        self.learn_source(&records[..records.len().min(MAX_RECORDS)]);
        has_new_parts || before != self.identified_by
    }

    /// Learns which part identifies records. Once answers show passages, an answer with few URLs shows few records.
    fn learn_source(&mut self, records: &[RawRecord]) {
        let urls: Vec<&Url> = records.iter().filter_map(|record| record.url.as_ref()).collect();
        if urls.len() < 2 || self.identified_by == IdentitySource::UrlOfPassages {
            return;
        }
        let distinct: FxHashSet<Vec<UrlPart>> =
            urls.into_iter().map(|url| parts(&self.address(url.clone()))).collect();
        self.identified_by = match distinct.len() * 2 < records.len() {
            false => IdentitySource::Url,
            true if self.shows_passages(records) => IdentitySource::UrlOfPassages,
            true => IdentitySource::Text,
        };
    }

    /// Learns which parts of the records' URLs identify them. Returns true if the rules changed.
    pub(super) fn learn_parts(
        &mut self,
        records: &[RawRecord],
        query: &Query,
        evidence: PartEvidence,
    ) -> bool {
        let linked: Vec<&RawRecord> =
            records.iter().filter(|record| record.url.is_some()).take(MAX_RECORDS).collect();
        let mut urls: Vec<Vec<UrlPart>> =
            linked.iter().filter_map(|record| record.url.as_ref()).map(parts).collect();
        if urls.len() < 2 {
            return false;
        }
        let before = (self.ignored.clone(), self.lasting_parts());
        self.restore_merging_parts(&linked, &urls);
        urls.iter_mut().for_each(|url| url.retain(|(name, _)| name != FRAGMENT || !self.is_ignored(name)));
        let distinct: FxHashSet<&[UrlPart]> = urls.iter().map(Vec::as_slice).collect();
        for name in names(&urls) {
            let values: Vec<Option<&str>> = urls.iter().map(|url| value(url, &name)).collect();
            let may_vary = !self.by_chance.contains(&name) && !self.is_unchanged(&name, &values);
            let is_query = evidence == PartEvidence::OneAnswer && may_vary && are_query(&values, query);
            if evidence == PartEvidence::OneAnswer {
                self.restore_part(&name, &values, query);
            }
            let is_volatile = is_query
                || match values.iter().all(|value| *value == values[0]) {
                    true => self.belongs_to_answer(&name, values[0], &linked, query),
                    false => may_vary && name.starts_with('?') && count_up(&values),
                };
            if is_volatile && self.distinguishes_without(&urls, &name, distinct.len()) {
                if is_query && !self.ignored.contains(&name) {
                    self.with_query.insert(name.clone());
                }
                self.ignored.insert(name);
            }
        }
        before != (self.ignored.clone(), self.lasting_parts())
    }

    /// Number of fragments and visit parameters that identify records.
    fn lasting_parts(&self) -> usize {
        self.by_chance.iter().filter(|name| *name == FRAGMENT || is_visit_parameter(name)).count()
    }

    /// Returns true if all records have the value that all records of the last answer had.
    fn is_unchanged(&self, name: &str, values: &[Option<&str>]) -> bool {
        let hash = value_hash(values[0]);
        self.constant.get(name) == Some(&hash) && values.iter().all(|value| *value == values[0])
    }

    /// If records with different titles differ in ignored parts only, these parts identify records from now on.
    fn restore_merging_parts(&mut self, records: &[&RawRecord], urls: &[Vec<UrlPart>]) {
        let mut first: FxHashMap<Vec<&UrlPart>, usize> = FxHashMap::default();
        let mut merging: Vec<&str> = Vec::new();
        let mut merged = 0;
        for (at, url) in urls.iter().enumerate() {
            let kept = url.iter().filter(|part| self.identifies(part)).collect();
            let other = *first.entry(kept).or_insert(at);
            if plain_hash(&records[at].title) != plain_hash(&records[other].title) {
                merged += 1;
                let differs = |part: &&UrlPart| !urls[other].contains(part);
                merging.extend(url.iter().filter(differs).map(|(name, _)| name.as_str()));
            }
        }
        if merged >= MIN_MERGED_RECORDS {
            for name in merging {
                if self.ignored.remove(name) || name == FRAGMENT || is_visit_parameter(name) {
                    self.by_chance.insert(name.to_string());
                }
            }
        }
    }

    /// A part that was ignored because its value was the query identifies records again if no record has such a value
    /// now.
    fn restore_part(&mut self, name: &str, values: &[Option<&str>], query: &Query) {
        let has_query = |value: &Option<&str>| value.is_none() || are_query(&[*value], query);
        let is_chance = !query.words.trim().is_empty() && !values.iter().any(has_query);
        if is_chance && self.with_query.remove(name) {
            self.ignored.remove(name);
            self.by_chance.insert(name.to_string());
        }
    }

    /// Decides about a part that all records of an answer share: true if its value has changed and is a token, differs
    /// in the words of the query only, or once belonged to one of the same records.
    fn belongs_to_answer(
        &mut self,
        name: &str,
        value: Option<&str>,
        records: &[&RawRecord],
        query: &Query,
    ) -> bool {
        let is_parameter = name.starts_with('?');
        let hash = value_hash(value);
        let before = self.constant.get(name).copied();
        if before.is_none() && self.constant.len() >= MAX_PARTS {
            return false;
        }
        self.constant.insert(name.to_string(), hash);
        let has_changed = before.is_some_and(|before| before != hash);
        let rest = value.and_then(|value| hash_without_words(value, query));
        let rest_before = match rest {
            Some(rest) => self.constant.insert(rest_key(name), rest),
            None => self.constant.remove(&rest_key(name)),
        };
        let has_words = rest.is_some() && rest == rest_before && !self.by_chance.contains(name);
        let is_seen = |record: &&RawRecord| self.seen.contains(&self.hash_without(record, name));
        let is_volatile =
            has_changed && (has_words || value.is_some_and(is_token) || records.iter().any(is_seen));
        if is_parameter && self.seen.len() < MAX_SEEN {
            let seen: Vec<u64> = records.iter().map(|record| self.hash_without(record, name)).collect();
            self.seen.extend(seen);
        }
        is_volatile
    }

    /// Returns true if the URLs without this part and without ignored parts are still `distinct` in number.
    fn distinguishes_without(&self, urls: &[Vec<UrlPart>], name: &str, distinct: usize) -> bool {
        let is_kept = |part: &&UrlPart| part.0 != name && !self.is_ignored(&part.0);
        let kept: FxHashSet<Vec<&UrlPart>> =
            urls.iter().map(|url| url.iter().filter(is_kept).collect()).collect();
        kept.len() >= distinct
    }

    /// Hash of a record's title and URL without this part and without ignored parts.
    fn hash_without(&self, record: &RawRecord, name: &str) -> u64 {
        let parts = record.url.as_ref().map(parts).unwrap_or_default();
        let is_kept = |part: &UrlPart| part.0 != name && !self.is_ignored(&part.0);
        let rest: Vec<UrlPart> = parts.into_iter().filter(is_kept).collect();
        hashed(&(name, plain_hash(&record.title), rest))
    }

    fn is_ignored(&self, name: &str) -> bool {
        let is_unneeded = name == FRAGMENT && !self.by_chance.contains(name);
        is_unneeded || self.ignored.contains(name) || name.strip_prefix('?').is_some_and(is_session_name)
    }

    /// Returns true if a part has a share in the identity.
    fn identifies(&self, (name, value): &UrlPart) -> bool {
        let is_visit = is_visit_parameter(name) && !value.is_empty() && !self.by_chance.contains(name);
        !is_visit && !self.is_ignored(name)
    }

    /// Address of a record, without a fragment that does not identify it.
    pub(super) fn address(&self, url: Url) -> Url {
        let mut url = url;
        if self.is_ignored(FRAGMENT) {
            url.set_fragment(None);
        }
        url
    }

    /// Ids of the records of one answer, in their order. If most URLs coincide, the text identifies the records.
    pub(super) fn ids_of(&self, records: &[RawRecord]) -> Vec<RecordId> {
        let by_url: Vec<Option<u64>> =
            records.iter().map(|record| record.url.as_ref().map(|url| self.url_id(url))).collect();
        let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
        by_url.iter().flatten().for_each(|id| *counts.entry(*id).or_default() += 1);
        let share_urls = counts.len() * 2 < by_url.iter().flatten().count();
        let is_by_url = match self.identified_by {
            IdentitySource::Url => !share_urls || self.shows_passages(records),
            IdentitySource::Text => false,
            IdentitySource::UrlOfPassages => true,
        };
        let id = |(record, url_id): (&RawRecord, &Option<u64>)| match url_id {
            Some(url_id) if is_by_url => RecordId(*url_id),
            _ => RecordId(text_id(record, &self.counting_fields)),
        };
        records.iter().zip(&by_url).map(id).collect()
    }

    /// Returns true if all records with the same URL have the same title apart from numbers: they are passages of one
    /// record.
    fn shows_passages(&self, records: &[RawRecord]) -> bool {
        let letters = |title: &str| title.chars().filter(|c| c.is_alphabetic()).collect::<String>();
        let titled = records.iter().filter_map(|record| Some((record.url.as_ref()?, letters(&record.title))));
        let titled: FxHashSet<(u64, String)> = titled.map(|(url, title)| (self.url_id(url), title)).collect();
        let urls: FxHashSet<u64> = titled.iter().map(|(url, _)| *url).collect();
        urls.len() >= MIN_PASSAGE_URLS && urls.len() == titled.len()
    }

    fn url_id(&self, url: &Url) -> u64 {
        let kept = || parts(url).into_iter().filter(|part| self.identifies(part));
        // If only the host is left, the whole URL is the identity.
        let has_more = kept().any(|(name, _)| !name.starts_with("host"));
        let is_page = |part: &UrlPart| part.0 != FRAGMENT;
        let parts: Vec<UrlPart> =
            if has_more { kept().collect() } else { parts(url).into_iter().filter(is_page).collect() };
        let text: Vec<String> = parts.iter().map(|(name, value)| format!("{name}={value}")).collect();
        xxh3_64(text.join("\n").as_bytes())
    }
}

/// Returns true for values such as session tokens: long, with digits and letters and without punctuation.
fn is_token(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    value.len() >= MIN_TOKEN_BYTES
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && !value.contains(['-', ' ', '.'])
}

/// Returns true for parameters that describe the way to a record, not the record.
fn is_visit_parameter(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "?highlight",
        "?hl",
        "?hilite",
        "?rank",
        "?pos",
        "?position",
        "?rnk",
        "?resultpos",
        "?searchid",
        "?search_id",
        "?returnurl",
        "?return_url",
        "?back",
        "?backurl",
        "?searchterm",
        "?query",
    ];
    NAMES.contains(&name.to_ascii_lowercase().as_str())
}

/// Splits a URL into named parts. Parameters are sorted; `;` suffixes of path segments are dropped.
fn parts(url: &Url) -> Vec<UrlPart> {
    let host = url.host_str().unwrap_or_default().trim_start_matches("www.");
    let mut parts = vec![("host".to_string(), host.to_string())];
    let segments = url.path_segments().into_iter().flatten().filter(|segment| !segment.is_empty());
    for (nth, segment) in segments.take(MAX_PARTS_PER_URL).enumerate() {
        let segment = segment.split(';').next().unwrap_or_default();
        parts.push((format!("/{nth}"), segment.to_string()));
    }
    let mut pairs: Vec<UrlPart> =
        query_pairs(url).take(MAX_PARTS_PER_URL).map(|(name, value)| (format!("?{name}"), value)).collect();
    pairs.sort_unstable();
    parts.extend(pairs);
    parts.extend(url.fragment().map(|fragment| (FRAGMENT.to_string(), fragment.to_string())));
    parts
}

fn names(urls: &[Vec<UrlPart>]) -> BTreeSet<String> {
    let names = urls.iter().flatten().map(|(name, _)| name.clone());
    names.filter(|name| name != "host" && name != FRAGMENT).take(MAX_PARTS * MAX_RECORDS).collect()
}

fn value<'a>(url: &'a [UrlPart], name: &str) -> Option<&'a str> {
    url.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

fn value_hash(value: Option<&str>) -> u64 {
    value.map_or(0, |value| xxh3_64(value.as_bytes()))
}

/// Key of [`IdentityRules::constant`] for the value of a part without the words of the query.
fn rest_key(name: &str) -> String {
    format!("{name} without words")
}

/// Hash of a value without the words of the query; `None` if it lacks them.
fn hash_without_words(value: &str, query: &Query) -> Option<u64> {
    let (value, words) = (value.to_lowercase(), query.words.trim().to_lowercase());
    let (before, after) = Some(value.split_once(words.as_str())?).filter(|_| !words.is_empty())?;
    Some(hashed(&(before, after)))
}

/// Returns true if every value is the query's words, or a URL that contains them.
fn are_query(values: &[Option<&str>], query: &Query) -> bool {
    let words = query.words.trim().to_lowercase();
    let is_query = |value: &Option<&str>| {
        let value = value.unwrap_or_default().to_lowercase();
        value == words || (value.contains(&words) && value.contains(['=', '/', '?']))
    };
    !words.is_empty() && values.iter().all(is_query)
}

/// Returns true if the values are numbers that grow in small steps from a start near 1, as positions in a list do.
fn count_up(values: &[Option<&str>]) -> bool {
    let numbers: Option<Vec<i64>> =
        values.iter().map(|value| value.and_then(|value| value.parse().ok())).collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() >= MIN_POSITIONS) else { return false };
    let starts_list = (0..=MAX_POSITION_STEP).contains(&numbers[0]);
    starts_list
        && numbers
            .windows(2)
            .all(|pair| pair[0] < pair[1] && pair[1].saturating_sub(pair[0]) <= MAX_POSITION_STEP)
}

/// Names of the fields that number the records of a list: they count up by 1 from record to record in a list of at least
/// three, and the other parts of the records still differ.
fn counting_fields(records: &[RawRecord]) -> Vec<String> {
    let number = |record: &RawRecord, name: &str| {
        let (_, value) = record.fields.pairs.iter().find(|(known, _)| known == name)?;
        value.trim_end_matches('.').parse::<i64>().ok()
    };
    let counts = |name: &&String| {
        let numbers: Option<Vec<i64>> = records.iter().map(|record| number(record, name)).collect();
        numbers.is_some_and(|numbers| {
            numbers.len() >= 3 && numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
        }) && differ_without(records, name)
    };
    let first = records.first().map(|record| record.fields.pairs.as_slice()).unwrap_or_default();
    first.iter().map(|(name, _)| name).filter(counts).cloned().collect()
}

/// Returns true if no two records have the same title and the same marked fields but for one field.
fn differ_without(records: &[RawRecord], left_out: &str) -> bool {
    let left_out = BTreeSet::from([left_out.to_string()]);
    let ids: FxHashSet<u64> = records.iter().map(|record| text_id(record, &left_out)).collect();
    ids.len() == records.len()
}

/// Id of a record without a URL: hash of its title and marked fields, leaving out relevance scores and running
/// numbers, or of its text without a leading number.
fn text_id(record: &RawRecord, counting_fields: &BTreeSet<String>) -> u64 {
    let text = record.text.trim_start_matches(|c: char| !c.is_alphabetic());
    let RecordFields { pairs, marked } = &record.fields;
    if *marked == 0 && !text.is_empty() {
        return plain_hash(text);
    }
    let is_lasting =
        |(name, value): &&(String, String)| !is_relevance(name, value) && !counting_fields.contains(name);
    let lasting = pairs[..*marked].iter().filter(is_lasting);
    // A list may number its titles, and a table may order its columns by the values on the page.
    let mut all: Vec<String> = lasting.map(|(name, value)| format!("{name} {value}")).collect();
    all.sort_unstable();
    let title = record.title.trim_start_matches(|c: char| !c.is_alphabetic());
    let title = if title.is_empty() { &record.title } else { title };
    all.push(title.chars().take(MAX_TITLE_CHARS).collect());
    plain_hash(&all.join(" "))
}

/// Returns true for a field that rates how well the record matches the query.
fn is_relevance(name: &str, value: &str) -> bool {
    const NAMES: [&str; 8] =
        ["score", "relevance", "relevancy", "rank", "relevanz", "pertinence", "relevancia", "rilevanza"];
    let is_percentage = value.ends_with('%') && value.starts_with(|c: char| c.is_ascii_digit());
    is_percentage || NAMES.contains(&name.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(url: &str, title: &str) -> RawRecord {
        let url = Url::parse(&format!("http://a.org{url}")).ok().filter(|_| !url.is_empty());
        RawRecord { url, title: title.to_string(), text: title.to_string(), fields: RecordFields::default() }
    }

    #[test]
    fn a_growing_field_that_alone_distinguishes_records_identifies_them() {
        let record = |volume: usize| {
            let pairs =
                vec![("Volume".to_string(), volume.to_string()), ("By".to_string(), "NPG".to_string())];
            let fields = RecordFields { pairs, marked: 2 };
            RawRecord { fields, text: format!("Nature {volume} NPG"), ..raw("", "Nature") }
        };
        let records: Vec<RawRecord> = (1..=3).map(record).collect();
        let mut rules = IdentityRules::default();
        rules.learn(&records, &Query::words("sea"));
        let ids: FxHashSet<RecordId> = rules.ids_of(&records).into_iter().collect();
        assert_eq!(ids.len(), 3);
    }

    /// Records titled by their URL up to the first `&`.
    fn answer(urls: &[&str]) -> Vec<RawRecord> {
        urls.iter().map(|url| raw(url, url.split('&').next().unwrap_or_default())).collect()
    }

    #[test]
    fn sessions_queries_and_positions_make_no_new_record() {
        let mut rules = IdentityRules::default();
        let sea = answer(&["/i?id=9&q=sea&n=1&t=ab", "/i?id=4&q=sea&n=2&t=ab", "/i?id=5&q=sea&n=3&t=ab"]);
        let ship = answer(&["/i?id=5&q=ship&n=1&t=cd", "/i?id=9&q=ship&n=2&t=cd", "/i?id=7&q=ship&n=3&t=cd"]);
        assert!(rules.learn(&sea, &Query::words("sea")));
        assert!(rules.learn(&ship, &Query::words("ship")));
        assert!(rules.ignored.contains("?t") && !rules.ignored.contains("?id"));
        let (one, other) = (rules.ids_of(&sea), rules.ids_of(&ship));
        assert_eq!((one[0], one[2]), (other[1], other[0]));
        assert_ne!(one[1], other[2]);
    }

    #[test]
    fn passages_of_one_record_are_one_record() {
        let passages = |pages: &[(&str, u32)]| -> Vec<RawRecord> {
            let lines = |(page, lines): &(&str, u32)| {
                let (url, page) = (format!("/wiki/{page}"), page.to_string());
                (0..*lines).map(move |line| raw(&url, &format!("{page}, line {line}"))).collect::<Vec<_>>()
            };
            pages.iter().flat_map(lines).collect()
        };
        let mut rules = IdentityRules::default();
        let answer = passages(&[("boat", 5), ("ship", 4), ("canoe", 3)]);
        rules.learn(&answer, &Query::words("sea"));
        let distinct = |rules: &IdentityRules, records: &[RawRecord]| {
            rules.ids_of(records).into_iter().collect::<FxHashSet<_>>().len()
        };
        assert_eq!(distinct(&rules, &answer), 3);
        assert_eq!(distinct(&rules, &passages(&[("raft", 6)])), 1, "an answer of one record");
        let shared = [raw("/list", "Boat"), raw("/list", "Ship"), raw("/list", "Canoe")];
        let mut rules = IdentityRules::default();
        rules.learn(&shared, &Query::words("sea"));
        assert_eq!(distinct(&rules, &shared), 3, "all records link to one page");
        let lookups = ["Boat", "Ship", "Canoe", "Raft"].map(|name| raw(&format!("/find?query={name}"), name));
        rules.learn(&lookups, &Query::words("sea"));
        assert_eq!(distinct(&rules, &lookups), 4, "the parameter of the query names the record");
    }

    #[test]
    fn fragments_and_lookups_identify_records_whose_titles_differ() {
        let mut rules = IdentityRules::default();
        let methods = ["find", "save", "load"].map(|name| raw(&format!("/Boat.html#{name}-method"), name));
        assert!(rules.learn(&methods, &Query::words("boat")));
        let id = |rules: &IdentityRules, url: &str, title: &str| rules.ids_of(&[raw(url, title)])[0];
        assert_eq!(id(&rules, "/Boat.html#save-method", "save"), rules.ids_of(&methods)[1]);
        assert_eq!(rules.address(methods[1].url.clone().unwrap()).fragment(), Some("save-method"));

        let mut rules = IdentityRules::default();
        let sections = ["a", "b", "c"].map(|name| raw(&format!("/{name}.html#top"), name));
        rules.learn(&sections, &Query::words("boat"));
        assert_eq!(id(&rules, "/a.html#end", "a"), rules.ids_of(&sections)[0], "one record a page");
        assert_eq!(rules.address(sections[0].url.clone().unwrap()).fragment(), None);

        let mut rules = IdentityRules::default();
        let packages = ["bash", "dash", "zsh"].map(|name| raw(&format!("/dpkg?query={name}"), name));
        rules.learn(&packages, &Query::words("shell"));
        let later = RawRecord { text: "dash 2.0".into(), ..raw("/dpkg?query=dash", "dash") };
        assert_eq!(rules.ids_of(&[later])[0], rules.ids_of(&packages)[1]);
    }

    #[test]
    fn a_part_that_equals_the_query_by_chance_stays_in_the_identity() {
        let mut rules = IdentityRules::default();
        let books = answer(&["/i?type=book&id=1", "/i?type=book&id=2"]);
        let films = answer(&["/i?type=film&id=1", "/i?type=film&id=2"]);
        rules.learn(&books, &Query::words("book"));
        rules.learn(&films, &Query::words("sea"));
        rules.learn(&books, &Query::words("book"));
        assert_ne!(rules.ids_of(&books)[0], rules.ids_of(&films)[0]);
    }

    #[test]
    fn the_query_in_the_path_makes_no_new_record() {
        let mut rules = IdentityRules::default();
        let (sea, ship) =
            (answer(&["/find/sea/7", "/find/sea/8"]), answer(&["/find/ship/8", "/find/ship/9"]));
        rules.learn(&sea, &Query::words("sea"));
        rules.learn(&ship, &Query::words("ship"));
        assert_eq!(rules.ids_of(&sea)[1], rules.ids_of(&ship)[0]);
    }

    #[test]
    fn numbers_in_a_row_are_identities_when_nothing_else_distinguishes_records() {
        let mut rules = IdentityRules::default();
        let records = answer(&["/i?id=1", "/i?id=2", "/i?id=3"]);
        rules.learn(&records, &Query::words("sea"));
        let ids = rules.ids_of(&records);
        assert_eq!(ids.iter().collect::<FxHashSet<_>>().len(), 3);
        assert_eq!(rules.ids_of(&answer(&["/i?id=2"])), [ids[1]]);
    }

    #[test]
    fn numbers_that_grow_from_elsewhere_than_the_start_are_identities() {
        let mut rules = IdentityRules::default();
        rules.learn(&answer(&["/i?cat=5&id=101", "/i?cat=7&id=103"]), &Query::words("sea"));
        assert!(rules.ignored.is_empty());
        rules
            .learn(&answer(&["/i?cat=5&id=101", "/i?cat=7&id=103", "/i?cat=8&id=104"]), &Query::words("sea"));
        assert!(rules.ignored.is_empty());
    }

    #[test]
    fn a_part_without_which_different_records_become_one_is_restored() {
        let mut rules = IdentityRules::default();
        let titled = |urls: &[&str]| -> Vec<RawRecord> { urls.iter().map(|url| raw(url, url)).collect() };
        rules.learn(&titled(&["/i?cat=5&id=1", "/i?cat=7&id=2", "/i?cat=8&id=3"]), &Query::words("sea"));
        assert!(rules.ignored.contains("?id"));
        let mixed =
            titled(&["/i?cat=5&id=9", "/i?cat=5&id=4", "/i?cat=7&id=8", "/i?cat=7&id=6", "/i?cat=9&id=5"]);
        assert!(rules.learn_parts(&mixed, &Query::words("ship"), PartEvidence::TwoAnswers));
        assert_eq!(rules.ids_of(&mixed).iter().collect::<FxHashSet<_>>().len(), 5);
        rules.learn(&titled(&["/i?cat=5&id=1", "/i?cat=7&id=2", "/i?cat=8&id=3"]), &Query::words("sea"));
        assert!(rules.ignored.is_empty(), "a restored part stays in the identity");
    }

    #[test]
    fn a_decorated_query_makes_no_new_record() {
        let mut rules = IdentityRules::default();
        rules.learn(&answer(&["/i?id=1&d=kw:+sea", "/i?id=2&d=kw:+sea"]), &Query::words("sea"));
        let ship = answer(&["/i?id=3&d=kw:+ship", "/i?id=4&d=kw:+ship"]);
        assert!(rules.learn_parts(&ship, &Query::words("ship"), PartEvidence::TwoAnswers));
        let port = answer(&["/i?id=4&d=kw:+port", "/i?id=5&d=kw:+port"]);
        assert_eq!(rules.ids_of(&ship)[1], rules.ids_of(&port)[0]);
    }

    #[test]
    fn a_part_that_keeps_its_value_is_not_the_query() {
        let mut rules = IdentityRules::default();
        let records = answer(&["/book/1", "/book/2"]);
        rules.learn(&records, &Query::words("sea"));
        assert!(!rules.learn(&records, &Query::words("book")));
        assert!(rules.ignored.is_empty());
    }

    #[test]
    fn running_numbers_make_no_new_record() {
        let list = |titles: [&str; 3]| -> Vec<RawRecord> {
            let numbered = |(at, title): (usize, &str)| RawRecord {
                fields: RecordFields {
                    pairs: vec![("#".into(), (at + 1).to_string()), ("Year".into(), "1999".into())],
                    marked: 2,
                },
                ..raw("", title)
            };
            titles.into_iter().enumerate().map(numbered).collect()
        };
        let (one, other) = (list(["Sea", "Ship", "Port"]), list(["Boat", "Sea", "Crew"]));
        let mut rules = IdentityRules::default();
        rules.learn(&one, &Query::words("sea"));
        assert_eq!(rules.ids_of(&one)[0], rules.ids_of(&other)[1]);
    }

    #[test]
    fn a_url_that_all_records_share_is_no_identity() {
        let rules = IdentityRules::default();
        let records = [raw("/login", "One"), raw("/login", "Two"), raw("/login", "Three")];
        let ids = rules.ids_of(&records);
        assert_eq!(ids.iter().collect::<FxHashSet<_>>().len(), 3);
        assert_eq!(rules.ids_of(&[raw("", "3. Two")]), [ids[1]]);
    }

    #[test]
    fn a_field_named_by_a_text_of_the_page_makes_no_new_record() {
        let with_fields = |pairs: Vec<(String, String)>, marked| RawRecord {
            fields: RecordFields { pairs, marked },
            ..raw("", "Sea")
        };
        let year = ("Year".to_string(), "1999".to_string());
        let place = ("Paris".to_string(), "Louvre".to_string());
        let (one, other) = (with_fields(vec![year.clone()], 1), with_fields(vec![year, place], 1));
        let rules = IdentityRules::default();
        assert_eq!(rules.ids_of(&[one]), rules.ids_of(&[other]));
    }

    #[test]
    fn numbered_titles_and_reordered_columns_make_no_new_record() {
        let with_fields = |title: &str, pairs: [(&str, &str); 2]| RawRecord {
            fields: RecordFields {
                pairs: pairs.map(|(n, v)| (n.to_string(), v.to_string())).into(),
                marked: 2,
            },
            ..raw("", title)
        };
        let one = with_fields("3. Sea", [("Year", "1999"), ("Place", "Oslo")]);
        let other = with_fields("8. Sea", [("Place", "Oslo"), ("Year", "1999")]);
        let rules = IdentityRules::default();
        assert_eq!(rules.ids_of(&[one]), rules.ids_of(&[other]));
    }
}
