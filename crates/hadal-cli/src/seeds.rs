//! Reads seed and example URLs from arguments, files or standard input.

use super::exit::Usage;
use anyhow::Context;
use hadal_core::address::{TrackingParams, normalise};
use std::collections::HashSet;
use std::io::Read;
use url::Url;

/// Reads all sources in order, without duplicates.
pub fn read(sources: &[String]) -> anyhow::Result<Vec<Url>> {
    gather("seeds", sources)
}

/// Reads the sources of example pages, without duplicates.
pub fn examples(sources: &[String]) -> anyhow::Result<Vec<Url>> {
    gather("examples", sources)
}

fn gather(what: &str, sources: &[String]) -> anyhow::Result<Vec<Url>> {
    let mut all = Vec::new();
    for source in sources {
        all.extend(read_one(what, source)?);
    }
    let mut seen = HashSet::new();
    all.retain(|url: &Url| seen.insert(url.clone()));
    if all.is_empty() {
        return Err(Usage(format!("no {what}; give at least one URL")).into());
    }
    Ok(all)
}

fn read_one(what: &str, source: &str) -> anyhow::Result<Vec<Url>> {
    if source == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .with_context(|| format!("could not read {what} from standard input"))?;
        return Ok(parse("standard input", &String::from_utf8_lossy(&bytes))?);
    }
    if source.contains("://") {
        return Ok(vec![address(source)?]);
    }
    let bytes = std::fs::read(source).map_err(|error| {
        Usage(format!("{what} '{source}': {error} (a URL begins with http:// or https://)"))
    })?;
    Ok(parse(source, &String::from_utf8_lossy(&bytes))?)
}

fn parse(name: &str, text: &str) -> Result<Vec<Url>, Usage> {
    let parsed = lines(text).map(|(number, line)| {
        address(line).map_err(|Usage(message)| Usage(format!("{name}, line {number}: {message}")))
    });
    parsed.collect()
}

/// Lines with their numbers, without blank lines and comments.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let strip = |line: &'_ str| -> usize { line.find(" #").unwrap_or(line.len()) };
    text.trim_start_matches('\u{feff}')
        .lines()
        .map(move |line| line[..strip(line)].trim())
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn address(text: &str) -> Result<Url, Usage> {
    let url = Url::parse(text).ok().and_then(|url| normalise(url, TrackingParams::Strip));
    url.ok_or_else(|| Usage(format!("'{text}' is not a URL; write it as http://host/path")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_one_address_per_line_with_comments() {
        let text = "\u{feff}# seeds\nhttp://a.example/ # the first\n\n  https://b.example/x#part\r\n";
        let seeds = parse("seeds.txt", text).unwrap();
        assert_eq!(
            seeds.iter().map(Url::as_str).collect::<Vec<_>>(),
            ["http://a.example/", "https://b.example/x"]
        );
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = parse("seeds.txt", "http://a.example/\n\nb.example\n").unwrap_err().to_string();
        assert!(error.starts_with("seeds.txt, line 3: 'b.example'"), "{error}");
    }

    #[test]
    fn the_same_address_counts_once() {
        let twice = ["http://a.example/".to_string(), "HTTP://A.example:80/#x".to_string()];
        assert_eq!(read(&twice).unwrap().len(), 1);
    }

    #[test]
    fn seeds_that_are_neither_file_nor_address_are_refused() {
        for source in ["no/such/file", "b.example", "ftp://a.example/", "mailto://x"] {
            assert!(read(&[source.to_string()]).is_err(), "{source}");
        }
    }
}
