//! Conditions on attributes.

use super::Database;
use super::asked::Choice;
use super::collection::Collection;
use super::column::Column;
use super::ranking::Scored;

/// A choice with its attribute looked up.
enum Condition<'d> {
    Is(&'d Column, Option<u32>),
    Between(&'d Column, f64, f64),
    Begins(&'d Collection, char),
}

impl Condition<'_> {
    fn holds(&self, record: u32) -> bool {
        match self {
            Condition::Is(column, value) => value.is_some() && column.value_of(record) == *value,
            Condition::Between(column, low, high) => {
                column.number_of(record).is_some_and(|number| (*low..=*high).contains(&number))
            }
            Condition::Begins(collection, letter) => {
                let title = collection.record(record).map_or("", |record| record.title);
                title.chars().find(|c| c.is_alphanumeric()).is_some_and(|first| same_letter(first, *letter))
            }
        }
    }
}

impl Database {
    /// Keeps the records that meet every choice. An attribute that no record has is met by none.
    pub(super) fn narrow(&self, fit: &mut Scored, choices: &[Choice]) {
        let conditions: Vec<Option<Condition<'_>>> =
            choices.iter().map(|choice| self.condition(choice)).collect();
        if conditions.is_empty() {
            return;
        }
        fit.retain(|(record, _)| {
            conditions.iter().all(|met| met.as_ref().is_some_and(|met| met.holds(*record)))
        });
    }

    fn condition(&self, choice: &Choice) -> Option<Condition<'_>> {
        let column = |name: &str| self.collection.column(name).map(|(_, column)| column);
        Some(match choice {
            Choice::Is { column: name, value } => {
                let column = column(name)?;
                Condition::Is(column, column.find(value))
            }
            Choice::Between { column: name, low, high } => {
                let (low, high) = (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
                Condition::Between(column(name)?, low, high)
            }
            Choice::Begins(letter) => Condition::Begins(&self.collection, *letter),
        })
    }
}

fn same_letter(one: char, other: char) -> bool {
    one == other || one.to_lowercase().eq(other.to_lowercase())
}
