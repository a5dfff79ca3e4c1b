//! Slices: parts of a database, each selected by one query.

use super::inputs::{InputKind, SearchInput, SearchInputs};
use super::range::RangePart;
use crate::harvest::query::Query;

/// Part of a database that words and input values select.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slice {
    /// Words typed into the form's box; may be empty.
    pub words: String,
    /// Indices of the bound inputs with their values, in rising order.
    pub bounds: Vec<(usize, BoundValue)>,
}

/// Value to which a slice binds an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BoundValue {
    /// Index of an offered value.
    Offered(u32),
    /// Index of a value learned from records.
    Learned(u32),
    /// A part of a range.
    Within(RangePart),
}

impl Slice {
    /// Slice of all records that words find.
    pub fn of_words(words: &str) -> Slice {
        Slice { words: words.to_string(), bounds: Vec::new() }
    }

    /// Value of an input, if this slice binds it.
    pub fn bound(&self, input: usize) -> Option<&BoundValue> {
        self.bounds.iter().find(|(at, _)| *at == input).map(|(_, bound)| bound)
    }

    /// Part of this slice in which an input has a value.
    pub fn narrowed(&self, input: usize, bound: BoundValue) -> Slice {
        let mut bounds = self.bounds.clone();
        bounds.retain(|(at, _)| *at != input);
        bounds.push((input, bound));
        bounds.sort_by_key(|(at, _)| *at);
        Slice { words: self.words.clone(), bounds }
    }

    /// Template of the slice: bit `i` is set if input `i` is bound.
    pub fn template(&self) -> u64 {
        self.bounds.iter().fold(0, |bits, (at, _)| bits | 1 << at)
    }

    /// True if a record with these values is known to be in the slice.
    pub fn holds(&self, row: &[f64]) -> bool {
        self.bounds.iter().all(|(at, bound)| match bound {
            BoundValue::Offered(number) | BoundValue::Learned(number) => row[*at] == f64::from(*number),
            BoundValue::Within(part) => part.holds(row[*at]) && !row[*at].is_nan(),
        })
    }

    /// Query for the slice. `learned` returns the values learned for an input.
    pub fn query<'a>(&self, inputs: &SearchInputs, learned: impl Fn(usize) -> &'a [String]) -> Query {
        let given = |(at, bound): &(usize, BoundValue)| choices(&inputs.list()[*at], bound, learned(*at));
        let mut choices: Vec<(usize, String)> = self.bounds.iter().flat_map(given).collect();
        choices.sort();
        Query { words: self.words.clone(), ..Query::choices(choices) }
    }
}

fn choices(input: &SearchInput, bound: &BoundValue, learned: &[String]) -> Vec<(usize, String)> {
    match (&input.kind, bound) {
        (InputKind::Choice(picks), BoundValue::Offered(number)) => {
            picks.get(*number as usize).map(|pick| (pick.field, pick.value.clone())).into_iter().collect()
        }
        (InputKind::Typed(field, _), BoundValue::Learned(number)) => {
            learned.get(*number as usize).map(|value| (*field, value.clone())).into_iter().collect()
        }
        (InputKind::Range(range), BoundValue::Within(part)) => range.choices(part),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    #[test]
    fn a_slice_becomes_a_query_of_fields_and_values() {
        let html = "<form><select name=make><option value=''>Any<option value=7>Ford</select>
            <input name=price_min><input name=price_max></form>";
        let form = &crate::html::parse(html.as_bytes(), None, &Url::parse("http://a.org/").unwrap()).forms[0];
        let inputs = SearchInputs::of(form);
        let part = RangePart { low: Some(10.0), high: None };
        let slice =
            Slice::of_words("red").narrowed(1, BoundValue::Within(part)).narrowed(0, BoundValue::Offered(0));
        let query = slice.query(&inputs, |_| &[]);
        assert_eq!(query.words, "red");
        assert_eq!(query.choices, [(0, "7".to_string()), (1, "10".to_string())]);
        assert!(slice.holds(&[0.0, 12.0]) && !slice.holds(&[0.0, 9.0]) && !slice.holds(&[0.0, f64::NAN]));
        assert_eq!(slice.template(), 0b11);
    }
}
