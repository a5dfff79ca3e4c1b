//! Ground truth of the simulated web as a listing. An empty topic means none; database 0 means none.

use super::listing::{Cell, CellKind, Column, Listed};
use hadal_world::TrueForm;

impl Listed for TrueForm {
    const COLUMNS: &'static [Column] = &[
        Column::new("form_id", CellKind::Word, Some("form")),
        Column::new("topic", CellKind::Text, Some("topic")),
        Column::new("kind", CellKind::Text, Some("kind")),
        Column::new("site", CellKind::Text, Some("site")),
        Column::new("host", CellKind::Text, None),
        Column::new("page_url", CellKind::Text, Some("page")),
        Column::new("pages", CellKind::Count, Some("pages")),
        Column::new("depth", CellKind::Count, Some("depth")),
        Column::new("database", CellKind::Count, None),
        Column::new("behaviour", CellKind::Text, None),
    ];

    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::Text(self.form_id.to_string()),
            Cell::Text(self.topic.unwrap_or_default().to_string()),
            Cell::Text(self.kind.name().to_string()),
            Cell::Text(self.site.clone()),
            Cell::Text(self.host.clone()),
            Cell::Text(self.page_url.to_string()),
            Cell::Count(u64::from(self.pages)),
            Cell::Count(u64::from(self.depth)),
            Cell::Count(u64::from(self.database.unwrap_or_default())),
            Cell::Text(self.behaviour.name().to_string()),
        ]
    }
}
