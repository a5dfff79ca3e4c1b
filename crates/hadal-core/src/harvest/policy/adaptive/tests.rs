//! The paper's behaviour as a whole.
