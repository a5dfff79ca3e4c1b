//! Settings from defaults, file, environment and flags, each with its origin.

use super::ConfigError;
use super::settings::{SETTINGS, Setting, split, variable};
use crate::choice::nearest;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Variable that names the configuration file. Not a setting.
pub const FILE_VARIABLE: &str = "HADAL_CONFIG";
/// Variable with the token of `hadal serve`, which other users of the machine should not see.
pub const TOKEN_VARIABLE: &str = "HADAL_TOKEN";

/// Origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Built-in default.
    Default,
    /// Value from a configuration file.
    File(PathBuf),
    /// Value from an environment variable.
    Environment(String),
    /// Command line flag.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File(path) => write!(f, "{}", path.display()),
            Origin::Environment(name) => f.write_str(name),
            Origin::Flag(name) => f.write_str(name),
        }
    }
}

/// A flag as a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// Key of the setting.
    pub key: &'static str,
    /// Name of the flag.
    pub flag: &'static str,
    /// Values as the user gave them.
    pub given: Vec<String>,
}

/// Effective value of every setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers(BTreeMap<&'static str, (Value, Origin)>);

impl Layers {
    /// Merges the four sources. `environment` may hold any variables; only names that begin with `HADAL_` are
    /// read.
    pub fn gather(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
        flags: &[Override],
    ) -> Result<Layers, ConfigError> {
        let mut layers = Layers::defaults();
        if let Some(path) = file {
            layers.set_from_file(path)?;
        }
        layers.set_from_environment(environment)?;
        layers.set_from_flags(flags);
        Ok(layers)
    }

    fn defaults() -> Layers {
        let entry = |setting: &Setting| {
            let value = parse(setting.default).expect("defaults are valid TOML, see the tests");
            (setting.key, (value, Origin::Default))
        };
        Layers(SETTINGS.iter().map(entry).collect())
    }

    /// Value of a setting and its origin.
    pub fn get(&self, key: &str) -> &(Value, Origin) {
        self.0.get(key).expect("every key that is read is in the table of settings")
    }

    fn set_from_file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let fail = |detail: String| ConfigError::File { path: path.to_path_buf(), detail };
        let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        let table: Table = text.parse().map_err(|error: toml::de::Error| fail(error.to_string()))?;
        let origin = Origin::File(path.to_path_buf());
        for (group, content) in table {
            let Value::Table(settings) = content else { return Err(unknown(group, origin)) };
            for (name, value) in settings {
                self.set(format!("{group}.{name}"), value, origin.clone())?;
            }
        }
        Ok(())
    }

    fn set(&mut self, key: String, value: Value, origin: Origin) -> Result<(), ConfigError> {
        let Some(setting) = SETTINGS.iter().find(|setting| setting.key == key) else {
            return Err(unknown(key, origin));
        };
        self.0.insert(setting.key, (value, origin));
        Ok(())
    }

    fn set_from_environment(
        &mut self,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), ConfigError> {
        let is_setting = |(name, _): &(String, String)| {
            name.starts_with("HADAL_") && ![FILE_VARIABLE, TOKEN_VARIABLE].contains(&name.as_str())
        };
        for (name, text) in environment.into_iter().filter(is_setting) {
            let Some(setting) = SETTINGS.iter().find(|setting| variable(setting.key) == name) else {
                let names: Vec<String> = SETTINGS.iter().map(|setting| variable(setting.key)).collect();
                let suggestion = nearest(&name, names.iter().map(String::as_str)).map(String::from);
                return Err(ConfigError::Unknown { key: name, origin: None, suggestion });
            };
            let value = shaped_like(&self.get(setting.key).0, &[text]);
            self.0.insert(setting.key, (value, Origin::Environment(name)));
        }
        Ok(())
    }

    fn set_from_flags(&mut self, flags: &[Override]) {
        for flag in flags {
            let value = shaped_like(&self.get(flag.key).0, &flag.given);
            self.0.insert(flag.key, (value, Origin::Flag(flag.flag)));
        }
    }

    /// Configuration file text with every effective value and its origin.
    pub fn effective_text(&self) -> String {
        let mut text = String::new();
        let mut group = "";
        for setting in SETTINGS {
            let (own, name) = split(setting.key);
            if own != group {
                text.push_str(if group.is_empty() { "" } else { "\n" });
                text.push_str(&format!("[{own}]\n"));
                group = own;
            }
            let (value, origin) = self.get(setting.key);
            text.push_str(&format!("{name} = {value}  # {origin}\n"));
        }
        text
    }
}

/// Converts text from a flag or the environment to the type of the setting's current value. A list is a TOML
/// array or a single item. Text that does not convert stays text, so that the check can quote it.
fn shaped_like(like: &Value, given: &[String]) -> Value {
    match (like, given) {
        (Value::Array(_), [one]) if one.starts_with('[') => parse(one).unwrap_or(Value::from(one.as_str())),
        (Value::Array(_), several) => {
            let items = several.iter().filter(|item| !item.is_empty());
            Value::Array(items.map(|item| Value::from(item.as_str())).collect())
        }
        (Value::String(_), _) => Value::String(given.last().cloned().unwrap_or_default()),
        _ => {
            let text = given.last().cloned().unwrap_or_default();
            parse(&text).filter(|value| !value.is_str()).unwrap_or(Value::String(text))
        }
    }
}

fn parse(text: &str) -> Option<Value> {
    format!("value = {text}").parse::<Table>().ok()?.remove("value")
}

fn unknown(key: String, origin: Origin) -> ConfigError {
    let suggestion = nearest(&key, SETTINGS.iter().map(|setting| setting.key)).map(String::from);
    ConfigError::Unknown { key, origin: Some(origin), suggestion }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(name: &str, value: &str) -> Vec<(String, String)> {
        vec![(name.to_string(), value.to_string())]
    }

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn flags_win_over_environment_over_file_over_defaults() {
        let key = "crawl.max_requests";
        let file = file("[crawl]\nmax_requests = 1\n");
        let flag = Override { key, flag: "--max-requests", given: vec!["3".into()] };
        let variable = env("HADAL_CRAWL_MAX_REQUESTS", "2");
        let value = |layers: &Layers| layers.get(key).0.as_integer().unwrap();

        assert_eq!(value(&Layers::gather(None, vec![], &[]).unwrap()), 10_000);
        assert_eq!(value(&Layers::gather(Some(file.path()), vec![], &[]).unwrap()), 1);
        assert_eq!(value(&Layers::gather(Some(file.path()), variable.clone(), &[]).unwrap()), 2);
        let all = Layers::gather(Some(file.path()), variable, &[flag]).unwrap();
        assert_eq!(value(&all), 3);
        assert_eq!(all.get(key).1, Origin::Flag("--max-requests"));
    }

    #[test]
    fn an_unknown_key_is_named_with_the_nearest_one() {
        let file = file("[crawl]\nmax_request = 1\n");
        let error = Layers::gather(Some(file.path()), vec![], &[]).unwrap_err().to_string();
        assert!(error.contains("crawl.max_request") && error.contains("'crawl.max_requests'"), "{error}");
        let error = Layers::gather(None, env("HADAL_CRAWL_STRATEGIE", "x"), &[]).unwrap_err().to_string();
        assert!(error.contains("'HADAL_CRAWL_STRATEGY'"), "{error}");
    }

    #[test]
    fn a_list_is_repeated_or_an_array() {
        let header = |given: &[&str]| {
            let given = given.iter().map(|item| item.to_string()).collect();
            let flag = Override { key: "fetch.headers", flag: "--header", given };
            Layers::gather(None, vec![], &[flag]).unwrap().get("fetch.headers").0.clone()
        };
        assert_eq!(header(&["A: b, c", "D: e"]).as_array().unwrap().len(), 2);
        assert_eq!(header(&["[\"A: b\", \"C: d\", \"E: f\"]"]).as_array().unwrap().len(), 3);
    }

    #[test]
    fn the_file_in_force_can_be_read_back() {
        let layers = Layers::gather(None, env("HADAL_POLITENESS_CONTACT", "a\"b\\c"), &[]).unwrap();
        let again: Table = layers.effective_text().parse().unwrap();
        assert_eq!(again["politeness"]["contact"].as_str(), Some("a\"b\\c"));
        assert!(layers.effective_text().contains("# HADAL_POLITENESS_CONTACT"));
    }
}
