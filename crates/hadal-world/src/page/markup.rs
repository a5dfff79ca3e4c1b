//! HTML output in the spelling variants that occur in the real web.

use crate::random::SeededRng;

/// Spelling variants of a site's markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkupStyle {
    /// Writes `<TD>` instead of `<td>`.
    pub(crate) upper: bool,
    /// Writes `class=menu` instead of `class="menu"`.
    pub(crate) unquoted: bool,
    /// Omits optional end tags.
    pub(crate) unclosed: bool,
}

impl MarkupStyle {
    /// Random style; about one site in five has old-fashioned markup.
    pub(crate) fn draw(rng: &mut SeededRng) -> MarkupStyle {
        let old = rng.chance(0.2);
        MarkupStyle {
            upper: old && rng.chance(0.5),
            unquoted: old && rng.chance(0.5),
            unclosed: rng.chance(if old { 0.7 } else { 0.05 }),
        }
    }
}

/// HTML document being written.
pub(crate) struct HtmlWriter {
    pub(crate) out: String,
    style: MarkupStyle,
}

impl HtmlWriter {
    pub(crate) fn new(style: MarkupStyle) -> HtmlWriter {
        HtmlWriter { out: String::with_capacity(24 * 1024), style }
    }

    /// Writes a start tag. Attributes with an empty value are omitted, except `alt` and the value of an option.
    pub(crate) fn open(&mut self, tag: &str, attributes: &[(&str, &str)]) {
        self.out.push('<');
        self.tag(tag);
        for (name, value) in attributes {
            if !value.is_empty() || *name == "alt" || (tag == "option" && *name == "value") {
                self.attribute(name, value);
            }
        }
        self.out.push('>');
    }

    /// Writes an end tag, or a line break if the style omits it.
    pub(crate) fn close(&mut self, tag: &str) {
        if self.style.unclosed && matches!(tag, "li" | "p" | "td" | "tr" | "option" | "dt" | "dd") {
            self.out.push('\n');
            return;
        }
        self.out.push_str("</");
        self.tag(tag);
        self.out.push_str(">\n");
    }

    /// Writes an element that contains only text.
    pub(crate) fn element(&mut self, tag: &str, attributes: &[(&str, &str)], text: &str) {
        self.open(tag, attributes);
        self.text(text);
        self.close(tag);
    }

    /// Writes escaped text.
    pub(crate) fn text(&mut self, text: &str) {
        escape(&mut self.out, text);
    }

    /// Writes markup without escaping.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    fn tag(&mut self, tag: &str) {
        if self.style.upper {
            self.out.extend(tag.chars().map(|c| c.to_ascii_uppercase()));
        } else {
            self.out.push_str(tag);
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push('=');
        let simple = |b: u8| b.is_ascii_alphanumeric() || b"-_./".contains(&b);
        if self.style.unquoted && !value.is_empty() && !value.ends_with('/') && value.bytes().all(simple) {
            self.out.push_str(value);
            return;
        }
        self.out.push('"');
        escape(&mut self.out, value);
        self.out.push('"');
    }
}

fn escape(out: &mut String, text: &str) {
    // A fold without early exit, so that the compiler vectorises it.
    let needs_escape = text.bytes().fold(false, |found, b| found | matches!(b, b'<' | b'>' | b'&' | b'"'));
    if !needs_escape {
        out.push_str(text);
        return;
    }
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_changes_the_spelling_only() {
        let tidy = MarkupStyle { upper: false, unquoted: false, unclosed: false };
        let sloppy = MarkupStyle { upper: true, unquoted: true, unclosed: true };
        let write = |style| {
            let mut html = HtmlWriter::new(style);
            html.element("li", &[("class", "a"), ("id", "b c")], "x < y");
            html.out
        };
        assert_eq!(write(tidy), "<li class=\"a\" id=\"b c\">x &lt; y</li>\n");
        assert_eq!(write(sloppy), "<LI class=a id=\"b c\">x &lt; y\n");
    }
}
