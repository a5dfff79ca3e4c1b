//! Which forms a site has and where they stand.
//!
//! A site with databases has one to three of them, each behind several search forms; most are close
//! to the home page, some are far from it. Beside them stand the forms that search nothing.

use crate::lexicon::{TOPIC_COUNT, lexicon};
use crate::random::{SeededRng, mix};
use crate::site::profile::{SiteProfile, SiteRole};
use crate::site::tree::PageTree;
use crate::spec::BackEnds;
use hadal_core::critic::FormKind;

/// One form of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedForm {
    /// Its number among the site's forms.
    pub(crate) ordinal: u8,
    /// What it is for.
    pub(crate) kind: FormKind,
    /// What it looks like: some that look like searches answer everything alike.
    pub(crate) looks: FormKind,
    /// What it searches or seems to: a subject, or `None` for a search of the site itself and for
    /// other kinds.
    pub(crate) subject: Option<u8>,
    /// Which of the site's databases it opens; 0 is the site's own text.
    pub(crate) database: u8,
    /// Where it stands.
    pub(crate) scope: FormScope,
    /// Where its wording comes from.
    pub(crate) seed: u64,
}

/// Where a form stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormScope {
    /// On every page.
    Everywhere,
    /// On a page of its own that every page links to.
    Utility,
    /// On the pages deep inside one section.
    Inside(u32),
    /// On a page and its children.
    Around(u32),
    /// On one page.
    Only(u32),
}

impl FormScope {
    /// Whether a page of the tree holds the form.
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

/// Interfaces per database: relative frequency of 1, 2, 3, ...
const INTERFACES: [f64; 6] = [0.20, 0.27, 0.23, 0.15, 0.10, 0.05];

/// Share of sites with databases that show none within depth 3.
const HIDDEN_SITES: f64 = 0.08;

/// Share of further interfaces that stand within depth 3.
const FURTHER_SHALLOW: f64 = 0.62;

/// The forms of a site.
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
    plain_forms(site, &mut rng, &mut forms);
    if back_ends == BackEnds::Varied {
        sham(site, &mut forms);
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
    forms.push(PlannedForm { ordinal, kind, looks: kind, subject, database, scope, seed });
}

/// Share of sites with a form that looks like a search of their subject and is none.
const SHAMS: f64 = 0.04;

fn sham(site: &SiteProfile, forms: &mut Vec<PlannedForm>) {
    let mut rng = SeededRng::new(site.seed, 21);
    if rng.chance(SHAMS) {
        let page = page_at(site.tree(), true, &mut rng);
        add(forms, site, FormKind::Other, Some(site.subject), 0, FormScope::Only(page));
        forms.last_mut().expect("one was just added").looks = FormKind::Search;
    }
}

fn databases(site: &SiteProfile, rng: &mut SeededRng, forms: &mut Vec<PlannedForm>) {
    let hidden = rng.chance(HIDDEN_SITES);
    let count = if hidden { 1 } else { 1 + rng.weighted(&[0.57, 0.30, 0.13]) as u8 };
    for database in 1..=count {
        let subject =
            if database == 1 || rng.chance(0.4) { site.subject } else { other_subject(site.subject, rng) };
        let interfaces = 1 + rng.weighted(&INTERFACES);
        for interface in 0..interfaces {
            let shallow = match (hidden, interface) {
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

/// Topics that are often found together, by their numbers: travel, cars, media, people.
const KIN: [&[u8]; TOPIC_COUNT] = [
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

/// What else a site has a database about.
fn other_subject(subject: u8, rng: &mut SeededRng) -> u8 {
    let subjects = lexicon().subjects.len() as u32;
    match KIN.get(usize::from(subject)) {
        Some(kin) if rng.chance(0.6) => rng.pick(kin),
        _ if rng.chance(0.4) => rng.below(TOPIC_COUNT as u32) as u8,
        _ => rng.between(TOPIC_COUNT as u32, subjects - 1) as u8,
    }
}

/// A page within depth 3, or beyond it if the site is deep enough.
fn page_at(tree: PageTree, shallow: bool, rng: &mut SeededRng) -> u32 {
    let depth = if shallow { rng.weighted(&[0.08, 0.30, 0.36, 0.26]) } else { 4 + rng.weighted(&[0.7, 0.3]) };
    let level = tree.level(tree.reach(depth as u32));
    level.start + rng.below(level.end - level.start)
}

/// Forms that search nothing, with how often a site has them.
const PLAIN: [(FormKind, f64); 9] = [
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

fn plain_forms(site: &SiteProfile, rng: &mut SeededRng, forms: &mut Vec<PlannedForm>) {
    let busy = if site.deep { 1.2 } else { 0.5 };
    for (kind, often) in PLAIN {
        let trade = matches!(kind, FormKind::Order | FormKind::Booking) && site.role == SiteRole::Seeded;
        if !rng.chance((often * busy * if trade { 2.0 } else { 1.0 }).min(0.97)) {
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

/// A page on the way to a search form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FormRoute {
    /// The page.
    pub(crate) page: u32,
    /// Clicks from a link to the page to the form: 1 when the page itself holds it.
    pub(crate) clicks: u8,
    /// What the form searches.
    pub(crate) subject: u8,
}

/// Pages on the way to the search forms of databases, up to three clicks; each once, with its nearest form.
pub(crate) fn ways(site: &SiteProfile, forms: &[PlannedForm]) -> Vec<FormRoute> {
    let tree = site.tree();
    let mut ways = Vec::with_capacity(3 * forms.len());
    for form in forms.iter().filter(|form| form.kind == FormKind::Search) {
        let (FormScope::Around(first) | FormScope::Only(first)) = form.scope else { continue };
        let Some(subject) = form.subject else { continue };
        let path = std::iter::once(first).chain(tree.ancestors(first));
        ways.extend(path.take(3).zip(1u8..).map(|(page, clicks)| FormRoute { page, clicks, subject }));
    }
    ways.sort_unstable_by_key(|way| (way.page, way.clicks, way.subject != site.subject, way.subject));
    ways.dedup_by_key(|way| way.page);
    ways
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::populate::populate;
    use crate::spec::Spec;

    #[test]
    fn forms_stand_on_pages_that_exist() {
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
    fn ways_lead_to_the_nearest_form() {
        let site = populate(&Spec::demo(1)).into_iter().find(|site| site.deep).unwrap();
        for way in ways(&site, &plan(&site, BackEnds::Varied)) {
            assert!((1..=3).contains(&way.clicks));
            assert!(way.page < site.pages);
        }
    }
}
