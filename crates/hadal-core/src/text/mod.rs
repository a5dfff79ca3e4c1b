//! Text analysis: words, stems, stop words and concepts.
//!
//! - [`words`]: splits text into lower-case words; scripts without spaces into pairs of characters.
//! - [`language`]: stemmers and stop words.
//! - [`concepts`]: maps words of many languages to language-independent concepts.
//! - [`terms`]: all of these in one pass, with a cache.
//! - [`frequency`]: frequency ranks of English words.
//! - [`joined`]: words that are written together, as in host names.

pub mod concepts;
pub mod frequency;
pub mod joined;
pub mod language;
mod runs;
pub mod terms;
pub mod words;
