//! Saved result pages in the style of well-known search software, each with a JSON file of the expected contents.
//!
//! Pages named `set-1`, `set-2`, `set-none` are answers of one form. The reader learns from all pages of a set and then
//! reads each of them.

use hadal_core::harvest::answer::{Answer, AnswerReader, AnswerSample};
use hadal_core::harvest::policy::StatedTotal;
use hadal_core::harvest::query::Query;
use hadal_core::html::{Document, parse_with_outline};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

#[derive(serde::Deserialize)]
struct Expected {
    url: Url,
    query: String,
    status: u16,
    kind: hadal_core::harvest::answer::AnswerKind,
    records: Vec<ExpectedRecord>,
    next: Option<String>,
    total: Option<serde_json::Value>,
    /// Fields that the first record must have.
    #[serde(default)]
    fields: BTreeMap<String, String>,
    /// Number of facets; not checked if absent.
    facets: Option<usize>,
}

#[derive(serde::Deserialize)]
struct ExpectedRecord {
    title: String,
    url: Option<String>,
}

struct SavedPage {
    name: String,
    document: Document,
    query: Query,
    expected: Expected,
}

impl SavedPage {
    fn sample(&self) -> AnswerSample<'_> {
        AnswerSample { document: &self.document, status: self.expected.status, query: &self.query }
    }

    fn answer(&self, reader: &AnswerReader) -> Answer {
        reader.read(&self.document, self.expected.status, &self.query)
    }
}

/// All pages by the name of their set.
fn sets() -> BTreeMap<String, Vec<SavedPage>> {
    let folder = format!("{}/tests/answers", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".html").map(String::from))
        .collect();
    names.sort();
    let mut sets: BTreeMap<String, Vec<SavedPage>> = BTreeMap::new();
    for name in names {
        let body = std::fs::read(format!("{folder}/{name}.html")).unwrap();
        let expected: Expected =
            serde_json::from_slice(&std::fs::read(format!("{folder}/{name}.json")).unwrap()).unwrap();
        let document = parse_with_outline(&body, Some("text/html; charset=utf-8"), &expected.url);
        let set = name.split('-').next().unwrap().to_string();
        let query = Query::words(&expected.query);
        sets.entry(set).or_default().push(SavedPage { name, document, query, expected });
    }
    sets
}

/// Numbers of records that were expected, found, and found as expected.
#[derive(Default)]
struct Score {
    expected: usize,
    found: usize,
    right: usize,
    faults: Vec<String>,
}

impl Score {
    fn add(&mut self, saved: &SavedPage, answer: &Answer) {
        let key = |title: &str, url: Option<&str>| format!("{title} <{}>", url.unwrap_or_default());
        let expected: BTreeSet<String> =
            saved.expected.records.iter().map(|one| key(&one.title, one.url.as_deref())).collect();
        let found: BTreeSet<String> = answer
            .records
            .iter()
            .map(|one| key(&one.title, one.url.as_ref().map(|url| url.as_str())))
            .collect();
        self.expected += expected.len();
        self.found += answer.records.len();
        self.right += expected.intersection(&found).count();
        for missed in expected.difference(&found).take(3) {
            self.faults.push(format!("{}: missed {missed}", saved.name));
        }
        for wrong in found.difference(&expected).take(3) {
            self.faults.push(format!("{}: not a record {wrong}", saved.name));
        }
    }

    fn precision(&self) -> f64 {
        self.right as f64 / self.found.max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.right as f64 / self.expected.max(1) as f64
    }
}

/// Differences from the expected kind, next page, total, fields and facets.
fn faults(saved: &SavedPage, answer: &Answer) -> Vec<String> {
    let Expected { kind, next, total, fields, facets, .. } = &saved.expected;
    let mut faults = Vec::new();
    if answer.kind != *kind {
        faults.push(format!("{}: {:?} instead of {kind:?}", saved.name, answer.kind));
    }
    let sent = answer.next.as_ref().map(|next| {
        let body = String::from_utf8_lossy(&next.request.body).into_owned();
        if body.is_empty() { next.request.url.to_string() } else { format!("{} {body}", next.request.url) }
    });
    if sent != *next {
        faults.push(format!("{}: next {sent:?} instead of {next:?}", saved.name));
    }
    let named = answer.total.map(|total| match total {
        StatedTotal::Exactly(number) => serde_json::json!(number),
        StatedTotal::About(number) => serde_json::json!(format!("about {number}")),
    });
    if named != *total {
        faults.push(format!("{}: total {named:?} instead of {total:?}", saved.name));
    }
    let first = answer.records.first().map(|record| record.fields.clone()).unwrap_or_default();
    for (name, value) in fields {
        if !first.iter().any(|(known, given)| known == name && given == value) {
            faults.push(format!("{}: no {name} = {value} in {first:?}", saved.name));
        }
    }
    if facets.is_some_and(|facets| facets != answer.facets.len()) {
        faults.push(format!("{}: {} facets: {:?}", saved.name, answer.facets.len(), answer.facets));
    }
    faults
}

#[test]
fn saved_answers_are_read_without_errors() {
    let mut score = Score::default();
    let mut wrong = Vec::new();
    for pages in sets().values() {
        let samples: Vec<AnswerSample<'_>> = pages.iter().map(SavedPage::sample).collect();
        let reader = AnswerReader::learn(&samples);
        for saved in pages {
            let answer = saved.answer(&reader);
            score.add(saved, &answer);
            wrong.extend(faults(saved, &answer));
        }
    }
    println!("{} records, precision {:.4}, recall {:.4}", score.expected, score.precision(), score.recall());
    println!("{}\n{}", score.faults.join("\n"), wrong.join("\n"));
    assert!(score.precision() >= 0.98 && score.recall() >= 0.98, "{}", score.faults.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn most_answers_are_read_without_learning() {
    let mut score = Score::default();
    // On a single page of the district set, nothing distinguishes the long menu from the three results.
    let is_readable =
        |saved: &&SavedPage| !saved.name.starts_with("district") && saved.expected.records.len() > 1;
    for saved in sets().values().flatten().filter(is_readable) {
        score.add(saved, &saved.answer(&AnswerReader::default()));
    }
    println!("{} records, precision {:.4}, recall {:.4}", score.expected, score.precision(), score.recall());
    println!("{}", score.faults.join("\n"));
    assert!(score.precision() >= 0.95 && score.recall() >= 0.95, "{}", score.faults.join("\n"));
}
