//! Stands between tokens and the tree: counts what every token costs and closes when a bound is reached.
//!
//! What was built before stays.

use super::dom::NodeRef;
use super::limits;
use super::sink::{DomSink, DomTree};
use crate::page::ParseLimit;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeSink};
use std::cell::Cell;

/// Tokens between two looks at the open elements.
const ROUND: u64 = 64;

/// A tree and what it took to build it.
pub(super) struct BuiltTree<'a> {
    pub tree: DomTree<'a>,
    pub bound: Option<ParseLimit>,
    #[cfg(test)]
    pub effort: ParseEffort,
}

/// What a parse cost, in counts that do not depend on the machine.
#[cfg(test)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ParseEffort {
    pub nodes: usize,
    pub steps: u64,
}

/// Stands before the tree builder and lets tokens through until a bound is reached.
pub(super) struct TokenLimiter<'a> {
    builder: TreeBuilder<NodeRef<'a>, DomSink<'a>>,
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

impl<'a> TokenLimiter<'a> {
    pub fn new(builder: TreeBuilder<NodeRef<'a>, DomSink<'a>>) -> TokenLimiter<'a> {
        TokenLimiter {
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
        if self.builder.sink.nodes.get() > limits::NODES {
            self.close(ParseLimit::Nodes);
        }
        if self.tokens.get().is_multiple_of(ROUND) {
            let open = HeldElementCount::default();
            self.builder.trace_handles(&open);
            let open = open.count.get();
            self.steps.set(self.steps.get() + ROUND * open as u64);
            if open > limits::DEPTH {
                self.close(ParseLimit::Depth);
            }
        }
        if self.steps.get() + self.builder.sink.moves.get() > limits::STEPS {
            self.close(ParseLimit::Steps);
        }
    }

    pub fn finish(self) -> BuiltTree<'a> {
        #[cfg(test)]
        let effort = self.effort();
        BuiltTree {
            bound: self.bound.get().or(self.noted.get()),
            tree: self.builder.sink.finish(),
            #[cfg(test)]
            effort,
        }
    }

    #[cfg(test)]
    fn effort(&self) -> ParseEffort {
        let sink = &self.builder.sink;
        let steps = self.steps.get() + self.tokens.get() + sink.moves.get();
        ParseEffort { nodes: sink.nodes.get(), steps }
    }
}

impl<'a> TokenSink for TokenLimiter<'a> {
    type Handle = NodeRef<'a>;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeRef<'a>> {
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
struct HeldElementCount<'a> {
    count: Cell<usize>,
    of: std::marker::PhantomData<NodeRef<'a>>,
}

impl Default for HeldElementCount<'_> {
    fn default() -> Self {
        HeldElementCount { count: Cell::new(0), of: std::marker::PhantomData }
    }
}

impl<'a> Tracer for HeldElementCount<'a> {
    type Handle = NodeRef<'a>;

    fn trace_handle(&self, _: &NodeRef<'a>) {
        self.count.set(self.count.get() + 1);
    }
}
