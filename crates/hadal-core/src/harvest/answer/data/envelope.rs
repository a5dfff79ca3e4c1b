//! The part of an answer around its records: total and next page.
//!
//! The next page is, in this order: a URL that the answer or its header names, a cursor in the answer, or
//! the page number or offset after this one. The parameter for a cursor or position is one that the request or the
//! answer names.

use super::columns::plain_name;
use super::table::MAX_KEY;
use crate::address::Site;
use crate::harvest::answer::pager::{NextPage, PagerKind};
use crate::harvest::policy::StatedTotal;
use crate::http::{Headers, Method, Request};
use crate::scripted::request_learning::json_leaves;
use crate::submission::insert;
use crate::url_query::{decoded_pairs, with_pair, with_values, without_names};
use serde_json::Value;
use std::borrow::Cow;
use url::Url;

/// Maximum number of scalars around the records that are read. Guess.
const MAX_SCALARS: usize = 400;
/// Maximum depth of nested values around the records. Guess.
const MAX_DEPTH: usize = 8;

/// Names of page numbers. Spellings seen in public APIs.
const PAGE_NAMES: [&str; 9] =
    ["page", "p", "pg", "pagenumber", "pageno", "pagenum", "pageindex", "currentpage", "paged"];
/// Names of offsets. Spellings seen in public APIs. `first` is missing: in GraphQL it is the page size.
#[rustfmt::skip]
const OFFSET_NAMES: [&str; 9] = [
    "offset", "start", "from", "skip", "startindex", "startat", "startrecord", "startposition", "firstresult",
];
/// Names of the number of pages. Spellings seen in public APIs.
const PAGES_NAMES: [&str; 7] =
    ["totalpages", "pages", "nbpages", "pagecount", "lastpage", "numpages", "maxpage"];
/// Names of the page size. Spellings seen in public APIs.
const SIZE_NAMES: [&str; 9] = [
    "perpage",
    "pagesize",
    "limit",
    "rows",
    "size",
    "hitsperpage",
    "itemsperpage",
    "count",
    "resultsperpage",
];
/// Parts of names of totals, best first. Spellings seen in public APIs.
const TOTAL_NAMES: [&str; 8] = ["total", "found", "nbhits", "count", "matches", "hits", "size", "results"];
/// Parts of names of other numbers.
const OTHER_NAMES: [&str; 14] = [
    "page",
    "limit",
    "offset",
    "time",
    "took",
    "status",
    "code",
    "version",
    "max",
    "start",
    "shard",
    "current",
    "per",
    "successful",
];

/// A scalar around the records.
#[derive(Clone, Debug, PartialEq)]
struct EnvelopeScalar<'v> {
    /// Keys from the root.
    keys: Vec<&'v str>,
    value: &'v Value,
}

/// Scalars of an answer outside its records.
#[derive(Clone, Debug, Default)]
pub struct Envelope<'v> {
    scalars: Vec<EnvelopeScalar<'v>>,
    /// Path of the records.
    records: String,
}

impl<'v> Envelope<'v> {
    /// Reads the scalars of a value outside lists. `path` is that of the records.
    pub fn of(value: &'v Value, path: &str) -> Envelope<'v> {
        let records = path.trim_end_matches(['{', '}', '|']).replace("[]", "");
        let mut envelope = Envelope { records, ..Envelope::default() };
        envelope.add(value, &mut Vec::new());
        envelope
    }

    fn add(&mut self, value: &'v Value, keys: &mut Vec<&'v str>) {
        let here: String = keys.iter().map(|key| format!(".{key}")).collect();
        let is_records = !here.is_empty() && here == self.records;
        match value {
            _ if keys.len() > MAX_DEPTH || self.scalars.len() > MAX_SCALARS || is_records => {}
            Value::Object(object) => {
                for (key, value) in object.iter().filter(|(key, _)| key.len() <= MAX_KEY) {
                    keys.push(key);
                    self.add(value, keys);
                    keys.pop();
                }
            }
            // XML elements are lists of one.
            Value::Array(items) if items.len() == 1 && !items[0].is_array() => self.add(&items[0], keys),
            Value::Array(_) => {}
            _ => self.scalars.push(EnvelopeScalar { keys: keys.clone(), value }),
        }
    }

    fn number(&self, names: &[&str]) -> Option<(&'v str, u64)> {
        self.scalars.iter().find_map(|scalar| {
            let key = scalar.keys.last()?;
            let is_named = names.contains(&plain_name(key).as_str());
            scalar.number().filter(|_| is_named).map(|number| (*key, number))
        })
    }

    /// Total that the answer states, given the number of records on its first page. `empty` is the envelope
    /// of an answer without records: a number that it shares is not a total.
    pub fn total(&self, shown: u64, empty: &[(String, u64)]) -> Option<StatedTotal> {
        let is_constant = |scalar: &EnvelopeScalar<'_>, number: u64| {
            number > 0 && empty.iter().any(|(keys, known)| *keys == scalar.path() && *known == number)
        };
        // With full pages, a count of records may be that of the page.
        let is_page_size = |scalar: &EnvelopeScalar<'_>| {
            let name = scalar.keys.last().map(|key| plain_name(key)).unwrap_or_default();
            scalar.number() == Some(shown) && SIZE_NAMES.contains(&name.as_str())
        };
        let counts_page = |scalar: &EnvelopeScalar<'_>, number: u64| {
            let is_full =
                || self.scalars.iter().any(|other| other.path() != scalar.path() && is_page_size(other));
            number == shown && !scalar.is_named_total() && is_full()
        };
        let scored = self.scalars.iter().filter_map(|scalar| {
            let is_total = |number: &u64| {
                *number >= shown && !is_constant(scalar, *number) && !counts_page(scalar, *number)
            };
            let number = scalar.number().filter(is_total)?;
            Some(((scalar.total_rank()?, self.closeness(scalar), usize::MAX - scalar.keys.len()), number))
        });
        let (_, number) = scored.reduce(|kept, next| if next.0 > kept.0 { next } else { kept })?;
        Some(if self.is_bound() { StatedTotal::About(number) } else { StatedTotal::Exactly(number) })
    }

    /// Number of keys that a scalar shares with the path of the records.
    fn closeness(&self, scalar: &EnvelopeScalar<'_>) -> usize {
        let path = self.records.split('.').skip(1);
        path.zip(&scalar.keys).take_while(|(key, other)| key == *other).count()
    }

    /// True if the answer marks its total as a lower bound or an estimate.
    fn is_bound(&self) -> bool {
        self.scalars.iter().any(|scalar| {
            let key = scalar.keys.last().map(|key| plain_name(key)).unwrap_or_default();
            let is_relation = key == "relation" && scalar.value.as_str().is_some_and(|text| text != "eq");
            let is_estimate = (key.starts_with("estimatedtotal") || key.starts_with("approximate"))
                && scalar.number().is_some();
            let is_inexact =
                (key == "exhaustivenbhits" || key == "exacttotal") && scalar.value == &Value::Bool(false);
            is_relation || is_estimate || is_inexact
        })
    }

    /// Numbers with their paths, to compare with later answers.
    pub fn numbers(&self) -> Vec<(String, u64)> {
        self.scalars.iter().filter_map(|scalar| Some((scalar.path(), scalar.number()?))).collect()
    }

    /// True if the answer reports an error.
    pub fn has_error(&self) -> bool {
        self.scalars.iter().any(|scalar| {
            let is_error = |key: &&str| matches!(plain_name(key).as_str(), "error" | "errors" | "exception");
            let is_set =
                !matches!(scalar.value, Value::Null | Value::Bool(false)) && scalar.number() != Some(0);
            scalar.keys.first().is_some_and(is_error) && is_set && scalar.value.as_str() != Some("")
        })
    }

    /// True if the answer is marked as the last page.
    fn is_last(&self) -> bool {
        self.scalars.iter().any(|scalar| {
            let key = scalar.keys.last().map(|key| plain_name(key)).unwrap_or_default();
            let has_more = key.starts_with("hasnext") || key.starts_with("hasmore") || key == "more";
            let is_end = key == "islast" || key == "islastpage" || key == "lastpage";
            has_more && scalar.value == &Value::Bool(false) || is_end && scalar.value == &Value::Bool(true)
        })
    }

    /// Request for the next page of the answer to `sent`. `shown` is the number of records on this page, `most` the
    /// greatest number of records on a page so far.
    pub fn next_page(&self, sent: &Request, shown: u64, most: u64, total: Option<u64>) -> Option<NextPage> {
        if self.is_last() || shown == 0 {
            return None;
        }
        if let Some(url) = self.next_url(&sent.url) {
            return Some(NextPage {
                request: Request { body_limit: sent.body_limit, ..Request::get(url) },
                kind: PagerKind::Declared,
            });
        }
        let position = || {
            let (name, value) = self.next_position(sent, shown, most, total)?;
            Some(vec![(name, value.to_string())])
        };
        let changes = self.cursor(sent).or_else(position)?;
        Some(NextPage { request: with_parameters(sent, &changes)?, kind: PagerKind::Parameter })
    }

    /// URL under a key named `next`.
    fn next_url(&self, here: &Url) -> Option<Url> {
        let is_url = |text: &&str| text.starts_with(['/', '?']) || text.starts_with("http");
        let scalars = self.scalars.iter().filter(|scalar| scalar.keys.iter().any(|key| is_next(key)));
        let texts = scalars.filter_map(|scalar| scalar.value.as_str()).filter(is_url);
        texts
            .filter_map(|text| here.join(text).ok())
            .find(|url| Site::of(url) == Site::of(here) && url != here)
    }

    /// Parameters with the cursor of the answer.
    fn cursor(&self, sent: &Request) -> Option<Vec<(String, String)>> {
        let is_continue = |scalar: &&EnvelopeScalar<'_>| {
            let above = scalar.keys.iter().rev().nth(1);
            above.is_some_and(|key| plain_name(key).ends_with("continue"))
        };
        let given: Vec<(String, String)> = self
            .scalars
            .iter()
            .filter(is_continue)
            .filter_map(|scalar| Some((scalar.keys.last()?.to_string(), scalar.text()?)))
            .collect();
        if !given.is_empty() {
            return Some(given);
        }
        self.scalars.iter().find_map(|scalar| {
            let key = scalar.keys.last()?;
            let value = scalar.text().filter(|text| !text.is_empty() && !text.contains("://"))?;
            Some(vec![(cursor_parameter(key, sent)?, value)])
        })
    }

    /// Parameter and value of the position after this page.
    fn next_position(
        &self,
        sent: &Request,
        shown: u64,
        most: u64,
        total: Option<u64>,
    ) -> Option<(String, u64)> {
        let sent_number = |names: &[&str]| {
            parameters(sent).into_iter().find_map(|(name, value)| {
                let is_named = names.contains(&parameter_name(&name).as_str());
                value.parse::<u64>().ok().filter(|_| is_named).map(|value| (name, value))
            })
        };
        let own = |names: &[&str]| self.number(names).map(|(name, value)| (name.to_string(), value));
        // A position that the answer names belongs to this page only if the request did not choose another one.
        let at_start = |(name, value): (String, u64)| (value <= 1).then_some((name, value));
        let size = self.number(&SIZE_NAMES).map_or(most, |(_, size)| size.min(most.max(1)));
        if let Some((name, offset)) =
            sent_number(&OFFSET_NAMES).or_else(|| own(&OFFSET_NAMES).and_then(at_start))
        {
            let next = offset.saturating_add(shown);
            let is_more = total.map_or(shown >= size && shown > 1, |total| next < total);
            return is_more.then_some((name, next));
        }
        let (name, page) = sent_number(&PAGE_NAMES).or_else(|| own(&PAGE_NAMES).and_then(at_start))?;
        let is_more = match (self.number(&PAGES_NAMES), total) {
            (Some((_, pages)), _) => page < pages && (page > 0 || pages > 1),
            (None, Some(total)) => page.max(1).saturating_mul(size.max(shown)) < total,
            (None, None) => shown >= size && shown > 1,
        };
        is_more.then_some((name, page.saturating_add(1)))
    }
}

impl EnvelopeScalar<'_> {
    fn number(&self) -> Option<u64> {
        match self.value {
            Value::String(text) => text.parse().ok(),
            value => value.as_u64(),
        }
    }

    fn text(&self) -> Option<String> {
        match self.value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    fn path(&self) -> String {
        self.keys.join(".")
    }

    /// True if a key of the number says that it is the total of the answer, and not of the page.
    fn is_named_total(&self) -> bool {
        let names = self.keys.iter().rev().take(2).map(|key| plain_name(key));
        names
            .into_iter()
            .any(|name| ["total", "found", "nbhits", "matches"].iter().any(|word| name.contains(word)))
    }

    /// Rank of a number as a total; `None` for other numbers. The last two keys count, as in `total.value`.
    fn total_rank(&self) -> Option<usize> {
        let names: Vec<String> = self.keys.iter().rev().take(2).map(|key| plain_name(key)).collect();
        let last = names.first()?;
        let of_last = TOTAL_NAMES.iter().position(|name| last.contains(name));
        let of_above = names
            .get(1)
            .filter(|_| last == "value")
            .and_then(|above| TOTAL_NAMES.iter().position(|name| above.contains(name)));
        let rank = TOTAL_NAMES.len() - of_last.or(of_above)?;
        let is_other = OTHER_NAMES.iter().any(|name| last.contains(name));
        (!is_other).then_some(rank)
    }
}

/// Total that a header line states, as in `X-Total-Count: 120` or `Content-Range: items 0-9/120`.
pub fn header_total(headers: &Headers) -> Option<u64> {
    let range = headers.get("content-range").and_then(|range| range.rsplit('/').next()?.trim().parse().ok());
    let is_total = |name: &str| {
        let name = plain_name(name);
        name.starts_with('x') && name.contains("total") && !name.contains("page")
    };
    range.or_else(|| headers.0.iter().find(|(name, _)| is_total(name))?.1.trim().parse().ok())
}

/// Target of `rel=next` in a `Link` header.
pub fn header_next(headers: &Headers, url: &Url) -> Option<Url> {
    // A target may contain commas, so each link starts at its bracket.
    let links: Vec<&str> = headers.all("link").flat_map(|line| line.split('<').skip(1)).collect();
    let next = links.into_iter().filter_map(|link| {
        let (target, rest) = link.split_once('>')?;
        let is_next = rest.replace(['"', '\'', ' '], "").to_ascii_lowercase().contains("rel=next");
        is_next.then_some(target)
    });
    next.into_iter().find_map(|target| url.join(target).ok()).filter(|next| Site::of(next) == Site::of(url))
}

fn is_next(key: &str) -> bool {
    let name = plain_name(key);
    name == "next"
        || name.starts_with("nexturl")
        || name.starts_with("nextlink")
        || name.starts_with("nextpage")
        || name.ends_with("nextlink")
        || name.ends_with("nexturl")
}

/// Parameter for a cursor under a key; `None` if the key names none. The request's spelling counts.
fn cursor_parameter(key: &str, sent: &Request) -> Option<String> {
    let name = plain_name(key);
    let is_cursor = ["cursor", "token", "scrollid", "continue", "continuation", "nextpage", "searchafter"];
    let is_named = is_cursor.iter().any(|part| name.contains(part)) || name == "next";
    let is_other = ["access", "csrf", "xsrf", "auth", "start", "prev", "session", "request", "tokens"]
        .iter()
        .any(|part| name.contains(part));
    if !is_named || is_other || name == "token" {
        return None;
    }
    let bare = name.trim_start_matches("next").trim_start_matches("end").to_string();
    let is_same = |parameter: &String| {
        let parameter = parameter_name(parameter);
        parameter == name || parameter == bare || parameter == "after" && name == "endcursor"
    };
    let known = parameters(sent).into_iter().map(|(parameter, _)| parameter).find(is_same);
    known.or_else(|| stripped(key))
}

/// Key without a leading `next` and its separator.
fn stripped(key: &str) -> Option<String> {
    let is_prefixed = key.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("next"));
    let rest = if is_prefixed { key[4..].trim_start_matches(['_', '-']) } else { key };
    let mut chars = rest.chars();
    let first = chars.next()?.to_lowercase().to_string();
    Some(if is_prefixed { first + chars.as_str() } else { rest.to_string() })
}

/// Parameters of a request: those of its URL or of its urlencoded body, or the values of its JSON body by their
/// pointers.
fn parameters(sent: &Request) -> Vec<(String, String)> {
    match (sent.method, json_body(sent)) {
        (Method::Get, _) => decoded_pairs(sent.url.query().unwrap_or_default()).collect(),
        (Method::Post, None) => decoded_pairs(&String::from_utf8_lossy(&sent.body)).collect(),
        (Method::Post, Some(body)) => {
            let mut leaves = Vec::new();
            json_leaves(&body, &mut String::new(), &mut leaves);
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
            let given = leaves.into_iter().map(|(pointer, value)| (pointer, text(value)));
            given.chain(open_variables(&body)).collect()
        }
    }
}

/// Object or list that a request posts as JSON.
fn json_body(sent: &Request) -> Option<Value> {
    let is_json = sent.method == Method::Post && matches!(sent.body.first(), Some(b'{' | b'['));
    if is_json { serde_json::from_slice(&sent.body).ok() } else { None }
}

/// Variables that a GraphQL query declares and the request does not set.
fn open_variables(body: &Value) -> Vec<(String, String)> {
    let declared = body.get("query").and_then(Value::as_str).and_then(|query| query.split('{').next());
    let names = declared.unwrap_or_default().split('$').skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    });
    let is_open = |name: &&str| body.pointer(&format!("/variables/{name}")).is_none();
    names.filter(is_open).map(|name| (format!("/variables/{name}"), String::new())).collect()
}

/// Name of a parameter: the last key of a pointer.
fn parameter_name(parameter: &str) -> String {
    plain_name(parameter.rsplit('/').next().unwrap_or_default())
}

/// The same JSON body with other values at some pointers. A number stays a number. A name that is not a
/// pointer is a key of the body; GraphQL has no such keys.
fn with_json_values(mut body: Value, changes: &[(String, String)]) -> Option<Value> {
    for (name, text) in changes {
        let pointer = if name.starts_with('/') { name.clone() } else { format!("/{name}") };
        let is_known = name.starts_with('/') || body.is_object() && body.get("query").is_none();
        let old = body.pointer(&pointer);
        let is_text = old.is_some_and(Value::is_string);
        let number = text.parse::<u64>().ok().filter(|_| !is_text).map(Value::from);
        insert(&mut body, &pointer, number.unwrap_or_else(|| Value::from(text.as_str())));
        if !is_known {
            return None;
        }
    }
    Some(body)
}

/// The same request with other values of some parameters; `None` for a body that is neither urlencoded nor JSON.
fn with_parameters(sent: &Request, changes: &[(String, String)]) -> Option<Request> {
    if let Some(body) = json_body(sent) {
        let body = with_json_values(body, changes)?.to_string().into_bytes();
        return Some(Request { body, ..sent.clone() });
    }
    let mut request = sent.clone();
    match sent.method {
        Method::Get => {
            let query = with_changes(sent.url.query().unwrap_or_default(), changes);
            request.url.set_query(Some(&query));
        }
        Method::Post => {
            let kind = sent.headers.get("content-type").unwrap_or_default();
            if !kind.contains("urlencoded") {
                return None;
            }
            request.body = with_changes(&String::from_utf8_lossy(&sent.body), changes).into_bytes();
        }
    }
    Some(request)
}

/// Encoded query with other values of some parameters, or with further ones.
fn with_changes(query: &str, changes: &[(String, String)]) -> String {
    // A resumption token of OAI-PMH excludes all other arguments but the verb.
    let resumes = changes.iter().any(|(name, _)| name == "resumptionToken");
    let query = without_names(query, |name| resumes && name != "verb");
    let changed = |name: &str| changes.iter().find(|(known, _)| known == name);
    let kept = with_values(&query, |name, _| changed(name).map(|(_, value)| Cow::from(value)));
    let is_new = |(name, _): &&(String, String)| !decoded_pairs(&query).any(|(known, _)| known == *name);
    changes.iter().filter(is_new).fold(kept, |query, (name, value)| with_pair(&query, name, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sent(query: &str) -> Request {
        Request::get(Url::parse(&format!("http://a.org/find?{query}")).unwrap())
    }

    fn next(value: &Value, query: &str, shown: u64) -> Option<String> {
        let envelope = Envelope::of(value, ".items");
        let total = envelope.total(shown, &[]).map(StatedTotal::count);
        let next = envelope.next_page(&sent(query), shown, shown, total)?;
        Some(next.request.url[url::Position::AfterPath..].to_string())
    }

    #[test]
    fn the_total_is_the_number_named_so() {
        let total = |value: &Value, shown| Envelope::of(value, ".items").total(shown, &[]);
        assert_eq!(total(&json!({"count": 10, "total": 55}), 10), Some(StatedTotal::Exactly(55)));
        let hits = json!({"took": 60, "hits": {"total": {"value": 10000, "relation": "gte"}}});
        assert_eq!(total(&hits, 10), Some(StatedTotal::About(10000)));
        assert_eq!(
            total(&json!({"response": {"numFound": 7, "start": 0}}), 7),
            Some(StatedTotal::Exactly(7))
        );
        assert_eq!(
            total(&json!({"nbHits": 3, "nbPages": 20, "hitsPerPage": 30}), 3),
            Some(StatedTotal::Exactly(3))
        );
        assert_eq!(total(&json!({"total": 5}), 10), None, "fewer than shown");
        let envelope = json!({"totalInstalls": 900});
        let numbers = Envelope::of(&envelope, "").numbers();
        assert_eq!(Envelope::of(&envelope, "").total(10, &numbers), None, "the same without records");
    }

    #[test]
    fn a_count_of_a_full_page_is_no_total() {
        let total = |value: &Value| Envelope::of(value, ".items").total(10, &[]);
        assert_eq!(total(&json!({"offset": 0, "limit": 10, "count": 10})), None);
        assert_eq!(total(&json!({"limit": 10, "total": 10})), Some(StatedTotal::Exactly(10)));
        assert_eq!(total(&json!({"limit": 20, "count": 10})), Some(StatedTotal::Exactly(10)));
    }

    #[test]
    fn a_link_header_may_hold_commas_in_its_targets() {
        let mut headers = Headers::default();
        headers.push(
            "link",
            "<http://a.org/f?fields=id,title&page=2>; rel=\"next\", <http://a.org/f?page=9>; rel=\"last\"",
        );
        let next = header_next(&headers, &Url::parse("http://a.org/f").unwrap());
        assert_eq!(next.unwrap().as_str(), "http://a.org/f?fields=id,title&page=2");
    }

    #[test]
    fn the_next_page_is_a_url_a_cursor_or_a_position() {
        for (value, query, expected) in [
            (json!({"next": "http://a.org/find?q=x&c=9"}), "q=x", Some("?q=x&c=9")),
            (json!({"_links": {"next": {"href": "/find?q=x&page=2"}}}), "q=x", Some("?q=x&page=2")),
            (json!({"next": null, "page": 1, "total": 10}), "q=x", None),
            (json!({"next": "http://other.net/find?q=x"}), "q=x", None),
            (json!({"next_cursor": "abc"}), "q=x", Some("?q=x&cursor=abc")),
            (json!({"nextPageToken": "t1"}), "q=x", Some("?q=x&pageToken=t1")),
            (
                json!({"data": {"pageInfo": {"endCursor": "c9", "hasNextPage": true}}}),
                "q=x&after=",
                Some("?q=x&after=c9"),
            ),
            (json!({"data": {"pageInfo": {"endCursor": "c9", "hasNextPage": false}}}), "q=x&after=", None),
            (
                json!({"continue": {"sroffset": 10, "continue": "-||"}}),
                "q=x",
                Some("?q=x&continue=-%7C%7C&sroffset=10"),
            ),
            (json!({"page": 1, "total_pages": 3}), "q=x", Some("?q=x&page=2")),
            (json!({"page": 3, "total_pages": 3}), "q=x&page=3", None),
            (json!({"page": 0, "nbPages": 2}), "q=x&page=0", Some("?q=x&page=1")),
            (json!({"offset": 0, "limit": 10, "total": 25}), "q=x", Some("?q=x&offset=10")),
            (json!({"offset": 20, "total": 25}), "q=x&offset=20", None),
            (json!({"total": 25}), "q=x&start=0", Some("?q=x&start=10")),
            (json!({"total": 10}), "q=x&start=0", None),
            (json!({"csrf_token": "abc", "access_token": "x"}), "q=x", None),
        ] {
            let shown = if value["offset"] == 20 { 5 } else { 10 };
            assert_eq!(next(&value, query, shown).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn a_resumption_token_excludes_other_arguments() {
        let value = json!({"OAI-PMH": [{"ListRecords": [{"items": [{"a": 1}, {"a": 2}], "resumptionToken": "t/2"}]}]});
        let found = next(&value, "verb=ListRecords&metadataPrefix=oai_dc", 2);
        assert_eq!(found.as_deref(), Some("?verb=ListRecords&resumptionToken=t%2F2"));
    }

    #[test]
    fn headers_state_totals_and_next_pages() {
        let mut headers = Headers::default();
        headers.push("X-WP-TotalPages", "7");
        headers.push("X-WP-Total", "61");
        headers.push("Link", "<http://a.org/?page=1>; rel=\"prev\", <http://a.org/?page=3>; rel=\"next\"");
        assert_eq!(header_total(&headers), Some(61));
        let here = Url::parse("http://a.org/?page=2").unwrap();
        assert_eq!(header_next(&headers, &here).unwrap().as_str(), "http://a.org/?page=3");
    }

    #[test]
    fn a_posted_form_is_posted_again_with_the_next_position() {
        let mut request = Request { method: Method::Post, body: b"q=x&page=1".to_vec(), ..sent("") };
        request.headers.push("content-type", "application/x-www-form-urlencoded");
        let value = json!({"pages": 4});
        let next = Envelope::of(&value, "").next_page(&request, 10, 10, None).unwrap();
        assert_eq!(next.request.body, b"q=x&page=2");
    }

    #[test]
    fn a_posted_json_body_is_posted_again_with_the_next_position_or_cursor() {
        let request =
            |body: &str| Request { method: Method::Post, body: body.as_bytes().to_vec(), ..sent("") };
        let next = |value: &Value, body: &str| {
            let next = Envelope::of(value, ".items").next_page(&request(body), 10, 10, None)?;
            Some(String::from_utf8(next.request.body).unwrap())
        };
        let number = next(&json!({"pages": 4}), r#"{"filter":{"page":1},"q":"x"}"#);
        assert_eq!(number.as_deref(), Some(r#"{"filter":{"page":2},"q":"x"}"#));
        let query = "query F($t: String, $after: String) { find(t: $t, after: $after) { id } }";
        let body = format!(r#"{{"query":"{query}","variables":{{"t":"x"}}}}"#);
        let info = json!({"data": {"pageInfo": {"endCursor": "c9", "hasNextPage": true}}});
        assert!(next(&info, &body).unwrap().contains(r#""variables":{"after":"c9","t":"x"}"#));
        let page_size =
            r#"{"query":"query F($first: Int) { find(first: $first) { id } }","variables":{"first":10}}"#;
        assert_eq!(next(&json!({"edges": []}), page_size), None, "the page size is no offset");
        assert_eq!(
            next(&json!({"next_cursor": "c"}), r#"{"q":"x"}"#).as_deref(),
            Some(r#"{"cursor":"c","q":"x"}"#)
        );
    }
}
