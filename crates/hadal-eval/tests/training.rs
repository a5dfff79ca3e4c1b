//! Formats of the training data, and classifiers trained on a small sample.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use flate2::Compression;
use flate2::write::GzEncoder;
use hadal_core::critic::FormKind;
use hadal_core::critic::classifiers::{Classifiers, decode, encode};
use hadal_core::critic::domain::DOMAINS;
use hadal_eval::forms::{evaluate, summary};
use hadal_eval::training::built_in::{LabelledData, train};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::Path;

const SEARCH: &str = "<form action=/search><input name=q><input type=submit value=Search></form>";
const LOGIN: &str = "<form method=post action=/login><input name=user><input type=password name=pw><input type=submit value=Login></form>";

fn gzip(path: &Path, lines: &[serde_json::Value]) {
    let mut file = GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast());
    lines.iter().for_each(|line| writeln!(file, "{line}").unwrap());
    file.finish().unwrap();
}

/// Twenty pages with a search and a login form each, and two domains with ten sites of one page and one form
/// each.
fn data(folder: &Path) {
    fs::create_dir_all(folder.join("formasaurus/html")).unwrap();
    fs::create_dir_all(folder.join("domains12-dev")).unwrap();
    let mut index = serde_json::Map::new();
    let mut folds = "page\tform_index\tlabel\tfold\n".to_string();
    for page in 0..20 {
        let name = format!("html/{page}.html");
        fs::write(folder.join("formasaurus").join(&name), format!("<title>Page</title>{SEARCH}{LOGIN}"))
            .unwrap();
        let fields = json!([{"q": "query"}, {"user": "username", "pw": "password"}]);
        let entry = json!({"url": format!("http://site{page}.example/"), "forms": ["s", "l"], "visible_html_fields": fields});
        index.insert(name.clone(), entry);
        folds += &format!("{name}\t0\ts\t{0}\n{name}\t1\tl\t{0}\n", page % 10);
    }
    fs::write(folder.join("formasaurus/index.json"), serde_json::to_vec(&index).unwrap()).unwrap();
    fs::write(folder.join("formasaurus-folds.tsv"), folds).unwrap();
    let (mut forms, mut pages) = (Vec::new(), Vec::new());
    for (domain, words) in [("book", "author isbn library novel"), ("hotel", "room guests checkin nights")] {
        for site in 0..10 {
            let (site, title) = (format!("{domain}-{site}"), format!("{domain} search"));
            pages.push(json!({"site": site, "page": "index.html", "site_domain": domain, "language": "en", "title": title, "text": words}));
            let html = format!("<form>{words} <input name={domain}><input type=submit value=Search></form>");
            forms.push(json!({"site": site, "page": "index.html", "form_index": 0, "domain": domain,
                "searchable": true, "kind": "search", "confidence": 0.9, "title": title, "heading": "", "form_html": html}));
        }
    }
    gzip(&folder.join("domains12-dev/forms.jsonl.gz"), &forms);
    gzip(&folder.join("domains12-dev/pages.jsonl.gz"), &pages);
}

#[test]
fn labelled_data_is_read_as_it_is_labelled() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path());
    let data = LabelledData::read(folder.path()).unwrap();
    assert_eq!((data.folded.len(), data.forms.len(), data.pages.len()), (40, 20, 20));
    assert_eq!(data.folded[0].example.kind, FormKind::Search);
    assert_eq!(data.folded[1].example.kind, FormKind::Login);
    assert_eq!(data.folded[1].example.form.fields.len(), 3);
    assert_eq!(data.forms[0].domain, DOMAINS.iter().position(|domain| *domain == "book"));
    assert_eq!(data.forms[0].page.text, "author isbn library novel");
}

#[test]
fn the_same_data_makes_the_same_judges_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path());
    let data = LabelledData::read(folder.path()).unwrap();
    let bytes = encode(&train(&data));
    assert_eq!(bytes, encode(&train(&LabelledData::read(folder.path()).unwrap())));
    let judges: Classifiers = decode(&bytes).unwrap();
    let (search, login) = (&data.folded[0].example, &data.folded[1].example);
    assert_eq!(judges.searchable.classify(&search.form, &search.page).1, FormKind::Search);
    assert_eq!(judges.searchable.classify(&login.form, &login.page).1, FormKind::Login);
}

#[test]
fn figures_are_those_of_sites_that_were_held_back() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path());
    let data = LabelledData::read(folder.path()).unwrap();
    let figures = evaluate(&data, None, 1, &|_| {}).unwrap();
    assert_eq!((figures.searchable.forms, figures.searchable.searches), (40, 20));
    assert_eq!(figures.searchable.rows.iter().map(|row| row.error.estimate).collect::<Vec<_>>(), [0.0, 0.0]);
    assert_eq!(figures.domains.averaged, ["book", "hotel"]);
    assert_eq!(figures.domains.readings[2].accuracy.estimate, 1.0);
    assert!(summary::sections(&figures).iter().all(|section| !section.headings.is_empty()));
}

#[test]
fn missing_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = LabelledData::read(folder.path()).err().unwrap();
    assert!(format!("{error:#}").contains("pages.jsonl.gz"), "{error:#}");
}
