//! Pages of crawler traps.

use crate::page::PageWriter;
use crate::site::Site;
use crate::site::profile::Trap;

/// Page of a crawler trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrapPage {
    /// Year and month of the calendar.
    Month(u32, u32),
    /// Page number of the archive.
    Archive(u32),
    /// Number of repeated steps in a growing path.
    Grown(u32),
}

/// Page of a trap at a path.
pub(crate) fn trap_page(trap: Trap, path: &str) -> Option<TrapPage> {
    match trap {
        Trap::Calendar => {
            let (year, month) = path.strip_prefix("/calendar/")?.split_once('/')?;
            let month = month.parse().ok().filter(|month| (1..=12).contains(month))?;
            Some(TrapPage::Month(year.parse().ok().filter(|year| *year < u32::MAX)?, month))
        }
        Trap::EndlessNext => {
            let number = path.strip_prefix("/archive?page=")?.parse().ok();
            number.filter(|number| *number < u32::MAX).map(TrapPage::Archive)
        }
        Trap::GrowingPath => {
            let steps = path.strip_prefix("/more/")?;
            let grown = steps.split_terminator('/').all(|step| step == "more") && !steps.contains("//");
            let whole = steps.is_empty() || steps.ends_with('/');
            (grown && whole).then(|| TrapPage::Grown(steps.matches('/').count() as u32))
        }
        Trap::Sessions => None,
    }
}

/// Document of a trap page. All have nearly the same text and a link to a next page.
pub(crate) fn trap_document(site: &Site<'_>, page: TrapPage) -> String {
    let (title, next, previous) = match page {
        TrapPage::Month(year, month) => (
            format!("Events {month}/{year}"),
            if month == 12 {
                format!("/calendar/{}/1", year + 1)
            } else {
                format!("/calendar/{year}/{}", month + 1)
            },
            (month > 1).then(|| format!("/calendar/{year}/{}", month - 1)),
        ),
        TrapPage::Archive(number) => (
            format!("Archive, page {number}"),
            format!("/archive?page={}", number + 1),
            (number > 1).then(|| format!("/archive?page={}", number - 1)),
        ),
        TrapPage::Grown(_) => ("More".to_string(), "more/".to_string(), None),
    };
    PageWriter::document(site, "", 0xca1, &title, |doc| {
        doc.html.element("h1", &[], &title);
        doc.filler(2);
        if let Some(previous) = previous {
            doc.html.element("a", &[("href", &previous)], "Previous");
        }
        doc.html.element("a", &[("href", &next), ("rel", "next")], "Next");
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trap_paths_are_trap_pages() {
        assert_eq!(trap_page(Trap::Calendar, "/calendar/2031/12"), Some(TrapPage::Month(2031, 12)));
        assert_eq!(trap_page(Trap::Calendar, "/calendar/2031/13"), None);
        assert_eq!(trap_page(Trap::EndlessNext, "/archive?page=77"), Some(TrapPage::Archive(77)));
        assert_eq!(trap_page(Trap::GrowingPath, "/more/more/more/"), Some(TrapPage::Grown(2)));
        assert_eq!(trap_page(Trap::GrowingPath, "/more/less/"), None);
        assert_eq!(trap_page(Trap::GrowingPath, "/more/more"), None);
    }
}
