//! Captures: how often each record came up, and for each word how many records of which kind have it.
//!
//! What was caught once resembles what was never caught, so records are told apart by how often they came.
//! So are those with the word in the title, for many forms search nothing else, and short ones, which few
//! words find. A record has the words that it had when it first came, as far as a [`Sample`] remembers them; when
//! it comes again and is not in the sample, its text is read again.

use super::sample::Sample;
use crate::harvest::policy::Hit;
use crate::harvest::policy::lexicon::Lexicon;
use crate::harvest::record::RecordId;
use crate::text::language::Language;
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

/// Records by where the word asked for stands in them, or stood when they first came.
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
    sample: Sample,
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

    /// For each word that stands beside all of the given ones in some record, the tally of those records.
    pub fn beside(&self, given: &[u32]) -> FxHashMap<u32, Tally> {
        self.sample.beside(given, |id| self.captures(id))
    }

    /// From now on the forms of a word are one. Tells for each word which one it is now.
    pub fn fold(&mut self, language: &'static Language) -> Vec<u32> {
        let folded = self.lexicon.fold(language);
        let (tallies, captures) = (&mut self.tallies, &self.captures);
        tallies.fill(Tally::default());
        self.sample.fold(&folded, |id, words, in_title, times| {
            let captures = captures.get(&id).copied().unwrap_or(1);
            for (at, word) in words.iter().enumerate() {
                tallies[*word as usize].add(at < in_title, words.len(), captures, times);
            }
        });
        folded
    }

    /// Takes in the records of an answer to a query; `asked` is its word, when it is one.
    pub fn learn(&mut self, asked: Option<&str>, hits: &[Hit<'_>]) -> Catch {
        let asked = asked.and_then(|word| self.lexicon.admit(word));
        let mut catch = Catch::default();
        let mut words = Vec::new();
        for hit in hits {
            let before = self.capture(hit.id);
            let in_title = self.read(hit, before, &mut words);
            self.count(&words, in_title, before);
            let side = if before == 0 { &mut catch.new } else { &mut catch.again };
            *match words.iter().position(|word| Some(*word) == asked) {
                Some(at) if at < in_title => &mut side.title,
                Some(_) => &mut side.body,
                None => &mut side.hidden,
            } += 1;
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

    /// The words of a hit, those of its title first, and how many these are.
    fn read(&mut self, hit: &Hit<'_>, before: u8, words: &mut Vec<u32>) -> usize {
        words.clear();
        if let Some(in_title) = self.sample.read(hit.id, words) {
            return in_title;
        }
        let mut in_title = 0;
        self.lexicon.each_of_record(hit.title, hit.text, |number, is_title| {
            words.push(number);
            in_title += usize::from(is_title);
        });
        if before == 0 {
            self.sample.add(hit.id, words, in_title);
        }
        in_title
    }

    fn count(&mut self, words: &[u32], in_title: usize, before: u8) {
        if self.tallies.len() < self.lexicon.len() {
            self.tallies.resize(self.lexicon.len(), Tally::default());
        }
        self.everything.count(false, words.len(), before);
        for (at, number) in words.iter().enumerate() {
            self.tallies[*number as usize].count(at < in_title, words.len(), before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(id: u64, title: &'static str, text: &'static str) -> Hit<'static> {
        Hit { id: RecordId(id), is_new: true, title, text, fields: &[] }
    }

    #[test]
    fn a_record_has_the_words_that_it_had_when_it_first_came() {
        let mut ledger = Ledger::default();
        ledger.learn(Some("boat"), &[hit(1, "harbor", "harbor boat")]);
        let catch = ledger.learn(Some("anchor"), &[hit(1, "harbor", "harbor anchor"), hit(2, "", "anchor")]);
        assert_eq!((catch.again.hidden, catch.new.body), (1, 1));
        assert_eq!((ledger.tally("boat").all(), ledger.tally("anchor").all()), (1.0, 1.0));
        assert_eq!(ledger.learn(Some("harbor"), &[hit(1, "", "")]).again.title, 1);
    }

    #[test]
    fn what_was_counted_before_words_are_folded_counts_as_if_they_always_had_been() {
        let english = Language::of(Some("en"));
        let answers = [
            vec![hit(1, "boats", "boats and a boat"), hit(2, "", "storms")],
            vec![hit(1, "", "again"), hit(3, "storm", "storm boating")],
        ];
        let (mut before, mut after) = (Ledger::default(), Ledger::default());
        before.fold(english);
        answers.iter().for_each(|hits| _ = before.learn(None, hits));
        answers.iter().for_each(|hits| _ = after.learn(None, hits));
        after.fold(english);
        for word in ["boat", "boating", "storm", "and"] {
            assert_eq!(before.tally(word), after.tally(word), "{word}");
        }
        assert_eq!(before.tally("boats").all(), 2.0);
    }
}
