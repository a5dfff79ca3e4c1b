//! Lists that are read page by page.

use super::*;

/// Rows of a list and the position of the next page.
///
/// A page may hold fewer rows than the limit, or none, although more follow: a back end examines a bounded number of
/// rows per call. The list ends when `next` is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct RowPage<R, C> {
    /// Rows in the order of the list.
    pub rows: Vec<R>,
    /// Position after which the next page starts.
    pub next: Option<C>,
}

impl<R, C> RowPage<R, C> {
    /// Page of rows. A full page may have a next one, which starts after its last row.
    pub(super) fn of(rows: Vec<R>, limit: usize, cursor: impl FnOnce(&R) -> C) -> RowPage<R, C> {
        let next = rows.last().filter(|_| rows.len() == limit).map(cursor);
        RowPage { rows, next }
    }

    /// Page of rows with their numbers.
    pub(super) fn numbered<N: Copy>(
        rows: Vec<(N, R)>,
        limit: usize,
        cursor: impl FnOnce(N) -> C,
    ) -> RowPage<R, C> {
        let RowPage { rows, next } = RowPage::of(rows, limit, |(number, _)| cursor(*number));
        RowPage { rows: rows.into_iter().map(|(_, row)| row).collect(), next }
    }
}

impl RowPage<Submission, SubmissionCursor> {
    /// Page of the audit log. Queries of users follow the entries of runs and harvests.
    pub(super) fn of_log(rows: Vec<(i64, Submission)>, is_user_query: bool, limit: usize) -> Self {
        let mut page = RowPage::numbered(rows, limit, |number| SubmissionCursor { is_user_query, number });
        if page.next.is_none() && !is_user_query {
            page.next = Some(SubmissionCursor { is_user_query: true, number: 0 });
        }
        page
    }
}

/// Direction of a list by age.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowOrder {
    /// Oldest row first.
    #[default]
    Oldest,
    /// Newest row first.
    Newest,
}

impl RowOrder {
    /// SQL comparison with the row before, and SQL direction.
    pub(super) fn sql(self) -> (&'static str, &'static str) {
        match self {
            RowOrder::Oldest => (">", "ASC"),
            RowOrder::Newest => ("<", "DESC"),
        }
    }

    /// Row number before the first row of a list.
    pub(super) fn start(self) -> i64 {
        match self {
            RowOrder::Oldest => 0,
            RowOrder::Newest => i64::MAX,
        }
    }
}

/// Iterates over all rows of a paged list. `page` reads the page after a position.
pub fn all_rows<R, C>(
    mut page: impl FnMut(Option<C>) -> Result<RowPage<R, C>, StoreError>,
) -> impl Iterator<Item = Result<R, StoreError>> {
    let mut next = Some(None);
    let mut rows = Vec::new().into_iter();
    std::iter::from_fn(move || {
        loop {
            if let Some(row) = rows.next() {
                return Some(Ok(row));
            }
            match page(next.take()?) {
                Ok(read) => (rows, next) = (read.rows.into_iter(), read.next.map(Some)),
                Err(error) => return Some(Err(error)),
            }
        }
    })
}

/// All forms that match, from `query.after` on.
pub fn all_forms(
    store: &dyn Store,
    query: FormQuery,
) -> impl Iterator<Item = Result<FormEntry, StoreError>> + use<'_> {
    all_rows(move |after| store.forms(&FormQuery { after: after.or(query.after.clone()), ..query.clone() }))
}

/// All pages of a run.
pub fn all_pages(
    store: &dyn Store,
    query: PageQuery,
) -> impl Iterator<Item = Result<PageRow, StoreError>> + use<'_> {
    all_rows(move |after| store.pages(&PageQuery { after: after.or(query.after), ..query.clone() }))
}

/// All failures that match.
pub fn all_failures(
    store: &dyn Store,
    query: FailureQuery,
) -> impl Iterator<Item = Result<FailureRow, StoreError>> + use<'_> {
    all_rows(move |after| store.failures(&FailureQuery { after: after.or(query.after), ..query.clone() }))
}

/// All submissions that match.
pub fn all_submissions(
    store: &dyn Store,
    query: SubmissionQuery,
) -> impl Iterator<Item = Result<Submission, StoreError>> + use<'_> {
    all_rows(move |after| {
        store.submissions(&SubmissionQuery { after: after.or(query.after), ..query.clone() })
    })
}

/// All queries of harvests that match.
pub fn all_queries(
    store: &dyn Store,
    query: HarvestRowQuery,
) -> impl Iterator<Item = Result<QueryRow, StoreError>> + use<'_> {
    all_rows(move |after| store.queries(&HarvestRowQuery { after: after.or(query.after), ..query.clone() }))
}

/// All records that match.
pub fn all_records(
    store: &dyn Store,
    query: HarvestRowQuery,
) -> impl Iterator<Item = Result<RecordRow, StoreError>> + use<'_> {
    all_rows(move |after| store.records(&HarvestRowQuery { after: after.or(query.after), ..query.clone() }))
}

/// All labels, by form and topic.
pub fn all_labels(store: &dyn Store) -> impl Iterator<Item = Result<LabelRow, StoreError>> + use<'_> {
    all_rows(move |after| store.labels(&LabelQuery { after, ..LabelQuery::default() }))
}

/// All past answers of a harvest, oldest first. A page holds few of them, since an answer carries the text of its
/// records.
pub fn all_answers(
    store: &dyn Store,
    harvest: HarvestId,
) -> impl Iterator<Item = Result<PastAnswer, StoreError>> + use<'_> {
    // Guess.
    const ANSWERS_PER_PAGE: usize = 8;
    all_rows(move |after| store.past_answers(harvest, after, ANSWERS_PER_PAGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_also_through_empty_ones() {
        let pages = |after: Option<u32>| {
            let n = after.map_or(0, |n| n + 1);
            let rows = if n == 1 { vec![] } else { vec![10 * n, 10 * n + 1] };
            Ok(RowPage { rows, next: (n < 2).then_some(n) })
        };
        let read: Vec<u32> = all_rows(pages).map(Result::unwrap).collect();
        assert_eq!(read, [0, 1, 20, 21]);
    }

    #[test]
    fn an_error_ends_the_list() {
        let mut reads = 0;
        let page = |after: Option<u32>| match after {
            None => Ok(RowPage { rows: vec![1], next: Some(1) }),
            Some(_) => Err(StoreError::BadUrl(String::new())),
        };
        for row in all_rows(page) {
            reads += 1;
            assert!(row.is_ok() || reads == 2);
        }
        assert_eq!(reads, 2);
    }
}
