//! Sorts more numbers than fit in memory: sorted runs on disk, then one merge.
//!
//! A run is delta-coded, a few bytes per number, so the runs of a graph take less space than the graph itself.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Collects numbers in any order.
pub struct Sorter {
    folder: PathBuf,
    name: &'static str,
    held: Vec<u64>,
    most: usize,
    runs: Vec<PathBuf>,
}

impl Sorter {
    /// Sorter that keeps at most `most` numbers in memory and writes runs named after `name` into a folder.
    pub fn new(folder: &Path, name: &'static str, most: usize) -> Sorter {
        Sorter { folder: folder.to_path_buf(), name, held: Vec::new(), most, runs: Vec::new() }
    }

    /// Adds a number.
    pub fn push(&mut self, number: u64) -> io::Result<()> {
        if self.held.capacity() == 0 {
            self.held.reserve_exact(self.most);
        }
        self.held.push(number);
        if self.held.len() >= self.most { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.held.sort_unstable();
        let path = self.folder.join(format!("{}-{}", self.name, self.runs.len()));
        let mut out = BufWriter::with_capacity(1 << 18, File::create(&path)?);
        let mut last = 0;
        for number in self.held.drain(..) {
            put(&mut out, number - last)?;
            last = number;
        }
        out.flush()?;
        self.runs.push(path);
        Ok(())
    }

    /// All numbers in ascending order. Equal numbers are kept.
    pub fn sorted(mut self) -> io::Result<Merged> {
        self.spill()?;
        let mut merged = Merged { runs: Vec::new(), heads: BinaryHeap::new() };
        for path in &self.runs {
            merged.runs.push(Run { last: 0, bytes: BufReader::with_capacity(1 << 16, File::open(path)?) });
            merged.advance(merged.runs.len() - 1)?;
        }
        Ok(merged)
    }
}

/// Merged runs, in ascending order.
pub struct Merged {
    runs: Vec<Run>,
    heads: BinaryHeap<Reverse<(u64, usize)>>,
}

struct Run {
    last: u64,
    bytes: BufReader<File>,
}

impl Merged {
    fn advance(&mut self, run: usize) -> io::Result<()> {
        let Run { last, bytes } = &mut self.runs[run];
        if let Some(more) = get(bytes)? {
            *last += more;
            self.heads.push(Reverse((*last, run)));
        }
        Ok(())
    }
}

impl Iterator for Merged {
    type Item = io::Result<u64>;

    fn next(&mut self) -> Option<io::Result<u64>> {
        let Reverse((number, run)) = self.heads.pop()?;
        Some(self.advance(run).map(|()| number))
    }
}

/// Writes a number as a variable-length integer: seven bits per byte, lowest first.
pub fn put(out: &mut impl Write, mut number: u64) -> io::Result<()> {
    while number >= 0x80 {
        out.write_all(&[number as u8 | 0x80])?;
        number >>= 7;
    }
    out.write_all(&[number as u8])
}

/// Reads a number that [`put`] wrote; `None` at the end of the input.
pub fn get(bytes: &mut impl Read) -> io::Result<Option<u64>> {
    let (mut number, mut shift, mut byte) = (0, 0, [0]);
    loop {
        match bytes.read_exact(&mut byte) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof && shift == 0 => return Ok(None),
            read => read?,
        }
        if shift > 63 {
            return Err(ErrorKind::InvalidData.into());
        }
        number |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(Some(number));
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back_in_order_however_little_fits_in_memory(
            numbers in proptest::collection::vec(any::<u64>(), 0..200), most in 1_usize..50
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut sorter = Sorter::new(folder.path(), "run", most);
            for number in &numbers {
                sorter.push(*number).unwrap();
            }
            let sorted: Vec<u64> = sorter.sorted().unwrap().map(Result::unwrap).collect();
            let mut expected = numbers;
            expected.sort_unstable();
            prop_assert_eq!(sorted, expected);
        }
    }

    #[test]
    fn half_a_number_is_damage_and_no_number_the_end() {
        assert_eq!(get(&mut &[][..]).unwrap(), None);
        assert!(get(&mut &[0x80][..]).is_err());
        assert!(get(&mut &[0xff; 11][..]).is_err());
    }
}
