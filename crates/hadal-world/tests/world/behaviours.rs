//! Behaviours of search forms agree with the ground truth.

use crate::common::{TINY, get};
use hadal_core::critic::FormKind;
use hadal_core::html;
use hadal_core::http::{Request, Response};
use hadal_core::identity::form_id;
use hadal_core::page::{FieldKind, Form};
use hadal_core::submission::{FilledForm, submission};
use hadal_core::time::Time;
use hadal_world::{BackEnds, Behaviour, Spec, TrueForm, World};
use std::sync::LazyLock;
use url::Url;

static VARIED: LazyLock<World> =
    LazyLock::new(|| World::new(Spec { sites: 300, back_ends: BackEnds::Varied, ..Spec::tiny(21) }));

/// Forms of a behaviour that look like searches, each with the index of a text field.
fn forms(behaviour: Behaviour) -> Vec<(TrueForm, Form, usize)> {
    let mut found = Vec::new();
    for truth in VARIED.truth().filter(|form| form.behaviour == behaviour) {
        let Ok(response) = get(&VARIED, &truth.page_url).result else { continue };
        let page = html::parse(&response.body, None, &truth.page_url);
        let form =
            page.forms.into_iter().find(|form| form_id(form, &truth.page_url) == truth.form_id).unwrap();
        let is_plain =
            !matches!(truth.kind, FormKind::Search | FormKind::Other) || form.action.path().contains("poll");
        let text = form.fields.iter().position(|f| matches!(f.kind, FieldKind::Text | FieldKind::Search));
        if let Some(field) = text.filter(|_| !is_plain) {
            found.push((truth, form, field));
        }
    }
    assert!(found.len() >= 5, "{behaviour:?}: {}", found.len());
    found
}

fn submit(form: &Form, field: usize, word: &str, at: Time) -> Response {
    let request = submission(form, &FilledForm::of(field, word), "utf-8");
    VARIED.respond(&request, at).result.expect("calm hosts answer")
}

fn text(response: &Response) -> String {
    String::from_utf8(response.body.clone()).unwrap()
}

#[test]
fn calm_worlds_have_plain_searches_only() {
    let is_plain = |form: &TrueForm| match form.kind {
        FormKind::Search => form.behaviour == Behaviour::Plain,
        _ => form.behaviour == Behaviour::SamePage,
    };
    assert!(TINY.truth().all(|form| is_plain(&form)));
}

#[test]
fn only_echo_repeats_the_query() {
    for (behaviour, repeats) in [(Behaviour::Echo, true), (Behaviour::Plain, false)] {
        for (truth, form, field) in forms(behaviour) {
            let answer = submit(&form, field, "zuvoqix <b>", Time(0));
            assert_eq!(text(&answer).contains("zuvoqix &lt;b&gt;"), repeats, "{truth:?}");
        }
    }
}

#[test]
fn redirects_lead_to_the_results() {
    for (truth, form, field) in forms(Behaviour::Redirect) {
        let redirect = submit(&form, field, "", Time(0));
        let location = Url::parse(redirect.headers.get("location").unwrap()).unwrap();
        let results = get(&VARIED, &location).result.unwrap();
        assert_eq!((redirect.status, results.status), (303, 200), "{truth:?}");
        assert!(text(&results).contains("/detail/"), "{truth:?}");
    }
}

#[test]
fn suggest_shows_records_if_nothing_matches() {
    for (truth, form, field) in forms(Behaviour::Suggest) {
        let answer = text(&submit(&form, field, "zuvoqix", Time(0)));
        assert!(answer.contains("Did you mean") && answer.contains("/detail/"), "{truth:?}");
    }
}

#[test]
fn rejects_empty_shows_no_records() {
    for (truth, form, field) in forms(Behaviour::RejectsEmpty) {
        let answer = submit(&form, field, "", Time(0));
        assert!(matches!(answer.status, 200 | 400) && !text(&answer).contains("/detail/"), "{truth:?}");
    }
}

#[test]
fn limited_refuses_some_requests_for_a_minute() {
    for (truth, form, field) in forms(Behaviour::Limited) {
        let minutes: Vec<Response> = (0..30).map(|n| submit(&form, field, "a", Time(60_000 * n))).collect();
        let refused: Vec<&Response> = minutes.iter().filter(|answer| answer.status == 429).collect();
        assert!((5..30).contains(&refused.len()), "{truth:?}");
        assert!(refused.iter().all(|answer| answer.headers.get("retry-after") == Some("60")));
        assert_eq!(submit(&form, field, "a", Time(0)), minutes[0]);
    }
}

#[test]
fn same_page_forms_never_show_records() {
    for (truth, form, field) in forms(Behaviour::SamePage) {
        assert_eq!((truth.kind, truth.topic, truth.database), (FormKind::Other, None, None));
        let words = ["", "book", "zuvoqix"].map(|word| submit(&form, field, word, Time(0)));
        assert!(words.iter().all(|answer| answer.status == 200 && !text(answer).contains("/detail/")));
    }
}

#[test]
fn invented_result_urls_show_no_records() {
    let home = VARIED.truth().next().unwrap().page_url;
    for path in ["/found/", "/found/x", "/found/999", "/found/0/zz", "/found/0/c328"] {
        let answer = VARIED.respond(&Request::get(home.join(path).unwrap()), Time(0)).result.unwrap();
        assert!(!text(&answer).contains("/detail/"), "{path}");
    }
}
