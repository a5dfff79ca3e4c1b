//! Posting lists: for each term the records that contain it, how often, and at which positions.
//!
//! A list has two byte streams of variable-length integers. The *entry* stream holds per record
//! `2 * (record - previous record) + (1 if the frequency is 1)`, followed by the frequency if it is not 1.
//! The *position* stream, kept only for phrase search, holds per occurrence the difference to the previous
//! position in that record.

/// Growing posting list of one term.
#[derive(Default)]
pub(super) struct PostingBuilder {
    entries: Vec<u8>,
    positions: Vec<u8>,
    last_record: u32,
    records: u32,
}

impl PostingBuilder {
    /// Adds a record. Records come in ascending order, and so do the positions, which must not be empty.
    pub(super) fn push(
        &mut self,
        record: u32,
        positions: impl ExactSizeIterator<Item = u32>,
        with_positions: bool,
    ) {
        let frequency = positions.len() as u32;
        let delta = u64::from(record - self.last_record);
        push_varint(&mut self.entries, delta << 1 | u64::from(frequency == 1));
        if frequency != 1 {
            push_varint(&mut self.entries, u64::from(frequency));
        }
        self.last_record = record;
        self.records += 1;
        if with_positions {
            let mut previous = 0;
            for position in positions {
                push_varint(&mut self.positions, u64::from(position - previous));
                previous = position;
            }
        }
    }
}

/// Posting lists of all terms, one after another.
#[derive(Default)]
pub(super) struct PostingLists {
    entries: Vec<u8>,
    positions: Vec<u8>,
    spans: Vec<ListSpan>,
}

/// Start of one list in both streams, and its number of records.
#[derive(Clone, Copy)]
struct ListSpan {
    entries: u32,
    positions: u32,
    records: u32,
}

const TOO_LARGE: &str = "the index of a collection in memory stays below 4 GB";

impl PostingLists {
    /// Appends the list of the next term.
    pub(super) fn push(&mut self, list: PostingBuilder) {
        self.spans.push(ListSpan {
            entries: u32::try_from(self.entries.len()).expect(TOO_LARGE),
            positions: u32::try_from(self.positions.len()).expect(TOO_LARGE),
            records: list.records,
        });
        self.entries.extend(list.entries);
        self.positions.extend(list.positions);
    }

    /// Releases memory reserved for growth.
    pub(super) fn finish(&mut self) {
        self.entries.shrink_to_fit();
        self.positions.shrink_to_fit();
        self.spans.shrink_to_fit();
    }

    /// Number of records that contain a term.
    pub(super) fn record_count(&self, term: u32) -> u32 {
        self.spans[term as usize].records
    }

    /// Records that contain a term, in ascending order, each with the term's frequency in it.
    pub(super) fn entries(&self, term: u32) -> Entries<'_> {
        let span = self.spans[term as usize];
        Entries { bytes: &self.entries[span.entries as usize..], record: 0, left: span.records }
    }

    /// Calls `visit` with record and position of each occurrence of a term, in ascending order. `within` restricts the
    /// visit to the records of a sorted list.
    pub(super) fn each_position(&self, term: u32, within: Option<&[u32]>, mut visit: impl FnMut(u32, u32)) {
        let mut positions = &self.positions[self.spans[term as usize].positions as usize..];
        let mut wanted = within.map(|records| records.iter().peekable());
        for (record, frequency) in self.entries(term) {
            let is_wanted = match &mut wanted {
                None => true,
                Some(records) => {
                    while records.next_if(|wanted| **wanted < record).is_some() {}
                    match records.peek() {
                        Some(next) => **next == record,
                        None => return,
                    }
                }
            };
            if !is_wanted {
                skip_varints(&mut positions, frequency);
                continue;
            }
            let mut position = 0;
            for _ in 0..frequency {
                position += read_varint(&mut positions) as u32;
                visit(record, position);
            }
        }
    }
}

/// Iterator over records and frequencies of one posting list.
pub(super) struct Entries<'p> {
    bytes: &'p [u8],
    record: u32,
    left: u32,
}

impl Iterator for Entries<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        self.left = self.left.checked_sub(1)?;
        let head = read_varint(&mut self.bytes);
        self.record += (head >> 1) as u32;
        let frequency = if head & 1 == 1 { 1 } else { read_varint(&mut self.bytes) as u32 };
        Some((self.record, frequency))
    }
}

/// Appends seven bits per byte, lowest first; the high bit marks that more bytes follow.
fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn read_varint(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    while let Some((byte, rest)) = bytes.split_first() {
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            break;
        }
        shift += 7;
    }
    value
}

fn skip_varints(bytes: &mut &[u8], count: u32) {
    for _ in 0..count {
        read_varint(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(records: &[(u32, &[u32])]) -> PostingLists {
        let mut builder = PostingBuilder::default();
        for (record, positions) in records {
            builder.push(*record, positions.iter().copied(), true);
        }
        let mut lists = PostingLists::default();
        lists.push(PostingBuilder::default());
        lists.push(builder);
        lists
    }

    #[test]
    fn lists_are_read_back_as_written() {
        let lists = list(&[(0, &[0]), (3, &[5, 6, 900]), (100_000, &[70_000])]);
        assert_eq!(lists.record_count(1), 3);
        assert_eq!(lists.entries(0).count(), 0);
        assert_eq!(lists.entries(1).collect::<Vec<_>>(), [(0, 1), (3, 3), (100_000, 1)]);
        let mut all = Vec::new();
        lists.each_position(1, None, |record, position| all.push((record, position)));
        assert_eq!(all, [(0, 0), (3, 5), (3, 6), (3, 900), (100_000, 70_000)]);
    }

    #[test]
    fn positions_can_be_read_for_some_records_only() {
        let lists = list(&[(1, &[4, 8]), (2, &[1]), (9, &[3])]);
        let mut some = Vec::new();
        lists.each_position(1, Some(&[0, 2, 5]), |record, position| some.push((record, position)));
        assert_eq!(some, [(2, 1)]);
    }
}
