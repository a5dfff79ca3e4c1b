//! The probe decides correctly, and often, for every behaviour.

use crate::common::get;
use hadal_core::critic::FormKind;
use hadal_core::critic::probe::{MAX_REQUESTS, Probe, ProbeAnswer, ProbeRefusal, ProbeResult};
use hadal_core::critic::veto::veto;
use hadal_core::html;
use hadal_core::http::{Method, Request};
use hadal_core::identity::form_id;
use hadal_core::page::{Form, Page};
use hadal_core::submission::{FilledForm, submission};
use hadal_core::time::Time;
use hadal_world::{BackEnds, Behaviour, Spec, TrueForm, World};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use url::Url;

static WORLDS: LazyLock<Vec<World>> = LazyLock::new(|| {
    let varied = |seed| Spec { sites: 300, back_ends: BackEnds::Varied, ..Spec::tiny(seed) };
    [11, 12, 13].into_iter().map(|seed| World::new(varied(seed))).collect()
});

/// All forms of a world as parsed, with the ground truth.
fn forms(world: &World) -> Vec<(TrueForm, Form)> {
    let mut found = Vec::new();
    for truth in world.truth() {
        let Ok(response) = get(world, &truth.page_url).result else { continue };
        let page = html::parse(&response.body, None, &truth.page_url);
        let form = page.forms.into_iter().find(|form| form_id(form, &truth.page_url) == truth.form_id);
        found.extend(form.map(|form| (truth, form)));
    }
    found
}

/// Response to a probe request.
struct ProbeResponse {
    status: u16,
    location: Option<Url>,
    page: Option<Page>,
}

fn send(world: &World, request: &Request, at: Time) -> ProbeResponse {
    let Ok(response) = world.respond(request, at).result else {
        return ProbeResponse { status: 0, location: None, page: None };
    };
    let location = response.headers.get("location").and_then(|to| request.url.join(to).ok());
    let content_type = response.headers.get("content-type");
    let page = location.is_none().then(|| html::parse(&response.body, content_type, &request.url));
    ProbeResponse { status: response.status, location, page }
}

/// Runs a probe to its end. Returns its finding and the statuses of the responses.
fn run(world: &World, probe: &mut Probe) -> (ProbeResult, Vec<u16>) {
    let mut statuses = Vec::new();
    while let Some(request) = probe.next_request() {
        let sent = send(world, &request, Time(2_000 * statuses.len() as u64));
        statuses.push(sent.status);
        probe.receive(ProbeAnswer {
            status: sent.status,
            location: sent.location.as_ref(),
            page: sent.page.as_ref(),
        });
    }
    assert!(statuses.len() <= MAX_REQUESTS);
    (probe.result().unwrap(), statuses)
}

/// Counts of findings about the forms of one behaviour.
#[derive(Debug, Default)]
struct FindingCounts {
    right: usize,
    wrong: usize,
    unclear: usize,
    requests: usize,
}

impl FindingCounts {
    fn add(&mut self, truth: &TrueForm, finding: ProbeResult, requests: usize) {
        self.requests += requests;
        match (finding, truth.kind == FormKind::Search) {
            (ProbeResult::Unclear, _) => self.unclear += 1,
            (ProbeResult::Searchable, true) | (ProbeResult::NotSearchable, false) => self.right += 1,
            _ => self.wrong += 1,
        }
    }

    fn asked(&self) -> usize {
        self.right + self.wrong + self.unclear
    }
}

#[test]
fn findings_are_right_for_every_behaviour() {
    let (mut known, mut strange): (BTreeMap<_, FindingCounts>, BTreeMap<_, FindingCounts>) =
        Default::default();
    for world in WORLDS.iter() {
        for (truth, form) in forms(world) {
            // Forms of other subjects are probed with a word that may be rare or missing there.
            let word = truth.topic.unwrap_or("book");
            let Ok(mut probe) = Probe::new(&form, word, truth.form_id.0) else { continue };
            let (finding, statuses) = run(world, &mut probe);
            if statuses.contains(&429) {
                assert_eq!(finding, ProbeResult::Unclear, "{truth:?}");
            }
            let is_known = truth.topic.is_some() || truth.kind != FormKind::Search;
            let tallies = if is_known { &mut known } else { &mut strange };
            tallies.entry(truth.behaviour).or_default().add(&truth, finding, statuses.len());
        }
    }
    println!("asked with a word of their topic {known:#?}\nasked with another word {strange:#?}");
    for (behaviour, tally) in known.iter().chain(&strange) {
        assert!(tally.wrong * 100 <= tally.right, "{behaviour:?} {tally:?}");
    }
    for behaviour in Behaviour::ALL {
        let tally = &known[&behaviour];
        let floor = match behaviour {
            Behaviour::Limited => 0,
            Behaviour::Redirect => 60,
            _ => 90,
        };
        assert!(tally.asked() >= 20, "{behaviour:?} {tally:?}");
        assert!(tally.right * 100 >= floor * tally.asked(), "{behaviour:?} {tally:?}");
    }
}

/// Title of the first result of the empty query, up to the comma.
fn some_record(world: &World, form: &Form) -> Option<String> {
    let page = send(world, &submission(form, &FilledForm::default(), "utf-8"), Time(0)).page?;
    let hit = page.links.iter().find(|link| link.url.path().starts_with("/detail/"))?;
    hit.context.anchor.split(',').next().map(str::to_string)
}

#[test]
fn a_redirect_to_the_only_hit_is_a_search() {
    let (mut asked, mut redirected) = (0, 0);
    for world in WORLDS.iter() {
        for (truth, form) in
            forms(world).into_iter().filter(|(truth, _)| truth.behaviour == Behaviour::OnlyHit)
        {
            let Some(name) = some_record(world, &form) else { continue };
            let Ok(mut probe) = Probe::new(&form, &name, 5) else { continue };
            let (finding, statuses) = run(world, &mut probe);
            if statuses[0] == 303 {
                assert_eq!(finding, ProbeResult::Searchable, "{truth:?}");
                redirected += 1;
            }
            assert_ne!(finding, ProbeResult::NotSearchable, "{truth:?}");
            asked += 1;
        }
    }
    assert!(asked > 50 && redirected > 20, "{redirected} of {asked}");
}

#[test]
fn vetoed_forms_are_not_probed_and_most_other_forms_are_vetoed() {
    // Number of vetoed and of all forms, for searches and for other kinds.
    let (mut searches, mut others) = ((0, 0), (0, 0));
    for (truth, form) in WORLDS.iter().flat_map(forms) {
        let vetoed = veto(&form);
        if let Some(veto) = vetoed {
            assert_eq!(Probe::new(&form, "word", 1), Err(ProbeRefusal::Veto(veto)), "{truth:?}");
        }
        let (part, whole) = match truth.kind {
            FormKind::Search => &mut searches,
            FormKind::Other => continue,
            _ => &mut others,
        };
        *part += usize::from(vetoed.is_some());
        *whole += 1;
    }
    println!("vetoed: {searches:?} of searches, {others:?} of others");
    assert!(others.1 > 1_000 && others.0 * 100 > others.1 * 95, "{others:?}");
    assert!(searches.1 > 1_000 && searches.0 * 100 < searches.1 * 3, "{searches:?}");
}

#[test]
fn post_forms_are_never_probed() {
    let posting = |(_, form): &(TrueForm, Form)| form.method == Method::Post;
    let refused: Vec<ProbeRefusal> = forms(&WORLDS[0])
        .iter()
        .filter(|form| posting(form))
        .map(|(_, form)| Probe::new(form, "word", 1).unwrap_err())
        .collect();
    let searches = refused.iter().filter(|why| **why == ProbeRefusal::Posts).count();
    assert!(searches > 20, "{refused:?}");
}
