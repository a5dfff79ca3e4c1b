//! Walks the DOM tree once, gathers the text and lists the elements that later steps need.

use super::dom::{Element, NodeData, NodeRef, TreeWalk, WalkEvent};
use super::folded_text::FoldedText;
use super::limits;
use super::sink::DomTree;
use super::text::{PageTexts, TextLayer, TextSpan};
use html5ever::{local_name, ns};

/// Text and elements of a page in document order.
#[derive(Default)]
pub(super) struct Collected<'a> {
    pub texts: PageTexts,
    /// Text spans of elements, indexed by `DomNode::span`.
    pub spans: Vec<TextSpan>,
    pub title: Option<NodeRef<'a>>,
    pub base: Option<NodeRef<'a>>,
    /// `<a>` and `<area>` elements with `href`, and frames with `src`.
    pub anchors: Vec<NodeRef<'a>>,
    /// Elements with `onclick`, selects with `onchange`.
    pub clickable: Vec<NodeRef<'a>>,
    pub forms: Vec<CollectedForm<'a>>,
    pub controls: Vec<CollectedControl<'a>>,
    pub labels: Vec<NodeRef<'a>>,
    pub ids: Vec<(&'a str, NodeRef<'a>)>,
    /// `<meta>`, `<link>` and JSON-LD elements, and elements with `itemprop`.
    pub metadata: Vec<NodeRef<'a>>,
    /// `<script>` elements of the page.
    pub scripts: Vec<NodeRef<'a>>,
    /// True if a limit left out text or elements.
    pub is_cut: bool,
    /// Outermost hidden element around the current position.
    hidden_root: Option<NodeRef<'a>>,
    /// Last heading or legend so far.
    heading: Option<NodeRef<'a>>,
    /// Per text layer, the end of the last control or other element that labels nothing after it.
    last_control: [usize; 2],
}

/// A `<form>` element and the last heading before it.
pub(super) struct CollectedForm<'a> {
    pub node: NodeRef<'a>,
    pub heading: Option<NodeRef<'a>>,
}

/// An input, select, textarea or button.
pub(super) struct CollectedControl<'a> {
    pub node: NodeRef<'a>,
    /// Last heading or legend before the control.
    pub heading: Option<NodeRef<'a>>,
    /// Text between the previous control and this one.
    pub lead: TextSpan,
}

/// Decision whether the walk visits the children of an element.
#[derive(PartialEq)]
enum Descent {
    Enter,
    Skip,
}

/// Collects text and elements of a page.
pub(super) fn collect<'a>(tree: &DomTree<'a>) -> Collected<'a> {
    let mut found = Collected::default();
    let mut walk = TreeWalk::below(tree.document);
    while let Some(step) = walk.next() {
        match step {
            WalkEvent::Enter(node) => match &node.data {
                NodeData::Text(text) => found.text().push(&text.borrow()),
                NodeData::Element(element) => {
                    if found.enter(node, element) == Descent::Skip {
                        walk.skip_children(node);
                    }
                }
                NodeData::Root => {}
            },
            WalkEvent::Leave(node) => found.leave(node),
        }
    }
    found.is_cut |= found.texts.is_full();
    found
}

impl<'a> Collected<'a> {
    /// Span of the text inside an element, if it was recorded.
    pub fn span(&self, node: NodeRef<'a>) -> Option<TextSpan> {
        self.spans.get(node.span.get()? as usize).copied()
    }

    /// Text inside an element; empty if its span was not recorded.
    pub fn text_of(&self, node: NodeRef<'a>) -> &str {
        self.span(node).map_or("", |span| self.texts.slice(span))
    }

    fn current(&self) -> TextLayer {
        if self.hidden_root.is_some() { TextLayer::Hidden } else { TextLayer::Visible }
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
            local_name!("template") if element.contents.is_some() => return Descent::Skip,
            local_name!("iframe") => {
                self.enter_frame(node);
                return Descent::Skip;
            }
            local_name!("frame") => self.enter_frame(node),
            local_name!("style")
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
            local_name!("meta") | local_name!("link") => self.metadata.push(node),
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
        let has_no_text = [local_name!("script"), local_name!("textarea")].contains(&element.name.local);
        if has_no_text { Descent::Skip } else { Descent::Enter }
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
        if self.hidden_root.is_some_and(|root| std::ptr::eq(root, node)) {
            self.hidden_root = None;
        }
    }

    fn read_attributes(&mut self, node: NodeRef<'a>, element: &'a Element<'a>) {
        for attribute in &element.attributes {
            match attribute.name.local {
                local_name!("id") => {
                    self.ids.push((&attribute.value, node));
                    self.open_span(node);
                }
                local_name!("hidden") => self.hide(node),
                local_name!("style") if shows_nothing(&attribute.value) => self.hide(node),
                local_name!("itemprop") => self.metadata.push(node),
                local_name!("onclick") => self.add_clickable(node),
                local_name!("onchange") if node.is(&local_name!("select")) => self.add_clickable(node),
                _ => {}
            }
        }
        if element.name.local == local_name!("dialog") && !node.has(&local_name!("open")) {
            self.hide(node);
        }
    }

    fn hide(&mut self, node: NodeRef<'a>) {
        if self.hidden_root.is_none() {
            self.hidden_root = Some(node);
            // A span opened by an earlier attribute of this element belongs to the visible layer.
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
        if self.scripts.len() < limits::SCRIPTS {
            self.scripts.push(node);
        }
        let kind = node.attribute(&local_name!("type")).unwrap_or_default();
        if kind.trim().eq_ignore_ascii_case("application/ld+json") {
            self.metadata.push(node);
        }
    }

    fn enter_anchor(&mut self, node: NodeRef<'a>) {
        self.open_span(node);
        if self.anchors.len() < limits::LINKS {
            self.anchors.push(node);
        } else {
            self.is_cut = true;
        }
    }

    fn enter_frame(&mut self, node: NodeRef<'a>) {
        if node.has(&local_name!("src")) {
            self.enter_anchor(node);
        }
    }

    fn add_clickable(&mut self, node: NodeRef<'a>) {
        if self.clickable.len() < limits::SCRIPTED_LINKS {
            self.open_span(node);
            self.clickable.push(node);
        }
    }

    fn enter_form(&mut self, node: NodeRef<'a>) {
        self.open_span(node);
        let here = self.here();
        self.last_control[here.layer as usize] = here.start;
        if self.forms.len() < limits::FORMS {
            self.forms.push(CollectedForm { node, heading: self.heading });
        } else {
            self.is_cut = true;
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
            self.is_cut = true;
        }
        if node.is(&local_name!("input")) {
            self.write_button(node);
        }
        self.last_control[layer] = self.here().start;
    }

    /// Adds the label of an `<input>` button to the text.
    fn write_button(&mut self, node: NodeRef<'a>) {
        let kind = node.attribute(&local_name!("type")).unwrap_or_default();
        let is_button = ["submit", "button", "reset"].iter().any(|name| kind.eq_ignore_ascii_case(name));
        if let Some(value) = node.attribute(&local_name!("value")).filter(|_| is_button) {
            self.text().push(value);
            self.text().break_word();
        }
    }
}

/// True if a `style` attribute contains `display: none`, in any case and spacing.
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

/// True for elements with text that does not label the following control.
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

/// Elements that do not separate words.
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
