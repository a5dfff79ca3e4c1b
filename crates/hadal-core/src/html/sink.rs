//! Builds the tree as the parser dictates it.
//!
//! Remembers what a plain tree would lose: which form the parser gave each control to. A form that a
//! table broke up no longer contains its controls, but it still owns them.

use super::dom::{DomNode, Element, NodeData, NodeRef};
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, LocalName, QualName, local_name, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use typed_arena::Arena;

/// Where nodes are made and counted.
pub(super) struct DomSink<'a> {
    arena: &'a Arena<DomNode<'a>>,
    document: NodeRef<'a>,
    /// Nodes made so far.
    pub nodes: Cell<usize>,
    /// Children moved from one parent to another.
    pub moves: Cell<u64>,
    /// Language of a second `<html>` tag, when the first named none.
    late_language: RefCell<Option<StrTendril>>,
    /// What nodes that are no elements are called.
    nameless: QualName,
}

/// A finished tree.
pub(super) struct DomTree<'a> {
    pub document: NodeRef<'a>,
    /// Language declared on the root element.
    pub language: Option<StrTendril>,
}

impl<'a> DomSink<'a> {
    pub fn new(arena: &'a Arena<DomNode<'a>>) -> DomSink<'a> {
        let document = arena.alloc(DomNode::new(NodeData::Root));
        let (nodes, moves) = (Cell::new(1), Cell::new(0));
        let nameless = QualName::new(None, ns!(), LocalName::default());
        DomSink { arena, document, nodes, moves, late_language: RefCell::new(None), nameless }
    }

    fn make(&self, data: NodeData<'a>) -> NodeRef<'a> {
        self.nodes.set(self.nodes.get() + 1);
        self.arena.alloc(DomNode::new(data))
    }

    /// The node to put in place, or `None` when the text could join the text before it.
    fn joined(&self, previous: Option<NodeRef<'a>>, child: NodeOrText<NodeRef<'a>>) -> Option<NodeRef<'a>> {
        let text = match child {
            NodeOrText::AppendNode(node) => return Some(node),
            NodeOrText::AppendText(text) => text,
        };
        if let Some(DomNode { data: NodeData::Text(before), .. }) = previous {
            before.borrow_mut().push_tendril(&text);
            return None;
        }
        Some(self.make(NodeData::Text(RefCell::new(text))))
    }
}

impl<'a> TreeSink for DomSink<'a> {
    type Handle = NodeRef<'a>;
    type Output = DomTree<'a>;
    type ElemName<'b>
        = ExpandedName<'b>
    where
        Self: 'b;

    fn finish(self) -> DomTree<'a> {
        let root = self.document.children().find(|node| node.is(&local_name!("html")));
        let declared = root.and_then(|html| html.attribute(&local_name!("lang")));
        let language = declared.map(StrTendril::from).or(self.late_language.take());
        DomTree { document: self.document, language }
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeRef<'a> {
        self.document
    }

    fn elem_name<'b>(&'b self, target: &'b NodeRef<'a>) -> ExpandedName<'b> {
        let name = target.element().map_or(&self.nameless, |element| &element.name);
        name.expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> NodeRef<'a> {
        self.make(NodeData::Element(Element {
            name,
            attributes,
            contents: flags.template.then(|| self.make(NodeData::Root)),
            form: Cell::new(None),
            integration_point: flags.mathml_annotation_xml_integration_point,
        }))
    }

    fn create_comment(&self, _: StrTendril) -> NodeRef<'a> {
        self.make(NodeData::Root)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeRef<'a> {
        self.make(NodeData::Root)
    }

    fn append(&self, parent: &NodeRef<'a>, child: NodeOrText<NodeRef<'a>>) {
        if let Some(node) = self.joined(parent.last_child.get(), child) {
            node.detach();
            parent.append(node);
        }
    }

    fn append_before_sibling(&self, sibling: &NodeRef<'a>, child: NodeOrText<NodeRef<'a>>) {
        if let Some(node) = self.joined(sibling.previous.get(), child) {
            node.detach();
            sibling.insert_before(node);
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeRef<'a>,
        previous: &NodeRef<'a>,
        child: NodeOrText<NodeRef<'a>>,
    ) {
        match element.parent.get() {
            Some(_) => self.append_before_sibling(element, child),
            None => self.append(previous, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &NodeRef<'a>) -> NodeRef<'a> {
        target.element().and_then(|element| element.contents).unwrap_or(target)
    }

    fn same_node(&self, a: &NodeRef<'a>, b: &NodeRef<'a>) -> bool {
        std::ptr::eq(*a, *b)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    /// Only root and body ever get attributes late, and only the root's language matters to us.
    fn add_attrs_if_missing(&self, target: &NodeRef<'a>, attributes: Vec<Attribute>) {
        if target.is(&local_name!("html")) && self.late_language.borrow().is_none() {
            let named = |attribute: &Attribute| attribute.name.local == local_name!("lang");
            let language = attributes.into_iter().find(named).map(|attribute| attribute.value);
            self.late_language.replace(language);
        }
    }

    fn associate_with_form(
        &self,
        target: &NodeRef<'a>,
        form: &NodeRef<'a>,
        _: (&NodeRef<'a>, Option<&NodeRef<'a>>),
    ) {
        if let Some(element) = target.element() {
            element.form.set(Some(form));
        }
    }

    fn remove_from_parent(&self, target: &NodeRef<'a>) {
        target.detach();
    }

    fn reparent_children(&self, node: &NodeRef<'a>, new_parent: &NodeRef<'a>) {
        while let Some(child) = node.first_child.get() {
            child.detach();
            new_parent.append(child);
            self.moves.set(self.moves.get() + 1);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, node: &NodeRef<'a>) -> bool {
        node.element().is_some_and(|element| element.integration_point)
    }
}
