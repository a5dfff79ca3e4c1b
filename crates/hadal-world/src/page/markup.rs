//! Writes HTML the way many hands do: tidy or sloppy, upper or lower case, quoted or not.

use crate::random::SeededRng;

/// How a site's templates are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkupStyle {
    /// `<TD>` instead of `<td>`.
    pub(crate) upper: bool,
    /// `class=menu` instead of `class="menu"`.
    pub(crate) unquoted: bool,
    /// Leaves out the end tags that HTML lets one leave out.
    pub(crate) unclosed: bool,
}

impl MarkupStyle {
    /// The manners of a site.
    pub(crate) fn draw(rng: &mut SeededRng) -> MarkupStyle {
        let old = rng.chance(0.2);
        MarkupStyle {
            upper: old && rng.chance(0.5),
            unquoted: old && rng.chance(0.5),
            unclosed: rng.chance(if old { 0.7 } else { 0.05 }),
        }
    }
}

/// A document being written.
pub(crate) struct HtmlWriter {
    pub(crate) out: String,
    manners: MarkupStyle,
}

impl HtmlWriter {
    /// An empty document.
    pub(crate) fn new(manners: MarkupStyle) -> HtmlWriter {
        HtmlWriter { out: String::with_capacity(24 * 1024), manners }
    }

    /// A start tag.
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

    /// An end tag, unless the site is too lazy for it.
    pub(crate) fn close(&mut self, tag: &str) {
        if self.manners.unclosed && matches!(tag, "li" | "p" | "td" | "tr" | "option" | "dt" | "dd") {
            self.out.push('\n');
            return;
        }
        self.out.push_str("</");
        self.tag(tag);
        self.out.push_str(">\n");
    }

    /// An element with nothing but text in it.
    pub(crate) fn element(&mut self, tag: &str, attributes: &[(&str, &str)], text: &str) {
        self.open(tag, attributes);
        self.text(text);
        self.close(tag);
    }

    /// Text, escaped.
    pub(crate) fn text(&mut self, text: &str) {
        escape(&mut self.out, text);
    }

    /// Markup as it is.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    fn tag(&mut self, tag: &str) {
        if self.manners.upper {
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
        if self.manners.unquoted && !value.is_empty() && !value.ends_with('/') && value.bytes().all(simple) {
            self.out.push_str(value);
            return;
        }
        self.out.push('"');
        escape(&mut self.out, value);
        self.out.push('"');
    }
}

fn escape(out: &mut String, text: &str) {
    // Looks at every byte, which is done many at a time.
    let is_marked = text.bytes().fold(false, |found, b| found | matches!(b, b'<' | b'>' | b'&' | b'"'));
    if !is_marked {
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
    fn manners_change_the_spelling_only() {
        let tidy = MarkupStyle { upper: false, unquoted: false, unclosed: false };
        let sloppy = MarkupStyle { upper: true, unquoted: true, unclosed: true };
        let write = |manners| {
            let mut html = HtmlWriter::new(manners);
            html.element("li", &[("class", "a"), ("id", "b c")], "x < y");
            html.out
        };
        assert_eq!(write(tidy), "<li class=\"a\" id=\"b c\">x &lt; y</li>\n");
        assert_eq!(write(sloppy), "<LI class=a id=\"b c\">x &lt; y\n");
    }
}
