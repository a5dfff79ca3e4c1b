//! Ground truth: the forms of all sites, the records behind them, and the shortest way to find them.

pub(crate) mod oracle;

use crate::form::behaviour::Behaviour;
use crate::form::content::{FormContent, form_content};
use crate::form::database::SiteDatabase;
use crate::form::plan::{FormScope, PlannedForm};
use crate::lexicon::TOPICS;
use crate::site::Site;
use crate::site::resource::{Resource, resource_at, without_session};
use crate::world::World;
use hadal_core::critic::FormKind;
use hadal_core::identity::{FormId, form_id};
use hadal_core::page::{Field, Form};
use hadal_core::time::Time;
use serde::Serialize;
use std::collections::BTreeMap;
use url::Url;

/// Ground truth about one form.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrueForm {
    /// Form id, as computed from a parsed page.
    pub form_id: FormId,
    /// Registrable domain of the site.
    pub site: String,
    /// Host of `page_url`.
    pub host: String,
    /// Page with the form that is closest to the home page.
    pub page_url: Url,
    /// Number of pages of the site that contain the form, not counting result pages.
    pub pages: u32,
    /// Topic that the form searches; `None` if it does not search one of the twelve topics.
    pub topic: Option<&'static str>,
    /// Purpose of the form.
    pub kind: FormKind,
    /// Number of clicks from the home page to `page_url`.
    pub depth: u32,
    /// Number of the site's database that the form searches, from 1. `None` for searches of the site's own
    /// pages and for other kinds of forms.
    pub database: Option<u8>,
    /// Response of the form to submissions.
    pub behaviour: Behaviour,
}

impl TrueForm {
    /// True if the form is a search about the topic.
    pub fn is_relevant(&self, topic: &str) -> bool {
        self.kind == FormKind::Search && self.topic == Some(topic)
    }
}

/// Ground truth about the forms of one site, in the order of their numbers.
pub(crate) fn true_forms(site: &Site<'_>) -> Vec<TrueForm> {
    site.forms.iter().map(|form| true_form(site, form)).collect()
}

fn true_form(site: &Site<'_>, form: &PlannedForm) -> TrueForm {
    let (page_url, depth) = first_page(site, form);
    TrueForm {
        form_id: form_id(&as_form(&form_content(form), site), &page_url),
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

/// Number of pages below a page, counted level by level.
fn below(site: &Site<'_>, page: u32) -> u32 {
    let (mut level, mut count) = (site.tree.children(page), 0);
    while !level.is_empty() {
        count += level.len() as u32;
        let next = site.tree.children(level.start).start..site.tree.children(level.end - 1).end;
        level = next;
    }
    count
}

/// The form as a parser reports it, with the parts that the form id depends on.
fn as_form(content: &FormContent, site: &Site<'_>) -> Form {
    let fields = content.controls.iter().map(|c| Field::new(c.kind, &c.name, c.value)).collect();
    Form::to(site.url_on_main(&content.action), content.method, fields)
}

/// Identity of a record in a site's database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrueRecord {
    /// Number of the database within its site, as in [`World::database_behind`].
    pub database: u8,
    /// Number of the record within the database, from 0.
    pub record: u32,
}

impl World {
    /// Number of records that a form searches; 0 if it does not search.
    pub fn records_behind(&self, form: &TrueForm) -> u32 {
        self.database_behind(form).map_or(0, |(_, records)| records)
    }

    /// Number of the database that a form searches, and the number of its records. Database 0 holds the site's own
    /// pages. `None` if the form does not search.
    pub fn database_behind(&self, form: &TrueForm) -> Option<(u8, u32)> {
        let (index, _) = self.locate(&form.page_url)?;
        let site = self.site(index);
        let at = true_forms(&site).iter().position(|other| other.form_id == form.form_id)?;
        let planned = site.forms.get(at).filter(|planned| planned.kind == FormKind::Search)?;
        Some((planned.database, SiteDatabase::behind(&site, planned).records))
    }

    /// Records that a form searches at a time, each with the number of times that it was edited.
    pub fn versions_behind(&self, form: &TrueForm, at: Time) -> BTreeMap<TrueRecord, u32> {
        let Some((index, _)) = self.locate(&form.page_url) else { return BTreeMap::new() };
        let site = self.site_at(index, at);
        let same = true_forms(&site).iter().position(|other| other.form_id == form.form_id);
        let planned = same.and_then(|at| site.forms.get(at)).filter(|form| form.kind == FormKind::Search);
        let Some(planned) = planned else { return BTreeMap::new() };
        let database = SiteDatabase::behind(&site, planned);
        let record = |record| TrueRecord { database: database.number(), record };
        database.versions().map(|(number, version)| (record(number), version)).collect()
    }

    /// Record with a detail page at this URL on the first day. Session ids in the URL are ignored.
    pub fn record_at(&self, url: &Url) -> Option<TrueRecord> {
        self.record_on_day(url, Time(0))
    }

    /// Record with a detail page at this URL at a time.
    pub fn record_on_day(&self, url: &Url, at: Time) -> Option<TrueRecord> {
        let (index, host) = self.locate(url)?;
        let site: Site<'_> = self.site_at(index, at);
        match resource_at(&site, host, &without_session(url).0) {
            Resource::Record(database, record) => Some(TrueRecord { database: database.number(), record }),
            _ => None,
        }
    }
}
