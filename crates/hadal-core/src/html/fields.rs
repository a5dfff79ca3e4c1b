//! Controls as fields: what they are, what they hold, what they are called.

use super::choices::choices;
use super::collect::{Collected, CollectedControl};
use super::dom::{NodeRef, text_below};
use super::labels::LabelIndex;
use super::limits::{self, truncate};
use super::text::short;
use crate::http::Method;
use crate::page::{Field, FieldKind, FieldOption};
use html5ever::{LocalName, local_name};
use rustc_hash::FxHashMap;
use url::Url;

/// Turns the controls of a page into fields.
pub(super) struct FieldBuilder<'f, 'a> {
    found: &'f Collected<'a>,
    base: &'f Url,
    ids: FxHashMap<&'a str, NodeRef<'a>>,
    labels: LabelIndex<'a>,
    choices_left: usize,
    /// Whether choices were left out.
    pub is_truncated: bool,
}

impl<'f, 'a> FieldBuilder<'f, 'a> {
    pub fn new(found: &'f Collected<'a>, base: &'f Url) -> FieldBuilder<'f, 'a> {
        let mut ids = FxHashMap::default();
        if !found.controls.is_empty() {
            for &(id, node) in &found.ids {
                ids.entry(id).or_insert(node);
            }
        }
        let labels = LabelIndex::new(found);
        FieldBuilder { found, base, ids, labels, choices_left: limits::PAGE_CHOICES, is_truncated: false }
    }

    /// The first element with an id.
    pub fn by_id(&self, id: &str) -> Option<NodeRef<'a>> {
        self.ids.get(id).copied()
    }

    /// The field a control makes.
    pub fn field(&mut self, position: usize) -> Field {
        let control = &self.found.controls[position];
        let node = control.node;
        let kind = kind(node);
        let options = self.choices(node, kind);
        let named = |name| node.attribute(name).map(short).unwrap_or_default();
        let label = if kind == FieldKind::Hidden {
            String::new()
        } else {
            self.labels.label(self.found, &self.ids, position, kind)
        };
        Field {
            kind,
            name: truncate(node.attribute(&local_name!("name")).unwrap_or_default(), limits::SHORT_TEXT)
                .to_string(),
            id: named(&local_name!("id")),
            value: self.value(control, kind, &options, &label),
            label,
            placeholder: named(&local_name!("placeholder")),
            options,
            checked: node.has(&local_name!("checked")),
            multiple: node.has(&local_name!("multiple")),
            required: node.has(&local_name!("required"))
                || node.attribute(&LocalName::from("aria-required")) == Some("true"),
            disabled: is_disabled(node),
            size: number(node, &local_name!("size")),
            max_length: number(node, &local_name!("maxlength")),
            formaction: self.own_action(node, kind),
            formmethod: node.attribute(&local_name!("formmethod")).and_then(method),
        }
    }

    /// What is sent beside a text to tell its direction, where the page asks for that.
    pub fn direction(&self, position: usize) -> Option<Field> {
        let node = self.found.controls[position].node;
        let name = node.attribute(&LocalName::from("dirname")).filter(|name| !name.is_empty())?;
        let takes_text = matches!(kind(node), FieldKind::Text | FieldKind::Search | FieldKind::Textarea);
        let said = std::iter::once(node)
            .chain(node.ancestors())
            .find_map(|node| node.attribute(&local_name!("dir")));
        let direction = if said.is_some_and(|dir| dir.eq_ignore_ascii_case("rtl")) { "rtl" } else { "ltr" };
        let field = Field::new(FieldKind::Hidden, truncate(name, limits::SHORT_TEXT), direction);
        takes_text.then(|| Field { disabled: is_disabled(node), ..field })
    }

    /// The encoding that a button sends the form in, where it has its own.
    pub fn own_enctype(&self, position: usize) -> Option<&'a str> {
        self.found.controls[position].node.attribute(&local_name!("formenctype"))
    }

    fn choices(&mut self, node: NodeRef<'a>, kind: FieldKind) -> Vec<FieldOption> {
        let source = match node.attribute(&local_name!("list")) {
            _ if kind == FieldKind::Select => Some(node),
            Some(id) => self.by_id(id).filter(|list| list.is(&local_name!("datalist"))),
            None => None,
        };
        let Some(source) = source else { return Vec::new() };
        let most = limits::CHOICES.min(self.choices_left);
        let (choices, is_truncated) = choices(source, most);
        self.choices_left -= choices.len();
        self.is_truncated |= is_truncated;
        choices
    }

    fn value(
        &self,
        control: &CollectedControl<'a>,
        kind: FieldKind,
        options: &[FieldOption],
        label: &str,
    ) -> String {
        let given = control.node.attribute(&local_name!("value"));
        match kind {
            FieldKind::Select => options
                .iter()
                .find(|choice| choice.selected)
                .map_or(String::new(), |choice| choice.value.clone()),
            FieldKind::Textarea => short_raw(&text_below(control.node, limits::VALUE)),
            FieldKind::Checkbox | FieldKind::Radio => given.map_or("on".to_string(), short_raw),
            _ if kind.is_button() => {
                given.filter(|text| !text.is_empty()).map_or(label.to_string(), short_raw)
            }
            _ => given.map(short_raw).unwrap_or_default(),
        }
    }

    fn own_action(&self, node: NodeRef<'a>, kind: FieldKind) -> Option<Url> {
        let address = node.attribute(&local_name!("formaction")).filter(|_| kind.is_button())?;
        self.base.join(address.trim()).ok()
    }
}

/// Values are submitted as they are, so their white space stays.
fn short_raw(text: &str) -> String {
    truncate(text, limits::VALUE).to_string()
}

/// The method a form or a button names; `dialog` and nonsense name none.
pub(super) fn method(name: &str) -> Option<Method> {
    match name.trim() {
        name if name.eq_ignore_ascii_case("post") => Some(Method::Post),
        name if name.eq_ignore_ascii_case("get") => Some(Method::Get),
        _ => None,
    }
}

fn number(node: NodeRef<'_>, name: &LocalName) -> Option<u32> {
    node.attribute(name)?.trim().parse().ok()
}

/// Disabled itself, or by a fieldset around it; the first legend of a fieldset stays usable. What stands
/// in a list of suggestions is never sent either.
fn is_disabled(node: NodeRef<'_>) -> bool {
    if node.has(&local_name!("disabled")) {
        return true;
    }
    let mut below = node;
    for ancestor in node.ancestors() {
        let disables = ancestor.is(&local_name!("fieldset")) && ancestor.has(&local_name!("disabled"));
        if (disables && !is_first_legend(below)) || ancestor.is(&local_name!("datalist")) {
            return true;
        }
        below = ancestor;
    }
    false
}

fn is_first_legend(node: NodeRef<'_>) -> bool {
    let before = std::iter::successors(node.previous.get(), |node| node.previous.get());
    node.is(&local_name!("legend")) && !before.into_iter().any(|node| node.is(&local_name!("legend")))
}

/// What a control is; an unknown type is a text field.
fn kind(node: NodeRef<'_>) -> FieldKind {
    use FieldKind::*;
    let named = node.attribute(&local_name!("type")).unwrap_or_default().trim().to_ascii_lowercase();
    if node.is(&local_name!("select")) {
        return Select;
    }
    if node.is(&local_name!("textarea")) {
        return Textarea;
    }
    if node.is(&local_name!("button")) {
        return match named.as_str() {
            "button" => Button,
            "reset" => Reset,
            _ => Submit,
        };
    }
    let mut inputs = FieldKind::ALL.into_iter().filter(|kind| !matches!(kind, Select | Textarea));
    inputs.find(|kind| kind.name() == named).unwrap_or(Text)
}
