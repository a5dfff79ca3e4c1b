//! A form in the directory: fields, origin and evidence.

use super::values::{method_name, source_name};
use crate::store::{
    FormEntry, FormRow, HarvestQuery, Label, LookUp, RowOrder, RunId, Store, StoreError, count_open_fields,
    form_snapshots,
};
use hadal_core::address::LinkId;
use hadal_core::critic::evidence_words::evidence_in_words;
use hadal_core::critic::probe::ProbeResult;
use hadal_core::page::Field;
use hadal_core::submission::request_template;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Maximum number of links followed back to a seed. Guess.
const MAX_CLICKS: usize = 50;
/// Maximum number of choices shown per field. Guess.
const MAX_CHOICES: usize = 100;

/// A form in a list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FormView {
    /// Identity of the form across pages.
    pub form_id: String,
    /// Run that found the form first.
    pub run: u64,
    /// Topic of that run.
    pub topic: String,
    /// Site of the form.
    pub site: String,
    /// Page on which the form was first found.
    pub page_url: String,
    /// URL to which the form is sent.
    pub action: String,
    /// HTTP method: get or post.
    pub method: String,
    /// Kind of form: search, login, ...
    pub kind: String,
    /// Probability that the form is a search.
    pub p_searchable: f32,
    /// Relevance for the topic, from 0 to 1: at least 0.5 means relevant.
    pub p_relevant: f32,
    /// Language of its page as ISO 639-1 code.
    pub language: Option<String>,
    /// Number of visible fields.
    pub open_fields: usize,
    /// Fields of the form.
    pub fields: Vec<FieldView>,
    /// Request of the run at which it was found.
    pub found_at_request: u64,
    /// Clicks from a seed.
    pub depth: u16,
    /// Number of other pages with the form.
    pub also_on: u64,
    /// Declaration: form, opensearch, searchaction or script.
    pub source: String,
    /// Evidence for the verdict, as names of features.
    pub evidence: Vec<String>,
    /// The same evidence in words.
    pub why: Vec<String>,
    /// Probe result, if the form was probed: searches, does_not or unclear.
    pub finding: Option<String>,
    /// Label given by a user.
    pub label: Option<LabelName>,
}

/// Label of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = Label)]
pub enum LabelName {
    /// The form searches and is on topic.
    Right,
    /// The form searches something else.
    Wrong,
    /// The form does not search.
    NotASearch,
}

impl From<Label> for LabelName {
    fn from(label: Label) -> LabelName {
        match label {
            Label::Right => LabelName::Right,
            Label::Wrong => LabelName::Wrong,
            Label::NotASearch => LabelName::NotASearch,
        }
    }
}

impl From<LabelName> for Label {
    fn from(label: LabelName) -> Label {
        match label {
            LabelName::Right => Label::Right,
            LabelName::Wrong => Label::Wrong,
            LabelName::NotASearch => Label::NotASearch,
        }
    }
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldView {
    /// Name under which it is submitted.
    pub name: String,
    /// HTML type, or select or textarea.
    #[serde(rename = "type")]
    pub kind: String,
    /// Text of the label element.
    pub label: String,
    /// Number of choices.
    pub options: usize,
}

/// All data of a form's page.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FormPage {
    pub form: FormView,
    /// Heading above the form.
    pub heading: String,
    /// Fields as they can be filled in; empty if the form was too large to be stored.
    pub controls: Vec<DisplayedField>,
    /// Links from a seed to the form's page.
    pub path: Vec<ClickView>,
    /// Harvests of the form, newest first.
    pub harvests: Vec<u64>,
    /// Request of a search by script, with `{words}` for the query words.
    pub template: Option<String>,
}

/// A field as displayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = FormControl)]
pub struct DisplayedField {
    /// Name under which it is submitted.
    pub name: String,
    /// HTML type, or select or textarea.
    #[serde(rename = "type")]
    pub kind: String,
    /// Label text, or the text on a button.
    pub label: String,
    /// Text of the placeholder attribute.
    pub placeholder: String,
    /// Value that the page sets.
    pub value: String,
    /// True if it must be filled in.
    pub required: bool,
    /// First hundred choices.
    pub choices: Vec<String>,
}

/// A page on the path from a seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ClickView {
    /// URL of the page.
    pub url: String,
    /// Anchor text of the link to it; empty for a seed.
    pub anchor: String,
}

/// Form for a list.
pub fn view(found: &FormEntry) -> FormView {
    let FormEntry { run, row, label, .. } = found;
    FormView {
        form_id: row.form_id.to_string(),
        run: run.0,
        topic: row.topic.clone(),
        site: row.site.to_string(),
        page_url: row.page_url.to_string(),
        action: row.action.to_string(),
        method: method_name(row.method).to_string(),
        kind: row.kind.name().to_string(),
        p_searchable: row.p_searchable,
        p_relevant: row.p_relevant,
        language: row.language.clone(),
        open_fields: count_open_fields(row.fields.iter().map(|field| field.kind.as_str())),
        fields: fields(row),
        found_at_request: row.found_at_request,
        depth: row.depth,
        also_on: row.also_on,
        source: source_name(row.source).to_string(),
        evidence: row.evidence.clone(),
        why: row.evidence.iter().map(|evidence| evidence_in_words(evidence)).collect(),
        finding: row.finding.map(|finding| finding_name(finding).to_string()),
        label: label.map(LabelName::from),
    }
}

/// True if a form has all of these lower-case words in its site, page, action, topic or fields.
pub fn has_words(row: &FormRow, words: &[String]) -> bool {
    let fields = row.fields.iter().map(|field| format!("{} {}", field.name, field.label));
    let fields = fields.collect::<Vec<_>>().join(" ");
    let FormRow { form_id, site, page_url, action, topic, .. } = row;
    let text = format!("{form_id} {site} {page_url} {action} {topic} {fields}").to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

/// Words of a search, in lower case.
pub fn search_words(text: &str) -> Vec<String> {
    text.to_lowercase().split_whitespace().map(String::from).collect()
}

fn fields(row: &FormRow) -> Vec<FieldView> {
    let view = |field: &crate::store::FieldRow| FieldView {
        name: field.name.clone(),
        kind: field.kind.clone(),
        label: field.label.clone(),
        options: field.options,
    };
    row.fields.iter().map(view).collect()
}

fn finding_name(finding: ProbeResult) -> &'static str {
    match finding {
        ProbeResult::Searchable => "searches",
        ProbeResult::NotSearchable => "does_not",
        ProbeResult::Unclear => "unclear",
    }
}

/// Form with all data of its page.
pub fn page(store: &dyn Store, found: &FormEntry) -> Result<FormPage, StoreError> {
    let snapshot = form_snapshots(store, found.run, &[found.row.form_id])?.pop().flatten();
    let template = snapshot.as_ref().and_then(|form| request_template(form));
    let controls = snapshot.iter().flat_map(|form| &form.fields).map(control).collect();
    let of_form =
        HarvestQuery { form: Some(found.row.form_id), order: RowOrder::Newest, ..HarvestQuery::default() };
    let harvests = store.harvests(&of_form)?.iter().map(|harvest| harvest.id.0).collect();
    Ok(FormPage {
        form: view(found),
        heading: snapshot.map(|form| form.heading).unwrap_or_default(),
        controls,
        path: path(store, found.run, LinkId::of(&found.row.page_url))?,
        harvests,
        template,
    })
}

fn control(field: &Field) -> DisplayedField {
    DisplayedField {
        name: field.name.clone(),
        kind: field.kind.name().to_string(),
        label: field.label.clone(),
        placeholder: field.placeholder.clone(),
        value: field.value.clone(),
        required: field.required,
        choices: field.options.iter().take(MAX_CHOICES).map(|choice| choice.text.clone()).collect(),
    }
}

/// Path from a seed to a page, seed first.
fn path(store: &dyn Store, run: RunId, page: LinkId) -> Result<Vec<ClickView>, StoreError> {
    let mut clicks = Vec::new();
    let mut next = Some(page);
    while let Some(link) = next.filter(|_| clicks.len() < MAX_CLICKS) {
        let keys = LookUp { link_rows: &[link], ..LookUp::default() };
        let Some(row) = store.look_up(run, &keys)?.link_rows.remove(0) else { break };
        let lead = row.queued.link;
        clicks.push(ClickView { url: lead.url.to_string(), anchor: lead.context.anchor });
        next = lead.parent.map(|parent| parent.id).filter(|parent| *parent != link);
    }
    clicks.reverse();
    Ok(clicks)
}
