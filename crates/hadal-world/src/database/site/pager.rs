//! Ways to the other pages of an answer.

use super::page::DatabasePage;
use super::parameters::Parameters;
use super::style::CURSOR;
use crate::database::layout::Pager;

/// Numbers shown on either side of the current page.
const AROUND: u32 = 4;

impl DatabasePage<'_> {
    /// Writes the pager: `here` counts from 0.
    pub(super) fn pager(&mut self, here: u32, pages: u32) {
        if pages <= 1 {
            return;
        }
        self.html.open("div", &[("class", "pages")]);
        match self.database.config.layout.pager {
            Pager::Next => self.next_and_back(here, pages),
            Pager::Numbered | Pager::Offset | Pager::Path => self.numbers(here, pages),
            Pager::Buttons => self.buttons(here, pages),
            Pager::Post => self.posted(here, pages),
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
        // Some have numbers only.
        if here + 1 < pages && !self.skin.phrase.is_multiple_of(3) {
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
        self.again("get", &self.kept(), |page| {
            for other in shown {
                let number = (other + page.skin.first_page).to_string();
                page.html.open("input", &[("type", "submit"), ("name", page.skin.page), ("value", &number)]);
            }
        });
    }

    fn posted(&mut self, here: u32, pages: u32) {
        for (other, label) in [(here.checked_sub(1), self.wording.back), (Some(here + 1), self.next_label())]
        {
            let Some(other) = other.filter(|other| *other < pages) else { continue };
            let number = (other + self.skin.first_page).to_string();
            let parameters = self.kept().with(&[], self.skin.page, &number);
            self.again("post", &parameters, |page| {
                page.html.open("input", &[("type", "submit"), ("value", label)]);
            });
        }
    }

    /// A form that asks the same again.
    fn again(&mut self, method: &str, parameters: &Parameters, buttons: impl FnOnce(&mut Self)) {
        self.html.open("form", &[("action", self.skin.action), ("method", method), ("class", "pager")]);
        for (name, value) in parameters.iter() {
            self.html.open("input", &[("type", "hidden"), ("name", name), ("value", value)]);
        }
        buttons(self);
        self.html.close("form");
    }

    fn next_label(&self) -> &'static str {
        self.wording.next[(self.skin.phrase / 2 % 2) as usize]
    }

    /// What the question was, without the page, with a fresh token.
    fn kept(&self) -> Parameters {
        let without = [self.skin.page, self.skin.offset, CURSOR];
        self.parameters.with(&without, self.skin.token, &self.token().unwrap_or_default())
    }

    /// Where a page of the same answer stands.
    fn page_path(&self, page: u32) -> String {
        let (skin, kept) = (&self.skin, self.kept());
        let action = if skin.short_links { "" } else { skin.action };
        let offset = || (page * self.database.config.page_size + skin.first_offset).to_string();
        match self.database.config.layout.pager {
            Pager::Path => format!("{}/page/{}?{}", skin.action, page + skin.first_page, kept.encoded()),
            Pager::Offset | Pager::More => {
                format!("{action}?{}", kept.with(&[], skin.offset, &offset()).encoded())
            }
            Pager::Cursor => {
                format!("{action}?{CURSOR}={}", kept.with(&[], skin.offset, &offset()).sealed())
            }
            Pager::Next | Pager::Numbered | Pager::Buttons | Pager::Post => {
                let number = (page + skin.first_page).to_string();
                format!("{action}?{}", kept.with(&[], skin.page, &number).encoded())
            }
        }
    }
}

fn shown_pages(here: u32, pages: u32) -> std::ops::Range<u32> {
    here.saturating_sub(AROUND)..pages.min(here.saturating_add(AROUND + 1))
}
