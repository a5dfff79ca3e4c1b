//! Listing of lessons: one line per iteration and position of the terms.

use super::listing::{Cell, CellKind, Column, Listed};
use super::rows::{column, text};
use crate::store::{LessonRow, RunRow};
use hadal_core::strategy::SelectedFeatures;
use serde_json::json;

/// Terms that one iteration selected in one position.
pub struct LessonLine {
    run: u64,
    topic: String,
    strategy: String,
    row: LessonRow,
    selected: SelectedFeatures,
}

impl LessonLine {
    /// Lines of one lesson. A lesson without selected terms has one line.
    pub fn of(run: &RunRow, mut row: LessonRow) -> Vec<LessonLine> {
        let mut places = std::mem::take(&mut row.lesson.selected);
        if places.is_empty() {
            places.push(SelectedFeatures { space: String::new(), level: None, terms: Vec::new() });
        }
        let line = |selected| LessonLine {
            run: run.id.0,
            topic: run.spec.topic.clone(),
            strategy: run.spec.strategy.clone(),
            row: row.clone(),
            selected,
        };
        places.into_iter().map(line).collect()
    }
}

impl Listed for LessonLine {
    const COLUMNS: &'static [Column] = &[
        column("run", CellKind::Count, Some("run")),
        column("topic", CellKind::Text, None),
        column("strategy", CellKind::Text, None),
        column("iteration", CellKind::Count, Some("iteration")),
        column("at_request", CellKind::Count, Some("at request")),
        column("at_page", CellKind::Count, Some("at page")).detail(),
        column("model", CellKind::Text, Some("model")).detail(),
        column("examples", CellKind::Count, Some("examples")).detail(),
        column("level", CellKind::Nested, Some("level")),
        column("space", CellKind::Text, Some("space")),
        column("terms", CellKind::Nested, Some("terms")),
    ];

    fn cells(&self) -> Vec<Cell> {
        let LessonLine { row, selected, .. } = self;
        vec![
            Cell::Count(self.run),
            text(&self.topic),
            text(&self.strategy),
            Cell::Count(u64::from(row.lesson.iteration)),
            Cell::Count(row.at_request),
            Cell::Count(row.at_page),
            text(&row.lesson.model),
            Cell::Count(u64::from(row.lesson.examples)),
            level(selected.level),
            text(&selected.space),
            terms(&selected.terms),
        ]
    }
}

/// Level of a link model; other models have none.
fn level(level: Option<u8>) -> Cell {
    Cell::Nested { json: json!(level).to_string(), brief: level.map(|n| n.to_string()).unwrap_or_default() }
}

fn terms(terms: &[(String, u32)]) -> Cell {
    let brief: Vec<String> = terms.iter().map(|(term, count)| format!("{term} {count}")).collect();
    Cell::Nested { json: json!(terms).to_string(), brief: brief.join(", ") }
}
