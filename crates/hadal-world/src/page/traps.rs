//! Spaces without an end.

use crate::page::PageWriter;
use crate::site::Site;
use crate::site::profile::Trap;

/// A page of an endless space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrapPage {
    /// A month.
    Month(u32, u32),
    /// A page of the archive.
    Archive(u32),
    /// So many steps down a path that grows.
    Grown(u32),
}

/// The spot at a path, if the trap has one there.
pub(crate) fn spot(trap: Trap, path: &str) -> Option<TrapPage> {
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

/// Writes such a page: almost the same everywhere, and always with a next one.
pub(crate) fn page(site: &Site<'_>, spot: TrapPage) -> String {
    let (title, onward, backward) = match spot {
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
        if let Some(backward) = backward {
            doc.html.element("a", &[("href", &backward)], "Previous");
        }
        doc.html.element("a", &[("href", &onward), ("rel", "next")], "Next");
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spots_are_read_from_their_paths_and_nothing_else() {
        assert_eq!(spot(Trap::Calendar, "/calendar/2031/12"), Some(TrapPage::Month(2031, 12)));
        assert_eq!(spot(Trap::Calendar, "/calendar/2031/13"), None);
        assert_eq!(spot(Trap::EndlessNext, "/archive?page=77"), Some(TrapPage::Archive(77)));
        assert_eq!(spot(Trap::GrowingPath, "/more/more/more/"), Some(TrapPage::Grown(2)));
        assert_eq!(spot(Trap::GrowingPath, "/more/less/"), None);
        assert_eq!(spot(Trap::GrowingPath, "/more/more"), None);
    }
}
