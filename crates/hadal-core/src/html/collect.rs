//! The one walk over the tree: gathers the text and notes what later steps look at again.

use super::dom::{Element, NodeData, NodeRef, TreeWalk, WalkEvent};
use super::folded_text::FoldedText;
use super::limits;
use super::sink::DomTree;
use super::text::{PageTexts, TextLayer, TextSpan};
use html5ever::{local_name, ns};

/// What the walk found, in document order.
#[derive(Default)]
pub(super) struct Collected<'a> {
    pub texts: PageTexts,
    pub spans: Vec<TextSpan>,
    pub title: Option<NodeRef<'a>>,
    pub base: Option<NodeRef<'a>>,
    /// `<a>` and `<area>` with an address.
    pub anchors: Vec<NodeRef<'a>>,
    pub forms: Vec<CollectedForm<'a>>,
    pub controls: Vec<CollectedControl<'a>>,
    pub labels: Vec<NodeRef<'a>>,
    pub ids: Vec<(&'a str, NodeRef<'a>)>,
    /// `<meta>`, `<link>`, linked data and microdata: what speaks to machines.
    pub machine: Vec<NodeRef<'a>>,
    /// Whether something was left out because there is too much of it.
    pub is_truncated: bool,
    concealed: Option<NodeRef<'a>>,
    heading: Option<NodeRef<'a>>,
    last_control: [usize; 2],
}

/// A `<form>` and the heading before it.
pub(super) struct CollectedForm<'a> {
    pub node: NodeRef<'a>,
    pub heading: Option<NodeRef<'a>>,
}

/// An input, select, textarea or button.
pub(super) struct CollectedControl<'a> {
    pub node: NodeRef<'a>,
    /// The heading or legend before it.
    pub heading: Option<NodeRef<'a>>,
    /// The text since the control before it.
    pub lead: TextSpan,
}

/// Whether the walk goes into an element.
#[derive(PartialEq)]
enum Descent {
    Enter,
    Skip,
}

/// Walks the tree once.
pub(super) fn collect<'a>(tree: &DomTree<'a>) -> Collected<'a> {
    let mut found = Collected::default();
    let mut walk = TreeWalk::below(tree.document);
    while let Some(step) = walk.next() {
        match step {
            WalkEvent::Enter(node) => match &node.data {
                NodeData::Text(text) => found.text().push(&text.borrow()),
                NodeData::Element(element) => {
                    if found.enter(node, element) == Descent::Skip {
                        walk.skip_inside(node);
                    }
                }
                NodeData::Root => {}
            },
            WalkEvent::Leave(node) => found.leave(node),
        }
    }
    found.is_truncated |= found.texts.is_full();
    found
}

impl<'a> Collected<'a> {
    /// The span of an element that was given one.
    pub fn span(&self, node: NodeRef<'a>) -> Option<TextSpan> {
        self.spans.get(node.span.get()? as usize).copied()
    }

    /// What is written inside an element that was given a span.
    pub fn text_of(&self, node: NodeRef<'a>) -> &str {
        self.span(node).map_or("", |span| self.texts.slice(span))
    }

    fn current(&self) -> TextLayer {
        if self.concealed.is_some() { TextLayer::Concealed } else { TextLayer::Visible }
    }

    fn text(&mut self) -> &mut FoldedText {
        self.texts.layer(self.current())
    }

    fn enter(&mut self, node: NodeRef<'a>, element: &'a Element<'a>) -> Descent {
        self.read_attributes(node, element);
        if element.name.ns != ns!(html) {
            return self.enter_foreign(element);
        }
        if !is_inline(element) {
            self.text().break_word();
        }
        match element.name.local {
            local_name!("script") => self.enter_script(node),
            local_name!("style")
            | local_name!("template")
            | local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("datalist") => return Descent::Skip,
            local_name!("title") => {
                self.title.get_or_insert(node);
                return Descent::Skip;
            }
            local_name!("base") if node.has(&local_name!("href")) => {
                self.base.get_or_insert(node);
            }
            local_name!("meta") | local_name!("link") => self.machine.push(node),
            local_name!("a") | local_name!("area") if node.has(&local_name!("href")) => {
                self.enter_anchor(node)
            }
            local_name!("form") => self.enter_form(node),
            local_name!("input")
            | local_name!("select")
            | local_name!("textarea")
            | local_name!("button") => {
                self.enter_control(node);
            }
            local_name!("label") => {
                self.open_span(node);
                self.labels.push(node);
            }
            local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
            | local_name!("legend") => {
                self.open_span(node);
                self.heading = Some(node);
            }
            _ => {}
        }
        let is_silent = [local_name!("script"), local_name!("textarea")].contains(&element.name.local);
        if is_silent { Descent::Skip } else { Descent::Enter }
    }

    fn leave(&mut self, node: NodeRef<'a>) {
        let layer = self.current();
        if let Some(span) = node.span.get() {
            let end = self.texts.layer(layer).position();
            if let Some(span) = self.spans.get_mut(span as usize) {
                span.end = end.max(span.start);
            }
            if node.element().is_some_and(ends_lead) {
                self.last_control[layer as usize] = end;
            }
        }
        if node.element().is_some_and(|element| !is_inline(element)) {
            self.text().break_word();
        }
        if self.concealed.is_some_and(|root| std::ptr::eq(root, node)) {
            self.concealed = None;
        }
    }

    fn read_attributes(&mut self, node: NodeRef<'a>, element: &'a Element<'a>) {
        for attribute in &element.attributes {
            match attribute.name.local {
                local_name!("id") => {
                    self.ids.push((&attribute.value, node));
                    self.open_span(node);
                }
                local_name!("hidden") => self.conceal(node),
                local_name!("style") if shows_nothing(&attribute.value) => self.conceal(node),
                local_name!("itemprop") => self.machine.push(node),
                _ => {}
            }
        }
        if element.name.local == local_name!("dialog") && !node.has(&local_name!("open")) {
            self.conceal(node);
        }
    }

    fn conceal(&mut self, node: NodeRef<'a>) {
        if self.concealed.is_none() {
            self.concealed = Some(node);
            // A span that began before this attribute was read belongs to the other layer.
            self.reopen_span(node);
        }
    }

    fn open_span(&mut self, node: NodeRef<'a>) {
        if node.span.get().is_none() {
            node.span.set(u32::try_from(self.spans.len()).ok());
            let span = self.here();
            self.spans.push(span);
        }
    }

    fn reopen_span(&mut self, node: NodeRef<'a>) {
        let here = self.here();
        if let Some(span) = node.span.get().and_then(|at| self.spans.get_mut(at as usize)) {
            *span = here;
        }
    }

    fn here(&mut self) -> TextSpan {
        let layer = self.current();
        let at = self.texts.layer(layer).position();
        TextSpan { layer, start: at, end: at }
    }

    fn enter_foreign(&mut self, element: &Element<'_>) -> Descent {
        match &*element.name.local {
            "title" | "desc" | "style" | "script" | "metadata" => Descent::Skip,
            _ => Descent::Enter,
        }
    }

    fn enter_script(&mut self, node: NodeRef<'a>) {
        let kind = node.attribute(&local_name!("type")).unwrap_or_default();
        if kind.trim().eq_ignore_ascii_case("application/ld+json") {
            self.machine.push(node);
        }
    }

    fn enter_anchor(&mut self, node: NodeRef<'a>) {
        self.open_span(node);
        if self.anchors.len() < limits::LINKS {
            self.anchors.push(node);
        } else {
            self.is_truncated = true;
        }
    }

    fn enter_form(&mut self, node: NodeRef<'a>) {
        self.open_span(node);
        let here = self.here();
        self.last_control[here.layer as usize] = here.start;
        if self.forms.len() < limits::FORMS {
            self.forms.push(CollectedForm { node, heading: self.heading });
        } else {
            self.is_truncated = true;
        }
    }

    fn enter_control(&mut self, node: NodeRef<'a>) {
        self.open_span(node);
        let here = self.here();
        let layer = here.layer as usize;
        let lead = TextSpan { start: self.last_control[layer].min(here.start), ..here };
        if self.controls.len() < limits::CONTROLS {
            self.controls.push(CollectedControl { node, heading: self.heading, lead });
        } else {
            self.is_truncated = true;
        }
        if node.is(&local_name!("input")) {
            self.write_button(node);
        }
        self.last_control[layer] = self.here().start;
    }

    /// What is written on a button is read like any other text.
    fn write_button(&mut self, node: NodeRef<'a>) {
        let kind = node.attribute(&local_name!("type")).unwrap_or_default();
        let is_button = ["submit", "button", "reset"].iter().any(|name| kind.eq_ignore_ascii_case(name));
        if let Some(value) = node.attribute(&local_name!("value")).filter(|_| is_button) {
            self.text().push(value);
            self.text().break_word();
        }
    }
}

/// `display: none`, in any spelling.
pub(super) fn shows_nothing(style: &str) -> bool {
    let mut rest = style;
    while let Some(at) = rest.find(|c: char| c.eq_ignore_ascii_case(&'d')) {
        let word = &rest.as_bytes()[at..];
        if word.get(..7).is_some_and(|name| name.eq_ignore_ascii_case(b"display")) {
            let value = word[7..].trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start);
            return value.is_some_and(|v| v.get(..4).is_some_and(|v| v.eq_ignore_ascii_case(b"none")));
        }
        rest = &rest[at + 1..];
    }
    false
}

/// Elements whose text is no label of the control that follows.
fn ends_lead(element: &Element<'_>) -> bool {
    matches!(
        element.name.local,
        local_name!("form")
            | local_name!("select")
            | local_name!("button")
            | local_name!("legend")
            | local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
    )
}

/// Elements that do not end a word.
pub(super) fn is_inline(element: &Element<'_>) -> bool {
    matches!(
        element.name.local,
        local_name!("a")
            | local_name!("abbr")
            | local_name!("b")
            | local_name!("bdi")
            | local_name!("bdo")
            | local_name!("big")
            | local_name!("cite")
            | local_name!("code")
            | local_name!("del")
            | local_name!("dfn")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("ins")
            | local_name!("kbd")
            | local_name!("mark")
            | local_name!("q")
            | local_name!("s")
            | local_name!("samp")
            | local_name!("small")
            | local_name!("span")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("sub")
            | local_name!("sup")
            | local_name!("tt")
            | local_name!("u")
            | local_name!("var")
            | local_name!("wbr")
    )
}

#[cfg(test)]
mod tests {
    use super::shows_nothing;

    #[test]
    fn hidden_styles_are_seen_in_every_spelling() {
        for style in ["display:none", "color: red; DISPLAY : None !important", "width:0;display:none;"] {
            assert!(shows_nothing(style), "{style}");
        }
        for style in ["", "display:block", "background: dark", "disp", "display", "ďdisplay;none"] {
            assert!(!shows_nothing(style), "{style}");
        }
    }
}
