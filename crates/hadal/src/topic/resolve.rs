//! Resolves a topic argument: a file, a user-defined topic, a built-in topic, or words.

use super::folder::load;
use super::learn::learn;
use super::{TopicError, TopicFile, TopicFolder, TopicModel};
use crate::choice::nearest;
use hadal_core::critic::trained::CriticTarget;
use hadal_core::topic::Topic;
use std::path::Path;

/// A resolved topic.
#[derive(Clone, Debug)]
pub struct ResolvedTopic {
    /// Name, and words for queries.
    pub topic: Topic,
    /// Target of the critic.
    pub target: CriticTarget,
    /// Seeds used when the user gives none.
    pub seeds: Vec<String>,
    /// URLs of pages known to hold a form of the topic.
    pub examples: Vec<String>,
    /// True if the topic is made of words only.
    pub weak: bool,
}

/// Resolves a path to a file, a name in the folder, a built-in name, or else words.
pub fn resolve(text: &str, folder: &TopicFolder) -> Result<ResolvedTopic, TopicError> {
    let text = text.trim();
    if text.ends_with(".toml") {
        return Ok(of_file(load(Path::new(text))?));
    }
    let name = text.to_lowercase();
    if folder.has(&name) {
        return Ok(of_file(folder.load(&name)?));
    }
    let topic = Topic::from_words(text).ok_or_else(|| TopicError::NoWords(text.to_string()))?;
    if let Some(target) = CriticTarget::built_in(&topic.name) {
        return Ok(ResolvedTopic { topic, target, seeds: Vec::new(), examples: Vec::new(), weak: false });
    }
    if let Some(meant) = nearest_topic(&topic.name, folder).filter(|_| !topic.name.contains(' ')) {
        return Err(TopicError::Slip { name: topic.name, meant });
    }
    Ok(of_words(topic))
}

/// Topic of an existing run. If its file is gone, its words are used.
pub fn resolve_existing(name: &str, folder: &TopicFolder) -> Result<ResolvedTopic, TopicError> {
    resolve(name, folder).or_else(|error| Topic::from_words(name).map(of_words).ok_or(error))
}

/// Topic name that a single misspelt word is close to.
pub fn nearest_topic(name: &str, folder: &TopicFolder) -> Option<String> {
    let own = folder.names();
    let built_in = Topic::names().map(|name| -> &str { name });
    nearest(name, built_in.chain(own.iter().map(String::as_str))).map(String::from)
}

fn of_words(topic: Topic) -> ResolvedTopic {
    let model = learn(&[], &[], &topic.name);
    let target = CriticTarget::Learned(Box::new(model.learned));
    ResolvedTopic { topic, target, seeds: Vec::new(), examples: Vec::new(), weak: true }
}

fn of_file((file, model): (TopicFile, TopicModel)) -> ResolvedTopic {
    let mut words = Topic::from_words(&file.words).map_or(Vec::new(), |topic| topic.words);
    words.extend(model.strongest_words.words().map(String::from));
    if words.is_empty() {
        words.push(file.name.clone());
    }
    ResolvedTopic {
        topic: Topic { name: file.name, words },
        weak: model.learned.examples == 0,
        target: CriticTarget::Learned(Box::new(model.learned)),
        seeds: file.seeds,
        examples: file.examples.into_iter().filter(|example| example.contains("://")).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, TopicFolder) {
        let dir = tempfile::tempdir().unwrap();
        let folder = TopicFolder(dir.path().to_path_buf());
        let file: TopicFile = toml::from_str(
            "name = \"volcanoes\"\nwords = \"lava\"\nseeds = [\"http://a.example/\"]
                examples = [\"saved.html\", \"http://a.example/find#2\"]",
        )
        .unwrap();
        folder.save(&file, &learn(&[], &[], "lava")).unwrap();
        (dir, folder)
    }

    #[test]
    fn a_topic_is_a_file_a_name_or_words() {
        let (dir, folder) = folder();
        let by_path = resolve(dir.path().join("volcanoes.toml").to_str().unwrap(), &folder).unwrap();
        let by_name = resolve("Volcanoes", &folder).unwrap();
        for wanted in [by_path, by_name] {
            assert_eq!((wanted.topic.name.as_str(), wanted.topic.words[0].as_str()), ("volcanoes", "lava"));
            assert_eq!(wanted.seeds, ["http://a.example/"]);
            assert_eq!(wanted.examples, ["http://a.example/find#2"], "pages that can be visited");
        }
        let book = resolve("book", &folder).unwrap();
        assert!(!book.weak && book.target == CriticTarget::built_in("book").unwrap());
        assert!(resolve("used books", &folder).unwrap().weak);
        assert!(resolve("glacier", &folder).unwrap().weak);
    }

    #[test]
    fn misspelt_topics_get_a_suggestion_and_empty_ones_are_refused() {
        let (_dir, folder) = folder();
        for (slip, meant) in [("hotl", "hotel"), ("volcanos", "volcanoes")] {
            let error = resolve(slip, &folder).unwrap_err().to_string();
            assert!(error.contains(&format!("did you mean '{meant}'?")), "{error}");
            assert!(resolve_existing(slip, &folder).unwrap().weak, "an existing run of that name resumes");
        }
        assert!(resolve(" ", &folder).is_err());
        assert!(resolve("none.toml", &folder).is_err());
    }
}
