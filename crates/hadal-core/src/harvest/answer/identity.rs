//! When two records are the same.
//!
//! A record is its detail link without what belongs to the visit: sessions, tracking, the query, the
//! position in the list. Which parts of a link those are is partly known by name and partly learned:
//! a part that is the same for all records of an answer and another in the next answer, that repeats the
//! query or counts along, has no share in the identity, provided the rest still tells records apart.

use super::records::RawRecord;
use super::view::{hashed, plain_hash};
use crate::address::is_session_name;
use crate::harvest::query::Query;
use crate::harvest::record::RecordId;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Parts that are remembered.
const MOST_PARTS: usize = 64;
/// Records that are remembered without a part.
const MOST_MET: usize = 2_000;
/// Parts of one link that are looked at.
const MOST_PER_LINK: usize = 40;
/// Records of one answer that are looked at.
const MOST_RECORDS: usize = 100;

/// What is known about the links of a form's records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct IdentityRules {
    /// Parts that have no share.
    idle: BTreeSet<String>,
    /// Parts that were the same for all records of an answer, and what they were.
    constant: BTreeMap<String, u64>,
    /// Records that were met, without one of those parts.
    met: BTreeSet<u64>,
    /// Whether links do not tell records apart, so that their text must.
    by_text: bool,
}

impl IdentityRules {
    /// Learns from an answer; says whether records are identified differently from now on.
    pub(super) fn learn(&mut self, records: &[RawRecord], query: &Query) -> bool {
        let before = (self.idle.clone(), self.by_text);
        let linked: Vec<&RawRecord> =
            records.iter().filter(|record| record.url.is_some()).take(MOST_RECORDS).collect();
        let links: Vec<Vec<(String, String)>> =
            linked.iter().filter_map(|record| record.url.as_ref()).map(parts).collect();
        if links.len() < 2 {
            return false;
        }
        let distinct: FxHashSet<&[(String, String)]> = links.iter().map(Vec::as_slice).collect();
        self.by_text = distinct.len() * 2 < records.len().min(MOST_RECORDS);
        for name in names(&links) {
            let values: Vec<Option<&str>> = links.iter().map(|link| value(link, &name)).collect();
            let is_idle = match values.iter().all(|value| *value == values[0]) {
                true => self.is_of_the_answer(&name, values[0], &linked, query),
                false => name.starts_with('?') && (repeats(&values, query) || counts_along(&values)),
            };
            if is_idle && self.tells_apart_without(&links, &name, distinct.len()) {
                self.idle.insert(name);
            }
        }
        before != (self.idle.clone(), self.by_text)
    }

    /// Whether a part that all records of an answer share is the query, a token made for the visit, or was
    /// another when one of these records was met before.
    fn is_of_the_answer(
        &mut self,
        name: &str,
        value: Option<&str>,
        records: &[&RawRecord],
        query: &Query,
    ) -> bool {
        let is_parameter = name.starts_with('?');
        if is_parameter && repeats(&[value], query) {
            return true;
        }
        let hash = value.map_or(0, |value| xxh3_64(value.as_bytes()));
        let before = self.constant.get(name).copied();
        if before.is_none() && self.constant.len() >= MOST_PARTS {
            return false;
        }
        self.constant.insert(name.to_string(), hash);
        let has_changed = before.is_some_and(|before| before != hash);
        let met = |record: &&RawRecord| self.met.contains(&self.without(record, name));
        let is_idle = has_changed && (value.is_some_and(is_token) || records.iter().any(met));
        if is_parameter && self.met.len() < MOST_MET {
            let met: Vec<u64> = records.iter().map(|record| self.without(record, name)).collect();
            self.met.extend(met);
        }
        is_idle
    }

    /// Whether the other parts, without those known to be idle, make as many records as all parts.
    fn tells_apart_without(&self, links: &[Vec<(String, String)>], name: &str, distinct: usize) -> bool {
        let is_kept = |part: &&(String, String)| part.0 != name && !self.is_dropped(&part.0);
        let kept: FxHashSet<Vec<&(String, String)>> =
            links.iter().map(|link| link.iter().filter(is_kept).collect()).collect();
        kept.len() >= distinct
    }

    /// A record without one part of its link, and without those known to be idle, as a number.
    fn without(&self, record: &RawRecord, name: &str) -> u64 {
        let parts = record.url.as_ref().map(parts).unwrap_or_default();
        let is_kept = |part: &(String, String)| part.0 != name && !self.is_dropped(&part.0);
        let rest: Vec<(String, String)> = parts.into_iter().filter(is_kept).collect();
        hashed(&(name, plain_hash(&record.title), rest))
    }

    fn is_dropped(&self, name: &str) -> bool {
        self.idle.contains(name) || name.strip_prefix('?').is_some_and(is_session_name)
    }

    /// The identities of the records of one answer, in their order.
    pub(super) fn of(&self, records: &[RawRecord]) -> Vec<RecordId> {
        let by_link: Vec<Option<u64>> =
            records.iter().map(|record| record.url.as_ref().map(|url| self.of_link(url))).collect();
        let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
        by_link.iter().flatten().for_each(|id| *counts.entry(*id).or_default() += 1);
        let shared = counts.len() * 2 < by_link.iter().flatten().count();
        let identify = |(record, link): (&RawRecord, &Option<u64>)| match link {
            Some(link) if !self.by_text && !shared => RecordId(*link),
            _ => RecordId(of_text(record)),
        };
        records.iter().zip(&by_link).map(identify).collect()
    }

    fn of_link(&self, url: &Url) -> u64 {
        let is_kept = |(name, value): &(String, String)| {
            !self.is_dropped(name) && (!is_of_the_visit(name) || value.is_empty())
        };
        let kept = || parts(url).into_iter().filter(is_kept);
        // A link that is nothing but the query is all there is to go by.
        let has_more = kept().any(|(name, _)| !name.starts_with("host"));
        let parts: Vec<(String, String)> = if has_more { kept().collect() } else { parts(url) };
        let text: Vec<String> = parts.iter().map(|(name, value)| format!("{name}={value}")).collect();
        xxh3_64(text.join("\n").as_bytes())
    }
}

/// Whether a value looks made for one visit: long, of digits and letters mixed.
fn is_token(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    value.len() >= 8
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && !value.contains(['-', ' ', '.'])
}

/// Parameters that say how somebody came to a record, not which one it is.
fn is_of_the_visit(name: &str) -> bool {
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

/// An address as named parts: host, each part of the path, each parameter.
fn parts(url: &Url) -> Vec<(String, String)> {
    let host = url.host_str().unwrap_or_default().trim_start_matches("www.");
    let mut parts = vec![("host".to_string(), host.to_string())];
    let path = url.path_segments().into_iter().flatten().filter(|part| !part.is_empty());
    for (nth, part) in path.take(MOST_PER_LINK).enumerate() {
        let part = part.split(';').next().unwrap_or_default();
        parts.push((format!("/{nth}"), part.to_string()));
    }
    let mut pairs: Vec<(String, String)> = url
        .query_pairs()
        .take(MOST_PER_LINK)
        .map(|(name, value)| (format!("?{name}"), value.into_owned()))
        .collect();
    pairs.sort_unstable();
    parts.extend(pairs);
    parts
}

fn names(links: &[Vec<(String, String)>]) -> BTreeSet<String> {
    let names = links.iter().flatten().map(|(name, _)| name.clone());
    names.filter(|name| name != "host").take(MOST_PARTS * MOST_RECORDS).collect()
}

fn value<'a>(link: &'a [(String, String)], name: &str) -> Option<&'a str> {
    link.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// Whether every value is the query, or an address that has it in it.
fn repeats(values: &[Option<&str>], query: &Query) -> bool {
    let words = query.words.trim().to_lowercase();
    let is_it = |value: &Option<&str>| {
        let value = value.unwrap_or_default().to_lowercase();
        value == words || (value.contains(&words) && value.contains(['=', '/', '?']))
    };
    !words.is_empty() && values.iter().all(is_it)
}

/// Whether values go up as positions do, which may pass over a few that are not shown.
fn counts_along(values: &[Option<&str>]) -> bool {
    let numbers: Option<Vec<i64>> =
        values.iter().map(|value| value.and_then(|value| value.parse().ok())).collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() >= 2) else { return false };
    numbers.windows(2).all(|pair| pair[0] < pair[1] && pair[1].saturating_sub(pair[0]) <= 3)
}

/// The identity of a record without a link: its title and those of its texts that do not depend on the query.
fn of_text(record: &RawRecord) -> u64 {
    let text = record.text.trim_start_matches(|c: char| !c.is_alphabetic());
    if record.fields.is_empty() && !text.is_empty() {
        return plain_hash(text);
    }
    let lasting = record.fields.iter().filter(|(name, value)| !is_rating(name, value));
    let values = lasting.map(|(name, value)| format!("{name} {value}"));
    let all: Vec<String> = std::iter::once(record.title.clone()).chain(values).collect();
    plain_hash(&all.join(" "))
}

/// Whether a pair says how well a record fits the query.
fn is_rating(name: &str, value: &str) -> bool {
    const NAMES: [&str; 8] =
        ["score", "relevance", "relevancy", "rank", "relevanz", "pertinence", "relevancia", "rilevanza"];
    let is_share = value.ends_with('%') && value.starts_with(|c: char| c.is_ascii_digit());
    is_share || NAMES.contains(&name.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(url: &str, title: &str) -> RawRecord {
        let url = Url::parse(&format!("http://a.org{url}")).ok().filter(|_| !url.is_empty());
        RawRecord { url, title: title.to_string(), text: title.to_string(), fields: Vec::new() }
    }

    /// Records that are called by the first parameter of their link.
    fn answer(urls: &[&str]) -> Vec<RawRecord> {
        urls.iter().map(|url| raw(url, url.split('&').next().unwrap_or_default())).collect()
    }

    #[test]
    fn sessions_queries_and_positions_make_no_new_record() {
        let mut identity = IdentityRules::default();
        let sea = answer(&["/i?id=9&q=sea&n=1&t=ab", "/i?id=4&q=sea&n=2&t=ab", "/i?id=5&q=sea&n=3&t=ab"]);
        let ship = answer(&["/i?id=5&q=ship&n=1&t=cd", "/i?id=9&q=ship&n=2&t=cd", "/i?id=7&q=ship&n=3&t=cd"]);
        assert!(identity.learn(&sea, &Query::words("sea")));
        assert!(identity.learn(&ship, &Query::words("ship")));
        assert!(identity.idle.contains("?t") && !identity.idle.contains("?id"));
        let (one, other) = (identity.of(&sea), identity.of(&ship));
        assert_eq!((one[0], one[2]), (other[1], other[0]));
        assert_ne!(one[1], other[2]);
    }

    #[test]
    fn numbers_in_a_row_are_identities_when_nothing_else_tells_records_apart() {
        let mut identity = IdentityRules::default();
        let records = answer(&["/i?id=1", "/i?id=2", "/i?id=3"]);
        identity.learn(&records, &Query::words("sea"));
        let ids = identity.of(&records);
        assert_eq!(ids.iter().collect::<FxHashSet<_>>().len(), 3);
        assert_eq!(identity.of(&answer(&["/i?id=2"])), [ids[1]]);
    }

    #[test]
    fn a_link_that_all_records_share_is_no_identity() {
        let identity = IdentityRules::default();
        let records = [raw("/login", "One"), raw("/login", "Two"), raw("/login", "Three")];
        let ids = identity.of(&records);
        assert_eq!(ids.iter().collect::<FxHashSet<_>>().len(), 3);
        assert_eq!(identity.of(&[raw("", "3. Two")]), [ids[1]]);
    }
}
