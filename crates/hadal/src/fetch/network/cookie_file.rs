//! `--cookies FILE`: cookie files in Netscape format, as written by curl and by browser add-ons.

use super::cookies::{CookieJar, StoredCookie};
use hadal_core::address::Site;
use hadal_core::time::Time;
use url::Url;

/// A line that cannot be parsed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line}: expected 7 fields separated by tabs (domain, subdomains, path, secure, expiry, name, value){hint}"
)]
pub struct CookieFileError {
    /// Line number, counted from 1.
    pub line: usize,
    hint: &'static str,
}

impl CookieJar {
    /// Parses a cookie file. Expired cookies are left out.
    pub fn from_netscape(text: &str, now: Time) -> Result<CookieJar, CookieFileError> {
        let mut jar = CookieJar::default();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim_end_matches('\r');
            let line = line.strip_prefix("#HttpOnly_").unwrap_or(line);
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let (site, cookie) = read(line).map_err(|hint| CookieFileError { line: at + 1, hint })?;
            jar.put(site, cookie, now);
        }
        Ok(jar)
    }
}

fn read(line: &str) -> Result<(Site, StoredCookie), &'static str> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [domain, subdomains, path, secure, expires, name, value] = fields[..] else {
        return Err("");
    };
    let domain = domain.trim_start_matches('.').to_ascii_lowercase();
    let url = Url::parse(&format!("http://{domain}/")).map_err(|_| "; the domain is invalid")?;
    let expires: u64 = expires.parse().map_err(|_| "; the expiry is not a number of seconds")?;
    if name.is_empty() || value.contains(|c: char| c.is_ascii_control()) {
        return Err("; name or value cannot be sent");
    }
    let yes = |field: &str| field.eq_ignore_ascii_case("TRUE");
    let cookie = StoredCookie {
        name: name.to_string(),
        value: value.to_string(),
        domain,
        host_only: !yes(subdomains),
        path: path.to_string(),
        secure: yes(secure),
        expires: (expires > 0).then_some(Time(expires.saturating_mul(1000))),
    };
    Ok((Site::of(&url), cookie))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_700_000_000_000);

    fn sent(jar: &CookieJar, url: &str) -> Option<String> {
        jar.line_for(&Url::parse(url).unwrap(), NOW)
    }

    #[test]
    fn a_cookie_file_is_read() {
        let text = "# Netscape HTTP Cookie File\r\n\
            .example.org\tTRUE\t/\tFALSE\t0\tsession\tabc\r\n\
            #HttpOnly_shop.example.org\tFALSE\t/a\tTRUE\t1900000000\ttoken\txyz\n\
            \n\
            example.org\tFALSE\t/\tFALSE\t1\tgone\tx\n";
        let jar = CookieJar::from_netscape(text, NOW).unwrap();
        assert_eq!(sent(&jar, "https://shop.example.org/a").as_deref(), Some("token=xyz; session=abc"));
        assert_eq!(sent(&jar, "http://www.example.org/").as_deref(), Some("session=abc"));
    }

    #[test]
    fn an_invalid_line_is_named() {
        for bad in ["just words", "a.example\tTRUE\t/\tFALSE\tnever\tn\tv", "a b\tTRUE\t/\tFALSE\t0\tn\tv"] {
            let error = CookieJar::from_netscape(&format!("# head\n{bad}\n"), NOW).unwrap_err();
            assert_eq!(error.line, 2);
            assert!(error.to_string().contains("7 fields"), "{error}");
        }
    }
}
