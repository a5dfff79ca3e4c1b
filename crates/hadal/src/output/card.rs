//! Text card of a judged page: the page, then each of its forms.
//!
//! All page content is escaped here, and lines are folded to the width of the screen.

use super::escape::for_terminal;
use super::table::Table;
use super::terminal::{Paint, Screen};
use crate::report::judged::{JudgedForm, JudgedPage, TopicProbabilities};
use hadal_core::critic::FormKind;
use hadal_core::critic::evidence_words::signal_in_words;
use hadal_core::critic::page_kind::{PageKinds, Signal};
use hadal_core::http::Method;
use hadal_core::page::FormSource;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Maximum number of fields shown per form. Guess.
const MAX_FIELDS: usize = 40;
/// Maximum number of buttons shown per form. Guess.
const MAX_BUTTONS: usize = 6;
/// Maximum number of topics shown. Guess.
const MAX_TOPICS: usize = 3;
/// Least probability of a topic shown beside the best one. Guess.
const MIN_SHOWN_P: f32 = 0.05;
/// Column at which values start. Guess.
const INDENT: usize = 12;

/// Formats a page and its forms.
pub fn card(judged: &JudgedPage, screen: Screen) -> String {
    let mut card = CardText { text: String::new(), screen };
    card.fold(0, &judged.input);
    card.line("title", &judged.title);
    card.line("address", judged.url.as_ref().map_or("", |url| url.as_str()));
    card.line("language", judged.language.as_deref().unwrap_or("unknown"));
    card.line("about", &likeliest(&judged.topics));
    card.line("page", &page_kinds(&judged.page));
    card.line("links", &judged.links.to_string());
    if let Some(bound) = judged.cut {
        card.line("cut", &format!("parsing stopped at a limit ({bound:?})").to_lowercase());
    }
    if let Some(rendered) = &judged.rendered {
        card.line("rendered", &format!("{} requests, {} refused", rendered.requests, rendered.refused));
        card.line("search", rendered.search.as_deref().unwrap_or("no search by script learned"));
    }
    judged.forms.iter().for_each(|form| card.form(form));
    if judged.forms.is_empty() {
        card.line("forms", if judged.cut.is_some() { "none in the part that was read" } else { "none" });
    }
    card.text
}

/// Text under construction.
struct CardText {
    text: String,
    screen: Screen,
}

impl CardText {
    fn form(&mut self, form: &JudgedForm) {
        let paint = if form.kind == FormKind::Search { Paint::Good } else { Paint::Doubtful };
        let kind = self.screen.paint(paint, form.kind.name());
        self.text.push_str(&format!("\n  {}: {kind}, P(search) {:.2}\n", called(form), form.p_searchable));
        self.line("topics", &likeliest(&form.topics));
        self.line("relevant", &form.p_relevant.map(|p| format!("{p:.2}")).unwrap_or_default());
        let method = if form.method == Method::Post { "POST" } else { "GET" };
        let action = if form.action.is_empty() { "the page itself" } else { &form.action };
        self.line("sent", &format!("{method} {action}"));
        self.line("template", form.template.as_deref().unwrap_or_default());
        for (at, reason) in form.why.iter().enumerate() {
            let sign = if reason.weight > 0.0 { '+' } else { '-' };
            self.line(
                if at == 0 { "why" } else { "" },
                &format!("{sign} {}", signal_in_words(&reason.place, &reason.says)),
            );
        }
        self.line("not sent", &form.veto.map(|veto| veto.to_string()).unwrap_or_default());
        self.line("buttons", &form.buttons[..form.buttons.len().min(MAX_BUTTONS)].join(", "));
        self.fields(form);
    }

    fn fields(&mut self, form: &JudgedForm) {
        let shown: Vec<_> = form.fields.iter().filter(|field| field.kind != "hidden").collect();
        let hidden = form.fields.len() - shown.len();
        if !shown.is_empty() {
            let width = self.screen.width.map(|width| width.saturating_sub(4).max(20));
            let mut table =
                Table::new(&["label", "name", "type", "options"], Screen { width, ..self.screen });
            table.right(3);
            for field in shown.iter().take(MAX_FIELDS) {
                let options = if field.options > 0 { field.options.to_string() } else { String::new() };
                table.row([&field.label, &field.name, &field.kind, &options]);
            }
            table.to_string().lines().for_each(|line| self.text.push_str(&format!("    {line}\n")));
        }
        let more = shown.len().saturating_sub(MAX_FIELDS);
        let rest = [(more, "more"), (hidden, "hidden")].into_iter().filter(|(count, _)| *count > 0);
        let rest: Vec<String> = rest.map(|(count, sort)| format!("{count} {sort}")).collect();
        if !rest.is_empty() {
            self.fold(4, &format!("and {}", rest.join(", ")));
        }
    }

    /// Adds a named value unless it is empty.
    fn line(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.text.push_str(&format!("  {name:<width$}", width = INDENT - 2));
            self.fold_from(INDENT, INDENT, value);
        }
    }

    fn fold(&mut self, indent: usize, value: &str) {
        self.text.push_str(&" ".repeat(indent));
        self.fold_from(indent, indent, value);
    }

    /// Writes a value from a column on and continues below an indent at the end of the screen.
    fn fold_from(&mut self, mut column: usize, indent: usize, value: &str) {
        let width = self.screen.width.map_or(usize::MAX, |width| usize::from(width).max(indent + 20));
        for (at, word) in for_terminal(value).split_whitespace().enumerate() {
            if at > 0 && column + 1 + word.width() <= width {
                self.text.push(' ');
                column += 1;
            } else if at > 0 {
                self.go_on_below(indent, &mut column);
            }
            for c in word.chars() {
                if column + c.width().unwrap_or(0) > width {
                    self.go_on_below(indent, &mut column);
                }
                self.text.push(c);
                column += c.width().unwrap_or(0);
            }
        }
        self.text.push('\n');
    }

    fn go_on_below(&mut self, indent: usize, column: &mut usize) {
        self.text.push('\n');
        self.text.push_str(&" ".repeat(indent));
        *column = indent;
    }
}

fn called(form: &JudgedForm) -> String {
    match (form.index, form.source) {
        (Some(index), _) => format!("form {index}"),
        (None, FormSource::Script) if form.template.is_some() => "search by script".to_string(),
        (None, FormSource::Script) => "fields without a form".to_string(),
        (None, FormSource::SearchAction) => "declared search action".to_string(),
        (None, source) if source.is_endpoint() => format!("search endpoint ({})", source.name()),
        (None, _) => "declared search".to_string(),
    }
}

fn likeliest(shares: &TopicProbabilities) -> String {
    let best = shares.best(MAX_TOPICS);
    let worth = best.iter().enumerate().filter(|(at, (_, p))| *at == 0 || *p >= MIN_SHOWN_P);
    worth.map(|(_, (name, p))| format!("{name} {p:.2}")).collect::<Vec<_>>().join(", ")
}

/// Signals for kinds of page, with reasons.
fn page_kinds(kinds: &PageKinds) -> String {
    let named: [(&str, &Signal); 9] = [
        ("results", &kinds.results),
        ("one record", &kinds.detail),
        ("nothing found", &kinds.no_results),
        ("error", &kinds.error),
        ("login wall", &kinds.login_wall),
        ("missing page", &kinds.soft_404),
        ("rate limit", &kinds.rate_limit),
        ("captcha", &kinds.captcha),
        ("confirms an entry", &kinds.confirmation),
    ];
    let said = named.into_iter().filter(|(_, signal)| signal.holds());
    let said = said.map(|(name, signal)| format!("{name} {:.2} ({})", signal.score, signal.evidence));
    said.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::judged::{DocumentLocation, JudgedTopics, judge};

    const PAGE: &str = "<title>Books \u{1b}[31m and more</title>
        <form action=/find><label>Author <input name=author></label><select name=shelf><option>a<option>b</select>
        <input type=hidden name=s value=1><button>Search</button></form>
        <form method=post><input type=password name=pass><button>Log in</button></form>";

    fn drawn(html: &str, screen: Screen) -> String {
        let page = hadal_core::html::parse(html.as_bytes(), None, &DocumentLocation::Unknown.address());
        card(&judge("a.html", &page, &DocumentLocation::Unknown, 200, &JudgedTopics::BuiltIn), screen)
    }

    #[test]
    fn a_card_shows_kind_fields_and_evidence() {
        let text = drawn(PAGE, Screen::file());
        for words in
            ["form 0: search", "GET find", "and 1 hidden", "it asks for a password", "Books \\u{1b}[31m"]
        {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(!text.contains('\u{1b}'), "{text}");
        let row = text.lines().find(|line| line.contains("shelf")).unwrap();
        assert!(row.contains("select") && row.ends_with('2'), "{text}");
    }

    #[test]
    fn a_veto_is_shown_apart_from_its_reason() {
        assert!(drawn(PAGE, Screen::file()).contains("not sent  it asks for a password"));
    }

    #[test]
    fn a_page_that_was_cut_does_not_claim_to_have_no_forms() {
        let page = hadal_core::html::parse(b"<p>", None, &DocumentLocation::Unknown.address());
        let mut judged = judge("a.html", &page, &DocumentLocation::Unknown, 200, &JudgedTopics::BuiltIn);
        assert!(card(&judged, Screen::file()).contains("forms     none\n"));
        judged.cut = Some(hadal_core::page::ParseLimit::Nodes);
        assert!(card(&judged, Screen::file()).contains("none in the part that was read"));
    }

    #[test]
    fn no_line_is_wider_than_the_screen() {
        let long = PAGE.replace("Books", &format!("{} {}", "word ".repeat(60), "図書".repeat(60)));
        let text = drawn(&long, Screen { width: Some(60), color: false });
        assert!(text.lines().all(|line| line.width() <= 60), "{text}");
    }

    #[test]
    fn a_form_of_many_fields_stays_a_card() {
        let many = format!("<form>{}</form>", "<input name=x>".repeat(1000));
        let text = drawn(&many, Screen::file());
        assert!(text.lines().count() < MAX_FIELDS + 25, "{text}");
        assert!(text.contains("and 960 more"), "{text}");
    }
}
