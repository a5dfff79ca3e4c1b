//! Command lines of jobs. Pure functions: a request of a client becomes checked arguments of this program.
//!
//! Values follow `=` or `--`, so that none is read as an option. Pages are web addresses only: the commands also read
//! local files, which a client must not name.

use super::super::error::ApiError;
use super::super::extract::Number;
use super::super::forms::form_id;
use http::StatusCode;
use serde::Deserialize;
use url::Url;
use utoipa::ToSchema;

/// Maximum number of pages or forms of one job. Guess; they fit on a command line.
const MAX_TARGETS: usize = 1000;
/// Maximum number of characters of a topic or of its words.
const MAX_WORDS: usize = 2000;

/// A crawl to start. The same topic, seeds and strategy resume an earlier run.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CrawlStart {
    /// Name of a topic, or words.
    #[schema(min_length = 1, max_length = 2000)]
    topic: String,
    /// Start URLs; empty for the topic's own.
    #[serde(default)]
    #[schema(max_items = 1000)]
    seeds: Vec<String>,
    /// Request budget; null for the configured one.
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 9007199254740991_u64)]
    max_requests: Option<Number>,
    /// Strategy; null for the configured one.
    strategy: Option<String>,
    /// Discard earlier results of the run.
    #[serde(default)]
    fresh: bool,
}

/// Pages whose forms are added to the directory. No link is followed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportStart {
    /// Topic for which the forms are judged.
    #[schema(min_length = 1, max_length = 2000)]
    topic: String,
    /// Web addresses of pages with forms.
    #[schema(min_items = 1, max_items = 1000)]
    pages: Vec<String>,
}

/// A harvest to start: of forms, of the form on a page, or of the best forms of a topic.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HarvestStart {
    /// Form ids.
    #[serde(default)]
    #[schema(max_items = 1000, pattern = "^[0-9a-f]{16}$")]
    forms: Vec<String>,
    /// Web address of a page with a search form.
    page: Option<String>,
    /// Topic whose best forms are harvested.
    topic: Option<String>,
    /// Number of forms of the topic.
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 1000, default = 1)]
    top: Option<Number>,
    /// Request budget of all forms together; null for the configured one.
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 9007199254740991_u64)]
    max_requests: Option<Number>,
    /// Coverage at which a harvest stops; null for the configured one.
    #[schema(minimum = 0, maximum = 1)]
    target_coverage: Option<f64>,
}

/// A refresh to start: of forms, of a topic, or of all harvested forms.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RefreshStart {
    /// Form ids; empty for all.
    #[serde(default)]
    #[schema(max_items = 1000, pattern = "^[0-9a-f]{16}$")]
    forms: Vec<String>,
    /// Only forms of this topic.
    topic: Option<String>,
    /// Request budget; null for a quarter of the requests of the first harvest.
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 9007199254740991_u64)]
    max_requests: Option<Number>,
}

/// A topic to create from example pages or words.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TopicDraft {
    /// Name of letters, digits, `-` and `_`.
    #[schema(min_length = 1, max_length = 60)]
    name: String,
    /// Words that describe the topic.
    #[serde(default)]
    #[schema(max_length = 2000)]
    words: String,
    /// Web addresses of pages with a search form of the topic.
    #[serde(default)]
    #[schema(max_items = 1000)]
    examples: Vec<String>,
    /// Replace a topic of this name.
    #[serde(default)]
    replace: bool,
}

/// Pages on which a topic is tested: the forms of each are judged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TopicTrial {
    /// Web addresses.
    #[schema(min_items = 1, max_items = 1000)]
    pages: Vec<String>,
}

impl CrawlStart {
    pub fn arguments(&self) -> Result<Vec<String>, ApiError> {
        let mut line = vec!["find".to_string()];
        line.extend(pages("--seeds", &self.seeds)?);
        line.extend(budget(self.max_requests)?);
        line.extend(self.strategy.iter().map(|name| format!("--strategy={name}")));
        line.extend(self.fresh.then(|| "--fresh".to_string()));
        line.extend(["--".to_string(), topic(&self.topic)?]);
        Ok(line)
    }
}

impl ImportStart {
    pub fn arguments(&self) -> Result<Vec<String>, ApiError> {
        require(!self.pages.is_empty(), "give at least one page")?;
        let mut line = vec!["find".to_string(), "--max-depth=0".to_string()];
        line.extend(pages("--seeds", &self.pages)?);
        line.extend(["--".to_string(), topic(&self.topic)?]);
        Ok(line)
    }
}

impl HarvestStart {
    pub fn arguments(&self) -> Result<Vec<String>, ApiError> {
        let kinds = [!self.forms.is_empty(), self.page.is_some(), self.topic.is_some()];
        let is_one = kinds.into_iter().filter(|given| *given).count() == 1;
        require(is_one, "give forms, a page, or a topic")?;
        let mut line = vec!["harvest".to_string()];
        if let Some(name) = &self.topic {
            line.push(format!("--topic={}", topic(name)?));
            line.push(format!("--top={}", self.top.map_or(1, |top| top.0)));
        }
        line.extend(budget(self.max_requests)?);
        if let Some(share) = self.target_coverage {
            require((0.0..=1.0).contains(&share), "target_coverage must be from 0 to 1")?;
            line.push(format!("--target-coverage={share}"));
        }
        line.push("--".to_string());
        line.extend(form_ids(&self.forms)?);
        line.extend(self.page.iter().map(|page| web_address(page)).collect::<Result<Vec<_>, _>>()?);
        Ok(line)
    }
}

impl RefreshStart {
    pub fn arguments(&self) -> Result<Vec<String>, ApiError> {
        require(self.forms.is_empty() || self.topic.is_none(), "give forms or a topic, not both")?;
        let mut line = vec!["refresh".to_string()];
        if let Some(name) = &self.topic {
            line.push(format!("--topic={}", topic(name)?));
        }
        line.extend(budget(self.max_requests)?);
        line.push("--".to_string());
        line.extend(form_ids(&self.forms)?);
        Ok(line)
    }
}

impl TopicDraft {
    pub fn arguments(&self) -> Result<Vec<String>, ApiError> {
        let is_described = !self.words.trim().is_empty() || !self.examples.is_empty();
        require(is_described, "give words or example pages")?;
        require(self.words.chars().count() <= MAX_WORDS, "too many words")?;
        let mut line = ["topics", "new", "--json"].map(String::from).to_vec();
        line.extend(
            Some(&self.words).filter(|words| !words.trim().is_empty()).map(|it| format!("--words={it}")),
        );
        line.extend(pages("--examples", &self.examples)?);
        line.extend(self.replace.then(|| "--force".to_string()));
        line.extend(["--".to_string(), topic(&self.name)?]);
        Ok(line)
    }
}

impl TopicTrial {
    pub fn arguments(&self, name: &str) -> Result<Vec<String>, ApiError> {
        require((1..=MAX_TARGETS).contains(&self.pages.len()), "give at least one page, and at most 1000")?;
        let mut line = vec!["judge".to_string(), "--json".to_string(), format!("--topic={}", topic(name)?)];
        line.push("--".to_string());
        line.extend(self.pages.iter().map(|page| web_address(page)).collect::<Result<Vec<_>, _>>()?);
        Ok(line)
    }
}

fn require(holds: bool, otherwise: &str) -> Result<(), ApiError> {
    if holds { Ok(()) } else { Err(ApiError::of(StatusCode::UNPROCESSABLE_ENTITY, otherwise)) }
}

/// A topic's name or words. The name of a file is refused.
fn topic(text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    require(!text.is_empty() && text.chars().count() <= MAX_WORDS, "give a topic")?;
    let is_path = text.contains(['/', '\\', '\0']) || text.to_lowercase().ends_with(".toml");
    require(!is_path, "a topic is a name or words, not a file")?;
    Ok(text.to_string())
}

/// A web address as given, if it is one.
fn web_address(text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    let is_web =
        Url::parse(text).is_ok_and(|url| ["http", "https"].contains(&url.scheme()) && url.has_host());
    require(is_web, &format!("'{text}' is not a web address; write it as http://host/path"))?;
    Ok(text.to_string())
}

fn pages(option: &str, given: &[String]) -> Result<Vec<String>, ApiError> {
    require(given.len() <= MAX_TARGETS, "at most 1000 pages")?;
    given.iter().map(|page| Ok(format!("{option}={}", web_address(page)?))).collect()
}

fn form_ids(given: &[String]) -> Result<Vec<String>, ApiError> {
    require(given.len() <= MAX_TARGETS, "at most 1000 forms")?;
    given.iter().map(|form| Ok(form_id(form)?.to_string())).collect()
}

fn budget(requests: Option<Number>) -> Result<Option<String>, ApiError> {
    require(requests.is_none_or(|requests| requests.0 > 0), "max_requests must be at least 1")?;
    Ok(requests.map(|requests| format!("--max-requests={}", requests.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read<T: serde::de::DeserializeOwned>(body: Value) -> T {
        serde_json::from_value(body).unwrap()
    }

    #[test]
    fn values_cannot_become_options() {
        let crawl: CrawlStart =
            read(json!({"topic": "--fresh", "seeds": ["http://a.org/"], "max_requests": 5}));
        let line = crawl.arguments().unwrap();
        assert_eq!(line, ["find", "--seeds=http://a.org/", "--max-requests=5", "--", "--fresh"]);
        let harvest: HarvestStart = read(json!({"topic": "--allow-post", "top": 3}));
        assert_eq!(harvest.arguments().unwrap(), ["harvest", "--topic=--allow-post", "--top=3", "--"]);
        let draft: TopicDraft = read(json!({"name": "-x", "words": "--json"}));
        assert_eq!(draft.arguments().unwrap(), ["topics", "new", "--json", "--words=--json", "--", "-x"]);
    }

    #[test]
    fn files_of_this_machine_cannot_be_named() {
        let crawl = |topic: &str, seed: &str| -> Result<Vec<String>, ApiError> {
            read::<CrawlStart>(json!({"topic": topic, "seeds": [seed]})).arguments()
        };
        for (topic, seed) in [
            ("book", "seeds.txt"),
            ("book", "-"),
            ("book", "file:///etc/passwd"),
            ("../book", "http://a.org/"),
            ("book.toml", "http://a.org/"),
            (" ", "http://a.org/"),
        ] {
            assert!(crawl(topic, seed).is_err(), "{topic} {seed}");
        }
        assert!(crawl("used books", "https://a.org/?q=1").is_ok());
        assert!(read::<TopicTrial>(json!({"pages": ["page.html"]})).arguments("book").is_err());
    }

    #[test]
    fn a_harvest_names_one_kind_of_target() {
        let line = |body: Value| read::<HarvestStart>(body).arguments();
        assert!(line(json!({})).is_err());
        assert!(line(json!({"topic": "book", "page": "http://a.org/"})).is_err());
        assert!(line(json!({"forms": ["xyz"]})).is_err());
        assert!(line(json!({"page": "http://a.org/", "target_coverage": 2.0})).is_err());
        let two = line(json!({"forms": ["00000000000000aa"], "target_coverage": 0.9})).unwrap();
        assert_eq!(two, ["harvest", "--target-coverage=0.9", "--", "00000000000000aa"]);
    }
}
