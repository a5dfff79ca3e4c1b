//! `adaptive`: the word that promises most new records for its cost, by the records downloaded so far.
//!
//! Ntoulas, Zerfos and Cho, "Downloading textual hidden web content through keyword queries" (2005): greedy
//! efficiency `P_new / Cost` over the words of a query statistics table. By default a query's cost is constant
//! and words are taken to be independent of each other, as in most of the paper's experiments; the other
//! estimator, cost models and the correction for limited answers are options of [`AdaptivePolicy`].

mod limit;
pub mod table;
#[cfg(test)]
mod tests;
pub mod zipf;

use super::opening::Opening;
use super::result_cap::ResultCap;
use super::retry::RetryCounter;
use super::{Policy, PolicyContext, QueryOutcome, ReadingEnd, RequestCosts};
use crate::harvest::query::Query;
use limit::Downloaded;
use std::collections::VecDeque;
use table::{Ranks, Table};
use zipf::Zipf;

/// QueryOutcome words that the Zipf curve is fitted on, the latest.
const MOST_KNOWN: usize = 500;

/// How the frequency of a word in the whole database is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum FrequencyEstimator {
    /// As its frequency in the records downloaded.
    #[default]
    Independence,
    /// By its rank in them, on a curve fitted to the words asked.
    Zipf,
}

/// What a query costs, P being shares of the whole database.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cost {
    /// Every query the same.
    #[default]
    Constant,
    /// Equation 1: every matching record is downloaded.
    All(Weights),
    /// Equation 2: only new records are downloaded.
    New(Weights),
}

/// The constants of the cost equations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// c_q, sending a query.
    pub query: f64,
    /// c_r, its result pages.
    pub results: f64,
    /// c_d, downloading the records.
    pub records: f64,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights { query: 100.0, results: 100.0, records: 10_000.0 }
    }
}

impl Cost {
    fn of(self, p: f64, p_new: f64) -> f64 {
        match self {
            Cost::Constant => 1.0,
            Cost::All(c) => c.query + c.results * p + c.records * p,
            Cost::New(c) => c.query + c.results * p + c.records * p_new,
        }
    }
}

/// The options of the method.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AdaptiveOptions {
    /// How frequencies are estimated.
    pub estimator: FrequencyEstimator,
    /// What queries cost.
    pub cost: Cost,
    /// Whether answers that the form cut off are made up for.
    pub corrects_limit: bool,
}

/// The policy.
pub struct AdaptivePolicy {
    options: AdaptiveOptions,
    opening: Opening,
    retries: RetryCounter,
    table: Table,
    downloaded: Option<Downloaded>,
    /// QueryOutcome words and how many records answered.
    known: VecDeque<(u32, f64)>,
    /// Records of complete answers, and how many of them were downloaded before.
    matched: f64,
    met_again: f64,
    cap: ResultCap,
}

impl AdaptivePolicy {
    /// Starts with the context's first words.
    pub fn new(context: &PolicyContext, options: AdaptiveOptions) -> AdaptivePolicy {
        AdaptivePolicy {
            options,
            opening: Opening::new(context),
            retries: RetryCounter::default(),
            table: Table::default(),
            downloaded: options.corrects_limit.then(Downloaded::default),
            known: VecDeque::new(),
            matched: 0.0,
            met_again: 0.0,
            cap: ResultCap::default(),
        }
    }

    /// P(q1 or ... or qi): under independence, the share of an answer's records that are there already is
    /// the share of all records that are.
    fn downloaded_share(&self) -> f64 {
        ((self.met_again + 1.0) / (self.matched + 2.0)).clamp(0.001, 0.999)
    }

    /// Efficiency and expected new records of every candidate.
    fn weighed(&self) -> impl Iterator<Item = (u32, f64, f64)> + '_ {
        let downloaded = self.downloaded_share();
        let size = self.table.records() / downloaded;
        let curve = self.curve();
        self.table.candidates().map(move |(word, count)| {
            let p_within = count / self.table.records().max(1.0);
            let p = match &curve {
                Some((curve, ranks)) => {
                    (curve.frequency(ranks.rank(count)) / size).clamp(downloaded * p_within, 1.0)
                }
                None => p_within,
            };
            let p_new = p - downloaded * p_within;
            (word, p_new / self.options.cost.of(p, p_new), p_new * size)
        })
    }

    fn curve(&self) -> Option<(Zipf, Ranks)> {
        if self.options.estimator == FrequencyEstimator::Independence {
            return None;
        }
        let ranks = self.table.ranks();
        let pairs: Vec<(f64, f64)> =
            self.known.iter().map(|(word, found)| (ranks.rank(self.table.count_of(*word)), *found)).collect();
        Zipf::fit(&pairs).map(|curve| (curve, ranks))
    }

    /// Whether the form held records back, as far as can be told.
    fn is_cut(&self, answer: &QueryOutcome<'_>) -> bool {
        let came = answer.hits.len() as u64;
        let at_cap = self.cap.value().is_some_and(|cap| came >= u64::from(cap));
        answer.end == ReadingEnd::LastPage
            && (at_cap || answer.total.is_some_and(|total| total.count() > came))
    }

    fn learn_size(&mut self, answer: &QueryOutcome<'_>) {
        let again = answer.hits.iter().filter(|hit| !hit.is_new).count();
        self.matched += answer.hits.len() as f64;
        self.met_again += again as f64;
        if let Some(word) = self.table.lexicon().number(&answer.query.words) {
            self.known.push_back((word, answer.hits.len() as f64));
            if self.known.len() > MOST_KNOWN {
                self.known.pop_front();
            }
        }
    }

    fn learn_words(&mut self, answer: &QueryOutcome<'_>, is_cut: bool) {
        let expected = self.table.count(&answer.query.words) / self.downloaded_share();
        let mut came = Vec::new();
        for hit in answer.hits {
            let words = self.table.words(hit.title, hit.text);
            if hit.is_new && !(is_cut && self.downloaded.is_some()) {
                self.table.add_record(&words);
            }
            came.push(words);
        }
        let Some(downloaded) = &mut self.downloaded else { return };
        if is_cut && let Some(asked) = self.table.lexicon().number(&answer.query.words) {
            let shown = answer.total.map_or(expected, |total| total.count() as f64);
            downloaded.correct(&mut self.table, asked, shown.max(came.len() as f64), &came);
        }
        let new = answer.hits.iter().zip(&came).filter(|(hit, _)| hit.is_new);
        new.for_each(|(hit, words)| downloaded.keep(hit.id, words));
    }
}

impl Policy for AdaptivePolicy {
    fn choose(&mut self, _costs: &RequestCosts) -> Option<Query> {
        let best = self.weighed().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let best = best.map(|(word, ..)| self.table.lexicon().word(word));
        best.or_else(|| self.opening.next()).map(Query::words)
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        if !self.retries.is_settled(answer) {
            return;
        }
        self.cap.learn(answer);
        self.opening.asked(&answer.query.words);
        self.table.mark_asked(&answer.query.words);
        let is_cut = self.is_cut(answer);
        self.learn_words(answer, is_cut);
        if answer.end == ReadingEnd::LastPage && !is_cut {
            self.learn_size(answer);
        }
    }

    fn top_queries(&self, _costs: &RequestCosts, most: usize) -> Vec<(Query, f64)> {
        let mut weighed: Vec<(u32, f64, f64)> = self.weighed().collect();
        weighed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        weighed.truncate(most);
        weighed.iter().map(|(word, _, new)| (Query::words(self.table.lexicon().word(*word)), *new)).collect()
    }
}
