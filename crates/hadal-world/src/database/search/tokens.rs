//! Our analysis in the shape in which the search engine wants it.

use super::analysis::{Analysis, cuts};
use rustc_hash::FxHashMap;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Where the title ends and the text begins; no phrase reaches over it.
pub(in crate::database) const BORDER: char = '\n';

/// Cuts texts for the index, and remembers what words come to while it is built.
#[derive(Clone)]
pub(in crate::database) struct Cutter {
    analysis: Analysis,
    known: FxHashMap<Box<str>, Option<Box<str>>>,
}

impl Cutter {
    pub(in crate::database) fn new(analysis: Analysis) -> Cutter {
        Cutter { analysis, known: FxHashMap::default() }
    }

    fn prepare(&mut self, raw: &str) -> Option<Box<str>> {
        if let Some(known) = self.known.get(raw) {
            return known.clone();
        }
        let word = self.analysis.prepare(raw).map(String::into_boxed_str);
        self.known.insert(raw.into(), word.clone());
        word
    }
}

impl Tokenizer for Cutter {
    type TokenStream<'a> = Tokens;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Tokens {
        let border = text.find(BORDER).unwrap_or(text.len());
        let mut words = Vec::new();
        for cut in cuts(text) {
            if let Some(word) = self.prepare(cut.word) {
                words.push((word, words.len() + usize::from(cut.at > border)));
            }
        }
        Tokens { words: words.into_iter(), token: Token::default() }
    }
}

/// The words of one record.
pub(in crate::database) struct Tokens {
    words: std::vec::IntoIter<(Box<str>, usize)>,
    token: Token,
}

impl TokenStream for Tokens {
    fn advance(&mut self) -> bool {
        let Some((word, position)) = self.words.next() else { return false };
        self.token.text = word.into_string();
        self.token.position = position;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
