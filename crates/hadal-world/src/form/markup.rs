//! Markup of forms in several layouts and label styles, including invalid ones that browsers accept.

use crate::form::content::{FormContent, FormControl, SelectOptions};
use crate::page::markup::HtmlWriter;
use crate::random::SeededRng;
use hadal_core::http::Method;
use hadal_core::page::FieldKind;

/// Layout of the controls of a form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FormLayout {
    Blocks,
    Inline,
    Table,
    /// The form element is between table and row, which is invalid.
    BrokenTable,
    /// The last visible control comes after the form element and refers to it by id.
    Outside,
}

/// Association of labels with controls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LabelStyle {
    For,
    Wrapping,
    Placeholder,
    Before,
}

/// Writes a form. `action` is the action of the content, perhaps with a session id. `token` is the value of hidden
/// fields that have no fixed value.
pub(crate) fn write_form(html: &mut HtmlWriter, content: &FormContent, seed: u64, action: &str, token: &str) {
    let mut rng = SeededRng::new(seed, 31);
    let layout = [
        FormLayout::Blocks,
        FormLayout::Inline,
        FormLayout::Table,
        FormLayout::BrokenTable,
        FormLayout::Outside,
    ][rng.weighted(&[0.4, 0.25, 0.2, 0.1, 0.05])];
    let labels = [LabelStyle::For, LabelStyle::Wrapping, LabelStyle::Placeholder, LabelStyle::Before]
        [rng.weighted(&[3.0, 1.0, 2.0, 3.0])];
    let id = format!("f{:x}", seed & 0xffff);
    if !content.heading.is_empty() {
        html.element(rng.pick(&["h2", "h3", "b"]), &[], &content.heading);
    }
    if layout == FormLayout::BrokenTable {
        html.open("table", &[("border", "0"), ("cellpadding", "2")]);
    }
    let method = if content.method == Method::Post { "post" } else { "get" };
    let shown = if method == "get" && rng.chance(0.4) { "" } else { method };
    html.open("form", &[("action", action), ("method", shown), ("id", &id), ("class", content.class)]);
    if layout == FormLayout::Table {
        html.open("table", &[("class", "form")]);
    }
    let writer = FormWriter { labels, layout, id: &id, token };
    let outside = writer.outside(content);
    for (at, control) in content.controls.iter().enumerate().filter(|(at, _)| Some(*at) != outside) {
        writer.row(html, control, at);
    }
    writer.button(html, content.button, &mut rng);
    if layout == FormLayout::Table {
        html.close("table");
    }
    html.close("form");
    if layout == FormLayout::BrokenTable {
        html.close("table");
    }
    if let Some(at) = outside {
        writer.row(html, &content.controls[at], at);
    }
}

struct FormWriter<'a> {
    labels: LabelStyle,
    layout: FormLayout,
    id: &'a str,
    token: &'a str,
}

impl FormWriter<'_> {
    /// Index of the control that is written after the form element.
    fn outside(&self, content: &FormContent) -> Option<usize> {
        let visible = |control: &FormControl| matches!(control.kind, FieldKind::Text | FieldKind::Select);
        (self.layout == FormLayout::Outside).then(|| content.controls.iter().rposition(visible)).flatten()
    }

    fn row(&self, html: &mut HtmlWriter, control: &FormControl, at: usize) {
        let in_table = matches!(self.layout, FormLayout::Table | FormLayout::BrokenTable);
        if control.kind == FieldKind::Hidden && !in_table {
            return self.control(html, control, "");
        }
        let id = format!("{}_{at}", self.id);
        if in_table {
            html.open("tr", &[]);
            html.element("td", &[("align", "right")], control.label);
            html.open("td", &[]);
            self.control(html, control, &id);
            html.close("td");
            html.close("tr");
            return;
        }
        let block = self.layout == FormLayout::Blocks;
        if block {
            html.open("div", &[("class", "field")]);
        }
        self.labelled(html, control, &id);
        if block {
            html.close("div");
        }
    }

    fn labelled(&self, html: &mut HtmlWriter, control: &FormControl, id: &str) {
        match self.labels {
            LabelStyle::For if !control.label.is_empty() => {
                html.element("label", &[("for", id)], control.label);
                self.control(html, control, id);
            }
            LabelStyle::Wrapping => {
                html.open("label", &[]);
                html.text(control.label);
                html.raw(" ");
                self.control(html, control, "");
                html.close("label");
            }
            LabelStyle::Placeholder if control.kind.is_textual() => self.control(html, control, id),
            _ => {
                html.text(control.label);
                html.raw(": ");
                self.control(html, control, "");
            }
        }
    }

    fn control(&self, html: &mut HtmlWriter, control: &FormControl, id: &str) {
        let owner = if self.layout == FormLayout::Outside { self.id } else { "" };
        let common = [("name", control.name.as_str()), ("id", id), ("form", owner)];
        let [name, id, owner] = common;
        match control.kind {
            FieldKind::Select => {
                html.open("select", &[name, id, owner]);
                write_options(html, &control.options);
                html.close("select");
            }
            FieldKind::Textarea => {
                html.open("textarea", &[name, id, owner, ("rows", "6"), ("cols", "40")]);
                html.close("textarea");
            }
            kind => {
                let hint = if self.labels == LabelStyle::Placeholder && kind.is_textual() {
                    control.label
                } else {
                    ""
                };
                let value = if kind == FieldKind::Hidden && control.value.is_empty() {
                    self.token
                } else {
                    control.value
                };
                let shown = if kind == FieldKind::Text && id.1.is_empty() { "" } else { kind.name() };
                let (value, hint) = (("value", value), ("placeholder", hint));
                html.open("input", &[("type", shown), name, id, owner, value, hint]);
            }
        }
    }

    fn button(&self, html: &mut HtmlWriter, text: &str, rng: &mut SeededRng) {
        let in_table = matches!(self.layout, FormLayout::Table | FormLayout::BrokenTable);
        if in_table {
            html.open("tr", &[]);
            html.open("td", &[("colspan", "2")]);
        }
        match rng.below(6) {
            0 => html.open("input", &[("type", "image"), ("src", "/img/go.gif"), ("alt", text)]),
            1 => html.element("button", &[("class", "btn")], text),
            2 => html.element("button", &[("type", "submit"), ("class", "btn btn-primary")], text),
            _ => html.open("input", &[("type", "submit"), ("value", text)]),
        }
        if in_table {
            html.close("td");
            html.close("tr");
        }
    }
}

fn write_options(html: &mut HtmlWriter, options: &SelectOptions) {
    match options {
        SelectOptions::None => {}
        SelectOptions::Words(words) => {
            for (at, word) in words.iter().enumerate() {
                html.element("option", &[("value", if at == 0 { "" } else { word })], word);
            }
        }
        SelectOptions::Numbers { from, step, count } => {
            html.element("option", &[("value", "")], "--");
            for at in 0..*count {
                let number = (from + step * at).to_string();
                html.element("option", &[("value", &number)], &number);
            }
        }
    }
}
