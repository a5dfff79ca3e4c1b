//! A page of results: what was found, how much, and where it goes on.

use super::form::labelled;
use super::item::ResultItem;
use super::page::{DatabasePage, respond_elsewhere};
use super::parameters::facet_name;
use crate::database::config::{EmptyQuery, SingleHit, TotalShown};
use crate::database::layout::Arrangement;
use crate::database::query::{SearchQuery, SearchResult};
use hadal_core::http::Response;

/// Values of an attribute that links are offered for.
const MOST_FACETS: usize = 40;

/// What others like.
const POPULAR: u32 = 5;

impl DatabasePage<'_> {
    /// The answer to a submitted form; `path` is what follows the action.
    pub(super) fn results(self, path: &str) -> Response {
        let config = &self.database.config;
        if self.is_stale() {
            let status = if self.skin.phrase.is_multiple_of(2) { 403 } else { 200 };
            let text = self.wording.stale;
            return self.complaint(status, text);
        }
        let asked = self.database.question(&self.parameters, path, &self.skin);
        let is_empty = asked.words.is_empty() && asked.filters.is_empty();
        if is_empty && config.empty_query == EmptyQuery::Error {
            let status = if self.skin.phrase.is_multiple_of(2) { 400 } else { 200 };
            let text = self.wording.empty;
            return self.complaint(status, text);
        }
        if self.database.passes_over(&asked.words) {
            let text = self.wording.passed_over;
            return self.complaint(200, text);
        }
        let (found, pages) = self.answer(&asked);
        match &found.hits[..] {
            [only] if found.total == 1 && config.single_hit == SingleHit::Redirected => {
                respond_elsewhere(&self.record_path(*only, None))
            }
            [] => self.nothing(),
            _ => self.listing(&asked, &found, pages),
        }
    }

    /// A page that says what is wrong, with the form to try again.
    fn complaint(self, status: u16, text: &'static str) -> Response {
        let title = self.wording.search[0];
        self.document(status, title, |page| {
            page.html.element("p", &[("class", "error")], text);
            page.form();
        })
    }

    fn nothing(self) -> Response {
        let text = self.wording.nothing[(self.skin.phrase / 4 % 2) as usize];
        let title = self.wording.search[0];
        self.document(200, title, |page| {
            page.form();
            page.echo();
            page.html.element("p", &[("class", "none")], text);
            page.popular();
        })
    }

    fn listing(self, asked: &SearchQuery, found: &SearchResult, pages: u32) -> Response {
        let size = self.database.config.page_size;
        let first = asked.page.saturating_mul(size);
        let records: Vec<ResultItem> = found
            .hits
            .iter()
            .zip(first..)
            .filter_map(|(record, position)| self.show(*record, position))
            .collect();
        let title = self.wording.search[0];
        self.document(200, title, |page| {
            page.form();
            page.echo();
            page.count(found, first);
            page.facets(asked);
            page.arrange(&records);
            page.pager(asked.page, pages);
            page.popular();
        })
    }

    fn count(&mut self, found: &SearchResult, first: u32) {
        let round = self.database.config.total_shown == TotalShown::Rounded && found.total >= 50;
        let text = match self.database.config.total_shown {
            TotalShown::Hidden => return,
            _ if round => self.wording.round_counts[(self.skin.phrase % 2) as usize],
            _ => self.wording.counts[(self.skin.phrase % 3) as usize],
        };
        let total = if round { rounded(found.total) } else { found.total };
        let number = |number| self.wording.number(number);
        let text = text
            .replace("{total}", &number(total))
            .replace("{from}", &number(first + 1))
            .replace("{to}", &number(first + found.hits.len() as u32));
        let time = if self.skin.tells_time { " (0.04 s)" } else { "" };
        self.html.element("p", &[("class", "count")], &format!("{text}{time}"));
    }

    fn echo(&mut self) {
        let typed = self.parameters.get(self.skin.words).unwrap_or_default();
        if self.skin.echoes && !typed.is_empty() {
            let text = format!("{}: \"{typed}\"", self.wording.search[0]);
            self.html.element("h2", &[], &text);
        }
    }

    /// Links that narrow the answer, with how much each would leave.
    fn facets(&mut self, asked: &SearchQuery) {
        let database = self.database;
        if database.config.facets.is_empty() {
            return;
        }
        let fit = database.fit(asked);
        for name in &database.config.facets {
            let Some((_, column)) = database.collection.column(name) else { continue };
            let mut counts = vec![0u32; column.values().len()];
            for value in fit.iter().filter_map(|(record, _)| column.value_of(*record)) {
                counts[value as usize] += 1;
            }
            let mut values: Vec<usize> = (0..counts.len()).filter(|value| counts[*value] > 0).collect();
            values.sort_by_key(|value| (std::cmp::Reverse(counts[*value]), *value));
            self.html.element("h4", &[], &labelled(name));
            self.html.open("ul", &[("class", "facet")]);
            for value in values.into_iter().take(MOST_FACETS) {
                self.facet(name, &column.values()[value], counts[value]);
            }
            self.html.close("ul");
        }
    }

    fn facet(&mut self, column: &str, value: &str, count: u32) {
        let without = [self.skin.page, self.skin.offset];
        let mut parameters = self.parameters.with(&without, &facet_name(column), value);
        if let Some(token) = self.token() {
            parameters = parameters.with(&[], self.skin.token, &token);
        }
        let href = format!("{}?{}", self.skin.action, parameters.encoded());
        self.html.open("li", &[]);
        self.html.element("a", &[("href", &href)], value);
        self.html.text(&format!(" ({count})"));
        self.html.close("li");
    }

    /// The same few records beside every answer.
    fn popular(&mut self) {
        if self.database.config.layout.arrangement != Arrangement::Advertised {
            return;
        }
        self.html.open("div", &[("class", "sidebar")]);
        self.html.element("h4", &[], "Popular");
        self.html.open("ul", &[]);
        for record in 0..POPULAR.min(self.database.collection.len()) {
            let Some(shown) = self.show(record, record) else { continue };
            self.html.open("li", &[]);
            self.title(&shown);
            self.html.close("li");
        }
        self.html.close("ul");
        self.html.close("div");
    }
}

/// Two figures, the rest zeros.
fn rounded(total: u32) -> u32 {
    let unit = 10u32.pow(total.max(1).ilog10().saturating_sub(1));
    total / unit * unit
}
