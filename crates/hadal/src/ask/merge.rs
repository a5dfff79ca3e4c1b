//! Merges the answers of several sources: sources take turns, and similar records are merged into one.

use super::AskedSource;
use hadal_core::harvest::answer::NearDuplicates;
use hadal_core::harvest::record::{Record, RecordId};
use rustc_hash::FxHashMap;
use serde::Serialize;
use utoipa::ToSchema;

/// A record of one or more sources.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct MergedAnswer {
    /// Title of the record.
    pub title: String,
    /// URL of its detail page.
    pub url: Option<String>,
    /// Whole text of the record.
    pub text: String,
    /// Fields as pairs of name and value.
    pub fields: Vec<[String; 2]>,
    /// Sources that returned the record, with its position in their answers.
    pub sources: Vec<AnswerPlace>,
}

/// Position of a record in the answer of one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AnswerPlace {
    /// Id of the form.
    pub form_id: String,
    /// Site of the form.
    pub site: String,
    /// Position in the answer, counted from 1.
    pub position: usize,
}

/// Merges the records of all sources. `records[i]` is the answer of `sources[i]`.
pub fn merge_answers(sources: &[AskedSource], records: Vec<Vec<Record>>) -> Vec<MergedAnswer> {
    let mut list = AnswerList::default();
    let longest = records.iter().map(Vec::len).max().unwrap_or(0);
    for turn in 0..longest {
        for (source, records) in sources.iter().zip(&records) {
            if let Some(record) = records.get(turn) {
                let place = AnswerPlace {
                    form_id: source.form_id.clone(),
                    site: source.site.clone(),
                    position: turn + 1,
                };
                list.add(record, place);
            }
        }
    }
    list.answers
}

#[derive(Default)]
struct AnswerList {
    answers: Vec<MergedAnswer>,
    near_duplicates: NearDuplicates,
    by_record: FxHashMap<RecordId, usize>,
    by_url: FxHashMap<String, usize>,
}

impl AnswerList {
    fn add(&mut self, record: &Record, place: AnswerPlace) {
        let url = record.url.as_ref().map(|url| url.to_string());
        let alike = self.near_duplicates.find_or_insert(record).and_then(|id| self.by_record.get(&id));
        let alike = alike.filter(|at| url.is_none() || !self.has_source(**at, &place.form_id));
        let known = alike.or_else(|| url.as_ref().and_then(|url| self.by_url.get(url))).copied();
        if let Some(at) = known {
            self.answers[at].sources.push(place);
            return;
        }
        let at = self.answers.len();
        self.by_record.insert(record.id, at);
        if let Some(url) = &url {
            self.by_url.insert(url.clone(), at);
        }
        self.answers.push(MergedAnswer {
            title: record.title.clone(),
            url,
            text: record.text.clone(),
            fields: record.fields.iter().map(|(name, value)| [name.clone(), value.clone()]).collect(),
            sources: vec![place],
        });
    }

    /// Returns true if a source returned this answer. Similar records of one source with addresses of their own differ.
    fn has_source(&self, at: usize, form_id: &str) -> bool {
        self.answers[at].sources.iter().any(|place| place.form_id == form_id)
    }
}

#[cfg(test)]
mod tests {
    use super::super::AskOutcome;
    use super::*;

    fn source(site: &str) -> AskedSource {
        AskedSource {
            form_id: site.into(),
            topic: "book".into(),
            site: site.into(),
            page_url: format!("http://{site}/"),
            outcome: AskOutcome::Answered,
            reason: None,
            found: 0,
            total: None,
            requests: 3,
            took_s: 0.1,
        }
    }

    fn record(id: u64, title: &str) -> Record {
        let url = url::Url::parse(&format!("http://a.example/{id}")).ok();
        Record { id: RecordId(id), url, title: title.into(), text: title.into(), fields: Vec::new() }
    }

    #[test]
    fn sources_take_turns_and_similar_records_are_merged() {
        let records = vec![
            vec![record(1, "The Sea"), record(2, "The Ship")],
            vec![record(11, "Deep"), record(12, "the sea!"), record(13, "Deeper")],
        ];
        let answers = merge_answers(&[source("a.example"), source("b.example")], records);
        let titles: Vec<&str> = answers.iter().map(|answer| answer.title.as_str()).collect();
        assert_eq!(titles, ["The Sea", "Deep", "The Ship", "Deeper"]);
        let places: Vec<_> = answers[0].sources.iter().map(|place| (&*place.site, place.position)).collect();
        assert_eq!(places, [("a.example", 1), ("b.example", 2)]);
    }

    #[test]
    fn no_records_give_an_empty_list() {
        assert!(merge_answers(&[], Vec::new()).is_empty());
        assert!(merge_answers(&[source("a.example")], vec![Vec::new()]).is_empty());
    }

    #[test]
    fn similar_records_of_one_source_stay_apart() {
        let records = vec![vec![record(1, "The Sea"), record(2, "the sea!")], vec![record(11, "The sea")]];
        let answers = merge_answers(&[source("a.example"), source("b.example")], records);
        let places: Vec<usize> = answers.iter().map(|answer| answer.sources.len()).collect();
        assert_eq!(places, [2, 1]);
    }
}
