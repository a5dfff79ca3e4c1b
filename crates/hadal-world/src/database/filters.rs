//! Conditions on attributes.

use super::Database;
use super::collection::Collection;
use super::collection::Column;
use super::query::Filter;
use super::search::ranking::Scored;

/// A choice with its attribute looked up.
enum ResolvedFilter<'d> {
    Is(&'d Column, Option<u32>),
    Between(&'d Column, f64, f64),
    Begins(&'d Collection, char),
}

impl ResolvedFilter<'_> {
    fn holds(&self, record: u32) -> bool {
        match self {
            ResolvedFilter::Is(column, value) => value.is_some() && column.value_of(record) == *value,
            ResolvedFilter::Between(column, low, high) => {
                column.number_of(record).is_some_and(|number| (*low..=*high).contains(&number))
            }
            ResolvedFilter::Begins(collection, letter) => {
                let title = collection.record(record).map_or("", |record| record.title);
                title.chars().find(|c| c.is_alphanumeric()).is_some_and(|first| same_letter(first, *letter))
            }
        }
    }
}

impl Database {
    /// Keeps the records that meet every choice. An attribute that no record has is met by none.
    pub(super) fn narrow(&self, fit: &mut Scored, choices: &[Filter]) {
        let conditions: Vec<Option<ResolvedFilter<'_>>> =
            choices.iter().map(|choice| self.condition(choice)).collect();
        if conditions.is_empty() {
            return;
        }
        fit.retain(|(record, _)| {
            conditions.iter().all(|met| met.as_ref().is_some_and(|met| met.holds(*record)))
        });
    }

    fn condition(&self, choice: &Filter) -> Option<ResolvedFilter<'_>> {
        let column = |name: &str| self.collection.column(name).map(|(_, column)| column);
        Some(match choice {
            Filter::Is { column: name, value } => {
                let column = column(name)?;
                ResolvedFilter::Is(column, column.find(value))
            }
            Filter::Between { column: name, low, high } => {
                let (low, high) = (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
                ResolvedFilter::Between(column(name)?, low, high)
            }
            Filter::Begins(letter) => ResolvedFilter::Begins(&self.collection, *letter),
        })
    }
}

fn same_letter(one: char, other: char) -> bool {
    one == other || one.to_lowercase().eq(other.to_lowercase())
}
