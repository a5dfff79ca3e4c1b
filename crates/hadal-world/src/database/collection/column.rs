//! Column of a collection: each distinct value once, and per record the number of its value.

use rustc_hash::FxHashMap;

/// Value number of a record without a value.
const NO_VALUE: u32 = u32::MAX;

/// Attribute of the records of a collection.
#[derive(Clone, Debug, Default)]
pub struct Column {
    name: String,
    values: Vec<Box<str>>,
    numbers: Vec<Option<f64>>,
    of_record: Vec<u32>,
    known: FxHashMap<Box<str>, u32>,
}

impl Column {
    pub(super) fn named(name: &str) -> Column {
        Column { name: name.to_string(), ..Column::default() }
    }

    /// Name of the column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Distinct values in order of first occurrence. The index is the value number.
    pub fn values(&self) -> &[Box<str>] {
        &self.values
    }

    /// Value number of a record.
    pub fn value_of(&self, record: u32) -> Option<u32> {
        self.of_record.get(record as usize).copied().filter(|value| *value != NO_VALUE)
    }

    /// Value of a record.
    pub fn text_of(&self, record: u32) -> Option<&str> {
        Some(&self.values[self.value_of(record)? as usize])
    }

    /// Value of a record as a number; `None` if it is not a number or date.
    pub fn number_of(&self, record: u32) -> Option<f64> {
        self.numbers[self.value_of(record)? as usize]
    }

    /// Value number of a value.
    pub fn find(&self, value: &str) -> Option<u32> {
        self.known.get(value).copied()
    }

    /// True if at least nine in ten distinct values are numbers or dates.
    pub fn is_numeric(&self) -> bool {
        let numbers = self.numbers.iter().flatten().count();
        numbers > 0 && numbers * 10 >= self.numbers.len() * 9
    }

    /// Number of records with each value, by value number.
    pub fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.values.len()];
        for value in self.of_record.iter().filter(|value| **value != NO_VALUE) {
            counts[*value as usize] += 1;
        }
        counts
    }

    pub(super) fn set(&mut self, record: u32, value: &str) {
        if value.is_empty() {
            return;
        }
        let number = match self.known.get(value) {
            Some(number) => *number,
            None => self.add(value),
        };
        self.of_record.resize(self.of_record.len().max(record as usize + 1), NO_VALUE);
        self.of_record[record as usize] = number;
    }

    fn add(&mut self, value: &str) -> u32 {
        let number = self.values.len() as u32;
        self.values.push(value.into());
        self.numbers.push(number_in(value));
        self.known.insert(value.into(), number);
        number
    }
}

/// Parses a number, a price with currency sign, or a date, which becomes `yyyymmdd`.
pub(in crate::database) fn number_in(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits: String = text.chars().filter(|c| !matches!(c, '-' | '/')).collect();
    if text.len() == 10 && digits.len() == 8 {
        return digits.parse().ok();
    }
    let plain: String = text.chars().filter(|c| !matches!(c, '$' | '€' | '£' | ',')).collect();
    plain.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_once_and_gaps_are_no_values() {
        let mut column = Column::named("make");
        column.set(0, "Orso");
        column.set(2, "Orso");
        column.set(3, "");
        assert_eq!(column.values().len(), 1);
        assert_eq!(
            (column.text_of(0), column.text_of(1), column.text_of(2)),
            (Some("Orso"), None, Some("Orso"))
        );
        assert_eq!(column.counts(), [2]);
    }

    #[test]
    fn numbers_are_read_through_signs_and_dates() {
        assert_eq!(number_in("$1,390.50"), Some(1390.5));
        assert_eq!(number_in("2018-12-27"), Some(20_181_227.0));
        assert_eq!(number_in("negotiable"), None);
        assert_eq!(number_in("inf"), None);
    }
}
