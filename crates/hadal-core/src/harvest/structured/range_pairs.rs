//! Finds pairs of controls that are the two ends of one range.

use super::control_words::{RangeEnd, ValueKind, is_any, range_end, value_kind};
use super::inputs::called;
use super::number::number;
use super::range::RangeInput;
use crate::critic::phrase_set::normalise;
use crate::page::{Field, FieldKind, Form};

/// Largest distance between the two ends, in fields. Guess.
const MAX_DISTANCE: usize = 6;

/// A control that is one end of a range.
struct RangeControl {
    /// Index among the fields of the form.
    at: usize,
    side: RangeEnd,
    /// Name without the word for the end: `price` of `price_from`.
    stem: String,
    called: String,
    /// Offered numbers in rising order with their submitted values; empty for a box.
    offered: Vec<(f64, String)>,
}

/// Ranges of a form, each with name and label of its controls.
pub(super) fn ranges(form: &Form) -> Vec<(String, RangeInput)> {
    let ends: Vec<RangeControl> =
        form.fields.iter().enumerate().filter_map(|(at, field)| end(at, field)).collect();
    let mut found: Vec<(String, RangeInput)> = Vec::new();
    for low in ends.iter().filter(|end| end.side == RangeEnd::Low) {
        let is_free = |end: &&RangeControl| !found.iter().any(|(_, range)| range.high == end.at);
        let highs =
            ends.iter().filter(|end| end.side == RangeEnd::High && end.at.abs_diff(low.at) <= MAX_DISTANCE);
        let partner = highs.filter(is_free).find(|high| belong(low, high));
        found.extend(partner.and_then(|high| range(low, high)));
    }
    found
}

/// True for controls with the same stem, or for neighbours of which one has no stem, such as `to`.
fn belong(low: &RangeControl, high: &RangeControl) -> bool {
    let is_bare = low.stem.is_empty() || high.stem.is_empty();
    low.stem == high.stem || is_bare && high.at == low.at + 1
}

fn range(low: &RangeControl, high: &RangeControl) -> Option<(String, RangeInput)> {
    let called = format!(" {} {} ", low.called.trim(), high.called.trim());
    let is_offered = !low.offered.is_empty() || !high.offered.is_empty();
    let kind = value_kind(&called).or(is_offered.then_some(ValueKind::Number))?;
    let is_number = matches!(kind, ValueKind::Price | ValueKind::Year | ValueKind::Number);
    let (lows, highs) = (low.offered.clone(), high.offered.clone());
    let range = RangeInput { kind, low: low.at, high: high.at, lows, highs };
    is_number.then_some((called, range))
}

/// Range control of a field that names an end and takes numbers.
fn end(at: usize, field: &Field) -> Option<RangeControl> {
    if field.disabled || field.name.is_empty() {
        return None;
    }
    let offered = match field.kind {
        FieldKind::Select => offered(field)?,
        FieldKind::Text | FieldKind::Number => Vec::new(),
        _ => return None,
    };
    let read = normalise(&format!("{} {}", field.label, field.placeholder));
    // In a label a single letter is a word such as the French "à", in a name it is a counter.
    let name = normalise(&field.name);
    let words: Vec<&str> = name.split_whitespace().filter(|word| word.len() > 1).collect();
    let (side, stem) = range_end(&words.join(" ")).or_else(|| range_end(&read))?;
    Some(RangeControl { at, side, stem, called: called(field), offered })
}

/// Numbers that a select offers in rising order; `None` if fewer than four fifths of its options are numbers.
fn offered(field: &Field) -> Option<Vec<(f64, String)>> {
    let is_value = |value: &str, text: &str| !is_any(value, text) || number(value).is_some_and(|n| n > 0.0);
    let choices = || field.options.iter().filter(|c| is_value(&c.value, &c.text));
    let known = choices().filter_map(|c| {
        let value = number(&c.value).filter(|_| c.value.trim().parse::<f64>().is_ok());
        Some((value.or_else(|| number(&c.text))?, c.value.clone()))
    });
    let mut values: Vec<(f64, String)> = known.collect();
    let is_numeric = values.len() >= 2 && values.len() * 5 >= choices().count() * 4;
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    values.dedup_by(|a, b| a.0 == b.0);
    (is_numeric && values.len() >= 2).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn found(html: &str) -> Vec<(usize, usize, ValueKind, usize, usize)> {
        let url = Url::parse("http://a.org/").unwrap();
        let form = &crate::html::parse(html.as_bytes(), None, &url).forms[0];
        let row = |(_, r): (String, RangeInput)| (r.low, r.high, r.kind, r.lows.len(), r.highs.len());
        ranges(form).into_iter().map(row).collect()
    }

    #[test]
    fn ends_meet_by_their_names() {
        let html = "<form><input name=min_price><input name=max_price><input type=number name=yearFrom>
            <input type=number name=yearTo><input name=from><input name=to></form>";
        assert_eq!(found(html), [(0, 1, ValueKind::Price, 0, 0), (2, 3, ValueKind::Year, 0, 0)]);
    }

    #[test]
    fn ends_meet_by_their_labels() {
        let html = "<form><label>Preis von <input name=a1></label> <label>bis <input name=a2></label></form>";
        assert_eq!(found(html), [(0, 1, ValueKind::Price, 0, 0)]);
    }

    #[test]
    fn selects_are_ends_when_they_offer_numbers() {
        let options = "<option value=''>Any<option value=100>$100<option value=200>$200";
        let html =
            format!("<form><select name=lo>{options}</select><select name=hi>{options}</select></form>");
        assert_eq!(found(&html), [(0, 1, ValueKind::Number, 2, 2)]);
        let cities = "<option>Rome<option>Oslo<option>Bonn";
        let html =
            format!("<form><select name=from>{cities}</select><select name=to>{cities}</select></form>");
        assert_eq!(found(&html), []);
    }
}
