//! html5ever tree sink: creates and links the nodes of [`super::dom`].
//!
//! It also records the form that the parser associates with each control. A `<form>` inside a table may be
//! closed early by the parser and then owns controls that are not its descendants.

use super::dom::{DomNode, Element, NodeData, NodeRef};
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, LocalName, QualName, local_name, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use typed_arena::Arena;

/// Tree sink that counts nodes and moves.
pub(super) struct DomSink<'a> {
    arena: &'a Arena<DomNode<'a>>,
    document: NodeRef<'a>,
    /// Nodes created so far.
    pub nodes: Cell<usize>,
    /// Children moved from one parent to another.
    pub moves: Cell<u64>,
    /// `lang` of a second `<html>` tag; used if the first has none.
    late_language: RefCell<Option<StrTendril>>,
    /// Name returned for nodes that are not elements.
    nameless: QualName,
}

/// Finished DOM tree.
pub(super) struct DomTree<'a> {
    pub document: NodeRef<'a>,
    /// `lang` attribute of the root element.
    pub language: Option<StrTendril>,
}

impl<'a> DomSink<'a> {
    pub fn new(arena: &'a Arena<DomNode<'a>>) -> DomSink<'a> {
        let document = arena.alloc(DomNode::new(NodeData::Root));
        let (nodes, moves) = (Cell::new(1), Cell::new(0));
        let nameless = QualName::new(None, ns!(), LocalName::default());
        DomSink { arena, document, nodes, moves, late_language: RefCell::new(None), nameless }
    }

    fn create(&self, data: NodeData<'a>) -> NodeRef<'a> {
        self.nodes.set(self.nodes.get() + 1);
        self.arena.alloc(DomNode::new(data))
    }

    /// Returns the node to insert, or `None` if the child is text and was appended to the text node before it.
    fn node_or_merged(
        &self,
        previous: Option<NodeRef<'a>>,
        child: NodeOrText<NodeRef<'a>>,
    ) -> Option<NodeRef<'a>> {
        let text = match child {
            NodeOrText::AppendNode(node) => return Some(node),
            NodeOrText::AppendText(text) => text,
        };
        if let Some(DomNode { data: NodeData::Text(before), .. }) = previous {
            before.borrow_mut().push_tendril(&text);
            return None;
        }
        Some(self.create(NodeData::Text(RefCell::new(text))))
    }
}

/// True for the attribute of a template that browsers show as the shadow tree of its parent. Its contents are
/// its children.
fn is_shadow_mode(attribute: &Attribute) -> bool {
    attribute.name.local == local_name!("shadowrootmode")
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
        let is_inert = flags.template && !attributes.iter().any(is_shadow_mode);
        self.create(NodeData::Element(Element {
            name,
            attributes,
            contents: is_inert.then(|| self.create(NodeData::Root)),
            form: Cell::new(None),
            integration_point: flags.mathml_annotation_xml_integration_point,
        }))
    }

    fn create_comment(&self, _: StrTendril) -> NodeRef<'a> {
        self.create(NodeData::Root)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeRef<'a> {
        self.create(NodeData::Root)
    }

    fn append(&self, parent: &NodeRef<'a>, child: NodeOrText<NodeRef<'a>>) {
        if let Some(node) = self.node_or_merged(parent.last_child.get(), child) {
            node.detach();
            parent.append(node);
        }
    }

    fn append_before_sibling(&self, sibling: &NodeRef<'a>, child: NodeOrText<NodeRef<'a>>) {
        if let Some(node) = self.node_or_merged(sibling.previous.get(), child) {
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

    /// Called for a repeated `<html>` or `<body>` tag. Only the language of `<html>` is used.
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
