//! Forms of sites: ground truth and responses.

use crate::common::{DEMO, TINY, click_depths, get, links, page, parsed_forms};
use hadal_core::address::Site;
use hadal_core::critic::FormKind;
use hadal_core::html;
use hadal_core::http::{Method, Request, Response};
use hadal_core::identity::{FormId, form_id};
use hadal_core::page::Form;
use hadal_core::time::Time;
use hadal_world::World;
use std::collections::BTreeSet;
use url::{Url, form_urlencoded};

#[test]
fn the_parser_finds_exactly_the_true_forms() {
    for topic in World::topics() {
        for home in TINY.seeds(topic) {
            let truth: BTreeSet<FormId> =
                TINY.truth().filter(|form| form.site == Site::of(&home).0).map(|form| form.form_id).collect();
            let mut found = BTreeSet::new();
            for url in click_depths(&TINY, &home).keys() {
                found.extend(parsed_forms(url, &page(&TINY, url)));
            }
            assert_eq!(found, truth, "{home}");
        }
    }
}

#[test]
fn true_forms_are_on_their_first_page() {
    let mut checked = 0;
    for form in DEMO.truth().step_by(23) {
        let Ok(response) = get(&DEMO, &form.page_url).result else { continue };
        if response.status == 200 {
            assert!(parsed_forms(&form.page_url, &response).contains(&form.form_id), "{form:?}");
            checked += 1;
        }
    }
    assert!(checked > 200);
}

/// Submits a form with a value in its first text field.
fn submit(world: &World, form: &Form, value: &str) -> Response {
    let field = form.fields.iter().find(|field| field.kind.is_textual()).expect("the form has one");
    let query = form_urlencoded::Serializer::new(String::new()).append_pair(&field.name, value).finish();
    let mut request = Request { method: form.method, ..Request::get(form.action.clone()) };
    match form.method {
        Method::Get => request.url.set_query(Some(&query)),
        Method::Post => request.body = query.into_bytes(),
    }
    world.respond(&request, Time(0)).result.expect("the host answers")
}

fn details(base: &Url, response: &Response) -> Vec<Url> {
    links(base, &response.body).into_iter().filter(|url| url.path().starts_with("/detail/")).collect()
}

#[test]
fn search_results_depend_on_the_query() {
    let mut answered = 0;
    for truth in World::topics().iter().flat_map(|topic| TINY.relevant(topic)) {
        let response = page(&TINY, &truth.page_url);
        let parsed = html::parse(&response.body, None, &truth.page_url);
        let form = parsed.forms.iter().find(|form| form_id(form, &truth.page_url) == truth.form_id).unwrap();
        if !form.fields.iter().any(|field| field.kind.is_textual()) {
            continue;
        }
        let everything = details(&form.action, &submit(&TINY, form, ""));
        assert!(!everything.is_empty(), "{truth:?}");
        assert!(details(&form.action, &submit(&TINY, form, "xyzzyplugh")).is_empty(), "{truth:?}");
        let record = String::from_utf8(page(&TINY, &everything[0]).body).unwrap();
        let title = record.split("title>").nth(1).unwrap();
        let word = title.split([',', ' ']).next().unwrap();
        let some = details(&form.action, &submit(&TINY, form, word));
        assert!(some.contains(&everything[0]), "{word} in {truth:?}");
        answered += 1;
    }
    assert!(answered > 20);
}

#[test]
fn other_forms_answer_submissions() {
    let login = TINY.truth().find(|form| form.kind == FormKind::Login).unwrap();
    let response = page(&TINY, &login.page_url);
    let parsed = html::parse(&response.body, None, &login.page_url);
    let form = parsed.forms.iter().find(|form| form_id(form, &login.page_url) == login.form_id).unwrap();
    assert_eq!(submit(&TINY, form, "someone").status, 200);
}
