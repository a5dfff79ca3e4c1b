//! Words of pages and links: running text, titles, anchors, snippets and slugs.
//!
//! A link contains a word of the topic it leads to with a probability that depends on how close its target is to a
//! search form of a database. The rates reproduce the measured shares that [`measure`](crate::measure) checks.

use crate::form::plan::FormRoute;
use crate::lexicon::{CONTENT_SITE_WORDS, SEARCH_WORDS, Subject, lexicon};
use crate::random::SeededRng;
use crate::site::Site;
use crate::site::profile::SiteRole;
use crate::spec::Anchors;

/// Probability of a topic word in a link, by clicks from its target to the nearest form (1, 2, 3, more).
type WordRates = [f64; 4];

/// Rates of the topic word in URL, anchor and surrounding text. A page shows higher shares, because URLs also contain
/// the slug of their section and the surrounding text includes the neighbouring links.
const URL_RATES: WordRates = [0.57, 0.17, 0.06, 0.03];
const ANCHOR_RATES: WordRates = [0.21, 0.14, 0.08, 0.05];
const AROUND_RATES: WordRates = [0.38, 0.13, 0.11, 0.07];

/// Rate of a second indicative word, relative to the rate of the topic word. Guess.
const SECOND_WORD_FACTOR: f64 = 0.5;

/// Probability of the topic word in the title of a home page. Guess.
const HOME_PAGE_RATE: f64 = 0.3;

impl Site<'_> {
    fn rate(&self, rates: &WordRates, route: Option<FormRoute>) -> f64 {
        self.spec.topic_word_factor * rates[route.map_or(3, |route| usize::from(route.clicks) - 1)]
    }

    /// Word that names the target of a link. It is the first name of the subject, but for sites of the
    /// unseeded type the first link word of that type. A crawler that starts from the seeded type must learn
    /// it during the crawl.
    pub(crate) fn topic_word(&self, route: Option<FormRoute>) -> &'static str {
        let subject = self.subject_of(route);
        match self.role_of(route) {
            SiteRole::Unseeded => subject.link_words(SiteRole::Unseeded).first().unwrap_or(&subject.names[0]),
            SiteRole::Seeded | SiteRole::Content | SiteRole::Hub => subject.names[0],
        }
    }

    /// Second indicative word of a link: a search word or a link word of the site's type.
    fn second_word(&self, route: Option<FormRoute>, rng: &mut SeededRng) -> &'static str {
        match rng.below(2) {
            0 => rng.pick(&SEARCH_WORDS),
            _ => rng.pick(self.subject_of(route).link_words(self.role_of(route))),
        }
    }

    fn role_of(&self, route: Option<FormRoute>) -> SiteRole {
        let is_own = route.is_none_or(|route| route.subject == self.profile.subject);
        if is_own { self.profile.role } else { SiteRole::Content }
    }

    fn subject_of(&self, route: Option<FormRoute>) -> &'static Subject {
        &lexicon().subjects[usize::from(route.map_or(self.profile.subject, |route| route.subject))]
    }

    /// Appends the words of a page's URL.
    pub(crate) fn push_slug(&self, page: u32, path: &mut String) {
        let mut rng = SeededRng::new(self.profile.seed ^ u64::from(page), 41);
        let route = self.route_from(page);
        let rate = self.rate(&URL_RATES, route);
        let (has_topic, has_second) = (rng.chance(rate), rng.chance(rate * SECOND_WORD_FACTOR));
        if has_topic {
            path.push_str(self.topic_word(route));
            path.push('-');
        }
        if has_second {
            path.push_str(self.second_word(route, &mut rng));
            path.push('-');
        }
        if (has_topic || has_second) && rng.chance(0.5) {
            path.pop();
            return;
        }
        path.push_str(lexicon().background(rng.bits()));
        if rng.chance(0.4) {
            path.push('-');
            path.push_str(lexicon().background(rng.bits()));
        }
    }

    /// Title of a page, also used as anchor text.
    pub(crate) fn title(&self, page: u32) -> String {
        let mut rng = SeededRng::new(self.profile.seed ^ u64::from(page), 42);
        let mut title = String::with_capacity(32);
        let route = self.route_from(page);
        let rate = if page == 0 { HOME_PAGE_RATE } else { self.rate(&ANCHOR_RATES, route) };
        if rng.chance(rate) {
            push_word(&mut title, self.topic_word(route));
        }
        if rng.chance(rate * SECOND_WORD_FACTOR) {
            push_word(&mut title, self.second_word(route, &mut rng));
        }
        if rng.chance(0.4) {
            push_word(&mut title, self.subject_of(route).general_term(&mut rng));
        }
        for _ in 0..rng.between(1, 3) {
            push_word(&mut title, lexicon().background(rng.bits()));
        }
        title[..1].make_ascii_uppercase();
        title
    }

    /// Anchor text of links to a page.
    pub(crate) fn anchor(&self, page: u32) -> String {
        const UNINFORMATIVE: [&str; 6] = ["click here", "more", "next", "read on", "details", "here"];
        match self.spec.anchors {
            Anchors::Informative => self.title(page),
            Anchors::Uninformative => {
                SeededRng::new(self.profile.seed ^ u64::from(page), 42).pick(&UNINFORMATIVE).to_string()
            }
        }
    }

    /// Text beside a link to a page: 9 to 14 words.
    pub(crate) fn snippet(&self, page: u32, rng: &mut SeededRng) -> String {
        let mut text = String::with_capacity(64);
        let route = self.route_from(page);
        let rate = match self.spec.anchors {
            Anchors::Informative => self.rate(&AROUND_RATES, route),
            Anchors::Uninformative => 0.0,
        };
        let (has_topic, has_second) = (rng.chance(rate), rng.chance(rate * SECOND_WORD_FACTOR));
        let (topic_at, length) = (rng.below(4), rng.between(9, 14));
        for at in 0..length {
            let word = if has_topic && at == topic_at {
                self.topic_word(route)
            } else if has_second && at == topic_at + 1 {
                self.second_word(route, rng)
            } else {
                lexicon().background(rng.bits())
            };
            push_word(&mut text, word);
        }
        text
    }
}

/// Appends `count` words in sentences. About `topical` of 256 words belong to the site's subject.
pub(crate) fn push_sentences(
    out: &mut String,
    site: &Site<'_>,
    count: u32,
    topical: u64,
    rng: &mut SeededRng,
) {
    let (lexicon, subject) = (lexicon(), site.subject());
    let type_words = match site.profile.role {
        SiteRole::Seeded => &subject.seeded[..],
        SiteRole::Unseeded => &subject.unseeded[..],
        SiteRole::Content => &CONTENT_SITE_WORDS[..],
        SiteRole::Hub => &subject.terms[..],
    };
    let topical = topical * subject.focus / 100;
    let mut is_start = true;
    let mut left = 0;
    for at in 0..count {
        let bits = rng.bits();
        let word = if bits & 255 >= topical {
            lexicon.background(bits >> 8)
        } else if bits >> 60 < 4 {
            type_words[(bits >> 8) as usize % type_words.len()]
        } else {
            subject.term(bits >> 8)
        };
        if is_start {
            left = 7 + (bits >> 40) % 12;
            push_capitalised(out, word);
        } else {
            out.push_str(word);
        }
        left -= 1;
        is_start = left == 0 || at + 1 == count;
        // Two calls with literals: the compiler inlines copies of known length.
        if is_start {
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

/// Appends a word, with a space before it unless the text is empty.
pub(crate) fn push_word(text: &mut String, word: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}
