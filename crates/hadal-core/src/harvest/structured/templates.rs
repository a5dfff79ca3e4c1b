//! Informative templates (Madhavan et al. 2008, section 4).
//!
//! A template is a set of bound inputs. Its first queries are a test. If their answers equal the answer of the slice
//! that they narrow, the server ignores the input. If they hardly differ from each other, because most are empty,
//! other inputs are preferred.

use rustc_hash::{FxHashMap, FxHashSet};

/// Queries of a test. Guess.
const TEST_QUERIES: u32 = 20;
/// Least number of distinct answers per query of an informative template. Guess.
const MIN_DISTINCT: f64 = 0.2;
/// Queries with unchanged answers after which an input is ignored. Parts of one slice share no records, so two of
/// them cannot both equal the whole.
const UNCHANGED_QUERIES: u32 = 2;

/// Test results of all templates.
#[derive(Default)]
pub struct InputTemplates {
    tests: FxHashMap<u64, TemplateTest>,
    /// Template of all inputs that the server ignores.
    ignored_inputs: u64,
}

/// Progress of the test of one template.
#[derive(Default)]
struct TemplateTest {
    queries: u32,
    unchanged: u32,
    signatures: FxHashSet<u64>,
    verdict: TemplateVerdict,
}

/// Result of the test of a template, best first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TemplateVerdict {
    /// Not tested completely, or the answers differ.
    #[default]
    Informative,
    /// The answers hardly differ.
    Uninformative,
    /// The server ignores an input of the template.
    Ignored,
}

impl InputTemplates {
    /// Verdict on a template.
    pub fn verdict(&self, template: u64) -> TemplateVerdict {
        let own = self.tests.get(&template).map_or(TemplateVerdict::Informative, |test| test.verdict);
        if template & self.ignored_inputs == 0 { own } else { TemplateVerdict::Ignored }
    }

    /// True if a query of the template was answered.
    pub fn is_tried(&self, template: u64) -> bool {
        self.tests.contains_key(&template)
    }

    /// Learns from an answer. `signature` is the hash of its records, `narrowed` that of the answer it narrows.
    /// Returns true if this answer makes the template uninformative or ignored.
    pub fn learn(&mut self, template: u64, signature: u64, narrowed: u64) -> bool {
        let test = self.tests.entry(template).or_default();
        if test.queries >= TEST_QUERIES || test.verdict != TemplateVerdict::Informative {
            return false;
        }
        test.queries += 1;
        test.unchanged += u32::from(signature == narrowed);
        test.signatures.insert(signature);
        if test.queries == UNCHANGED_QUERIES && test.unchanged == UNCHANGED_QUERIES {
            test.verdict = TemplateVerdict::Ignored;
            self.ignored_inputs |= if template.count_ones() == 1 { template } else { 0 };
        } else if test.queries == TEST_QUERIES
            && (test.signatures.len() as f64) < MIN_DISTINCT * f64::from(TEST_QUERIES)
        {
            test.verdict = TemplateVerdict::Uninformative;
        }
        test.verdict != TemplateVerdict::Informative
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_hardly_differ_make_a_template_uninformative() {
        let mut templates = InputTemplates::default();
        let fell: Vec<u64> = (0..30).filter(|nth| templates.learn(1, nth % 3, 99)).collect();
        assert_eq!(fell, [19]);
        assert_eq!(
            [1, 2].map(|template| templates.verdict(template)),
            [TemplateVerdict::Uninformative, TemplateVerdict::Informative]
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
