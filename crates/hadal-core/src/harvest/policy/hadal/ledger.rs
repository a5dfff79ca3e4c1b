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

/// In how many records a word stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// In the title.
    pub title: u32,
    /// In the title, the record having come once.
    pub title_once: u32,
    /// In the rest of the text only.
    pub body: u32,
    /// In the rest of the text only, the record having come once.
    pub body_once: u32,
}

/// What an answer brought, by where the word asked for stands in its records.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Catch {
    /// Records that came for the first time.
    pub new: Places,
    /// Records that had come before.
    pub again: Places,
}

/// Records by where a word stands in them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Places {
    /// In the title.
    pub title: u32,
    /// In the rest of the text only.
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

    /// Records that have come.
    pub fn records(&self) -> usize {
        self.captures.len()
    }

    /// Share of them that came once.
    pub fn once_share(&self) -> f64 {
        f64::from(self.once) / self.captures.len().max(1) as f64
    }

    /// Takes in the records of an answer to a query; `asked` is its word, when it is one.
    /// `keep` is told the words of each new record.
    pub fn learn(
        &mut self,
        asked: Option<&str>,
        hits: &[Hit<'_>],
        mut keep: impl FnMut(RecordId, &[u32]),
    ) -> Catch {
        let asked = asked.and_then(|word| self.lexicon.admit(word));
        let mut catch = Catch::default();
        let mut words = Vec::new();
        for hit in hits {
            let before = self.capture(hit.id);
            let place = self.count(hit, before, asked, &mut words);
            let side = if before == 0 { &mut catch.new } else { &mut catch.again };
            match place {
                Some(true) => side.title += 1,
                Some(false) => side.body += 1,
                None => side.hidden += 1,
            }
            if before == 0 {
                keep(hit.id, &words);
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

    /// Counts the words of a hit; where the word asked for stands: in the title, elsewhere, nowhere.
    fn count(&mut self, hit: &Hit<'_>, before: u8, asked: Option<u32>, words: &mut Vec<u32>) -> Option<bool> {
        let mut place = None;
        words.clear();
        let tallies = &mut self.tallies;
        self.lexicon.each_of_record(hit.title, hit.text, |number, in_title| {
            if Some(number) == asked {
                place = Some(in_title);
            }
            let at = number as usize;
            if tallies.len() <= at {
                tallies.resize(at + 1, Tally::default());
            }
            tallies[at].count(in_title, before);
            words.push(number);
        });
        place
    }
}

impl Tally {
    fn count(&mut self, in_title: bool, before: u8) {
        let (all, once) = match in_title {
            true => (&mut self.title, &mut self.title_once),
            false => (&mut self.body, &mut self.body_once),
        };
        match before {
            0 => (*all, *once) = (*all + 1, *once + 1),
            1 => *once = once.saturating_sub(1),
            _ => {}
        }
    }

    /// Records with the word.
    pub fn all(&self) -> u32 {
        self.title + self.body
    }

    /// Records with the word that came once.
    pub fn once(&self) -> u32 {
        self.title_once + self.body_once
    }
}
