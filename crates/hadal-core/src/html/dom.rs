//! DOM tree: nodes in an arena, linked by references.
//!
//! No function recurses, so deep nesting uses no stack, neither in a walk nor when the tree is dropped.

use super::limits::{self, truncate};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, ns};
use std::cell::{Cell, RefCell};

/// Reference to a node in the arena.
pub(super) type NodeRef<'a> = &'a DomNode<'a>;

/// A node with links to its neighbours.
pub(super) struct DomNode<'a> {
    pub parent: Cell<Option<NodeRef<'a>>>,
    pub previous: Cell<Option<NodeRef<'a>>>,
    pub next: Cell<Option<NodeRef<'a>>>,
    pub first_child: Cell<Option<NodeRef<'a>>>,
    pub last_child: Cell<Option<NodeRef<'a>>>,
    /// Index into `Collected::spans` of the text inside this element. Set only for elements with text that
    /// later steps need.
    pub span: Cell<Option<u32>>,
    pub data: NodeData<'a>,
}

/// Content of a node.
pub(super) enum NodeData<'a> {
    /// The document, the contents of a template, or a placeholder for a comment.
    Root,
    Text(RefCell<StrTendril>),
    Element(Element<'a>),
}

/// An element as built by html5ever.
pub(super) struct Element<'a> {
    pub name: QualName,
    pub attributes: Vec<Attribute>,
    /// Root of the contents of a `<template>` that is not shown.
    pub contents: Option<NodeRef<'a>>,
    /// Form that the parser associated with this control. It need not be an ancestor.
    pub form: Cell<Option<NodeRef<'a>>>,
    /// True for MathML `annotation-xml` that holds HTML.
    pub integration_point: bool,
}

impl<'a> DomNode<'a> {
    pub fn new(data: NodeData<'a>) -> DomNode<'a> {
        DomNode {
            parent: Cell::new(None),
            previous: Cell::new(None),
            next: Cell::new(None),
            first_child: Cell::new(None),
            last_child: Cell::new(None),
            span: Cell::new(None),
            data,
        }
    }

    pub fn element(&self) -> Option<&Element<'a>> {
        match &self.data {
            NodeData::Element(element) => Some(element),
            _ => None,
        }
    }

    /// True if this is an HTML element with the given name.
    pub fn is(&self, name: &LocalName) -> bool {
        self.element().is_some_and(|element| element.name.local == *name && element.name.ns == ns!(html))
    }

    pub fn attribute(&self, name: &LocalName) -> Option<&str> {
        let attributes = &self.element()?.attributes;
        let found = attributes.iter().find(|attribute| attribute.name.local == *name)?;
        Some(&found.value)
    }

    /// True if the attribute is present.
    pub fn has(&self, name: &LocalName) -> bool {
        self.attribute(name).is_some()
    }

    pub fn ancestors(&self) -> impl Iterator<Item = NodeRef<'a>> {
        std::iter::successors(self.parent.get(), |node| node.parent.get())
    }

    pub fn children(&self) -> impl Iterator<Item = NodeRef<'a>> {
        std::iter::successors(self.first_child.get(), |node| node.next.get())
    }

    /// Appends a child. The child must have no parent.
    pub fn append(&'a self, child: NodeRef<'a>) {
        child.parent.set(Some(self));
        child.previous.set(self.last_child.replace(Some(child)));
        match child.previous.get() {
            Some(previous) => previous.next.set(Some(child)),
            None => self.first_child.set(Some(child)),
        }
    }

    /// Inserts a sibling before this node. The new node must have no parent.
    pub fn insert_before(&'a self, new: NodeRef<'a>) {
        new.parent.set(self.parent.get());
        new.next.set(Some(self));
        new.previous.set(self.previous.replace(Some(new)));
        match (new.previous.get(), self.parent.get()) {
            (Some(previous), _) => previous.next.set(Some(new)),
            (None, Some(parent)) => parent.first_child.set(Some(new)),
            (None, None) => {}
        }
    }

    /// Removes this node from its parent.
    pub fn detach(&self) {
        let (parent, previous, next) = (self.parent.take(), self.previous.take(), self.next.take());
        match (previous, parent) {
            (Some(previous), _) => previous.next.set(next),
            (None, Some(parent)) => parent.first_child.set(next),
            (None, None) => {}
        }
        match (next, parent) {
            (Some(next), _) => next.previous.set(previous),
            (None, Some(parent)) => parent.last_child.set(previous),
            (None, None) => {}
        }
    }
}

/// One event of a [`TreeWalk`].
pub(super) enum WalkEvent<'a> {
    Enter(NodeRef<'a>),
    Leave(NodeRef<'a>),
}

/// Walk over the descendants of a node in document order.
pub(super) struct TreeWalk<'a> {
    root: NodeRef<'a>,
    next: Option<WalkEvent<'a>>,
}

impl<'a> TreeWalk<'a> {
    pub fn below(root: NodeRef<'a>) -> TreeWalk<'a> {
        TreeWalk { root, next: root.first_child.get().map(WalkEvent::Enter) }
    }

    /// Skips the children of the element that was just entered. Its `Leave` event comes next.
    pub fn skip_children(&mut self, entered: NodeRef<'a>) {
        self.next = Some(WalkEvent::Leave(entered));
    }
}

impl<'a> Iterator for TreeWalk<'a> {
    type Item = WalkEvent<'a>;

    fn next(&mut self) -> Option<WalkEvent<'a>> {
        let step = self.next.take()?;
        self.next = match step {
            WalkEvent::Enter(node) => {
                Some(node.first_child.get().map_or(WalkEvent::Leave(node), WalkEvent::Enter))
            }
            WalkEvent::Leave(node) => match (node.next.get(), node.parent.get()) {
                (Some(sibling), _) => Some(WalkEvent::Enter(sibling)),
                (None, Some(parent)) if !std::ptr::eq(parent, self.root) => Some(WalkEvent::Leave(parent)),
                _ => None,
            },
        };
        Some(step)
    }
}

/// Text of all descendants of a node, unfolded, up to `max_bytes`.
pub(super) fn text_below(node: NodeRef<'_>, max_bytes: usize) -> String {
    let mut text = String::new();
    for step in TreeWalk::below(node).take(limits::TEXT_NODES) {
        if let WalkEvent::Enter(DomNode { data: NodeData::Text(piece), .. }) = step {
            text.push_str(truncate(&piece.borrow(), max_bytes - text.len()));
        }
        if text.len() == max_bytes {
            break;
        }
    }
    text
}
