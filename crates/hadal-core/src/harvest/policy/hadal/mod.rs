//! `hadal`: the query with most expected new records per unit of cost.
//!
//! The policy covers the database greedily. For every word of the seen records it estimates the number of new records
//! that a query for the word returns, and sends the query with the best ratio of new records to cost. Answers are read
//! page by page: as soon as another page promises more, the answer is paused and may be continued later.
//!
//! | module | model |
//! |---|---|
//! | `word_table` | class, status and stated total of each word |
//! | `captures` | how often each record was captured, and which records contain each word; `sample` holds word lists |
//! | `yield_model` | matching, unseen and new records of a word |
//! | `scoring` | score of a query from its yield and cost |
//! | `paused` | value of the next page of a paused answer |
//! | `conjunctions` | queries of several words, under a result cap |
//! | `word_classes` | probability that the form indexes a word |
//! | `matching` | match mode of the form: words, stems, prefixes or substrings, AND or OR |

mod captures;
mod conjunctions;
mod matching;
mod paused;
mod sample;
mod scoring;
#[cfg(test)]
mod tests;
mod word_classes;
mod word_table;
mod yield_model;

use super::lexicon::split_words;
use super::result_cap::ResultCap;
use super::total_check::TotalCheck;
use super::word_list::FirstQueries;
use super::{Policy, PolicyContext, QueryOutcome, ReadingEnd, RequestCosts, RetryCounter, StatedTotal};
use crate::harvest::query::Query;
use crate::text::language::Language;
use conjunctions::ConjunctiveQueries;
use matching::{MatchMode, MatchObservations};
use paused::{BestContinuation, CONTINUATION_BONUS, PausedAnswers};
use scoring::ScoredQuery;
use word_classes::{IndexedClasses, WordClass};
use word_table::{WordStatus, WordTable};
use yield_model::{ExpectedYield, StatedMatches, YieldModel};

/// Answers between two selections of broad words. Guess.
const BROAD_WORDS_INTERVAL: u32 = 16;

/// Answers between two examinations of a broad query. Guess.
const EXTENSION_INTERVAL: u32 = 4;

/// Greatest result cap for which stated totals of broad words determine `lambda` of the yield model. Guess.
const SMALL_CAP: u32 = 32;

/// For this many answers at the start of a harvest, only the first page is read if another query is worth enough.
/// Almost all records are new then, so a new word costs no yield and shows another total. Afterwards the longest answer
/// is continued. Independent of the phase in which broad words are preferred (`BROAD_FIRST_ANSWERS`). Guess.
const FIRST_PAGE_ONLY_ANSWERS: u32 = 6;

/// A new query is preferred to the next page only if its value is at least this share of that of a full page of new
/// records. Guess.
const MIN_VALUE_TO_EXPLORE: f64 = 0.2;

/// An answer without a total that is at least as long as any before counts as cut if it holds less than this
/// share of the seen records that match. Guess.
const MIN_KNOWN_SHOWN: f64 = 0.9;

/// The policy `hadal`; see the module.
pub struct HadalPolicy {
    first_queries: FirstQueries,
    retries: RetryCounter,
    words: WordTable,
    yields: YieldModel,
    indexed: IndexedClasses,
    matching: MatchObservations,
    conjunctions: ConjunctiveQueries,
    cap: ResultCap,
    totals: TotalCheck,
    /// Length of the longest answer, in records.
    longest_answer: u32,
    /// Number of answers.
    answers: u32,
    paused: PausedAnswers,
    /// Records per result page.
    page_size: f64,
    /// False once a first page held mostly seen records.
    are_first_pages_new: bool,
    /// Greatest stated total.
    greatest_total: f64,
    last_choice: LastChoice,
}

/// The request that was chosen last, and those that it was preferred to.
struct LastChoice {
    /// Expected share of new records on the first page of the chosen query.
    new_share: f64,
    /// Value of the best new query beside the chosen request, in new records per unit of cost.
    second_best_query_value: f64,
    /// Value of the best paused answer beside the chosen request, with the preference for long answers.
    second_best_page_value: f64,
}

impl HadalPolicy {
    /// A policy that starts with the first words of the context.
    pub fn new(context: &PolicyContext) -> HadalPolicy {
        HadalPolicy {
            first_queries: FirstQueries::new(context),
            retries: RetryCounter::default(),
            words: WordTable::new(Language::of(context.language.as_deref())),
            yields: YieldModel::default(),
            indexed: IndexedClasses::default(),
            matching: MatchObservations::default(),
            conjunctions: ConjunctiveQueries::default(),
            cap: ResultCap::default(),
            totals: TotalCheck::default(),
            longest_answer: 0,
            answers: 0,
            paused: PausedAnswers::default(),
            page_size: f64::from(RequestCosts::default().page_size),
            are_first_pages_new: true,
            greatest_total: 0.0,
            last_choice: LastChoice {
                new_share: 1.0,
                second_best_query_value: 0.0,
                second_best_page_value: 0.0,
            },
        }
    }

    /// Returns true if more records match than the answer holds: it was not read to the end, reached the cap, is below
    /// its total, or lacks seen records that match. `known` is the number of these, `again` how many came.
    fn is_cut(&self, answer: &QueryOutcome<'_>, known: f64, again: u32) -> bool {
        let shown = answer.hits.len() as u32;
        let is_below_total = answer.total.is_some_and(|total| total.count() > u64::from(shown));
        let lacks_known = answer.total.is_none()
            && shown >= self.longest_answer
            && f64::from(again) < MIN_KNOWN_SHOWN * known;
        let at_cap = self.cap.value().is_some_and(|cap| shown >= cap);
        answer.end != ReadingEnd::LastPage || at_cap || is_below_total || lacks_known
    }

    /// Returns true if a new query of this value is preferred to the next page of an answer: at the start, while first
    /// pages hold mostly new records, if totals tell how long the answers are (`has_totals`).
    fn explores(&self, value: f64, has_totals: bool, costs: &RequestCosts) -> bool {
        let page = f64::from(costs.page_size.max(1));
        let full_page = page / (costs.query + costs.detail * page);
        let is_start = self.answers < FIRST_PAGE_ONLY_ANSWERS && self.are_first_pages_new;
        is_start && has_totals && value >= MIN_VALUE_TO_EXPLORE * full_page
    }

    /// Learns from an answer to one word. `before`, `rates`, `expected`, `first_page` and `all_before` are
    /// taken before the records of the answer are counted: they are what the model predicted.
    fn learn_word(&mut self, word: &str, answer: &QueryOutcome<'_>) {
        let before = self.words.captures.counts_of(word);
        let rates = self.yields.rates();
        let expected = self.yields.expect(&rates, &before, None);
        let all_before = *self.words.captures.all_records();
        let first_page = self.yields.expect(&rates, &before, Some(self.page_size as u32));
        let counts = self.words.learn(Some(word), answer.hits);
        let number = self.words.captures.lexicon().number(word);
        self.matching.learn(word, answer.hits, self.words.language);
        let is_cut = self.is_cut(answer, rates.known_visible(&before), counts.again.records());
        if let (true, Some(StatedTotal::Exactly(total)), Some(number)) = (is_cut, answer.total, number) {
            let shown = f64::from(counts.records());
            self.words.add_stated(number, StatedMatches { matching: total as f64, shown });
        }
        if is_cut {
            self.yields.learn_indexed_parts(&before, &counts);
        }
        let first = answer.hits.len().min(self.page_size as usize);
        let new = answer.hits[..first].iter().filter(|hit| hit.is_new).count() as u32;
        if before.records() > 0.0 {
            self.yields.learn_phi(&first_page, new, self.page_size);
        }
        self.are_first_pages_new &= 2 * new as usize >= first;
        if let Some(number) = number {
            self.words.set_status(number, if is_cut { WordStatus::Partial } else { WordStatus::Complete });
        }
        self.pause(answer, number.into_iter().collect(), Some(rates.known_matching(&before)));
        let shown = answer.hits.len() as u32;
        let class = WordClass::of(word, self.words.language);
        let is_surely_findable =
            before.title.records > 0.0 || (before.records() > 0.0 && class.is_unspaced());
        // Sizes, dates and addresses of records hold numbers that no form indexes.
        let tells_class = before.records() > 0.0 && class == WordClass::Number && rates.indexes_bodies();
        if is_surely_findable || tells_class || (before.records() > 0.0 && shown > 0) {
            self.indexed.learn(class, shown > 0);
        }
        match answer.total {
            _ if shown == 0 && (is_surely_findable || tells_class) => return,
            _ if !is_cut => self.yields.learn_complete(&before, &counts),
            Some(StatedTotal::Exactly(total)) => {
                let by_total = self.yields.learn_stated_total(&before, total as f64);
                self.yields.learn_kappa(&by_total, new, first as u32);
                let stated = (total as f64, rates.known_matching(&before));
                self.paused.learn_psi(answer, stated, first, self.page_size);
            }
            _ => return self.yields.learn_partial(&before, &expected, &counts),
        }
        let new = f64::from(counts.new.records());
        self.yields.correct_lambda(&all_before, self.words.captures.all_records(), new);
    }

    /// Makes words with the same stem one word, once the form matches stems.
    fn merge_stems(&mut self) {
        let merged = self.words.merge_stems();
        self.conjunctions = ConjunctiveQueries::default();
        self.paused.merge_stems(&merged);
    }

    /// Passes the stated totals to the yield model if the result cap is small.
    fn use_stated_totals(&mut self) {
        let is_small = self.cap.value().is_some_and(|cap| cap <= SMALL_CAP);
        self.yields.set_stated_lambda(self.words.broadest().filter(|_| is_small));
    }

    /// Learns from an answer to several words.
    fn learn_conjunction(&mut self, words: &[String], answer: &QueryOutcome<'_>) {
        let lexicon = self.words.captures.lexicon();
        let numbers: Vec<u32> = words.iter().filter_map(|word| lexicon.number(word)).collect();
        let candidate = self.conjunctions.candidates().find(|(words, ..)| *words == numbers);
        let rates = self.yields.rates().without_rarity_classes();
        let expected = candidate.map(|(_, counts, stated_ratio)| {
            let most = (answer.hits.len() as u32).max(self.page_size as u32);
            let expected = self.yields.expect(&rates, counts, Some(most));
            ExpectedYield { new: expected.new * stated_ratio, ..expected }
        });
        let new = f64::from(self.words.learn(None, answer.hits).new.records());
        self.matching.learn_conjunction(words, answer.hits);
        if let Some(expected) = expected {
            self.conjunctions.found.learn(new, expected.new);
        }
        self.pause(answer, numbers.clone(), None);
        let unseen_left = expected.map_or(0.0, |expected| expected.unseen - new).max(1.0);
        let is_cut = self.is_cut(answer, 0.0, 0);
        self.conjunctions.mark_queried(&numbers, is_cut.then_some(unseen_left));
    }

    /// Selects and examines broad queries in their intervals, once the result cap is known.
    fn update_conjunctions(&mut self) {
        let Some(cap) = self.cap.value().filter(|_| !self.matching.matches_any_word()) else { return };
        if self.answers.is_multiple_of(BROAD_WORDS_INTERVAL) {
            let broad = self.broad_words(cap);
            self.conjunctions.set_broad_words(broad);
        }
        if self.answers.is_multiple_of(EXTENSION_INTERVAL) {
            let rates = self.yields.rates().without_rarity_classes();
            let (yields, indexed, words) = (&self.yields, &self.indexed, &self.words);
            self.conjunctions.find_extensions_of_next(&words.captures, |word, counts| {
                yields.expect(&rates, counts, Some(cap)).new * indexed.probability(words.class(word))
            });
        }
    }
}

impl Policy for HadalPolicy {
    fn choose(&mut self, costs: &RequestCosts) -> Option<Query> {
        self.page_size = f64::from(costs.page_size.max(1));
        let best = self.best_queries(costs, scoring::SHORTLIST);
        let is_repeat = |scored: &ScoredQuery| scored.words.len() == 1 && self.is_repeat(scored.words[0]);
        let chosen = best.iter().position(|scored| !is_repeat(scored)).unwrap_or(0);
        let value = |at: usize| best.get(at).map_or(0.0, |scored| self.value_of_new_query(scored, costs));
        let paused = self.best_continuation(costs);
        let explores = self.explores(value(chosen), self.paused.has_totals(), costs);
        let best_query = best.get(chosen);
        if paused.query.is_some() && CONTINUATION_BONUS * paused.value >= value(chosen) && !explores {
            let second_best_query_value = value(chosen);
            self.last_choice.second_best_query_value = second_best_query_value;
            self.last_choice.second_best_page_value = paused.second_preference;
            return paused.query;
        }
        let share = |best: &ScoredQuery| best.expected.new / best.expected.shown.max(1e-9);
        let next = best_query.map(|scored| self.query(scored));
        self.last_choice = LastChoice {
            new_share: best_query.map_or(1.0, share),
            second_best_query_value: value(chosen + 1),
            second_best_page_value: paused.preference,
        };
        next.or_else(|| self.first_queries.next().map(Query::words))
    }

    fn wants_next_page(&self, answer: &QueryOutcome<'_>, costs: &RequestCosts) -> bool {
        let total = self.totals.usable(answer);
        self.is_next_page_worth_it(&QueryOutcome { total, ..answer.clone() }, costs)
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        if !self.retries.is_settled(answer) {
            return;
        }
        self.first_queries.mark_queried(&answer.query.words);
        self.totals.learn(answer);
        let answer = &QueryOutcome { total: self.totals.usable(answer), ..answer.clone() };
        self.cap.learn(answer);
        match &split_words(&answer.query.words)[..] {
            _ if answer.query.after > 0 => self.learn_continuation(answer),
            // A browse list or link: the records count, but no word was queried.
            [] => _ = self.words.learn(None, answer.hits),
            [word] => self.learn_word(word, answer),
            words => self.learn_conjunction(words, answer),
        }
        self.use_stated_totals();
        self.greatest_total = self.greatest_total.max(answer.total.map_or(0.0, |total| total.count() as f64));
        self.longest_answer = self.longest_answer.max(answer.records_read() as u32);
        self.answers += 1;
        if !self.words.captures.lexicon().merges_stems() && self.matching.mode() == MatchMode::Stems {
            self.merge_stems();
        }
        self.update_conjunctions();
    }

    fn drop_continuation(&mut self, query: &Query) {
        self.drop_paused(&query.words);
    }

    fn top_queries(&self, costs: &RequestCosts, limit: usize) -> Vec<(Query, f64)> {
        let best = self.best_queries(costs, limit.max(1));
        let is_first = |paused: &BestContinuation| {
            best.first().is_none_or(|first| {
                CONTINUATION_BONUS * paused.value >= self.value_of_new_query(first, costs)
            })
        };
        let paused = Some(self.best_continuation(costs)).filter(is_first);
        let continuation = paused.and_then(|paused| paused.query.zip(Some(paused.new)));
        let queries = best.iter().map(|scored| (self.query(scored), scored.expected.new));
        continuation.into_iter().chain(queries).take(limit).collect()
    }
}
