//! A form under questioning, as a crawl keeps it: who it is, what was thought of it, how far its probe is.
//!
//! What a probe finds outweighs what a judge guessed from the outside; [`ProbeState::settle`] says by how
//! much. Sending and storing are the engine's affair.

use super::{Probe, ProbeRefusal, ProbeResult};
use crate::critic::{FormKind, FormVerdict};
use crate::http::Request;
use crate::identity::FormId;
use crate::page::Form;
use crate::topic::Topic;
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// P(searchable) of a form that answered as a search does, at least.
const SEARCHES: f32 = 0.97;
/// P(searchable) of a form that answered everything alike, at most.
const DOES_NOT: f32 = 0.03;

/// A form under questioning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeState {
    /// Which form.
    pub form: FormId,
    /// The page it was found on.
    pub page: Url,
    /// What was thought of it before.
    pub verdict: FormVerdict,
    /// The frequent word it is asked with.
    pub word: String,
    /// How far it is.
    pub probe: Probe,
}

impl ProbeState {
    /// Prepares to ask a form that was found on a page. `seed` is the run's.
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

    /// The next request, if there is one that can be sent over the web.
    pub fn next_request(&self) -> Option<Request> {
        self.probe.next_request().filter(|request| matches!(request.url.scheme(), "http" | "https"))
    }

    /// What the form is held for after its probe. P(of the topic, given that it searches) stays.
    pub fn verdict_after(&self, finding: ProbeResult) -> FormVerdict {
        let mut verdict = self.verdict.clone();
        let of_topic = verdict.p_topic_if_searchable();
        match finding {
            ProbeResult::Searchable => {
                verdict.p_searchable = verdict.p_searchable.max(SEARCHES);
                verdict.kind = FormKind::Search;
            }
            ProbeResult::NotSearchable => {
                verdict.p_searchable = verdict.p_searchable.min(DOES_NOT);
                verdict.kind = if verdict.kind == FormKind::Search { FormKind::Other } else { verdict.kind };
            }
            ProbeResult::Unclear => {}
        }
        if finding != ProbeResult::Unclear {
            verdict.p_relevant = verdict.p_searchable * of_topic;
        }
        verdict.evidence.push(self.line(finding));
        verdict
    }

    fn line(&self, finding: ProbeResult) -> String {
        match finding {
            ProbeResult::Searchable => format!("probe: results for '{}', none for nonsense", self.word),
            ProbeResult::NotSearchable if self.probe.was_accepted_as_entry() => {
                format!("probe: '{}' was taken in as an entry", self.word)
            }
            ProbeResult::NotSearchable => format!("probe: '{}' and nonsense are answered alike", self.word),
            ProbeResult::Unclear => "probe: the answers do not tell".to_string(),
        }
    }
}

/// The word a topic's forms are asked with: the first that is long enough to be indexed and is no
/// mere glue. A topic names what it is about first.
pub fn probe_word(topic: &Topic) -> &str {
    const GLUE: [&str; 12] =
        ["the", "and", "for", "with", "from", "near", "all", "any", "new", "used", "cheap", "best"];
    let telling = |word: &&String| word.chars().count() > 2 && !GLUE.contains(&word.as_str());
    topic.words.iter().find(telling).or(topic.words.first()).map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Method;
    use crate::page::{Field, FieldKind};

    fn inquiry(p_searchable: f32, p_relevant: f32) -> ProbeState {
        let action = Url::parse("http://a.example/find").unwrap();
        let form = Form::to(action.clone(), Method::Get, vec![Field::new(FieldKind::Text, "q", "")]);
        let verdict = FormVerdict { kind: FormKind::Other, p_searchable, p_relevant, evidence: vec![] };
        ProbeState::new((FormId(7), &form), &action, &verdict, "book", 1).unwrap()
    }

    #[test]
    fn a_finding_moves_both_probabilities_and_keeps_what_the_topic_is_worth() {
        let yes = inquiry(0.4, 0.2).verdict_after(ProbeResult::Searchable);
        assert_eq!((yes.p_searchable, yes.p_relevant, yes.kind), (0.97, 0.485, FormKind::Search));
        let no = inquiry(0.4, 0.2).verdict_after(ProbeResult::NotSearchable);
        assert_eq!((no.p_searchable, no.p_relevant), (0.03, 0.015));
        let unclear = inquiry(0.4, 0.2).verdict_after(ProbeResult::Unclear);
        assert_eq!((unclear.p_searchable, unclear.p_relevant, unclear.kind), (0.4, 0.2, FormKind::Other));
    }

    #[test]
    fn a_judge_that_was_surer_is_not_made_less_sure() {
        assert_eq!(inquiry(0.99, 0.99).verdict_after(ProbeResult::Searchable).p_searchable, 0.99);
        assert_eq!(inquiry(0.01, 0.0).verdict_after(ProbeResult::NotSearchable).p_searchable, 0.01);
        assert_eq!(inquiry(0.0, 0.0).verdict_after(ProbeResult::Searchable).p_relevant, 0.0);
    }

    #[test]
    fn every_finding_is_in_the_evidence() {
        let verdict = inquiry(0.4, 0.2).verdict_after(ProbeResult::Searchable);
        assert_eq!(verdict.evidence, ["probe: results for 'book', none for nonsense"]);
    }

    #[test]
    fn forms_get_nonsense_of_their_own_and_the_same_every_time() {
        assert_eq!(inquiry(0.4, 0.2), inquiry(0.4, 0.2));
    }

    #[test]
    fn a_topic_is_asked_for_with_its_first_telling_word() {
        let word = |text: &str| probe_word(&Topic::from_words(text).unwrap()).to_string();
        assert_eq!(word("hotel"), "hotel");
        assert_eq!(word("used books"), "book");
        assert_eq!(word("tv"), "tv");
    }
}
