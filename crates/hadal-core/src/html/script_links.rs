//! Links that a script opens: `onclick="location.href='/find'"`, `href="javascript:open('/find')"`, and menus that open
//! the value of the chosen option.
//!
//! No script is executed. A quoted text that is a path or a URL is taken as the target, unless the script joins it with
//! other text or sends something. Only targets on the page's own site count, because scripts with other targets usually
//! belong to advertisements and counters.

use super::document_base::DocumentBase;
use crate::address::{MAX_URL_BYTES, Site, TrackingParams, normalise};
use url::Url;

/// Scheme of an address that is a script.
pub(super) const SCRIPT_SCHEME: &str = "javascript:";

/// Words of scripts that open another page.
const OPENS: [&str; 6] = ["location", "open", "popup", "href", "navigate", "goto"];
/// Words of scripts that change or send something.
const SENDS: [&str; 8] = ["submit", "post", "confirm", "delete", "remove", "logout", "ajax", "fetch("];
/// Extensions of pages, from which a text without a leading slash is recognised as a path.
const PAGE_EXTENSIONS: [&str; 18] = [
    "html", "htm", "shtml", "xhtml", "php", "php3", "php4", "php5", "phtml", "asp", "aspx", "jsp", "jspx",
    "jsf", "cfm", "cgi", "pl", "do",
];

/// The script of an address such as `javascript:open('/find')`.
pub(super) fn script_of_address(address: &str) -> Option<&str> {
    let address = address.trim();
    let scheme = address.get(..SCRIPT_SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCRIPT_SCHEME).then(|| &address[SCRIPT_SCHEME.len()..])
}

/// True for a script that opens another page when an element is clicked.
pub(super) fn opens_page(script: &str) -> bool {
    let lower = script.to_ascii_lowercase();
    OPENS.iter().any(|word| lower.contains(word))
}

/// True for a script that changes or sends something, so that its texts are not links.
pub(super) fn sends_data(script: &str) -> bool {
    let lower = script.to_ascii_lowercase();
    SENDS.iter().any(|word| lower.contains(word))
}

/// First quoted text of a script that is the address of a page on the same site.
pub(super) fn target_in_script(script: &str, page: &Url, base: &DocumentBase) -> Option<Url> {
    if sends_data(script) {
        return None;
    }
    quoted(script).find_map(|text| page_address(&text, page, base))
}

/// Normalised URL of a text that is a path or a URL of the page's site.
pub(super) fn page_address(text: &str, page: &Url, base: &DocumentBase) -> Option<Url> {
    let text = text.trim();
    if !is_address(text) {
        return None;
    }
    let url = normalise(base.join(text).ok()?, TrackingParams::Strip)?;
    (Site::of(&url) == Site::of(page)).then_some(url)
}

/// True for a text that starts like a path or a URL, or ends with the name of a page.
fn is_address(text: &str) -> bool {
    let is_plain =
        !text.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '{' | '}' | '$' | '\\'));
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let is_page = path.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && PAGE_EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
    });
    let is_rooted = ["/", "./", "../", "http://", "https://"].iter().any(|start| text.starts_with(start));
    let has_letter = text.contains(|c: char| c.is_alphanumeric());
    is_plain && has_letter && text.len() <= MAX_URL_BYTES && (is_page || is_rooted)
}

/// Quoted texts of a script that are not joined with other text.
fn quoted(script: &str) -> impl Iterator<Item = String> {
    let mut rest = script;
    std::iter::from_fn(move || {
        let open = rest.find(['\'', '"'])?;
        let quote = rest[open..].chars().next()?;
        let (before, text) = (&rest[..open], &rest[open + 1..]);
        let close = text.find(quote)?;
        rest = &text[close + 1..];
        let is_joined = before.trim_end().ends_with('+') || rest.trim_start().starts_with('+');
        Some(if is_joined { String::new() } else { text[..close].replace("\\/", "/") })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(script: &str) -> Option<String> {
        let page = Url::parse("http://www.a.org/x/").unwrap();
        target_in_script(script, &page, &DocumentBase::new(page.clone(), "UTF-8"))
            .map(|url| url.path().to_string())
    }

    #[test]
    fn the_address_of_a_page_is_read_from_a_script() {
        for (script, path) in [
            ("location.href='/find'", "/find"),
            ("window.open(\"find.html\", 'w', 'width=3')", "/x/find.html"),
            ("openWin('http:\\/\\/a.org\\/find')", "/find"),
            ("go('menu', '../find.php?a=1')", "/find.php"),
        ] {
            assert_eq!(target(script).as_deref(), Some(path), "{script}");
        }
    }

    #[test]
    fn parts_of_addresses_other_sites_and_scripts_that_send_are_no_links() {
        for script in [
            "location='/item?id=' + this.value",
            "location = base + '/item'",
            "window.open('http://b.org/')",
            "document.forms[0].submit('/find')",
            "if (confirm('/delete')) location='/x'",
            "show('panel')",
            "split('/')",
            "void(0)",
        ] {
            assert_eq!(target(script), None, "{script}");
        }
    }
}
