//! A store in which all page content is a script.

use super::fixture::{harvest_spec, memory};
use super::store_fixture::*;
use hadal::store::*;
use hadal_core::harvest::record::{Record, RecordId};
use hadal_core::identity::FormId;
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use std::sync::Arc;

/// Markup that would change the window if it were interpreted.
pub const SCRIPT: &str = "</script><script>window.__pwned=1;alert(1)</script><img src=x onerror=window.__pwned=1>\"'><svg onload=window.__pwned=1>";

/// One run with one page and one form, and one harvest of that form.
pub fn poisoned() -> Arc<dyn Store> {
    let store = memory();
    let run = store.begin(&RunSpec { topic: SCRIPT.into(), source: SCRIPT.into(), ..spec("x") }).unwrap();
    let address = format!("http://a.org/?q={SCRIPT}");
    let mut waiting = queued_link(&address, 0, 0.5, 0);
    waiting.link.context.anchor = SCRIPT.into();
    let field = FieldRow { name: SCRIPT.into(), kind: "text".into(), label: SCRIPT.into(), options: 0 };
    let row = FormRow {
        topic: SCRIPT.into(),
        site: site(SCRIPT),
        action: url("javascript:window.__pwned=1"),
        fields: vec![field],
        evidence: vec![SCRIPT.into()],
        ..form(1, &address, 0.9, 0.8)
    };
    let page = PageRow { title: SCRIPT.into(), ..page(&waiting) };
    let counters = SiteCounters { pages: 1, ..SiteCounters::default() };
    let outcome = Outcome { forms: vec![new_form(row)], page: Some(page), ..visit(0, &waiting, counters) };
    run_step(store.as_ref(), run, &waiting, outcome);
    poison_a_harvest(store.as_ref());
    store
}

fn poison_a_harvest(store: &dyn Store) {
    let spec = HarvestSpec { topic: SCRIPT.into(), policy: SCRIPT.into(), ..harvest_spec() };
    let harvest = store.begin_harvest(&spec, Time(0)).unwrap();
    let record = Record {
        id: RecordId(1),
        url: Some(url("javascript:window.__pwned=1")),
        title: SCRIPT.into(),
        text: format!("text of {SCRIPT}"),
        fields: vec![(SCRIPT.to_string(), SCRIPT.to_string())],
    };
    let row = RecordRow {
        harvest,
        form: FormId(1),
        topic: String::new(),
        record,
        query_number: 1,
        words: SCRIPT.into(),
        position: 1,
        fetched_at: Time(0),
        detail: None,
        dates: RecordDates::default(),
    };
    let step = HarvestStep { seq: 0, requests: 1, records: vec![row], ..HarvestStep::default() };
    store.commit_harvest(harvest, &step.into()).unwrap();
}
