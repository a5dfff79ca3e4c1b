//! The choices of a select or a datalist.

use super::bounds::{self, cut};
use super::dom::{Ref, Step, Walk, text_below};
use super::text::short;
use crate::page::Choice;
use html5ever::local_name;

/// Up to `most` choices in document order, and whether some were left out. Disabled ones cannot be
/// chosen and are not among them.
pub(super) fn choices(list: Ref<'_>, most: usize) -> (Vec<Choice>, bool) {
    let mut choices = Vec::new();
    let mut walk = Walk::below(list);
    while let Some(step) = walk.next() {
        let Step::Enter(node) = step else { continue };
        let is_group = node.is(&local_name!("optgroup"));
        let is_option = node.is(&local_name!("option"));
        if (is_group || is_option) && node.has(&local_name!("disabled")) {
            walk.skip_inside(node);
        } else if is_option {
            if choices.len() == most {
                return (choices, true);
            }
            choices.push(choice(node));
        }
    }
    if list.is(&local_name!("select")) && !list.has(&local_name!("multiple")) {
        select_one(&mut choices);
    }
    (choices, false)
}

fn choice(option: Ref<'_>) -> Choice {
    let written = || short(&text_below(option, bounds::SHORT_TEXT));
    let label = option.attribute(&local_name!("label")).map(short).filter(|label| !label.is_empty());
    let value = option.attribute(&local_name!("value")).map(|value| cut(value, bounds::VALUE).to_string());
    let text = label.unwrap_or_else(written);
    Choice { value: value.unwrap_or_else(written), text, selected: option.has(&local_name!("selected")) }
}

/// Of a single choice the last that is marked counts, and the first when none is.
fn select_one(choices: &mut [Choice]) {
    let chosen = choices.iter().rposition(|choice| choice.selected).unwrap_or(0);
    for (position, choice) in choices.iter_mut().enumerate() {
        choice.selected = position == chosen;
    }
}
