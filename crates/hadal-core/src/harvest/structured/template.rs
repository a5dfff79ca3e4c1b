//! Which inputs make a difference (Madhavan et al. 2008, section 4: informative templates).
//!
//! A template is a set of bound inputs. Its first queries are its test: when their answers hardly differ
//! from each other, or not at all from what they were to narrow, the rest is not asked.

use rustc_hash::{FxHashMap, FxHashSet};

/// Queries that decide.
const SAMPLE: u32 = 20;
/// Distinct answers for each query of the sample.
const INFORMATIVE: f64 = 0.2;
/// First queries that change nothing before an input is known to be ignored.
const IGNORED: u32 = 4;

/// What is known of each template.
#[derive(Default)]
pub struct Templates {
    trials: FxHashMap<u64, Trial>,
}

#[derive(Default)]
struct Trial {
    asked: u32,
    unchanged: u32,
    signatures: FxHashSet<u64>,
    is_dull: bool,
}

impl Templates {
    /// Whether nothing speaks against asking more of it.
    pub fn is_informative(&self, template: u64) -> bool {
        self.trials.get(&template).is_none_or(|trial| !trial.is_dull)
    }

    /// Takes in an answer by its signature, and that of the answer it narrows. Says whether this was what
    /// it took to give the template up.
    pub fn learn(&mut self, template: u64, signature: u64, narrowed: u64) -> bool {
        let trial = self.trials.entry(template).or_default();
        if trial.asked >= SAMPLE {
            return false;
        }
        trial.asked += 1;
        trial.unchanged += u32::from(signature == narrowed);
        trial.signatures.insert(signature);
        let is_ignored = trial.asked == IGNORED && trial.unchanged == IGNORED;
        let differ = trial.signatures.len() as f64 / f64::from(trial.asked);
        let is_dull = is_ignored || (trial.asked == SAMPLE && differ < INFORMATIVE);
        trial.is_dull |= is_dull;
        is_dull
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_hardly_differ_end_a_template() {
        let mut templates = Templates::default();
        let ended: Vec<u32> = (0..30).filter(|nth| templates.learn(1, u64::from(nth % 3), 99)).collect();
        assert_eq!(ended, [19]);
        assert!(!templates.is_informative(1) && templates.is_informative(2));
        assert!((0..30).all(|nth| !templates.learn(2, nth % 4, 99)));
        assert!(templates.is_informative(2));
    }

    #[test]
    fn an_input_that_changes_nothing_is_given_up_at_once() {
        let mut templates = Templates::default();
        let ended: Vec<u64> = (0..9).filter(|_| templates.learn(1, 5, 5)).collect();
        assert_eq!(ended.len(), 1);
        assert!(!templates.is_informative(1));
    }
}
