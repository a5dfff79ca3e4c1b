//! Searches that a script carries out: a box without a form, answers as data.
//!
//! The browser is in `hadal::render`. The decisions are here, without IO:
//!
//! 1. [`rendering`]: which pages are worth a browser.
//! 2. [`request_rules`]: which requests of a page are answered, and which are refused.
//! 3. [`openers`]: which control of the page shows a box when it is clicked.
//! 4. [`search_box`]: which box of the rendered page takes query words.
//! 5. [`request_learning`]: the request that carried a typed word becomes a form with source `script`
//!    ([`crate::submission::request_template`]), which is harvested without a browser. Its [`tokens`] are those of the
//!    page as it is at the time.

pub mod openers;
pub mod rendering;
pub mod request_learning;
pub mod request_rules;
pub mod search_box;
pub mod tokens;
pub mod trackers;

use crate::http::{Headers, Method, Request};
use url::Url;

/// Request that a page makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// HTTP method in capital letters.
    pub method: String,
    /// Target, without a fragment.
    pub url: Url,
    /// Header lines of the browser and of the script.
    pub headers: Headers,
    /// Body of the request.
    pub body: Vec<u8>,
    /// Use of the answer.
    pub kind: ResourceKind,
}

impl PageRequest {
    /// The request as hadal sends it, with the header lines that the script added.
    pub fn to_request(&self) -> Request {
        let method = if self.method == "POST" { Method::Post } else { Method::Get };
        let headers =
            Headers(self.headers.0.iter().filter(|(name, _)| is_own_header(name)).cloned().collect());
        Request { method, headers, body: self.body.clone(), ..Request::get(self.url.clone()) }
    }

    /// True if the URL or the body contains the word.
    pub fn carries(&self, word: &str) -> bool {
        let body = String::from_utf8_lossy(&self.body).to_lowercase();
        self.url.as_str().to_lowercase().contains(word) || body.contains(word)
    }
}

/// True for header lines that a script sets. The others describe the browser, which sends nothing itself.
fn is_own_header(name: &str) -> bool {
    const BROWSER: [&str; 12] = [
        "accept-encoding",
        "accept-language",
        "cache-control",
        "connection",
        "content-length",
        "cookie",
        "host",
        "origin",
        "pragma",
        "referer",
        "upgrade-insecure-requests",
        "user-agent",
    ];
    let name = name.to_ascii_lowercase();
    !BROWSER.contains(&name.as_str()) && !name.starts_with("sec-")
}

/// Use of a resource by a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// The page itself, a frame, or a page that replaces it.
    Document,
    /// Code of the page.
    Script,
    /// Style sheet (CSS).
    Stylesheet,
    /// Answer to a script.
    Data,
    /// Image, font, sound, video, stream, or a report that no script reads.
    Unneeded,
}

impl ResourceKind {
    /// Kind by its name in the DevTools protocol.
    pub fn of(name: &str) -> ResourceKind {
        match name {
            "Document" => ResourceKind::Document,
            "Script" => ResourceKind::Script,
            "Stylesheet" => ResourceKind::Stylesheet,
            "XHR" | "Fetch" | "Other" => ResourceKind::Data,
            _ => ResourceKind::Unneeded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Request of a script.
    pub fn data_request(method: &str, url: &str, body: &str) -> PageRequest {
        PageRequest {
            method: method.into(),
            url: Url::parse(url).unwrap(),
            headers: Headers::default(),
            body: body.as_bytes().to_vec(),
            kind: ResourceKind::Data,
        }
    }

    #[test]
    fn headers_of_the_browser_are_not_sent() {
        let mut request = data_request("POST", "http://a.org/find", "{}");
        for name in ["User-Agent", "Sec-Fetch-Mode", "Cookie", "X-Requested-With", "Content-Type"] {
            request.headers.push(name, "x");
        }
        let names: Vec<String> = request.to_request().headers.0.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["X-Requested-With", "Content-Type"]);
    }
}
