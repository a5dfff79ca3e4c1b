//! Reads the formasaurus data set: real pages with a label per form, and fixed folds.

use super::archive;
use anyhow::{Context, Result};
use hadal_core::address::Site;
use hadal_core::critic::FormKind;
use hadal_core::critic::LabelledForm;
use hadal_core::html;
use hadal_core::http::Method;
use hadal_core::page::{Form, FormSource, Page};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use url::Url;

/// A labelled form and its fold.
pub struct FoldedForm {
    /// The form with its label.
    pub example: LabelledForm,
    /// Fold in which the form is tested.
    pub fold: usize,
}

#[derive(Deserialize)]
struct Labelled {
    url: String,
    visible_html_fields: Vec<BTreeMap<String, String>>,
}

/// Reads the labelled forms that have a fold.
pub fn read(data: &Path) -> Result<Vec<FoldedForm>> {
    let files = archive::files(data, &data.join("formasaurus-autopager.tar.zst"), "formasaurus")?;
    let index = files.get("index.json").context("formasaurus/index.json is missing")?;
    let index: BTreeMap<String, Labelled> = serde_json::from_slice(index)?;
    let folds =
        std::fs::read_to_string(data.join("formasaurus-folds.tsv")).context("formasaurus-folds.tsv")?;
    let mut pages: BTreeMap<&str, Page> = BTreeMap::new();
    let mut found = Vec::new();
    for line in folds.lines().skip(1) {
        let [name, at, label, fold] = line.split('\t').collect::<Vec<_>>()[..] else {
            anyhow::bail!("formasaurus-folds.tsv: four columns expected: {line}");
        };
        let labelled = index.get(name).with_context(|| format!("{name} is not in the index"))?;
        if !pages.contains_key(name) {
            pages.insert(
                name,
                page(files.get(name).with_context(|| format!("{name} is missing"))?, labelled)?,
            );
        }
        let (page, at) = (&pages[name], at.parse()?);
        found.push(FoldedForm { example: example(page, labelled, name, at, label), fold: fold.parse()? });
    }
    Ok(found)
}

/// Parses a page. All pages are stored as UTF-8, whatever they declare.
fn page(body: &[u8], labelled: &Labelled) -> Result<Page> {
    let url = Url::parse(&labelled.url).with_context(|| labelled.url.clone())?;
    Ok(html::parse(body, Some("text/html; charset=utf-8"), &url))
}

fn example(page: &Page, labelled: &Labelled, name: &str, at: usize, label: &str) -> LabelledForm {
    let form = form_labelled(page, labelled, at).unwrap_or_else(|| {
        // A browser would not see this form, and our parser finds no field of it.
        Form::to(page.url.clone(), Method::Get, Vec::new())
    });
    LabelledForm {
        form,
        page: Page { links: Vec::new(), forms: Vec::new(), ..page.clone() },
        site: Site::of(&page.url).0.to_string(),
        kind: kind(label),
        domain: None,
        confidence: 1.0,
        name: format!("{name} form {at}"),
    }
}

/// Finds the labelled form. Parsers disagree on broken markup: if the number of forms differs, the form with
/// the same field names is taken.
fn form_labelled(page: &Page, labelled: &Labelled, at: usize) -> Option<Form> {
    let forms: Vec<&Form> = page.forms.iter().filter(|form| form.source == FormSource::Form).collect();
    if forms.len() == labelled.visible_html_fields.len() {
        return forms.get(at).copied().cloned();
    }
    let wanted: BTreeSet<&str> = labelled.visible_html_fields.get(at)?.keys().map(String::as_str).collect();
    let before = labelled.visible_html_fields[..at].iter();
    let twins = before.filter(|fields| fields.keys().map(String::as_str).collect::<BTreeSet<_>>() == wanted);
    let same =
        forms.iter().filter(|form| wanted.iter().all(|name| has_field(form, name)) && !wanted.is_empty());
    same.clone().nth(twins.count()).or(same.clone().next_back()).copied().cloned()
}

fn has_field(form: &Form, name: &str) -> bool {
    form.fields.iter().any(|field| field.name == name)
}

fn kind(label: &str) -> FormKind {
    match label {
        "s" => FormKind::Search,
        "l" => FormKind::Login,
        "r" => FormKind::Registration,
        "p" => FormKind::Recovery,
        "c" => FormKind::Contact,
        "m" => FormKind::Newsletter,
        "b" => FormKind::Order,
        _ => FormKind::Other,
    }
}
