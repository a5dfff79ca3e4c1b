//! URL normalisation, and the site, host and politeness group of a URL.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_64;

/// Registrable domain (`example.co.uk`, `someone.github.io`), or the host for IP addresses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Site(pub String);

/// Scheme, name and port, as in `https://example.org`. robots.txt applies per host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Host(pub String);

/// Identity of a link: the hash of its normalised URL without session ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LinkId(pub u64);

impl LinkId {
    /// Identity of a URL, which must be normalised. Requests keep session ids, because some servers need them.
    pub fn of(url: &Url) -> LinkId {
        match without_session(url) {
            Some(plain) => LinkId::of_spelling(&plain),
            None => LinkId::of_spelling(url),
        }
    }

    /// Identity of one spelling of a URL, session ids included. Servers redirect a URL to itself with a session id.
    pub fn of_spelling(url: &Url) -> LinkId {
        LinkId(xxh3_64(url.as_str().as_bytes()))
    }
}

/// The URL without session ids in path and query; `None` if it has none.
fn without_session(url: &Url) -> Option<Url> {
    let is_session = |pair: &str| is_session_pair(pair);
    let path = url.path().contains(';').then(|| path_without_session(url.path()));
    let path = path.filter(|path| path != url.path());
    let query = url.query().filter(|query| query.split('&').any(is_session));
    if path.is_none() && query.is_none() {
        return None;
    }
    let mut plain = url.clone();
    if let Some(path) = path {
        plain.set_path(&path);
    }
    if let Some(query) = query {
        let kept: Vec<&str> = query.split('&').filter(|pair| !is_session(pair)).collect();
        plain.set_query((!kept.is_empty()).then(|| kept.join("&")).as_deref());
    }
    Some(plain)
}

/// Least length of a value that may be a session id, in bytes. Guess: the ids of common servers have 16 to
/// 40.
const MIN_SESSION_BYTES: usize = 16;

/// True for a parameter that holds a session id. Names such as `sid` also stand for stories and sections, so their
/// values decide.
fn is_session_pair(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let has = |prefix: &str| name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let is_token = || {
        value.len() >= MIN_SESSION_BYTES
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && value.bytes().any(|byte| byte.is_ascii_digit())
    };
    is_session_name(name)
        && (["jsessionid", "phpsessid", "aspsessionid", "cftoken"].into_iter().any(has) || is_token())
}

/// Path of a URL without session ids.
pub(crate) fn path_without_session(path: &str) -> String {
    let keep = |part: &&str| !is_session_name(name_of(part));
    let clean = |segment: &str| segment.split(';').filter(keep).collect::<Vec<_>>().join(";");
    path.split('/').map(clean).collect::<Vec<_>>().join("/")
}

/// Path of a URL as people read it: without percent-encoding.
pub fn readable_path(url: &Url) -> Cow<'_, str> {
    let path = url.path();
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let pair = format!("={}", path.replace('+', "%2B").replace('&', "%26"));
    Cow::Owned(url::form_urlencoded::parse(pair.as_bytes()).map(|(_, value)| value.into_owned()).collect())
}

impl Site {
    /// Site of a URL; empty for URLs without a host.
    pub fn of(url: &Url) -> Site {
        let Some(host) = url.host_str() else { return Site(String::new()) };
        if url.domain().is_none() {
            return Site(host.to_string());
        }
        let name = host.trim_end_matches('.');
        Site(psl::domain_str(name).unwrap_or(name).to_string())
    }
}

impl Host {
    /// Host of a URL, without user name and password.
    pub fn of(url: &Url) -> Host {
        let has_no_user = url.username().is_empty() && url.password().is_none();
        match matches!(url.scheme(), "http" | "https") && has_no_user {
            true => Host(url[..Position::AfterPort].to_string()),
            false => Host(url.origin().ascii_serialization()),
        }
    }

    /// Site of the host.
    pub fn site(&self) -> Site {
        Url::parse(&self.0).map_or_else(|_| Site(self.0.clone()), |url| Site::of(&url))
    }

    /// Politeness group by name, used while the IP address is unknown: the registrable domain, or the suffix of a
    /// hosting service such as `github.io`.
    pub fn politeness_group(&self) -> String {
        let site = self.site().0;
        let suffix = psl::suffix(site.as_bytes()).filter(|suffix| suffix.typ() == Some(psl::Type::Private));
        let service = suffix.and_then(|suffix| std::str::from_utf8(suffix.as_bytes()).ok().map(String::from));
        service.unwrap_or(site)
    }
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::fmt::Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// File name extensions of formats that are not pages: images, audio and video, documents, archives,
/// programs, data, styles and fonts. Formats that servers may also render as pages (`xml`, `md`, `svg`) are
/// left out.
const FILE_EXTENSIONS: [&str; 91] = [
    "jpg", "jpeg", "jpe", "png", "gif", "bmp", "ico", "webp", "avif", "tif", "tiff", "psd", "eps",
    "heic", //
    "mp3", "mp4", "m4a", "m4v", "wav", "ogg", "oga", "ogv", "flac", "aac", "wma", "wmv", "avi", "mov", "mkv",
    "webm", "mpg", "mpeg", "flv", "swf", "mid", "midi", "ram", "3gp", //
    "pdf", "ps", "doc", "docx", "docm", "dot", "xls", "xlsx", "xlsm", "ppt", "pptx", "pps", "ppsx", "odt",
    "ods", "odp", "rtf", "epub", "mobi", "djvu", "dvi", "txt", "csv", "tsv", //
    "zip", "gz", "tgz", "bz2", "xz", "tar", "rar", "7z", "z", "lzh", "zst", //
    "exe", "msi", "dmg", "apk", "deb", "rpm", "jar", "iso", "bin", "dll", //
    "css", "js", "json", "woff", "woff2", "ttf", "otf", "eot",
];

/// Extensions of programs that servers may execute.
const PROGRAM_EXTENSIONS: [&str; 3] = ["exe", "dll", "bin"];
/// Folders of programs that servers execute, apart from those with names that start with `cgi`.
const PROGRAM_FOLDERS: [&str; 3] = ["scripts", "bin", "isapi"];

/// True if the last part of the path names a file of a format that is not a page. `File:Map.png` is the page
/// of a wiki, and `/cgi-bin/find.exe` a program that the server executes.
pub fn names_file(url: &Url) -> bool {
    let name = url.path().rsplit('/').next().unwrap_or_default();
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_wiki_page = stem.contains(':') || stem.contains("%3A") || stem.contains("%3a");
    let is_one_of = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(extension));
    let is_executed = is_one_of(&PROGRAM_EXTENSIONS) && (url.query().is_some() || has_program_folder(url));
    !is_wiki_page && !is_executed && is_one_of(&FILE_EXTENSIONS)
}

fn has_program_folder(url: &Url) -> bool {
    let is_program_folder = |folder: &str| {
        folder.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("cgi"))
            || PROGRAM_FOLDERS.iter().any(|known| known.eq_ignore_ascii_case(folder))
    };
    url.path_segments().into_iter().flatten().any(is_program_folder)
}

/// Treatment of tracking parameters by [`normalise`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrackingParams {
    /// Parameters that only track users (`utm_source`, `gclid`, ...) are removed.
    Strip,
    /// All parameters are kept.
    Keep,
}

/// Longest URL in bytes; longer ones usually come from crawler traps. Guess.
pub const MAX_URL_BYTES: usize = 2000;

/// Normalises a URL: no fragment, user name or password, no trailing dot of the host, no empty query. Returns `None`
/// for URLs that are not http(s), lack a host or are too long.
pub fn normalise(mut url: Url, tracking: TrackingParams) -> Option<Url> {
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return None;
    }
    url.set_fragment(None);
    if !url.username().is_empty() || url.password().is_some() {
        url.set_username("").ok()?;
        url.set_password(None).ok()?;
    }
    if let Some(name) = url.domain().and_then(|name| name.strip_suffix('.')) {
        let name = name.to_string();
        url.set_host(Some(&name)).ok()?;
    }
    if tracking == TrackingParams::Strip && url.query().is_some_and(has_tracking) {
        strip_tracking(&mut url);
    }
    if url.query() == Some("") {
        url.set_query(None);
    }
    (url.as_str().len() <= MAX_URL_BYTES).then_some(url)
}

fn has_tracking(query: &str) -> bool {
    query.split('&').any(|pair| is_tracking(name_of(pair)))
}

fn strip_tracking(url: &mut Url) {
    let query = url.query().unwrap_or_default();
    let kept: Vec<&str> = query.split('&').filter(|pair| !is_tracking(name_of(pair))).collect();
    let kept = kept.join("&");
    url.set_query((!kept.is_empty()).then_some(&kept));
}

fn name_of(pair: &str) -> &str {
    pair.split('=').next().unwrap_or_default()
}

fn is_tracking(name: &str) -> bool {
    const NAMES: [&str; 13] = [
        "gclid", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid",
        "_hsenc", "_hsmi", "vero_id",
    ];
    name.starts_with("utm_") || NAMES.contains(&name)
}

/// Returns true for names of session parameters, as in `;jsessionid=` or `PHPSESSID=`.
pub fn is_session_name(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "jsessionid",
        "phpsessid",
        "sessionid",
        "session_id",
        "sid",
        "aspsessionid",
        "cfid",
        "cftoken",
        "osid",
    ];
    let starts_so = |prefix: &str| name.get(..prefix.len()).is_some_and(|n| n.eq_ignore_ascii_case(prefix));
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name)) || starts_so("aspsessionid")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(text: &str) -> Option<String> {
        normalise(Url::parse(text).ok()?, TrackingParams::Strip).map(String::from)
    }

    #[test]
    fn files_are_known_by_their_extension() {
        let is_file = |address| names_file(&Url::parse(address).unwrap());
        assert!(is_file("http://a.org/photos/beach.JPG") && is_file("http://a.org/terms.pdf?v=2"));
        assert!(is_file("http://a.org/x.tar.gz"));
        assert!(!is_file("http://a.org/search.php?file=x.pdf") && !is_file("http://a.org/v1.2"));
        assert!(
            !is_file("http://a.org/wiki/File:Map.png")
                && !is_file("http://a.org/pdf")
                && !is_file("http://a.jpg")
        );
    }

    #[test]
    fn programs_that_servers_execute_are_no_files() {
        let is_file = |address: &str| names_file(&Url::parse(address).unwrap());
        for page in ["/cgi-bin/find.exe", "/scripts/find.dll?lang=en", "/catalogue.exe?q=1", "/ISAPI/x.dll"] {
            assert!(!is_file(&format!("http://a.org{page}")), "{page}");
        }
        assert!(is_file("http://a.org/downloads/setup.exe") && is_file("http://a.org/cgi-bin/map.jpg?x=1"));
    }

    #[test]
    fn urls_that_differ_by_their_session_are_one_link() {
        let id = |address: &str| LinkId::of(&Url::parse(&format!("http://a.org{address}")).unwrap());
        for (one, other) in [
            ("/s.html?PHPSESSID=1", "/s.html"),
            ("/s;jsessionid=A1?p=2", "/s;jsessionid=B2?p=2"),
            ("/s?a=1&sid=0123456789abcdef01&b=2", "/s?a=1&b=2"),
        ] {
            assert_eq!(id(one), id(other), "{one}");
        }
        for (one, other) in
            [("/story?sid=1", "/story?sid=2"), ("/story?sid=1", "/story"), ("/s;a=1", "/s;a=2")]
        {
            assert_ne!(id(one), id(other), "{one}");
        }
        let url = Url::parse("http://a.org/s;jsessionid=A1").unwrap();
        assert_ne!(LinkId::of(&url), LinkId::of_spelling(&url));
    }

    #[test]
    fn a_readable_path_has_no_percent_encoding() {
        let read = |address: &str| readable_path(&Url::parse(address).unwrap()).into_owned();
        assert_eq!(read("http://a.org/h%C3%B4tels%20&+x/y"), "/hôtels &+x/y");
    }

    #[test]
    fn spellings_of_one_url_are_normalised_alike() {
        let same = "http://example.org/a?b=1";
        for spelling in [
            "HTTP://EXAMPLE.org:80/a?b=1#part",
            "http://user:secret@example.org./a?b=1",
            "http://example.org/x/../a?utm_source=mail&b=1&gclid=7",
            "http://example.org/%61?b=1",
        ] {
            let spelling = spelling.replace("%61", "a");
            assert_eq!(normal(&spelling).as_deref(), Some(same), "{spelling}");
        }
    }

    #[test]
    fn other_schemes_and_long_urls_are_rejected() {
        for text in ["mailto:a@b.org", "javascript:void(0)", "ftp://a.org/", "data:text/html,x"] {
            assert_eq!(normal(text), None, "{text}");
        }
        assert_eq!(normal(&format!("http://a.org/{}", "x/".repeat(1000))), None);
    }

    #[test]
    fn sites_follow_the_public_suffix_list_with_its_private_part() {
        for (url, site) in [
            ("http://www.books.example.co.uk/", "example.co.uk"),
            ("http://someone.github.io/x", "someone.github.io"),
            ("http://192.168.0.1/", "192.168.0.1"),
            ("http://[::1]/", "[::1]"),
            ("http://localhost/", "localhost"),
            ("http://a.b.example.com./", "example.com"),
        ] {
            assert_eq!(Site::of(&Url::parse(url).unwrap()).0, site);
        }
    }

    #[test]
    fn a_host_is_scheme_name_and_port() {
        assert_eq!(Host::of(&Url::parse("https://a.org:443/x").unwrap()).0, "https://a.org");
        assert_eq!(Host::of(&Url::parse("http://a.org:8443/").unwrap()).0, "http://a.org:8443");
        for url in
            ["http://me:secret@a.org:80/x@y", "http://[::1]:8080?q", "ftp://b.org/", "file:///x", "data:x"]
        {
            let url = Url::parse(url).unwrap();
            assert_eq!(Host::of(&url).0, url.origin().ascii_serialization());
        }
    }

    #[test]
    fn hosts_of_one_domain_or_hosting_service_form_a_politeness_group() {
        let group = |url: &str| Host::of(&Url::parse(url).unwrap()).politeness_group();
        assert_eq!(group("http://www.shop.co.uk/"), group("https://shop.co.uk/"));
        assert_eq!(group("https://one.github.io/"), group("https://two.github.io/"));
        assert_ne!(group("http://one.co.uk/"), group("http://two.co.uk/"));
        assert_eq!(group("http://127.0.0.1:80/"), "127.0.0.1");
    }
}
