//! Selection of bodies to download, by content type.

use crate::fetch::wildcard;

/// True when a content type matches an accepted pattern. A missing or malformed one counts as accepted.
pub(super) fn is_wanted(content_type: Option<&str>, accepted: &[String]) -> bool {
    let essence = content_type.unwrap_or_default().split([';', ',']).next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    let is_wanted = |pattern: &String| wildcard::matches(pattern.as_bytes(), essence.as_bytes());
    !essence.contains('/') || accepted.iter().any(is_wanted)
}

#[cfg(test)]
mod tests {
    use super::is_wanted;
    use crate::fetch::network::NetworkOptions;

    #[test]
    fn documents_are_downloaded_and_media_are_not() {
        let accepted = NetworkOptions::default().accepted;
        for wanted in [
            None,
            Some(""),
            Some("html"),
            Some("text/html"),
            Some("Text/HTML; charset=utf-8"),
            Some("application/xhtml+xml"),
            Some("application/rss+xml"),
            Some("application/ld+json"),
            Some("text/plain,text/html"),
        ] {
            assert!(is_wanted(wanted, &accepted), "{wanted:?}");
        }
        for unwanted in
            ["image/png", "image/svg+xml", "application/pdf", "video/mp4", "text/css", "font/woff2"]
        {
            assert!(!is_wanted(Some(unwanted), &accepted), "{unwanted}");
        }
    }
}
