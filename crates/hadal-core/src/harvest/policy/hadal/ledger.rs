//! Captures: how often each record came up, and for each word how many records of which kind have it.
//!
//! What was caught once resembles what was never caught, so records are told apart by how often they came.
//! So are those with the word in the title, for many forms search nothing else, and short ones, which few
//! words find. A record's words are counted when it first comes; when it comes again its text is read again,
//! which costs less than keeping it.

use crate::harvest::policy::Hit;
use crate::harvest::policy::lexicon::Lexicon;
use crate::harvest::record::RecordId;
use rustc_hash::FxHashMap;

/// Records whose captures are counted. Beyond them a record counts as one that was caught often.
const MOST_RECORDS: usize = 20_000_000;

/// The records with a word, in one place of theirs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// How many.
    pub count: f32,
    /// How much they are like unseen ones: each record the more, the seldomer it came and the shorter it is.
    pub alike: f32,
}

/// Words of a record that counts half: the more words, the more queries find it.
const HALF: f32 = 64.0;

impl Place {
    /// Counts a record of so many words that had come `before` times.
    fn count(&mut self, words: usize, before: u8) {
        let (brevity, before) = (brevity(words), f32::from(before));
        if before == 0.0 {
            self.count += 1.0;
            self.alike += brevity;
        } else {
            self.alike = (self.alike - brevity / (before * (before + 1.0))).max(0.0);
        }
    }
}

fn brevity(words: usize) -> f32 {
    HALF / (HALF + words as f32)
}

/// In which records a word stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Those that have it in the title.
    pub title: Place,
    /// Those that have it elsewhere only.
    pub body: Place,
}

impl Tally {
    fn count(&mut self, in_title: bool, words: usize, before: u8) {
        let place = if in_title { &mut self.title } else { &mut self.body };
        place.count(words, before);
    }

    /// Counts a record of so many words that came so often; it stands for several.
    pub fn add(&mut self, in_title: bool, words: usize, captures: u8, times: f32) {
        let place = if in_title { &mut self.title } else { &mut self.body };
        place.count += times;
        place.alike += times * brevity(words) / f32::from(captures.max(1));
    }

    /// Records with the word.
    pub fn all(&self) -> f32 {
        self.title.count + self.body.count
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

impl Catch {
    /// All of them.
    pub fn all(&self) -> u32 {
        self.new.all() + self.again.all()
    }
}

/// Records by where the word asked for stands in them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Places {
    /// In the title.
    pub title: u32,
    /// Elsewhere.
    pub body: u32,
    /// Nowhere to be seen.
    pub hidden: u32,
}

impl Places {
    /// All of them.
    pub fn all(&self) -> u32 {
        self.title + self.body + self.hidden
    }
}

/// All captures so far.
#[derive(Default)]
pub struct Ledger {
    lexicon: Lexicon,
    tallies: Vec<Tally>,
    captures: FxHashMap<RecordId, u8>,
    everything: Tally,
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

    /// The tally of a word that every record has.
    pub fn everything(&self) -> &Tally {
        &self.everything
    }

    /// How often a record came.
    pub fn captures(&self, id: RecordId) -> u8 {
        self.captures.get(&id).copied().unwrap_or(0)
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
            *match place {
                Some(true) => &mut side.title,
                Some(false) => &mut side.body,
                None => &mut side.hidden,
            } += 1;
            if before == 0 {
                keep(hit.id, &words, in_title);
            }
        }
        catch
    }

    /// Counts a capture; how many there were before.
    fn capture(&mut self, id: RecordId) -> u8 {
        let is_full = self.captures.len() >= MOST_RECORDS;
        match self.captures.get_mut(&id) {
            Some(count) => {
                *count = count.saturating_add(1);
                *count - 1
            }
            None if is_full => u8::MAX,
            None => {
                self.captures.insert(id, 1);
                0
            }
        }
    }

    /// Counts the words of a hit. Whether the word asked stands in its title, when it is to be seen, and how
    /// many of the words are of the title.
    fn count(
        &mut self,
        hit: &Hit<'_>,
        before: u8,
        asked: Option<u32>,
        words: &mut Vec<u32>,
    ) -> (Option<bool>, usize) {
        words.clear();
        let mut in_title = 0;
        self.lexicon.each_of_record(hit.title, hit.text, |number, is_title| {
            words.push(number);
            in_title += usize::from(is_title);
        });
        if self.tallies.len() < self.lexicon.len() {
            self.tallies.resize(self.lexicon.len(), Tally::default());
        }
        self.everything.count(false, words.len(), before);
        let mut place = None;
        for (at, number) in words.iter().enumerate() {
            self.tallies[*number as usize].count(at < in_title, words.len(), before);
            if Some(*number) == asked {
                place = Some(at < in_title);
            }
        }
        (place, in_title)
    }
}
