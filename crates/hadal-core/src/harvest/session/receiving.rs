//! Result pages and detail pages: reads the records of each response, decides whether the answer continues, and learns
//! from the complete answer.

use super::reading::AnswerReading;
use super::redirects::FollowedRequest;
use super::{FinishedQuery, HarvestSession, HarvestUpdate, ParsedResponse, SessionStage};
use crate::critic::page_kind::stated_wait;
use crate::harvest::answer::{Answer, AnswerKind, DataDocument, NextPage};
use crate::harvest::policy::{QueryOutcome, ReadingEnd};
use crate::harvest::record::Record;
use crate::html::Document;
use std::time::Duration;

/// Times that one query is sent again because the site asked to wait. Guess.
const MAX_WAITS: u8 = 3;
/// Time since the previous request if the caller does not know it: the default delay.
const DEFAULT_DELAY: Duration = Duration::from_secs(1);
/// Longest time between two queries. Guess.
const MAX_INTERVAL: Duration = Duration::from_secs(120);

/// A page of an answer, and what it means for the session.
struct PageReading {
    answer: Answer,
    /// The page shows the form with current hidden values.
    shows_form: bool,
    /// The readers have learned from the page.
    has_learned: bool,
    /// The page shows that the form does not search.
    is_refuted: bool,
}

impl PageReading {
    fn of(answer: Answer) -> PageReading {
        PageReading { answer, shows_form: false, has_learned: false, is_refuted: false }
    }
}

/// True for the page of an answer, with or without records, and false for an error page.
fn is_answer(kind: AnswerKind) -> bool {
    matches!(kind, AnswerKind::Results | AnswerKind::OneRecord | AnswerKind::Nothing)
}

impl HarvestSession {
    /// Processes one result page, a redirect to one, or its failure.
    pub(super) fn receive_result_page(
        &mut self,
        mut reading: Box<AnswerReading>,
        response: &ParsedResponse,
    ) -> HarvestUpdate {
        if reading.next.follow(response) {
            self.stage = SessionStage::Read(reading);
            return HarvestUpdate::default();
        }
        let status = response.status;
        let page = match (&response.data, &response.document) {
            (Some(data), _) => self.read_data(&reading, data),
            (None, Some(document)) => {
                let wait = stated_wait(&document.page).filter(|_| reading.waits < MAX_WAITS);
                if let Some(wait) = wait {
                    return self.wait_and_repeat(reading, wait, response.interval);
                }
                self.read_document(&reading, document, status)
            }
            (None, None) => return self.fail(reading, AnswerKind::Error, status),
        };
        let update = match page.answer.kind {
            kind if is_answer(kind) => self.add_page(reading, page.answer),
            // A hidden token may have expired.
            AnswerKind::Error
                if self.entry_page.has_hidden() && !reading.is_repeated && reading.pages == 0 =>
            {
                self.repeat_query(reading, page.shows_form)
            }
            kind => self.fail(reading, kind, status),
        };
        if page.is_refuted {
            self.stage = self.read_as_list();
        }
        HarvestUpdate { needs_save: page.has_learned || update.needs_save, ..update }
    }

    /// Reads one page of an answer that is data.
    fn read_data(&mut self, reading: &AnswerReading, data: &DataDocument) -> PageReading {
        let mut answer = self.reader.read_data(reading, data);
        answer.kind = self.reader.kind_of(&answer, data.status);
        let is_first = reading.pages == 0;
        if is_first && is_answer(answer.kind) {
            self.search_check.add_first_page(&answer, self.queries);
        }
        PageReading { has_learned: is_first, ..PageReading::of(answer) }
    }

    /// Reads one result page, and checks whether the form searches at all. Records behind a browse link count only if
    /// they look like those of queries; this is checked on the first page of the list.
    fn read_document(&mut self, reading: &AnswerReading, document: &Document, status: u16) -> PageReading {
        let is_first = reading.pages == 0;
        let is_query = is_first && !reading.is_browsing();
        if is_query && let Some(record) = self.records.named(&reading.query, &document.page.text) {
            return PageReading::of(Answer::of_record(record));
        }
        let shows_form = self.entry_page.refresh(&document.page);
        let read = self.reader.read(reading, document, status);
        if read.has_new_rules && (self.record_count() > 0 || !read.is_sample) {
            self.records.expect_new_addresses();
        }
        if read.is_sample {
            self.sources.browse.find_lists(&document.page, &reading.query.words);
        }
        let mut answer = read.answer;
        let is_list = is_first && reading.is_browsing() && answer.kind == AnswerKind::Results;
        if is_list && !self.sources.browse.are_known_records(&answer.records) {
            answer = Answer::nothing();
        }
        answer.kind = self.reader.kind_of(&answer, status);
        if is_first {
            self.reader.add_result_sample(read.is_sample && answer.kind == AnswerKind::Results);
            self.search_check.add_answer(document, status, &reading.query, answer.kind);
        }
        if is_first && is_answer(answer.kind) {
            self.search_check.add_first_page(&answer, self.queries);
        }
        let is_refuted = answer.kind == AnswerKind::Nothing && self.search_check.is_refuted(&self.reader);
        if is_query && self.search_check.shows_site_only(document, &reading.query, &answer) {
            answer = Answer::nothing();
        }
        self.page_size.look_at(&document.page, reading, answer.records.len());
        PageReading { answer, shows_form, has_learned: read.is_sample || read.has_new_rules, is_refuted }
    }

    /// Sends a page request again after the wait that the site asks for, and leaves more time between queries
    /// from now on.
    fn wait_and_repeat(
        &mut self,
        mut reading: Box<AnswerReading>,
        wait: Duration,
        passed: Option<Duration>,
    ) -> HarvestUpdate {
        self.search_interval = Some(longer_interval(self.search_interval, wait, passed));
        reading.waits += 1;
        if reading.pages == 0 {
            reading.next = FollowedRequest::new(self.entry_page.request_for(&reading.query));
        }
        let (kind, query_number) = (Some(AnswerKind::RateLimited), reading.number);
        self.stage = SessionStage::Read(reading);
        HarvestUpdate { kind, query_number, wait: Some(wait), ..HarvestUpdate::default() }
    }

    /// Sends a query once more with new hidden values: those of the page just received if it shows the form, or else
    /// those of the entry page.
    fn repeat_query(&mut self, mut reading: Box<AnswerReading>, shows_form: bool) -> HarvestUpdate {
        reading.is_repeated = true;
        reading.next = FollowedRequest::new(self.entry_page.request_for(&reading.query));
        self.stage = if shows_form { SessionStage::Read(reading) } else { SessionStage::Reopen(reading) };
        HarvestUpdate::default()
    }

    /// Adds a page to its answer and decides whether to read the next one.
    fn add_page(&mut self, mut reading: Box<AnswerReading>, mut answer: Answer) -> HarvestUpdate {
        self.failures.reset();
        if !reading.is_browsing() && answer.kind == AnswerKind::Results {
            self.sources.browse.learn_record_urls(&answer.records);
        }
        self.details.add_result_page();
        if reading.pages == 0 && reading.query.link.is_none() {
            self.sources.add_first_page(reading.next.redirects());
        }
        reading.add_page(&mut answer);
        let (kind, query_number, shown) = (answer.kind, reading.number, answer.records.len());
        let first_page = reading.next.request().clone();
        let known = reading.records.len();
        let records = self.add_records(&mut reading, answer.records);
        let repeated = shown - (reading.records.len() - known).min(shown);
        self.end_page_size_trial(&mut answer.next, shown, repeated);
        reading.note_page(shown);
        let query = Some(reading.query.clone()).filter(|_| !records.is_empty());
        let update =
            HarvestUpdate { kind: Some(kind), records, query_number, query, ..HarvestUpdate::default() };
        reading.end = match answer.next.filter(|next| reading.seen.should_follow(next)) {
            None if self.entry_page.lists_all() => {
                reading.complete_list(kind);
                Some(ReadingEnd::LastPage)
            }
            None => Some(ReadingEnd::LastPage),
            Some(next) => {
                self.sources.add_full_page(shown);
                let is_enough = self.options.is_enough(self.record_count());
                let trial = self.page_size.start(&first_page, &next, shown).filter(|_| !is_enough);
                let (is_trial, is_list) = (trial.is_some(), self.entry_page.lists_all());
                reading.continue_at(trial.unwrap_or(next));
                match is_trial {
                    _ if is_enough => Some(ReadingEnd::Paused),
                    true => None,
                    false => self.sources.end_before_next_page(&reading, is_list),
                }
            }
        };
        self.continue_or_finish(reading, update)
    }

    /// Ends a running trial of a larger page size with this page of `shown` records, `repeated` of them from the first
    /// page. If it succeeded, later queries use the size; otherwise `next` becomes the page of the site's own pager.
    fn end_page_size_trial(&mut self, next: &mut Option<NextPage>, shown: usize, repeated: usize) {
        match self.page_size.finish(shown, repeated, next.is_some()) {
            Some(Ok(parameter)) => {
                self.entry_page.set_page_size(parameter);
                self.sources.add_full_page(shown);
            }
            Some(Err(own_next)) => *next = Some(own_next),
            None => {}
        }
    }

    /// Adds records to an answer. Returns the new ones with their positions.
    fn add_records(&mut self, reading: &mut AnswerReading, mut records: Vec<Record>) -> Vec<(Record, u32)> {
        let (mut new, shown) = (Vec::new(), records.len());
        self.records.identify(&mut records);
        for record in records {
            self.details.add_listed(&record);
            // Pages that repeat the records before them show a match of the query once more, not another match.
            if !reading.ids.insert(record.id) {
                continue;
            }
            let is_new = self.records.add(&record, self.entry_page.form());
            if is_new {
                new.push((record.clone(), reading.query.after + reading.records.len() as u32 + 1));
            }
            let wants_detail = is_new && self.details.add_new(&record, shown, &self.entry_page);
            reading.add(record, is_new, wants_detail);
        }
        new
    }

    /// Ends a reading that failed, and the harvest after too many failures in a row.
    fn fail(&mut self, mut reading: Box<AnswerReading>, kind: AnswerKind, status: u16) -> HarvestUpdate {
        if let Some(next) = self.page_size.fail() {
            reading.continue_at(next);
            let query_number = reading.number;
            self.stage = SessionStage::Read(reading);
            return HarvestUpdate { kind: Some(kind), query_number, ..HarvestUpdate::default() };
        }
        reading.end = Some(ReadingEnd::Failed);
        if reading.own_pages() == 0 {
            reading.kind = kind;
        }
        reading.details.clear();
        // A dead link or an expired page of a paused answer is not a failure of the form.
        let is_new_query = reading.query.link.is_none() && reading.query.after == 0;
        let ending = if is_new_query { self.failures.add(kind, status) } else { None };
        let update =
            HarvestUpdate { kind: Some(kind), query_number: reading.number, ..HarvestUpdate::default() };
        let update = self.continue_or_finish(reading, update);
        if let Some(ending) = ending {
            self.stage = SessionStage::Ended(ending);
        }
        update
    }

    /// Adds the text of a detail page to its record.
    pub(super) fn receive_detail(
        &mut self,
        mut reading: Box<AnswerReading>,
        response: ParsedResponse,
    ) -> HarvestUpdate {
        let mut update = HarvestUpdate { query_number: reading.number, ..HarvestUpdate::default() };
        if reading.details.front_mut().is_some_and(|(_, detail)| detail.follow(&response)) {
            self.stage = SessionStage::Read(reading);
            return update;
        }
        let record = reading.details.pop_front().and_then(|(at, _)| reading.records.get_mut(at));
        let document = response.document.filter(|_| (200..300).contains(&response.status));
        if let (Some((record, _)), Some(document)) = (record, document) {
            let text = document.page.text;
            self.details.add_fetched(&record.text, &text);
            record.text = format!("{} {text}", record.text);
            update.detail = Some((record.id, text));
        } else {
            self.details.add_failure();
        }
        if !self.details.are_useful() {
            reading.details.clear();
        }
        self.continue_or_finish(reading, update)
    }

    /// Keeps reading an answer with pages left to fetch. Otherwise finishes its query.
    fn continue_or_finish(&mut self, reading: Box<AnswerReading>, update: HarvestUpdate) -> HarvestUpdate {
        match reading.end.filter(|_| reading.details.is_empty()) {
            Some(end) => self.finish(*reading, end, update),
            None => {
                self.stage = SessionStage::Read(reading);
                update
            }
        }
    }

    fn finish(
        &mut self,
        mut reading: AnswerReading,
        end: ReadingEnd,
        update: HarvestUpdate,
    ) -> HarvestUpdate {
        let facets = std::mem::take(&mut reading.facets);
        let next = self.sources.end_reading(&reading, &self.entry_page);
        self.queries += 1;
        let hits = reading.hits();
        let outcome = reading.outcome(&hits);
        self.learn(&outcome);
        let has_facets = self.sources.add_facets(&outcome, facets);
        let finished = FinishedQuery {
            number: reading.number,
            total: reading.total,
            kind: reading.kind,
            hits: reading.ordered_ids(),
            new: reading.new_records(),
            pages: reading.own_pages(),
            end,
            next,
            query: reading.query,
        };
        HarvestUpdate { finished: Some(finished), needs_save: has_facets || update.needs_save, ..update }
    }

    /// Learns from an answer.
    pub(super) fn learn(&mut self, outcome: &QueryOutcome<'_>) {
        self.completion.learn(outcome);
        self.sources.learn(outcome);
    }
}

/// New interval between searches after the site asked for a further `wait`: `wait` plus the time already waited. That
/// is the `known` interval, or before there is one the time that `passed` since the last request.
fn longer_interval(known: Option<Duration>, wait: Duration, passed: Option<Duration>) -> Duration {
    (wait + known.or(passed).unwrap_or(DEFAULT_DELAY)).min(MAX_INTERVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_site_includes_the_time_that_had_passed() {
        let seconds = Duration::from_secs;
        assert_eq!(longer_interval(None, seconds(10), Some(seconds(5))), seconds(15), "a delay of 5 s");
        assert_eq!(longer_interval(None, seconds(10), None), seconds(11));
        assert_eq!(longer_interval(Some(seconds(15)), seconds(3), Some(seconds(40))), seconds(18));
        assert_eq!(longer_interval(None, seconds(500), Some(seconds(5))), MAX_INTERVAL);
    }
}
