//! Forms and the controls they own.
//!
//! As in a browser, a control belongs to the form that its `form` attribute names, or else to the form that the
//! parser associated with it, or else to the nearest form around it.

use super::collect::{Collected, CollectedControl, CollectedForm};
use super::document_base::DocumentBase;
use super::dom::NodeRef;
use super::fields::{FieldBuilder, method};
use super::limits::{self, truncate};
use super::loose::loose_forms;
use super::text::{TextSpan, short};
use crate::page::{Field, FieldKind, Form, FormSource};
use html5ever::{LocalName, local_name};
use rustc_hash::FxHashMap;
use url::Url;

/// Forms of a page, and whether options were left out. Forms of controls outside any `<form>` come last.
pub(super) fn forms(found: &Collected<'_>, page: &Url, base: &DocumentBase) -> (Vec<Form>, bool) {
    let mut fields = FieldBuilder::new(found, base);
    let owned = ControlOwners::sort(found, &fields);
    let mut forms = Vec::with_capacity(found.forms.len() + 1);
    for (index, (form, controls)) in found.forms.iter().zip(&owned.by_form).enumerate() {
        forms.push(element_form(index as u32, form, controls, found, &mut fields, page, base));
    }
    forms.extend(loose_forms(found, &owned.loose, &mut fields, page));
    (forms, fields.is_cut)
}

/// Controls by owner, as indices into the page's controls.
struct ControlOwners {
    by_form: Vec<Vec<usize>>,
    loose: Vec<usize>,
}

impl ControlOwners {
    fn sort<'a>(found: &Collected<'a>, fields: &FieldBuilder<'_, 'a>) -> ControlOwners {
        let address = |node: NodeRef<'a>| std::ptr::from_ref(node).addr();
        let ordinals: FxHashMap<usize, usize> =
            found.forms.iter().enumerate().map(|(ordinal, form)| (address(form.node), ordinal)).collect();
        let mut owned = ControlOwners { by_form: vec![Vec::new(); found.forms.len()], loose: Vec::new() };
        for (position, control) in found.controls.iter().enumerate() {
            match owner(control, fields) {
                None => owned.loose.push(position),
                Some(form) => {
                    // Controls of a form beyond the limit are dropped.
                    if let Some(&ordinal) = ordinals.get(&address(form)) {
                        owned.by_form[ordinal].push(position);
                    }
                }
            }
        }
        owned
    }
}

fn owner<'a>(control: &CollectedControl<'a>, fields: &FieldBuilder<'_, 'a>) -> Option<NodeRef<'a>> {
    let is_form = |node: &NodeRef<'a>| node.is(&local_name!("form"));
    if let Some(id) = control.node.attribute(&local_name!("form")) {
        return fields.by_id(id).filter(is_form);
    }
    let given = control.node.element().and_then(|element| element.form.get());
    given.or_else(|| control.node.ancestors().find(is_form))
}

fn element_form<'a>(
    index: u32,
    form: &CollectedForm<'a>,
    controls: &[usize],
    found: &Collected<'a>,
    fields: &mut FieldBuilder<'_, 'a>,
    page: &Url,
    base: &DocumentBase,
) -> Form {
    let named = |name: &LocalName| form.node.attribute(name).map(str::trim).unwrap_or_default();
    let address = named(&local_name!("action"));
    let action = if address.is_empty() { page.clone() } else { base.join(address).unwrap_or(page.clone()) };
    let declared = named(&local_name!("method"));
    let mut list = Vec::with_capacity(controls.len());
    let mut default_button = None;
    for &control in controls {
        let field = fields.field(control);
        if default_button.is_none() && sends(&field) && !field.disabled {
            default_button = Some(control);
        }
        list.push(field);
        list.extend(fields.direction(control));
    }
    let enctype = default_button.and_then(|button| fields.own_enctype(button));
    if declared.eq_ignore_ascii_case("dialog") {
        list.iter_mut().for_each(close_only);
    }
    Form {
        index,
        source: FormSource::Form,
        names_action: !address.is_empty() && without_fragment(&action) != without_fragment(page),
        action,
        method: method(declared).unwrap_or_default(),
        enctype: short(enctype.unwrap_or(named(&local_name!("enctype")))).to_ascii_lowercase(),
        accept_charset: short(named(&local_name!("accept-charset"))),
        attributes: attributes(form.node),
        text: truncate(found.texts.slice(extent(form, controls, found)), limits::FORM_TEXT).to_string(),
        heading: heading(form, controls, found),
        fields: list,
    }
}

/// In a form with `method=dialog`, submit buttons close the dialogue and send nothing.
fn close_only(field: &mut Field) {
    if sends(field) && field.formmethod.is_none() {
        field.kind = FieldKind::Button;
    }
}

fn sends(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Submit | FieldKind::Image)
}

fn without_fragment(url: &Url) -> &str {
    &url[..url::Position::AfterQuery]
}

/// Values of the attributes that name an element.
pub(super) fn attributes(form: NodeRef<'_>) -> String {
    let names = [
        local_name!("id"),
        local_name!("name"),
        local_name!("class"),
        local_name!("role"),
        local_name!("aria-label"),
    ];
    let values = names.iter().filter_map(|name| form.attribute(name)).map(short);
    values.filter(|value| !value.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Span of a form's text. An empty form element that owns controls, as inside tables, spans its controls.
fn extent<'a>(form: &CollectedForm<'a>, controls: &[usize], found: &Collected<'a>) -> TextSpan {
    let nothing = TextSpan { layer: super::text::TextLayer::Visible, start: 0, end: 0 };
    let own = found.span(form.node).unwrap_or(nothing);
    let ends = controls.first().zip(controls.last()).map(|(&a, &b)| (&found.controls[a], &found.controls[b]));
    match ends {
        Some((first, last)) if own.start == own.end && first.lead.layer == own.layer => {
            let end = found.span(last.node).map_or(last.lead.end, |span| span.end);
            TextSpan { start: first.lead.start, end: end.max(first.lead.start), ..own }
        }
        _ => own,
    }
}

/// Last heading or legend before the first visible control, inside the form or before it.
fn heading<'a>(form: &CollectedForm<'a>, controls: &[usize], found: &Collected<'a>) -> String {
    let visible = |&&control: &&usize| !is_hidden_input(found.controls[control].node);
    let first = controls.iter().find(visible).and_then(|&control| found.controls[control].heading);
    first.or(form.heading).map_or(String::new(), |node| short(found.text_of(node)))
}

fn is_hidden_input(node: NodeRef<'_>) -> bool {
    node.attribute(&local_name!("type")).is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"))
}
