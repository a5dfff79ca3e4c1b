//! Answers of several sources as one list: in turns, and what nearly is the same only once.

use super::Source;
use hadal_core::harvest::answer::NearDuplicates;
use hadal_core::harvest::record::{Record, RecordId};
use rustc_hash::FxHashMap;
use serde::Serialize;
use utoipa::ToSchema;

/// Something that a source knew.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = MergedAnswer)]
pub struct Answer {
    /// What it is called.
    pub title: String,
    /// Where its own page is.
    pub url: Option<String>,
    /// Everything the source says about it.
    pub text: String,
    /// What it says as name and value.
    pub fields: Vec<[String; 2]>,
    /// Who said so, and where in their answer.
    pub sources: Vec<Place>,
}

/// A place in a source's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = AnswerPlace)]
pub struct Place {
    /// The form.
    pub form_id: String,
    /// Its site.
    pub site: String,
    /// The place, the first being 1.
    pub position: usize,
}

/// The records of all sources, which are in the same order, as one list.
pub fn merged(sources: &[Source], records: Vec<Vec<Record>>) -> Vec<Answer> {
    let mut list = List::default();
    let longest = records.iter().map(Vec::len).max().unwrap_or(0);
    for turn in 0..longest {
        for (source, records) in sources.iter().zip(&records) {
            if let Some(record) = records.get(turn) {
                let place =
                    Place { form_id: source.form_id.clone(), site: source.site.clone(), position: turn + 1 };
                list.add(record, place);
            }
        }
    }
    list.answers
}

#[derive(Default)]
struct List {
    answers: Vec<Answer>,
    likenesses: NearDuplicates,
    by_record: FxHashMap<RecordId, usize>,
    by_url: FxHashMap<String, usize>,
}

impl List {
    fn add(&mut self, record: &Record, place: Place) {
        let url = record.url.as_ref().map(|url| url.to_string());
        let alike = self.likenesses.find_or_insert(record).and_then(|id| self.by_record.get(&id));
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
        self.answers.push(Answer {
            title: record.title.clone(),
            url,
            text: record.text.clone(),
            fields: record.fields.iter().map(|(name, value)| [name.clone(), value.clone()]).collect(),
            sources: vec![place],
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::Outcome;
    use super::*;

    fn source(site: &str) -> Source {
        Source {
            form_id: site.into(),
            topic: "book".into(),
            site: site.into(),
            page_url: format!("http://{site}/"),
            outcome: Outcome::Answered,
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
    fn sources_take_turns_and_the_same_is_told_once() {
        let records = vec![
            vec![record(1, "The Sea"), record(2, "The Ship")],
            vec![record(11, "Deep"), record(12, "the sea!"), record(13, "Deeper")],
        ];
        let answers = merged(&[source("a.example"), source("b.example")], records);
        let titles: Vec<&str> = answers.iter().map(|answer| answer.title.as_str()).collect();
        assert_eq!(titles, ["The Sea", "Deep", "The Ship", "Deeper"]);
        let places: Vec<_> = answers[0].sources.iter().map(|place| (&*place.site, place.position)).collect();
        assert_eq!(places, [("a.example", 1), ("b.example", 2)]);
    }

    #[test]
    fn nobody_knowing_anything_is_an_empty_list() {
        assert!(merged(&[], Vec::new()).is_empty());
        assert!(merged(&[source("a.example")], vec![Vec::new()]).is_empty());
    }
}
