//! Builds the tree as the parser dictates it.
//!
//! Remembers what a plain tree would lose: which form the parser gave each control to. A form that a
//! table broke up no longer contains its controls, but it still owns them.

use super::dom::{Data, Element, Node, Ref};
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, LocalName, QualName, local_name, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use typed_arena::Arena;

/// Where nodes are made and counted.
pub(super) struct Sink<'a> {
    arena: &'a Arena<Node<'a>>,
    document: Ref<'a>,
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
pub(super) struct Tree<'a> {
    pub document: Ref<'a>,
    /// Language declared on the root element.
    pub language: Option<StrTendril>,
}

impl<'a> Sink<'a> {
    pub fn new(arena: &'a Arena<Node<'a>>) -> Sink<'a> {
        let document = arena.alloc(Node::new(Data::Root));
        let (nodes, moves) = (Cell::new(1), Cell::new(0));
        let nameless = QualName::new(None, ns!(), LocalName::default());
        Sink { arena, document, nodes, moves, late_language: RefCell::new(None), nameless }
    }

    fn make(&self, data: Data<'a>) -> Ref<'a> {
        self.nodes.set(self.nodes.get() + 1);
        self.arena.alloc(Node::new(data))
    }

    /// The node to put in place, or `None` when the text could join the text before it.
    fn joined(&self, previous: Option<Ref<'a>>, child: NodeOrText<Ref<'a>>) -> Option<Ref<'a>> {
        let text = match child {
            NodeOrText::AppendNode(node) => return Some(node),
            NodeOrText::AppendText(text) => text,
        };
        if let Some(Node { data: Data::Text(before), .. }) = previous {
            before.borrow_mut().push_tendril(&text);
            return None;
        }
        Some(self.make(Data::Text(RefCell::new(text))))
    }
}

impl<'a> TreeSink for Sink<'a> {
    type Handle = Ref<'a>;
    type Output = Tree<'a>;
    type ElemName<'b>
        = ExpandedName<'b>
    where
        Self: 'b;

    fn finish(self) -> Tree<'a> {
        let root = self.document.children().find(|node| node.is(&local_name!("html")));
        let declared = root.and_then(|html| html.attribute(&local_name!("lang")));
        let language = declared.map(StrTendril::from).or(self.late_language.take());
        Tree { document: self.document, language }
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Ref<'a> {
        self.document
    }

    fn elem_name<'b>(&'b self, target: &'b Ref<'a>) -> ExpandedName<'b> {
        let name = target.element().map_or(&self.nameless, |element| &element.name);
        name.expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Ref<'a> {
        self.make(Data::Element(Element {
            name,
            attributes,
            contents: flags.template.then(|| self.make(Data::Root)),
            form: Cell::new(None),
            integration_point: flags.mathml_annotation_xml_integration_point,
        }))
    }

    fn create_comment(&self, _: StrTendril) -> Ref<'a> {
        self.make(Data::Root)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Ref<'a> {
        self.make(Data::Root)
    }

    fn append(&self, parent: &Ref<'a>, child: NodeOrText<Ref<'a>>) {
        if let Some(node) = self.joined(parent.last_child.get(), child) {
            node.detach();
            parent.append(node);
        }
    }

    fn append_before_sibling(&self, sibling: &Ref<'a>, child: NodeOrText<Ref<'a>>) {
        if let Some(node) = self.joined(sibling.previous.get(), child) {
            node.detach();
            sibling.insert_before(node);
        }
    }

    fn append_based_on_parent_node(&self, element: &Ref<'a>, previous: &Ref<'a>, child: NodeOrText<Ref<'a>>) {
        match element.parent.get() {
            Some(_) => self.append_before_sibling(element, child),
            None => self.append(previous, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Ref<'a>) -> Ref<'a> {
        target.element().and_then(|element| element.contents).unwrap_or(target)
    }

    fn same_node(&self, a: &Ref<'a>, b: &Ref<'a>) -> bool {
        std::ptr::eq(*a, *b)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    /// Only root and body ever get attributes late, and only the root's language matters to us.
    fn add_attrs_if_missing(&self, target: &Ref<'a>, attributes: Vec<Attribute>) {
        if target.is(&local_name!("html")) && self.late_language.borrow().is_none() {
            let named = |attribute: &Attribute| attribute.name.local == local_name!("lang");
            let language = attributes.into_iter().find(named).map(|attribute| attribute.value);
            self.late_language.replace(language);
        }
    }

    fn associate_with_form(&self, target: &Ref<'a>, form: &Ref<'a>, _: (&Ref<'a>, Option<&Ref<'a>>)) {
        if let Some(element) = target.element() {
            element.form.set(Some(form));
        }
    }

    fn remove_from_parent(&self, target: &Ref<'a>) {
        target.detach();
    }

    fn reparent_children(&self, node: &Ref<'a>, new_parent: &Ref<'a>) {
        while let Some(child) = node.first_child.get() {
            child.detach();
            new_parent.append(child);
            self.moves.set(self.moves.get() + 1);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, node: &Ref<'a>) -> bool {
        node.element().is_some_and(|element| element.integration_point)
    }
}
