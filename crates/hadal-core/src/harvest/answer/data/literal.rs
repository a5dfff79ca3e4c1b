//! Literal values in scripts: JSON, and object literals of JavaScript.
//!
//! A search index is often a script that passes one large literal to a function or assigns it to a variable. The
//! largest literal of a script is its value. Nothing is executed.

use serde_json::{Map, Number, Value};

/// Maximum depth of nested arrays and objects of a literal. Guess.
const MAX_DEPTH: u32 = 100;
/// Maximum number of literals of one script that are tried. Guess.
const MAX_TRIES: usize = 40;

/// Returns the value of a JSON text, or the largest array or object literal of a script.
pub fn literal_in(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str(text)
    {
        return Some(value);
    }
    largest_literal(text)
}

fn largest_literal(text: &str) -> Option<Value> {
    let (mut at, mut best, mut best_size) = (0, None, 0);
    for _ in 0..MAX_TRIES {
        let Some(start) = next_start(text, at) else { break };
        let (end, value) = match literal_at(text, start) {
            Some((value, end)) => (end, Some(value)),
            None => (start + 1, None),
        };
        if value.is_some() && end - start > best_size {
            (best, best_size) = (value, end - start);
        }
        at = end;
        if best_size > text.len() / 2 {
            break;
        }
    }
    best.map(text_as_json)
}

/// Position of the next literal that is an argument or is assigned.
fn next_start(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    // Last byte before a position that is not white space.
    let mut before = bytes[..from].iter().rev().find(|byte| !byte.is_ascii_whitespace()).copied();
    for (at, byte) in bytes.iter().copied().enumerate().skip(from) {
        let is_value = matches!(before, None | Some(b'(' | b'=' | b',' | b'\''));
        let is_text = matches!(byte, b'\'' | b'"' | b'`') && bytes[..at].ends_with(b"JSON.parse(");
        if matches!(byte, b'{' | b'[') && is_value || is_text {
            return Some(at);
        }
        if !byte.is_ascii_whitespace() {
            before = Some(byte);
        }
    }
    None
}

fn literal_at(text: &str, start: usize) -> Option<(Value, usize)> {
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    if let Some(Ok(value)) = values.next() {
        return Some((value, start + values.byte_offset()));
    }
    let mut parser = LiteralParser { text, at: start };
    let value = parser.value(0)?;
    Some((value, parser.at))
}

/// A text that holds JSON is replaced by its value.
fn text_as_json(value: Value) -> Value {
    match &value {
        Value::String(text) => serde_json::from_str(text).unwrap_or(value),
        _ => value,
    }
}

/// Parser of JavaScript literals: bare keys, any quotes, trailing commas, comments.
struct LiteralParser<'t> {
    text: &'t str,
    at: usize,
}

impl LiteralParser<'_> {
    fn value(&mut self, depth: u32) -> Option<Value> {
        self.skip_space();
        match self.peek()? {
            _ if depth > MAX_DEPTH => None,
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' | b'\'' | b'`' => self.string().map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: u32) -> Option<Value> {
        self.at += 1;
        let mut object = Map::new();
        while !self.takes(b'}') {
            let key = match self.peek()? {
                b'"' | b'\'' => self.string()?,
                _ => self.unquoted(),
            };
            if !self.takes(b':') {
                return None;
            }
            object.insert(key, self.value(depth + 1)?);
            if !self.takes(b',') {
                return self.takes(b'}').then_some(Value::Object(object));
            }
        }
        Some(Value::Object(object))
    }

    fn array(&mut self, depth: u32) -> Option<Value> {
        self.at += 1;
        let mut array = Vec::new();
        while !self.takes(b']') {
            array.push(self.value(depth + 1)?);
            if !self.takes(b',') {
                return self.takes(b']').then_some(Value::Array(array));
            }
        }
        Some(Value::Array(array))
    }

    fn string(&mut self) -> Option<String> {
        let quote = char::from(self.peek()?);
        let start = self.at + 1;
        let (mut text, mut chars) = (String::new(), self.text[start..].char_indices());
        while let Some((offset, c)) = chars.next() {
            match c {
                '\\' => text.extend(escaped(&mut chars)),
                _ if c == quote => {
                    self.at = start + offset + 1;
                    return Some(text);
                }
                _ => text.push(c),
            }
        }
        None
    }

    /// A number, a constant, or one of the short forms that minifiers write for `true` and `false`.
    fn word(&mut self) -> Option<Value> {
        let is_negated = self.takes(b'!');
        let word = self.unquoted();
        match (is_negated, word.as_str()) {
            (true, "0") | (false, "true") => Some(Value::Bool(true)),
            (true, "1") | (false, "false") => Some(Value::Bool(false)),
            (false, "null" | "undefined" | "NaN") => Some(Value::Null),
            (false, number) => number_of(number),
            _ => None,
        }
    }

    fn unquoted(&mut self) -> String {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-' | '+');
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_string()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips a punctuation mark and the space around it. Returns false if another character stands here.
    fn takes(&mut self, mark: u8) -> bool {
        self.skip_space();
        let is_here = self.peek() == Some(mark);
        self.at += usize::from(is_here);
        self.skip_space();
        is_here
    }

    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            let rest = rest.trim_start();
            let end = match rest.get(..2) {
                Some("//") => rest.find('\n'),
                Some("/*") => rest.find("*/").map(|end| end + 2),
                _ => return,
            };
            self.at += end.unwrap_or(rest.len());
        }
    }
}

fn escaped(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    let code = |chars: &mut std::str::CharIndices<'_>, digits: usize| {
        let text: String = chars.by_ref().take(digits).map(|(_, c)| c).collect();
        char::from_u32(u32::from_str_radix(&text, 16).ok()?)
    };
    match chars.next()?.1 {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' | '\n' => None,
        'b' | 'f' | 'v' | '0' => Some(' '),
        'x' => code(chars, 2),
        'u' => code(chars, 4).or(Some('\u{fffd}')),
        c => Some(c),
    }
}

fn number_of(text: &str) -> Option<Value> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(Value::from(number));
    }
    Number::from_f64(text.parse().ok()?).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::literal_in;
    use serde_json::json;

    #[test]
    fn json_and_scripts_have_one_value() {
        for (text, expected) in [
            ("[1, 2]", json!([1, 2])),
            (")]}'\n{\"a\": 1}", json!({"a": 1})),
            (
                "Search.setIndex({docnames:[\"a\",'b'],n:{x:.5,},on:!0,off:!1})",
                json!({"docnames": ["a", "b"], "n": {"x": 0.5}, "on": true, "off": false}),
            ),
            ("found({\"a\": [\"b\"]});", json!({"a": ["b"]})),
            (
                "var n = [1];\n// index\nvar docs = [{ 'id': 7, title: 'It\\'s \\u00e9', }];",
                json!([{"id": 7, "title": "It's \u{e9}"}]),
            ),
            (
                "window.s = Object.assign(window.s, {\"docs\": {\"0\": {\"t\": \"x\"}}});",
                json!({"docs": {"0": {"t": "x"}}}),
            ),
            ("s = JSON.parse('{\"t\": \"a b\"}')", json!({"t": "a b"})),
        ] {
            assert_eq!(literal_in(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn code_without_a_literal_has_no_value() {
        for text in ["", "function f() { return 1 }", "x = {a: f(1)}", "{", "[[[", "x = '{'", "a(\"{\")"] {
            assert_eq!(literal_in(text), None, "{text}");
        }
        assert_eq!(literal_in(&"x=[".repeat(10_000)), None);
        assert_eq!(literal_in(&format!("x={}", "[".repeat(50_000))), None);
    }
}
