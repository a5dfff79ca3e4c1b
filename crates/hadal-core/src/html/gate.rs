//! Stands between tokens and the tree: counts what every token costs and closes when a bound is reached.
//!
//! What was built before stays.

use super::bounds;
use super::dom::Ref;
use super::sink::{Sink, Tree};
use crate::page::ParseLimit;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeSink};
use std::cell::Cell;

/// Tokens between two looks at the open elements.
const ROUND: u64 = 64;

/// A tree and what it took to build it.
pub(super) struct Built<'a> {
    pub tree: Tree<'a>,
    pub bound: Option<ParseLimit>,
    #[cfg(test)]
    pub effort: Effort,
}

/// What a parse cost, in counts that do not depend on the machine.
#[cfg(test)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effort {
    pub nodes: usize,
    pub steps: u64,
}

/// Stands before the tree builder and lets tokens through until a bound is reached.
pub(super) struct Gate<'a> {
    builder: TreeBuilder<Ref<'a>, Sink<'a>>,
    /// Whether the parser is inside raw text.
    pub raw: Cell<bool>,
    /// Tokens so far.
    pub tokens: Cell<u64>,
    steps: Cell<u64>,
    /// The bound that closed the gate.
    pub bound: Cell<Option<ParseLimit>>,
    /// A bound that left something out and did not close it.
    noted: Cell<Option<ParseLimit>>,
}

impl<'a> Gate<'a> {
    pub fn new(builder: TreeBuilder<Ref<'a>, Sink<'a>>) -> Gate<'a> {
        Gate {
            builder,
            raw: Cell::new(false),
            tokens: Cell::new(0),
            steps: Cell::new(0),
            bound: Cell::new(None),
            noted: Cell::new(None),
        }
    }

    pub fn close(&self, bound: ParseLimit) {
        self.bound.set(self.bound.get().or(Some(bound)));
    }

    pub fn note(&self, bound: ParseLimit) {
        self.noted.set(self.noted.get().or(Some(bound)));
    }

    /// Counts a token; every so often looks how much is open, which is what the next ones may cost.
    fn count(&self) {
        self.tokens.set(self.tokens.get() + 1);
        if self.builder.sink.nodes.get() > bounds::NODES {
            self.close(ParseLimit::Nodes);
        }
        if self.tokens.get().is_multiple_of(ROUND) {
            let open = Open::default();
            self.builder.trace_handles(&open);
            let open = open.count.get();
            self.steps.set(self.steps.get() + ROUND * open as u64);
            if open > bounds::DEPTH {
                self.close(ParseLimit::Depth);
            }
        }
        if self.steps.get() + self.builder.sink.moves.get() > bounds::STEPS {
            self.close(ParseLimit::Steps);
        }
    }

    pub fn finish(self) -> Built<'a> {
        #[cfg(test)]
        let effort = self.effort();
        Built {
            bound: self.bound.get().or(self.noted.get()),
            tree: self.builder.sink.finish(),
            #[cfg(test)]
            effort,
        }
    }

    #[cfg(test)]
    fn effort(&self) -> Effort {
        let sink = &self.builder.sink;
        let steps = self.steps.get() + self.tokens.get() + sink.moves.get();
        Effort { nodes: sink.nodes.get(), steps }
    }
}

impl<'a> TokenSink for Gate<'a> {
    type Handle = Ref<'a>;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Ref<'a>> {
        if self.bound.get().is_some() || matches!(token, Token::ParseError(_) | Token::CommentToken(_)) {
            return TokenSinkResult::Continue;
        }
        self.count();
        let is_tag = matches!(token, Token::TagToken(_));
        let result = self.builder.process_token(token, line);
        if is_tag {
            self.raw.set(matches!(result, TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext));
        }
        match result {
            TokenSinkResult::Script(_) | TokenSinkResult::EncodingIndicator(_) => TokenSinkResult::Continue,
            other => other,
        }
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Counts what the tree builder holds on to: open and active formatting elements.
struct Open<'a> {
    count: Cell<usize>,
    of: std::marker::PhantomData<Ref<'a>>,
}

impl Default for Open<'_> {
    fn default() -> Self {
        Open { count: Cell::new(0), of: std::marker::PhantomData }
    }
}

impl<'a> Tracer for Open<'a> {
    type Handle = Ref<'a>;

    fn trace_handle(&self, _: &Ref<'a>) {
        self.count.set(self.count.get() + 1);
    }
}
