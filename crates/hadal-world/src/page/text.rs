//! Running text: background words mixed with the terms of a subject.

use crate::lexicon::{WRITING, lexicon};
use crate::random::SeededRng;
use crate::site::Site;
use crate::site::profile::SiteRole;

/// Writes `count` words in sentences. `topical` of 256 words are about the site's subject.
pub(crate) fn sentences(out: &mut String, site: &Site<'_>, count: u32, topical: u64, rng: &mut SeededRng) {
    let (words, subject) = (lexicon(), site.subject());
    let own = match site.profile.role {
        SiteRole::Seeded => &subject.seeded[..],
        SiteRole::Major => &subject.major[..],
        SiteRole::Content => &WRITING[..],
        SiteRole::Directory => &subject.terms[..],
    };
    let topical = topical * subject.focus / 100;
    let mut start = true;
    let mut left = 0;
    for at in 0..count {
        let bits = rng.bits();
        let word = if bits & 255 >= topical {
            words.background(bits >> 8)
        } else if bits >> 60 < 4 {
            own[(bits >> 8) as usize % own.len()]
        } else {
            subject.term(bits >> 8)
        };
        if start {
            left = 7 + (bits >> 40) % 12;
            push_capitalised(out, word);
        } else {
            out.push_str(word);
        }
        left -= 1;
        start = left == 0 || at + 1 == count;
        // Pieces of known length are written without a call.
        if start {
            out.push_str(". ");
        } else {
            out.push(' ');
        }
    }
}

fn push_capitalised(out: &mut String, word: &str) {
    let at = out.len();
    out.push_str(word);
    out[at..at + 1].make_ascii_uppercase();
}
