//! One small collection in many layouts. In each of them the reader must find all records, give each the same id for
//! every query, and ignore facets, menus and lists of popular items. Links may contain sessions and positions.

use hadal_core::harvest::answer::{Answer, AnswerKind, AnswerReader, AnswerSample};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::record::RecordId;
use hadal_core::html::{Document, parse_with_outline};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use url::Url;

const WORDS: [&str; 24] = [
    "amber", "barge", "cedar", "delta", "ember", "fjord", "grain", "heron", "inlet", "jetty", "kelp",
    "ledge", "marsh", "north", "otter", "plank", "quartz", "reef", "sable", "tide", "umber", "vale", "wharf",
    "yarrow",
];
const PAGE: usize = 10;

/// A record of the collection.
struct Item {
    number: usize,
    title: String,
    text: String,
    year: usize,
}

/// Deterministic pseudo-random number below `below`.
fn draw(seed: usize, below: usize) -> usize {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as usize % below
}

/// 70 records with words of [`WORDS`]; words with a low index are frequent.
fn collection() -> Vec<Item> {
    let word = |seed: usize| WORDS[draw(seed, 24).min(draw(seed + 7_000, 24))];
    let item = |number: usize| {
        let pick = |nth: usize| word(number * 31 + nth);
        let title = format!("{} {} {}", pick(1), pick(2), 100 + draw(number, 800));
        let text: Vec<&str> = (3..9 + draw(number, 9)).map(pick).collect();
        Item { number: 1_000 + number * 7, title, text: text.join(" "), year: 1900 + draw(number + 3, 120) }
    };
    (0..70).map(item).collect()
}

/// Markup of a site's records.
#[derive(Clone, Copy, Debug)]
struct Layout {
    name: &'static str,
    /// Markup of one record, from its URL, title, text and year.
    row: fn(&str, &str, &str, usize) -> String,
    /// Markup before and after all records.
    around: (&'static str, &'static str),
    /// Records per row of a grid, and the markup before and after a row.
    grid: Option<(usize, &'static str, &'static str)>,
    /// Markup between two records.
    between: &'static str,
}

const LAYOUTS: [Layout; 13] = [
    Layout {
        name: "list",
        row: |u, t, x, y| format!("<li><a href='{u}'>{t}</a><p>{x}</p><i>{y}</i></li>"),
        around: ("<ul>", "</ul>"),
        grid: None,
        between: "",
    },
    Layout {
        name: "titles",
        row: |u, t, _, _| format!("<li><a href='{u}'>{t}</a></li>"),
        around: ("<ol class=found>", "</ol>"),
        grid: None,
        between: "",
    },
    Layout {
        name: "cards",
        row: |u, t, x, y| {
            format!(
                "<div class='c c{y}'><a href='{u}'><img src=/i.png></a><div><h3><a href='{u}'>{t}</a></h3><div>{x}</div><span>Year</span> <span>{y}</span></div></div>"
            )
        },
        around: ("<div>", "</div>"),
        grid: None,
        between: "",
    },
    Layout {
        name: "table",
        row: |u, t, x, y| {
            format!(
                "<tr><td>{y}</td><td><a href='{u}'>{t}</a></td><td>{x}</td><td><a href='/by/{y}'>more of {y}</a></td></tr>"
            )
        },
        around: ("<table><tr><th>Year</th><th>Name</th><th>About</th><th></th></tr>", "</table>"),
        grid: None,
        between: "",
    },
    Layout {
        name: "pairs",
        row: |u, t, x, y| {
            format!("<tr><td><a href='{u}'>{t}</a></td><td>{y}</td></tr><tr><td colspan=2>{x}</td></tr>")
        },
        around: ("<table>", "</table>"),
        grid: None,
        between: "",
    },
    Layout {
        name: "terms",
        row: |u, t, x, y| format!("<dt><a href='{u}'>{t}</a></dt><dd>{x}</dd><dd>{y}</dd>"),
        around: ("<dl>", "</dl>"),
        grid: None,
        between: "",
    },
    Layout {
        name: "flat",
        row: |u, t, x, y| format!("<h3><a href='{u}'>{t}</a></h3><p>{x}</p><p class=y>{y}</p>"),
        around: ("<div id=main>", "</div>"),
        grid: None,
        between: "",
    },
    Layout {
        name: "cells",
        row: |u, t, x, y| {
            format!("<td><a href='{u}'><img src=/t.gif></a><br><a href='{u}'>{t}</a><br>{x}<br>{y}</td>")
        },
        around: ("<table>", "</table>"),
        grid: Some((3, "<tr>", "</tr>")),
        between: "",
    },
    Layout {
        name: "columns",
        row: |u, t, x, _| format!("<div class=col><a href='{u}'><b>{t}</b></a><p>{x}</p></div>"),
        around: ("<div class=grid>", "</div>"),
        grid: Some((4, "<div class=row>", "</div>")),
        between: "",
    },
    Layout {
        name: "ruled",
        row: |u, t, x, y| format!("<a href='{u}'>{t}</a> {y}<br>{x}"),
        around: ("<div>", "</div>"),
        grid: None,
        between: "<hr>",
    },
    Layout {
        name: "lines",
        row: |u, t, x, y| format!("<a href='{u}'>{t}</a> - {x} ({y})<br>"),
        around: ("<p>", "</p>"),
        grid: None,
        between: "",
    },
    Layout {
        name: "boxes",
        row: |u, t, x, y| {
            format!(
                "<div><input type=checkbox name=r value={y}><label>{y}</label><p><a href='{u}'>{t}</a></p><p>{x}</p></div>"
            )
        },
        around: ("<form action=/basket>", "<input type=submit value=Keep></form>"),
        grid: None,
        between: "",
    },
    Layout {
        name: "plain",
        row: |_, t, x, y| format!("<tr><td>{y}</td><td>{t}</td><td>{x}</td></tr>"),
        around: (
            "<table><thead><tr><th>Year</th><th>Name</th><th>About</th></tr></thead><tbody>",
            "</tbody></table>",
        ),
        grid: None,
        between: "",
    },
];

/// Layouts of records without links, each in several elements.
const LINKLESS_LAYOUTS: [Layout; 2] = [
    Layout {
        name: "row pairs",
        row: |_, t, x, y| format!("<tr><td>{t}</td><td>{y}</td></tr><tr><td colspan=2>{x}</td></tr>"),
        around: ("<table>", "</table>"),
        grid: None,
        between: "",
    },
    Layout {
        name: "sheets",
        row: |_, t, x, y| {
            format!(
                "<table><tr><th>Name</th><td>{t}</td></tr><tr><th>Year</th><td>{y}</td></tr><tr><th>About</th><td>{x}</td></tr></table>"
            )
        },
        around: ("<div>", "</div>"),
        grid: None,
        between: "",
    },
];

/// Additions of a site to its result pages.
#[derive(Clone, Copy, Debug)]
struct SiteStyle {
    /// The page has facets, related searches and a long menu.
    busy: bool,
    /// The page lists popular items in the markup of the results, other ones on every page.
    popular: bool,
    /// The page states the number of results.
    counts: bool,
    /// Links contain a session, the position and the query.
    session_links: bool,
}

struct Site<'a> {
    items: &'a [Item],
    layout: Layout,
    style: SiteStyle,
}

impl Site<'_> {
    fn hits(&self, word: &str) -> Vec<&Item> {
        self.items.iter().filter(|item| item.title.contains(word) || item.text.contains(word)).collect()
    }

    fn row(&self, item: &Item, word: &str, position: usize) -> String {
        let link = match self.style.session_links {
            true => format!(
                "/show?id={}&pos={position}&q={word}&t={:08x}ff",
                item.number,
                draw(word.len() * 97 + WORDS.iter().position(|w| *w == word).unwrap_or(50), 1 << 30)
            ),
            false => format!("/item/{}", item.number),
        };
        let marked = |text: &str| {
            if word.is_empty() { text.to_string() } else { text.replace(word, &format!("<b>{word}</b>")) }
        };
        (self.layout.row)(&link, &marked(&item.title), &marked(&item.text), item.year)
    }

    fn rows(&self, items: &[&Item], word: &str, first: usize) -> String {
        let rows: Vec<String> =
            items.iter().enumerate().map(|(nth, item)| self.row(item, word, first + nth + 1)).collect();
        let (open, close) = self.layout.around;
        let inner = match self.layout.grid {
            Some((size, open, close)) => {
                rows.chunks(size).map(|chunk| format!("{open}{}{close}", chunk.concat())).collect()
            }
            None => rows.join(self.layout.between),
        };
        format!("{open}{inner}{close}")
    }

    fn page(&self, word: &str, page: usize) -> String {
        let hits = self.hits(word);
        let shown: Vec<&Item> = hits.iter().skip(page * PAGE).take(PAGE).copied().collect();
        let mut html = String::from("<html><head><title>Collection</title></head><body>");
        if self.style.busy {
            let menu: String = WORDS
                .iter()
                .map(|word| format!("<li><a href='/about/{word}'>All about {word} and friends</a></li>"))
                .collect();
            write!(html, "<ul>{menu}</ul>").unwrap();
        }
        write!(html, "<form action=/find><input name=q value='{word}'></form>").unwrap();
        match shown.is_empty() {
            true => html.push_str("<p>The shelves are bare, alas.</p>"),
            false => {
                if self.style.counts {
                    write!(
                        html,
                        "<p>{}-{} of {}</p>",
                        page * PAGE + 1,
                        page * PAGE + shown.len(),
                        hits.len()
                    )
                    .unwrap();
                }
                html.push_str(&self.rows(&shown, word, page * PAGE));
                if hits.len() > (page + 1) * PAGE {
                    write!(html, "<p><a href='/find?q={word}&amp;page={}'>Next</a></p>", page + 1).unwrap();
                }
            }
        }
        if self.style.busy && !shown.is_empty() {
            let facets: String = (0..30)
                .map(|nth| {
                    format!(
                        "<li><a href='/find?q={word}&amp;year={}'>{}</a> ({})</li>",
                        1900 + nth,
                        1900 + nth,
                        nth % 4 + 1
                    )
                })
                .collect();
            let related: String = WORDS
                .iter()
                .take(8)
                .map(|other| format!("<a href='/find?q={word}+{other}'>{word} {other}</a> "))
                .collect();
            write!(html, "<div class=side><ul>{facets}</ul></div><div>{related}</div>").unwrap();
        }
        if self.style.popular {
            let seed = word.bytes().map(usize::from).sum::<usize>();
            let popular: Vec<&Item> =
                (0..4).map(|nth| &self.items[draw(seed + nth, self.items.len())]).collect();
            write!(html, "<aside><h4>Popular</h4>{}</aside>", self.rows(&popular, "", 0)).unwrap();
        }
        html + "<div class=foot>Run by friends of the coast</div></body></html>"
    }

    fn document(&self, word: &str, page: usize) -> Document {
        let url = match page {
            0 => format!("http://coast.example/find?q={word}"),
            _ => format!("http://coast.example/find?q={word}&page={page}"),
        };
        parse_with_outline(
            self.page(word, page).as_bytes(),
            Some("text/html; charset=utf-8"),
            &Url::parse(&url).unwrap(),
        )
    }
}

/// Numbers of records that were expected, found and found as expected; ids by title.
#[derive(Default)]
struct ReadingScore {
    expected: usize,
    found: usize,
    right: usize,
    ids: BTreeMap<String, BTreeSet<RecordId>>,
    faults: Vec<String>,
}

impl ReadingScore {
    fn add(&mut self, site: &Site<'_>, word: &str, page: usize, answer: &Answer) {
        let hits = site.hits(word);
        let expected: BTreeSet<&str> =
            hits.iter().skip(page * PAGE).take(PAGE).map(|item| item.title.as_str()).collect();
        let found: BTreeSet<&str> = answer.records.iter().map(|record| record.title.as_str()).collect();
        self.expected += expected.len();
        self.found += answer.records.len();
        self.right += expected.intersection(&found).count();
        for record in &answer.records {
            self.ids.entry(record.title.clone()).or_default().insert(record.id);
        }
        let goes_on = hits.len() > (page + 1) * PAGE;
        if answer.next.is_some() != goes_on && !expected.is_empty() {
            self.faults.push(format!(
                "{word} {page}: next {:?}",
                answer.next.as_ref().map(|next| next.request.url.as_str())
            ));
        }
        if expected.is_empty() != (answer.kind == AnswerKind::Nothing)
            || expected.len() != found.intersection(&expected).count()
        {
            self.faults.push(format!(
                "{word} {page}: {:?}, {} of {} records, e.g. {:?}",
                answer.kind,
                found.len(),
                expected.len(),
                found.iter().next()
            ));
        }
    }
}

/// Reader that learned from the answers to three words at once.
fn learned(site: &Site<'_>, first: [&str; 3]) -> AnswerReader {
    let documents: Vec<(Document, Query)> =
        first.iter().map(|word| (site.document(word, 0), Query::words(word))).collect();
    let samples: Vec<AnswerSample<'_>> =
        documents.iter().map(|(document, query)| AnswerSample { document, status: 200, query }).collect();
    AnswerReader::learn(&samples)
}

/// Reader that learned from one answer after the other: no results first, then few records, then more.
fn improved(site: &Site<'_>) -> AnswerReader {
    let mut words = WORDS.to_vec();
    words.sort_by_key(|word| site.hits(word).len());
    let mut reader = AnswerReader::default();
    for word in ["qzxqzx", words[0], words[1], words[20], words[23]] {
        let document = site.document(word, 0);
        reader.improve(&AnswerSample { document: &document, status: 200, query: &Query::words(word) });
    }
    reader
}

/// Reads the answers to every word and to two unknown words.
fn harvest(site: &Site<'_>, reader: &AnswerReader) -> ReadingScore {
    let mut score = ReadingScore::default();
    for word in WORDS.iter().chain(["qzxqzx", "zzyyxx"].iter()) {
        for page in 0..2 {
            if page > 0 && site.hits(word).len() <= PAGE * page {
                continue;
            }
            let answer = reader.read(&site.document(word, page), 200, &Query::words(word));
            score.add(site, word, page, &answer);
        }
    }
    score
}

fn check(style: SiteStyle, prepare: impl Fn(&Site<'_>) -> AnswerReader) {
    check_layouts(&LAYOUTS, style, prepare);
}

fn check_layouts(layouts: &[Layout], style: SiteStyle, prepare: impl Fn(&Site<'_>) -> AnswerReader) {
    let items = collection();
    let mut faults = Vec::new();
    for &layout in layouts {
        let site = Site { items: &items, layout, style };
        let score = harvest(&site, &prepare(&site));
        let precision = score.right as f64 / score.found.max(1) as f64;
        let recall = score.right as f64 / score.expected.max(1) as f64;
        let split = score.ids.values().filter(|ids| ids.len() > 1).count();
        println!("{:8} precision {precision:.3} recall {recall:.3} split {split}", layout.name);
        if precision < 0.98 || recall < 0.98 || split > 0 || !score.faults.is_empty() {
            faults.push(format!(
                "{} {precision:.3} {recall:.3} split {split}: {:#?}",
                layout.name,
                &score.faults[..score.faults.len().min(4)]
            ));
        }
    }
    assert!(faults.is_empty(), "{style:?}\n{}", faults.join("\n"));
}

const QUIET: SiteStyle = SiteStyle { busy: false, popular: false, counts: true, session_links: false };

#[test]
fn quiet_sites_are_read_in_every_layout() {
    check(QUIET, |site| learned(site, ["amber", "delta", "qzxqzx"]));
}

#[test]
fn a_record_of_several_elements_without_links_is_one() {
    check_layouts(&LINKLESS_LAYOUTS, QUIET, improved);
}

/// Reads a page that shows `list` for the query "sea".
fn read_list(list: &str) -> Answer {
    let html = format!("<h1>Archive</h1><div id=found>{list}</div><p>Open from nine to five.</p>");
    let url = Url::parse("http://a.example/find?q=sea").unwrap();
    let document = parse_with_outline(html.as_bytes(), Some("text/html"), &url);
    AnswerReader::default().read(&document, 200, &Query::words("sea"))
}

#[test]
fn the_items_of_a_section_are_the_records() {
    let section = |item: &Item| {
        let (letter, title, text) = (&item.title[..1], &item.title, &item.text);
        format!("<h4>{letter}</h4><ul><li>{title} <span>{text} by the sea</span></li></ul>")
    };
    let items = collection();
    let answer = read_list(&items[..9].iter().map(section).collect::<String>());
    let is_whole = |(record, item): (&hadal_core::harvest::record::Record, &Item)| {
        record.text.starts_with(&item.title) && record.text.ends_with("by the sea")
    };
    assert_eq!(answer.records.len(), 9, "{:?}", answer.records);
    assert!(answer.records.iter().zip(&items).all(is_whole), "{:?}", answer.records);
}

#[test]
fn links_of_advertisements_do_not_divide_records_without_links() {
    let mut list = String::new();
    for (at, item) in collection().iter().take(9).enumerate() {
        write!(list, "<div class=r><h3>{}</h3><p>{} by the sea</p></div>", item.title, item.text).unwrap();
        if at % 3 == 2 {
            let link = format!("<a href='http://ads.example/click?c={at}'>Cheap insurance</a>");
            write!(list, "<div class='r ad'><h3>{link}</h3><p>Compare forty offers</p></div>").unwrap();
        }
    }
    let answer = read_list(&list);
    let titles: Vec<&str> = answer.records.iter().map(|record| record.title.as_str()).collect();
    assert_eq!((titles.len(), titles.contains(&"Cheap insurance")), (9, false), "{titles:?}");
}

#[test]
fn busy_sites_are_read_in_every_layout() {
    check(SiteStyle { busy: true, counts: false, ..QUIET }, |site| {
        learned(site, ["amber", "delta", "qzxqzx"])
    });
}

#[test]
fn popular_items_are_no_results() {
    check(SiteStyle { popular: true, ..QUIET }, |site| learned(site, ["amber", "delta", "qzxqzx"]));
}

#[test]
fn sessions_and_positions_in_links_make_no_new_records() {
    check(SiteStyle { session_links: true, counts: false, ..QUIET }, |site| {
        learned(site, ["amber", "barge", "qzxqzx"])
    });
}

#[test]
fn a_reader_learns_from_one_answer_after_the_other() {
    check(SiteStyle { busy: true, ..QUIET }, improved);
}

#[test]
fn records_that_lack_a_part_are_read_too() {
    let mut list = String::new();
    for item in collection().iter().take(12) {
        let text = if item.number % 4 == 0 {
            String::new()
        } else {
            format!("<p>{} and so on, at length</p>", item.text)
        };
        let (number, title, year) = (item.number, &item.title, item.year);
        write!(list, "<li><a href=/item/{number}>{title}</a>{text}<small>Year: {year}</small></li>").unwrap();
    }
    list.push_str(
        "<li><a href=http://ads.example/click>Cheap insurance</a><small>Advertisement</small></li>",
    );
    let html = format!("<h1>Archive</h1><p>12 items</p><ol>{list}</ol><p>Open from nine to five.</p>");
    let url = Url::parse("http://a.example/find?q=amber").unwrap();
    let document = parse_with_outline(html.as_bytes(), Some("text/html"), &url);
    let answer = AnswerReader::default().read(&document, 200, &Query::words("amber"));
    let urls: BTreeSet<String> =
        answer.records.iter().filter_map(|record| record.url.as_ref()).map(Url::to_string).collect();
    assert_eq!((answer.records.len(), urls.len()), (12, 12), "{urls:?}");
    assert!(urls.iter().all(|url| url.starts_with("http://a.example/item/")), "{urls:?}");
}
