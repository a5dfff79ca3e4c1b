//! Names that users choose from, on the command line and in the configuration.

/// A closed set of values with names.
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// Every value with its name and one line of help, in the order shown to users.
    const CHOICES: &'static [(Self, &'static str, &'static str)];

    /// Value with this name.
    fn from_name(name: &str) -> Option<Self> {
        Self::CHOICES.iter().find(|(_, known, _)| *known == name).map(|(value, ..)| *value)
    }

    /// Name of this value.
    fn name(self) -> &'static str {
        Self::CHOICES.iter().find(|(value, ..)| *value == self).map_or("", |(_, name, _)| name)
    }
}

/// Candidate closest to a misspelt word, if it is close enough.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&word, &name.to_lowercase());
    // One typing error per three letters. Guess.
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
    fn misspelt_names_get_a_suggestion_and_other_words_none() {
        let names = ["best-first", "breadth-first", "random"];
        assert_eq!(nearest("best-frist", names), Some("best-first"));
        assert_eq!(nearest("Randon", names), Some("random"));
        assert_eq!(nearest("harvest", names), None);
        assert_eq!(nearest("", names), None);
    }
}
