//! Token sink in front of the tree builder. It counts the cost of every token and drops all further tokens once
//! a limit is exceeded. The tree built until then is kept.

use super::dom::NodeRef;
use super::limits;
use super::sink::{DomSink, DomTree};
use crate::page::ParseLimit;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeSink};
use std::cell::Cell;

/// Tokens between two counts of the open elements. Guess.
const COUNT_INTERVAL: u64 = 64;

/// Finished tree with the limit that truncated it, if any.
pub(super) struct BuiltTree<'a> {
    pub tree: DomTree<'a>,
    pub truncated_by: Option<ParseLimit>,
    #[cfg(test)]
    pub effort: ParseEffort,
}

/// Cost of a parse, in counts that do not depend on the machine.
#[cfg(test)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ParseEffort {
    pub nodes: usize,
    pub steps: u64,
}

/// Passes tokens to the tree builder until a limit is exceeded.
pub(super) struct TokenLimiter<'a> {
    builder: TreeBuilder<NodeRef<'a>, DomSink<'a>>,
    /// True while the tokenizer is inside raw text, such as a script.
    pub raw: Cell<bool>,
    /// Tokens passed to the tree builder.
    pub tokens: Cell<u64>,
    /// Work so far, in the unit of [`limits::STEPS`], without moved children.
    steps: Cell<u64>,
    /// Limit that stopped the parse. Further tokens are dropped.
    pub exceeded: Cell<Option<ParseLimit>>,
    /// Limit that dropped attributes without stopping the parse.
    noted: Cell<Option<ParseLimit>>,
}

impl<'a> TokenLimiter<'a> {
    pub fn new(builder: TreeBuilder<NodeRef<'a>, DomSink<'a>>) -> TokenLimiter<'a> {
        TokenLimiter {
            builder,
            raw: Cell::new(false),
            tokens: Cell::new(0),
            steps: Cell::new(0),
            exceeded: Cell::new(None),
            noted: Cell::new(None),
        }
    }

    /// Stops the parse.
    pub fn stop(&self, limit: ParseLimit) {
        self.exceeded.set(self.exceeded.get().or(Some(limit)));
    }

    /// Records a limit that does not stop the parse.
    pub fn note(&self, limit: ParseLimit) {
        self.noted.set(self.noted.get().or(Some(limit)));
    }

    /// Counts a token. Every [`COUNT_INTERVAL`] tokens the open elements are counted, because a token may cost time
    /// proportional to their number.
    fn count(&self) {
        self.tokens.set(self.tokens.get() + 1);
        if self.builder.sink.nodes.get() > limits::NODES {
            self.stop(ParseLimit::Nodes);
        }
        if self.tokens.get().is_multiple_of(COUNT_INTERVAL) {
            let open = HeldElementCount::default();
            self.builder.trace_handles(&open);
            let open = open.count.get();
            self.steps.set(self.steps.get() + COUNT_INTERVAL * open as u64);
            if open > limits::DEPTH {
                self.stop(ParseLimit::Depth);
            }
        }
        if self.steps.get() + self.builder.sink.moves.get() > limits::STEPS {
            self.stop(ParseLimit::Steps);
        }
    }

    pub fn finish(self) -> BuiltTree<'a> {
        #[cfg(test)]
        let effort = self.effort();
        BuiltTree {
            truncated_by: self.exceeded.get().or(self.noted.get()),
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
        if self.exceeded.get().is_some() || matches!(token, Token::ParseError(_) | Token::CommentToken(_)) {
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

/// Counts the elements that the tree builder holds: open elements and active formatting elements.
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
