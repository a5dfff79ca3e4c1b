//! Databases of sites can be harvested completely, and the ground truth has the number of their records.

use crate::common::{get, links};
use hadal_core::critic::FormKind;
use hadal_core::html;
use hadal_core::http::{Request, Response};
use hadal_core::identity::form_id;
use hadal_core::page::{FieldKind, Form};
use hadal_core::submission::{FilledForm, submission};
use hadal_core::time::Time;
use hadal_world::{BackEnds, Behaviour, Spec, TrueForm, TrueRecord, World};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use url::Url;

static VARIED: LazyLock<World> =
    LazyLock::new(|| World::new(Spec { sites: 300, back_ends: BackEnds::Varied, ..Spec::tiny(21) }));

/// Keyword forms of a behaviour with at most 150 records, each with the index of its text box.
fn boxes(behaviour: Behaviour) -> Vec<(TrueForm, Form, usize)> {
    let searches = VARIED.truth().filter(|form| form.behaviour == behaviour && form.kind == FormKind::Search);
    let small = searches.filter(|form| (1..150).contains(&VARIED.records_behind(form)));
    let boxes = small.filter_map(|truth| {
        let response = get(&VARIED, &truth.page_url).result.ok()?;
        let page = html::parse(&response.body, None, &truth.page_url);
        let form = page.forms.into_iter().find(|form| form_id(form, &truth.page_url) == truth.form_id)?;
        let is_box = |kind: FieldKind| matches!(kind, FieldKind::Text | FieldKind::Search);
        let at = form.fields.iter().position(|field| is_box(field.kind))?;
        let has_lists = form.fields.iter().any(|field| matches!(field.kind, FieldKind::Select));
        (!has_lists).then_some((truth, form, at))
    });
    let boxes: Vec<_> = boxes.take(2).collect();
    assert!(!boxes.is_empty(), "{behaviour:?}");
    boxes
}

/// Sends a request, repeats it a minute later if refused, and follows redirects.
fn fetch(mut request: Request) -> (Url, Response) {
    for minute in 0..200 {
        let response = VARIED.respond(&request, Time(minute * 60_000)).result.unwrap();
        match response.status {
            429 => {}
            301..=303 => {
                request = Request::get(Url::parse(response.headers.get("location").unwrap()).unwrap())
            }
            _ => return (request.url, response),
        }
    }
    panic!("refused for hours");
}

/// Records of all result pages of a query.
fn answer(form: &Form, field: usize, word: &str) -> BTreeSet<TrueRecord> {
    let mut records = BTreeSet::new();
    let mut next = Some(submission(form, &FilledForm::of(field, word), "utf-8"));
    while let Some(request) = next.take() {
        let (url, response) = fetch(request);
        records.extend(VARIED.record_at(&url));
        let page = html::parse(&response.body, None, &url);
        if page.text.contains("Did you mean") {
            break;
        }
        records.extend(links(&url, &response.body).iter().filter_map(|link| VARIED.record_at(link)));
        let on = page.links.iter().find(|link| link.context.rel == "next");
        next = on.map(|link| Request::get(link.url.clone()));
    }
    records
}

/// Words on the detail page of a record.
fn words_of(record: &TrueRecord, form: &Form) -> Vec<String> {
    let url = form.action.join(&format!("/detail/{}/{}", record.database, record.record)).unwrap();
    let page = html::parse(&fetch(Request::get(url.clone())).1.body, None, &url);
    let about = page.text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    about.filter(|word| word.len() > 1).take(400).map(str::to_lowercase).collect()
}

#[test]
fn every_behaviour_can_be_harvested_completely() {
    for behaviour in Behaviour::ALL.into_iter().filter(|behaviour| *behaviour != Behaviour::SamePage) {
        for (truth, form, field) in boxes(behaviour) {
            let (database, records) = VARIED.database_behind(&truth).unwrap();
            let subject = truth.topic.unwrap_or("news");
            let mut waiting: Vec<String> =
                vec![subject.to_string(), "velmora".to_string(), "tarsk".to_string()];
            let (mut asked, mut found) = (BTreeSet::new(), BTreeSet::new());
            while let Some(word) = waiting.pop().filter(|_| found.len() < records as usize) {
                if !asked.insert(word.clone()) {
                    continue;
                }
                for record in answer(&form, field, &word) {
                    if found.insert(record) {
                        waiting.extend(words_of(&record, &form));
                    }
                }
            }
            assert!(found.iter().all(|record| record.database == database), "{truth:?}");
            assert_eq!(found.len(), records as usize, "{truth:?}");
        }
    }
}

#[test]
fn other_forms_have_no_records() {
    let others = VARIED.truth().filter(|form| form.kind != FormKind::Search).take(50);
    assert!(others.into_iter().all(|form| VARIED.records_behind(&form) == 0));
    let home = VARIED.truth().next().unwrap().page_url;
    assert_eq!(VARIED.record_at(&home), None);
    assert_eq!(VARIED.record_at(&Url::parse("http://nobody.example/detail/1/1").unwrap()), None);
}
