//! Roles of the columns of a list of records: address, title and identity.
//!
//! Values decide first: addresses look like URLs and differ from record to record, titles are short texts that differ.
//! Where several columns qualify, their names decide.

use super::table::Cell;
use crate::address::Site;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use url::Url;

/// Records that are examined. Guess.
pub const SAMPLED_ROWS: usize = 300;
/// Share of records that must have a value in the column of an address or title. Guess.
const MIN_PRESENT: f64 = 0.5;
/// Least share of distinct values in a column of addresses. Guess; parts of one page differ in the fragment.
const MIN_DISTINCT_URLS: f64 = 0.6;
/// Least share of distinct values in a column of titles. Guess.
const MIN_DISTINCT_TITLES: f64 = 0.5;
/// Maximum mean length of titles, in bytes. Guess.
const MAX_TITLE_BYTES: f64 = 250.0;
/// Longest identity in bytes. Guess.
const MAX_ID_BYTES: usize = 300;
/// Links of the entry page that must show the same address rule. Guess.
const MIN_RULE_LINKS: usize = 2;

/// Last parts of column names that name an address, best first. Spellings seen in public APIs and search indexes.
const URL_NAMES: [&str; 16] = [
    "permalink",
    "htmlurl",
    "weburl",
    "pageurl",
    "fullurl",
    "canonicalurl",
    "url",
    "link",
    "href",
    "location",
    "loc",
    "uri",
    "u",
    "path",
    "route",
    "file",
];
/// Parts of names of addresses that lead to something other than the record. Spellings seen in public APIs.
const OTHER_URL_NAMES: [&str; 14] = [
    "image", "img", "thumb", "avatar", "icon", "logo", "photo", "picture", "api", "self", "author", "user",
    "src", "preview",
];
/// Last parts of column names that name a title, best first. Spellings seen in public APIs and search indexes.
const TITLE_NAMES: [&str; 14] = [
    "title",
    "name",
    "headline",
    "label",
    "heading",
    "subject",
    "displayname",
    "caption",
    "titel",
    "titre",
    "titulo",
    "t",
    "term",
    "text",
];
/// Last parts of column names that name an identity. Spellings seen in public APIs and search indexes.
const ID_NAMES: [&str; 15] = [
    "id",
    "uuid",
    "guid",
    "uid",
    "objectid",
    "key",
    "identifier",
    "pageid",
    "docid",
    "doi",
    "pk",
    "ref",
    "slug",
    "number",
    "code",
];
/// Endings of files that are not pages.
const FILE_ENDINGS: [&str; 11] =
    [".xml", ".gz", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".css", ".js", ".ico"];

/// Columns with a role.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnRoles {
    pub url: Option<String>,
    pub title: Option<String>,
    pub id: Option<String>,
    /// URL that relative addresses are resolved against, if it is not that of the answer.
    pub base: Option<Url>,
    /// Address rule for records without a whole address in their columns.
    pub rule: Option<AddressRule>,
}

/// Address of a record from the value of one column: `prefix + value + suffix`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AddressRule {
    pub column: String,
    pub prefix: String,
    pub suffix: String,
}

/// Values of one column.
struct Column<'c> {
    name: &'c str,
    values: Vec<&'c str>,
    /// Number of the column, from 0.
    nth: usize,
    /// Values per record.
    present: f64,
    /// Share of distinct values.
    distinct: f64,
    mean_bytes: f64,
    is_text: bool,
    is_nested: bool,
}

impl ColumnRoles {
    /// Finds the roles in a sample of records. `base` resolves relative addresses; `links` are those of the entry page.
    pub fn of(rows: &[Vec<Cell<'_>>], base: &Url, links: &[Url]) -> ColumnRoles {
        let columns = columns(rows);
        let best = |score: &dyn Fn(&Column<'_>) -> Option<f64>| {
            let scored = columns.iter().filter_map(|column| Some((score(column)?, column.name)));
            let best = scored.reduce(|kept, next| if next.0 > kept.0 { next } else { kept });
            best.map(|(_, name)| name.to_string())
        };
        let url = best(&|column| url_score(column, base));
        let rule = if url.is_none() { address_rule(&columns, links) } else { None };
        let is_address = |column: &Column<'_>| url.as_deref() == Some(column.name);
        let addresses = columns.iter().find(|column| is_address(column));
        let base = addresses.and_then(|column| relative_base(column, base, links));
        let title = best(&|column| title_score(column).filter(|_| !is_address(column)));
        ColumnRoles { title, id: best(&id_score), url, base, rule }
    }

    /// Returns true if a record has a value in the columns of address and identity, as far as these are known.
    pub fn fit(&self, cells: &[Cell<'_>]) -> bool {
        let has = |column: &Option<String>| column.as_ref().is_none_or(|name| cell(cells, name).is_some());
        has(&self.url) && has(&self.id)
    }

    /// Address of a record.
    pub fn address(&self, cells: &[Cell<'_>], base: &Url) -> Option<Url> {
        let url = match (&self.url, &self.rule) {
            (Some(column), _) => {
                let base = self.base.as_ref().unwrap_or(base);
                base.join(first_address(cell(cells, column)?)).ok()?
            }
            (None, Some(rule)) => {
                let value = cell(cells, &rule.column)?;
                Url::parse(&format!("{}{value}{}", rule.prefix, rule.suffix)).ok()?
            }
            (None, None) => return None,
        };
        matches!(url.scheme(), "http" | "https").then_some(url)
    }
}

/// Value of a column.
pub fn cell<'c>(cells: &'c [Cell<'_>], column: &str) -> Option<&'c str> {
    cells.iter().find(|cell| cell.column == column).map(|cell| cell.value.as_ref())
}

fn columns<'c>(rows: &'c [Vec<Cell<'c>>]) -> Vec<Column<'c>> {
    let mut order: Vec<&Cell<'_>> = Vec::new();
    let mut values: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for cell in rows.iter().flatten() {
        let known = values.entry(&cell.column).or_default();
        if known.is_empty() {
            order.push(cell);
        }
        known.push(&cell.value);
    }
    let column = |(nth, cell): (usize, &'c Cell<'_>)| {
        let values = values.remove(cell.column.as_str()).unwrap_or_default();
        let distinct: FxHashSet<&&str> = values.iter().collect();
        let (count, distinct) = (values.len() as f64, distinct.len() as f64);
        Column {
            name: &cell.column,
            nth,
            present: count / rows.len() as f64,
            distinct: distinct / count,
            mean_bytes: values.iter().map(|value| value.len()).sum::<usize>() as f64 / count,
            is_text: cell.is_text,
            is_nested: cell.is_nested,
            values,
        }
    };
    order.into_iter().enumerate().map(column).collect()
}

/// Letters and digits of the last part of a column's name, in lower case.
fn last_name(column: &str) -> String {
    plain_name(column.rsplit('.').find(|part| *part != "rendered" && *part != "text").unwrap_or(column))
}

/// Letters and digits of a name in lower case.
pub fn plain_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Bonus for a name in a list with the best names first; 0 for other names.
fn name_bonus(name: &str, names: &[&str]) -> f64 {
    let at = names.iter().position(|known| name == *known || name.strip_suffix('s') == Some(known));
    at.map_or(0.0, |at| 1.0 + (names.len() - at) as f64 / names.len() as f64)
}

fn url_score(column: &Column<'_>, base: &Url) -> Option<f64> {
    let is_usable =
        column.present >= MIN_PRESENT && column.distinct >= MIN_DISTINCT_URLS && !column.is_nested;
    let addresses = column.values.iter().filter(|value| looks_like_address(first_address(value))).count();
    if !is_usable || !column.is_text || addresses * 10 < column.values.len() * 9 {
        return None;
    }
    let plain = plain_name(column.name);
    let is_other = OTHER_URL_NAMES.iter().any(|name| plain.contains(name));
    let first = column.values.iter().find_map(|value| base.join(value.trim()).ok())?;
    let is_own = Site::of(&first) == Site::of(base);
    let depth = column.name.matches('.').count() as f64;
    let name = name_bonus(&last_name(column.name), &URL_NAMES);
    let is_absolute = column.values.iter().any(|value| value.contains("://"));
    let is_named = name > 0.0 || is_absolute || column.values.iter().any(|value| value.starts_with('/'));
    let score = name + f64::from(u8::from(is_own)) + f64::from(u8::from(is_absolute)) - 0.3 * depth;
    is_named
        .then_some(score + column.distinct - if is_other { 3.0 } else { 0.0 })
        .filter(|score| *score > 0.0)
}

/// Folder above `base` against which most relative addresses are links of the entry page; `None` if the answer's own
/// folder fits as well.
fn relative_base(column: &Column<'_>, base: &Url, links: &[Url]) -> Option<Url> {
    let without_fragment = |url: &Url| url.as_str().split('#').next().unwrap_or_default().to_string();
    let known: FxHashSet<String> = links.iter().map(without_fragment).collect();
    let fitting = |folder: &Url| {
        let urls: FxHashSet<String> = column
            .values
            .iter()
            .filter_map(|value| folder.join(value).ok())
            .map(|url| without_fragment(&url))
            .collect();
        urls.iter().filter(|url| known.contains(*url)).count()
    };
    let (mut best, mut most) = (None, fitting(base));
    let mut folder = base.join(".").ok()?;
    while let Some(above) = folder.join("..").ok().filter(|above| *above != folder) {
        let fits = fitting(&above);
        if fits > most {
            (best, most) = (Some(above.clone()), fits);
        }
        folder = above;
    }
    best
}

/// First URL of a cell with several values, or else the whole value.
fn first_address(value: &str) -> &str {
    let value = value.trim();
    value.split(", ").find(|part| part.starts_with("http")).unwrap_or(value)
}

/// True for a URL, or a path of a page.
pub fn looks_like_address(value: &str) -> bool {
    let value = value.trim();
    let lower = value.to_ascii_lowercase();
    let path = lower.split(['?', '#']).next().unwrap_or_default();
    if value.is_empty()
        || value.contains(char::is_whitespace)
        || FILE_ENDINGS.iter().any(|end| path.ends_with(end))
    {
        return false;
    }
    let is_absolute = lower.starts_with("http://") || lower.starts_with("https://");
    let is_path = value.starts_with(['/', '.', '?', '#']) || value.contains('/') && !lower.contains(':');
    is_absolute || is_path || path.ends_with(".html") || path.ends_with(".htm") || path.ends_with(".php")
}

fn title_score(column: &Column<'_>) -> Option<f64> {
    let is_usable = column.present >= MIN_PRESENT
        && column.distinct >= MIN_DISTINCT_TITLES
        && column.mean_bytes <= MAX_TITLE_BYTES
        && column.is_text
        && !column.is_nested;
    let wordy =
        column.values.iter().filter(|value| is_wordy(value)).count() as f64 / column.values.len() as f64;
    let name = name_bonus(&last_name(column.name), &TITLE_NAMES);
    let depth = column.name.matches('.').count() as f64;
    let place = 0.2 * depth + if name > 0.0 { 0.0 } else { 0.1 * column.nth.min(10) as f64 };
    let score = 2.0 * name + wordy + column.distinct - place - column.mean_bytes / MAX_TITLE_BYTES;
    (is_usable && (wordy > 0.3 || name > 0.0)).then_some(score)
}

/// True for text with letters that is not an address, token or date.
fn is_wordy(value: &str) -> bool {
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let others = value.chars().filter(|c| !c.is_alphabetic() && !c.is_whitespace()).count();
    letters >= 2 && letters > others && !value.contains("://")
}

fn id_score(column: &Column<'_>) -> Option<f64> {
    let is_short = column.values.iter().all(|value| value.len() <= MAX_ID_BYTES);
    let is_unique = column.present == 1.0 && column.distinct == 1.0 && !column.is_nested;
    let last = last_name(column.name);
    let is_named =
        ID_NAMES.contains(&last.as_str()) || column.name.ends_with("_id") || column.name.ends_with("Id");
    let depth = column.name.matches('.').count() as f64;
    (is_unique && is_short && is_named).then_some(1.0 + name_bonus(&last, &ID_NAMES) - depth)
}

/// Rule that the links of the entry page confirm: several of them are the values of one column between the same prefix
/// and suffix.
fn address_rule(columns: &[Column<'_>], links: &[Url]) -> Option<AddressRule> {
    let mut votes: FxHashMap<AddressRule, FxHashSet<&str>> = FxHashMap::default();
    for column in columns.iter().filter(|column| column.distinct > 0.9 && !column.is_nested) {
        let values: FxHashSet<&str> = column.values.iter().map(|value| value.trim()).collect();
        for link in links {
            for (prefix, value, suffix) in parts_around(link.as_str()) {
                if let Some(value) = values.get(value) {
                    let (prefix, suffix) = (prefix.to_string(), suffix.to_string());
                    let rule = AddressRule { column: column.name.to_string(), prefix, suffix };
                    votes.entry(rule).or_default().insert(value);
                }
            }
        }
    }
    let weight =
        |rule: &AddressRule, values: &FxHashSet<&str>| (values.len(), usize::MAX - rule.prefix.len());
    let best = votes.into_iter().filter(|(_, values)| values.len() >= MIN_RULE_LINKS);
    let best = best.max_by(|a, b| (weight(&a.0, &a.1), &b.0.suffix).cmp(&(weight(&b.0, &b.1), &a.0.suffix)));
    best.map(|(rule, _)| rule)
}

/// Ways to divide a URL into prefix, value and suffix: the value begins after a slash or an equals sign
/// behind the host, and ends at the end of the URL, its last dot, its last slash or its first ampersand.
fn parts_around(url: &str) -> Vec<(&str, &str, &str)> {
    let url = url.split('#').next().unwrap_or_default();
    let host_end = url.find("://").and_then(|at| url[at + 3..].find('/').map(|slash| at + 3 + slash));
    let Some(path) = host_end else { return Vec::new() };
    let starts =
        url.char_indices().filter(|(at, c)| *at >= path && matches!(c, '/' | '=')).map(|(at, _)| at + 1);
    let mut parts = Vec::new();
    for start in starts {
        let rest = &url[start..];
        let ends = [Some(rest.len()), rest.rfind('.'), rest.rfind('/'), rest.find('&')];
        for end in ends.into_iter().flatten().filter(|end| *end > 0) {
            parts.push((&url[..start], &rest[..end], &rest[end..]));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::super::table::tables;
    use super::*;
    use serde_json::{Value, json};

    fn roles(value: &Value, links: &[&str]) -> ColumnRoles {
        let table = tables(value).into_iter().max_by_key(|table| table.rows.len()).unwrap();
        let rows: Vec<Vec<Cell<'_>>> = table.rows.iter().map(|row| row.cells()).collect();
        let links: Vec<Url> = links.iter().map(|link| Url::parse(link).unwrap()).collect();
        ColumnRoles::of(&rows, &Url::parse("http://a.org/api/find").unwrap(), &links)
    }

    #[test]
    fn values_and_names_give_columns_their_roles() {
        let found = roles(
            &json!([
                {"id": 1, "title": {"rendered": "Red boats"}, "image": "http://a.org/1.png", "api": "http://a.org/api/1", "link": "http://a.org/red"},
                {"id": 2, "title": {"rendered": "Old ships"}, "image": "http://a.org/2.png", "api": "http://a.org/api/2", "link": "http://a.org/old"},
            ]),
            &[],
        );
        assert_eq!(found.url.as_deref(), Some("link"));
        assert_eq!(found.title.as_deref(), Some("title.rendered"));
        assert_eq!(found.id.as_deref(), Some("id"));
    }

    #[test]
    fn links_of_the_page_show_how_addresses_are_made() {
        let found = roles(
            &json!([{"slug": "red", "t": "Red boats"}, {"slug": "old", "t": "Old ships"}, {"slug": "new", "t": "New"}]),
            &["http://a.org/boat/red.html", "http://a.org/boat/old.html", "http://a.org/about"],
        );
        let rule = found.rule.unwrap();
        assert_eq!((rule.prefix.as_str(), rule.suffix.as_str()), ("http://a.org/boat/", ".html"));
    }

    #[test]
    fn relative_addresses_belong_to_the_folder_that_the_links_show() {
        let found = roles(
            &json!({"docs": [{"location": "guide/", "title": "Guide"}, {"location": "guide/#setup", "title": "Set up"},
                {"location": "about/", "title": "About us"}]}),
            &["http://a.org/guide/", "http://a.org/about/"],
        );
        assert_eq!((found.url.as_deref(), found.base.unwrap().as_str()), (Some("location"), "http://a.org/"));
    }

    #[test]
    fn short_letters_of_a_packed_index_have_roles_too() {
        let found = roles(
            &json!({"documents": [{"i": 1, "t": "Start here", "u": "/docs/start"}, {"i": 2, "t": "Go on", "u": "/docs/on"}]}),
            &[],
        );
        assert_eq!((found.url.as_deref(), found.title.as_deref()), (Some("u"), Some("t")));
    }
}
