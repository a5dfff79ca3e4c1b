//! Texts for the evidence behind a verdict.

/// Describes a signal of a classifier by its group of features (`place`) and its word.
pub fn signal_in_words(place: &str, says: &str) -> String {
    match place {
        "name" if says == "is a query's" => "a field has the name of a query parameter".to_string(),
        "kind" => format!("has a field of type {says}"),
        "shown" => format!("fields shown: {says}"),
        "typed" => format!("fields to type into: {says}"),
        "topical" => format!("subjects that its fields ask for: {says}"),
        "topical only" => format!("subjects that its fields ask for, and nothing personal: {says}"),
        "method" => format!("sent by {}", says.to_uppercase()),
        "action" => "sent to its own URL".to_string(),
        "source" => format!("made by a {says}, without <form>").replace("a declared", "a declaration"),
        "single box" => "a single box".to_string(),
        "length" => "size of its text boxes".to_string(),
        "field" => format!("a field is {says}"),
        "text length" => "length of its text".to_string(),
        "says search" if says.len() > 1 && says != "more" => format!("its {says} mentions searching"),
        "says search" => format!("parts that mention searching: {says}"),
        place => match (place.strip_prefix("concept."), position_words(place)) {
            (Some(inner), _) => {
                format!("{}: a word for {}", position_words(inner).unwrap_or(inner), plain(says))
            }
            (None, Some(position_words)) => format!("{position_words}: {says}"),
            (None, None) => format!("{place}: {says}"),
        },
    }
}

/// Describes the evidence of a verdict, such as `+concept.button: search`. Its sign is kept. Words stay as they are.
pub fn evidence_in_words(evidence: &str) -> String {
    let (sign, rest) = match evidence.strip_prefix(['+', '-']) {
        Some(rest) => (&evidence[..1], rest),
        None => ("", evidence),
    };
    match rest.split_once(": ") {
        Some((place, says)) => format!("{sign}{}", signal_in_words(place, says)),
        None => evidence.to_string(),
    }
}

/// Descriptions of positions in which words are quoted.
fn position_words(place: &str) -> Option<&'static str> {
    Some(match place {
        "button" => "button says",
        "button name" => "button is named",
        "name" | "whole name" => "field is named",
        "id" => "field's id",
        "label" => "label says",
        "value" => "box holds",
        "option" => "choice says",
        "hidden" => "hidden field",
        "attribute" => "form is named",
        "path" => "address has",
        "text" => "text says",
        "heading" => "heading says",
        "title" => "page's title says",
        _ => return None,
    })
}

fn plain(concept: &str) -> String {
    concept.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_read_as_a_sentence() {
        assert_eq!(evidence_in_words("+concept.button: search"), "+button says: a word for search");
        assert_eq!(evidence_in_words("-typed: 3"), "-fields to type into: 3");
        let subjects = "+subjects that its fields ask for, and nothing personal: 1";
        assert_eq!(evidence_in_words("+topical only: 1"), subjects);
        assert_eq!(evidence_in_words("4 topic words"), "4 topic words");
    }

    #[test]
    fn evidence_in_words_stays_as_it_is() {
        for evidence in ["+concept.button: search", "-typed: 3", "+says search: label", "+name: is a query's"]
        {
            let words = evidence_in_words(evidence);
            assert_eq!(evidence_in_words(&words), words);
        }
    }

    #[test]
    fn reasons_are_phrased_in_plain_words() {
        assert_eq!(signal_in_words("button", "search"), "button says: search");
        assert_eq!(signal_in_words("concept.label", "first_name"), "label says: a word for first name");
        assert_eq!(signal_in_words("says search", "button"), "its button mentions searching");
        assert_eq!(signal_in_words("says search", "3"), "parts that mention searching: 3");
        assert_eq!(signal_in_words("password", "1"), "password: 1", "unknown features are shown unchanged");
    }
}
