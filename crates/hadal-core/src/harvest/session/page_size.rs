//! Largest page size that a form or its result pages offer.
//!
//! Search software often lets its users choose the number of records per page. A larger page costs one request, as a
//! small one does.
//!
//! 1. A select or radio buttons of the form itself: [`choose_largest`] selects the greatest number before the first
//!    query.
//! 2. Links, selects and further forms of a result page name a parameter and its values ([`PageSizeParameter::of`]).
//!    The server may ignore the parameter, so [`PageSizeTrial`] tries it once, on the first answer with a further page:
//!    in place of that page it requests the answer from its start with the larger size. If this shows the records of
//!    the first page and more, all later queries carry the parameter. Otherwise the further page is requested. The
//!    trial costs no request if it succeeds, and one if it fails.

use super::reading::AnswerReading;
use crate::address::Site;
use crate::critic::phrase_set::{PhraseSet, normalise};
use crate::harvest::answer::{NextPage, PagerKind};
use crate::http::{Method, Request};
use crate::page::{Field, FieldKind, Form, Page};
use crate::url_query::{query_pairs, with_pair, without_names};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;
use url::Url;

/// Greatest page size that is chosen, if smaller ones are offered too. Guess; limits the load of one request.
const GREATEST_CHOSEN: u32 = 500;
/// Numbers that may be page sizes. Guess; smaller ones are page numbers or ratings, greater ones years or prices.
const SIZES: std::ops::RangeInclusive<u32> = 5..=1_000;
/// Value that stands for the greatest size that the server permits.
const GREATEST: &str = "max";
/// Least factor by which a tried page has to be longer than the first one, unless it ends the answer. Guess.
const LEAST_GROWTH: f64 = 1.5;

/// Words in the names and labels of controls for the page size.
#[rustfmt::skip]
static NAMES: LazyLock<PhraseSet> = LazyLock::new(|| PhraseSet::new(&[
    "per page", "perpage", "page size", "pagesize", "page limit", "linksperpage", "resultsperpage", "hitsperpage",
    "itemsperpage", "matchesperpage", "recordsperpage", "rowsperpage", "postsperpage", "results per page", "limit", "rows",
    "num", "nb", "rpp", "ipp", "npp", "numresults", "num results", "maxresults", "max results", "maxhits", "maxrecords",
    "max records", "hits", "count", "size", "length", "show", "display", "n", "pro seite", "anzahl", "treffer", "par page",
    "nombre", "por página", "cantidad", "per pagina", "aantal", "на странице", "na stronie", "件表示", "表示件数", "每页", "페이지당",
]));

/// A parameter of the form's requests that sets the number of records per page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageSizeParameter {
    name: String,
    value: String,
}

/// Selects the greatest page size that a select or the radio buttons of a form offer.
pub fn choose_largest(form: &mut Form) {
    for at in 0..form.fields.len() {
        let Some(largest) = largest_size(&sizes_of(form, at)) else { continue };
        let name = form.fields[at].name.clone();
        match form.fields[at].kind {
            FieldKind::Select => {
                for option in &mut form.fields[at].options {
                    option.selected = option.value == largest;
                }
            }
            _ => {
                let buttons = form.fields.iter_mut().filter(|field| is_radio(field, &name));
                buttons.for_each(|field| field.checked = field.value == largest);
            }
        }
    }
}

fn is_radio(field: &Field, name: &str) -> bool {
    field.kind == FieldKind::Radio && field.name == name
}

/// Values of the page sizes that a control offers; empty if the control is for something else.
fn sizes_of(form: &Form, at: usize) -> Vec<String> {
    let field = &form.fields[at];
    let is_first = !form.fields[..at].iter().any(|earlier| is_radio(earlier, &field.name));
    let values: Vec<&str> = match field.kind {
        FieldKind::Select if !field.multiple => {
            field.options.iter().map(|option| option.value.trim()).collect()
        }
        FieldKind::Radio if is_first => form
            .fields
            .iter()
            .filter(|other| is_radio(other, &field.name))
            .map(|radio| radio.value.trim())
            .collect(),
        _ => return Vec::new(),
    };
    let is_named = NAMES.found_in(&normalise(&format!("{} {}", field.name, field.label)));
    let numbers = values.iter().filter(|value| is_size(value)).count();
    // One further option may be "all" or a hint.
    let are_sizes = numbers >= 2 && numbers + 1 >= values.len();
    if field.disabled || field.name.is_empty() || !is_named || !are_sizes {
        return Vec::new();
    }
    values.into_iter().map(String::from).collect()
}

/// True for a number that is usual as a page size: a multiple of 5, 6 or 8.
fn is_size(value: &str) -> bool {
    let number = value.parse().ok().filter(|number| SIZES.contains(number));
    number.is_some_and(|number: u32| [5, 6, 8].iter().any(|unit| number.is_multiple_of(*unit)))
}

/// The greatest size up to [`GREATEST_CHOSEN`], or else the least one.
fn largest_size(values: &[String]) -> Option<String> {
    let mut sizes: Vec<u32> =
        values.iter().filter(|value| is_size(value)).filter_map(|value| value.parse().ok()).collect();
    sizes.sort_unstable();
    let moderate = sizes.iter().rfind(|size| **size <= GREATEST_CHOSEN);
    moderate.or(sizes.first()).map(u32::to_string)
}

impl PageSizeParameter {
    /// The largest page size above `shown` records that a result page names for the list at `request`.
    fn of(page: &Page, request: &Url, shown: usize) -> Option<PageSizeParameter> {
        let is_same_list = |url: &Url| {
            Site::of(url) == Site::of(request)
                && url.port() == request.port()
                && path_of_list(url) == path_of_list(request)
        };
        let targets = page.links.iter().map(|link| link.url.clone()).chain(select_targets(page));
        let mut offered: Vec<(String, String)> = Vec::new();
        for target in targets.filter(|target| is_same_list(target)) {
            offered.extend(query_pairs(&target).filter(|(_, value)| is_size(value) || value == GREATEST));
        }
        let forms = page.forms.iter().filter(|form| form.method == Method::Get && is_same_list(&form.action));
        for form in forms {
            let hidden = form.fields.iter().filter(|field| field.kind == FieldKind::Hidden);
            let greatest = hidden.filter(|field| field.value == GREATEST);
            offered.extend(greatest.map(|field| (field.name.clone(), field.value.clone())));
            for at in 0..form.fields.len() {
                let name = &form.fields[at].name;
                offered.extend(sizes_of(form, at).into_iter().map(|size| (name.clone(), size)));
            }
        }
        offered.retain(|(name, _)| NAMES.found_in(&normalise(name)));
        offered.iter().find_map(|(name, _)| {
            let sizes = offered.iter().filter(|(other, _)| other == name).map(|(_, size)| size.clone());
            let sizes: Vec<String> = sizes.collect();
            let value = largest_size(&sizes).or_else(|| sizes.into_iter().find(|size| size == GREATEST))?;
            let is_larger = value.parse::<usize>().map_or(true, |size| size > shown);
            is_larger.then(|| PageSizeParameter { name: name.clone(), value })
        })
    }

    /// Sets the parameter in the URL of a request by GET.
    pub fn apply(&self, request: &mut Request) {
        if request.method != Method::Get {
            return;
        }
        let others = without_names(request.url.query().unwrap_or_default(), |name| name == self.name);
        request.url.set_query(Some(&with_pair(&others, &self.name, &self.value)));
    }
}

/// Path of a URL without the ending of its last segment, such as `.csv`.
fn path_of_list(url: &Url) -> &str {
    let path = url.path();
    let last = path.rfind('/').map_or(0, |at| at + 1);
    path[last..].rfind('.').map_or(path, |dot| &path[..last + dot])
}

/// Targets of the options of selects that lead to other pages.
fn select_targets(page: &Page) -> impl Iterator<Item = Url> + '_ {
    let fields = page.forms.iter().flat_map(|form| &form.fields);
    let options = fields.filter(|field| field.kind == FieldKind::Select).flat_map(|field| &field.options);
    options.filter(|option| option.value.contains('?')).filter_map(|option| page.url.join(&option.value).ok())
}

/// Trial of a larger page size on the first answer that has a further page.
#[derive(Default)]
pub struct PageSizeTrial {
    /// Larger size that the last first page of an answer offers.
    offered: Option<PageSizeParameter>,
    running: Option<RunningTrial>,
    is_over: bool,
}

/// The request that was sent with a larger page size.
struct RunningTrial {
    parameter: PageSizeParameter,
    /// Next page by the site's own pager.
    fallback: NextPage,
    /// Records on the first page.
    shown: usize,
}

impl PageSizeTrial {
    /// Looks for a larger page size on the first page of an answer.
    pub fn look_at(&mut self, page: &Page, reading: &AnswerReading, shown: usize) {
        let is_possible = !self.is_over && reading.pages == 0 && reading.query.link.is_none();
        let request = Some(reading.next.request()).filter(|request| request.method == Method::Get);
        self.offered = request
            .filter(|_| is_possible && shown > 0)
            .and_then(|request| PageSizeParameter::of(page, &request.url, shown));
    }

    /// Starts the trial in place of the next page, if a larger size is offered. Returns the request to send.
    pub fn start(&mut self, first: &Request, next: &NextPage, shown: usize) -> Option<NextPage> {
        let parameter = self.offered.take()?;
        self.is_over = true;
        let mut request = first.clone();
        parameter.apply(&mut request);
        self.running = Some(RunningTrial { parameter, fallback: next.clone(), shown });
        Some(NextPage { request, kind: PagerKind::Parameter })
    }

    /// Ends a running trial whose page could not be read. Returns the page to read instead.
    pub fn fail(&mut self) -> Option<NextPage> {
        self.running.take().map(|trial| trial.fallback)
    }

    /// Ends a running trial with a page of `shown` records, `repeated` of them from the first page. `has_next` is true
    /// if a page follows. Returns the parameter, or the page to read instead if the size did not change; `None` without
    /// a running trial.
    pub fn finish(
        &mut self,
        shown: usize,
        repeated: usize,
        has_next: bool,
    ) -> Option<Result<PageSizeParameter, NextPage>> {
        let trial = self.running.take()?;
        let is_longer = shown as f64 >= LEAST_GROWTH * trial.shown as f64 || !has_next && shown > trial.shown;
        // A record or two may have moved meanwhile.
        let is_same_list = repeated + 2 >= trial.shown && 2 * repeated >= trial.shown;
        Some(if is_longer && is_same_list { Ok(trial.parameter) } else { Err(trial.fallback) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse;

    fn page(html: &str) -> Page {
        parse(html.as_bytes(), None, &Url::parse("http://a.org/find?q=sea").unwrap())
    }

    fn chosen(html: &str) -> String {
        let mut form = page(html).forms.remove(0);
        choose_largest(&mut form);
        crate::submission::submission(&form, &Default::default(), "utf-8")
            .url
            .query()
            .unwrap_or("")
            .to_string()
    }

    #[test]
    fn the_largest_page_of_a_select_or_of_radio_buttons_is_chosen() {
        let select =
            "<form><select name=per_page><option>10<option selected>20<option>100<option>all</select></form>";
        assert_eq!(chosen(select), "per_page=100");
        let radio = "<form><label>Hits per page</label><input type=radio name=hits value=10 checked>
            <input type=radio name=hits value=50></form>";
        assert_eq!(chosen(radio), "hits=50");
        let long = "<form><select name=limit><option>50<option>500<option>1000</select></form>";
        assert_eq!(chosen(long), "limit=500");
    }

    #[test]
    fn selects_for_other_things_keep_their_values() {
        for html in [
            "<form><select name=price><option>10<option>20<option>100</select></form>",
            "<form><select name=num><option>1<option>2<option>3</select></form>",
            "<form><select name=show><option>10<option>new<option>old</select></form>",
            "<form><select name=count><option>10<option>2019</select></form>",
        ] {
            let first = page(html).forms[0].fields[0].options[0].value.clone();
            assert!(chosen(html).ends_with(&format!("={first}")), "{html}");
        }
    }

    #[test]
    fn a_result_page_names_larger_pages_by_links_selects_and_forms() {
        let offered = |html: &str| {
            let page = page(html);
            let mut request = Request::get(page.url.clone());
            PageSizeParameter::of(&page, &page.url, 10)?.apply(&mut request);
            request.url.query().map(String::from)
        };
        let query = |size: &str| Some(format!("q=sea&{size}"));
        assert_eq!(
            offered("<a href='?q=sea&rows=25'>25</a><a href='?q=sea&rows=100'>100</a>"),
            query("rows=100")
        );
        assert_eq!(
            offered(
                "<form><select><option value='/find?limit=10'>10<option value='/find?limit=50'>50</select></form>"
            ),
            query("limit=50")
        );
        assert_eq!(
            offered("<form action=/find><select name=num><option>10<option>25</select></form>"),
            query("num=25")
        );
        assert_eq!(
            offered("<form action=/find.csv><input type=hidden name=_size value=max></form>"),
            query("_size=max")
        );
        assert_eq!(offered("<a href='?q=sea&limit=10&page=2'>2</a>"), None, "the size of this page");
        assert_eq!(offered("<a href='/other?rows=100'>100</a>"), None, "another list");
        assert_eq!(offered("<a href='?q=sea&page=20'>20</a>"), None, "a page number");
    }
}
