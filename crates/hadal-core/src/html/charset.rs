//! Decodes a body in the encoding that a browser would choose: byte order mark, `Content-Type` header, markup,
//! detection, in this order.

use super::{limits, prescan};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;
use url::Url;

/// Bytes passed to the encoding detector. Guess.
const DETECTION_BYTES: usize = 64 << 10;

/// Decoded body of a document.
pub(super) struct DecodedBody<'a> {
    pub text: Cow<'a, str>,
    /// WHATWG name of the encoding.
    pub charset: &'static str,
    /// True if the body was longer than [`limits::BYTES`].
    pub is_cut: bool,
}

/// Decodes at most [`limits::BYTES`] bytes of a body.
pub(super) fn decode<'a>(body: &'a [u8], content_type: Option<&str>, url: &Url) -> DecodedBody<'a> {
    let kept = &body[..body.len().min(limits::BYTES)];
    let (encoding, mark) = Encoding::for_bom(kept).unwrap_or_else(|| (choose(kept, content_type, url), 0));
    let (text, _) = encoding.decode_without_bom_handling(&kept[mark..]);
    DecodedBody { text, charset: encoding.name(), is_cut: kept.len() < body.len() }
}

/// Decodes a body that is data. It is UTF-8 if valid as such, whatever the server declares. Otherwise its
/// encoding is given by a byte order mark, the `Content-Type` header or the XML declaration, in this order.
pub(crate) fn decode_data<'a>(body: &'a [u8], content_type: &str) -> Cow<'a, str> {
    if let Ok(text) = std::str::from_utf8(body) {
        return Cow::Borrowed(text);
    }
    let declared = || prescan::charset_in(content_type.as_bytes()).or_else(|| prescan::declared(body));
    let (encoding, mark) = Encoding::for_bom(body).unwrap_or_else(|| (declared().unwrap_or(UTF_8), 0));
    encoding.decode_without_bom_handling(&body[mark..]).0
}

fn choose(body: &[u8], content_type: Option<&str>, url: &Url) -> &'static Encoding {
    content_type
        .and_then(|header| prescan::charset_in(header.as_bytes()))
        .or_else(|| prescan::declared(body))
        .unwrap_or_else(|| detect(body, url))
}

/// Most likely encoding of a body that declares none.
fn detect(body: &[u8], url: &Url) -> &'static Encoding {
    let has_escapes = memchr::memchr(0x1b, body).is_some();
    if !has_escapes && std::str::from_utf8(body).is_ok() {
        return UTF_8;
    }
    // ASCII fits most encodings, so the sample starts shortly before the first byte that is not ASCII.
    let first = body.iter().position(|&byte| byte >= 0x80 || byte == 0x1b).unwrap_or(0);
    let from = first.saturating_sub(DETECTION_BYTES / 2);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&body[from..body.len().min(from + DETECTION_BYTES)], true);
    let top_level = url.domain().and_then(|name| name.rsplit('.').next()).filter(|name| is_lower_ascii(name));
    detector.guess(top_level.map(str::as_bytes), Utf8Detection::Allow)
}

/// The detector panics on domain names other than lower-case ASCII.
fn is_lower_ascii(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charset(body: &[u8], content_type: Option<&str>) -> &'static str {
        decode(body, content_type, &Url::parse("http://example.cz/").unwrap()).charset
    }

    #[test]
    fn the_byte_order_mark_precedes_the_header_and_the_header_the_markup() {
        let marked = b"\xef\xbb\xbf<meta charset=koi8-r>";
        assert_eq!(charset(marked, Some("text/html; charset=shift_jis")), "UTF-8");
        assert_eq!(charset(b"<meta charset=koi8-r>", Some("text/html; charset=\"Shift_JIS\"")), "Shift_JIS");
        assert_eq!(charset(b"<meta charset=koi8-r>", Some("text/html")), "KOI8-R");
    }

    #[test]
    fn undeclared_text_is_detected() {
        let (czech, _, _) = encoding_rs::WINDOWS_1250
            .encode("Příliš žluťoučký kůň úpěl ďábelské ódy. Hledat v katalogu knih.");
        assert_eq!(charset(&czech, None), "windows-1250");
        assert_eq!(charset("Příliš žluťoučký kůň".as_bytes(), None), "UTF-8");
        let (japanese, _, _) = encoding_rs::ISO_2022_JP.encode("図書館の本を検索する");
        assert_eq!(charset(&japanese, None), "ISO-2022-JP");
    }

    #[test]
    fn utf_16_is_read_by_its_mark() {
        let body: Vec<u8> = "\u{feff}<p>žluť".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let decoded = decode(&body, None, &Url::parse("http://a.org/").unwrap());
        assert_eq!((decoded.charset, &*decoded.text), ("UTF-16LE", "<p>žluť"));
    }

    #[test]
    fn odd_hosts_do_not_trouble_the_detector() {
        for host in ["http://[::1]/", "http://EXAMPLE./", "data:text/html,x", "http://a.xn--p1ai/"] {
            decode(b"\xe1\xe2\xe3 \xff", None, &Url::parse(host).unwrap());
        }
    }
}
