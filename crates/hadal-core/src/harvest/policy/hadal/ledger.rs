//! Captures: how often each record came up, and for each word how many records have it.
//!
//! What was caught once resembles what was never caught, so records caught once are counted apart. So are
//! words that stand in the title: many forms search nothing else. A record's words are counted when it
//! first comes; when it comes again its text is read again, which costs less than keeping it.

use crate::harvest::policy::Hit;
use crate::harvest::policy::lexicon::Lexicon;
use crate::harvest::record::RecordId;
use rustc_hash::FxHashMap;

/// Records whose captures are counted. Beyond them a record counts as one that was caught often.
const MOST_RECORDS: usize = 20_000_000;

/// Classes of records with a word: by where it stands and by how long they are. Long records are found
/// early, and what is left late in a harvest is short, so the classes have different shares unseen.
pub const CLASSES: usize = 2 * LENGTHS;

const LENGTHS: usize = 4;

/// A class of records with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class(pub usize);

impl Class {
    fn of(in_title: bool, words: usize) -> Class {
        let length = match words {
            0..16 => 0,
            16..48 => 1,
            48..128 => 2,
            _ => 3,
        };
        Class(length + if in_title { LENGTHS } else { 0 })
    }

    /// Whether the word stands in the title.
    pub fn is_title(self) -> bool {
        self.0 >= LENGTHS
    }
}

/// In how many records a word stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// By class.
    pub seen: [u32; CLASSES],
    /// In the title of records that came once.
    pub title_once: u32,
    /// Elsewhere in records that came once.
    pub body_once: u32,
}

impl Tally {
    fn count(&mut self, class: Class, before: u8) {
        let once = if class.is_title() { &mut self.title_once } else { &mut self.body_once };
        match before {
            0 => {
                *once += 1;
                self.seen[class.0] += 1;
            }
            1 => *once = once.saturating_sub(1),
            _ => {}
        }
    }

    /// Counts a record of so many words that stands for several.
    pub fn count_times(&mut self, in_title: bool, words: usize, came_once: bool, times: u32) {
        let class = Class::of(in_title, words);
        self.seen[class.0] += times;
        let once = if in_title { &mut self.title_once } else { &mut self.body_once };
        *once += if came_once { times } else { 0 };
    }

    /// Records with the word in the title.
    pub fn title(&self) -> u32 {
        self.seen[LENGTHS..].iter().sum()
    }

    /// Records with the word elsewhere only.
    pub fn body(&self) -> u32 {
        self.seen[..LENGTHS].iter().sum()
    }

    /// Records with the word.
    pub fn all(&self) -> u32 {
        self.seen.iter().sum()
    }
}

/// What an answer brought.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Catch {
    /// Records that came for the first time.
    pub new: Places,
    /// Records that had come before.
    pub again: Places,
}

/// Records by where the word asked for stands in them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Places {
    /// By class.
    pub seen: [u32; CLASSES],
    /// Those where it is nowhere to be seen.
    pub hidden: u32,
}

impl Places {
    /// All of them.
    pub fn all(&self) -> u32 {
        self.hidden + self.seen.iter().sum::<u32>()
    }

    /// Those with the word in the title.
    pub fn title(&self) -> u32 {
        self.seen[LENGTHS..].iter().sum()
    }

    /// Those with the word elsewhere only.
    pub fn body(&self) -> u32 {
        self.seen[..LENGTHS].iter().sum()
    }
}

/// All captures so far.
#[derive(Default)]
pub struct Ledger {
    lexicon: Lexicon,
    tallies: Vec<Tally>,
    captures: FxHashMap<RecordId, u8>,
    once: u32,
    twice: u32,
}

impl Ledger {
    /// The words by number.
    pub fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// Tallies of all words, by number.
    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// The tally of a word.
    pub fn tally(&self, word: &str) -> Tally {
        let number = self.lexicon.number(word);
        number.and_then(|number| self.tallies.get(number as usize)).copied().unwrap_or_default()
    }

    /// Whether a record came just once.
    pub fn came_once(&self, id: RecordId) -> bool {
        self.captures.get(&id) == Some(&1)
    }

    /// Share of the records that came once.
    pub fn once_share(&self) -> f64 {
        f64::from(self.once) / self.captures.len().max(1) as f64
    }

    /// Takes in the records of an answer to a query; `asked` is its word, when it is one.
    /// `keep` is told the words of each new record, and how many of them are of the title.
    pub fn learn(
        &mut self,
        asked: Option<&str>,
        hits: &[Hit<'_>],
        mut keep: impl FnMut(RecordId, &[u32], usize),
    ) -> Catch {
        let asked = asked.and_then(|word| self.lexicon.admit(word));
        let mut catch = Catch::default();
        let mut words = Vec::new();
        for hit in hits {
            let before = self.capture(hit.id);
            let (place, in_title) = self.count(hit, before, asked, &mut words);
            let side = if before == 0 { &mut catch.new } else { &mut catch.again };
            match place {
                Some(class) => side.seen[class.0] += 1,
                None => side.hidden += 1,
            }
            if before == 0 {
                keep(hit.id, &words, in_title);
            }
        }
        catch
    }

    /// Counts a capture; how many there were before.
    fn capture(&mut self, id: RecordId) -> u8 {
        let is_full = self.captures.len() >= MOST_RECORDS;
        let Some(count) = self.captures.get_mut(&id) else {
            if is_full {
                return 2;
            }
            self.captures.insert(id, 1);
            self.once += 1;
            return 0;
        };
        let before = *count;
        *count = before.saturating_add(1);
        match before {
            1 => (self.once, self.twice) = (self.once - 1, self.twice + 1),
            2 => self.twice -= 1,
            _ => {}
        }
        before
    }

    /// Counts the words of a hit; the class it is of for the word asked, when that is to be seen.
    fn count(
        &mut self,
        hit: &Hit<'_>,
        before: u8,
        asked: Option<u32>,
        words: &mut Vec<u32>,
    ) -> (Option<Class>, usize) {
        words.clear();
        let mut in_title = 0;
        self.lexicon.each_of_record(hit.title, hit.text, |number, is_title| {
            words.push(number);
            in_title += usize::from(is_title);
        });
        if self.tallies.len() < self.lexicon.len() {
            self.tallies.resize(self.lexicon.len(), Tally::default());
        }
        let mut place = None;
        for (at, number) in words.iter().enumerate() {
            let class = Class::of(at < in_title, words.len());
            self.tallies[*number as usize].count(class, before);
            if Some(*number) == asked {
                place = Some(class);
            }
        }
        (place, in_title)
    }
}
