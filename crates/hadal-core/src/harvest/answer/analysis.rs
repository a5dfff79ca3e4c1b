//! Analysis of one result page with the state learned so far: its records, its stated total and its kind.

use super::AnswerKind;
use super::furniture::{FurnitureBasis, PageFurniture};
use super::kind::KindEvidence;
use super::kind::MIN_MATCHING_SHARE;
use super::records::{self, RawRecord, RecordTemplates, ScoredGroup, Segment};
use super::view::AnswerView;
use crate::critic::page_kind::{StatedCount, answer_kinds, stated_counts, stated_total, states_no_results};
use crate::harvest::policy::StatedTotal;
use crate::harvest::query::Query;
use crate::html::Document;
use crate::text::words::decimal_digit;
use rustc_hash::FxHashSet;
use std::cell::LazyCell;
use std::collections::BTreeSet;
use url::Url;

/// Least score of a group of siblings that counts as records, if records were not found in its place before.
/// Guess.
const MIN_GROUP_SCORE: f32 = 12.0;
/// Largest stated total that is taken for the number of records on this page. Guess.
const MAX_PAGE_SIZE: u64 = 100;

/// Maximum number of sections of a page that each say that nothing was found. Guess.
const MAX_SECTIONS: usize = 20;
/// Longest text of such a section in bytes. Guess: texts of records may contain the same words.
const MAX_SECTION_TEXT: usize = 200;

/// The part of the reader's state that an analysis uses.
pub(super) struct LearnedState<'r> {
    pub(super) furniture: &'r PageFurniture,
    pub(super) templates: &'r RecordTemplates,
    /// Path keys of answers with results.
    pub(super) paths: &'r [String],
    /// Counts that the entry page states.
    pub(super) entry_counts: &'r BTreeSet<u64>,
}

impl LearnedState<'_> {
    /// Best group of records in a view, if it scores high enough. `stated` is the number of records that the page
    /// claims to show.
    fn find_group(&self, view: &AnswerView<'_>, stated: Option<u64>) -> Option<ScoredGroup> {
        let found = records::find_group(view, self.templates, stated)?;
        Some(found).filter(|found| found.score >= MIN_GROUP_SCORE || found.is_known)
    }

    /// Second attempt that counts only texts of empty answers as furniture, because a small collection shows the same
    /// records for many queries. The group is accepted if (a) enough records contain a query word, or (b) it is in the
    /// place of earlier records and either an empty answer is known or its length is the stated one.
    fn find_familiar_group(
        &self,
        document: &Document,
        query: &Query,
        stated: Option<u64>,
    ) -> Option<ScoredGroup> {
        if !self.furniture.knows_any_answer() {
            return None;
        }
        let view = AnswerView::of(document, query, self.furniture, FurnitureBasis::EmptyAnswers);
        let found = self.find_group(&view, stated)?;
        let count = Some(found.group.segments.len() as u64);
        let in_place = found.is_known && (self.furniture.knows_empty_answer() || count == stated);
        Some(found).filter(|found| found.matching_share >= MIN_MATCHING_SHARE || in_place)
    }

    /// Returns true if a count may be the total of a query. A count that the entry page shows too, as in "1,000
    /// documents are indexed", is rarely the number of matches of a word.
    fn is_total(&self, count: &StatedCount, query: &Query) -> bool {
        query.words.trim().is_empty() || !self.entry_counts.contains(&count.total)
    }

    fn is_elsewhere(&self, url: &Url, query: &Query) -> bool {
        !self.paths.is_empty() && !self.paths.contains(&path_key(url, query))
    }
}

/// Findings on one result page.
pub(super) struct AnswerAnalysis<'a> {
    pub(super) document: &'a Document,
    pub(super) view: AnswerView<'a>,
    /// Group of records, if the page has a list.
    pub(super) found: Option<ScoredGroup>,
    /// The only record of a page without a list.
    single: Option<RawRecord>,
    /// Result count that the text around the records states.
    count: Option<StatedCount>,
    pub(super) kind: AnswerKind,
}

impl<'a> AnswerAnalysis<'a> {
    pub(super) fn of(
        state: &LearnedState<'_>,
        document: &'a Document,
        status: u16,
        query: &'a Query,
    ) -> AnswerAnalysis<'a> {
        let view = AnswerView::of(document, query, state.furniture, FurnitureBasis::AllAnswers);
        let stated = stated_counts(view.outline.text()).first().and_then(stated_page_size);
        let found =
            state.find_group(&view, stated).or_else(|| state.find_familiar_group(document, query, stated));
        let found = found.filter(|found| !are_messages(&view, found));
        let single = match found {
            None if state.furniture.knows_any_answer() => {
                records::single_record(&view, state.templates, stated)
            }
            _ => None,
        };
        let records =
            found.as_ref().map_or(usize::from(single.is_some()), |found| found.group.segments.len());
        let knows_results = state.furniture.knows_results();
        // Fixed texts without a digit are kept: they may be the noun of a number that varies.
        let is_fixed_count =
            |at: usize| knows_results && view.is_fixed(at..at + 1) && has_digit(view.outline.text_of(at));
        let outside = text_outside_records(&view, found.as_ref(), is_fixed_count);
        let is_wordless = query.words.trim().is_empty();
        let counts = stated_counts(&outside).into_iter().filter(|count| state.is_total(count, query));
        let count = fitting_count(&counts.collect::<Vec<_>>(), records, is_wordless);
        let kinds = LazyCell::new(|| {
            let message = match (&found, &single) {
                (None, Some(single)) if has_words(&single.text, query) => String::new(),
                _ if knows_results => message_text(&view, found.as_ref()),
                (Some(found), _) if is_believed(found) => outside.clone(),
                _ => document.page.text.clone(),
            };
            answer_kinds(&document.page, status, &message, &query.words)
        });
        let is_elsewhere = state.is_elsewhere(&document.page.url, query);
        let evidence = KindEvidence {
            status,
            kinds: &kinds,
            signature_share: state.furniture.signature_share(view.masked_texts()),
            records,
            had_records: state.templates.best().is_some(),
            in_place: found.as_ref().is_some_and(|found| found.is_known),
            lacks_links: state.templates.have_links()
                && found.as_ref().is_some_and(|found| !found.has_links()),
            is_open: is_wordless && query.choices.is_empty() && query.link.is_none(),
            matching_share: found.as_ref().map(|found| found.matching_share).filter(|_| !is_wordless),
            total: count.map(|count| count.total),
            counts_results: is_elsewhere && stated_total(&outside).is_some(),
            is_elsewhere,
        };
        let kind = evidence.kind();
        drop(kinds);
        AnswerAnalysis { document, view, found, single, count, kind }
    }

    /// Total that the page states for the query.
    pub(super) fn total(&self) -> Option<StatedTotal> {
        match (self.kind, self.count?) {
            // The zero counts something else, such as bookmarks.
            (AnswerKind::Results, StatedCount { total: 0, .. }) => None,
            (AnswerKind::Results, StatedCount { total, is_round: false, .. }) => {
                Some(StatedTotal::Exactly(total))
            }
            (AnswerKind::Results, StatedCount { total, .. }) => Some(StatedTotal::About(total)),
            (AnswerKind::Nothing, StatedCount { total: 0, .. }) => Some(StatedTotal::Exactly(0)),
            _ => None,
        }
    }

    pub(super) fn records(&self) -> Vec<RawRecord> {
        match &self.found {
            Some(found) => records::records(&self.view, found),
            None => self.single.clone().into_iter().collect(),
        }
    }

    /// Positions of the links inside records, among the links of the page.
    pub(super) fn links_of_records(&self) -> FxHashSet<usize> {
        let segments = self.found.iter().flat_map(|found| &found.group.segments);
        let nodes = segments.flat_map(|segment| segment.nodes(&self.view));
        nodes.filter_map(|at| self.view.outline.nodes()[at].link).map(|link| link as usize).collect()
    }

    /// The whole page as a record, for a form that redirects to the detail page of its only match.
    pub(super) fn page_as_record(&self) -> RawRecord {
        let page = self.view.page;
        let heading = records::main_heading(&self.view).unwrap_or(&page.title);
        RawRecord {
            url: Some(page.url.clone()),
            title: heading.to_string(),
            text: self.view.new_text(),
            fields: records::page_fields(&self.view),
        }
    }
}

/// Returns true if a group surely holds records, so that its text is not a message of the site: it stands in
/// the place of earlier records, or half of it contains a query word.
fn is_believed(found: &ScoredGroup) -> bool {
    found.is_known || found.matching_share >= MIN_MATCHING_SHARE
}

/// Returns true if all segments of a group say that nothing was found: sections for several kinds of records.
fn are_messages(view: &AnswerView<'_>, found: &ScoredGroup) -> bool {
    let segments = &found.group.segments;
    let text = |segment: &Segment| &view.outline.text()[segment.text(view)];
    let is_message = |text: &str| text.len() <= MAX_SECTION_TEXT && states_no_results(text);
    let are_sections = (2..=MAX_SECTIONS).contains(&segments.len()) && !found.is_known && !found.has_links();
    are_sections && segments.iter().map(text).all(is_message)
}

fn has_words(text: &str, query: &Query) -> bool {
    let words = query.words.trim().to_lowercase();
    !words.is_empty() && text.to_lowercase().contains(&words)
}

/// Path of an answer's URL up to the query's words, without digits. Answers of one form usually share it.
pub(super) fn path_key(url: &Url, query: &Query) -> String {
    let words = query.words.trim().to_lowercase();
    let segments = url
        .path_segments()
        .into_iter()
        .flatten()
        .map(|segment| percent_decode(segment).to_lowercase().replace(|c: char| c.is_ascii_digit(), ""));
    let before_query = segments.take_while(|segment| words.is_empty() || !segment.contains(&words));
    before_query.collect::<Vec<String>>().join("/")
}

fn percent_decode(segment: &str) -> String {
    let pair = format!("={}", segment.replace('+', "%2B"));
    url::form_urlencoded::parse(pair.as_bytes()).map(|(_, value)| value.into_owned()).collect()
}

/// Number of records that a page claims to show: its stated range ("11-20"), or a total that fits on one page.
fn stated_page_size(count: &StatedCount) -> Option<u64> {
    count.shown.or(Some(count.total).filter(|total| (1..=MAX_PAGE_SIZE).contains(total)))
}

/// First count that fits the number of records found. Zero fits too, because a page without results may list
/// suggestions. For a query without words we cannot check that records match, and a 0 may count something else (such as
/// bookmarks). Then positive counts are preferred.
fn fitting_count(counts: &[StatedCount], records: usize, is_wordless: bool) -> Option<StatedCount> {
    let fits = |count: &&StatedCount| count.total > 0 && count.total >= records as u64;
    let positive = counts.iter().find(fits).copied();
    let first = || counts.iter().find(|count| count.total == 0 || fits(count)).copied();
    positive.filter(|_| is_wordless && records > 0).or_else(first)
}

/// Text that may be a message of the site about this answer: new text, outside records that are believed.
fn message_text(view: &AnswerView<'_>, found: Option<&ScoredGroup>) -> String {
    let is_stale = |at: usize| view.new_weight(at..at + 1) == 0.0;
    text_outside_records(view, found.filter(|found| is_believed(found)), is_stale)
}

fn has_digit(text: &str) -> bool {
    text.chars().any(|c| decimal_digit(c).is_some())
}

/// Text of a page without its records and without the texts that `is_left_out` accepts by their node, with line breaks
/// between blocks.
fn text_outside_records(
    view: &AnswerView<'_>,
    found: Option<&ScoredGroup>,
    is_left_out: impl Fn(usize) -> bool,
) -> String {
    let nodes = view.outline.nodes();
    let mut inside: Vec<std::ops::Range<usize>> =
        found.iter().flat_map(|found| &found.group.segments).map(|segment| segment.nodes(view)).collect();
    inside.sort_unstable_by_key(|range| range.start);
    let mut text = String::with_capacity(view.outline.text().len());
    let mut at = 1;
    while at < nodes.len() {
        let within = inside.partition_point(|range| range.start <= at).checked_sub(1).map(|nth| &inside[nth]);
        if let Some(range) = within.filter(|range| range.end > at) {
            text.push('\n');
            at = range.end;
            continue;
        }
        if nodes[at].is_text() && is_left_out(at) {
            text.push('\n');
        } else if nodes[at].is_text() {
            // Two spaces, because one may separate thousands within a number.
            text.push_str(if nodes[at].breaks { "\n" } else { "  " });
            text.push_str(view.outline.text_of(at));
        }
        at += 1;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, AnswerReader, AnswerSample};
    use super::*;

    fn document(path: &str, html: &str) -> Document {
        let url = Url::parse(&format!("http://a.org{path}")).unwrap();
        crate::html::parse_with_outline(html.as_bytes(), Some("text/html; charset=utf-8"), &url)
    }

    /// Answer with a list of records titled by a word, between two texts.
    fn list(word: &str, before: &str, records: usize, after: &str) -> Document {
        let record = |n: usize| {
            let name =
                format!("{word} {}", "abcdefghij".chars().cycle().skip(n * 3).take(9).collect::<String>());
            format!(
                "<li><a href='/item/{word}{n}'>The {name} of the coast</a><p>Notes on {name} and its owner.</li>"
            )
        };
        let records: String = (0..records).map(record).collect();
        document(&format!("/find?q={word}"), &format!("<p>{before}</p><ul>{records}</ul><p>{after}</p>"))
    }

    /// Reader that knows an empty answer and two answers with results, all with the same texts around them.
    fn trained(before: &str, after: &str) -> AnswerReader {
        let mut reader = AnswerReader::default();
        let empty = format!("<p>{before}</p><h2>Sorry, nothing found here</h2><p>{after}</p>");
        let pages = [
            ("zzz", document("/find?q=zzz", &empty)),
            ("sea", list("sea", before, 8, after)),
            ("ship", list("ship", before, 6, after)),
        ];
        for (word, document) in &pages {
            let query = Query::words(word);
            reader.improve(&AnswerSample { document, status: 200, query: &query });
        }
        reader
    }

    fn read(reader: &AnswerReader, document: &Document, words: &str) -> Answer {
        reader.read(document, 200, &Query::words(words))
    }

    #[test]
    fn sections_that_each_say_that_nothing_was_found_are_no_records() {
        let section = |kind: &str| {
            format!(
                "<div class=panel><div class=head>{kind}</div><p>No {kind} found matching your query.</div>"
            )
        };
        let empty: String = ["Threads", "Messages", "Boards", "Members"].map(section).concat();
        let page = document("/find", &format!("<form><input name=w></form><main>{empty}</main>"));
        for words in ["zzz", "matching"] {
            let answer = read(&AnswerReader::default(), &page, words);
            assert_eq!((answer.kind, answer.records.len()), (AnswerKind::Nothing, 0), "{words}");
        }
    }

    #[test]
    fn a_zero_that_counts_bookmarks_is_no_total() {
        let page = list("sea", "お気に入り 0件</p><p>検索結果 340件", 8, "");
        let answer = read(&AnswerReader::default(), &page, "");
        assert_eq!((answer.kind, answer.total), (AnswerKind::Results, Some(StatedTotal::Exactly(340))));
        let page = list("sea", "Merkliste: 0 Einträge", 8, "");
        let answer = read(&AnswerReader::default(), &page, "sea");
        assert_eq!((answer.kind, answer.total), (AnswerKind::Results, None));
    }

    #[test]
    fn a_count_that_every_answer_shows_is_no_total() {
        let header = "Search 1,234,567 records";
        let reader = trained(header, "");
        assert_eq!(read(&reader, &list("port", header, 5, ""), "port").total, None);
        let page = list("port", header, 5, "<b>12</b> hits");
        assert_eq!(read(&reader, &page, "port").total, Some(StatedTotal::Exactly(12)));
    }

    #[test]
    fn a_message_of_every_answer_or_of_a_record_does_not_mean_that_nothing_was_found() {
        let overlay = "No results found in your library";
        let reader = trained("Search", overlay);
        let found = list("port", "Search", 1, overlay);
        assert_eq!(read(&reader, &found, "port").kind, AnswerKind::Results);
        let records =
            "<li><a href=/b/1>Could not find libfoo at start</a><p>The loader of libfoo fails with it.</li>
            <li><a href=/b/2>Build of libfoo takes an hour</a><p>The compiler of libfoo runs too long.</li>";
        let page = document("/find?q=libfoo", &format!("<ul>{records}</ul>"));
        assert_eq!(read(&AnswerReader::default(), &page, "libfoo").kind, AnswerKind::Results);
    }

    #[test]
    fn paragraphs_without_links_are_no_answer_to_a_query_without_words() {
        let reader = trained("Search", "");
        let help: String = ["number", "name", "harbour", "owner", "year", "rig", "length", "builder"]
            .iter()
            .map(|part| format!("<p>To find vessels by their {part}, type <b>{part}:</b> and the {part} of the vessel in quotes."))
            .collect();
        let page = document("/find?q=", &format!("<p>Search</p><section>{help}</section>"));
        assert_eq!(read(&reader, &page, "").kind, AnswerKind::Nothing);
        assert_eq!(read(&reader, &list("", "Search", 8, ""), "").kind, AnswerKind::Results);
    }

    #[test]
    fn the_page_behind_an_empty_query_is_no_record() {
        let reader = trained("Search", "");
        let rows: String = ["Author", "Publisher", "ISBN", "Language", "Pages"]
            .iter()
            .map(|name| format!("<tr><th>{name}</th><td>of the {name} record</td></tr>"))
            .collect();
        let html = format!("<h1>The old heron</h1><p>Description of the old heron.</p><table>{rows}</table>");
        let page = document("/book/17", &html);
        assert_eq!(read(&reader, &page, "heron").kind, AnswerKind::OneRecord);
        assert_ne!(read(&reader, &page, "").kind, AnswerKind::OneRecord);
    }

    #[test]
    fn the_fields_of_a_detailed_search_are_no_records() {
        let field = |name: &str, help: &str| {
            format!(
                "<div class=row><label>{name}</label><input name=x><p>{help} of the boats to find</p></div>"
            )
        };
        let fields = [
            ("Words in the title", "Some words"),
            ("Name of the owner", "Family name"),
            ("Port", "Any port"),
        ];
        let rows: String = fields.iter().map(|(name, help)| field(name, help)).collect();
        let page = document("/find?q=", &format!("<h1>Detailed search</h1><form action=/find>{rows}</form>"));
        let answer = AnswerReader::default().read(&page, 200, &Query::default());
        assert!(answer.records.is_empty(), "{:?}", answer.records);
    }

    #[test]
    fn lists_of_one_item_under_headings_hold_records() {
        let item = |n: usize, name: &str| {
            format!(
                "<h4>{}</h4><ul><li><a href='/boat?id={n}'>{name}</a> [<a href='/edit?id={n}'>edit</a>]
                 <span>The owner of {name} sails it to the islands.</span></li></ul>",
                &name[..1]
            )
        };
        let names = ["Albatross", "Bluebird", "Cormorant", "Dolphin", "Egret", "Ox"];
        let page = |query: &str, names: &[(usize, &&str)]| {
            let lists: String = names.iter().map(|(n, name)| item(*n, name)).collect();
            document(&format!("/find?q={query}"), &format!("<h1>Boats</h1>{lists}"))
        };
        let boats: Vec<(usize, &&str)> = names.iter().enumerate().collect();
        let mut reader = AnswerReader::default();
        let all = page("owner", &boats);
        assert_eq!(titles(&read(&reader, &all, "owner")), names);
        reader.improve(&AnswerSample { document: &all, status: 200, query: &Query::words("owner") });
        // One record does not show which of its links leads to it; earlier answers do.
        let one = read(&reader, &page("ox", &boats[5..]), "ox");
        assert_eq!(titles(&one), ["Ox"]);
        assert_eq!(one.records[0].url.as_ref().map(Url::as_str), Some("http://a.org/boat?id=5"));
    }

    fn titles(answer: &Answer) -> Vec<&str> {
        answer.records.iter().map(|record| record.title.as_str()).collect()
    }

    #[test]
    fn a_page_with_records_and_a_next_page_is_a_list_without_a_search() {
        let list = |after: &str| super::super::lists_records(&list("sea", "All boats", 8, after));
        assert!(list("<a href='/boats?page=2'>Next</a>"));
        assert!(!list(""), "no other page");
    }

    #[test]
    fn the_page_of_the_only_match_may_count_its_own_items() {
        let text = "The walnut desk is made of oak and stands in a quiet room near the harbour. ".repeat(8);
        let related =
            ["oak chair with arms", "birch table for six", "pine shelf of five boards", "elm bench"];
        let related: String = related
            .iter()
            .enumerate()
            .map(|(n, name)| format!("<li><a href=/record/{n}>An {name}</a> from the same workshop</li>"))
            .collect();
        let html = format!(
            "<title>Walnut desk</title><h1>Walnut desk</h1><p>Price: 20 Place: Oslo Number: 5 Height: 3</p>
             <p>xii, 245 pages</p><p>{text}</p><section><h2>Related</h2><ul>{related}</ul></section>"
        );
        let answer = read(&trained("Search", ""), &document("/record/7", &html), "walnut");
        assert_eq!((answer.kind, answer.total), (AnswerKind::OneRecord, None));
    }
}
