//! Builds the fields of forms from their controls.

use super::collect::{Collected, CollectedControl};
use super::document_base::DocumentBase;
use super::dom::{NodeRef, TreeWalk, WalkEvent, text_below};
use super::labels::{LabelIndex, button_text};
use super::limits::{self, truncate};
use super::text::short;
use crate::http::Method;
use crate::page::{Field, FieldKind, FieldOption};
use html5ever::{LocalName, local_name};
use rustc_hash::FxHashMap;
use url::Url;

/// Builds fields from the controls of a page.
pub(super) struct FieldBuilder<'f, 'a> {
    found: &'f Collected<'a>,
    base: &'f DocumentBase,
    ids: FxHashMap<&'a str, NodeRef<'a>>,
    labels: LabelIndex<'a>,
    /// Options that may still be added before [`limits::PAGE_OPTIONS`] is reached.
    options_left: usize,
    /// True if options were left out.
    pub is_cut: bool,
}

impl<'f, 'a> FieldBuilder<'f, 'a> {
    pub fn new(found: &'f Collected<'a>, base: &'f DocumentBase) -> FieldBuilder<'f, 'a> {
        let mut ids = FxHashMap::default();
        if !found.controls.is_empty() {
            for &(id, node) in &found.ids {
                ids.entry(id).or_insert(node);
            }
        }
        let labels = LabelIndex::new(found);
        FieldBuilder { found, base, ids, labels, options_left: limits::PAGE_OPTIONS, is_cut: false }
    }

    /// First element with an id.
    pub fn by_id(&self, id: &str) -> Option<NodeRef<'a>> {
        self.ids.get(id).copied()
    }

    /// Builds the field of a control.
    pub fn field(&mut self, position: usize) -> Field {
        let control = &self.found.controls[position];
        let node = control.node;
        let kind = kind(node);
        let options = self.options(node, kind);
        let named = |name: &LocalName| node.attribute(name).map(short).unwrap_or_default();
        let label = if kind == FieldKind::Hidden {
            String::new()
        } else {
            self.labels.label(self.found, &self.ids, position, kind)
        };
        let name = node.attribute(&local_name!("name")).unwrap_or_default();
        let model = if name.is_empty() { model_name(node) } else { None };
        let placeholder = Some(named(&local_name!("placeholder"))).filter(|text| !text.is_empty());
        Field {
            kind,
            name: truncate(name, limits::SHORT_TEXT).to_string(),
            id: model.map_or_else(|| named(&local_name!("id")), short),
            value: self.value(control, kind, &options),
            label,
            placeholder: placeholder.unwrap_or_else(|| named(&LocalName::from("data-placeholder"))),
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

    /// Hidden field for the text direction of a control with a `dirname` attribute.
    pub fn direction(&self, position: usize) -> Option<Field> {
        let node = self.found.controls[position].node;
        let name = node.attribute(&LocalName::from("dirname")).filter(|name| !name.is_empty())?;
        let takes_text = matches!(kind(node), FieldKind::Text | FieldKind::Search | FieldKind::Textarea);
        let declared = std::iter::once(node)
            .chain(node.ancestors())
            .find_map(|node| node.attribute(&local_name!("dir")));
        let direction =
            if declared.is_some_and(|dir| dir.eq_ignore_ascii_case("rtl")) { "rtl" } else { "ltr" };
        let field = Field::new(FieldKind::Hidden, truncate(name, limits::SHORT_TEXT), direction);
        takes_text.then(|| Field { disabled: is_disabled(node), ..field })
    }

    /// The `formenctype` attribute of a button.
    pub fn own_enctype(&self, position: usize) -> Option<&'a str> {
        self.found.controls[position].node.attribute(&local_name!("formenctype"))
    }

    fn options(&mut self, node: NodeRef<'a>, kind: FieldKind) -> Vec<FieldOption> {
        let source = match node.attribute(&local_name!("list")) {
            _ if kind == FieldKind::Select => Some(node),
            Some(id) => self.by_id(id).filter(|list| list.is(&local_name!("datalist"))),
            None => None,
        };
        let Some(source) = source else { return Vec::new() };
        let max = limits::OPTIONS.min(self.options_left);
        let (options, is_cut) = options_of(source, max);
        self.options_left -= options.len();
        self.is_cut |= is_cut;
        options
    }

    fn value(&self, control: &CollectedControl<'a>, kind: FieldKind, options: &[FieldOption]) -> String {
        let given = control.node.attribute(&local_name!("value"));
        match kind {
            FieldKind::Select => options
                .iter()
                .find(|choice| choice.selected)
                .map_or(String::new(), |choice| choice.value.clone()),
            FieldKind::Textarea => raw_value(&text_below(control.node, limits::VALUE)),
            FieldKind::Hidden => truncate(given.unwrap_or_default(), limits::HIDDEN_VALUE).to_string(),
            FieldKind::Checkbox | FieldKind::Radio => given.map_or("on".to_string(), raw_value),
            _ if kind.is_button() => {
                let written = || button_text(self.found, control.node);
                given.filter(|text| !text.is_empty()).map_or_else(written, raw_value)
            }
            _ => given.map(raw_value).unwrap_or_default(),
        }
    }

    fn own_action(&self, node: NodeRef<'a>, kind: FieldKind) -> Option<Url> {
        let address = node.attribute(&local_name!("formaction")).filter(|_| kind.is_button())?;
        self.base.join(address.trim()).ok()
    }
}

/// Attributes in which frameworks name the variable that a control is bound to, without modifiers such as `.trim`.
const MODEL_ATTRIBUTES: [&str; 7] =
    ["formcontrolname", "v-model", "ng-model", "data-ng-model", "[(ngmodel)]", "x-model", "wire:model"];

/// Name of the variable that a script binds a control to.
fn model_name(node: NodeRef<'_>) -> Option<&str> {
    let is_model = |name: &str| MODEL_ATTRIBUTES.contains(&name.split('.').next().unwrap_or_default());
    let attributes = node.element()?.attributes.iter();
    let mut models = attributes.filter(|attribute| is_model(&attribute.name.local));
    models.next().map(|attribute| &*attribute.value).filter(|value| !value.is_empty())
}

/// Truncates a value to [`limits::VALUE`]. Values are submitted, so their white space is kept.
fn raw_value(text: &str) -> String {
    truncate(text, limits::VALUE).to_string()
}

/// Method named by a form or button; `None` for `dialog` and unknown names.
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

/// True if a control is disabled by itself, by a fieldset around it (except in the fieldset's first legend), or
/// because it is inside a datalist.
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

/// Type of a control. An unknown type is a text field.
pub(super) fn kind(node: NodeRef<'_>) -> FieldKind {
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

/// Up to `max` enabled options of a select or datalist in document order, and whether some were left out.
fn options_of(list: NodeRef<'_>, max: usize) -> (Vec<FieldOption>, bool) {
    let mut options = Vec::new();
    let (mut is_cut, mut may_be_empty) = (false, is_list_box(list));
    let mut walk = TreeWalk::below(list);
    while let Some(step) = walk.next() {
        let WalkEvent::Enter(node) = step else { continue };
        let is_group = node.is(&local_name!("optgroup"));
        let is_option = node.is(&local_name!("option"));
        if (is_group || is_option) && node.has(&local_name!("disabled")) {
            if is_option && node.has(&local_name!("selected")) {
                options.iter_mut().for_each(|option: &mut FieldOption| option.selected = false);
                may_be_empty = true;
            }
            walk.skip_children(node);
        } else if is_option {
            is_cut = options.len() == max;
            if is_cut {
                break;
            }
            options.push(option_of(node));
        }
    }
    if list.is(&local_name!("select")) && !list.has(&local_name!("multiple")) {
        select_one(&mut options, may_be_empty);
    }
    (options, is_cut)
}

/// True for a select that shows several rows. It may have no selected option.
fn is_list_box(list: NodeRef<'_>) -> bool {
    let size = list.attribute(&local_name!("size")).and_then(|size| size.trim().parse::<u32>().ok());
    size.is_some_and(|size| size > 1)
}

fn option_of(option: NodeRef<'_>) -> FieldOption {
    let written = || short(&text_below(option, limits::SHORT_TEXT));
    let label = option.attribute(&local_name!("label")).map(short).filter(|label| !label.is_empty());
    let value =
        option.attribute(&local_name!("value")).map(|value| truncate(value, limits::VALUE).to_string());
    let text = label.unwrap_or_else(written);
    FieldOption { value: value.unwrap_or_else(written), text, selected: option.has(&local_name!("selected")) }
}

/// Selects one option of a select without `multiple`: the last that is marked `selected`, or else the first unless
/// the select may be empty.
fn select_one(options: &mut [FieldOption], may_be_empty: bool) {
    let marked = options.iter().rposition(|option| option.selected);
    let selected = marked.or((!may_be_empty).then_some(0));
    for (position, option) in options.iter_mut().enumerate() {
        option.selected = Some(position) == selected;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(body: &str) -> Vec<crate::page::Form> {
        crate::html::parse(body.as_bytes(), None, &Url::parse("http://a.org/").unwrap()).forms
    }

    #[test]
    fn controls_without_a_name_are_described_by_the_variable_of_their_framework() {
        for attribute in ["formControlName", "v-model.trim", "ng-model", "[(ngModel)]", "wire:model.live"] {
            let form = forms(&format!("<form><input id=mat-input-3 {attribute}='trip.destination'></form>"));
            let field = &form[0].fields[0];
            assert_eq!((field.name.as_str(), field.id.as_str()), ("", "trip.destination"), "{attribute}");
        }
        let named = forms("<form><input name=city id=box v-model=destination data-placeholder=City></form>");
        let field = &named[0].fields[0];
        assert_eq!((field.name.as_str(), field.id.as_str()), ("city", "box"));
        assert_eq!(field.placeholder, "City");
    }

    #[test]
    fn a_shadow_tree_is_part_of_the_page_and_another_template_is_not() {
        let found = forms(
            "<x-search><template shadowrootmode=open><form action=/find><input name=q></form></template></x-search>
            <template><form action=/none><input name=no></form></template>",
        );
        let fields: Vec<&str> = found.iter().map(|form| form.fields[0].name.as_str()).collect();
        assert_eq!(fields, ["q"]);
    }
}
