//! State of a probe during a crawl: the form, its verdict before the probe, and the probe itself.
//!
//! The result of a probe overrides the verdict of the critic, see [`ProbeState::verdict_after`]. The engine sends the
//! requests and stores the state.

use super::{Probe, ProbeRefusal, ProbeResult};
use crate::critic::{FormKind, FormVerdict};
use crate::http::Request;
use crate::identity::FormId;
use crate::page::Form;
use crate::topic::Topic;
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Least P(searchable) after the result [`ProbeResult::Searchable`]. Guess.
const P_IF_SEARCHABLE: f32 = 0.97;
/// Maximum P(searchable) after the result [`ProbeResult::NotSearchable`]. Guess.
const P_IF_NOT_SEARCHABLE: f32 = 0.03;

/// Probe of a form with its context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeState {
    /// Id of the form that is probed.
    pub form: FormId,
    /// URL of the page with the form.
    pub page: Url,
    /// Verdict of the critic before the probe.
    pub verdict: FormVerdict,
    /// Frequent word of the topic that is sent as the first query.
    pub word: String,
    /// Queries sent and answers received so far.
    pub probe: Probe,
}

impl ProbeState {
    /// Creates the probe of a form. `seed` is the seed of the run.
    pub fn new(
        (id, form): (FormId, &Form),
        page: &Url,
        verdict: &FormVerdict,
        word: &str,
        seed: u64,
    ) -> Result<ProbeState, ProbeRefusal> {
        let nonsense = xxh3_64_with_seed(&id.0.to_le_bytes(), seed);
        let probe = Probe::new(form, word, nonsense)?;
        let (page, verdict, word) = (page.clone(), verdict.clone(), word.to_string());
        Ok(ProbeState { form: id, page, verdict, word, probe })
    }

    /// Next request, if it goes over HTTP.
    pub fn next_request(&self) -> Option<Request> {
        self.probe.next_request().filter(|request| matches!(request.url.scheme(), "http" | "https"))
    }

    /// Verdict after the probe. [`FormVerdict::p_topic_if_searchable`] stays unchanged.
    pub fn verdict_after(&self, result: ProbeResult) -> FormVerdict {
        let mut verdict = self.verdict.clone();
        let p_topic = verdict.p_topic_if_searchable();
        match result {
            ProbeResult::Searchable => {
                verdict.p_searchable = verdict.p_searchable.max(P_IF_SEARCHABLE);
                verdict.kind = FormKind::Search;
            }
            ProbeResult::NotSearchable => {
                verdict.p_searchable = verdict.p_searchable.min(P_IF_NOT_SEARCHABLE);
                verdict.kind = if verdict.kind == FormKind::Search { FormKind::Other } else { verdict.kind };
            }
            ProbeResult::Unclear => {}
        }
        if result != ProbeResult::Unclear {
            verdict.p_relevant = verdict.p_searchable * p_topic;
        }
        verdict.evidence.push(self.evidence(result));
        verdict
    }

    fn evidence(&self, result: ProbeResult) -> String {
        match result {
            ProbeResult::Searchable => format!("probe: results for '{}', none for nonsense", self.word),
            ProbeResult::NotSearchable if self.probe.was_accepted_as_entry() => {
                format!("probe: '{}' was accepted as an entry", self.word)
            }
            ProbeResult::NotSearchable => format!("probe: same answer for '{}' and nonsense", self.word),
            ProbeResult::Unclear => "probe: unclear".to_string(),
        }
    }
}

/// Word to probe the forms of a topic with: the first word of at least three letters that is not a filler word. Topics
/// list their main word first.
pub fn probe_word(topic: &Topic) -> &str {
    const FILLERS: [&str; 12] =
        ["the", "and", "for", "with", "from", "near", "all", "any", "new", "used", "cheap", "best"];
    let is_specific = |word: &&String| word.chars().count() > 2 && !FILLERS.contains(&word.as_str());
    topic.words.iter().find(is_specific).or(topic.words.first()).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Method;
    use crate::page::{Field, FieldKind};

    fn state(p_searchable: f32, p_relevant: f32) -> ProbeState {
        let action = Url::parse("http://a.example/find").unwrap();
        let form = Form::to(action.clone(), Method::Get, vec![Field::new(FieldKind::Text, "q", "")]);
        let verdict = FormVerdict { kind: FormKind::Other, p_searchable, p_relevant, evidence: vec![] };
        ProbeState::new((FormId(7), &form), &action, &verdict, "book", 1).unwrap()
    }

    #[test]
    fn a_result_changes_both_probabilities_and_keeps_the_conditional_one() {
        let yes = state(0.4, 0.2).verdict_after(ProbeResult::Searchable);
        assert_eq!((yes.p_searchable, yes.p_relevant, yes.kind), (0.97, 0.485, FormKind::Search));
        let no = state(0.4, 0.2).verdict_after(ProbeResult::NotSearchable);
        assert_eq!((no.p_searchable, no.p_relevant), (0.03, 0.015));
        let unclear = state(0.4, 0.2).verdict_after(ProbeResult::Unclear);
        assert_eq!((unclear.p_searchable, unclear.p_relevant, unclear.kind), (0.4, 0.2, FormKind::Other));
    }

    #[test]
    fn a_more_certain_verdict_is_kept() {
        assert_eq!(state(0.99, 0.99).verdict_after(ProbeResult::Searchable).p_searchable, 0.99);
        assert_eq!(state(0.01, 0.0).verdict_after(ProbeResult::NotSearchable).p_searchable, 0.01);
        assert_eq!(state(0.0, 0.0).verdict_after(ProbeResult::Searchable).p_relevant, 0.0);
    }

    #[test]
    fn the_result_is_in_the_evidence() {
        let verdict = state(0.4, 0.2).verdict_after(ProbeResult::Searchable);
        assert_eq!(verdict.evidence, ["probe: results for 'book', none for nonsense"]);
    }

    #[test]
    fn the_nonsense_words_of_a_form_are_reproducible() {
        assert_eq!(state(0.4, 0.2), state(0.4, 0.2));
    }

    #[test]
    fn the_probe_word_is_the_first_specific_word_of_the_topic() {
        let word = |text: &str| probe_word(&Topic::from_words(text).unwrap()).to_string();
        assert_eq!(word("hotel"), "hotel");
        assert_eq!(word("used books"), "book");
        assert_eq!(word("tv"), "tv");
    }
}
