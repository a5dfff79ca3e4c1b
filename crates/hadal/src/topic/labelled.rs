//! Folders of labelled pages: `relevant/*.html` are pages whose most searchable form is of the topic, `other/*.html`
//! pages where it is not.

use anyhow::{Context, ensure};
use hadal_core::address::Site;
use hadal_core::critic::Critic;
use hadal_core::html::parse;
use hadal_core::http::DEFAULT_BODY_LIMIT;
use hadal_core::page::Page;
use std::io::Read;
use std::path::{Path, PathBuf};
use url::Url;

/// A page with its label.
pub struct LabelledPage {
    pub path: PathBuf,
    pub page: Page,
    /// True if the page's form is of the topic.
    pub relevant: bool,
}

impl LabelledPage {
    /// Bootstrap group: the site if the page names it, else the file.
    pub fn group(&self) -> String {
        match self.page.url.host_str() {
            Some(NOWHERE) | None => self.path.display().to_string(),
            Some(_) => Site::of(&self.page.url).0.to_string(),
        }
    }

    /// `p_relevant` of the page's most searchable form; zero without a form.
    pub fn p_relevant(&self, critic: &dyn Critic) -> f32 {
        let about = critic.judge_page(&self.page);
        let judged = self.page.forms.iter().map(|form| critic.judge_form(form, &self.page, &about));
        let likeliest = judged.reduce(|kept, next| match next.p_searchable > kept.p_searchable {
            true => next,
            false => kept,
        });
        likeliest.map_or(0.0, |verdict| verdict.p_relevant)
    }
}

/// Reads the pages of both folders, sorted by name.
pub fn read(folder: &Path) -> anyhow::Result<Vec<LabelledPage>> {
    let mut all = Vec::new();
    for (name, relevant) in [("relevant", true), ("other", false)] {
        let folder = folder.join(name);
        if relevant || folder.is_dir() {
            for path in pages_in(&folder)? {
                all.push(LabelledPage { page: page(&path)?, path, relevant });
            }
        }
    }
    ensure!(all.iter().any(|page| page.relevant), "{} has no relevant/*.html", folder.display());
    Ok(all)
}

/// True if a file name is that of an HTML page.
pub fn is_html(path: &Path) -> bool {
    let named = |extension: &str| ["html", "htm", "xhtml"].contains(&extension.to_lowercase().as_str());
    path.extension().and_then(|extension| extension.to_str()).is_some_and(named)
}

/// All HTML files of a folder and its subfolders, sorted by name.
pub fn pages_in(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("could not read {}", folder.display()))?;
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let mut pages = Vec::new();
    for path in entries {
        if path.is_dir() && !path.is_symlink() {
            pages.extend(pages_in(&path)?);
        } else if is_html(&path) {
            pages.push(path);
        }
    }
    Ok(pages)
}

/// Host of pages without a known URL. Names of folders must not reach the classifiers.
const NOWHERE: &str = "page.invalid";

/// Reads a page. Its URL is the base or canonical URL that it names, else an invalid one.
pub fn page(path: &Path) -> anyhow::Result<Page> {
    let context = || format!("could not read {}", path.display());
    let mut body = Vec::new();
    let file = std::fs::File::open(path).with_context(context)?;
    file.take(DEFAULT_BODY_LIMIT).read_to_end(&mut body).with_context(context)?;
    let nowhere = Url::parse(&format!("http://{NOWHERE}/")).expect("a valid address");
    let page = parse(&body, Some("text/html"), &nowhere);
    let known = |url: &Url| matches!(url.scheme(), "http" | "https") && url.host_str() != Some(NOWHERE);
    let named = page.hints.canonical.clone().filter(known).or_else(|| Some(page.base.clone()).filter(known));
    Ok(match named {
        Some(url) => parse(&body, Some("text/html"), &url),
        None => page,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::critic::trained::{CriticTarget, TrainedCritic};

    const BOOKS: &str = "<title>Book search</title><form action=/find>Author <input name=author> ISBN
        <input name=isbn> <input type=submit value=Search></form>";

    #[test]
    fn pages_are_labelled_by_their_folder_and_grouped_by_the_site_they_name() {
        let dir = tempfile::tempdir().unwrap();
        for (name, html) in [
            ("relevant/a.html", format!("<link rel=canonical href=http://www.b.example/x>{BOOKS}")),
            ("relevant/deep/b.htm", BOOKS.to_string()),
            ("other/c.html", "<p>no form".to_string()),
            ("other/notes.txt", "not a page".to_string()),
        ] {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, html).unwrap();
        }
        let pages = read(dir.path()).unwrap();
        assert_eq!(pages.iter().map(|page| page.relevant).collect::<Vec<_>>(), [true, true, false]);
        assert_eq!(pages[0].group(), "b.example");
        assert!(pages[1].group().ends_with("b.htm"));
        let critic = TrainedCritic::new(CriticTarget::built_in("book").unwrap());
        assert!(pages[0].p_relevant(&critic) > 0.5);
        assert_eq!(pages[2].p_relevant(&critic), 0.0);
    }

    #[test]
    fn a_folder_without_relevant_pages_is_none() {
        let dir = tempfile::tempdir().unwrap();
        assert!(read(dir.path()).is_err());
        std::fs::create_dir(dir.path().join("relevant")).unwrap();
        assert!(read(dir.path()).is_err());
    }
}
