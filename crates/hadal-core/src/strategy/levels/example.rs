//! Links that were on a path to a form, by how many clicks they are away from it.
//!
//! Level 1 is the link to the form's page itself. What is kept of a link is its stems; of each level the
//! newest links are kept, so that a crawl which has moved on learns from where it is.

use super::super::features::{Space, terms_of};
use crate::address::LinkId;
use crate::link::FrontierLink;
use crate::page::LinkContext;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use url::Url;

/// The contexts of a link that are told apart (FFC paper, section 3.1).
pub const SPACES: [Space; 3] = [Space::Url, Space::Anchor, Space::Around];
/// Links kept of one level.
const MOST_LINKS: usize = 300;
/// Stems kept of one space of a link.
const MOST_TERMS: usize = 12;

/// What is kept of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Example {
    link: LinkId,
    terms: [Vec<String>; 3],
}

impl Example {
    /// A link as it stands on a page.
    pub fn of(url: &Url, context: &LinkContext) -> Example {
        let terms = SPACES.map(|space| {
            let mut terms = terms_of(space, url, context);
            terms.truncate(MOST_TERMS);
            terms
        });
        Example { link: LinkId::of(url), terms }
    }

    /// The link a link came from; none when it was given, not found on a page.
    pub fn of_lead(link: &FrontierLink) -> Option<Example> {
        link.parent.map(|_| Example { link: link.id, ..Example::of(&link.url, &link.context) })
    }

    /// Its stems in the nth of the [`SPACES`].
    pub fn terms(&self, space: usize) -> &[String] {
        &self.terms[space]
    }
}

/// Examples by level, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Examples(Vec<VecDeque<Example>>);

impl Examples {
    /// None yet of so many levels.
    pub fn new(levels: u8) -> Examples {
        Examples(vec![VecDeque::new(); usize::from(levels)])
    }

    /// Keeps an example of a level, from 1; a link counts once, and what has no level is left out.
    pub fn add(&mut self, level: u8, example: Example) {
        let Some(known) = self.0.get_mut(usize::from(level).wrapping_sub(1)) else { return };
        if known.iter().any(|other| other.link == example.link) {
            return;
        }
        known.push_back(example);
        if known.len() > MOST_LINKS {
            known.pop_front();
        }
    }

    /// The examples of a level, from 1.
    pub fn of(&self, level: u8) -> impl Iterator<Item = &Example> {
        self.0.get(usize::from(level).wrapping_sub(1)).into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(n: usize) -> Example {
        let url = Url::parse(&format!("http://a.org/books/{n}")).unwrap();
        Example::of(&url, &LinkContext { anchor: "Search the catalogue".into(), ..LinkContext::default() })
    }

    #[test]
    fn a_link_is_kept_by_its_stems() {
        assert_eq!(example(1).terms(0), ["book"]);
        assert_eq!(example(1).terms(1), ["search", "catalogu"]);
        assert!(example(1).terms(2).is_empty());
    }

    #[test]
    fn of_each_level_the_newest_links_are_kept_once() {
        let mut examples = Examples::new(2);
        (0..MOST_LINKS + 5).for_each(|n| examples.add(2, example(n)));
        examples.add(2, example(MOST_LINKS));
        assert_eq!(examples.of(2).count(), MOST_LINKS);
        assert_eq!(examples.of(2).next(), Some(&example(5)));
    }

    #[test]
    fn levels_that_are_not_told_apart_are_left_out() {
        let mut examples = Examples::new(1);
        examples.add(0, example(0));
        examples.add(2, example(0));
        assert_eq!([0, 1, 2].map(|level| examples.of(level).count()), [0, 0, 0]);
    }
}
