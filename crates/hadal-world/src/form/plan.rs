//! Plan of a site's forms: their kinds, and the pages they are on.
//!
//! A deep site has one to three databases with one to six search forms each. Most forms are close to the home page. In
//! addition there are forms that do not search, such as logins.

use crate::lexicon::{TOPIC_COUNT, lexicon};
use crate::random::{SeededRng, mix};
use crate::site::profile::{SiteProfile, SiteRole};
use crate::site::tree::PageTree;
use crate::spec::BackEnds;
use hadal_core::critic::FormKind;

/// Planned form of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedForm {
    /// Number of the form within its site, from 0.
    pub(crate) ordinal: u8,
    /// True purpose of the form.
    pub(crate) kind: FormKind,
    /// Apparent purpose. Differs from `kind` for forms that only look like searches.
    pub(crate) apparent_kind: FormKind,
    /// Subject that the form searches or seems to search; `None` for searches of the site's own pages and other kinds.
    pub(crate) subject: Option<u8>,
    /// Number of the site's database that the form searches; 0 means the site's own pages.
    pub(crate) database: u8,
    /// Pages that contain the form.
    pub(crate) scope: FormScope,
    /// Seed of the form's fields and markup.
    pub(crate) seed: u64,
}

/// Set of pages that contain a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormScope {
    /// All pages of the site.
    Everywhere,
    /// A page of its own that every page links to.
    Utility,
    /// All pages of a section except its first.
    Inside(u32),
    /// A page and its children.
    Around(u32),
    /// A single page.
    Only(u32),
}

impl FormScope {
    /// True if a page of the page tree contains the form.
    pub(crate) fn covers(self, tree: PageTree, page: u32) -> bool {
        match self {
            FormScope::Everywhere => true,
            FormScope::Utility => false,
            FormScope::Inside(section) => page > tree.sections && tree.section(page) == section,
            FormScope::Around(first) => page == first || tree.parent(page) == Some(first),
            FormScope::Only(first) => page == first,
        }
    }
}

/// Probabilities of 1, 2, ... search forms per database. Chosen for the mean number of interfaces per deep site that
/// [`measure`](crate::measure) checks.
const FORMS_PER_DATABASE: [f64; 6] = [0.20, 0.27, 0.23, 0.15, 0.10, 0.05];

/// Share of deep sites without a form within depth 3. Chosen for the depths that [`measure`](crate::measure) checks.
const HIDDEN_SITES: f64 = 0.08;

/// Share of a database's forms after the first that are within depth 3. Chosen for the same depths.
const FURTHER_SHALLOW: f64 = 0.62;

/// Plans the forms of a site.
pub(crate) fn plan(site: &SiteProfile, back_ends: BackEnds) -> Vec<PlannedForm> {
    let mut forms = Vec::with_capacity(12);
    let mut rng = SeededRng::new(site.seed, 20);
    if site.site_search {
        let subject = (site.deep && rng.chance(0.2)).then_some(site.subject);
        add(&mut forms, site, FormKind::Search, subject, 0, FormScope::Everywhere);
    }
    if site.deep {
        databases(site, &mut rng, &mut forms);
    }
    other_forms(site, &mut rng, &mut forms);
    if back_ends == BackEnds::Varied {
        fake_search(site, &mut forms);
    }
    forms
}

fn add(
    forms: &mut Vec<PlannedForm>,
    site: &SiteProfile,
    kind: FormKind,
    subject: Option<u8>,
    database: u8,
    scope: FormScope,
) {
    let ordinal = forms.len() as u8;
    let seed = mix(site.seed, 0x100 + u64::from(ordinal));
    forms.push(PlannedForm { ordinal, kind, apparent_kind: kind, subject, database, scope, seed });
}

/// Share of sites with a form that looks like a search of their subject but does not search. Guess.
const FAKE_SEARCHES: f64 = 0.04;

fn fake_search(site: &SiteProfile, forms: &mut Vec<PlannedForm>) {
    let mut rng = SeededRng::new(site.seed, 21);
    if rng.chance(FAKE_SEARCHES) {
        let page = page_at(site.tree(), true, &mut rng);
        add(forms, site, FormKind::Other, Some(site.subject), 0, FormScope::Only(page));
        forms.last_mut().expect("one was just added").apparent_kind = FormKind::Search;
    }
}

fn databases(site: &SiteProfile, rng: &mut SeededRng, forms: &mut Vec<PlannedForm>) {
    let hidden = rng.chance(HIDDEN_SITES);
    let count = if hidden { 1 } else { 1 + rng.weighted(&[0.57, 0.30, 0.13]) as u8 };
    for database in 1..=count {
        let subject =
            if database == 1 || rng.chance(0.4) { site.subject } else { other_subject(site.subject, rng) };
        let count = 1 + rng.weighted(&FORMS_PER_DATABASE);
        for number in 0..count {
            let shallow = match (hidden, number) {
                (true, _) => false,
                (false, 0) => rng.chance(if database == 1 { 1.0 } else { 0.97 }),
                _ => rng.chance(FURTHER_SHALLOW),
            };
            let page = page_at(site.tree(), shallow, rng);
            let scope = if rng.chance(0.4) { FormScope::Around(page) } else { FormScope::Only(page) };
            add(forms, site, FormKind::Search, Some(subject), database, scope);
        }
    }
}

/// Related topics of each topic, by number: a site with several databases often covers them together. Guess.
const RELATED_TOPICS: [&[u8]; TOPIC_COUNT] = [
    &[3, 7, 9],
    &[7, 10],
    &[5, 6, 10],
    &[0, 7, 9],
    &[11, 8],
    &[2, 6, 10],
    &[2, 5, 10],
    &[0, 3, 1],
    &[11, 3],
    &[0, 3, 7],
    &[2, 6, 1],
    &[4, 8],
];

/// Subject of a further database of a site.
fn other_subject(subject: u8, rng: &mut SeededRng) -> u8 {
    let subjects = lexicon().subjects.len() as u32;
    match RELATED_TOPICS.get(usize::from(subject)) {
        Some(related) if rng.chance(0.6) => rng.pick(related),
        _ if rng.chance(0.4) => rng.below(TOPIC_COUNT as u32) as u8,
        _ => rng.between(TOPIC_COUNT as u32, subjects - 1) as u8,
    }
}

/// Random page within depth 3, or beyond it if the tree is deep enough.
fn page_at(tree: PageTree, shallow: bool, rng: &mut SeededRng) -> u32 {
    let depth = if shallow { rng.weighted(&[0.08, 0.30, 0.36, 0.26]) } else { 4 + rng.weighted(&[0.7, 0.3]) };
    let level = tree.level(tree.deepest_up_to(depth as u32));
    level.start + rng.below(level.end - level.start)
}

/// Kinds of forms that do not search, and the share of sites that have one. Guess.
const OTHER_FORMS: [(FormKind, f64); 9] = [
    (FormKind::Login, 0.39),
    (FormKind::Registration, 0.30),
    (FormKind::Recovery, 0.20),
    (FormKind::Contact, 0.44),
    (FormKind::Newsletter, 0.37),
    (FormKind::Order, 0.16),
    (FormKind::Comment, 0.23),
    (FormKind::Booking, 0.10),
    (FormKind::Other, 0.15),
];

fn other_forms(site: &SiteProfile, rng: &mut SeededRng, forms: &mut Vec<PlannedForm>) {
    let size_factor = if site.deep { 1.2 } else { 0.5 };
    for (kind, share) in OTHER_FORMS {
        let is_shop = matches!(kind, FormKind::Order | FormKind::Booking) && site.role == SiteRole::Seeded;
        if !rng.chance((share * size_factor * if is_shop { 2.0 } else { 1.0 }).min(0.97)) {
            continue;
        }
        // The later sections of a small site may have no children.
        let section = 1 + rng.below((site.tree().sections / 2).max(1));
        let scope = match kind {
            FormKind::Login | FormKind::Newsletter if rng.chance(0.5) => FormScope::Everywhere,
            FormKind::Order | FormKind::Comment => FormScope::Inside(section),
            FormKind::Booking => FormScope::Around(section),
            FormKind::Other => FormScope::Only(section),
            _ => FormScope::Utility,
        };
        add(forms, site, kind, None, 0, scope);
    }
}

/// Page close to a search form of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FormRoute {
    pub(crate) page: u32,
    /// Clicks from a link to this page until the form is seen: 1 if the page contains it.
    pub(crate) clicks: u8,
    /// Subject that the form searches.
    pub(crate) subject: u8,
}

/// Pages up to three clicks from a search form of a database, sorted by page, each with its nearest form.
pub(crate) fn form_routes(site: &SiteProfile, forms: &[PlannedForm]) -> Vec<FormRoute> {
    let tree = site.tree();
    let mut routes = Vec::with_capacity(3 * forms.len());
    for form in forms.iter().filter(|form| form.kind == FormKind::Search) {
        let (FormScope::Around(first) | FormScope::Only(first)) = form.scope else { continue };
        let Some(subject) = form.subject else { continue };
        let path = std::iter::once(first).chain(tree.ancestors(first));
        routes.extend(path.take(3).zip(1u8..).map(|(page, clicks)| FormRoute { page, clicks, subject }));
    }
    routes.sort_unstable_by_key(|route| {
        (route.page, route.clicks, route.subject != site.subject, route.subject)
    });
    routes.dedup_by_key(|route| route.page);
    routes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::populate::populate;
    use crate::spec::Spec;

    #[test]
    fn forms_are_on_pages_that_exist() {
        for site in populate(&Spec::demo(1)) {
            let tree = site.tree();
            for form in plan(&site, BackEnds::Varied) {
                if let FormScope::Around(page) | FormScope::Only(page) | FormScope::Inside(page) = form.scope
                {
                    assert!(page < tree.pages, "{form:?} {tree:?}");
                }
            }
        }
    }

    #[test]
    fn routes_lead_to_the_nearest_form() {
        let site = populate(&Spec::demo(1)).into_iter().find(|site| site.deep).unwrap();
        for route in form_routes(&site, &plan(&site, BackEnds::Varied)) {
            assert!((1..=3).contains(&route.clicks));
            assert!(route.page < site.pages);
        }
    }
}
