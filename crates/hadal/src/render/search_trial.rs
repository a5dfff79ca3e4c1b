//! Test query in a rendered page: types a word, learns the request that carries it, repeats it without the browser.

use super::RenderError;
use super::tab::{PageFunction, SeenRequest, Tab, TypedWord};
use crate::polite::{Clock, PoliteClient, SendOutcome};
use crate::store::{
    Store, StoreError, Submission, SubmissionPurpose, SubmissionResult, Submitter, UserChange,
};
use hadal_core::critic::probe::{nonsense_word, query_field};
use hadal_core::harvest::answer::{AnswerKind, DataDocument, DataReader};
use hadal_core::harvest::policy::lexicon::split_words;
use hadal_core::harvest::query::Query;
use hadal_core::http::{Method, Request, Response};
use hadal_core::identity::form_id;
use hadal_core::page::{Field, FieldKind, Form, FormSource, Page};
use hadal_core::scripted::request_learning::{is_same_answer, learned_form, search_rank, with_headers};
use hadal_core::scripted::search_box::SearchBox;
use hadal_core::scripted::tokens::with_sources;
use hadal_core::submission::{FilledForm, request_template, submission};
use std::collections::BTreeMap;
use std::time::Duration;
use url::Url;

/// Time without a request after which a typed word had its effect. Scripts wait up to half a second for the next key.
/// Guess.
const TYPED_AFTER: Duration = Duration::from_millis(900);
/// Maximum number of requests that are tried as the search. Guess.
const MAX_CANDIDATES: usize = 3;
/// Maximum number of boxes of a page into which a word is typed. Guess.
const MAX_BOXES: usize = 2;
/// Least number of records in a file that a script searches in the browser. Guess: shorter lists are menus.
const MIN_INDEXED: usize = 5;
/// Characters of a template that are shown as evidence. Guess.
const MAX_TEMPLATE: usize = 300;
/// Letters of a word from the page. Guess.
const MIN_LETTERS: usize = 4;

/// Permission to type a word into a box, and the audit log for it.
pub struct SearchTrial<'s> {
    /// Store with the audit log.
    pub store: &'s dyn Store,
    /// Run or user that submits.
    pub by: Submitter,
    /// Topic of the submissions; empty if there is none.
    pub topic: &'s str,
    /// Seed of the typed word.
    pub seed: u64,
    /// Least P(searchable) of a box that is tried.
    pub min_p_searchable: f32,
}

impl SearchTrial<'_> {
    /// Writes a submission to the audit log, before it is sent. Returns its number.
    pub fn log(&self, form: &Form, page: &Url, request: &Request) -> Result<u64, StoreError> {
        self.store.log_at_once(&Submission {
            by: self.by,
            seq: 0,
            at: Clock::Real.now(),
            topic: self.topic.to_string(),
            form: form_id(form, page),
            page: page.clone(),
            method: request.method,
            url: request.url.clone(),
            body: Submission::body_of(request),
            purpose: SubmissionPurpose::Probe,
            answer: None,
        })
    }

    /// Adds the result of a submission.
    pub fn end(&self, number: u64, sent: &SendOutcome) -> Result<(), StoreError> {
        self.store.apply_user_changes(&[UserChange::Logged(self.by, number, SubmissionResult::from(sent))])
    }
}

/// Search of a script that was learned and works without the browser.
#[derive(Clone, Debug)]
pub struct LearnedSearch {
    /// Learned request, or the list of all records that the script searches.
    pub form: Form,
    /// Evidence in one sentence: the box, the request that carried the word, the comparison.
    pub evidence: String,
    /// The answers to a word of the page and to nonsense differ.
    pub has_differing_answers: bool,
}

/// Types a word into the likeliest boxes until a search is learned.
pub async fn learn_search(
    tab: &mut Tab<'_>,
    page: &Page,
    boxes: &[SearchBox],
    client: &PoliteClient,
    trial: &SearchTrial<'_>,
) -> Result<Option<LearnedSearch>, RenderError> {
    let likely = boxes.iter().filter(|found| found.p_searchable >= trial.min_p_searchable);
    for found in likely.take(MAX_BOXES) {
        let learner = SearchLearner { page, found, client, trial, word: nonsense_word(trial.seed) };
        if let Some(learned) = learner.learn(tab).await? {
            return Ok(Some(learned));
        }
    }
    Ok(None)
}

/// One box while its search is learned.
struct SearchLearner<'a> {
    page: &'a Page,
    found: &'a SearchBox,
    client: &'a PoliteClient,
    trial: &'a SearchTrial<'a>,
    word: String,
}

impl SearchLearner<'_> {
    async fn learn(&self, tab: &mut Tab<'_>) -> Result<Option<LearnedSearch>, RenderError> {
        let before = tab.function(PageFunction::Text).await?;
        if !self.type_and_submit(tab).await? {
            return Ok(None);
        }
        let mut carried: Vec<SeenRequest> =
            tab.seen.iter().filter(|seen| seen.is_submission).cloned().collect();
        carried.sort_by_key(|seen| search_rank(&seen.request, seen.is_after_submit));
        // The tab does not poll them while a request is repeated, which may need the turn of the same host.
        tab.drop_requests();
        for seen in carried.iter().take(MAX_CANDIDATES) {
            if let Some(learned) = self.verify(tab, seen).await? {
                return Ok(Some(learned));
            }
        }
        let changed = tab.function(PageFunction::Text).await? != before;
        Ok(if carried.is_empty() && changed { self.index(&tab.seen) } else { None })
    }

    /// Types the word, presses Enter, and then the button if no request carried the word.
    async fn type_and_submit(&self, tab: &mut Tab<'_>) -> Result<bool, RenderError> {
        let number = self.found.number;
        let typed =
            TypedWord { word: self.word.clone(), search_box: self.found.clone(), is_submitted: false };
        tab.typed = Some(typed);
        if tab.function(PageFunction::Focus(number)).await?.as_bool() != Some(true) {
            return Ok(false);
        }
        tab.type_word(&self.word).await?;
        tab.settle(TYPED_AFTER).await?;
        if let Some(typed) = &mut tab.typed {
            typed.is_submitted = true;
        }
        tab.press_enter().await?;
        tab.settle(TYPED_AFTER).await?;
        if !tab.seen.iter().any(|seen| seen.is_submission) {
            tab.function(PageFunction::Press(number)).await?;
            tab.settle(TYPED_AFTER).await?;
        }
        Ok(true)
    }

    /// Repeats a request without the browser. It is learned if the answer is the same, with the script's own
    /// header lines if need be.
    async fn verify(
        &self,
        tab: &mut Tab<'_>,
        seen: &SeenRequest,
    ) -> Result<Option<LearnedSearch>, RenderError> {
        let Some(plain) = learned_form(&seen.request, &self.word, &self.found.form, self.found.field) else {
            return Ok(None);
        };
        for form in [plain.clone(), with_headers(&plain, &seen.request)] {
            let form = with_sources(form, self.page, &tab.cookies);
            let Some(repeated) = self.send(tab, &form, &self.word).await? else { continue };
            if !is_same_answer(&seen.response, &repeated) {
                continue;
            }
            let word = self.page_word().unwrap_or_default();
            let answer = if word.is_empty() { None } else { self.send(tab, &form, &word).await? };
            let has_differing_answers = answer.is_some_and(|answer| self.differs(&answer, &word, &repeated));
            let evidence = self.evidence(seen, &form, has_differing_answers);
            return Ok(Some(LearnedSearch { form, evidence, has_differing_answers }));
        }
        Ok(None)
    }

    /// Sends a learned form with a word, in the audit log before it is sent.
    async fn send(
        &self,
        tab: &mut Tab<'_>,
        form: &Form,
        word: &str,
    ) -> Result<Option<Response>, RenderError> {
        let Some(field) = query_field(form) else { return Ok(None) };
        let request = submission(form, &FilledForm::of(field, word), "utf-8");
        let number = self.trial.log(form, &self.page.url, &request)?;
        let sent = self.client.without_retries().send(&request, &mut Clock::Real).await;
        tab.counts.requests += u64::from(sent.requests);
        tab.counts.bytes += sent.bytes;
        self.trial.end(number, &sent)?;
        Ok(sent.result.ok().and_then(|exchange| exchange.result.ok()))
    }

    /// True if an answer differs from the one to nonsense, apart from the words that both repeat.
    fn differs(&self, answer: &Response, word: &str, nonsense: &Response) -> bool {
        let masked = |response: &Response, word: &str| {
            String::from_utf8_lossy(&response.body).to_lowercase().replace(&word.to_lowercase(), "")
        };
        answer.status < 400 && masked(answer, word) != masked(nonsense, &self.word)
    }

    /// Most frequent word of the page that the form does not show.
    fn page_word(&self) -> Option<String> {
        let own = format!("{} {}", self.found.form.text, self.found.form.heading).to_lowercase();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for word in split_words(&self.page.text) {
            if word.chars().count() >= MIN_LETTERS && !own.contains(&word.to_lowercase()) {
                *counts.entry(word).or_default() += 1;
            }
        }
        counts.into_iter().max_by_key(|(word, count)| (*count, word.len())).map(|(word, _)| word)
    }

    fn evidence(&self, seen: &SeenRequest, form: &Form, differs: bool) -> String {
        let url = || seen.request.url.as_str().replace(&self.word, "{words}");
        let mut template =
            request_template(form).unwrap_or_else(|| format!("{} {}", seen.request.method, url()));
        if let Some((end, _)) = template.char_indices().nth(MAX_TEMPLATE) {
            template.replace_range(end.., "...");
        }
        let compared = if differs { "; a word of the page gets another answer than nonsense" } else { "" };
        format!(
            "typed a word into {}: {template} carried it; repeated without the browser, same answer{compared}",
            self.box_name()
        )
    }

    fn box_name(&self) -> String {
        let field = &self.found.form.fields[self.found.field];
        let names = [&field.label, &field.placeholder, &field.name, &field.id];
        let name = names.into_iter().find(|name| !name.trim().is_empty());
        name.map_or("a box without a label".to_string(), |name| format!("'{}'", name.trim()))
    }

    /// The longest list of records that the page loaded. The script searches it without a request.
    fn index(&self, seen: &[SeenRequest]) -> Option<LearnedSearch> {
        let lists = seen.iter().filter(|seen| seen.request.method == "GET");
        let counted = lists.map(|seen| (record_count(seen), seen));
        let (records, seen) =
            counted.max_by_key(|(records, _)| *records).filter(|(records, _)| *records >= MIN_INDEXED)?;
        let mut action = seen.request.url.clone();
        let pairs: Vec<(String, String)> = action.query_pairs().into_owned().collect();
        action.set_query(None);
        let fields = pairs.iter().map(|(name, value)| Field::new(FieldKind::Hidden, name, value)).collect();
        let form = Form::to(action, Method::Get, fields);
        let form = Form {
            index: u32::MAX,
            source: FormSource::SearchIndex,
            text: self.found.form.text.clone(),
            heading: self.found.form.heading.clone(),
            ..form
        };
        let evidence = format!(
            "typed a word into {}: no request carried it, the page changed; {} lists {records} records",
            self.box_name(),
            seen.request.url
        );
        Some(LearnedSearch { form, evidence, has_differing_answers: true })
    }
}

/// Records of an answer that is data.
fn record_count(seen: &SeenRequest) -> usize {
    let (url, response) = (&seen.request.url, &seen.response);
    let answer = DataDocument::parse(response, url)
        .map(|data| DataReader::default().read(&data, &Request::get(url.clone()), &Query::default(), true));
    answer.filter(|answer| answer.kind == AnswerKind::Results).map_or(0, |answer| answer.records.len())
}
