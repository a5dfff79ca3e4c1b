//! Part of a database: what answers a query.

use super::inputs::{Input, InputKind, Inputs};
use super::range::Interval;
use crate::harvest::query::Query;

/// The words and the bound inputs of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slice {
    /// Words typed into the form's box; empty when none are.
    pub words: String,
    /// Inputs by position, and what each is bound to, in rising order.
    pub bounds: Vec<(usize, Bound)>,
}

/// What an input is bound to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// One of the values offered.
    Pick(u32),
    /// One of the values learned from records.
    Learned(u32),
    /// A part of a range.
    Within(Interval),
}

impl Slice {
    /// The whole of what words find.
    pub fn of_words(words: &str) -> Slice {
        Slice { words: words.to_string(), bounds: Vec::new() }
    }

    /// What an input is bound to here.
    pub fn bound(&self, input: usize) -> Option<&Bound> {
        self.bounds.iter().find(|(at, _)| *at == input).map(|(_, bound)| bound)
    }

    /// A part of it.
    pub fn narrowed(&self, input: usize, bound: Bound) -> Slice {
        let mut bounds = self.bounds.clone();
        bounds.retain(|(at, _)| *at != input);
        bounds.push((input, bound));
        bounds.sort_by_key(|(at, _)| *at);
        Slice { words: self.words.clone(), bounds }
    }

    /// Which inputs are bound, a bit for each.
    pub fn template(&self) -> u64 {
        self.bounds.iter().fold(0, |bits, (at, _)| bits | 1 << at)
    }

    /// Whether a record with these values is known to belong to it.
    pub fn holds(&self, row: &[f64]) -> bool {
        self.bounds.iter().all(|(at, bound)| match bound {
            Bound::Pick(number) | Bound::Learned(number) => row[*at] == f64::from(*number),
            Bound::Within(part) => part.holds(row[*at]) && !row[*at].is_nan(),
        })
    }

    /// The query that asks for it. `learned` gives the values learned for an input.
    pub fn query<'a>(&self, inputs: &Inputs, learned: impl Fn(usize) -> &'a [String]) -> Query {
        let given = |(at, bound): &(usize, Bound)| choices(&inputs.list()[*at], bound, learned(*at));
        let mut choices: Vec<(usize, String)> = self.bounds.iter().flat_map(given).collect();
        choices.sort();
        Query { words: self.words.clone(), ..Query::choices(choices) }
    }
}

fn choices(input: &Input, bound: &Bound, learned: &[String]) -> Vec<(usize, String)> {
    match (&input.kind, bound) {
        (InputKind::Choice(picks), Bound::Pick(number)) => {
            picks.get(*number as usize).map(|pick| (pick.field, pick.value.clone())).into_iter().collect()
        }
        (InputKind::Typed(field, _), Bound::Learned(number)) => {
            learned.get(*number as usize).map(|value| (*field, value.clone())).into_iter().collect()
        }
        (InputKind::Range(range), Bound::Within(part)) => range.choices(part),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    #[test]
    fn a_slice_is_asked_for_by_positions_and_values() {
        let html = "<form><select name=make><option value=''>Any<option value=7>Ford</select>
            <input name=price_min><input name=price_max></form>";
        let form = &crate::html::parse(html.as_bytes(), None, &Url::parse("http://a.org/").unwrap()).forms[0];
        let inputs = Inputs::of(form);
        let part = Interval { low: Some(10.0), high: None };
        let slice = Slice::of_words("red").narrowed(1, Bound::Within(part)).narrowed(0, Bound::Pick(0));
        let query = slice.query(&inputs, |_| &[]);
        assert_eq!(query.words, "red");
        assert_eq!(query.choices, [(0, "7".to_string()), (1, "10".to_string())]);
        assert!(slice.holds(&[0.0, 12.0]) && !slice.holds(&[0.0, 9.0]) && !slice.holds(&[0.0, f64::NAN]));
        assert_eq!(slice.template(), 0b11);
    }
}
