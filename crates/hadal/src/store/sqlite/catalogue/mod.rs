//! The catalogue in its tables.

pub mod curves;
mod directory;
mod watching;

use super::super::search::SearchWords;
use super::super::*;
use super::harvest::{books, records};
use super::lock::CrawlLock;
use super::{SqliteStore, frontier, runs};
use hadal_core::harvest::record::RecordId;
use hadal_core::identity::FormId;

impl SqliteStore {
    /// Says what people made of these forms.
    fn label(&self, forms: &mut [FormSummary]) -> Result<(), StoreError> {
        let keys: Vec<(FormId, &str)> =
            forms.iter().map(|form| (form.place.form, form.place.topic.as_str())).collect();
        let labels = self.notes.labels_of(&keys)?;
        forms.iter_mut().zip(labels).for_each(|(form, label)| form.label = label);
        Ok(())
    }

    /// The forms with the label that is asked for, when one is.
    fn named(&self, marks: LabelFilter) -> Result<Option<Vec<FormId>>, StoreError> {
        let LabelFilter::Only(label) = marks else { return Ok(None) };
        self.notes.labelled(label).map(Some)
    }
}

impl Catalogue for SqliteStore {
    fn run_page(
        &self,
        topic: Option<&str>,
        before: Option<RunId>,
        most: usize,
    ) -> Result<Vec<RunRow>, StoreError> {
        self.reading(|db| runs::newest(db, topic, before, most))
    }

    fn run_row(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        self.reading(|db| runs::one(db, run))
    }

    fn curve(&self, run: RunId) -> Result<Vec<CurvePoint>, StoreError> {
        self.with(|db| curves::of_run(db, run))
    }

    fn lanes(&self, run: RunId, most: usize) -> Result<Vec<QueueLength>, StoreError> {
        self.reading(|db| watching::lanes(db, run, most))
    }

    fn latest_pages(&self, run: RunId, most: usize) -> Result<Vec<PageRow>, StoreError> {
        self.with(|db| watching::latest_pages(db, run, most))
    }

    fn followed(&self, run: RunId, link: LinkId) -> Result<Option<FollowedLink>, StoreError> {
        let found = self.with(|db| frontier::link(db, run, link))?;
        Ok(found
            .map(|waiting| FollowedLink { placed: Some((waiting.queue, waiting.score)), link: waiting.link }))
    }

    fn latest_lessons(&self, run: RunId, most: usize) -> Result<Vec<LessonRow>, StoreError> {
        self.with(|db| watching::latest_lessons(db, run, most))
    }

    fn saved_strategy(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(|db| runs::saved(db, run))
    }

    fn directory(&self, query: &FormQuery) -> Result<DirectoryPage<FormEntry>, StoreError> {
        let DirectoryPage { forms, next } = self.glances(query)?;
        let row = |form: &FormSummary| {
            let row = self.with(|db| directory::row(db, form.run, form.place.form))?;
            Ok(row.map(|row| FormEntry { run: form.run, row, label: form.label }))
        };
        let forms = forms.iter().map(row).filter_map(Result::transpose).collect::<Result<_, StoreError>>()?;
        Ok(DirectoryPage { forms, next })
    }

    fn glances(&self, query: &FormQuery) -> Result<DirectoryPage<FormSummary>, StoreError> {
        let only = self.named(query.marks)?;
        let mut page = DirectoryPage { forms: Vec::new(), next: query.after.clone() };
        let mut left = MOST_SCANNED;
        loop {
            // One more than wanted tells whether there is a next page.
            let most = (query.most.saturating_sub(page.forms.len()) + 1, left);
            let place = page.next.as_ref();
            let scan = self.with(|db| directory::scan(db, query, place, only.as_deref(), most))?;
            let mut forms = scan.forms;
            self.label(&mut forms)?;
            for form in forms.into_iter().filter(|form| query.marks.take(form.label)) {
                if page.forms.len() == query.most {
                    return Ok(page);
                }
                page.next = Some(form.place.clone());
                page.forms.push(form);
            }
            left -= scan.looked;
            page.next = scan.end;
            if page.next.is_none() || left == 0 {
                return Ok(page);
            }
        }
    }

    fn found(&self, form: FormId, topic: Option<&str>) -> Result<Option<FormEntry>, StoreError> {
        let Some((run, row)) = self.with(|db| directory::one(db, form, topic))? else { return Ok(None) };
        let label = self.notes.labels_of(&[(form, &row.topic)])?.pop().flatten();
        Ok(Some(FormEntry { run, row, label }))
    }

    fn mark(&self, row: &LabelRow) -> Result<(), StoreError> {
        self.notes.mark(row)
    }

    fn unmark(&self, form: FormId, topic: &str) -> Result<(), StoreError> {
        self.notes.unmark(form, topic)
    }

    fn labels(&self, after: Option<(FormId, &str)>, most: usize) -> Result<Vec<LabelRow>, StoreError> {
        self.notes.labels(after, most)
    }

    fn harvest_page(&self, before: Option<HarvestId>, most: usize) -> Result<Vec<HarvestRow>, StoreError> {
        self.reading(|db| books::newest(db, before, most))
    }

    fn record_page(
        &self,
        harvest: HarvestId,
        search: Option<&str>,
        after: Option<RecordId>,
        most: usize,
    ) -> Result<RecordPage, StoreError> {
        let sought = search.map(SearchWords::of);
        self.reading(|db| {
            let last = records::number_of(db, harvest, after.map(|record| record.0))?;
            let (rows, end) = records::after(db, harvest, sought.as_ref(), last, most)?;
            let next = end.map(|n| records::id_at(db, n)).transpose()?;
            Ok(RecordPage { records: rows, next })
        })
    }

    fn harvest_curve(&self, harvest: HarvestId) -> Result<Vec<HarvestPoint>, StoreError> {
        self.with(|db| curves::of_harvest(db, harvest))
    }

    fn outlook(&self, harvest: HarvestId) -> Result<Vec<String>, StoreError> {
        self.with(|db| books::outlook(db, harvest))
    }

    fn is_busy(&self) -> bool {
        CrawlLock::is_taken(&self.folder)
    }

    fn log_question(&self, entry: &Submission) -> Result<u64, StoreError> {
        self.notes.log(entry)
    }

    fn end_question(&self, number: u64, answer: &SubmissionResult) -> Result<(), StoreError> {
        self.notes.complete(number, answer)
    }
}
