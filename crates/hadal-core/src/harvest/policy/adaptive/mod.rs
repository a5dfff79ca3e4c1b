//! `adaptive`: the policy of Ntoulas, Zerfos and Cho, "Downloading Textual Hidden Web Content Through Keyword Queries"
//! (2005).
//!
//! For each candidate word `t` of the downloaded records (section 3.2, figure 7):
//!
//! ```text
//! Efficiency(t) = P_new(t) / Cost(t)
//! P_new(t)      = P(t) - P(Q) * P(t | Q)                 (from equation 3)
//! Cost(t)       = 1, or one of
//!                 c_q + c_r * P(t) + c_d * P(t)          (equation 1)
//!                 c_q + c_r * P(t) + c_d * P_new(t)      (equation 2)
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `Q` | all queries so far, `q_1 or ... or q_i` |
//! | `P(Q)` | share of the database that is downloaded |
//! | `P(t)` | share of the database that contains `t` |
//! | `P(t given Q)` | share of the downloaded records that contain `t`, from the query statistics table |
//! | `P_new(t)` | share of the database that the query `t` returns for the first time |
//! | `c_q`, `c_r`, `c_d` | cost of a query, of its result pages, of downloading its records |
//!
//! The word with the greatest efficiency is next. `P(t)` comes from one of two estimators: the independence estimator
//! assumes `P(t) = P(t | Q)`, the Zipf estimator reads it off a curve (equations 4 and 5, [`zipf`]). Defaults are the
//! independence estimator and constant cost, as in most of the paper's experiments. The correction of cut answers
//! (equations 6 and 7, [`statistics`]) is an option.
//!
//! The paper leaves the estimation of `P(Q)` open. Under independence the share of an answer that is already downloaded
//! equals `P(Q)`, so `P(Q) = (a + 1) / (m + 2)`, where `m` is the number of records in all complete answers and `a` the
//! number of those that were downloaded before.

pub mod statistics;
#[cfg(test)]
mod tests;
pub mod zipf;

use super::result_cap::ResultCap;
use super::word_list::FirstQueries;
use super::{Policy, PolicyContext, QueryOutcome, ReadingEnd, RequestCosts, RetryCounter};
use crate::harvest::query::Query;
use statistics::{DownloadedWords, QueryStatistics, WordRanks};
use std::collections::VecDeque;
use zipf::ZipfCurve;

/// Maximum number of queried words that the Zipf curve is fitted to; the latest are used. Guess; limits the
/// time of a choice.
const MAX_CURVE_POINTS: usize = 500;

/// Limits of the downloaded share `P(Q)`. Guess; they keep the estimated size finite.
const SHARE_LIMITS: (f64, f64) = (0.001, 0.999);

/// Estimator of `P(t)`, the share of the database that contains a word.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum FrequencyEstimator {
    /// `P(t) = P(t | Q)`.
    #[default]
    Independence,
    /// `P(t)` from the rank of the word, on a [`ZipfCurve`] fitted to the queried words.
    Zipf,
}

/// Cost of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum CostModel {
    /// Every query costs 1.
    #[default]
    Constant,
    /// Equation 2: only new records are downloaded.
    NewRecords(CostWeights),
}

/// Constants of equation 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostWeights {
    /// `c_q`: cost of sending a query.
    pub query: f64,
    /// `c_r`: cost of the result pages of a query that matches the whole database.
    pub results: f64,
    /// `c_d`: cost of downloading the whole database.
    pub records: f64,
}

impl Default for CostWeights {
    /// The values of section 4.4 of the paper, chosen there for PubMed.
    fn default() -> CostWeights {
        CostWeights { query: 100.0, results: 100.0, records: 10_000.0 }
    }
}

impl CostModel {
    fn cost(self, p: f64, p_new: f64) -> f64 {
        match self {
            CostModel::Constant => 1.0,
            CostModel::NewRecords(c) => c.query + c.results * p + c.records * p_new,
        }
    }
}

/// Options of [`AdaptivePolicy`]. The default is the setting of most of the paper's experiments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AdaptiveOptions {
    /// Estimator of `P(t)`.
    pub estimator: FrequencyEstimator,
    /// Cost model of the efficiency.
    pub cost: CostModel,
    /// True to correct the statistics for cut answers (equations 6 and 7).
    pub corrects_cap: bool,
}

/// Efficiency of a candidate word.
struct WordEfficiency {
    word: u32,
    /// `P_new / Cost`.
    efficiency: f64,
    /// Expected number of new records.
    new: f64,
}

impl WordEfficiency {
    /// Greatest efficiency first; among equals the word that occurred first.
    fn order(&self, other: &WordEfficiency) -> std::cmp::Ordering {
        other.efficiency.total_cmp(&self.efficiency).then(self.word.cmp(&other.word))
    }
}

/// The adaptive policy; see the module.
pub struct AdaptivePolicy {
    options: AdaptiveOptions,
    first_queries: FirstQueries,
    retries: RetryCounter,
    statistics: QueryStatistics,
    /// Present if cut answers are corrected.
    downloaded: Option<DownloadedWords>,
    /// Queried words with the number of records in their complete answers.
    curve_points: VecDeque<(u32, f64)>,
    /// Records in complete answers: `m` of the module's formula.
    matched: f64,
    /// Those of them that were downloaded before: `a` of the module's formula.
    downloaded_before: f64,
    cap: ResultCap,
}

impl AdaptivePolicy {
    /// A policy that starts with the first words of the context.
    pub fn new(context: &PolicyContext, options: AdaptiveOptions) -> AdaptivePolicy {
        AdaptivePolicy {
            options,
            first_queries: FirstQueries::new(context),
            retries: RetryCounter::default(),
            statistics: QueryStatistics::default(),
            downloaded: options.corrects_cap.then(DownloadedWords::default),
            curve_points: VecDeque::new(),
            matched: 0.0,
            downloaded_before: 0.0,
            cap: ResultCap::default(),
        }
    }

    /// `P(Q)`: share of the database that is downloaded.
    fn downloaded_share(&self) -> f64 {
        let (least, most) = SHARE_LIMITS;
        ((self.downloaded_before + 1.0) / (self.matched + 2.0)).clamp(least, most)
    }

    /// Efficiencies of all candidates.
    fn efficiencies(&self) -> impl Iterator<Item = WordEfficiency> + '_ {
        let downloaded = self.downloaded_share();
        let size = self.statistics.records() / downloaded;
        let curve = self.zipf_curve();
        self.statistics.candidates().map(move |(word, count)| {
            let p_given_q = count / self.statistics.records().max(1.0);
            let p = match &curve {
                Some((curve, ranks)) => {
                    (curve.frequency(ranks.rank(count)) / size).clamp(downloaded * p_given_q, 1.0)
                }
                None => p_given_q,
            };
            let p_new = p - downloaded * p_given_q;
            WordEfficiency { word, efficiency: p_new / self.options.cost.cost(p, p_new), new: p_new * size }
        })
    }

    /// Zipf curve of the queried words; `None` for the independence estimator or with too few words.
    fn zipf_curve(&self) -> Option<(ZipfCurve, WordRanks)> {
        if self.options.estimator == FrequencyEstimator::Independence {
            return None;
        }
        let ranks = self.statistics.ranks();
        let point = |(word, found): &(u32, f64)| (ranks.rank(self.statistics.count_of(*word)), *found);
        let points: Vec<(f64, f64)> = self.curve_points.iter().map(point).collect();
        ZipfCurve::fit(&points).map(|curve| (curve, ranks))
    }

    /// Returns true if the answer was read to its end and is shorter than the number of matches.
    fn is_cut(&self, answer: &QueryOutcome<'_>) -> bool {
        let shown = answer.hits.len() as u64;
        let at_cap = self.cap.value().is_some_and(|cap| shown >= u64::from(cap));
        let is_below_total = answer.total.is_some_and(|total| total.count() > shown);
        answer.end == ReadingEnd::LastPage && (at_cap || is_below_total)
    }

    /// Learns `P(Q)` and a point of the Zipf curve from a complete answer.
    fn learn_complete(&mut self, answer: &QueryOutcome<'_>) {
        let before = answer.hits.iter().filter(|hit| !hit.is_new).count();
        self.matched += answer.hits.len() as f64;
        self.downloaded_before += before as f64;
        if let Some(word) = self.statistics.lexicon().number(&answer.query.words) {
            self.curve_points.push_back((word, answer.hits.len() as f64));
            if self.curve_points.len() > MAX_CURVE_POINTS {
                self.curve_points.pop_front();
            }
        }
    }

    /// Updates the query statistics table, with the correction of a cut answer if that is an option.
    fn learn_words(&mut self, answer: &QueryOutcome<'_>, is_cut: bool) {
        let expected = self.statistics.count(&answer.query.words) / self.downloaded_share();
        let mut shown = Vec::new();
        for hit in answer.hits {
            let words = self.statistics.words(hit.title, hit.text);
            if hit.is_new && !(is_cut && self.downloaded.is_some()) {
                self.statistics.add_record(&words);
            }
            shown.push(words);
        }
        let Some(downloaded) = &mut self.downloaded else { return };
        if is_cut && let Some(query_word) = self.statistics.lexicon().number(&answer.query.words) {
            let matching = answer.total.map_or(expected, |total| total.count() as f64);
            downloaded.correct(&mut self.statistics, query_word, matching.max(shown.len() as f64), &shown);
        }
        let new = answer.hits.iter().zip(&shown).filter(|(hit, _)| hit.is_new);
        new.for_each(|(hit, words)| downloaded.keep(hit.id, words));
    }
}

impl Policy for AdaptivePolicy {
    fn choose(&mut self, _costs: &RequestCosts) -> Option<Query> {
        let best = self.efficiencies().min_by(WordEfficiency::order);
        let best = best.map(|best| self.statistics.lexicon().word(best.word));
        best.or_else(|| self.first_queries.next()).map(Query::words)
    }

    fn learn(&mut self, answer: &QueryOutcome<'_>) {
        if !self.retries.is_settled(answer) {
            return;
        }
        self.cap.learn(answer);
        self.first_queries.mark_queried(&answer.query.words);
        self.statistics.mark_queried(&answer.query.words);
        let is_cut = self.is_cut(answer);
        self.learn_words(answer, is_cut);
        if answer.end == ReadingEnd::LastPage && !is_cut {
            self.learn_complete(answer);
        }
    }

    fn top_queries(&self, _costs: &RequestCosts, limit: usize) -> Vec<(Query, f64)> {
        let mut words: Vec<WordEfficiency> = self.efficiencies().collect();
        words.sort_by(WordEfficiency::order);
        words.truncate(limit);
        words.iter().map(|best| (Query::words(self.statistics.lexicon().word(best.word)), best.new)).collect()
    }
}
