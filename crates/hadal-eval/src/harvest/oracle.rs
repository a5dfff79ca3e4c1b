//! Upper bound for every policy: it knows all answers in progress.

use super::database_setup::DatabaseSetup;
use hadal_core::harvest::policy::oracle::{OraclePolicy, TrueAnswers};
use hadal_core::harvest::record::RecordId;
use hadal_core::learn::rng::Rng;
use hadal_world::database::SearchQuery;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Oracle over all single words of the collection.
pub fn oracle(setup: &DatabaseSetup) -> OraclePolicy<'_> {
    // The greedy choice evaluates frequent words many times, so answers are cached.
    let answers: RefCell<FxHashMap<String, Box<[u32]>>> = RefCell::default();
    let truth: TrueAnswers<'_> = Box::new(move |word: &str| {
        let mut answers = answers.borrow_mut();
        if !answers.contains_key(word) {
            let found = setup.database.search_all(&SearchQuery::words(word));
            answers.insert(word.to_string(), found.hits.into());
        }
        answers[word].iter().map(|number| record_id(*number)).collect()
    });
    OraclePolicy::new(truth, setup.collection.vocabulary.clone())
}

/// Record id that does not reveal the order of the collection.
pub fn record_id(number: u32) -> RecordId {
    RecordId(Rng::new(u64::from(number)).bits())
}
