//! Parameters of a request, and the query that they express.

use super::page::DatabasePage;
use super::style::{CURSOR, LETTER, SiteStyle};
use crate::database::Database;
use crate::database::collection::column::number_in;
use crate::database::config::{ControlKind, FilterControl};
use crate::database::layout::PageSizes;
use crate::database::query::{Filter, SearchQuery};
use hadal_core::http::{Method, Request};
use url::form_urlencoded;

/// Maximum number of parameters that are read. Guess.
const MAX_PARAMETERS: usize = 200;

/// Page sizes that users may choose beside the usual one. Guess.
const PAGE_SIZES: [u32; 4] = [10, 25, 50, 100];

/// Largest page number that is accepted. Guess.
const LAST_PAGE: u32 = 100_000;

/// Names and values in the order of the request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Parameters of the URL, then of the body of a POST. A cursor is replaced by the parameters that it encodes.
    pub(super) fn of(request: &Request) -> Parameters {
        let in_url = request.url.query().unwrap_or_default().as_bytes();
        let in_body: &[u8] = if request.method == Method::Post { &request.body } else { b"" };
        let both = form_urlencoded::parse(in_url).chain(form_urlencoded::parse(in_body));
        let all = Parameters(
            both.map(|(name, value)| (name.into_owned(), value.into_owned())).take(MAX_PARAMETERS).collect(),
        );
        all.get(CURSOR).and_then(from_cursor).unwrap_or(all)
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Copy without some parameters and without empty ones, with one parameter set.
    pub(super) fn with(&self, without: &[&str], name: &str, value: &str) -> Parameters {
        let kept = self
            .0
            .iter()
            .filter(|(key, value)| !without.contains(&key.as_str()) && key != name && !value.is_empty());
        let mut kept: Vec<(String, String)> = kept.cloned().collect();
        if !value.is_empty() {
            kept.push((name.to_string(), value.to_string()));
        }
        Parameters(kept)
    }

    pub(super) fn encoded(&self) -> String {
        form_urlencoded::Serializer::new(String::new()).extend_pairs(self.iter()).finish()
    }

    /// All parameters encoded as an opaque cursor.
    pub(super) fn as_cursor(&self) -> String {
        self.encoded().bytes().rev().map(|byte| format!("{:02x}", byte ^ CURSOR_MASK)).collect()
    }
}

/// Mask of the bytes of a cursor.
const CURSOR_MASK: u8 = 0x5a;

/// Inverse of [`Parameters::as_cursor`].
fn from_cursor(cursor: &str) -> Option<Parameters> {
    let pairs = (0..cursor.len()).step_by(2).map(|at| cursor.get(at..at + 2));
    let bytes: Option<Vec<u8>> = pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect();
    let bytes: Vec<u8> = bytes?.into_iter().rev().map(|byte| byte ^ CURSOR_MASK).collect();
    let parse = form_urlencoded::parse(&bytes);
    Some(Parameters(
        parse.map(|(name, value)| (name.into_owned(), value.into_owned())).take(MAX_PARAMETERS).collect(),
    ))
}

impl Database {
    /// Query that parameters express. `path` is the part of the path after the action.
    pub(super) fn query_of(&self, parameters: &Parameters, path: &str, style: &SiteStyle) -> SearchQuery {
        let words = parameters.get(style.words).filter(|_| self.config.has_box).unwrap_or_default();
        let mut filters: Vec<Filter> = self
            .config
            .controls
            .iter()
            .filter_map(|control| self.filter_of(control, parameters, style))
            .collect();
        for facet in &self.config.facets {
            let value = parameters.get(&facet_name(facet)).filter(|value| !value.is_empty());
            filters.extend(value.map(|value| Filter::is(facet, value)));
        }
        let letter = parameters
            .get(LETTER)
            .filter(|_| self.config.has_letter_index)
            .and_then(|text| text.chars().next());
        filters.extend(letter.map(Filter::Begins));
        SearchQuery {
            words: words.trim().to_string(),
            filters,
            page: self.requested_page(parameters, path, style),
            page_size: self.page_size_in(parameters, style),
        }
    }

    fn requested_page(&self, parameters: &Parameters, path: &str, style: &SiteStyle) -> u32 {
        let number = |text: &str| text.parse::<u32>().ok();
        let offset = parameters.get(style.offset).and_then(number);
        let size = self.page_size_in(parameters, style).unwrap_or(self.config.page_size);
        let by_offset = offset.map(|offset| offset.saturating_sub(style.first_offset) / size);
        let in_path = path.strip_prefix("/page/").and_then(number);
        let page = in_path.or_else(|| parameters.get(style.page).and_then(number));
        let by_page = page.map(|page| page.saturating_sub(style.first_page));
        by_offset.or(by_page).unwrap_or(0).min(LAST_PAGE)
    }

    /// Page sizes that users may choose, in order.
    pub(super) fn page_sizes(&self) -> Vec<u32> {
        let mut sizes = PAGE_SIZES.to_vec();
        sizes.push(self.config.page_size);
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// Page size that the parameters set, if users may choose it.
    fn page_size_in(&self, parameters: &Parameters, style: &SiteStyle) -> Option<u32> {
        let is_free = self.config.layout.habits.page_sizes != PageSizes::Fixed;
        let sent = parameters.get(style.page_size).filter(|_| is_free)?.parse().ok()?;
        self.page_sizes().contains(&sent).then_some(sent)
    }

    /// Filter that a control was set to.
    fn filter_of(
        &self,
        control: &FilterControl,
        parameters: &Parameters,
        style: &SiteStyle,
    ) -> Option<Filter> {
        let column = &control.column;
        let number = |end: &str| parameters.get(&end.replace('*', column)).and_then(number_in);
        match &control.kind {
            ControlKind::Select | ControlKind::Radio => {
                let sent = parameters.get(column).filter(|value| !value.is_empty())?;
                Some(Filter::is(column, self.decoded(column, sent, style)))
            }
            ControlKind::Between | ControlKind::Steps(_) | ControlKind::Dates => {
                let [low, high] = style.ends.map(number);
                (low.is_some() || high.is_some()).then(|| Filter::between(column, low, high))
            }
            ControlKind::Bands(_) => {
                let (low, high) = parameters.get(column)?.split_once('-')?;
                // The upper end of a range belongs to the next range.
                let high = number_in(high).map(f64::next_down);
                Some(Filter::between(column, number_in(low), high))
            }
        }
    }

    /// Value of a column that a submitted option selects.
    fn decoded<'a>(&'a self, column: &str, sent: &'a str, style: &SiteStyle) -> &'a str {
        let values =
            self.collection.column(column).filter(|_| style.submits_codes).map(|(_, column)| column.values());
        let value = values.and_then(|values| values.get(sent.parse::<usize>().ok()?.checked_sub(1)?));
        value.map_or(sent, |value| value)
    }
}

impl DatabasePage<'_> {
    /// Records per page of the present request.
    pub(super) fn requested_page_size(&self) -> u32 {
        let database = self.database;
        database.page_size_in(&self.parameters, &self.style).unwrap_or(database.config.page_size)
    }
}

/// Parameter name of a facet link.
pub(super) fn facet_name(column: &str) -> String {
    format!("only_{column}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn of(url: &str) -> Parameters {
        Parameters::of(&Request::get(Url::parse(url).unwrap()))
    }

    #[test]
    fn a_cursor_encodes_its_parameters() {
        let parameters = of("http://db.example/s?q=a+b&start=10");
        let cursor = parameters.as_cursor();
        assert_eq!(of(&format!("http://db.example/s?cursor={cursor}")), parameters);
        assert_eq!(of("http://db.example/s?cursor=zz").get("cursor"), Some("zz"));
        assert_eq!(of("http://db.example/s?cursor=%C3%A9a").get("q"), None);
    }

    #[test]
    fn a_body_counts_for_post_only() {
        let mut request = Request::get(Url::parse("http://db.example/s?x=1").unwrap());
        request.body = b"q=sea".to_vec();
        assert_eq!(Parameters::of(&request).get("q"), None);
        request.method = Method::Post;
        assert_eq!(Parameters::of(&request).encoded(), "x=1&q=sea");
    }
}
