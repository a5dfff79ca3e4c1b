//! Ground truth of the simulated web as a listing. An empty topic means none; database 0 means none.

use super::listing::{Cell, CellKind, Column, Listed};
use hadal_world::TrueForm;

impl Listed for TrueForm {
    const COLUMNS: &'static [Column] = &[
        Column { name: "form_id", kind: CellKind::Text, heading: Some("form") },
        Column { name: "topic", kind: CellKind::Text, heading: Some("topic") },
        Column { name: "kind", kind: CellKind::Text, heading: Some("kind") },
        Column { name: "site", kind: CellKind::Text, heading: Some("site") },
        Column { name: "host", kind: CellKind::Text, heading: None },
        Column { name: "page_url", kind: CellKind::Text, heading: Some("page") },
        Column { name: "pages", kind: CellKind::Count, heading: Some("pages") },
        Column { name: "depth", kind: CellKind::Count, heading: Some("depth") },
        Column { name: "database", kind: CellKind::Count, heading: None },
        Column { name: "behaviour", kind: CellKind::Text, heading: None },
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
