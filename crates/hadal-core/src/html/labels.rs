//! Labels of controls.

use super::collect::Collected;
use super::dom::{NodeRef, TreeWalk, WalkEvent, text_below};
use super::limits;
use super::text::{TextSpan, first_terms, last_terms, short};
use crate::page::FieldKind;
use html5ever::{LocalName, local_name};
use rustc_hash::{FxHashMap, FxHashSet};

/// Terms taken from the text near a control without a label. Guess.
const TERMS_NEAR: usize = 8;
/// DOM nodes of a button searched for the name of its picture. Guess.
const ICON_NODES: usize = 20;
/// Ancestors of a control searched for a `<label>`. Guess.
const LABEL_ANCESTORS: usize = 12;

/// `<label>` elements by the id in their `for` attribute.
pub(super) struct LabelIndex<'a> {
    by_target: FxHashMap<&'a str, NodeRef<'a>>,
    /// Labels that name no control of the page, ordered by the end of their text.
    without_target: Vec<(TextSpan, NodeRef<'a>)>,
    labelled_by: LocalName,
}

impl<'a> LabelIndex<'a> {
    pub fn new(found: &Collected<'a>) -> LabelIndex<'a> {
        let mut by_target = FxHashMap::default();
        for &label in &found.labels {
            if let Some(target) = label.attribute(&local_name!("for")).filter(|target| !target.is_empty()) {
                by_target.entry(target).or_insert(label);
            }
        }
        let without_target = without_target(found);
        LabelIndex { by_target, without_target, labelled_by: LocalName::from("aria-labelledby") }
    }

    /// Label of a control: the first of nine sources that is not empty.
    pub fn label(
        &self,
        found: &Collected<'a>,
        ids: &FxHashMap<&'a str, NodeRef<'a>>,
        position: usize,
        kind: FieldKind,
    ) -> String {
        let node = found.controls[position].node;
        let named = |name: &LocalName| node.attribute(name).map(short).unwrap_or_default();
        let written = || if kind.is_button() { button_name(found, node) } else { String::new() };
        let referred = || self.referred(found, ids, node);
        let near = || if kind.is_button() { icon(node) } else { near(found, position, kind) };
        let beside = || if kind.is_button() { String::new() } else { self.beside(found, position) };
        let mut sources: [&dyn Fn() -> String; 9] = [
            &written,
            &|| self.pointing_at(found, node),
            &|| wrapping(found, node),
            &beside,
            &|| named(&local_name!("aria-label")),
            &referred,
            &|| named(&local_name!("placeholder")),
            &|| named(&local_name!("title")),
            &near,
        ];
        sources.iter_mut().map(|source| source()).find(|label| !label.is_empty()).unwrap_or_default()
    }

    fn pointing_at(&self, found: &Collected<'a>, node: NodeRef<'a>) -> String {
        let id = node.attribute(&local_name!("id")).unwrap_or_default();
        self.by_target.get(id).map_or(String::new(), |label| text_around(found, label, node))
    }

    /// Text of a `<label>` directly before the control.
    fn beside(&self, found: &Collected<'a>, position: usize) -> String {
        let lead = found.controls[position].lead;
        let before =
            self.without_target.partition_point(|(span, _)| (span.layer, span.end) <= (lead.layer, lead.end));
        let Some((span, label)) = before.checked_sub(1).map(|at| self.without_target[at]) else {
            return String::new();
        };
        let between = TextSpan { start: span.end, ..lead };
        match holds(lead, span) && !found.texts.slice(between).contains(char::is_alphanumeric) {
            true => short(found.text_of(label)),
            false => String::new(),
        }
    }

    fn referred(
        &self,
        found: &Collected<'a>,
        ids: &FxHashMap<&'a str, NodeRef<'a>>,
        node: NodeRef<'a>,
    ) -> String {
        let names = node.attribute(&self.labelled_by).unwrap_or_default();
        let texts = names.split_ascii_whitespace().take(8).filter_map(|id| ids.get(id));
        short(&texts.map(|node| short(found.text_of(node))).collect::<Vec<_>>().join(" "))
    }
}

/// Labels that name no control of the page, ordered by the end of their text.
fn without_target<'a>(found: &Collected<'a>) -> Vec<(TextSpan, NodeRef<'a>)> {
    let ids: FxHashSet<&str> =
        found.controls.iter().filter_map(|control| control.node.attribute(&local_name!("id"))).collect();
    let has_target = |label: &NodeRef<'a>| {
        label.attribute(&local_name!("for")).is_some_and(|id| !id.is_empty() && ids.contains(id))
    };
    let labels = found.labels.iter().filter(|label| !has_target(label));
    let mut labels: Vec<(TextSpan, NodeRef<'a>)> =
        labels.filter_map(|label| Some((found.span(label)?, *label))).collect();
    labels.sort_by_key(|(span, _)| (span.layer, span.end));
    labels
}

/// Text of a `<label>` around the control.
fn wrapping<'a>(found: &Collected<'a>, node: NodeRef<'a>) -> String {
    let label = node.ancestors().take(LABEL_ANCESTORS).find(|node| node.is(&local_name!("label")));
    label.map_or(String::new(), |label| text_around(found, label, node))
}

/// Text of a label without the text of the control itself, such as the options of a select.
fn text_around<'a>(found: &Collected<'a>, label: NodeRef<'a>, node: NodeRef<'a>) -> String {
    match (found.span(label), found.span(node)) {
        (Some(outer), Some(inner)) if holds(outer, inner) => {
            let before = found.texts.slice(TextSpan { end: inner.start, ..outer });
            let after = found.texts.slice(TextSpan { start: inner.end, ..outer });
            let (before, after) = (short(before), short(after));
            short(&format!("{before} {after}")).trim().to_string()
        }
        _ => short(found.text_of(label)),
    }
}

fn holds(outer: TextSpan, inner: TextSpan) -> bool {
    outer.layer == inner.layer && outer.start <= inner.start && inner.end <= outer.end
}

/// Name of the picture on a button without text: classes and file names of the elements in it, or else its own.
/// Browsers do not show these words, but they name the picture: `fa-search`, `icon-magnifier`.
fn icon(button: NodeRef<'_>) -> String {
    let mut names = Vec::new();
    for step in TreeWalk::below(button).take(ICON_NODES) {
        if let WalkEvent::Enter(node) = step {
            names.extend(picture_names(node));
        }
    }
    if names.is_empty() {
        names.extend(picture_names(button));
    }
    short(&names.join(" "))
}

fn picture_names<'a>(node: NodeRef<'a>) -> impl Iterator<Item = &'a str> {
    let classes = node.attribute(&local_name!("class")).unwrap_or_default();
    let address = node.attribute(&local_name!("src")).or_else(|| node.attribute(&local_name!("href")));
    let file = address.and_then(|address| address.rsplit(['/', '#']).next()).unwrap_or_default();
    let file = file.split('.').next().filter(|name| !name.is_empty());
    classes.split_ascii_whitespace().chain(file)
}

/// Text on a button with its other names: `aria-label`, `title` and the `alt` of pictures in it. An arrow or
/// picture on the button says less than they do.
fn button_name<'a>(found: &Collected<'a>, node: NodeRef<'a>) -> String {
    let own = [LocalName::from("aria-label"), local_name!("title")].map(|name| node.attribute(&name));
    let pictures = TreeWalk::below(node).take(ICON_NODES).filter_map(|step| match step {
        WalkEvent::Enter(inner) => inner.attribute(&local_name!("alt")),
        _ => None,
    });
    let mut name = button_text(found, node);
    for other in own.into_iter().flatten().chain(pictures).map(short) {
        if !name.to_lowercase().contains(&other.to_lowercase()) {
            name = format!("{name} {other}").trim_start().to_string();
        }
    }
    short(&name)
}

/// Text on a button.
pub(super) fn button_text<'a>(found: &Collected<'a>, node: NodeRef<'a>) -> String {
    let named = |name: &LocalName| node.attribute(name).map(short).filter(|text| !text.is_empty());
    let inside = || {
        let text = short(found.text_of(node));
        if text.is_empty() && node.is(&local_name!("button")) {
            short(&text_below(node, limits::SHORT_TEXT))
        } else {
            text
        }
    };
    let text = if node.is(&local_name!("button")) { Some(inside()).filter(|t| !t.is_empty()) } else { None };
    text.or_else(|| named(&local_name!("value")).filter(|_| node.is(&local_name!("input"))))
        .or_else(|| named(&local_name!("alt")))
        .unwrap_or_default()
}

/// Text near a control without a label: after a checkbox or radio button, before other controls. In a table that
/// is the cell to the left.
fn near(found: &Collected<'_>, position: usize, kind: FieldKind) -> String {
    let control = &found.controls[position];
    let behind = || {
        let own = found.span(control.node)?;
        let next = found.controls.get(position + 1).map(|next| next.lead);
        let end = next.filter(|lead| lead.layer == own.layer).map_or(own.end + 200, |lead| lead.end);
        let text = found.texts.after(own);
        let text = limits::truncate(text, end.saturating_sub(own.end));
        Some(first_terms(text, TERMS_NEAR).to_string()).filter(|text| !text.is_empty())
    };
    let before = || last_terms(found.texts.slice(control.lead), TERMS_NEAR).to_string();
    match kind {
        FieldKind::Checkbox | FieldKind::Radio => behind().unwrap_or_else(before),
        _ => before(),
    }
}
