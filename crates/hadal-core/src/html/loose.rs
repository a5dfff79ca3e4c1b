//! Forms of controls outside any `<form>`.
//!
//! A script reads such controls, usually when a button beside them is pressed. So a control belongs to the nearest
//! element around it that also holds a button; without one, to its grandparent. Groups that lie close together
//! in the tree are joined, because single controls often have a small button of their own. A group becomes a form if
//! one of its controls takes words, or if it has several choices and a button that names a search.

use super::collect::Collected;
use super::dom::NodeRef;
use super::fields::{FieldBuilder, kind};
use super::forms::attributes;
use super::limits::{self, truncate};
use super::text::short;
use crate::http::Method;
use crate::page::{Field, FieldKind, Form, FormSource};
use crate::text::concepts::{CONCEPTS, Concept};
use crate::text::words::each_word_while;
use html5ever::local_name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;
use url::Url;

/// Ancestors of a control searched for one that holds a button. Guess.
const BUTTON_ANCESTORS: usize = 8;
/// Ancestors of a control without a button up to its container. Guess.
const PLAIN_ANCESTORS: usize = 2;
/// Maximum difference of depth between the containers of two joined groups. Guess.
const JOINED_LEVELS: usize = 3;

/// Choices of a form without a field for words, such as make and model of a car. Guess.
const MIN_CHOICES: usize = 2;

/// Address of a container element; 0 for the body.
type Container = usize;

/// Forms of the controls at the given positions, in document order.
pub(super) fn loose_forms<'a>(
    found: &Collected<'a>,
    controls: &[usize],
    fields: &mut FieldBuilder<'_, 'a>,
    page: &Url,
) -> Vec<Form> {
    let groups = ControlGroups::of(found, controls);
    let forms = groups.in_order().into_iter().filter_map(|group| loose_form(found, &group, fields, page));
    distinct(forms).take(limits::LOOSE_FORMS).collect()
}

/// Leaves out forms with the same fields as an earlier one, such as the rows of a list.
fn distinct(forms: impl Iterator<Item = Form>) -> impl Iterator<Item = Form> {
    let mut seen = FxHashSet::default();
    let key = |field: &Field| (field.kind.name(), field.name.clone(), field.label.clone());
    forms.filter(move |form| seen.insert(form.fields.iter().map(key).collect::<Vec<_>>()))
}

/// Controls by their container.
struct ControlGroups<'a> {
    members: FxHashMap<Container, ControlGroup<'a>>,
}

struct ControlGroup<'a> {
    /// `None` for the body.
    container: Option<NodeRef<'a>>,
    controls: Vec<usize>,
}

impl<'a> ControlGroups<'a> {
    fn of(found: &Collected<'a>, controls: &[usize]) -> ControlGroups<'a> {
        let node = |position: usize| found.controls[position].node;
        let (buttons, others): (Vec<usize>, Vec<usize>) =
            controls.iter().copied().partition(|&position| is_attached(kind(node(position))));
        let holders: FxHashSet<Container> = buttons
            .iter()
            .filter(|&&position| sends(kind(node(position))))
            .flat_map(|&position| around(node(position)).take(BUTTON_ANCESTORS))
            .map(address)
            .collect();
        let mut groups = ControlGroups { members: FxHashMap::default() };
        for &position in &others {
            groups.add(position, container(node(position), &holders));
        }
        groups.join_near();
        for &position in &buttons {
            groups.attach(position, node(position));
        }
        groups
    }

    fn add(&mut self, position: usize, container: Option<NodeRef<'a>>) {
        let group = self.members.entry(container.map_or(0, address));
        group.or_insert(ControlGroup { container, controls: Vec::new() }).controls.push(position);
    }

    /// Joins each group with the group of a container close around its own.
    fn join_near(&mut self) {
        let outer: Vec<(Container, Container)> = self
            .members
            .iter()
            .filter_map(|(&inner, group)| Some((inner, self.near_container(group.container?)?)))
            .collect();
        let outer: FxHashMap<Container, Container> = outer.into_iter().collect();
        for &inner in outer.keys() {
            let outermost = std::iter::successors(Some(inner), |at| outer.get(at).copied()).last();
            let moved = self.members.remove(&inner).map_or(Vec::new(), |group| group.controls);
            if let Some(group) = outermost.and_then(|at| self.members.get_mut(&at)) {
                group.controls.extend(moved);
            }
        }
    }

    fn near_container(&self, container: NodeRef<'a>) -> Option<Container> {
        around(container).take(JOINED_LEVELS).map(address).find(|outer| self.members.contains_key(outer))
    }

    /// Adds a button or hidden control to the group of the nearest container around it.
    fn attach(&mut self, position: usize, node: NodeRef<'a>) {
        let nearest =
            around(node).take(BUTTON_ANCESTORS).map(address).find(|at| self.members.contains_key(at));
        if let Some(group) = self.members.get_mut(&nearest.unwrap_or(0)) {
            group.controls.push(position);
        }
    }

    fn in_order(self) -> Vec<ControlGroup<'a>> {
        let mut groups: Vec<ControlGroup<'a>> = self.members.into_values().collect();
        groups.iter_mut().for_each(|group| group.controls.sort_unstable());
        groups.sort_by_key(|group| group.controls.first().copied());
        groups
    }
}

/// Container of a control that is not a button; `None` for the body.
fn container<'a>(node: NodeRef<'a>, holders: &FxHashSet<Container>) -> Option<NodeRef<'a>> {
    let holder = around(node).take(BUTTON_ANCESTORS).find(|around| holders.contains(&address(around)));
    holder.or_else(|| around(node).nth(PLAIN_ANCESTORS - 1))
}

/// Elements around a node, below the body or main element.
fn around<'a>(node: NodeRef<'a>) -> impl Iterator<Item = NodeRef<'a>> {
    let is_page = |node: &NodeRef<'a>| {
        [local_name!("body"), local_name!("main"), local_name!("html")].iter().any(|name| node.is(name))
    };
    node.ancestors().take_while(move |around| around.element().is_some() && !is_page(around))
}

fn address(node: NodeRef<'_>) -> Container {
    std::ptr::from_ref(node).addr()
}

/// True for controls that follow the group around them.
fn is_attached(kind: FieldKind) -> bool {
    kind.is_button() || kind == FieldKind::Hidden
}

fn sends(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Submit | FieldKind::Image | FieldKind::Button)
}

/// True if a script reads the fields as one form.
fn makes_form(fields: &[Field]) -> bool {
    let count = |is_counted: fn(&Field) -> bool| {
        fields.iter().filter(|field| !field.disabled && is_counted(field)).count()
    };
    let takes_words =
        |field: &Field| matches!(field.kind, FieldKind::Text | FieldKind::Search | FieldKind::Textarea);
    count(takes_words) > 0 || (count(takes_choice) >= MIN_CHOICES && count(is_search_button) > 0)
}

fn takes_choice(field: &Field) -> bool {
    use FieldKind::{Date, DatetimeLocal, Month, Number, Range, Select, Time, Week};
    matches!(field.kind, Select | Date | DatetimeLocal | Month | Week | Time | Number | Range)
}

fn is_search_button(field: &Field) -> bool {
    let mut names_search = false;
    each_word_while(&field.label, |word| {
        names_search |= SEARCH.contains(&CONCEPTS.of_word(word));
        !names_search
    });
    sends(field.kind) && names_search
}

static SEARCH: LazyLock<Vec<Concept>> = LazyLock::new(|| CONCEPTS.named(&["search", "find"]));

/// Form of a group, if a script reads it as one. Buttons without an effect of their own are kept only if the
/// group has no other.
fn loose_form<'a>(
    found: &Collected<'a>,
    group: &ControlGroup<'a>,
    fields: &mut FieldBuilder<'_, 'a>,
    page: &Url,
) -> Option<Form> {
    let list: Vec<Field> = group.controls.iter().map(|&control| fields.field(control)).collect();
    if !makes_form(&list) {
        return None;
    }
    let has_submit = list.iter().any(|field| matches!(field.kind, FieldKind::Submit | FieldKind::Image));
    let is_kept = |field: &Field| !(has_submit && field.kind == FieldKind::Button);
    let kept: Vec<Field> = list.into_iter().filter(is_kept).collect();
    let labels: Vec<&str> = kept.iter().map(|field| field.label.as_str()).filter(|l| !l.is_empty()).collect();
    let text = labels.join(" ");
    let heading = group.controls.first().and_then(|&first| found.controls[first].heading);
    Some(Form {
        index: u32::MAX,
        source: FormSource::Script,
        action: page.clone(),
        names_action: false,
        method: Method::Get,
        enctype: String::new(),
        accept_charset: String::new(),
        attributes: group.container.map(attributes).unwrap_or_default(),
        text: truncate(&text, limits::FORM_TEXT).to_string(),
        heading: heading.map_or(String::new(), |node| short(found.text_of(node))),
        fields: kept,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scripted(body: &str) -> Vec<Vec<String>> {
        let url = Url::parse("http://a.org/").unwrap();
        let forms = crate::html::parse(body.as_bytes(), None, &url).forms;
        let loose = forms.iter().filter(|form| form.source == FormSource::Script);
        loose.map(|form| form.fields.iter().map(|field| field.name.clone()).collect()).collect()
    }

    #[test]
    fn controls_are_grouped_by_the_element_that_holds_their_button() {
        let page = "<header><div class=find><input name=q><button name=go>Go</button></div></header>
            <main><section><div><input name=city></div><div><select name=beds><option>1</select></div>
                <div><button name=show>Show</button></div></section>
            <section><p>News by mail</p><div><input name=mail><button name=join>Join</button></div></section></main>";
        assert_eq!(scripted(page), [vec!["q", "go"], vec!["city", "beds", "show"], vec!["mail", "join"]]);
    }

    #[test]
    fn a_control_with_a_button_of_its_own_stays_with_the_others() {
        let page =
            "<div id=trip><div><input name=from><button name=swap>x</button></div><div><input name=to></div>
            <button name=plan>Plan</button></div>";
        assert_eq!(scripted(page), [vec!["from", "swap", "to", "plan"]]);
    }

    #[test]
    fn choices_with_a_search_button_are_a_form() {
        let choices = |button: &str| {
            format!("<div><input type=date name=from><input type=date name=to><select name=guests><option>1</select>
                <button name=go>{button}</button></div>")
        };
        for button in ["Search", "Zimmer suchen", "Rechercher"] {
            assert_eq!(scripted(&choices(button)), [["from", "to", "guests", "go"]], "{button}");
        }
        assert!(scripted(&choices("Save")).is_empty());
        assert!(
            scripted("<div><select name=sort><option>a</select><button>Search</button></div>").is_empty()
        );
    }

    #[test]
    fn rows_of_a_list_are_one_form() {
        let row = "<li><div><input name=note><button name=save>Save</button></div></li>";
        assert_eq!(scripted(&format!("<ul>{}</ul>", row.repeat(30))), [["note", "save"]]);
    }

    #[test]
    fn controls_without_a_button_are_grouped_by_their_grandparent() {
        let page = "<div><div><div><label>Make <input name=make></label><label>Model <input name=model></label></div></div>
            <div><div><p><span><input name=note></span></p></div></div></div>";
        assert_eq!(scripted(page), [vec!["make", "model"], vec!["note"]]);
    }
}
