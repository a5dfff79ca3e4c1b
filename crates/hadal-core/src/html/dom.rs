//! The tree of a page: nodes in an arena, linked by plain references.
//!
//! Nothing here recurses, so nesting costs no stack, neither in a walk nor when the tree is dropped.

use super::bounds::{self, cut};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, ns};
use std::cell::{Cell, RefCell};

/// A node in its arena.
pub(super) type Ref<'a> = &'a Node<'a>;

/// A node and its neighbours.
pub(super) struct Node<'a> {
    pub parent: Cell<Option<Ref<'a>>>,
    pub previous: Cell<Option<Ref<'a>>>,
    pub next: Cell<Option<Ref<'a>>>,
    pub first_child: Cell<Option<Ref<'a>>>,
    pub last_child: Cell<Option<Ref<'a>>>,
    /// Which span of the page's text it covers, for elements that somebody asks about later.
    pub span: Cell<Option<u32>>,
    pub data: Data<'a>,
}

/// What a node is.
pub(super) enum Data<'a> {
    /// The document, or the contents of a template.
    Root,
    Text(RefCell<StrTendril>),
    Element(Element<'a>),
}

/// An element as the parser made it.
pub(super) struct Element<'a> {
    pub name: QualName,
    pub attributes: Vec<Attribute>,
    /// Where a template keeps what is inside it.
    pub contents: Option<Ref<'a>>,
    /// The form the parser gave it to, which need not be an ancestor.
    pub form: Cell<Option<Ref<'a>>>,
    pub integration_point: bool,
}

impl<'a> Node<'a> {
    pub fn new(data: Data<'a>) -> Node<'a> {
        Node {
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
            Data::Element(element) => Some(element),
            _ => None,
        }
    }

    /// Whether it is an HTML element of this name.
    pub fn is(&self, name: &LocalName) -> bool {
        self.element().is_some_and(|element| element.name.local == *name && element.name.ns == ns!(html))
    }

    pub fn attribute(&self, name: &LocalName) -> Option<&str> {
        let attributes = &self.element()?.attributes;
        let found = attributes.iter().find(|attribute| attribute.name.local == *name)?;
        Some(&found.value)
    }

    pub fn has(&self, name: &LocalName) -> bool {
        self.attribute(name).is_some()
    }

    pub fn ancestors(&self) -> impl Iterator<Item = Ref<'a>> {
        std::iter::successors(self.parent.get(), |node| node.parent.get())
    }

    pub fn children(&self) -> impl Iterator<Item = Ref<'a>> {
        std::iter::successors(self.first_child.get(), |node| node.next.get())
    }

    /// Puts a node that has no parent at the end.
    pub fn append(&'a self, child: Ref<'a>) {
        child.parent.set(Some(self));
        child.previous.set(self.last_child.replace(Some(child)));
        match child.previous.get() {
            Some(previous) => previous.next.set(Some(child)),
            None => self.first_child.set(Some(child)),
        }
    }

    /// Puts a node that has no parent right before this one.
    pub fn insert_before(&'a self, new: Ref<'a>) {
        new.parent.set(self.parent.get());
        new.next.set(Some(self));
        new.previous.set(self.previous.replace(Some(new)));
        match (new.previous.get(), self.parent.get()) {
            (Some(previous), _) => previous.next.set(Some(new)),
            (None, Some(parent)) => parent.first_child.set(Some(new)),
            (None, None) => {}
        }
    }

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

/// One event of a walk in document order.
pub(super) enum Step<'a> {
    Enter(Ref<'a>),
    Leave(Ref<'a>),
}

/// A walk over everything below a node.
pub(super) struct Walk<'a> {
    root: Ref<'a>,
    next: Option<Step<'a>>,
}

impl<'a> Walk<'a> {
    pub fn below(root: Ref<'a>) -> Walk<'a> {
        Walk { root, next: root.first_child.get().map(Step::Enter) }
    }

    /// Passes over the inside of the element that was just entered; it is left next.
    pub fn skip_inside(&mut self, entered: Ref<'a>) {
        self.next = Some(Step::Leave(entered));
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        let step = self.next.take()?;
        self.next = match step {
            Step::Enter(node) => Some(node.first_child.get().map_or(Step::Leave(node), Step::Enter)),
            Step::Leave(node) => match (node.next.get(), node.parent.get()) {
                (Some(sibling), _) => Some(Step::Enter(sibling)),
                (None, Some(parent)) if !std::ptr::eq(parent, self.root) => Some(Step::Leave(parent)),
                _ => None,
            },
        };
        Some(step)
    }
}

/// The text below a node as it stands there, up to a number of bytes.
pub(super) fn text_below(node: Ref<'_>, most: usize) -> String {
    let mut text = String::new();
    for step in Walk::below(node).take(bounds::TEXT_NODES) {
        if let Step::Enter(Node { data: Data::Text(piece), .. }) = step {
            text.push_str(cut(&piece.borrow(), most - text.len()));
        }
        if text.len() == most {
            break;
        }
    }
    text
}
