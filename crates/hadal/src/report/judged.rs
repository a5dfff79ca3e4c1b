//! What the trained judges make of one page: the facts behind `hadal judge`, for cards and JSON alike.
//!
//! Pure: a parsed page comes in, verdicts go out. Names and order of the first keys are what others script
//! against; new ones come at the end.

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
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use url::Url;

/// How many reasons are told.
const REASONS: usize = 6;

/// Which topics are asked about.
#[derive(Clone, Debug, PartialEq)]
pub enum Topics {
    /// The built-in domains, and everything else.
    BuiltIn,
    /// One, by its name.
    One(String, CriticTarget),
}

/// Probabilities by topic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares(pub Vec<(String, f32)>);

/// A page, judged.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// What was given: a file's path or an address.
    pub input: String,
    /// The page's title.
    pub title: String,
    /// Its language, where known.
    pub language: Option<String>,
    /// What it is about.
    pub topics: Shares,
    /// Its `<form>` elements, then other ways to ask.
    pub forms: Vec<JudgedForm>,
    /// How many links it has.
    pub links: usize,
    /// Where it was found in the end, when that is known.
    pub url: Option<Url>,
    /// How likely it is an answer, an error or a wall.
    pub page: PageKinds,
    /// The bound that kept it from being read whole.
    pub cut: Option<ParseLimit>,
}

/// A form, judged.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedForm {
    /// Ordinal of its `<form>` element; none when it has no element.
    pub index: Option<u32>,
    /// Where it is sent; relative when nobody knows the page's address.
    pub action: String,
    /// How it is sent.
    pub method: Method,
    /// Its fields, without buttons.
    pub fields: Vec<FieldRow>,
    /// P(it searches something).
    pub p_searchable: f32,
    /// What it is most likely for.
    pub kind: FormKind,
    /// P(topic), given that it searches.
    pub topics: Shares,
    /// What declared it.
    pub source: FormSource,
    /// P(it searches and that is the topic), when one topic was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_relevant: Option<f32>,
    /// Why it is never submitted, if it is not.
    pub veto: Option<Veto>,
    /// What spoke loudest for or against a search.
    pub why: Vec<Reason>,
    /// What is written on its buttons.
    pub buttons: Vec<String>,
}

/// Something about a form that tells whether it searches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// Where it stands.
    pub place: String,
    /// What it says.
    pub says: String,
    /// For a search when positive, against it when negative.
    pub weight: f32,
}

/// Where a document stands on the web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// At this address.
    At(Url),
    /// Nobody knows.
    Unknown,
}

impl Place {
    /// The address that links of the document are resolved against.
    pub fn address(&self) -> Url {
        match self {
            Place::At(url) => url.clone(),
            Place::Unknown => Url::parse("http://unknown.invalid/").expect("it is an address"),
        }
    }

    /// An address found in the document, as far as it is known.
    fn show(&self, url: &Url) -> String {
        let own = self.address();
        let relative = || own.make_relative(url).filter(|_| url.host() == own.host());
        match self {
            Place::Unknown => relative().unwrap_or_else(|| url.to_string()),
            Place::At(_) => url.to_string(),
        }
    }
}

/// Judges a page that came from somewhere with a status code.
pub fn judge(input: &str, page: &Page, place: &Place, status: u16, topics: &Topics) -> Judged {
    let judges = Classifiers::shipped();
    let words = page_text_features(page);
    let about = page_topic_features(page, &words);
    let forms = elements_first(&page.forms);
    Judged {
        input: input.to_string(),
        title: page.title.clone(),
        language: page.language.clone(),
        topics: match topics {
            Topics::One(name, CriticTarget::Learned(topic)) => Shares::of_one(name, topic.p_page(&about)),
            _ => topics.among(&judges.pages.classify(&about)),
        },
        forms: forms.map(|form| judge_form(form, page, place, &words, topics)).collect(),
        links: page.links.len(),
        url: if let Place::At(url) = place { Some(url.clone()) } else { None },
        page: page_kinds(page, status),
        cut: page.truncated_by,
    }
}

fn elements_first(forms: &[Form]) -> impl Iterator<Item = &Form> {
    let of_element = |form: &&Form| form.source == FormSource::Form;
    forms.iter().filter(of_element).chain(forms.iter().filter(move |form| !of_element(form)))
}

fn judge_form(form: &Form, page: &Page, place: &Place, words: &[(u32, f32)], topics: &Topics) -> JudgedForm {
    let judges = Classifiers::shipped();
    let (p_searchable, kind) = judges.searchable.classify(form, page);
    let topics = match topics {
        Topics::One(name, CriticTarget::Learned(topic)) => {
            Shares::of_one(name, topic.p_form(&form_topic_features(form, page, Some(words))))
        }
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
        p_relevant: topics.only().map(|p_topic| p_searchable * p_topic),
        topics,
        source: form.source,
        veto: veto(form),
        why: judges.searchable.strongest_features(form, page, REASONS).into_iter().map(reason).collect(),
        buttons: buttons.into_iter().map(written_on).filter(|words| !words.is_empty()).collect(),
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

impl Topics {
    /// Those asked about, of all domains.
    fn among(&self, shares: &[f32]) -> Shares {
        let all = DOMAINS.iter().zip(shares).map(|(name, p)| (name.to_string(), *p));
        match self {
            Topics::BuiltIn => Shares(all.collect()),
            Topics::One(name, _) => Shares(all.filter(|(domain, _)| domain == name).collect()),
        }
    }
}

impl Shares {
    fn of_one(name: &str, p: f32) -> Shares {
        Shares(vec![(name.to_string(), p)])
    }

    /// The share of the one topic that was asked about.
    fn only(&self) -> Option<f32> {
        if let [(_, p)] = self.0.as_slice() { Some(*p) } else { None }
    }

    /// The likeliest ones, best first.
    pub fn best(&self, most: usize) -> Vec<(&str, f32)> {
        let mut best: Vec<(&str, f32)> = self.0.iter().map(|(name, p)| (name.as_str(), *p)).collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1));
        best.truncate(most);
        best
    }
}

impl Serialize for Shares {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, p)| map.serialize_entry(name, p))?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<title>Library catalogue</title><p>Books by author and title in our library.</p>
        <div><input name=loose type=search placeholder=\"Search this site\"></div>
        <form action=find><label>Author <input name=author></label><label>Title <input name=title></label>
        <select name=shelf><option>Novels<option>Poems</select><input type=submit value=\"Search books\"></form>
        <form method=post action=/login><input name=user><input type=password name=pass><button>Log in</button></form>";

    fn judged(place: &Place, topics: &Topics) -> Judged {
        let page = hadal_core::html::parse(PAGE.as_bytes(), None, &place.address());
        judge("page.html", &page, place, 200, topics)
    }

    #[test]
    fn elements_come_first_and_only_they_have_an_index() {
        let forms = judged(&Place::Unknown, &Topics::BuiltIn).forms;
        let listed: Vec<_> = forms.iter().map(|form| (form.index, form.source)).collect();
        assert_eq!(
            listed,
            [(Some(0), FormSource::Form), (Some(1), FormSource::Form), (None, FormSource::Script)]
        );
    }

    #[test]
    fn a_book_search_is_told_from_a_login() {
        let judged = judged(&Place::Unknown, &Topics::BuiltIn);
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
        assert_eq!(judged(&Place::Unknown, &Topics::BuiltIn).forms[0].action, "find");
        let place = Place::At(Url::parse("http://books.example/a/").unwrap());
        assert_eq!(judged(&place, &Topics::BuiltIn).forms[0].action, "http://books.example/a/find");
    }

    #[test]
    fn one_topic_brings_relevance() {
        let topic = Topics::One("book".into(), CriticTarget::built_in("book").unwrap());
        let judged = judged(&Place::Unknown, &topic);
        let form = &judged.forms[0];
        assert_eq!((judged.topics.0.len(), form.topics.0.len()), (1, 1));
        assert_eq!(form.p_relevant, Some(form.p_searchable * form.topics.0[0].1));
    }
}
