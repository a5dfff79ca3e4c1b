//! The page of one record.

use super::form::labelled;
use super::page::DatabasePage;
use hadal_core::http::Response;

impl DatabasePage<'_> {
    /// Everything about a record.
    pub(super) fn record(self, number: u32) -> Response {
        let database = self.database;
        let record = database.collection.record(number).expect("its address was read against the collection");
        let (title, is_raw) = self.title_of(number, record.title);
        self.document(200, record.title, |page| {
            page.html.open("h1", &[]);
            match is_raw {
                true => page.html.raw(&title),
                false => page.html.text(&title),
            }
            page.html.close("h1");
            page.html.open("table", &[("class", "fields")]);
            let reference = database.reference(number);
            page.row("Reference", &reference);
            for (name, value) in database.collection.fields(number) {
                page.row(&labelled(name), value);
            }
            page.html.close("table");
            page.text_in("p", record.text);
        })
    }

    fn row(&mut self, name: &str, value: &str) {
        self.html.open("tr", &[]);
        self.html.element("th", &[], name);
        self.html.element("td", &[], value);
        self.html.close("tr");
    }
}
