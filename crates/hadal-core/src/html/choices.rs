//! The choices of a select or a datalist.

use super::dom::{NodeRef, TreeWalk, WalkEvent, text_below};
use super::limits::{self, truncate};
use super::text::short;
use crate::page::FieldOption;
use html5ever::local_name;

/// Up to `most` choices in document order, and whether some were left out. Disabled ones cannot be
/// chosen and are not among them.
pub(super) fn choices(list: NodeRef<'_>, most: usize) -> (Vec<FieldOption>, bool) {
    let mut choices = Vec::new();
    let (mut is_truncated, mut is_void) = (false, shows_several(list));
    let mut walk = TreeWalk::below(list);
    while let Some(step) = walk.next() {
        let WalkEvent::Enter(node) = step else { continue };
        let is_group = node.is(&local_name!("optgroup"));
        let is_option = node.is(&local_name!("option"));
        if (is_group || is_option) && node.has(&local_name!("disabled")) {
            if is_option && node.has(&local_name!("selected")) {
                choices.iter_mut().for_each(|choice: &mut FieldOption| choice.selected = false);
                is_void = true;
            }
            walk.skip_inside(node);
        } else if is_option {
            is_truncated = choices.len() == most;
            if is_truncated {
                break;
            }
            choices.push(choice(node));
        }
    }
    if list.is(&local_name!("select")) && !list.has(&local_name!("multiple")) {
        select_one(&mut choices, is_void);
    }
    (choices, is_truncated)
}

/// A list that is open from the start needs no choice.
fn shows_several(list: NodeRef<'_>) -> bool {
    let size = list.attribute(&local_name!("size")).and_then(|size| size.trim().parse::<u32>().ok());
    size.is_some_and(|size| size > 1)
}

fn choice(option: NodeRef<'_>) -> FieldOption {
    let written = || short(&text_below(option, limits::SHORT_TEXT));
    let label = option.attribute(&local_name!("label")).map(short).filter(|label| !label.is_empty());
    let value =
        option.attribute(&local_name!("value")).map(|value| truncate(value, limits::VALUE).to_string());
    let text = label.unwrap_or_else(written);
    FieldOption { value: value.unwrap_or_else(written), text, selected: option.has(&local_name!("selected")) }
}

/// Of a single choice the last that is marked counts, and the first when none is, unless that would be a
/// disabled one or nothing needs to be chosen.
fn select_one(choices: &mut [FieldOption], is_void: bool) {
    let marked = choices.iter().rposition(|choice| choice.selected);
    let chosen = marked.or((!is_void).then_some(0));
    for (position, choice) in choices.iter_mut().enumerate() {
        choice.selected = Some(position) == chosen;
    }
}
