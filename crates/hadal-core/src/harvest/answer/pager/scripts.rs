//! Pagers by script: a link runs a script that submits a form with another value in a hidden field.
//!
//! Two kinds are understood without running the script. A postback, `__doPostBack('target', 'argument')`, names the
//! values of two hidden fields. Any other call that holds the number of a page sets the field of the form that holds
//! the number of the current page.

use super::buttons::continues_query;
use super::labels::{PagerLabel, label_of};
use super::{NextPage, PagerKind};
use crate::critic::veto::veto;
use crate::harvest::query::Query;
use crate::page::{Field, FieldKind, Form, Page, ScriptedLink};
use crate::submission::{FilledForm, submission};

/// Hidden fields of a postback: the control that was used, and its argument.
const POSTBACK_FIELDS: [&str; 2] = ["__EVENTTARGET", "__EVENTARGUMENT"];
/// Highest number of a page. Guess; ids of records are larger.
const MAX_PAGE: u32 = 100_000;
/// Parts of the names of fields that hold the number of a page. Guess.
const PAGE_NAMES: [&str; 8] = ["page", "pg", "start", "offset", "index", "pos", "cur", "seite"];

/// Request of the scripted link that leads to the next page.
pub(super) fn next_script(page: &Page, query: &Query) -> Option<NextPage> {
    let links = &page.hints.scripted_links;
    if links.is_empty() {
        return None;
    }
    let forms = page.forms.iter().filter(|form| veto(form).is_none());
    let request = forms.into_iter().find_map(|form| {
        let values = postback_values(form, links)
            .or_else(|| page_field_value(form, links).filter(|_| continues_query(form, page, query)))?;
        Some(submission(form, &FilledForm { values, button: None }, page.charset))
    })?;
    Some(NextPage { request, kind: PagerKind::Button })
}

/// Values of the two fields of a postback to the next page.
fn postback_values(form: &Form, links: &[ScriptedLink]) -> Option<Vec<(usize, String)>> {
    let position = |name: &str| form.fields.iter().position(|field| field.name == name);
    let [target, argument] = POSTBACK_FIELDS.map(position);
    let (target, argument) = (target?, argument?);
    let calls: Vec<PagerCall<'_>> = links.iter().filter_map(postback).collect();
    let next = next_call(&calls, None)?;
    let [first, second] = next.arguments[..] else { return None };
    Some(vec![(target, first.to_string()), (argument, second.to_string())])
}

/// Value of the field that holds the number of the current page, for the next one.
fn page_field_value(form: &Form, links: &[ScriptedLink]) -> Option<Vec<(usize, String)>> {
    let is_page = |field: &Field| {
        let name = field.name.to_ascii_lowercase();
        field.kind == FieldKind::Hidden && PAGE_NAMES.iter().any(|part| name.contains(part))
    };
    let number = |field: &Field| if field.value.is_empty() { Some(1) } else { page_number(&field.value) };
    let (at, current) = form
        .fields
        .iter()
        .enumerate()
        .find_map(|(at, field)| Some((at, number(field).filter(|_| is_page(field))?)))?;
    let calls: Vec<PagerCall<'_>> = links.iter().filter_map(numbered_call).collect();
    let next = next_call(&calls, Some(current))?;
    Some(vec![(at, next.number?.to_string())])
}

/// A call that may turn the page.
struct PagerCall<'a> {
    label: &'a str,
    arguments: Vec<&'a str>,
    /// Number of the page it leads to, by its label or its arguments.
    number: Option<u32>,
}

fn postback(link: &ScriptedLink) -> Option<PagerCall<'_>> {
    let inside = link.call.split_once("__doPostBack(")?.1.split_once(')')?.0;
    let arguments: Vec<&str> = inside.split(',').map(unquoted).collect();
    let last = arguments.last()?.rsplit(|c: char| !c.is_ascii_digit()).next();
    let number = page_number(&link.label).or_else(|| page_number(last?));
    (arguments.len() == 2).then_some(PagerCall { label: &link.label, arguments, number })
}

/// A call with one number, as in `goPage(2)` and `f.pageNo.value=2; f.submit()`.
fn numbered_call(link: &ScriptedLink) -> Option<PagerCall<'_>> {
    let digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let numbers: Vec<&str> =
        link.call.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(digits).collect();
    let [number] = numbers[..] else { return None };
    Some(PagerCall { label: &link.label, arguments: Vec::new(), number: page_number(number) })
}

/// The call to the next page: the one labelled "next", or the one with the number after the current page's. Without
/// `current`, the current page is the one that the row of numbered labels leaves out.
fn next_call<'c, 'a>(calls: &'c [PagerCall<'a>], current: Option<u32>) -> Option<&'c PagerCall<'a>> {
    let is_next =
        |call: &&PagerCall<'_>| matches!(label_of(call.label), PagerLabel::Next | PagerLabel::Arrow);
    if let Some(next) = calls.iter().find(is_next) {
        return Some(next);
    }
    // A label without letters, such as an ellipsis, leads to the pages before or after those of the row.
    let is_page = |call: &&PagerCall<'_>| {
        page_number(call.label).is_some() || !call.label.contains(char::is_alphanumeric)
    };
    let labels: Vec<u32> = calls.iter().filter(is_page).filter_map(|call| call.number).collect();
    let left_out = || {
        let is_row = !labels.is_empty() && labels.windows(2).all(|pair| pair[0] < pair[1]);
        let gap = labels.windows(2).find(|pair| pair[1] == pair[0] + 2).map(|pair| pair[0] + 1);
        let at_start = labels.first().filter(|first| **first == 2).map(|_| 1);
        let at_end = labels.last().map(|last| last + 1);
        at_start.or(gap).or(at_end).filter(|_| is_row)
    };
    let next = current.or_else(left_out)? + 1;
    calls.iter().find(|call| call.number == Some(next))
}

fn unquoted(argument: &str) -> &str {
    argument.trim().trim_matches(['\'', '"']).trim_end_matches('\\').trim_start_matches(['\\', '\'', '"'])
}

fn page_number(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|number| (1..=MAX_PAGE).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn next(html: &str) -> Option<String> {
        let url = Url::parse("http://a.org/find").unwrap();
        let page = crate::html::parse(html.as_bytes(), None, &url);
        next_script(&page, &Query::words("sea")).map(|next| {
            let body = String::from_utf8(next.request.body).unwrap();
            format!("{}?{body}", next.request.url)
        })
    }

    fn grid(row: &str) -> String {
        format!(
            "<form method=post action=/find><input type=hidden name=__EVENTTARGET><input type=hidden
             name=__EVENTARGUMENT><input type=hidden name=__VIEWSTATE value=abc><input name=q value=sea>
             <table><tr><td>Sea</table>{row}</form>"
        )
    }

    fn link(label: &str, argument: &str) -> String {
        format!("<a href=\"javascript:__doPostBack('ctl00$Grid','{argument}')\">{label}</a> ")
    }

    #[test]
    fn a_postback_sets_its_target_and_argument() {
        let first = grid(&format!("<span>1</span> {}{}", link("2", "Page$2"), link("3", "Page$3")));
        let sent = |page| {
            format!(
                "http://a.org/find?__EVENTTARGET=ctl00%24Grid&__EVENTARGUMENT=Page%24{page}&__VIEWSTATE=abc&q=sea"
            )
        };
        assert_eq!(next(&first), Some(sent(2)));
        let second = grid(&format!("{}<span>2</span> {}", link("1", "Page$1"), link("3", "Page$3")));
        assert_eq!(next(&second), Some(sent(3)));
        let more = grid(&format!("{}{}", link("1", "Page$1"), link("...", "Page$3")));
        assert_eq!(next(&more), Some(sent(3)));
        let last = grid(&format!("{}{}", link("1", "Page$1"), link("2", "Page$2")));
        assert_eq!(next(&last), None);
        let row: String = (12..=20).map(|n| link(&n.to_string(), &format!("Page${n}"))).collect();
        let eleventh =
            grid(&format!("{}<span>11</span> {row}{}", link("...", "Page$10"), link("...", "Page$21")));
        assert_eq!(next(&eleventh), Some(sent(12)));
    }

    #[test]
    fn a_call_with_a_number_sets_the_field_of_the_page() {
        let page = |current: &str, links: &str| {
            format!(
                "<form method=post action=/find><input type=hidden name=q value=sea><input type=hidden name=pageIndex
                 value={current}></form>{links}"
            )
        };
        let links = "<a href='#' onclick='goPage(1); return false'>1</a> <a href='javascript:goPage(2)'>2</a>
            <a href='javascript:goPage(3)'>3</a>";
        assert_eq!(next(&page("1", links)), Some("http://a.org/find?q=sea&pageIndex=2".into()));
        assert_eq!(next(&page("2", links)), Some("http://a.org/find?q=sea&pageIndex=3".into()));
        assert_eq!(next(&page("3", links)), None);
    }

    #[test]
    fn other_scripts_are_no_pagers() {
        let menu = "<form action=/find><input type=hidden name=q value=sea></form><a href='javascript:show(2)'>2</a>";
        assert_eq!(next(menu), None);
        let sort = grid(&link("Title", "Sort$Title"));
        assert_eq!(next(&sort), None);
    }
}
