//! The simplest critic: words.
