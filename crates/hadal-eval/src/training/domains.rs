//! Labelled forms and pages of sites with known domains.

use super::archive::json_lines;
use anyhow::Result;
use hadal_core::critic::FormKind;
use hadal_core::critic::LabelledForm;
use hadal_core::critic::domain::DOMAINS;
use hadal_core::html;
use hadal_core::page::{FormSource, Page};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;
use url::Url;

/// A page with the domain of its site.
#[derive(Clone, Debug, Deserialize)]
pub struct LabelledPage {
    /// Site, under an invented name.
    pub site: String,
    /// File name of the page.
    pub page: String,
    /// Domain of the site.
    pub site_domain: String,
    /// ISO 639-1 code, or `und`.
    pub language: String,
    pub title: String,
    /// Visible text of the page.
    pub text: String,
}

impl LabelledPage {
    /// Index of the site's domain.
    pub fn domain(&self) -> usize {
        number(&self.site_domain)
    }

    /// Converts the text to the page type that classifiers read.
    pub fn as_page(&self) -> Page {
        let url = Url::parse("http://page.example/").expect("the address is valid");
        let page = html::parse(b"", None, &url);
        let language = Some(self.language.clone()).filter(|code| code != "und");
        Page { title: self.title.clone(), text: self.text.clone(), language, ..page }
    }
}

#[derive(Deserialize)]
struct FormRow {
    site: String,
    page: String,
    form_index: u32,
    domain: String,
    searchable: bool,
    kind: String,
    confidence: f32,
    title: String,
    heading: String,
    form_html: String,
}

/// Index of a domain; unknown names map to "other", the last index.
fn number(domain: &str) -> usize {
    DOMAINS.iter().position(|name| *name == domain).unwrap_or(DOMAINS.len() - 1)
}

/// Reads the pages of `domains12-dev`.
pub fn pages(data: &Path) -> Result<Vec<LabelledPage>> {
    json_lines(&data.join("domains12-dev/pages.jsonl.gz"))
}

/// Reads the forms of `domains12-dev`, each on its page.
pub fn forms(data: &Path, pages: &[LabelledPage]) -> Result<Vec<LabelledForm>> {
    let by_name: HashMap<(&str, &str), &LabelledPage> =
        pages.iter().map(|page| ((page.site.as_str(), page.page.as_str()), page)).collect();
    let rows: Vec<FormRow> = json_lines(&data.join("domains12-dev/forms.jsonl.gz"))?;
    let examples = rows.into_iter().filter_map(|row| {
        let page = by_name.get(&(row.site.as_str(), row.page.as_str())).copied();
        example(row, page)
    });
    Ok(examples.collect())
}

fn example(row: FormRow, on: Option<&LabelledPage>) -> Option<LabelledForm> {
    let url = Url::parse("http://page.example/").expect("the address is valid");
    let mut page = html::parse(row.form_html.as_bytes(), Some("text/html; charset=utf-8"), &url);
    let at = page.forms.iter().position(|form| form.source == FormSource::Form)?;
    let mut form = page.forms.swap_remove(at);
    if form.heading.is_empty() {
        form.heading = row.heading;
    }
    page.title = row.title;
    if let Some(on) = on {
        page.text = on.text.clone();
        page.language = Some(on.language.clone()).filter(|code| code != "und");
    }
    page.forms.clear();
    Some(LabelledForm {
        form,
        page,
        kind: kind(&row.kind),
        domain: row.searchable.then(|| number(&row.domain)),
        confidence: row.confidence,
        name: format!("{} {} form {}", row.site, row.page, row.form_index),
        site: row.site,
    })
}

fn kind(name: &str) -> FormKind {
    let name = if name == "register" { "registration" } else { name };
    FormKind::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or(FormKind::Other)
}
