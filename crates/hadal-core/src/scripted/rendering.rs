//! Pages that are worth a browser.

use crate::critic::MIN_ACCEPTED_P;
use crate::critic::probe::query_field;
use crate::html::page_scripts;
use crate::http::Method;
use crate::page::{Field, FieldKind, Form, FormSource, Page};
use crate::scripted::trackers::is_tracker;
use crate::submission::is_learned;

/// Bytes of text below which a page with scripts counts as empty. Guess: a title and a notice to enable scripts.
const MAX_EMPTY_TEXT: usize = 400;
/// Links below which a page with scripts counts as empty. Guess.
const MAX_EMPTY_LINKS: usize = 4;

/// Options of a choice that adds fields. Guess: two are a switch.
const MIN_OPTIONS: usize = 3;

/// Requests of a rendered page beside its scripts: a test query, its repetition and a second query.
const TEST_REQUESTS: u64 = 3;
/// Parts of inline code that may read a search box.
const SEARCH_CODE: [&str; 7] = ["submit", "keyup", "keydown", "keypress", "input", "search", "location"];

/// Reason to render a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderReason {
    /// The page has scripts and hardly any text, links or forms.
    EmptyPage,
    /// A search box outside any form, or in a form that a browser cannot send without a script.
    ScriptedBox,
    /// A form without a field for words, to which scripts add fields.
    ScriptedFields,
}

/// A page that is worth a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderNeed {
    /// Reason to render it.
    pub reason: RenderReason,
    /// Requests that it will probably take: its scripts and a test query.
    pub requests: u64,
}

/// Need to render a page; `None` if the static page shows what it has, or has no code that could show more. `body` is
/// the HTML of the page, and `p_searchable` judges a form.
pub fn render_need(page: &Page, body: &[u8], p_searchable: impl Fn(&Form) -> f32) -> Option<RenderNeed> {
    let reason = render_reason(page, p_searchable)?;
    let scripts = page_scripts(body, &page.url);
    let files = scripts.files.iter().filter(|file| !is_tracker(file)).count() as u64;
    let can_search = files > 0
        || scripts.has_handlers
        || SEARCH_CODE.iter().any(|part| scripts.inline.contains(part))
        || reason == RenderReason::EmptyPage && !scripts.inline.is_empty();
    can_search.then_some(RenderNeed { reason, requests: files + TEST_REQUESTS })
}

fn render_reason(page: &Page, p_searchable: impl Fn(&Form) -> f32) -> Option<RenderReason> {
    // An endpoint costs no browser.
    if page.hints.endpoints.iter().any(|endpoint| endpoint.names_action) {
        return None;
    }
    let is_worth = |form: &Form| is_scripted(form) && p_searchable(form) >= MIN_ACCEPTED_P;
    if page.forms.iter().any(is_worth) {
        return Some(RenderReason::ScriptedBox);
    }
    if page.forms.iter().any(gains_fields) {
        return Some(RenderReason::ScriptedFields);
    }
    let is_empty =
        page.text.len() <= MAX_EMPTY_TEXT && page.links.len() <= MAX_EMPTY_LINKS && page.forms.is_empty();
    is_empty.then_some(RenderReason::EmptyPage)
}

/// True for a GET form without a box, but with a choice that is not sent: a script adds a field for each chosen option.
pub fn gains_fields(form: &Form) -> bool {
    let is_enabled = |field: &&Field| !field.disabled;
    let has_box = form.fields.iter().filter(is_enabled).any(|field| field.kind.is_textual());
    let adds = |field: &Field| {
        field.kind == FieldKind::Select && field.name.is_empty() && field.options.len() >= MIN_OPTIONS
    };
    form.source == FormSource::Form
        && form.method == Method::Get
        && !has_box
        && form.fields.iter().filter(is_enabled).any(adds)
}

/// True for a group of controls without a form, and for a form with nameless boxes or a script as action.
pub fn is_scripted(form: &Form) -> bool {
    let is_box = |kind: FieldKind| matches!(kind, FieldKind::Text | FieldKind::Search);
    let has_box = form.fields.iter().any(|field| is_box(field.kind) && !field.disabled);
    let is_loose = form.source == FormSource::Script && !is_learned(form);
    let is_sent = query_field(form).is_some() && matches!(form.action.scheme(), "http" | "https");
    has_box && (is_loose || form.source == FormSource::Form && !is_sent)
}

/// Visited pages per request of a rendered page. Guess: rendering that finds nothing costs a hundredth of a crawl.
const PAGES_PER_REQUEST: u64 = 100;
/// Further requests that each relevant form of a rendered page earns. Guess: a rendered page with its test query takes
/// about three, and most of them bring nothing.
const REQUESTS_PER_FORM: u64 = 30;

/// Requests that the rendered pages of a crawl may still send after `requests` ones. All of them together are at most
/// `visited / PAGES_PER_REQUEST + REQUESTS_PER_FORM * relevant`, for `visited` pages and `relevant` forms that only
/// rendered pages showed.
pub fn render_allowance(visited: u64, requests: u64, relevant: u64) -> u64 {
    let all = visited / PAGES_PER_REQUEST + REQUESTS_PER_FORM * relevant;
    all.saturating_sub(requests)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;
    use url::Url;

    fn need(html: &str) -> Option<RenderNeed> {
        let page = parse(html.as_bytes(), None, &Url::parse("http://a.org/").unwrap());
        render_need(&page, html.as_bytes(), |_| 0.9)
    }

    fn reason(html: &str) -> Option<RenderReason> {
        need(html).map(|need| need.reason)
    }

    #[test]
    fn pages_of_scripts_and_boxes_without_a_form_are_rendered() {
        let shell = "<title>Boats</title><div id=app></div><script src=/app.js></script>";
        assert_eq!(reason(shell), Some(RenderReason::EmptyPage));
        let typing = "<input type=search onkeyup=find()><button>Search</button>";
        assert_eq!(reason(typing), Some(RenderReason::ScriptedBox));
        let nameless = "<form action=/s><input placeholder=Search></form><script>on('submit')</script>";
        assert_eq!(reason(nameless), Some(RenderReason::ScriptedBox));
        let filters = |name: &str| {
            format!(
                "<form action=/bugs><select {name}><option>Add<option>Title<option>Owner</select><button>Apply</button></form><script src=/f.js></script>"
            )
        };
        assert_eq!(reason(&filters("id=add")), Some(RenderReason::ScriptedFields));
        assert_eq!(reason(&filters("name=column")), None);
    }

    #[test]
    fn pages_that_show_what_they_have_are_not_rendered() {
        assert_eq!(reason("<form action=/s><input name=q></form><script>1</script>"), None);
        assert_eq!(reason("<title>Boats</title><p>Closed for the winter."), None);
        assert_eq!(reason("<input type=search><script src=/searchindex.js></script>"), None);
        let text = "<p>All about boats and sails. ".repeat(40);
        assert_eq!(reason(&format!("{text}<script>1</script>")), None);
    }

    #[test]
    fn a_box_without_code_that_could_read_it_is_not_rendered() {
        let with = |code: &str| reason(&format!("<input type=search><button>Search</button>{code}"));
        assert_eq!(with(""), None);
        assert_eq!(with("<script>count(1)</script>"), None);
        assert_eq!(with("<script src=https://www.google-analytics.com/analytics.js></script>"), None);
        assert_eq!(with("<script src=/app.js></script>"), Some(RenderReason::ScriptedBox));
    }

    #[test]
    fn a_page_takes_a_request_per_script_and_three_for_a_test_query() {
        let files = "<script src=/a.js></script><script src=/b.js></script><script src=/b.js></script>";
        assert_eq!(need(files).map(|need| need.requests), Some(5));
    }

    #[test]
    fn rendering_ends_where_it_brings_nothing_and_goes_on_where_it_pays() {
        assert_eq!(render_allowance(1_000, 8, 0), 2, "a hundredth of the pages");
        assert_eq!(render_allowance(1_000, 90, 0), 0);
        assert_eq!(render_allowance(100, 40, 2), 21);
    }
}
