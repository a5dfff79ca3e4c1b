//! Verdicts on one page: data of `hadal judge`, for cards and JSON.
//!
//! Pure: takes a parsed page and returns verdicts. The names and order of the first keys are a contract; new
//! keys are added at the end.

use crate::store::FieldRow;
use hadal_core::critic::FormKind;
use hadal_core::critic::classifiers::Classifiers;
use hadal_core::critic::domain::DOMAINS;
use hadal_core::critic::page_kind::{PageKinds, page_kinds};
use hadal_core::critic::topic_features::{form_topic_features, page_text_features, page_topic_features};
use hadal_core::critic::trained::CriticTarget;
use hadal_core::critic::veto::{Veto, veto};
use hadal_core::http::Method;
use hadal_core::page::{Field, Form, FormSource, Page, ParseLimit};
use hadal_core::submission::request_template;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use url::Url;

/// Maximum number of reasons shown. Guess.
const REASONS: usize = 6;

/// Topics that a page is judged for.
#[derive(Clone, Debug, PartialEq)]
pub enum JudgedTopics {
    /// The built-in domains and "other".
    BuiltIn,
    /// One topic by name.
    One(String, CriticTarget),
}

/// Probabilities by topic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopicProbabilities(pub Vec<(String, f32)>);

/// Verdict on a page.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedPage {
    /// Input: file path or URL.
    pub input: String,
    pub title: String,
    pub language: Option<String>,
    /// Probabilities of the page's topics.
    pub topics: TopicProbabilities,
    /// Forms of the page, then other search endpoints.
    pub forms: Vec<JudgedForm>,
    /// Number of links.
    pub links: usize,
    /// URL after redirects, if known.
    pub url: Option<Url>,
    /// Signals for result, error and login pages.
    pub page: PageKinds,
    /// Limit at which parsing stopped.
    pub cut: Option<ParseLimit>,
    /// Work of the browser, if the page was rendered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rendered: Option<JudgedRendering>,
}

/// Work of the browser on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JudgedRendering {
    /// Requests sent for the page's scripts, robots.txt included.
    pub requests: u64,
    /// Bytes of their answers.
    pub bytes: u64,
    /// Requests of the page that were refused.
    pub refused: u64,
    /// Evidence for the search that was learned; `None` without one.
    pub search: Option<String>,
}

/// Verdict on a form.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedForm {
    /// Index of the `<form>` element; `None` for other endpoints.
    pub index: Option<u32>,
    /// Target URL; relative if the page's URL is unknown.
    pub action: String,
    pub method: Method,
    /// Fields without buttons.
    pub fields: Vec<FieldRow>,
    /// Probability that the form is a search.
    pub p_searchable: f32,
    /// Most likely kind.
    pub kind: FormKind,
    /// Topic probabilities, given that the form is a search.
    pub topics: TopicProbabilities,
    /// Declaration of the form.
    pub source: FormSource,
    /// Relevance for the topic, if one topic was given: at least 0.5 means relevant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_relevant: Option<f32>,
    /// Reason never to submit the form.
    pub veto: Option<Veto>,
    /// Strongest signals for or against a search.
    pub why: Vec<Reason>,
    /// Texts of the buttons.
    pub buttons: Vec<String>,
    /// Request of a search by script, with `{words}` for the query words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
}

/// A signal for or against a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// Position of the signal.
    pub place: String,
    /// Word or feature.
    pub says: String,
    /// Weight: positive for a search, negative against.
    pub weight: f32,
}

/// Location of a document on the web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentLocation {
    /// The page has a known URL.
    At(Url),
    Unknown,
}

impl DocumentLocation {
    /// URL against which links are resolved.
    pub fn address(&self) -> Url {
        match self {
            DocumentLocation::At(url) => url.clone(),
            DocumentLocation::Unknown => Url::parse("http://unknown.invalid/").expect("it is an address"),
        }
    }

    /// URL in the document, relative if the location is unknown.
    fn show(&self, url: &Url) -> String {
        let own = self.address();
        let relative = || own.make_relative(url).filter(|_| url.host() == own.host());
        match self {
            DocumentLocation::Unknown => relative().unwrap_or_else(|| url.to_string()),
            DocumentLocation::At(_) => url.to_string(),
        }
    }
}

/// Judges a page with its location and status code.
pub fn judge(
    input: &str,
    page: &Page,
    place: &DocumentLocation,
    status: u16,
    topics: &JudgedTopics,
) -> JudgedPage {
    let judges = Classifiers::current();
    let words = page_text_features(page);
    let about = page_topic_features(page, &words);
    let forms = elements_first(&page.forms);
    JudgedPage {
        input: input.to_string(),
        title: page.title.clone(),
        language: page.language.clone(),
        topics: match topics {
            JudgedTopics::One(name, CriticTarget::Learned(topic)) => {
                TopicProbabilities::of_one(name, judges.p_page(topic, &about))
            }
            _ => topics.among(&judges.pages.classify(&about)),
        },
        forms: forms.map(|form| judge_form(form, page, place, &words, topics)).collect(),
        links: page.links.len(),
        url: if let DocumentLocation::At(url) = place { Some(url.clone()) } else { None },
        page: page_kinds(page, status),
        cut: page.truncated_by,
        rendered: None,
    }
}

fn elements_first(forms: &[Form]) -> impl Iterator<Item = &Form> {
    let of_element = |form: &&Form| form.source == FormSource::Form;
    forms.iter().filter(of_element).chain(forms.iter().filter(move |form| !of_element(form)))
}

fn judge_form(
    form: &Form,
    page: &Page,
    place: &DocumentLocation,
    words: &[(u32, f32)],
    topics: &JudgedTopics,
) -> JudgedForm {
    let judges = Classifiers::current();
    let (p_searchable, kind) = judges.searchable.classify(form, page);
    let of_form = match topics {
        JudgedTopics::One(name, CriticTarget::Learned(topic)) => TopicProbabilities::of_one(
            name,
            judges.p_form(topic, &form_topic_features(form, page, Some(words))),
        ),
        _ => topics.among(&judges.domains.classify(form, page, Some(words))),
    };
    let (buttons, fields): (Vec<&Field>, Vec<&Field>) =
        form.fields.iter().partition(|field| field.kind.is_button());
    let reason = |(place, says, weight)| Reason { place, says, weight };
    JudgedForm {
        index: (form.source == FormSource::Form).then_some(form.index),
        action: place.show(&form.action),
        method: form.method,
        fields: fields.into_iter().map(field_row).collect(),
        p_searchable,
        kind,
        p_relevant: topics.p_relevant(p_searchable, &of_form),
        topics: of_form,
        source: form.source,
        veto: veto(form),
        why: judges.searchable.strongest_features(form, page, REASONS).into_iter().map(reason).collect(),
        buttons: buttons.into_iter().map(written_on).filter(|words| !words.is_empty()).collect(),
        template: request_template(form),
    }
}

fn field_row(field: &Field) -> FieldRow {
    FieldRow {
        name: field.name.clone(),
        kind: field.kind.name().to_string(),
        label: field.label.clone(),
        options: field.options.len(),
    }
}

fn written_on(button: &Field) -> String {
    if button.label.is_empty() { button.value.clone() } else { button.label.clone() }
}

impl JudgedTopics {
    /// Probabilities of the requested topics.
    fn among(&self, shares: &[f32]) -> TopicProbabilities {
        let all = DOMAINS.iter().zip(shares).map(|(name, p)| (name.to_string(), *p));
        match self {
            JudgedTopics::BuiltIn => TopicProbabilities(all.collect()),
            JudgedTopics::One(name, _) => {
                TopicProbabilities(all.filter(|(domain, _)| domain == name).collect())
            }
        }
    }

    /// Relevance of a form for the requested topic, as a crawl computes it; `None` if all topics are judged.
    fn p_relevant(&self, p_searchable: f32, of_form: &TopicProbabilities) -> Option<f32> {
        match (self, of_form.0.as_slice()) {
            (JudgedTopics::One(_, target), [(_, p_topic)]) => Some(target.p_relevant(p_searchable, *p_topic)),
            _ => None,
        }
    }
}

impl TopicProbabilities {
    fn of_one(name: &str, p: f32) -> TopicProbabilities {
        TopicProbabilities(vec![(name.to_string(), p)])
    }

    /// Most likely topics, best first.
    pub fn best(&self, most: usize) -> Vec<(&str, f32)> {
        let mut best: Vec<(&str, f32)> = self.0.iter().map(|(name, p)| (name.as_str(), *p)).collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1));
        best.truncate(most);
        best
    }
}

impl Serialize for TopicProbabilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, p)| map.serialize_entry(name, p))?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::critic::Critic;
    use hadal_core::critic::trained::TrainedCritic;

    const PAGE: &str = "<title>Library catalogue</title><p>Books by author and title in our library.</p>
        <div><input name=loose type=search placeholder=\"Search this site\"></div>
        <form action=find><label>Author <input name=author></label><label>Title <input name=title></label>
        <select name=shelf><option>Novels<option>Poems</select><input type=submit value=\"Search books\"></form>
        <form method=post action=/login><input name=user><input type=password name=pass><button>Log in</button></form>";

    fn judged(place: &DocumentLocation, topics: &JudgedTopics) -> JudgedPage {
        let page = hadal_core::html::parse(PAGE.as_bytes(), None, &place.address());
        judge("page.html", &page, place, 200, topics)
    }

    #[test]
    fn elements_come_first_and_only_they_have_an_index() {
        let forms = judged(&DocumentLocation::Unknown, &JudgedTopics::BuiltIn).forms;
        let listed: Vec<_> = forms.iter().map(|form| (form.index, form.source)).collect();
        assert_eq!(
            listed,
            [(Some(0), FormSource::Form), (Some(1), FormSource::Form), (None, FormSource::Script)]
        );
    }

    #[test]
    fn a_book_search_and_a_login_get_different_verdicts() {
        let judged = judged(&DocumentLocation::Unknown, &JudgedTopics::BuiltIn);
        let [search, login, _] = judged.forms.as_slice() else { panic!("{judged:?}") };
        assert_eq!((search.kind, search.veto), (FormKind::Search, None));
        assert_eq!(search.topics.best(1)[0].0, "book");
        assert_eq!((login.kind, login.veto), (FormKind::Login, Some(Veto::Password)));
        assert!(login.p_searchable < 0.5 && search.p_searchable >= 0.5);
        let names: Vec<_> = search.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!((names, search.fields[2].options), (vec!["author", "title", "shelf"], 2));
        assert_eq!(search.buttons, ["Search books"]);
    }

    #[test]
    fn addresses_are_as_whole_as_they_are_known() {
        assert_eq!(judged(&DocumentLocation::Unknown, &JudgedTopics::BuiltIn).forms[0].action, "find");
        let place = DocumentLocation::At(Url::parse("http://books.example/a/").unwrap());
        assert_eq!(judged(&place, &JudgedTopics::BuiltIn).forms[0].action, "http://books.example/a/find");
    }

    #[test]
    fn a_single_topic_adds_relevance() {
        let topic = JudgedTopics::One("book".into(), CriticTarget::built_in("book").unwrap());
        let judged = judged(&DocumentLocation::Unknown, &topic);
        let form = &judged.forms[0];
        assert_eq!((judged.topics.0.len(), form.topics.0.len()), (1, 1));
        let page = hadal_core::html::parse(PAGE.as_bytes(), None, &DocumentLocation::Unknown.address());
        let critic = TrainedCritic::new(CriticTarget::built_in("book").unwrap());
        let verdict = critic.judge_form(&page.forms[0], &page, &critic.judge_page(&page));
        assert_eq!(form.p_relevant, Some(verdict.p_relevant), "as in a crawl");
        assert_ne!(form.p_relevant, Some(form.p_searchable * form.topics.0[0].1));
    }
}
