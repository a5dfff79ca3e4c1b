//! Result pages and detail pages: reads records off each response and decides whether the answer continues.

use super::opening::redirect_request;
use super::reading::{AnswerReading, LIST_PART, MAX_PAGES, STALE_LIST_PAGES, STALE_QUERY_PAGES};
use super::search_check::COMPARED_ANSWERS;
use super::{
    DetailMode, HarvestEnding, HarvestSession, HarvestUpdate, MAX_READER_SAMPLES, ParsedResponse,
    READER_SAMPLES, SessionStage,
};
use crate::address::{LinkId, Site};
use crate::critic::page_kind::stated_wait;
use crate::harvest::answer::{Answer, AnswerKind, AnswerSample, DataDocument, PagerKind};
use crate::harvest::policy::{ReadingEnd, StatedTotal};
use crate::harvest::record::Record;
use crate::html::Document;
use crate::http::Request;
use std::time::Duration;

/// Words that a record needs before it is compared with others for near-duplicates. Guess.
const MIN_COMPARED_WORDS: usize = 30;
/// Records on a page above which a sample of their detail pages is not needed: the page shows enough words. Guess.
const MAX_DETAILED_RECORDS: usize = 100;
/// Times that one query is sent again because the site asked to wait. Guess.
const MAX_WAITS: u8 = 3;
/// Added to the first wait that a site states, for the time that had passed since the request before: the
/// default delay. With a longer delay the first interval is too short, and the site states another wait.
const MIN_DELAY: Duration = Duration::from_secs(1);
/// Longest time between two queries. Guess.
const MAX_INTERVAL: Duration = Duration::from_secs(120);

impl HarvestSession {
    /// Processes one result page, a redirect to one, or its failure.
    pub(super) fn receive_result_page(
        &mut self,
        mut reading: Box<AnswerReading>,
        response: ParsedResponse,
    ) -> HarvestUpdate {
        if let Some(request) = redirect_request(&reading.request, &response, reading.redirects) {
            (reading.request, reading.redirects) = (request, reading.redirects + 1);
            self.stage = SessionStage::Read(reading);
            return HarvestUpdate::default();
        }
        let status = response.status;
        if let Some(data) = response.data {
            return self.receive_data(reading, &data);
        }
        let Some(document) = response.document else {
            return self.fail(reading, AnswerKind::Error, status);
        };
        if let Some(wait) = stated_wait(&document.page).filter(|_| reading.waits < MAX_WAITS) {
            return self.wait_and_repeat(reading, wait);
        }
        let is_query = reading.pages == 0 && !reading.is_browsing();
        if let Some(record) = self.lookups.named(&reading.query, self.known.len(), &document.page.text)
            && is_query
        {
            return self.add_page(reading, Answer::of_record(record));
        }
        let shows_form = self.entry_page.refresh(&document.page);
        let has_learned = self.train_reader(&reading, &document, status);
        let (answer, has_new_rules) = self.read_answer(&reading, &document, status, !has_learned);
        let kind = self.answer_kind(&answer, status);
        if reading.pages == 0 {
            self.result_samples += u32::from(has_learned && kind == AnswerKind::Results);
            self.search_check.add_answer(&document, status, &reading.query, kind);
            if matches!(kind, AnswerKind::Results | AnswerKind::OneRecord | AnswerKind::Nothing) {
                self.search_check.add_first_page(&answer, self.queries);
            }
        }
        let is_trained = self.reader_samples as usize >= COMPARED_ANSWERS;
        let is_refuted =
            is_trained && kind == AnswerKind::Nothing && self.search_check.is_refuted(&self.reader);
        let (answer, kind) = match is_query && self.shows_site_only(&document, &reading, &answer) {
            true => (Answer::nothing(), AnswerKind::Nothing),
            false => (answer, kind),
        };
        let update = match kind {
            AnswerKind::Results | AnswerKind::OneRecord | AnswerKind::Nothing => {
                self.add_page(reading, answer)
            }
            // A hidden token may have expired.
            AnswerKind::Error
                if self.entry_page.has_hidden() && !reading.is_repeated && reading.pages == 0 =>
            {
                self.repeat_query(reading, shows_form)
            }
            kind => self.fail(reading, kind, status),
        };
        if is_refuted {
            self.stage = SessionStage::Ended(HarvestEnding::SameAnswers);
        }
        HarvestUpdate { needs_save: has_learned || has_new_rules || update.needs_save, ..update }
    }

    /// Sends a page request again after the wait that the site asks for, and leaves more time between queries
    /// from now on.
    fn wait_and_repeat(&mut self, mut reading: Box<AnswerReading>, wait: Duration) -> HarvestUpdate {
        // The stated time is what is left of the site's interval.
        let interval = self.search_interval.map_or(wait + MIN_DELAY, |interval| interval + wait);
        self.search_interval = Some(interval.min(MAX_INTERVAL));
        reading.waits += 1;
        if reading.pages == 0 {
            reading.redirects = 0;
            reading.request = self.entry_page.request_for(&reading.query);
        }
        let (kind, query_number) = (Some(AnswerKind::RateLimited), reading.number);
        self.stage = SessionStage::Read(reading);
        HarvestUpdate { kind, query_number, wait: Some(wait), ..HarvestUpdate::default() }
    }

    /// Processes one page of an answer that is data.
    fn receive_data(&mut self, reading: Box<AnswerReading>, data: &DataDocument) -> HarvestUpdate {
        let is_first = reading.pages == 0;
        let answer = self.data_reader.read(data, &reading.request, &reading.query, is_first);
        let kind = self.answer_kind(&answer, data.status);
        if is_first && matches!(kind, AnswerKind::Results | AnswerKind::Nothing) {
            self.search_check.add_first_page(&answer, self.queries);
        }
        let update = match kind {
            AnswerKind::Results | AnswerKind::Nothing => self.add_page(reading, answer),
            // A token may have expired.
            AnswerKind::Error if self.entry_page.has_hidden() && !reading.is_repeated && is_first => {
                self.repeat_query(reading, false)
            }
            kind => self.fail(reading, kind, data.status),
        };
        HarvestUpdate { needs_save: is_first || update.needs_save, ..update }
    }

    /// Returns true if an answer equals that to the calibration query, and the entry page shows its records too: then
    /// they are parts of the site and no records.
    fn shows_site_only(&self, document: &Document, reading: &AnswerReading, answer: &Answer) -> bool {
        !answer.records.is_empty()
            && answer.records.iter().all(|record| self.entry_text.contains(record.title.as_str()))
            && self.search_check.equals_calibration(document, &reading.query)
    }

    /// Lets the reader learn from the first page of the first answers. Returns true if it did.
    fn train_reader(&mut self, reading: &AnswerReading, document: &Document, status: u16) -> bool {
        let learns = reading.pages == 0
            && self.result_samples < READER_SAMPLES
            && self.reader_samples < MAX_READER_SAMPLES;
        if learns {
            self.reader_samples += 1;
            let has_new_rules =
                self.reader.improve(&AnswerSample { document, status, query: &reading.query });
            if has_new_rules && self.record_count() > 0 {
                self.content_identity.expect_new_addresses();
            }
            self.browse.find_lists(&document.page, &reading.query.words);
        }
        learns
    }

    /// Reads a result page. Records behind a browse link count only if they look like those of queries; this
    /// is checked on the first page of the list. Returns true as second value if the rules for record ids
    /// changed, which happens only if `may_learn` and on the first page of a query.
    fn read_answer(
        &mut self,
        reading: &AnswerReading,
        document: &Document,
        status: u16,
        may_learn: bool,
    ) -> (Answer, bool) {
        let (answer, has_new_rules) = match may_learn && reading.pages == 0 && !reading.is_browsing() {
            true => self.reader.read_first_page(document, status, &reading.query),
            false => (self.reader.read(document, status, &reading.query), false),
        };
        if has_new_rules {
            self.content_identity.expect_new_addresses();
        }
        let is_foreign =
            reading.is_browsing() && reading.pages == 0 && !self.browse.are_known_records(&answer.records);
        match answer.kind {
            AnswerKind::Results if is_foreign => (Answer::nothing(), false),
            _ => (answer, has_new_rules),
        }
    }

    /// Kind of an answer. A 404 without results is an error, unless the calibration query was answered that way.
    fn answer_kind(&self, answer: &Answer, status: u16) -> AnswerKind {
        match answer.kind {
            AnswerKind::Nothing if matches!(status, 404 | 410) && self.empty_answer_status < 400 => {
                AnswerKind::Error
            }
            kind => kind,
        }
    }

    /// Sends a query once more with new hidden values: those of the page just received if it shows the form, or else
    /// those of the entry page.
    fn repeat_query(&mut self, mut reading: Box<AnswerReading>, shows_form: bool) -> HarvestUpdate {
        reading.is_repeated = true;
        reading.redirects = 0;
        reading.request = self.entry_page.request_for(&reading.query);
        self.stage = if shows_form { SessionStage::Read(reading) } else { SessionStage::Reopen(reading) };
        HarvestUpdate::default()
    }

    /// Adds a page to its answer and decides whether to read the next one.
    fn add_page(&mut self, mut reading: Box<AnswerReading>, mut answer: Answer) -> HarvestUpdate {
        self.failures.reset();
        if reading.pages == 0 {
            reading.facets = std::mem::take(&mut answer.facets);
        }
        if !reading.is_browsing() && answer.kind == AnswerKind::Results {
            self.browse.learn_record_urls(&answer.records);
        }
        self.details.add_result_page();
        reading.pages += 1;
        reading.redirects = 0;
        reading.total = reading.total.or(answer.total);
        let (kind, query_number, shown) = (answer.kind, reading.number, answer.records.len());
        let records = self.add_records(&mut reading, answer.records);
        reading.note_page(shown);
        let next = answer.next.filter(|next| reading.seen.should_follow(next));
        if next.is_some() {
            self.page_size = self.page_size.max(shown as u32);
        }
        let query = Some(reading.query.clone()).filter(|_| !records.is_empty());
        let update =
            HarvestUpdate { kind: Some(kind), records, query_number, query, ..HarvestUpdate::default() };
        reading.end = match next {
            None => {
                // A list without queries that was read to its end, or to an empty page, holds the records read.
                let is_end = kind == AnswerKind::Results || reading.pages > 1;
                let is_whole = self.entry_page.lists_all() && is_end;
                let all = StatedTotal::Exactly(u64::from(reading.query.after) + reading.records.len() as u64);
                reading.total = reading.total.or(is_whole.then_some(all));
                Some(ReadingEnd::LastPage)
            }
            Some(next) => {
                reading.is_button = matches!(next.kind, PagerKind::Button | PagerKind::Parameter);
                reading.request = next.request;
                self.end_before_next_page(&reading)
            }
        };
        self.continue_or_finish(reading, update)
    }

    /// Reason not to read the next page of an answer now. A list of all records is read in parts, to its end or until it
    /// repeats itself.
    fn end_before_next_page(&self, reading: &AnswerReading) -> Option<ReadingEnd> {
        let is_enough = self.options.records.is_some_and(|wanted| self.record_count() >= wanted);
        let continues = match self.entry_page.lists_all() && !self.is_refresh && !is_enough {
            true if reading.is_stale(STALE_LIST_PAGES, self.page_size) => return Some(ReadingEnd::LastPage),
            true => reading.own_pages() < LIST_PART,
            false => reading.pages < MAX_PAGES && self.wants_next_page(reading),
        };
        if continues { None } else { Some(ReadingEnd::Paused) }
    }

    fn wants_next_page(&self, reading: &AnswerReading) -> bool {
        if self.options.records.is_some_and(|wanted| self.record_count() >= wanted) {
            return false;
        }
        if reading.is_browsing() && !self.is_refresh {
            return !reading.is_stale(STALE_LIST_PAGES, self.page_size);
        }
        if !self.is_refresh && reading.is_stale(STALE_QUERY_PAGES, self.page_size) {
            return false;
        }
        let hits = reading.hits();
        self.policy.wants_next_page(&reading.outcome(&hits), &self.costs())
    }

    /// Adds records to an answer. Returns the new ones with their positions. A near-duplicate of a known record counts
    /// as that record, unless it has an address of its own.
    fn add_records(&mut self, reading: &mut AnswerReading, mut records: Vec<Record>) -> Vec<(Record, u32)> {
        let mut new = Vec::new();
        let is_long = records.len() > MAX_DETAILED_RECORDS && self.options.details != DetailMode::Always;
        self.content_identity.identify(&mut records, &self.known);
        for mut record in records {
            self.details.add_listed(&record);
            let words = record.text.split_whitespace().take(MIN_COMPARED_WORDS).count();
            if words == MIN_COMPARED_WORDS && record.url.is_none() {
                record.id = self.near_duplicates.find_or_insert(&record).unwrap_or(record.id);
            }
            // Pages that repeat the records before them show a match of the query once more, not another match.
            if !reading.ids.insert(record.id) {
                continue;
            }
            let is_new = self.known.insert(record.id);
            if is_new {
                self.lookups.add(&record, self.entry_page.form());
                new.push((record.clone(), reading.query.after + reading.records.len() as u32 + 1));
            }
            let wants_detail = is_new && !is_long && self.wants_details() && self.is_own_detail_page(&record);
            if wants_detail {
                self.details.add_queued();
            }
            reading.add(record, is_new, wants_detail);
        }
        new
    }

    /// Returns true if a record's URL has the site and port of the form and was not fetched as a detail page before.
    fn is_own_detail_page(&mut self, record: &Record) -> bool {
        let Some(url) = &record.url else { return false };
        let here = self.entry_page.page();
        let is_own = Site::of(url) == Site::of(here) && url.port() == here.port();
        is_own && self.detail_urls.insert(LinkId::of(url))
    }

    pub(super) fn wants_details(&self) -> bool {
        // A list of all records needs no words for queries.
        let is_needed = self.options.details == DetailMode::Always || !self.entry_page.lists_all();
        is_needed && self.details.is_wanted(self.options.details)
    }

    /// Ends a reading that failed, and the harvest after too many failures in a row.
    fn fail(&mut self, mut reading: Box<AnswerReading>, kind: AnswerKind, status: u16) -> HarvestUpdate {
        reading.end = Some(ReadingEnd::Failed);
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
        if let Some((_, url)) = reading.details.front_mut()
            && let Some(request) = redirect_request(&Request::get(url.clone()), &response, reading.redirects)
        {
            *url = request.url;
            reading.redirects += 1;
            self.stage = SessionStage::Read(reading);
            return update;
        }
        reading.redirects = 0;
        let record = reading.details.pop_front().and_then(|(at, _)| reading.records.get_mut(at));
        match (record, response.document) {
            (Some((record, _)), Some(document)) if (200..300).contains(&response.status) => {
                let text = document.page.text;
                self.details.add_detail_page(&record.text, &text);
                record.text = format!("{} {text}", record.text);
                update.detail = Some((record.id, text));
            }
            _ => self.details.add_failure(),
        }
        if !self.details.is_useful(self.options.details) {
            reading.details.clear();
        }
        self.continue_or_finish(reading, update)
    }
}
