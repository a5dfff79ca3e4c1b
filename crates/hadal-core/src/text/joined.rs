//! Words that are written together, as in the host name `usedcars.example`.
//!
//! A string of letters is split into the words of the English frequency list that have the lowest total cost, where a
//! word of rank `r` costs `ln(r + 2) + 3` and a letter that belongs to no word costs as much as a rare word. So the
//! split prefers few and frequent words.

use super::frequency::ENGLISH;

/// Longest string that is split. Longer ones are hashes more often than names. Guess.
const MAX_LENGTH: usize = 40;
/// Longest word that is looked up. Guess.
const MAX_WORD: usize = 16;
/// Shortest word that is looked up; shorter ones match by chance. Guess.
const MIN_WORD: usize = 3;
/// Cost of a letter that belongs to no word. Guess: that of the rarest word of the list.
const LETTER_COST: f32 = 13.0;

/// Calls `visit` with the known words of a string in lower case, or with the string itself if it has none.
pub fn each_known_word(joined: &str, mut visit: impl FnMut(&str)) {
    let is_split = joined.is_ascii() && (MIN_WORD + 1..=MAX_LENGTH).contains(&joined.len());
    let words = if is_split { best_split(joined) } else { Vec::new() };
    if words.is_empty() {
        return visit(joined);
    }
    words.into_iter().for_each(visit);
}

/// Known words of the cheapest split, in order.
fn best_split(joined: &str) -> Vec<&str> {
    // Cost of the cheapest split of the first `end` letters, and the start of its last word.
    let mut best: Vec<(f32, usize)> = vec![(0.0, 0)];
    for end in 1..=joined.len() {
        let mut cheapest = (best[end - 1].0 + LETTER_COST, end - 1);
        for start in end.saturating_sub(MAX_WORD)..=end.saturating_sub(MIN_WORD) {
            if let Some(rank) = ENGLISH.rank(&joined[start..end]) {
                let cost = best[start].0 + (rank as f32 + 2.0).ln() + 3.0;
                cheapest = if cost < cheapest.0 { (cost, start) } else { cheapest };
            }
        }
        best.push(cheapest);
    }
    let (mut words, mut end) = (Vec::new(), joined.len());
    while end > 0 {
        let start = best[end].1;
        if end - start >= MIN_WORD {
            words.push(&joined[start..end]);
        }
        end = start;
    }
    words.reverse();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(joined: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_known_word(joined, |word| words.push(word.to_string()));
        words
    }

    #[test]
    fn joined_words_are_split_into_known_words() {
        assert_eq!(split("usedcars"), ["used", "cars"]);
        assert_eq!(split("seasidehotels"), ["seaside", "hotels"]);
        assert_eq!(split("xqhotel"), ["hotel"]);
    }

    #[test]
    fn a_word_and_an_unknown_name_stay_whole() {
        assert_eq!(split("hotels"), ["hotels"]);
        assert_eq!(split("xqzzwv"), ["xqzzwv"]);
        assert_eq!(split("книги"), ["книги"]);
        assert_eq!(split(""), [""]);
    }
}
