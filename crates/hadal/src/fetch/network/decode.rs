//! Decoding of content codings, up to a limit.
//!
//! Each layer of coding is limited by itself, so a nested decompression bomb costs at most the limit per
//! layer. If the stream is damaged, the output before the damage is kept.

use hadal_core::http::BodyCompleteness;
use std::io::{BufReader, Chain, Cursor, Read, Take};

/// Maximum number of layers of coding. More of them occur in attacks only. Guess.
const MAX_LAYERS: usize = 4;
/// Base-2 logarithm of the largest zstd window: 8 MiB, as in RFC 9659.
const ZSTD_WINDOW_LOG: u32 = 23;

/// Decodes a body. `codings` are the values of `Content-Encoding`, in the order in which they were applied. The result
/// has at most `limit` bytes.
pub(super) fn decode<'a>(
    body: Vec<u8>,
    codings: impl Iterator<Item = &'a str>,
    limit: u64,
) -> (Vec<u8>, BodyCompleteness) {
    let layers: Vec<Coding> =
        codings.flat_map(|line| line.split(',')).filter_map(|name| Coding::named(name.trim())).collect();
    if layers.is_empty() || body.is_empty() {
        return (body, BodyCompleteness::Whole);
    }
    if layers.len() > MAX_LAYERS {
        return (Vec::new(), BodyCompleteness::Broken);
    }
    let mut reader: Box<dyn Read> = Box::new(Cursor::new(body));
    for coding in layers.iter().rev() {
        reader = match coding.layer(reader.take(limit.saturating_add(1))) {
            Ok(layer) => layer,
            Err(_) => return (Vec::new(), BodyCompleteness::Broken),
        };
    }
    read_up_to(reader, limit)
}

fn read_up_to(reader: Box<dyn Read>, limit: u64) -> (Vec<u8>, BodyCompleteness) {
    let mut decoded = Vec::new();
    let ended = reader.take(limit.saturating_add(1)).read_to_end(&mut decoded);
    if decoded.len() as u64 > limit {
        decoded.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        return (decoded, BodyCompleteness::Cut);
    }
    let completeness = if ended.is_ok() { BodyCompleteness::Whole } else { BodyCompleteness::Broken };
    (decoded, completeness)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

type Layer = Chain<Cursor<Vec<u8>>, Take<Box<dyn Read>>>;

impl Coding {
    /// Coding with this name; `None` for `identity` and for names that are not codings.
    fn named(name: &str) -> Option<Coding> {
        match name.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Coding::Gzip),
            "deflate" => Some(Coding::Deflate),
            "br" => Some(Coding::Brotli),
            "zstd" => Some(Coding::Zstd),
            _ => None,
        }
    }

    /// Reader of the decoded layer. Some servers send raw deflate as `deflate` and plain text as `gzip`, so the first
    /// two bytes decide.
    fn layer(self, mut coded: Take<Box<dyn Read>>) -> std::io::Result<Box<dyn Read>> {
        let mut start = Vec::new();
        coded.by_ref().take(2).read_to_end(&mut start)?;
        let (gzip, zlib) = (start == [0x1f, 0x8b], is_zlib(&start));
        let whole: Layer = Cursor::new(start).chain(coded);
        Ok(match self {
            Coding::Gzip if !gzip => Box::new(whole),
            Coding::Gzip => Box::new(flate2::read::MultiGzDecoder::new(whole)),
            Coding::Deflate if zlib => Box::new(flate2::read::ZlibDecoder::new(whole)),
            Coding::Deflate => Box::new(flate2::read::DeflateDecoder::new(whole)),
            Coding::Brotli => Box::new(brotli::Decompressor::new(whole, 8192)),
            Coding::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(BufReader::new(whole))?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
        })
    }
}

fn is_zlib(start: &[u8]) -> bool {
    matches!(start, [method, flags] if method & 0x0f == 8 && (u16::from(*method) << 8 | u16::from(*flags)).is_multiple_of(31))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use std::io::Write;

    fn coded(name: &str, plain: &[u8]) -> Vec<u8> {
        match name {
            "gzip" => {
                let mut gzip = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
                gzip.write_all(plain).unwrap();
                gzip.finish().unwrap()
            }
            "zlib" => {
                let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
                zlib.write_all(plain).unwrap();
                zlib.finish().unwrap()
            }
            "raw" => {
                let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
                raw.write_all(plain).unwrap();
                raw.finish().unwrap()
            }
            "br" => {
                let mut out = Vec::new();
                brotli::CompressorWriter::new(&mut out, 4096, 5, 20).write_all(plain).unwrap();
                out
            }
            "zstd" => zstd::encode_all(plain, 3).unwrap(),
            other => panic!("no coding {other}"),
        }
    }

    fn undo(codings: &str, body: Vec<u8>) -> (Vec<u8>, BodyCompleteness) {
        decode(body, [codings].into_iter(), 1 << 20)
    }

    fn page() -> Vec<u8> {
        (0..5000).flat_map(|n| format!("<p>{}</p>", n * 7919 % 1000).into_bytes()).collect()
    }

    #[test]
    fn every_coding_is_undone() {
        for (name, made_by) in [
            ("gzip", "gzip"),
            ("x-gzip", "gzip"),
            ("deflate", "zlib"),
            ("deflate", "raw"),
            ("BR", "br"),
            ("zstd", "zstd"),
        ] {
            assert_eq!(undo(name, coded(made_by, &page())), (page(), BodyCompleteness::Whole), "{made_by}");
        }
    }

    #[test]
    fn stacked_codings_are_undone_last_one_first() {
        let body = coded("br", &coded("gzip", &page()));
        assert_eq!(undo("gzip, identity, br", body.clone()), (page(), BodyCompleteness::Whole));
        assert_eq!(decode(body, ["gzip", "br"].into_iter(), 1 << 20).0, page());
        assert_eq!(undo("gzip,gzip,gzip,gzip,gzip", page()), (Vec::new(), BodyCompleteness::Broken));
    }

    #[test]
    fn a_truncated_stream_keeps_its_beginning() {
        for (name, made_by) in [("gzip", "gzip"), ("deflate", "raw"), ("br", "br"), ("zstd", "zstd")] {
            let plain: Vec<u8> = (0..200_000u32)
                .flat_map(|n| (n.wrapping_mul(2_654_435_761) >> 8).to_string().into_bytes())
                .collect();
            let body = coded(made_by, &plain);
            let (decoded, completeness) = undo(name, body[..body.len() / 2].to_vec());
            assert_eq!(completeness, BodyCompleteness::Broken, "{made_by}");
            assert!(decoded.len() > 1000 && plain.starts_with(&decoded), "{made_by} kept {}", decoded.len());
        }
    }

    #[test]
    fn garbage_is_broken_and_plain_text_called_gzip_is_plain_text() {
        for name in ["deflate", "br", "zstd"] {
            assert_eq!(undo(name, b"\xff\xfe\xfd\xfc<html>".to_vec()).1, BodyCompleteness::Broken, "{name}");
        }
        assert_eq!(undo("gzip", b"<html>".to_vec()), (b"<html>".to_vec(), BodyCompleteness::Whole));
        assert_eq!(undo("utf-8", b"<html>".to_vec()), (b"<html>".to_vec(), BodyCompleteness::Whole));
        assert_eq!(undo("gzip", Vec::new()), (Vec::new(), BodyCompleteness::Whole));
    }

    #[test]
    fn decompression_bombs_are_cut_also_when_nested() {
        let zeros = vec![0; 2 << 20];
        for (name, made_by) in [("gzip", "gzip"), ("deflate", "zlib"), ("br", "br"), ("zstd", "zstd")] {
            let (decoded, completeness) = undo(name, coded(made_by, &zeros));
            assert_eq!((decoded.len(), completeness), (1 << 20, BodyCompleteness::Cut), "{made_by}");
        }
        let nothing: Vec<u8> = coded("gzip", b"").repeat(1 << 17);
        let (decoded, completeness) = undo("gzip, gzip", coded("gzip", &nothing));
        assert_eq!((decoded.len(), completeness), (0, BodyCompleteness::Broken));
    }
}
