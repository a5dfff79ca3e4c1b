//! Links and buttons to the other result pages.

use super::page::DatabasePage;
use super::parameters::Parameters;
use super::style::CURSOR;
use crate::database::layout::Pager;

/// Page numbers shown before and after the current page. Guess.
const NUMBERS_AROUND: u32 = 4;

impl DatabasePage<'_> {
    /// Writes the pager. `here` is the current page, from 0.
    pub(super) fn pager(&mut self, here: u32, pages: u32) {
        if pages <= 1 {
            return;
        }
        self.html.open("div", &[("class", "pages")]);
        match self.database.config.layout.pager {
            Pager::Next => self.next_and_back(here, pages),
            Pager::Icons => self.icons(here, pages),
            Pager::Numbered | Pager::Offset | Pager::Path => self.numbers(here, pages),
            Pager::Buttons => self.buttons(here, pages),
            Pager::Post => self.post_forms(here, pages),
            Pager::Cursor => self.one_link(here, pages, self.wording.next[0]),
            Pager::More => self.one_link(here, pages, self.wording.more),
        }
        self.html.close("div");
    }

    fn next_and_back(&mut self, here: u32, pages: u32) {
        if here > 0 {
            let href = self.page_path(here - 1);
            self.html.element("a", &[("href", &href), ("rel", "prev")], self.wording.back);
        }
        if here + 1 < pages {
            let href = self.page_path(here + 1);
            self.html.element("a", &[("href", &href), ("rel", "next")], self.next_label());
        }
    }

    fn icons(&mut self, here: u32, pages: u32) {
        let [newer, older] = if self.style.phrase.is_multiple_of(2) {
            ["paging_newer", "paging_older"]
        } else {
            ["previous icon", "next icon"]
        };
        for (other, class) in [(here.checked_sub(1), newer), (Some(here + 1), older)] {
            let Some(other) = other.filter(|other| *other < pages) else { continue };
            let href = self.page_path(other);
            self.html.element("a", &[("href", &href), ("class", class)], "");
        }
    }

    fn numbers(&mut self, here: u32, pages: u32) {
        for page in shown_pages(here, pages) {
            let label = (page + 1).to_string();
            if page == here {
                self.html.element("b", &[], &label);
            } else {
                let href = self.page_path(page);
                self.html.element("a", &[("href", &href)], &label);
            }
        }
        // One layout in three has numbers only.
        if here + 1 < pages && !self.style.phrase.is_multiple_of(3) {
            let href = self.page_path(here + 1);
            self.html.element("a", &[("href", &href)], self.next_label());
        }
    }

    fn one_link(&mut self, here: u32, pages: u32, label: &str) {
        if here + 1 < pages {
            let href = self.page_path(here + 1);
            self.html.element("a", &[("href", &href), ("class", "more")], label);
        }
    }

    fn buttons(&mut self, here: u32, pages: u32) {
        let shown = shown_pages(here, pages).filter(|page| *page != here);
        self.repeat_form("get", &self.query_parameters(), |page| {
            for other in shown {
                let number = (other + page.style.first_page).to_string();
                page.html.open("input", &[("type", "submit"), ("name", page.style.page), ("value", &number)]);
            }
        });
    }

    fn post_forms(&mut self, here: u32, pages: u32) {
        for (other, label) in [(here.checked_sub(1), self.wording.back), (Some(here + 1), self.next_label())]
        {
            let Some(other) = other.filter(|other| *other < pages) else { continue };
            let number = (other + self.style.first_page).to_string();
            let parameters = self.query_parameters().with(&[], self.style.page, &number);
            self.repeat_form("post", &parameters, |page| {
                page.html.open("input", &[("type", "submit"), ("value", label)]);
            });
        }
    }

    /// Writes a form that repeats the query.
    fn repeat_form(&mut self, method: &str, parameters: &Parameters, buttons: impl FnOnce(&mut Self)) {
        self.html.open("form", &[("action", self.style.action), ("method", method), ("class", "pager")]);
        for (name, value) in parameters.iter() {
            self.html.open("input", &[("type", "hidden"), ("name", name), ("value", value)]);
        }
        buttons(self);
        self.html.close("form");
    }

    fn next_label(&self) -> &'static str {
        self.wording.next[(self.style.phrase / 2 % 2) as usize]
    }

    /// Parameters of the query without the page, with a fresh token.
    fn query_parameters(&self) -> Parameters {
        let without = [self.style.page, self.style.offset, CURSOR];
        self.parameters.with(&without, self.style.token, &self.token().unwrap_or_default())
    }

    /// Path and query of another page of the same results.
    fn page_path(&self, page: u32) -> String {
        let (style, kept) = (&self.style, self.query_parameters());
        let action = if style.short_links { "" } else { style.action };
        let offset = || (page * self.requested_page_size() + style.first_offset).to_string();
        match self.database.config.layout.pager {
            Pager::Path => format!("{}/page/{}?{}", style.action, page + style.first_page, kept.encoded()),
            Pager::Offset | Pager::More => {
                format!("{action}?{}", kept.with(&[], style.offset, &offset()).encoded())
            }
            Pager::Cursor => {
                format!("{action}?{CURSOR}={}", kept.with(&[], style.offset, &offset()).as_cursor())
            }
            Pager::Next | Pager::Icons | Pager::Numbered | Pager::Buttons | Pager::Post => {
                let number = (page + style.first_page).to_string();
                format!("{action}?{}", kept.with(&[], style.page, &number).encoded())
            }
        }
    }
}

fn shown_pages(here: u32, pages: u32) -> std::ops::Range<u32> {
    here.saturating_sub(NUMBERS_AROUND)..pages.min(here.saturating_add(NUMBERS_AROUND + 1))
}
