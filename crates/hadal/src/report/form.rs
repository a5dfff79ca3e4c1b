//! A form as a directory shows it: what a person would see, where it was found, and why it was kept.

use super::values::{method_name, source_name};
use crate::store::{FormEntry, FormRow, Label, RunId, Store, StoreError, open_fields};
use hadal_core::address::LinkId;
use hadal_core::critic::probe::ProbeResult;
use hadal_core::page::Field;
use serde::Serialize;
use utoipa::ToSchema;

/// Clicks that are followed back to a seed.
const MOST_CLICKS: usize = 50;
/// Choices of one field that are shown.
const MOST_CHOICES: usize = 100;

/// A form.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FormView {
    /// Its identity.
    pub form_id: String,
    /// The run that found it first.
    pub run: u64,
    /// The topic it was found for.
    pub topic: String,
    /// The site it is on.
    pub site: String,
    /// The page it was first found on.
    pub page_url: String,
    /// Where it is sent.
    pub action: String,
    /// How it is sent: get or post.
    pub method: String,
    /// What it is for: search, login, ...
    pub kind: String,
    /// P(it searches).
    pub p_searchable: f32,
    /// P(it searches and is of the topic).
    pub p_relevant: f32,
    /// Language of its page, as its ISO 639-1 code.
    pub language: Option<String>,
    /// How many of its fields people fill.
    pub open_fields: usize,
    /// Its fields.
    pub fields: Vec<FieldView>,
    /// Request of the run at which it was found.
    pub found_at_request: u64,
    /// Clicks from a seed.
    pub depth: u16,
    /// Other pages it stands on.
    pub also_on: u64,
    /// What declared it: form, opensearch, searchaction or script.
    pub source: String,
    /// Why it was judged so.
    pub evidence: Vec<String>,
    /// What asking it showed, if it was asked: searches, does_not or unclear.
    pub finding: Option<String>,
    /// What a person made of it.
    pub label: Option<Label>,
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldView {
    /// Name it is submitted under.
    pub name: String,
    /// HTML type, or select or textarea.
    #[serde(rename = "type")]
    pub kind: String,
    /// What a person reads beside it.
    pub label: String,
    /// How many choices it offers.
    pub options: usize,
}

/// A form with all that a page about it shows.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FormPage {
    /// The form.
    pub form: FormView,
    /// The heading over it.
    pub heading: String,
    /// Its fields as they can be filled; empty when the form was too large to be kept whole.
    pub controls: Vec<ControlView>,
    /// Clicks from a seed to the page it stands on.
    pub path: Vec<ClickView>,
    /// Harvests of it, the newest first.
    pub harvests: Vec<u64>,
}

/// A field as a person sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = FormControl)]
pub struct ControlView {
    /// Name it is submitted under.
    pub name: String,
    /// HTML type, or select or textarea.
    #[serde(rename = "type")]
    pub kind: String,
    /// What a person reads beside it, or on it.
    pub label: String,
    /// What stands in it before anything is typed.
    pub placeholder: String,
    /// Its first value.
    pub value: String,
    /// Whether it must be filled.
    pub required: bool,
    /// What can be chosen, the first hundred.
    pub choices: Vec<String>,
}

/// A page on the way from a seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ClickView {
    /// Its address.
    pub url: String,
    /// What the link to it said; empty for a seed.
    pub anchor: String,
}

/// A form as a list shows it.
pub fn view(found: &FormEntry) -> FormView {
    let FormEntry { run, row, label } = found;
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
        open_fields: open_fields(row.fields.iter().map(|field| field.kind.as_str())),
        fields: fields(row),
        found_at_request: row.found_at_request,
        depth: row.depth,
        also_on: row.also_on,
        source: source_name(row.source).to_string(),
        evidence: row.evidence.clone(),
        finding: row.finding.map(|finding| finding_name(finding).to_string()),
        label: *label,
    }
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

/// Everything that a page about a form shows.
pub fn page(store: &dyn Store, found: &FormEntry) -> Result<FormPage, StoreError> {
    let whole = store.whole_form(found.run, found.row.form_id)?;
    let controls = whole.iter().flat_map(|form| &form.fields).map(control).collect();
    let of_form = crate::store::HarvestFilter {
        form: Some(found.row.form_id),
        ..crate::store::HarvestFilter::default()
    };
    let harvests = store.harvests(&of_form)?.iter().rev().map(|harvest| harvest.id.0).collect();
    Ok(FormPage {
        form: view(found),
        heading: whole.map(|form| form.heading).unwrap_or_default(),
        controls,
        path: path(store, found.run, LinkId::of(&found.row.page_url))?,
        harvests,
    })
}

fn control(field: &Field) -> ControlView {
    ControlView {
        name: field.name.clone(),
        kind: field.kind.name().to_string(),
        label: field.label.clone(),
        placeholder: field.placeholder.clone(),
        value: field.value.clone(),
        required: field.required,
        choices: field.options.iter().take(MOST_CHOICES).map(|choice| choice.text.clone()).collect(),
    }
}

/// The clicks from a seed to a page, the seed first.
fn path(store: &dyn Store, run: RunId, page: LinkId) -> Result<Vec<ClickView>, StoreError> {
    let mut clicks = Vec::new();
    let mut next = Some(page);
    while let Some(link) = next.filter(|_| clicks.len() < MOST_CLICKS) {
        let Some(followed) = store.followed(run, link)? else { break };
        let lead = followed.link;
        clicks.push(ClickView { url: lead.url.to_string(), anchor: lead.context.anchor });
        next = lead.parent.map(|parent| parent.id).filter(|parent| *parent != link);
    }
    clicks.reverse();
    Ok(clicks)
}
