//! Which inputs make a difference (Madhavan et al. 2008, section 4: informative templates).
//!
//! A template is a set of bound inputs. Its first queries are its test: when their answers do not differ
//! from what they were to narrow, the server ignores the input; when they hardly differ from each other,
//! most of them being empty, other inputs come first.

use rustc_hash::{FxHashMap, FxHashSet};

/// Queries that decide.
const SAMPLE: u32 = 20;
/// Distinct answers for each query of the sample.
const INFORMATIVE: f64 = 0.2;
/// First queries that change nothing before an input is known to be ignored. Parts of one slice share no
/// records, so that two of them cannot both be like the whole.
const IGNORED: u32 = 2;

/// What is known of each template.
#[derive(Default)]
pub struct InputTemplates {
    trials: FxHashMap<u64, TemplateTest>,
    ignored_inputs: u64,
}

#[derive(Default)]
struct TemplateTest {
    asked: u32,
    unchanged: u32,
    signatures: FxHashSet<u64>,
    verdict: TemplateVerdict,
}

/// What is thought of a template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TemplateVerdict {
    /// Nothing speaks against asking more of it.
    #[default]
    Informative,
    /// Most of its queries are wasted.
    Dull,
    /// Its last input changes nothing.
    Ignored,
}

impl InputTemplates {
    /// What is thought of a template.
    pub fn verdict(&self, template: u64) -> TemplateVerdict {
        let own = self.trials.get(&template).map_or(TemplateVerdict::Informative, |trial| trial.verdict);
        if template & self.ignored_inputs == 0 { own } else { TemplateVerdict::Ignored }
    }

    /// Whether something was asked of a template.
    pub fn is_tried(&self, template: u64) -> bool {
        self.trials.contains_key(&template)
    }

    /// Takes in an answer by its signature, and that of the answer it narrows. Says whether the verdict on
    /// the template fell with it.
    pub fn learn(&mut self, template: u64, signature: u64, narrowed: u64) -> bool {
        let trial = self.trials.entry(template).or_default();
        if trial.asked >= SAMPLE || trial.verdict != TemplateVerdict::Informative {
            return false;
        }
        trial.asked += 1;
        trial.unchanged += u32::from(signature == narrowed);
        trial.signatures.insert(signature);
        if trial.asked == IGNORED && trial.unchanged == IGNORED {
            trial.verdict = TemplateVerdict::Ignored;
            self.ignored_inputs |= if template.count_ones() == 1 { template } else { 0 };
        } else if trial.asked == SAMPLE && (trial.signatures.len() as f64) < INFORMATIVE * f64::from(SAMPLE) {
            trial.verdict = TemplateVerdict::Dull;
        }
        trial.verdict != TemplateVerdict::Informative
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_hardly_differ_make_a_template_dull() {
        let mut templates = InputTemplates::default();
        let fell: Vec<u64> = (0..30).filter(|nth| templates.learn(1, nth % 3, 99)).collect();
        assert_eq!(fell, [19]);
        assert_eq!(
            [1, 2].map(|template| templates.verdict(template)),
            [TemplateVerdict::Dull, TemplateVerdict::Informative]
        );
        assert!((0..30).all(|nth| !templates.learn(2, nth % 4, 99)));
    }

    #[test]
    fn an_input_that_changes_nothing_is_ignored_wherever_it_is_bound() {
        let mut templates = InputTemplates::default();
        let fell: Vec<u64> = (0..9).filter(|_| templates.learn(0b1, 5, 5)).collect();
        assert_eq!(fell, [1]);
        assert_eq!(templates.verdict(0b11), TemplateVerdict::Ignored);
        assert_eq!(templates.verdict(0b10), TemplateVerdict::Informative);
    }
}
