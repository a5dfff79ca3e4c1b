//! Pages of sites: the frame that all pages of a site share, and the pages of the page tree.
//!
//! Every page links to the home page, all sections, its ancestors and its children; other links stay on the same level.
//! So the click distance of a page from the home page equals its depth in the tree.

pub(crate) mod markup;
mod template;
pub(crate) mod text;
pub(crate) mod traps;

use crate::form::content::form_content;
use crate::form::markup::write_form;
use crate::form::plan::{FormScope, PlannedForm};
use crate::lexicon::lexicon;
use crate::page::markup::HtmlWriter;
use crate::page::template::{PageFrame, Template};
use crate::page::text::push_sentences;
use crate::random::{SeededRng, mix};
use crate::site::Site;
use crate::site::profile::Trap;
use hadal_core::critic::FormKind;

/// Link to a page of another site.
pub(crate) struct OffSiteLink {
    pub(crate) url: String,
    pub(crate) anchor: String,
    /// Text after the link.
    pub(crate) snippet: String,
}

/// Page of a site being written.
pub(crate) struct PageWriter<'a> {
    pub(crate) site: &'a Site<'a>,
    pub(crate) html: HtmlWriter,
    pub(crate) rng: SeededRng,
    template: Template,
    /// Session id that every link carries (`;jsessionid=...`), or an empty string.
    session: String,
    seed: u64,
}

impl<'a> PageWriter<'a> {
    /// Writes a document; `main` writes its main part. `key` identifies the page within the site.
    pub(crate) fn document(
        site: &'a Site<'a>,
        session: &str,
        key: u64,
        title: &str,
        main: impl FnOnce(&mut PageWriter<'a>),
    ) -> String {
        let seed = mix(site.profile.seed, key);
        let template = Template::of(site, seed);
        let html = HtmlWriter::new(template.markup);
        let rng = SeededRng::new(seed, 60);
        let mut page = PageWriter { site, html, rng, template, session: session.to_string(), seed };
        page.top(title);
        main(&mut page);
        page.bottom();
        page.html.out
    }

    fn top(&mut self, title: &str) {
        let mut description = String::new();
        push_sentences(&mut description, self.site, 14, 40, &mut self.rng);
        self.template.push_head(&mut self.html.out, title, &description);
        self.html.open("body", &[]);
        self.html.open("div", &[("class", self.template.header), ("id", "top")]);
        let home = self.href(0);
        self.html.open("a", &[("href", &home), ("class", "logo")]);
        self.html
            .open("img", &[("src", "/img/logo.gif"), ("alt", "Home"), ("width", "180"), ("height", "60")]);
        self.html.close("a");
        self.forms(|form| form.scope == FormScope::Everywhere && form.kind == FormKind::Search);
        self.html.close("div");
        if self.template.frame == PageFrame::Table {
            self.html.raw("<table width=\"100%\" cellspacing=\"0\"><tr><td valign=\"top\" width=\"170\">\n");
        }
        self.menu();
        match self.template.frame {
            PageFrame::Table => self.html.raw("</td><td valign=\"top\">\n"),
            PageFrame::Blocks => self.html.open("div", &[("class", self.template.main), ("id", "main")]),
        }
    }

    fn menu(&mut self) {
        self.html.open("ul", &[("class", self.template.menu)]);
        for section in self.site.tree.children(0) {
            self.html.open("li", &[]);
            self.link(section);
            if self.template.wordy_menu {
                self.html.raw(" ");
                let snippet = self.site.snippet(section, &mut self.rng);
                self.html.element("small", &[], &snippet);
            }
            self.html.close("li");
        }
        self.html.close("ul");
    }

    fn bottom(&mut self) {
        match self.template.frame {
            PageFrame::Table => self.html.raw("</td></tr></table>\n"),
            PageFrame::Blocks => self.html.close("div"),
        }
        self.html.open("div", &[("class", self.template.side)]);
        self.forms(|form| form.scope == FormScope::Everywhere && form.kind != FormKind::Search);
        self.filler(1);
        self.html.close("div");
        self.html.open("div", &[("class", self.template.footer)]);
        let utilities = self.site.forms.iter().filter(|form| form.scope == FormScope::Utility);
        for form in utilities {
            let path = self.with_session(&Site::utility_path(form));
            self.html.element("a", &[("href", &path)], utility_name(form.kind));
            self.html.raw(" | ");
        }
        self.trap_link();
        self.html.raw("<p class=\"small\">All rights reserved. <!-- cached copy --></p>\n");
        self.html.close("div");
        self.html.raw("</body>\n</html>\n");
    }

    fn trap_link(&mut self) {
        let (path, text) = match self.site.profile.trap {
            Some(Trap::Calendar) => ("/calendar/2009/1", "Events calendar"),
            Some(Trap::EndlessNext) => ("/archive?page=1", "Archive"),
            Some(Trap::GrowingPath) => ("/more/", "See more"),
            Some(Trap::Sessions) | None => return,
        };
        self.html.element("a", &[("href", path)], text);
    }

    /// Address of a page for the links of this page: absolute on sites with two hosts.
    pub(crate) fn href(&self, page: u32) -> String {
        let path = self.with_session(&self.site.path(page));
        if self.site.profile.second_host { self.site.root(self.site.host_of(page)) + &path } else { path }
    }

    pub(crate) fn with_session(&self, path: &str) -> String {
        let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
        [path, &self.session, query].concat()
    }

    pub(crate) fn link(&mut self, page: u32) {
        let (href, anchor) = (self.href(page), self.site.anchor(page));
        self.html.element("a", &[("href", &href)], &anchor);
    }

    /// Writes the site's forms that satisfy a condition.
    pub(crate) fn forms(&mut self, wanted: impl Fn(&PlannedForm) -> bool) {
        let site = self.site;
        for form in site.forms.iter().filter(|form| wanted(form)) {
            let content = form_content(form);
            let target = self.with_session(&content.action);
            let target =
                if site.profile.second_host { site.root(site.main_host()) + &target } else { target };
            let token = format!("{:016x}", mix(self.seed, form.seed));
            write_form(&mut self.html, &content, form.seed, &target, &token);
        }
    }

    /// Writes paragraphs, with an image or a table after some of them.
    pub(crate) fn filler(&mut self, paragraphs: u32) {
        for _ in 0..paragraphs {
            self.html.open("p", &[]);
            let (words, topical) = (self.rng.between(40, 130), u64::from(self.rng.between(10, 90)));
            push_sentences(&mut self.html.out, self.site, words, topical, &mut self.rng);
            self.html.close("p");
            match self.rng.below(8) {
                0 => self.image(),
                1 => self.table(),
                _ => {}
            }
        }
    }

    fn image(&mut self) {
        let source = format!("/img/photo{}.jpg", self.rng.below(500));
        self.html.open("img", &[("src", &source), ("alt", ""), ("width", "320"), ("height", "200")]);
    }

    fn table(&mut self) {
        self.html.open("table", &[("class", "data"), ("border", "1")]);
        for _ in 0..self.rng.between(3, 8) {
            self.html.open("tr", &[]);
            let number = self.rng.below(10_000).to_string();
            let name = lexicon().background(self.rng.bits());
            self.html.element("td", &[("class", "name")], name);
            self.html.element("td", &[("class", "value")], &number);
            self.html.close("tr");
        }
        self.html.close("table");
    }

    /// Writes a list of links to pages, with snippets.
    pub(crate) fn list(&mut self, pages: impl Iterator<Item = u32>) {
        self.html.open("ul", &[("class", self.template.list)]);
        for page in pages {
            self.html.open("li", &[("class", "item")]);
            self.link(page);
            self.html.raw(" ");
            let snippet = self.site.snippet(page, &mut self.rng);
            self.html.element("span", &[("class", "desc")], &snippet);
            self.html.close("li");
        }
        self.html.close("ul");
    }

    fn off_site_links(&mut self, links: &[OffSiteLink]) {
        self.html.open("div", &[("class", "ext")]);
        for link in links {
            self.html.open("p", &[]);
            self.html.element("a", &[("href", &link.url)], &link.anchor);
            self.html.raw(" ");
            self.html.text(&link.snippet);
            self.html.close("p");
        }
        self.html.close("div");
    }

    fn breadcrumbs(&mut self, page: u32) {
        let mut ancestors: Vec<u32> = self.site.tree.ancestors(page).collect();
        ancestors.reverse();
        self.html.open("div", &[("class", "path")]);
        for ancestor in ancestors {
            self.link(ancestor);
            self.html.raw(" &raquo; ");
        }
        self.html.close("div");
    }
}

/// Document of a page of the page tree.
pub(crate) fn tree_page(site: &Site<'_>, page: u32, session: &str, off_site_links: &[OffSiteLink]) -> String {
    let title = site.title(page);
    PageWriter::document(site, session, 0x1000 + u64::from(page), &title, |doc| {
        doc.breadcrumbs(page);
        doc.html.element("h1", &[], &title);
        let paragraphs = 2 + (3.0 / (1.0 - doc.rng.unit()).powf(0.45)).min(40.0) as u32;
        doc.filler(paragraphs / 2);
        doc.forms(|form| form.scope != FormScope::Everywhere && form.scope.covers(site.tree, page));
        doc.list(site.tree.children(page));
        doc.filler(paragraphs - paragraphs / 2);
        doc.list(related(site, page));
        doc.extras(page);
        doc.off_site_links(off_site_links);
    })
}

/// The next pages on the same level, which a page links to.
pub(crate) fn related(site: &Site<'_>, page: u32) -> impl Iterator<Item = u32> {
    let level = site.tree.level(site.tree.depth(page));
    let width = level.end - level.start;
    let count = RELATED.min(width.saturating_sub(1));
    (1..=count).map(move |step| level.start + (page - level.start + step) % width)
}

/// Number of pages on the same level that a page links to. Guess.
pub(crate) const RELATED: u32 = 6;

impl PageWriter<'_> {
    /// Writes links to files and to old addresses that redirect.
    fn extras(&mut self, page: u32) {
        if self.rng.chance(0.15) {
            let path = format!("/files/report-{}.pdf", self.rng.below(90));
            self.html.element("a", &[("href", &path)], "Download (PDF)");
        }
        if self.rng.chance(0.1) {
            let path = format!("/old/{page}");
            self.html.element("a", &[("href", &path), ("rel", "bookmark")], "permanent link");
        }
    }
}

fn utility_name(kind: FormKind) -> &'static str {
    match kind {
        FormKind::Login => "Log in",
        FormKind::Registration => "Join us",
        FormKind::Recovery => "Lost password",
        FormKind::Contact => "Contact",
        FormKind::Newsletter => "Newsletter",
        _ => "Help",
    }
}
