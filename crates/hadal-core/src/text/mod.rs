//! Text as the judges read it: words, stems, stop words, and concepts that no language owns.
//!
//! [`words`] cuts text into lower-case words (scripts without spaces into pairs of characters),
//! [`language`] stems them and knows what says nothing, [`concepts`] maps words of many languages onto
//! the same idea, and [`terms`] does all of it at once, fast enough for every page of a crawl.
//! [`frequency`] knows how common English words are.

pub mod concepts;
pub mod frequency;
pub mod language;
mod runs;
pub mod terms;
pub mod words;
