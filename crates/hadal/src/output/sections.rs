//! Reports: sections with tables and curves, as text or as one self-contained HTML page.

use super::chart::Chart;
use super::table::Table;
use super::terminal::Screen;
use std::borrow::Cow;
use std::fmt::Write;

/// One section of a report.
#[derive(Clone, Debug, Default)]
pub struct Section {
    pub title: String,
    /// Method of measurement in one or two sentences.
    pub note: String,
    pub headings: Vec<Cow<'static, str>>,
    pub rows: Vec<Vec<String>>,
    /// Named curves over the unit square, in HTML only.
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
    /// Charts, in HTML only.
    pub charts: Vec<Chart>,
}

/// Converts constant headings.
pub fn headings(names: &[&'static str]) -> Vec<Cow<'static, str>> {
    names.iter().copied().map(Cow::Borrowed).collect()
}

/// Formats the report as text.
pub fn text(sections: &[Section], screen: Screen) -> String {
    let mut text = String::new();
    for section in sections {
        let _ = write!(text, "{}\n{}\n\n", section.title, section.note);
        if section.rows.is_empty() {
            continue;
        }
        let headings: Vec<&str> = section.headings.iter().map(Cow::as_ref).collect();
        let mut table = Table::new(&headings, screen);
        section.rows.iter().for_each(|row| table.row(row));
        let _ = write!(text, "{table}\n\n");
    }
    text
}

/// Formats the report as an HTML page. Cell contents are escaped.
pub fn html(title: &str, sections: &[Section]) -> String {
    let mut page = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>{0}</title><style>{STYLE}</style><h1>{0}</h1>",
        escaped(title)
    );
    for section in sections {
        let _ = write!(page, "<h2>{}</h2><p>{}</p>", escaped(&section.title), escaped(&section.note));
        if !section.rows.is_empty() {
            page.push_str(&table(section));
        }
        section.charts.iter().for_each(|chart| page.push_str(&chart.svg()));
        section.curves.iter().for_each(|(name, points)| page.push_str(&curve(name, points)));
    }
    page
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;\
    color-scheme:light dark}table{border-collapse:collapse;display:block;overflow-x:auto}\
    td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #8884;vertical-align:top}\
    svg{margin:1em 2em 1em 0}text{font-size:11px;fill:currentColor}.name{font-weight:600;font-size:13px}\
    .grid{stroke:#8886}.bar{fill:#3b7dd8}@media(prefers-color-scheme:dark){.bar{fill:#6aa2ee}}";

fn table(section: &Section) -> String {
    let cells = |tag: &str, cells: &mut dyn Iterator<Item = &str>| {
        cells.map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect::<String>()
    };
    let head = cells("th", &mut section.headings.iter().map(Cow::as_ref));
    let rows = section.rows.iter().map(|row| cells("td", &mut row.iter().map(String::as_str)));
    let rows: String = rows.map(|row| format!("<tr>{row}</tr>")).collect();
    format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
}

/// Reliability curve: predicted against observed probability. A calibrated classifier is on the diagonal.
fn curve(name: &str, points: &[(f64, f64)]) -> String {
    // Sizes in pixels. Guesses.
    const SIDE: f64 = 220.0;
    const EDGE: f64 = 30.0;
    let place = |(x, y): &(f64, f64)| (EDGE + x * SIDE, EDGE + (1.0 - y) * SIDE);
    let line: Vec<String> = points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dots: String = points
        .iter()
        .map(place)
        .map(|(x, y)| format!("<circle cx={x:.1} cy={y:.1} r=3 fill=#2a7 />"))
        .collect();
    let (far, name) = (EDGE + SIDE, escaped(name));
    format!(
        "<svg width=280 height=290 role=img aria-label=\"{name}\"><title>{name}</title>\
         <rect x={EDGE} y={EDGE} width={SIDE} height={SIDE} fill=none stroke=#888 />\
         <line x1={EDGE} y1={far} x2={far} y2={EDGE} stroke=#888 stroke-dasharray=4 />\
         <polyline points=\"{}\" fill=none stroke=#2a7 stroke-width=2 />{dots}\
         <text x={EDGE} y=20>{name}</text><text x={EDGE} y=265>0</text>\
         <text x=150 y=280 text-anchor=middle>probability given</text><text x=245 y=265>1</text>\
         <text x=4 y=40>1</text><text x=4 y=250>0</text></svg>",
        line.join(" ")
    )
}

/// Escapes text for HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Vec<Section> {
        vec![Section {
            title: "Errors".into(),
            note: "Read them.".into(),
            headings: headings(&["form", "text"]),
            rows: vec![vec!["a.html".into(), "<script>alert(1)</script> & \u{1b}[31mred".into()]],
            curves: vec![("ours".into(), vec![(0.0, 0.1), (1.0, 0.9)])],
            charts: Vec::new(),
        }]
    }

    #[test]
    fn cells_are_never_markup() {
        let page = html("Report", &report());
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp;") && !page.contains("<script"));
        assert!(page.contains("<svg") && page.contains("30.0,228.0 250.0,52.0"));
    }

    #[test]
    fn the_text_holds_title_note_and_table() {
        let text = text(&report(), Screen { width: None, color: false });
        assert!(
            text.starts_with("Errors\nRead them.\n\n") && text.contains("a.html") && !text.contains('\u{1b}')
        );
    }
}
