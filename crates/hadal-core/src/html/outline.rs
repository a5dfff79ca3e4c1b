//! Outline of a page: a compact copy of the visible DOM tree that outlives the arena.
//!
//! All nodes are in one list in document order. The descendants of a node follow it directly, so consecutive
//! siblings are one range of the list and one range of the text. Inline markup such as bold or highlighting is
//! dropped: a text with a highlighted word in it is one text node.

use super::collect::{Collected, is_inline, shows_nothing};
use super::dom::{Element, NodeData, NodeRef, TreeWalk, WalkEvent};
use super::folded_text::FoldedText;
use super::limits;
use super::links::NO_LINK;
use super::sink::DomTree;
use html5ever::{LocalName, local_name, ns};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// Element name as a constant, usable in patterns.
macro_rules! tag {
    ($name:tt) => {
        html5ever::local_name!($name)
    };
}
pub(crate) use tag;

/// Visible elements and texts of a page.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    nodes: Vec<OutlineNode>,
    text: String,
    /// Values of all `class` and `id` attributes, and fragments of addresses.
    names: String,
}

/// An element or a text node.
#[derive(Clone, Debug)]
pub(crate) struct OutlineNode {
    /// Element name; empty for a text.
    pub(crate) tag: LocalName,
    /// Index of the parent. The root is its own parent.
    pub(crate) parent: u32,
    /// Index after the last descendant.
    pub(crate) end: u32,
    /// Index into `Page::links`, for an anchor.
    pub(crate) link: Option<u32>,
    /// True if a new line starts here.
    pub(crate) breaks: bool,
    /// Hash of the `class` attribute without digits.
    pub(crate) classes: u64,
    text: (u32, u32),
    class: (u32, u32),
    id: (u32, u32),
    fragment: (u32, u32),
}

impl OutlineNode {
    /// True for a text node.
    pub(crate) fn is_text(&self) -> bool {
        self.tag.is_empty()
    }

    /// Byte offset of the start of the node's text.
    pub(crate) fn text_start(&self) -> usize {
        self.text.0 as usize
    }

    /// Byte offset of the end of the node's text.
    pub(crate) fn text_end(&self) -> usize {
        self.text.1 as usize
    }

    /// True for `h1` to `h6`.
    pub(crate) fn is_heading(&self) -> bool {
        matches!(self.tag, tag!("h1") | tag!("h2") | tag!("h3") | tag!("h4") | tag!("h5") | tag!("h6"))
    }
}

impl Outline {
    /// All nodes in document order. The first is the root.
    pub(crate) fn nodes(&self) -> &[OutlineNode] {
        &self.nodes
    }

    /// Visible text with folded white space.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Text of a node.
    pub(crate) fn text_of(&self, at: usize) -> &str {
        self.slice(self.nodes[at].text_start()..self.nodes[at].text_end())
    }

    /// Trimmed part of the text.
    pub(crate) fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default().trim()
    }

    /// Value of the `class` attribute of an element.
    pub(crate) fn class_of(&self, at: usize) -> &str {
        let (start, end) = self.nodes[at].class;
        &self.names[start as usize..end as usize]
    }

    /// Value of the `id` attribute of an element.
    pub(crate) fn id_of(&self, at: usize) -> &str {
        let (start, end) = self.nodes[at].id;
        &self.names[start as usize..end as usize]
    }

    /// Fragment of the address of an anchor, which the URL of its link does not have.
    pub(crate) fn fragment_of(&self, at: usize) -> &str {
        let (start, end) = self.nodes[at].fragment;
        &self.names[start as usize..end as usize]
    }

    /// Children of a node.
    pub(crate) fn children(&self, at: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes.get(at).map_or(0, |node| node.end as usize);
        let first = Some(at + 1).filter(|first| *first < end);
        std::iter::successors(first, move |kid| {
            Some(self.nodes[*kid].end as usize).filter(|next| *next < end)
        })
    }

    /// Ancestors of a node, innermost first.
    pub(crate) fn ancestors(&self, at: usize) -> impl Iterator<Item = usize> {
        let above = |at: usize| (at > 0).then(|| self.nodes[at].parent as usize);
        std::iter::successors(above(at), move |at| above(*at))
    }
}

/// Builds the outline in a second walk over the tree. `link_indices` holds the link index of each anchor.
pub(super) fn outline<'a>(tree: &DomTree<'a>, found: &Collected<'a>, link_indices: &[u32]) -> Outline {
    let mut builder = OutlineBuilder::new(found, link_indices);
    let mut walk = TreeWalk::below(tree.document);
    while let Some(step) = walk.next() {
        match step {
            WalkEvent::Enter(node) => match &node.data {
                NodeData::Text(text) => builder.write(&text.borrow()),
                NodeData::Element(element) => {
                    if !builder.enter(node, element) {
                        walk.skip_children(node);
                    }
                }
                NodeData::Root => {}
            },
            WalkEvent::Leave(node) => builder.leave(node),
        }
        if builder.outline.nodes.len() >= limits::OUTLINE {
            break;
        }
    }
    builder.finish()
}

/// Builds an outline during a walk over the tree.
struct OutlineBuilder<'a, 'f> {
    found: &'f Collected<'a>,
    link_indices: &'f [u32],
    outline: Outline,
    text: FoldedText,
    /// Open elements with the indices of their nodes.
    open: Vec<(NodeRef<'a>, u32)>,
    /// Text node that the next text extends, unless an element comes between.
    leaf: Option<usize>,
    /// The next node starts a new line.
    breaks: bool,
    /// Number of collected anchors passed so far.
    anchors: usize,
}

impl<'a, 'f> OutlineBuilder<'a, 'f> {
    fn new(found: &'f Collected<'a>, link_indices: &'f [u32]) -> OutlineBuilder<'a, 'f> {
        let mut builder = OutlineBuilder {
            found,
            link_indices,
            outline: Outline::default(),
            text: FoldedText::default(),
            open: Vec::new(),
            leaf: None,
            breaks: true,
            anchors: 0,
        };
        builder.add(LocalName::default());
        builder
    }

    fn add(&mut self, tag: LocalName) -> usize {
        let here = self.text.position() as u32;
        let at = self.outline.nodes.len();
        self.outline.nodes.push(OutlineNode {
            tag,
            parent: self.open.last().map_or(0, |(_, parent)| *parent),
            end: at as u32 + 1,
            link: None,
            breaks: self.breaks,
            classes: 0,
            text: (here, here),
            class: (0, 0),
            id: (0, 0),
            fragment: (0, 0),
        });
        at
    }

    fn write(&mut self, text: &str) {
        if text.trim().is_empty() {
            return self.text.push(text);
        }
        let leaf = match self.leaf {
            Some(leaf) => leaf,
            None => self.add(LocalName::default()),
        };
        let breaks = std::mem::take(&mut self.breaks);
        self.outline.nodes[leaf].breaks |= breaks && self.leaf.is_none();
        self.leaf = Some(leaf);
        self.text.push(text);
        self.outline.nodes[leaf].text.1 = self.text.position() as u32;
    }

    /// Adds an element. Returns false if its children are to be skipped.
    fn enter(&mut self, node: NodeRef<'a>, element: &Element<'a>) -> bool {
        let link = self.link(node);
        if element.name.ns != ns!(html) || has_no_text(element) || is_hidden(node, element) {
            return false;
        }
        if is_styling(node, element) {
            return true;
        }
        if !is_inline(element) {
            self.text.break_word();
            self.breaks = true;
        }
        self.leaf = None;
        let at = self.add(element.name.local.clone());
        self.outline.nodes[at].link = link;
        self.read_names(at, element);
        self.open.push((node, at as u32));
        true
    }

    fn leave(&mut self, node: NodeRef<'a>) {
        let Some((_, at)) = self.open.pop_if(|(open, _)| std::ptr::eq(*open, node)) else { return };
        self.close(at as usize);
        if node.element().is_some_and(|element| !is_inline(element)) {
            self.text.break_word();
            self.breaks = true;
        }
        self.leaf = None;
    }

    /// Sets the end of a node and of its text.
    fn close(&mut self, at: usize) {
        let (end, written) = (self.outline.nodes.len() as u32, self.text.position() as u32);
        let node = &mut self.outline.nodes[at];
        node.end = end;
        node.text.1 = written;
    }

    /// Link index of an anchor. Anchors come in the order in which they were collected.
    fn link(&mut self, node: NodeRef<'a>) -> Option<u32> {
        let is_anchor = node.is(&local_name!("a")) || node.is(&local_name!("area"));
        if !is_anchor || !node.has(&local_name!("href")) {
            return None;
        }
        let rest = &self.found.anchors[self.anchors..];
        let at = self.anchors + rest.iter().position(|one| std::ptr::eq(*one, node))?;
        self.anchors = at + 1;
        self.link_indices.get(at).copied().filter(|link| *link != NO_LINK)
    }

    /// Reads class, id and the fragment of the address.
    fn read_names(&mut self, at: usize, element: &Element<'a>) {
        for attribute in &element.attributes {
            let value = limits::truncate(&attribute.value, limits::SHORT_TEXT);
            match attribute.name.local {
                local_name!("class") => {
                    self.outline.nodes[at].class = self.add_name(value);
                    self.outline.nodes[at].classes = digitless_hash(value);
                }
                local_name!("id") => self.outline.nodes[at].id = self.add_name(value),
                local_name!("href") if self.outline.nodes[at].link.is_some() => {
                    let fragment = value.split_once('#').map_or("", |(_, fragment)| fragment);
                    self.outline.nodes[at].fragment = self.add_name(fragment);
                }
                _ => {}
            }
        }
    }

    /// Appends a name. Returns its range.
    fn add_name(&mut self, name: &str) -> (u32, u32) {
        let start = self.outline.names.len() as u32;
        self.outline.names.push_str(name);
        (start, self.outline.names.len() as u32)
    }

    fn finish(mut self) -> Outline {
        while let Some((_, at)) = self.open.pop() {
            self.close(at as usize);
        }
        self.close(0);
        self.outline.text = self.text.text;
        self.outline
    }
}

/// Hash of a name without digits, so that `post-17` and `post-4` are equal.
fn digitless_hash(name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    for byte in name.bytes().filter(|byte| !byte.is_ascii_digit()) {
        byte.hash(&mut hasher);
    }
    hasher.finish()
}

/// Elements without visible text: scripts, metadata and controls.
fn has_no_text(element: &Element<'_>) -> bool {
    element.contents.is_some()
        || matches!(
            element.name.local,
            local_name!("script")
                | local_name!("style")
                | local_name!("iframe")
                | local_name!("noembed")
                | local_name!("noframes")
                | local_name!("datalist")
                | local_name!("title")
                | local_name!("meta")
                | local_name!("link")
                | local_name!("select")
                | local_name!("textarea")
                | local_name!("button")
                | local_name!("input")
        )
}

fn is_hidden(node: NodeRef<'_>, element: &Element<'_>) -> bool {
    element.attributes.iter().any(|attribute| match attribute.name.local {
        local_name!("hidden") => true,
        local_name!("style") => shows_nothing(&attribute.value),
        _ => false,
    }) || (element.name.local == local_name!("dialog") && !node.has(&local_name!("open")))
}

/// True if an element only changes the look of words.
fn is_styling(node: NodeRef<'_>, element: &Element<'_>) -> bool {
    match element.name.local {
        local_name!("a") | local_name!("cite") => false,
        local_name!("span") => {
            let class = node.attribute(&local_name!("class")).unwrap_or_default();
            class.is_empty() || marks_words(class)
        }
        _ => is_inline(element),
    }
}

/// True for classes with which search software highlights the query words.
fn marks_words(class: &str) -> bool {
    const MARKS: [&str; 7] =
        ["highlight", "hilite", "searchmatch", "search-term", "searchword", "match", "keyword"];
    class.len() < 64 && {
        let class = class.to_ascii_lowercase();
        MARKS.iter().any(|mark| class.contains(mark)) || class == "hl" || class == "term"
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_with_outline;
    use super::*;
    use url::Url;

    fn outline(html: &str) -> Outline {
        parse_with_outline(html.as_bytes(), None, &Url::parse("http://a.org/").unwrap()).outline
    }

    fn texts(outline: &Outline) -> Vec<&str> {
        let leaves = (0..outline.nodes().len()).filter(|at| *at > 0 && outline.nodes()[*at].is_text());
        leaves.map(|at| outline.text_of(at)).collect()
    }

    #[test]
    fn styling_does_not_split_a_text() {
        let outline =
            outline("<p>The <b>sea</b> and the <span class='hl'>sea</span>side <em>in</em> May</p>");
        assert_eq!(texts(&outline), ["The sea and the seaside in May"]);
    }

    #[test]
    fn hidden_elements_are_left_out() {
        let outline = outline(
            "<div hidden><a href=/x>no</a></div><a href=/y>yes</a><script>no</script>
             <p style='display:none'>no</p><select><option>no</select>",
        );
        assert_eq!(texts(&outline), ["yes"]);
        let links: Vec<u32> = outline.nodes().iter().filter_map(|node| node.link).collect();
        assert_eq!(links, [1]);
    }

    #[test]
    fn siblings_are_one_range_of_the_text() {
        let outline = outline("<ul><li>one <a href=/1>two</a></li><li>three</li></ul>");
        let list = outline.nodes().iter().position(|node| node.tag == tag!("ul")).unwrap();
        let items: Vec<&str> = outline.children(list).map(|at| outline.text_of(at)).collect();
        assert_eq!((outline.text_of(list), items), ("one two three", vec!["one two", "three"]));
    }
}
