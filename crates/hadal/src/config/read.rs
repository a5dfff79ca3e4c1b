//! Checks each effective value and builds the [`Config`].

use super::ConfigError;
use super::KnownNames;
use super::layers::Layers;
use super::{
    Config, ConnectTo, CrawlConfig, FetchConfig, HarvestConfig, Politeness, PolitenessConfig, Prior,
    StoreConfig, Timeouts, units,
};
use crate::backlinks::source::{EXPECTED, Source};
use crate::choice::{Choice, nearest};
use crate::engine::{ProbeWhen, Probing};
use crate::output::terminal::Color;
use crate::render::RenderMode;
use crate::topic::TopicFolder;
use hadal_core::harvest::session::DetailMode;
use std::path::PathBuf;
use std::time::Duration;
use toml::Value;

type Checked<T> = Result<T, ConfigError>;

impl Config {
    /// Checks all values. Returns the first error.
    pub fn check(layers: &Layers, known: &KnownNames) -> Checked<Config> {
        Ok(Config {
            crawl: crawl(layers, known)?,
            politeness: politeness(layers)?,
            fetch: fetch(layers)?,
            probe: probe(layers)?,
            harvest: harvest(layers, known)?,
            store: StoreConfig {
                url: layers.word("store.url", "a store, as file:DIR or postgres://USER@HOST/DATABASE")?,
                group_commit: group_commit(layers)?,
            },
            topics: TopicFolder(layers.word("topics.folder", "a folder")?.into()),
            models: layers.folder("models.folder")?,
            render_crawls: render(layers, "render.crawls")?,
            render_harvests: render(layers, "render.harvests")?,
            thumbnails: layers.new_folder("render.thumbnails")?,
            color: color(layers)?,
        })
    }
}

fn crawl(layers: &Layers, known: &KnownNames) -> Checked<CrawlConfig> {
    Ok(CrawlConfig {
        strategy: one_of(layers, "crawl.strategy", "a strategy", known.strategies.iter().copied())?,
        max_requests: layers.limit("crawl.max_requests", "a number above 0, or \"none\"", above_zero)?,
        max_bytes: layers.limit("crawl.max_bytes", "a size as \"500MB\", or \"none\"", bytes)?,
        max_time: layers.limit("crawl.max_time", "a time as \"2h\", or \"none\"", positive_time)?,
        concurrency: layers.read("crawl.concurrency", "a number from 1 to 1024", |value| {
            whole(value).filter(|number| (1..=1024).contains(number)).map(|number| number as usize)
        })?,
        max_depth: layers.limit("crawl.max_depth", "a number up to 65535, or \"none\"", small)?,
        max_pages_per_site: layers.limit(
            "crawl.max_pages_per_site",
            "a number above 0, or \"none\"",
            |value| above_zero(value).and_then(|number| number.try_into().ok()),
        )?,
        include: layers.list("crawl.include", "a URL pattern as \"*://*.example.org/*\"", pattern)?,
        exclude: layers.list("crawl.exclude", "a URL pattern as \"*://*.example.org/*\"", pattern)?,
        block_hosts: layers.path("crawl.block_hosts")?,
        backlinks: layers.read("crawl.backlinks", EXPECTED, |value| Source::list(value.as_str()?))?,
        prior: layers.read("crawl.prior", "a run number, auto or none", prior)?,
    })
}

fn prior(value: &Value) -> Option<Prior> {
    match value.as_str() {
        Some("none") => Some(Prior::None),
        Some("auto") => Some(Prior::Auto),
        _ => above_zero(value).map(Prior::Run),
    }
}

fn politeness(layers: &Layers) -> Checked<PolitenessConfig> {
    let factor = |value: &Value| number(value).filter(|number| (0.0..=1000.0).contains(number));
    let contact = layers.read("politeness.contact", "an address or a page, in one line", header_text)?;
    Ok(PolitenessConfig {
        delays: Politeness {
            delay: layers.read("politeness.delay", "a time as \"1s\" or \"500ms\"", time)?,
            latency_factor: layers.read("politeness.latency_factor", "a number from 0 to 1000", factor)?,
            max_delay: layers.read("politeness.max_delay", "a time as \"30s\"", time)?,
        },
        user_agent: layers.read("politeness.user_agent", "a name as \"hadal/1.0\"", |value| {
            header_text(value).filter(|text| !text.is_empty())
        })?,
        contact: Some(contact).filter(|text| !text.is_empty()),
    })
}

fn timeouts(layers: &Layers) -> Checked<Timeouts> {
    let read = |key| layers.read(key, "a time above 0, as \"10s\"", positive_time);
    Ok(Timeouts {
        dns: read("fetch.dns_timeout")?,
        connect: read("fetch.connect_timeout")?,
        answer: read("fetch.answer_timeout")?,
        stall: read("fetch.stall_timeout")?,
        total: read("fetch.total_timeout")?,
    })
}

fn fetch(layers: &Layers) -> Checked<FetchConfig> {
    Ok(FetchConfig {
        timeouts: timeouts(layers)?,
        body_limit: layers.read("fetch.body_limit", "a size from 1kB to 1GB, as \"4MiB\"", |value| {
            bytes(value).filter(|bytes| (1_000..=1 << 30).contains(bytes))
        })?,
        allow_private: layers.read("fetch.allow_private", "true or false", Value::as_bool)?,
        connect_to: layers
            .list::<ConnectTo>("fetch.connect_to", "PATTERN=HOST:PORT", |text| text.parse().ok())?,
        headers: layers.list("fetch.headers", "a header line as \"Name: value\"", header)?,
        ca_file: layers.path("fetch.ca_file")?,
        cookies: layers.path("fetch.cookies")?,
    })
}

fn probe(layers: &Layers) -> Checked<Probing> {
    let unit = |value: &Value| number(value).filter(|number| (0.0..=1.0).contains(number));
    let read = |key| layers.read(key, "a number from 0 to 1", unit);
    let from = read("probe.from")? as f32;
    let above = |value: &Value| unit(value).map(|to| to as f32).filter(|to| *to >= from);
    Ok(Probing {
        when: probe_when(layers)?,
        share: read("probe.share")?,
        from,
        to: layers.read("probe.to", "a number from probe.from to 1", above)?,
        per_site: layers.read("probe.per_site", "a whole number", |value| whole(value)?.try_into().ok())?,
    })
}

fn probe_when(layers: &Layers) -> Checked<ProbeWhen> {
    let read = |value: &Value| ProbeWhen::from_name(value.as_str()?);
    let checked = layers.read("probe.when", "never or uncertain", read);
    layers.suggest("probe.when", ["never", "uncertain"], checked)
}

fn harvest(layers: &Layers, known: &KnownNames) -> Checked<HarvestConfig> {
    let unit = |value: &Value| number(value).filter(|number| (0.0..=1.0).contains(number));
    let some = "a number above 0, or \"none\"";
    Ok(HarvestConfig {
        policy: one_of(layers, "harvest.policy", "a policy", known.policies.iter().copied())?,
        target_coverage: layers.read("harvest.target_coverage", "a number from 0 to 1", unit)?,
        details: details(layers)?,
        max_requests: layers.limit("harvest.max_requests", some, above_zero)?,
        max_bytes: layers.limit("harvest.max_bytes", "a size as \"500MB\", or \"none\"", bytes)?,
        max_time: layers.limit("harvest.max_time", "a time as \"2h\", or \"none\"", positive_time)?,
        max_records: layers.limit("harvest.max_records", some, above_zero)?,
        concurrency: layers.read("harvest.concurrency", "a number from 1 to 1024", |value| {
            whole(value).filter(|number| (1..=1024).contains(number)).map(|number| number as usize)
        })?,
    })
}

fn details(layers: &Layers) -> Checked<DetailMode> {
    let read = |value: &Value| match value.as_str()? {
        "never" => Some(DetailMode::Never),
        "auto" => Some(DetailMode::Auto),
        "always" => Some(DetailMode::Always),
        _ => None,
    };
    let checked = layers.read("harvest.details", "never, auto or always", read);
    layers.suggest("harvest.details", ["never", "auto", "always"], checked)
}

fn render(layers: &Layers, key: &'static str) -> Checked<RenderMode> {
    let read = |value: &Value| RenderMode::from_name(value.as_str()?);
    let checked = layers.read(key, "never, auto or always", read);
    layers.suggest(key, ["never", "auto", "always"], checked)
}

fn group_commit(layers: &Layers) -> Checked<Duration> {
    let most = Duration::from_millis(100);
    layers.read("store.group_commit", "a time up to 100ms", |value| time(value).filter(|time| *time <= most))
}

/// Name from a fixed list; errors suggest the nearest name.
fn one_of<'n>(
    layers: &Layers,
    key: &'static str,
    what: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> Checked<String> {
    let expected = format!("{what} ({})", names.clone().collect::<Vec<_>>().join(", "));
    let known = |value: &Value| names.clone().find(|name| value.as_str() == Some(name)).map(String::from);
    layers.suggest(key, names.clone(), layers.read(key, &expected, known))
}

fn color(layers: &Layers) -> Checked<Color> {
    let read = |value: &Value| Color::from_name(value.as_str()?);
    let checked = layers.read("output.color", "auto, always or never", read);
    layers.suggest("output.color", ["auto", "always", "never"], checked)
}

impl Layers {
    fn read<T>(&self, key: &'static str, expected: &str, read: impl Fn(&Value) -> Option<T>) -> Checked<T> {
        let (value, origin) = self.get(key);
        read(value).ok_or_else(|| ConfigError::Impossible {
            key,
            origin: origin.clone(),
            value: value.to_string(),
            expected: expected.to_string(),
            suggestion: None,
        })
    }

    fn limit<T>(
        &self,
        key: &'static str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Checked<Option<T>> {
        let none = |value: &Value| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("none"));
        self.read(key, expected, |value| if none(value) { Some(None) } else { read(value).map(Some) })
    }

    fn list<T>(
        &self,
        key: &'static str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Checked<Vec<T>> {
        let expected = format!("a list, each item {expected}");
        self.read(key, &expected, |value| value.as_array()?.iter().map(|item| read(item.as_str()?)).collect())
    }

    fn word(&self, key: &'static str, expected: &str) -> Checked<String> {
        self.read(key, expected, |value| value.as_str().filter(|text| !text.is_empty()).map(String::from))
    }

    fn path(&self, key: &'static str) -> Checked<Option<PathBuf>> {
        self.read(key, "a file that exists, or \"\" for none", |value| match value.as_str()? {
            "" => Some(None),
            path => Some(PathBuf::from(path)).filter(|path| path.is_file()).map(Some),
        })
    }

    fn folder(&self, key: &'static str) -> Checked<Option<PathBuf>> {
        self.read(key, "a folder that exists, or \"\" for none", |value| match value.as_str()? {
            "" => Some(None),
            path => Some(PathBuf::from(path)).filter(|path| path.is_dir()).map(Some),
        })
    }

    /// A folder that is created when it is needed.
    fn new_folder(&self, key: &'static str) -> Checked<Option<PathBuf>> {
        self.read(key, "a folder, or \"\" for none", |value| {
            Some(value.as_str().filter(|path| !path.is_empty()).map(PathBuf::from))
        })
    }

    fn suggest<'a, T>(
        &self,
        key: &str,
        names: impl IntoIterator<Item = &'a str>,
        checked: Checked<T>,
    ) -> Checked<T> {
        checked.map_err(|mut error| {
            if let (ConfigError::Impossible { suggestion, .. }, Some(text)) =
                (&mut error, self.get(key).0.as_str())
            {
                *suggestion = nearest(text, names).map(String::from);
            }
            error
        })
    }
}

/// Number with or without decimals.
fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
}

/// Integer, also from text.
fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Integer(number) => u64::try_from(*number).ok(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

fn above_zero(value: &Value) -> Option<u64> {
    whole(value).filter(|number| *number > 0)
}

fn small(value: &Value) -> Option<u16> {
    whole(value)?.try_into().ok()
}

fn bytes(value: &Value) -> Option<u64> {
    whole(value).or_else(|| units::size(value.as_str()?)).filter(|bytes| *bytes > 0)
}

fn time(value: &Value) -> Option<Duration> {
    units::duration(value.as_str()?)
}

fn positive_time(value: &Value) -> Option<Duration> {
    time(value).filter(|time| !time.is_zero())
}

fn pattern(text: &str) -> Option<String> {
    globset::Glob::new(text).ok().filter(|_| !text.is_empty()).map(|_| text.to_string())
}

fn header_text(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    http::HeaderValue::from_str(text).ok().map(|_| text.to_string())
}

fn header(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    http::HeaderName::try_from(name).ok()?;
    http::HeaderValue::from_str(value).ok()?;
    Some((name.to_string(), value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(key: &'static str, given: &str) -> Checked<Config> {
        let flag = crate::config::Override { key, flag: "--flag", given: vec![given.to_string()] };
        Config::check(&Layers::gather(None, vec![], &[flag])?, &KnownNames::built_in())
    }

    #[test]
    fn the_defaults_are_possible() {
        let config =
            Config::check(&Layers::gather(None, vec![], &[]).unwrap(), &KnownNames::built_in()).unwrap();
        assert_eq!(config.crawl.max_requests, Some(10_000));
        assert_eq!(config.crawl.max_time, None);
    }

    #[test]
    fn impossible_values_name_their_key() {
        for (key, value) in [
            ("crawl.strategy", "fastest"),
            ("crawl.max_requests", "0"),
            ("crawl.max_requests", "-4"),
            ("crawl.max_requests", "many"),
            ("crawl.max_bytes", "4 apples"),
            ("crawl.max_time", "0s"),
            ("crawl.concurrency", "0"),
            ("crawl.concurrency", "5000"),
            ("crawl.max_depth", "70000"),
            ("crawl.include", "http://["),
            ("crawl.block_hosts", "no/such/file"),
            ("crawl.backlinks", "google"),
            ("crawl.backlinks", "own,,none"),
            ("crawl.prior", "last"),
            ("crawl.prior", "0"),
            ("politeness.delay", "5"),
            ("politeness.latency_factor", "nan"),
            ("politeness.user_agent", ""),
            ("politeness.contact", "two\nlines"),
            ("fetch.body_limit", "1"),
            ("fetch.allow_private", "perhaps"),
            ("fetch.connect_to", "a.example=host"),
            ("fetch.connect_to", "a.example=host:0"),
            ("fetch.headers", "no colon"),
            ("probe.when", "always"),
            ("probe.share", "1.5"),
            ("probe.from", "-0.1"),
            ("probe.to", "0.1"),
            ("probe.per_site", "few"),
            ("harvest.policy", "greedy"),
            ("harvest.target_coverage", "1.5"),
            ("harvest.details", "some"),
            ("harvest.max_requests", "0"),
            ("harvest.max_records", "few"),
            ("harvest.concurrency", "0"),
            ("store.group_commit", "1s"),
            ("topics.folder", ""),
            ("models.folder", "no/such/folder"),
            ("render.crawls", "some"),
            ("render.harvests", "some"),
            ("output.color", "blue"),
        ] {
            let error = checked(key, value).expect_err(key).to_string();
            assert!(error.contains(&format!("'{key}' (from --flag)")), "{error}");
        }
    }

    #[test]
    fn a_misspelt_strategy_is_guessed() {
        let error = checked("crawl.strategy", "bredth-first").unwrap_err().to_string();
        assert!(error.ends_with("did you mean 'breadth-first'?"), "{error}");
    }

    #[test]
    fn limits_can_be_lifted() {
        assert_eq!(checked("crawl.max_requests", "none").unwrap().crawl.max_requests, None);
        assert_eq!(checked("crawl.max_depth", "3").unwrap().crawl.max_depth, Some(3));
        assert_eq!(checked("crawl.max_bytes", "1kB").unwrap().crawl.max_bytes, Some(1000));
    }

    #[test]
    fn a_prior_run_is_named_by_its_number() {
        for (text, prior) in [("none", Prior::None), ("auto", Prior::Auto), ("12", Prior::Run(12))] {
            assert_eq!(checked("crawl.prior", text).unwrap().crawl.prior, prior);
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_parts_they_configure() {
        let config =
            Config::check(&Layers::gather(None, vec![], &[]).unwrap(), &KnownNames::built_in()).unwrap();
        assert_eq!(config.politeness.delays, Politeness::default());
        assert_eq!(config.fetch.timeouts, Timeouts::default());
        assert_eq!(config.probe, Probing::default());
        assert_eq!(config.fetch.body_limit, hadal_core::http::DEFAULT_BODY_LIMIT);
    }
}
