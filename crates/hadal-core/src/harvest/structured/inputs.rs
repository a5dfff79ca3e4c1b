//! Inputs of a form: the fields that select a part of the database, other than boxes for words.
//!
//! Left out are fields that control how results are shown, hidden fields, dates and keywords. Each remaining
//! field is a choice, one end of a range, or a box for values of one kind.

use super::control_words::{ValueKind, is_any, value_kind};
use super::range::RangeInput;
use super::range_pairs::ranges;
use crate::critic::phrase_set::normalise;
use crate::critic::probe::is_display_option;
use crate::page::{Field, FieldKind, FieldOption, Form};

/// Maximum number of inputs used of one form. Must not exceed 64, the bits of a template. Guess.
const MAX_INPUTS: usize = 32;
/// Maximum number of values used of one choice. Guess.
const MAX_VALUES: usize = 5_000;

/// Inputs of a form in form order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchInputs {
    list: Vec<SearchInput>,
}

/// An input: one field, a pair of fields, or the checkboxes of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchInput {
    /// Name, label and placeholder of its controls as plain words.
    pub called: String,
    /// Values it takes.
    pub kind: InputKind,
    /// True if no option leaves the input open, so that some value is always submitted.
    pub is_fixed: bool,
}

/// Values that an input takes.
#[derive(Clone, Debug, PartialEq)]
pub enum InputKind {
    /// One of these values.
    Choice(Vec<InputValue>),
    /// Numbers between two ends.
    Range(RangeInput),
    /// Text typed into the field at this index.
    Typed(usize, ValueKind),
}

/// One value of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputValue {
    /// Index of its control among the fields of the form.
    pub field: usize,
    /// Value that is submitted.
    pub value: String,
    /// Text that is shown, as plain words.
    pub text: String,
}

impl SearchInputs {
    /// Finds the inputs of a form.
    pub fn of(form: &Form) -> SearchInputs {
        let paired = ranges(form);
        let taken = |at: usize| paired.iter().any(|(_, range)| range.low == at || range.high == at);
        let mut found: Vec<(usize, SearchInput)> = Vec::new();
        for (at, field) in form.fields.iter().enumerate() {
            if field.disabled || field.name.is_empty() || taken(at) || is_display_option(field) {
                continue;
            }
            let kind = match field.kind {
                FieldKind::Select => select(at, field),
                FieldKind::Radio | FieldKind::Checkbox => group(form, at),
                FieldKind::Text | FieldKind::Search | FieldKind::Number => typed(at, field),
                _ => None,
            };
            found.extend(
                kind.map(|(kind, is_fixed)| (at, SearchInput { called: called(field), kind, is_fixed })),
            );
        }
        for (called, range) in paired {
            found.push((range.low, SearchInput { called, kind: InputKind::Range(range), is_fixed: false }));
        }
        found.sort_by_key(|(at, _)| *at);
        SearchInputs { list: found.into_iter().map(|(_, input)| input).take(MAX_INPUTS).collect() }
    }

    /// True if the form has no inputs but boxes for words.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Inputs in form order.
    pub fn list(&self) -> &[SearchInput] {
        &self.list
    }

    /// True if the field at an index is a box for values of one kind, not for words.
    pub fn types_into(&self, position: usize) -> bool {
        self.list.iter().any(|input| matches!(input.kind, InputKind::Typed(at, _) if at == position))
    }
}

/// Name, label and placeholder of a control as plain words.
pub(super) fn called(field: &Field) -> String {
    normalise(&format!("{} {} {}", field.name, field.label, field.placeholder))
}

fn select(at: usize, field: &Field) -> Option<(InputKind, bool)> {
    // A select with URLs as values is a navigation menu.
    let is_address = |choice: &FieldOption| choice.value.starts_with('/') || choice.value.contains("://");
    if field.options.iter().any(is_address) {
        return None;
    }
    // An option that reads like "any" leaves the input open only if it is first or selected: "All-wheel drive"
    // further down is a value.
    let is_first_or_selected = |nth: usize, c: &FieldOption| nth == 0 || c.selected;
    let is_open = |nth: usize, c: &FieldOption| {
        c.value.trim().is_empty()
            || is_first_or_selected(nth, c) && (is_any(&c.value, &c.text) || c.value == "0")
    };
    let choices = || field.options.iter().enumerate();
    let is_fixed =
        choices().any(|(_, c)| c.selected) && !field.multiple && !choices().any(|(nth, c)| is_open(nth, c));
    let offered = choices().filter(|(nth, c)| !is_open(*nth, c) && (is_fixed || !c.selected));
    let pick = |(_, c): (usize, &FieldOption)| InputValue {
        field: at,
        value: c.value.clone(),
        text: normalise(&c.text),
    };
    let picks: Vec<InputValue> = offered.take(MAX_VALUES).map(pick).collect();
    (picks.len() > usize::from(is_fixed)).then_some((InputKind::Choice(picks), is_fixed))
}

/// Input of the checkboxes or radio buttons that share a name. Returns it for the first of them only.
fn group(form: &Form, at: usize) -> Option<(InputKind, bool)> {
    let first = &form.fields[at];
    let belongs = |field: &Field| field.kind == first.kind && field.name == first.name && !field.disabled;
    if form.fields[..at].iter().any(belongs) {
        return None;
    }
    let members = || form.fields.iter().enumerate().filter(|(_, field)| belongs(field));
    let is_radio = first.kind == FieldKind::Radio;
    let is_open = |(position, field): (usize, &Field)| {
        is_radio && (position == at || field.checked) && is_any(&field.value, &field.label)
    };
    let is_fixed = is_radio && members().any(|(_, field)| field.checked) && !members().any(is_open);
    let offered = members().filter(|member| (is_fixed || !member.1.checked) && !is_open(*member));
    let pick = |(at, field): (usize, &Field)| InputValue {
        field: at,
        value: field.value.clone(),
        text: normalise(if field.label.is_empty() { &field.value } else { &field.label }),
    };
    let picks: Vec<InputValue> = offered.take(MAX_VALUES).map(pick).collect();
    (picks.len() > usize::from(is_fixed)).then_some((InputKind::Choice(picks), is_fixed))
}

/// Input of a box for values that can be learned from records: years, postal codes, cities.
fn typed(at: usize, field: &Field) -> Option<(InputKind, bool)> {
    let kind = value_kind(&called(field))?;
    let is_learned = matches!(kind, ValueKind::Year | ValueKind::Zip | ValueKind::City);
    is_learned.then_some((InputKind::Typed(at, kind), false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn inputs(html: &str) -> SearchInputs {
        let url = Url::parse("http://a.org/").unwrap();
        SearchInputs::of(&crate::html::parse(html.as_bytes(), None, &url).forms[0])
    }

    fn picks(input: &SearchInput) -> Vec<(usize, &str)> {
        let InputKind::Choice(picks) = &input.kind else { panic!("{input:?}") };
        picks.iter().map(|pick| (pick.field, pick.value.as_str())).collect()
    }

    #[test]
    fn open_options_and_display_settings_are_left_out() {
        let found = inputs(
            "<form><select name=make><option value=''>Any make<option>Ford<option>Opel</select>
            <select name=sort><option>price<option>year</select><input type=hidden name=h value=1>
            <select name=drive><option value=0>Everything<option value=1>All wheels</select>
            <select name=go><option>x<option>/a<option>/b</select><input name=q></form>",
        );
        assert_eq!(found.list().len(), 2);
        assert_eq!(picks(&found.list()[0]), [(0, "Ford"), (0, "Opel")]);
        assert_eq!(picks(&found.list()[1]), [(3, "1")]);
        assert!(found.list().iter().all(|input| !input.is_fixed));
    }

    #[test]
    fn a_choice_that_cannot_be_left_open_keeps_its_default() {
        let found = inputs("<form><select name=state><option>Ohio<option>Utah</select></form>");
        assert!(found.list()[0].is_fixed);
        assert_eq!(picks(&found.list()[0]), [(0, "Ohio"), (0, "Utah")]);
    }

    #[test]
    fn boxes_and_buttons_of_one_name_are_one_choice() {
        let found = inputs(
            "<form><input type=radio name=fuel value='' checked>Any <input type=radio name=fuel value=d>Diesel
            <input type=radio name=fuel value=p>Petrol
            <input type=checkbox name=x value=1>One <input type=checkbox name=x value=2>Two</form>",
        );
        assert_eq!(picks(&found.list()[0]), [(1, "d"), (2, "p")]);
        assert_eq!(picks(&found.list()[1]), [(3, "1"), (4, "2")]);
    }

    #[test]
    fn boxes_for_values_are_recognised_by_name_and_label() {
        let found = inputs(
            "<form><input name=plz><input name=x placeholder='City or town'><input name=arrival_date>
            <input name=words></form>",
        );
        let kinds: Vec<&InputKind> = found.list().iter().map(|input| &input.kind).collect();
        assert_eq!(kinds, [&InputKind::Typed(0, ValueKind::Zip), &InputKind::Typed(1, ValueKind::City)]);
        assert!(found.types_into(1) && !found.types_into(3));
    }
}
