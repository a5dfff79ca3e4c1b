//! What is really there: every form, with its identity as any parser would compute it.

pub(crate) mod oracle;
pub(crate) mod records;

use crate::form::behaviour::Behaviour;
use crate::form::content::{FormContent, sketch};
use crate::form::plan::{FormScope, PlannedForm};
use crate::lexicon::TOPICS;
use crate::site::Site;
use hadal_core::critic::FormKind;
use hadal_core::identity::{FormId, form_id};
use hadal_core::page::{Field, Form};
use serde::Serialize;
use url::Url;

/// A form that exists.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrueForm {
    /// Its identity.
    pub form_id: FormId,
    /// The registrable domain it belongs to.
    pub site: String,
    /// The host of its first page.
    pub host: String,
    /// The page it stands on that is closest to the home page.
    pub page_url: Url,
    /// How many pages of the site hold it, answers to other forms not counted.
    pub pages: u32,
    /// Which of the twelve topics it searches, if any.
    pub topic: Option<&'static str>,
    /// What it is for.
    pub kind: FormKind,
    /// Clicks from the site's home page.
    pub depth: u32,
    /// Which database of the site it opens, for searches of more than the site's own pages.
    pub database: Option<u8>,
    /// What it does with what it is sent.
    pub behaviour: Behaviour,
}

impl TrueForm {
    /// Whether it is what a crawl for this topic looks for.
    pub fn is_relevant(&self, topic: &str) -> bool {
        self.kind == FormKind::Search && self.topic == Some(topic)
    }
}

/// The forms of one site.
pub(crate) fn true_forms(site: &Site<'_>) -> Vec<TrueForm> {
    site.forms.iter().map(|form| true_form(site, form)).collect()
}

fn true_form(site: &Site<'_>, form: &PlannedForm) -> TrueForm {
    let (page_url, depth) = first_page(site, form);
    TrueForm {
        form_id: form_id(&as_form(&sketch(form), site), &page_url),
        site: site.domain.clone(),
        host: page_url.host_str().unwrap_or_default().to_string(),
        pages: page_count(site, form),
        page_url,
        topic: form
            .subject
            .filter(|_| form.kind == FormKind::Search)
            .and_then(|subject| TOPICS.get(usize::from(subject)).copied()),
        kind: form.kind,
        depth,
        database: (form.database > 0).then_some(form.database),
        behaviour: Behaviour::of(form, site.spec.back_ends),
    }
}

fn first_page(site: &Site<'_>, form: &PlannedForm) -> (Url, u32) {
    let page = match form.scope {
        FormScope::Everywhere => 0,
        FormScope::Utility => return (site.url_on_main(&Site::utility_path(form)), 1),
        FormScope::Inside(section) => site.tree.children(section).start,
        FormScope::Around(page) | FormScope::Only(page) => page,
    };
    (site.url(page), site.tree.depth(page))
}

fn page_count(site: &Site<'_>, form: &PlannedForm) -> u32 {
    match form.scope {
        FormScope::Everywhere => {
            let utilities = site.forms.iter().filter(|form| form.scope == FormScope::Utility);
            site.tree.pages + utilities.count() as u32
        }
        FormScope::Utility | FormScope::Only(_) => 1,
        FormScope::Around(page) => 1 + site.tree.children(page).len() as u32,
        FormScope::Inside(section) => below(site, section),
    }
}

/// Pages under a page, counted level by level.
fn below(site: &Site<'_>, page: u32) -> u32 {
    let (mut level, mut count) = (site.tree.children(page), 0);
    while !level.is_empty() {
        count += level.len() as u32;
        let next = site.tree.children(level.start).start..site.tree.children(level.end - 1).end;
        level = next;
    }
    count
}

/// The form as a parser reports it, as far as identity looks at it.
fn as_form(sketch: &FormContent, site: &Site<'_>) -> Form {
    let fields = sketch.controls.iter().map(|c| Field::new(c.kind, &c.name, c.value)).collect();
    Form::to(site.url_on_main(&sketch.action), sketch.method, fields)
}
