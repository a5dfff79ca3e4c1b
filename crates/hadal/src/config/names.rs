//! Suggestions for misspelt names.

/// The candidate that was probably meant, if any is near enough.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&word, &name.to_lowercase());
    // About one slip in three letters; beyond that a suggestion is a guess.
    let near = (word.chars().count() / 3).max(1);
    let scored = candidates.into_iter().map(|name| (distance(name), name));
    scored
        .filter(|(distance, _)| *distance <= near)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_understood_and_other_words_left_alone() {
        let names = ["best-first", "breadth-first", "random"];
        assert_eq!(nearest("best-frist", names), Some("best-first"));
        assert_eq!(nearest("Randon", names), Some("random"));
        assert_eq!(nearest("harvest", names), None);
        assert_eq!(nearest("", names), None);
    }
}
