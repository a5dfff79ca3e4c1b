//! What is asked before anything is known: words of the topic or of the form's page, then common words.

use super::PolicyContext;
use crate::text::frequency::ENGLISH;

/// Common words that are tried when no first word brought anything.
const TRIES: usize = 200;

/// First queries, best first.
pub struct Opening {
    words: std::vec::IntoIter<String>,
    next: Option<String>,
}

impl Opening {
    /// The first queries of a harvest.
    pub fn new(context: &PolicyContext) -> Opening {
        let common = match &context.word_list {
            Some(list) => list.iter().take(TRIES).cloned().collect::<Vec<String>>(),
            None => ENGLISH.words().iter().take(TRIES).map(|word| word.to_string()).collect(),
        };
        let mut words = context.first_words.clone();
        words.extend(common);
        let mut words = words.into_iter();
        let next = words.next();
        Opening { words, next }
    }

    /// The query to begin with.
    pub fn next(&self) -> Option<&str> {
        self.next.as_deref()
    }

    /// Goes on to the next, if it was this one that was asked.
    pub fn asked(&mut self, words: &str) {
        if self.next.as_deref() == Some(words) {
            self.next = self.words.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_words_come_before_common_ones() {
        let context =
            PolicyContext { first_words: vec!["ship".into(), "boat".into()], ..PolicyContext::default() };
        let mut opening = Opening::new(&context);
        assert_eq!(opening.next(), Some("ship"));
        opening.asked("something else");
        assert_eq!(opening.next(), Some("ship"));
        opening.asked("ship");
        opening.asked("boat");
        assert_eq!(opening.next(), Some(ENGLISH.words()[0]));
    }
}
