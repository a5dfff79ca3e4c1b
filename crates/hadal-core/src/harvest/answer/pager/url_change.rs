//! By how much the address of a link differs from the page's own.

use url::Url;

/// Where a link leads, seen from the page it stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UrlChange {
    /// The same address with one number larger, or with one that was not there.
    Onwards,
    /// The same with one number smaller.
    Backwards,
    /// The same path, with other differences.
    Same,
    /// Anywhere else.
    Elsewhere,
}

impl UrlChange {
    pub(super) fn between(here: &Url, there: &Url) -> UrlChange {
        if here.host_str() != there.host_str() {
            return UrlChange::Elsewhere;
        }
        let (mine, other) = (parts(here), parts(there));
        let changed: Vec<&(String, String)> = other.iter().filter(|part| !mine.contains(part)).collect();
        let has_path = here.path() == there.path();
        match changed[..] {
            [(name, value)] if is_number(value) => compare(&mine, name, value),
            // `/find` leads to `/find/page/2`.
            [(_, word), (_, value)] if !has_path && is_number(value) && word.starts_with(['p', 's']) => {
                UrlChange::Onwards
            }
            _ if has_path => UrlChange::Same,
            _ => UrlChange::Elsewhere,
        }
    }
}

fn compare(mine: &[(String, String)], name: &str, value: &str) -> UrlChange {
    let before = mine.iter().find(|(known, _)| known == name).map(|(_, value)| number(value));
    match (before, number(value)) {
        (None, _) => UrlChange::Onwards,
        (Some(Some(before)), Some(after)) if after > before => UrlChange::Onwards,
        (Some(Some(_)), Some(_)) => UrlChange::Backwards,
        _ => UrlChange::Same,
    }
}

/// Whether a link leads to the page it stands on.
pub(super) fn is_here(here: &Url, there: &Url) -> bool {
    let (mine, other) = (here.query().unwrap_or_default(), there.query().unwrap_or_default());
    here.host_str() == there.host_str() && here.path() == there.path() && mine == other
}

/// Parts of the path by position, parameters by name.
fn parts(url: &Url) -> Vec<(String, String)> {
    let path = url.path_segments().into_iter().flatten().enumerate();
    let path = path.map(|(nth, part)| (format!("/{nth}"), part.to_string()));
    let pairs = url.query_pairs().take(40).map(|(name, value)| (format!("?{name}"), value.into_owned()));
    path.take(20).chain(pairs).filter(|(_, value)| !value.is_empty()).collect()
}

fn is_number(value: &str) -> bool {
    number(value).is_some()
}

/// The number in a part such as `2`, `page-2`, `p2.html`.
pub(super) fn number(value: &str) -> Option<u64> {
    let start = value.find(|c: char| c.is_ascii_digit())?;
    let digits = value[start..].bytes().take_while(u8::is_ascii_digit).count();
    let rest = &value[start + digits..];
    let is_plain = value.len() <= 24 && !rest.bytes().any(|byte| byte.is_ascii_digit());
    value[start..start + digits].parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(here: &str, there: &str) -> UrlChange {
        let url = |path: &str| Url::parse(&format!("http://a.org{path}")).unwrap();
        UrlChange::between(&url(here), &url(there))
    }

    #[test]
    fn one_number_that_grows_is_a_step_onwards() {
        assert_eq!(step("/find?q=x", "/find?q=x&page=2"), UrlChange::Onwards);
        assert_eq!(step("/find?q=x&start=10", "/find?start=20&q=x"), UrlChange::Onwards);
        assert_eq!(step("/find?q=x&start=10", "/find?q=x&start=0"), UrlChange::Backwards);
        assert_eq!(step("/find/x/2", "/find/x/3"), UrlChange::Onwards);
        assert_eq!(step("/find/x", "/find/x/page/2"), UrlChange::Onwards);
        assert_eq!(step("/find?q=x", "/find?q=x&sort=date"), UrlChange::Same);
        assert_eq!(step("/find?q=x", "/about"), UrlChange::Elsewhere);
    }
}
