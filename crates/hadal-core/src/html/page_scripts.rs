//! Scripts of a page, read from its markup without a tree.

use super::scan::{AttributeExtent, Markup, markup, raw_text_end};
use memchr::memmem;
use url::Url;

/// Name of the element.
const NAME: &[u8] = b"script";
/// Maximum number of files that are read. Guess.
const MAX_FILES: usize = 200;
/// Attributes and addresses that run a script when the user does something.
const HANDLERS: [&[u8]; 6] = [b"onsubmit", b"onclick", b"onkey", b"onchange", b"oninput", b"javascript:"];

/// Code that a page brings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageScripts {
    /// Distinct URLs of script files, in document order.
    pub files: Vec<Url>,
    /// Code of the `<script>` elements without a file, joined.
    pub inline: String,
    /// The markup has handlers of events, such as `onclick`.
    pub has_handlers: bool,
}

/// Reads the scripts of a page at `url`.
pub fn page_scripts(body: &[u8], url: &Url) -> PageScripts {
    let mut found = PageScripts {
        has_handlers: HANDLERS.iter().any(|handler| memmem::find(body, handler).is_some()),
        ..PageScripts::default()
    };
    let mut attributes = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'<', &body[at..]).map(|offset| at + offset) {
        at = start + 1;
        match markup(body, start, &mut attributes) {
            Markup::Tag(tag) => {
                at = tag.end;
                let name = &body[tag.name.0..tag.name.1];
                if tag.is_end || !name.eq_ignore_ascii_case(NAME) {
                    continue;
                }
                let code_end =
                    raw_text_end(body, tag.end, NAME).map_or(body.len(), |end| end - NAME.len() - 2);
                found.add(body, &attributes, &body[tag.end..code_end], url);
                at = code_end;
            }
            Markup::Comment(end) | Markup::Doctype(end) => at = end,
            Markup::Cdata | Markup::Text => {}
            Markup::Unclosed => break,
        }
    }
    found
}

impl PageScripts {
    fn add(&mut self, body: &[u8], attributes: &[AttributeExtent], code: &[u8], url: &Url) {
        let value = |name: &[u8]| {
            let found = attributes.iter().find(|at| body[at.name.0..at.name.1].eq_ignore_ascii_case(name));
            found.map(|at| String::from_utf8_lossy(&body[at.value.0..at.value.1]).trim().to_string())
        };
        if !is_code(&value(b"type").unwrap_or_default()) {
            return;
        }
        match value(b"src") {
            Some(address) => {
                let file = url.join(&address.replace("&amp;", "&")).ok();
                let is_new = |file: &Url| self.files.len() < MAX_FILES && !self.files.contains(file);
                let file = file.filter(is_new);
                self.files.extend(file);
            }
            None => self.inline += &String::from_utf8_lossy(code),
        }
    }
}

/// True for types of code; templates, data and import maps are not.
fn is_code(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    kind.is_empty() || kind.contains("javascript") || kind.contains("ecmascript") || kind == "module"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_code_and_handlers_are_told_apart() {
        let url = Url::parse("http://a.org/x/").unwrap();
        let html = "<!-- <script src=/no.js> --><SCRIPT type='module' src='app.js?a=1&amp;b'></SCRIPT>\
            <script src=app.js?a=1&amp;b></script><script type=application/ld+json>{}</script>\
            <script>search('<b>')</script><p onclick=go()><";
        let found = page_scripts(html.as_bytes(), &url);
        let files: Vec<&str> = found.files.iter().map(Url::as_str).collect();
        assert_eq!(files, ["http://a.org/x/app.js?a=1&b"]);
        assert_eq!(found.inline, "search('<b>')");
        assert!(found.has_handlers);
        assert_eq!(page_scripts(b"<p>No script<script", &url), PageScripts::default());
    }
}
