//! Result pages, including those of faulty databases.

use super::item::ResultItem;
use super::page::{DatabasePage, respond_bytes, respond_redirect};
use super::parameters::facet_name;
use crate::database::config::{EmptyQuery, Fault, SingleHit, TotalShown};
use crate::database::layout::{Arrangement, PageSizes};
use crate::database::query::{SearchQuery, SearchResult};
use crate::database::shown::label_of;
use crate::random::{SeededRng, mix};
use hadal_core::http::Response;

/// Maximum number of values of a facet. Guess.
const MAX_FACET_VALUES: usize = 40;

/// Parameter that asks for the results as a file.
const FORMAT: &str = "format";

/// Sections of the numbered list beside the results. The gap is deliberate.
const SECTIONS: [u32; 6] = [1, 2, 3, 5, 6, 7];

/// Number of popular records beside the results. Guess.
const POPULAR_RECORDS: u32 = 5;

impl DatabasePage<'_> {
    /// Response to a submitted form. `path` is the part of the path after the action.
    pub(super) fn results(self, path: &str) -> Response {
        let config = &self.database.config;
        if self.has_expired_token() {
            let status = if self.style.phrase.is_multiple_of(2) { 403 } else { 200 };
            let text = self.wording.stale;
            return self.error_message(status, text);
        }
        let query = self.database.query_of(&self.parameters, path, &self.style);
        let is_empty = query.words.is_empty() && query.filters.is_empty();
        if is_empty && config.empty_query == EmptyQuery::Error {
            let status = if self.style.phrase.is_multiple_of(2) { 400 } else { 200 };
            let text = self.wording.empty;
            return self.error_message(status, text);
        }
        if self.database.ignores_all(&query.words) {
            let text = self.wording.ignored;
            return self.error_message(200, text);
        }
        let (found, pages) = self.find(&query);
        if config.layout.habits.tool_links && self.parameters.get(FORMAT).is_some() {
            return self.file(&found);
        }
        match &found.hits[..] {
            [only] if found.total == 1 && config.single_hit == SingleHit::Redirected => {
                respond_redirect(&self.record_path(*only, None))
            }
            [] => self.no_results(),
            _ => self.listing(&query, &found, pages),
        }
    }

    /// Titles of a page of results as a file.
    fn file(&self, found: &SearchResult) -> Response {
        let titles = found.hits.iter().filter_map(|number| self.database.collection.record(*number));
        let lines: Vec<String> =
            titles.map(|record| format!("\"{}\"", record.title.replace('"', "\"\""))).collect();
        respond_bytes("text/csv; charset=utf-8", lines.join("\r\n").as_bytes())
    }

    /// Page with an error message and the form.
    fn error_message(self, status: u16, text: &'static str) -> Response {
        let title = self.wording.search[0];
        self.document(status, title, |page| {
            page.html.element("p", &[("class", "error")], text);
            page.form();
        })
    }

    fn no_results(self) -> Response {
        let text = self.wording.nothing[(self.style.phrase / 4 % 2) as usize];
        let title = self.wording.search[0];
        self.document(200, title, |page| {
            page.form();
            page.echo();
            page.html.element("p", &[("class", "none")], text);
            page.popular();
        })
    }

    fn listing(self, query: &SearchQuery, found: &SearchResult, pages: u32) -> Response {
        let size = query.page_size.unwrap_or(self.database.config.page_size);
        let first = query.page.saturating_mul(size);
        let records: Vec<ResultItem> = found
            .hits
            .iter()
            .zip(first..)
            .filter_map(|(record, position)| self.item(*record, position))
            .collect();
        let title = self.wording.search[0];
        self.document(200, title, |page| {
            page.form();
            page.echo();
            page.count(found, first);
            page.facets(query);
            page.side_list();
            page.page_size_links();
            page.tools();
            page.arrange(&records);
            page.pager(query.page, pages);
            page.popular();
        })
    }

    fn count(&mut self, found: &SearchResult, first: u32) {
        let round = self.database.config.total_shown == TotalShown::Rounded && found.total >= 50;
        let text = match self.database.config.total_shown {
            TotalShown::Hidden => return,
            _ if round => self.wording.round_counts[(self.style.phrase % 2) as usize],
            _ => self.wording.counts[(self.style.phrase % 3) as usize],
        };
        let total = match self.database.config.total_shown {
            _ if round => rounded(found.total),
            TotalShown::Bound => found.total.min(first.saturating_add(found.hits.len() as u32 + 1)),
            _ => found.total,
        };
        let number = |number| self.wording.number(number);
        let text = text
            .replace("{total}", &number(total))
            .replace("{from}", &number(first + 1))
            .replace("{to}", &number(first + found.hits.len() as u32));
        let time = if self.style.shows_time { " (0.04 s)" } else { "" };
        self.html.element("p", &[("class", "count")], &format!("{text}{time}"));
    }

    fn echo(&mut self) {
        let typed = self.parameters.get(self.style.words).unwrap_or_default();
        if self.style.echoes && !typed.is_empty() {
            let text = format!("{}: \"{typed}\"", self.wording.search[0]);
            self.html.element("h2", &[], &text);
        }
    }

    /// Writes the numbered list of sections, if the layout has it.
    fn side_list(&mut self) {
        if !self.database.config.layout.habits.side_list {
            return;
        }
        self.html.open("ul", &[("class", "toc")]);
        for section in SECTIONS {
            self.html.open("li", &[]);
            let href = format!("/news?section={section}");
            self.html.element("a", &[("href", &href)], &section.to_string());
            self.html.close("li");
        }
        self.html.close("ul");
    }

    /// Writes links to the same results with other page sizes, if the layout has them.
    fn page_size_links(&mut self) {
        if self.database.config.layout.habits.page_sizes != PageSizes::Links {
            return;
        }
        let present = self.requested_page_size();
        self.html.open("p", &[("class", "sizes")]);
        for size in self.database.page_sizes() {
            let label = size.to_string();
            if size == present {
                self.html.element("b", &[], &label);
            } else {
                let without = [self.style.page, self.style.offset];
                let parameters = self.parameters.with(&without, self.style.page_size, &label);
                let href = format!("{}?{}", self.style.action, parameters.encoded());
                self.html.element("a", &[("href", &href)], &label);
            }
        }
        self.html.close("p");
    }

    /// Writes the link to the results as a file and the filter form, if the layout has them.
    fn tools(&mut self) {
        let habits = self.database.config.layout.habits;
        if habits.tool_links {
            let href =
                format!("{}?{}", self.style.action, self.parameters.with(&[], FORMAT, "csv").encoded());
            self.html.element("a", &[("href", &href)], "CSV");
        }
        if habits.echoing_filter {
            let typed = self.parameters.get(self.style.words).unwrap_or_default().to_string();
            self.html.open("form", &[("action", self.style.action), ("method", "get"), ("class", "narrow")]);
            for name in [self.style.words, "within"] {
                self.html.open("input", &[("type", "hidden"), ("name", name), ("value", &typed)]);
            }
            self.html.raw("<select name=\"order\"><option>1-9</option><option>9-1</option></select>");
            self.html.open("input", &[("type", "submit"), ("value", "OK")]);
            self.html.close("form");
        }
    }

    /// Writes facet links with the number of records that each would leave.
    fn facets(&mut self, query: &SearchQuery) {
        let database = self.database;
        if database.config.facets.is_empty() {
            return;
        }
        let matches = database.matches(query);
        for name in &database.config.facets {
            let Some((_, column)) = database.collection.column(name) else { continue };
            let mut counts = vec![0u32; column.values().len()];
            for value in matches.iter().filter_map(|(record, _)| column.value_of(*record)) {
                counts[value as usize] += 1;
            }
            let mut values: Vec<usize> = (0..counts.len()).filter(|value| counts[*value] > 0).collect();
            values.sort_by_key(|value| (std::cmp::Reverse(counts[*value]), *value));
            self.html.element("h4", &[], &label_of(name));
            self.html.open("ul", &[("class", "facet")]);
            for value in values.into_iter().take(MAX_FACET_VALUES) {
                self.facet(name, &column.values()[value], counts[value]);
            }
            self.html.close("ul");
        }
    }

    fn facet(&mut self, column: &str, value: &str, count: u32) {
        let without = [self.style.page, self.style.offset];
        let mut parameters = self.parameters.with(&without, &facet_name(column), value);
        if let Some(token) = self.token() {
            parameters = parameters.with(&[], self.style.token, &token);
        }
        let href = format!("{}?{}", self.style.action, parameters.encoded());
        self.html.open("li", &[]);
        self.html.element("a", &[("href", &href)], value);
        self.html.text(&format!(" ({count})"));
        self.html.close("li");
    }

    /// Writes the list of popular records, which is the same on all pages.
    fn popular(&mut self) {
        if self.database.config.layout.arrangement != Arrangement::Advertised {
            return;
        }
        self.html.open("div", &[("class", "sidebar")]);
        self.html.element("h4", &[], "Popular");
        self.html.open("ul", &[]);
        for record in 0..POPULAR_RECORDS.min(self.database.collection.len()) {
            let Some(item) = self.item(record, record) else { continue };
            self.html.open("li", &[]);
            self.title(&item);
            self.html.close("li");
        }
        self.html.close("ul");
        self.html.close("div");
    }
}

impl DatabasePage<'_> {
    /// One page of the results with the fault of the database, and the number of pages.
    fn find(&self, query: &SearchQuery) -> (SearchResult, u32) {
        let (database, config) = (self.database, &self.database.config);
        let size = query.page_size.unwrap_or(config.page_size);
        let found = match config.fault {
            Fault::SameAnswer => {
                let hits: Vec<u32> = (0..size.min(database.collection.len())).collect();
                SearchResult { total: hits.len() as u32, hits, is_capped: false }
            }
            Fault::RandomAnswer => self.random_records(size),
            Fault::Shuffled => self.shuffled(query, size),
            Fault::Endless => return self.endless(query, size),
            _ => database.search(query),
        };
        let shown = config.result_cap.unwrap_or(u32::MAX).min(found.total);
        (found, shown.div_ceil(size))
    }

    /// Random records, other ones with every request.
    fn random_records(&self, size: u32) -> SearchResult {
        let all = self.database.collection.len();
        let mut rng = SeededRng::new(mix(self.database.config.seed, u64::from(self.serial)), self.at.0);
        let mut hits: Vec<u32> = (0..size).map(|_| rng.below(all)).collect();
        hits.sort_unstable();
        hits.dedup();
        SearchResult { hits, total: rng.between(size, all.max(size)), is_capped: false }
    }

    /// Results in an order that changes with every request.
    fn shuffled(&self, query: &SearchQuery, size: u32) -> SearchResult {
        let mut found = self.database.search_all(query);
        let seed = mix(self.database.config.seed, u64::from(self.serial));
        found.hits.sort_by_key(|record| mix(seed, u64::from(*record)));
        let from = (query.page as usize).saturating_mul(size as usize).min(found.hits.len());
        found.hits.drain(..from);
        found.hits.truncate(size as usize);
        found
    }

    /// Results that start again after the last page, so that there is always a next page.
    fn endless(&self, query: &SearchQuery, size: u32) -> (SearchResult, u32) {
        let total = self.database.search(&SearchQuery { page: 0, ..query.clone() }).total;
        if total == 0 {
            return (SearchResult::default(), 0);
        }
        let page = query.page % total.div_ceil(size);
        (self.database.search(&SearchQuery { page, ..query.clone() }), query.page.saturating_add(2))
    }
}

/// Rounds down to two significant digits.
fn rounded(total: u32) -> u32 {
    let unit = 10u32.pow(total.max(1).ilog10().saturating_sub(1));
    total / unit * unit
}
