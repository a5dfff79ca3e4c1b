//! Topic of a crawl as a list of words.
//!
//! Twelve topics are built in. Any other input becomes a topic of these words.

/// Name and words of a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Name of a built-in topic, or the input of the user in lower case.
    pub name: String,
    /// Typical words in lower case and singular.
    pub words: Vec<String>,
}

impl Topic {
    /// Built-in topic of this name, otherwise a topic of the given words. `None` without words.
    pub fn from_words(text: &str) -> Option<Topic> {
        let name = text.trim().to_lowercase();
        if let Some((_, words)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
            return Some(Topic { name, words: words.split_whitespace().map(String::from).collect() });
        }
        let words: Vec<String> =
            name.split(|c: char| !c.is_alphanumeric()).map(singular).filter(|w| w.len() > 1).collect();
        (!words.is_empty()).then_some(Topic { name, words })
    }

    /// Names of the built-in topics.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }
}

/// Singular of an English word by its ending. Sufficient for word lists; not a stemmer.
pub fn singular(word: &str) -> String {
    let stem = match word {
        _ if word.len() > 4 && word.ends_with("ies") => return format!("{}y", &word[..word.len() - 3]),
        _ if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") => &word[..word.len() - 1],
        _ => word,
    };
    stem.to_string()
}

/// Names and words of the built-in topics.
const BUILT_IN: [(&str, &str); 12] = [
    (
        "airfare",
        "flight airfare airline airport fare departure arrival depart return passenger roundtrip cabin \
      economy nonstop plane ticket travel destination one-way",
    ),
    (
        "auto",
        "car auto vehicle make model mileage dealer sedan suv truck motor engine transmission diesel \
      used automobile coupe hatchback year",
    ),
    (
        "book",
        "book author title isbn publisher edition hardcover paperback library catalogue catalog novel \
      fiction textbook bookstore reader literature",
    ),
    (
        "hotel",
        "hotel room guest checkin checkout night accommodation resort suite lodging inn hostel stay \
      bed breakfast adult motel",
    ),
    (
        "job",
        "job career salary employer resume vacancy employment position candidate recruiter hiring \
      occupation internship cv work skill",
    ),
    (
        "movie",
        "movie film actor director dvd cinema genre theater trailer cast screenplay actress showtime \
      video hollywood rating",
    ),
    (
        "music",
        "music album artist song cd band lyric track genre label vinyl concert composer jazz rock \
      record mp3",
    ),
    (
        "rental",
        "rental rent pickup dropoff car pick-up drop-off vehicle hire driver location reservation van \
      compact midsize",
    ),
    (
        "apartment",
        "apartment rent bedroom bathroom property lease tenant landlord house condo real estate \
      square furnished pet listing home",
    ),
    (
        "route",
        "route bus train station timetable schedule departure arrival stop line transit journey \
      connection map platform trip",
    ),
    (
        "product",
        "product price brand shop item sku shipping manufacturer category cart store electronics \
      warranty buy catalog model",
    ),
    (
        "people",
        "people person name surname phone directory address staff member alumni faculty employee \
      contact genealogy birth lastname firstname",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_in_topic_has_its_words() {
        assert!(Topic::from_words(" Book ").unwrap().words.contains(&"isbn".to_string()));
    }

    #[test]
    fn other_words_become_a_topic() {
        assert_eq!(Topic::from_words("used Cookbooks, cheap").unwrap().words, ["used", "cookbook", "cheap"]);
        assert_eq!(Topic::from_words(" !? "), None);
    }
}
