//! The bound: the policy that knows every answer beforehand, made of the database itself.

use super::arena::Arena;
use hadal_core::harvest::policy::oracle::{OraclePolicy, TrueAnswers};
use hadal_core::harvest::record::RecordId;
use hadal_core::learn::random::Random;
use hadal_world::database::SearchQuery;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Its name among policies.
pub const ORACLE: &str = "oracle";

/// Chooses among all single words of the collection.
pub fn oracle(arena: &Arena) -> OraclePolicy<'_> {
    // Frequent words are weighed again and again.
    let answers: RefCell<FxHashMap<String, Box<[u32]>>> = RefCell::default();
    let truth: TrueAnswers<'_> = Box::new(move |word: &str| {
        let mut answers = answers.borrow_mut();
        if !answers.contains_key(word) {
            let found = arena.database.search_all(&SearchQuery::words(word));
            answers.insert(word.to_string(), found.hits.into());
        }
        answers[word].iter().map(|number| record_id(*number)).collect()
    });
    OraclePolicy::new(truth, arena.ground.vocabulary.clone())
}

/// What policies know a record by: nothing of the collection's order shows in it.
pub fn record_id(number: u32) -> RecordId {
    RecordId(Random::new(u64::from(number)).bits())
}
