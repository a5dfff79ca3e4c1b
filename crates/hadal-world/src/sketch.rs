//! A form before it is written: what it asks, in which words, and where it is sent.
//!
//! Both the page and the truth are made from the sketch, so they cannot disagree.

use crate::draw::Draw;
use crate::plan::Planned;
use crate::questions::{Answer, Question, questions};
use crate::words::{PLACES, Subject, lexicon};
use hadal_core::critic::Kind;
use hadal_core::http::Method;
use hadal_core::page::FieldKind;

/// A form's content.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    pub(crate) method: Method,
    /// Absolute path it is sent to.
    pub(crate) action: String,
    pub(crate) controls: Vec<Control>,
    pub(crate) button: &'static str,
    pub(crate) heading: String,
    pub(crate) class: &'static str,
}

/// One control.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub(crate) kind: FieldKind,
    pub(crate) name: String,
    pub(crate) label: &'static str,
    pub(crate) value: &'static str,
    pub(crate) choices: Choices,
}

/// What a select offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choices {
    /// Nothing: not a select.
    None,
    /// Words; the first one stands for any.
    Words(Vec<&'static str>),
    /// Numbers.
    Numbers {
        /// The first.
        from: u32,
        /// To the next.
        step: u32,
        /// How many.
        count: u32,
    },
}

const SEARCH_BUTTONS: [&str; 18] = [
    "Search",
    "Search",
    "Search",
    "Search",
    "Search",
    "Search now",
    "Find",
    "Find",
    "Find it",
    "Go",
    "Go",
    "GO!",
    "Submit",
    "Show results",
    "Show",
    ">>",
    "View list",
    "Continue",
];
const SITE_BUTTONS: [&str; 6] = ["Search", "Search", "Search", "Go", "GO!", "Submit"];
const SEARCH_PATHS: [&str; 12] = [
    "search",
    "find",
    "results",
    "advanced-search",
    "quicksearch",
    "query",
    "browse",
    "lookup",
    "dosearch",
    "list",
    "finder",
    "process",
];
/// Share of databases' forms that are a single box.
const BOXED: f64 = 0.3;
const CLASSES: [&str; 8] = ["", "", "panel", "quick", "query", "criteria", "search", "search-panel"];
const SITE_CLASSES: [&str; 6] = ["", "", "search", "search", "searchform", "site-search"];
const PLAIN_CLASSES: [&str; 10] =
    ["", "", "form", "box", "panel", "std", "frm", "user", "inner", "search-box"];

/// The words of a planned form.
pub(crate) fn sketch(form: &Planned) -> Sketch {
    let mut draw = Draw::new(form.seed, 30);
    match form.looks {
        Kind::Search => search(form, &mut draw),
        _ => plain(form, &mut draw),
    }
}

fn search(form: &Planned, draw: &mut Draw) -> Sketch {
    let subject = form.subject.map(|index| &lexicon().subjects[usize::from(index)]);
    let asked = questions(subject.map_or("site", |subject| subject.name));
    let (boxes, fields): (Vec<&Question>, Vec<&Question>) =
        asked.iter().partition(|question| question.answer == Answer::Box);
    let naming = Naming::draw(draw);
    let mut controls = Vec::new();
    // The search of a site itself is a keyword box; databases mostly ask for more.
    let (boxed, extra) = if subject.is_none() { (1.0, 0.15) } else { (BOXED, 0.25) };
    if draw.chance(boxed) {
        expand(draw.pick(&boxes), subject, naming, draw, &mut controls);
        if draw.chance(extra) {
            expand(draw.pick(&fields), subject, naming, draw, &mut controls);
        }
    } else {
        ask_some(&fields, subject, naming, draw, &mut controls);
    }
    hidden(draw, form, &mut controls);
    let method = if draw.chance(0.78) { Method::Get } else { Method::Post };
    let (buttons, classes) = match subject {
        None => (&SITE_BUTTONS[..], &SITE_CLASSES[..]),
        Some(_) => (&SEARCH_BUTTONS[..], &CLASSES[..]),
    };
    Sketch {
        method,
        action: action(SEARCH_PATHS[usize::from(form.ordinal) % SEARCH_PATHS.len()], form, draw),
        controls,
        button: draw.pick(buttons),
        heading: heading(subject, draw),
        class: draw.pick(classes),
    }
}

/// Asks the first few of a subject's questions, with a gap here and there.
fn ask_some(
    fields: &[&Question],
    subject: Option<&Subject>,
    naming: Naming,
    draw: &mut Draw,
    to: &mut Vec<Control>,
) {
    let count = if draw.chance(0.5) { draw.between(2, 3) } else { draw.between(4, 7) };
    let mut skip = draw.below(2);
    for question in fields.iter().take((count + skip) as usize) {
        if skip > 0 && draw.chance(0.5) {
            skip -= 1;
            continue;
        }
        expand(question, subject, naming, draw, to);
    }
}

fn heading(subject: Option<&Subject>, draw: &mut Draw) -> String {
    let Some(subject) = subject else {
        return draw.pick(&["", "", "", "Search this site", "Site search", "Search"]).to_string();
    };
    let word = draw.pick(&subject.sign);
    match draw.below(10) {
        0 | 8 => format!("Search {word}"),
        1 | 9 => format!("Find {word}"),
        2 => format!("Look up {word} here"),
        3 => format!("Our {word}"),
        4 => format!("Browse all {word}"),
        5 => "Advanced search".to_string(),
        6 => "Quick search".to_string(),
        _ => String::new(),
    }
}

fn plain(form: &Planned, draw: &mut Draw) -> Sketch {
    let (path, heading, buttons): (&str, &str, [&'static str; 3]) = match form.kind {
        Kind::Login => ("login", "Members", ["Log in", "Sign in", "Go"]),
        Kind::Registration => ("register", "Create an account", ["Register", "Sign up", "Continue"]),
        Kind::Recovery => ("password", "Forgotten your password?", ["Send", "Reset", "Submit"]),
        Kind::Contact => ("contact", "Write to us", ["Send", "Submit", "Send message"]),
        Kind::Newsletter => ("subscribe", "Stay informed", ["Subscribe", "Go", "Join"]),
        Kind::Order => ("cart", "", ["Add to cart", "Buy now", "Order"]),
        Kind::Comment => ("comment", "Leave a comment", ["Post", "Submit", "Reply"]),
        Kind::Booking => ("reserve", "Reserve now", ["Book", "Send request", "Reserve"]),
        Kind::Search | Kind::Other => ("poll", "What do you think?", ["Vote", "Submit", "OK"]),
    };
    let asked = questions(if form.kind == Kind::Other { "poll" } else { form.kind.name() });
    let naming = Naming::draw(draw);
    let needed = match form.kind {
        Kind::Newsletter | Kind::Order => 1,
        Kind::Login => 2,
        _ => 4,
    };
    let mut controls = Vec::new();
    for (place, question) in asked.iter().enumerate() {
        if place < needed || draw.chance(0.4) {
            expand(question, None, naming, draw, &mut controls);
        }
    }
    hidden(draw, form, &mut controls);
    let rarely_get = if matches!(form.kind, Kind::Newsletter | Kind::Order) { 0.2 } else { 0.04 };
    let method = if draw.chance(rarely_get) { Method::Get } else { Method::Post };
    let (button, class) = (draw.pick(&buttons), draw.pick(&PLAIN_CLASSES));
    Sketch { method, action: action(path, form, draw), controls, button, heading: heading.into(), class }
}

/// Paths differ between the forms of a site, because their words or their numbers do.
fn action(word: &str, form: &Planned, draw: &mut Draw) -> String {
    let number = form.ordinal;
    match draw.below(7) {
        0 => format!("/{word}.php/{number}"),
        1 => format!("/cgi-bin/{word}{number}.cgi"),
        2 => format!("/{word}{number}.aspx"),
        3 => format!("/servlet/{word}/{number}"),
        4 => format!("/en/{word}/{number}/"),
        5 => format!("/{word}-{number}.jsp"),
        _ => format!("/{word}/{number}"),
    }
}

fn hidden(draw: &mut Draw, form: &Planned, controls: &mut Vec<Control>) {
    const MARKS: [(&str, &str); 6] =
        [("lang", "en"), ("view", "list"), ("action", "go"), ("db", "main"), ("src", "box"), ("step", "1")];
    let count = if form.looks == Kind::Search { draw.below(3) } else { draw.below(2) };
    for _ in 0..count {
        let (name, value) = draw.pick(&MARKS);
        controls.push(Control { value, ..Control::new(FieldKind::Hidden, name) });
    }
    if draw.chance(if form.looks == Kind::Search { 0.12 } else { 0.4 }) {
        controls
            .push(Control::new(FieldKind::Hidden, draw.pick(&["csrf_token", "authenticity_token", "nonce"])));
    }
}

/// How a site's programmer spells field names.
#[derive(Clone, Copy)]
enum Naming {
    Plain,
    Prefix(&'static str),
    Brackets,
    Capital,
}

impl Naming {
    fn draw(draw: &mut Draw) -> Naming {
        match draw.below(10) {
            0 => Naming::Prefix("f_"),
            1 => Naming::Prefix("ctl00$Main$txt"),
            2 => Naming::Brackets,
            3 => Naming::Capital,
            _ => Naming::Plain,
        }
    }

    fn apply(self, name: &str) -> String {
        match self {
            Naming::Plain => name.to_string(),
            Naming::Prefix(prefix) => format!("{prefix}{name}"),
            Naming::Brackets => format!("data[{name}]"),
            Naming::Capital => name[..1].to_uppercase() + &name[1..],
        }
    }
}

impl Control {
    fn new(kind: FieldKind, name: &str) -> Control {
        Control { kind, name: name.to_string(), label: "", value: "", choices: Choices::None }
    }
}

/// Turns a question into the controls that ask it.
fn expand(
    asked: &Question,
    subject: Option<&Subject>,
    naming: Naming,
    draw: &mut Draw,
    to: &mut Vec<Control>,
) {
    let name = naming.apply(draw.pick(&asked.names));
    let label = draw.pick(&asked.labels);
    let control = |kind, choices| Control { kind, name: name.clone(), label, value: "", choices };
    let words = |list: Vec<&'static str>| control(FieldKind::Select, Choices::Words(list));
    let numbers = |from, step, count| control(FieldKind::Select, Choices::Numbers { from, step, count });
    let typed = |kind| control(kind, Choices::None);
    match &asked.answer {
        Answer::Box if draw.chance(0.15) => to.push(typed(FieldKind::Search)),
        Answer::Box | Answer::Text => to.push(typed(FieldKind::Text)),
        Answer::Email => to.push(typed(draw.pick(&[FieldKind::Email, FieldKind::Text]))),
        Answer::Tel => to.push(typed(draw.pick(&[FieldKind::Tel, FieldKind::Text]))),
        Answer::Password => to.push(typed(FieldKind::Password)),
        Answer::Textarea => to.push(typed(FieldKind::Textarea)),
        Answer::Date if draw.chance(0.3) => {
            to.push(Control { name: format!("{name}_d"), ..numbers(1, 1, 31) });
            to.push(Control { name: format!("{name}_m"), label: "", ..numbers(1, 1, 12) });
        }
        Answer::Date => to.push(typed(draw.pick(&[FieldKind::Date, FieldKind::Text]))),
        Answer::Year if draw.chance(0.5) => to.push(numbers(1960 + draw.below(40), 1, draw.between(8, 40))),
        Answer::Year => to.push(typed(FieldKind::Text)),
        Answer::Price if draw.chance(0.6) => to.push(numbers(500, 500, draw.between(6, 20))),
        Answer::Price => to.push(typed(draw.pick(&[FieldKind::Number, FieldKind::Text]))),
        Answer::Count => to.push(numbers(1, 1, draw.between(4, 9))),
        Answer::Check => to.push(Control { value: "1", ..typed(FieldKind::Checkbox) }),
        Answer::Places => to.push(words(with_any(&PLACES, draw))),
        Answer::Terms => to.push(words(with_any(subject.map_or(&PLACES[..], |s| &s.terms), draw))),
        Answer::Pick(list) => to.push(words(list.clone())),
        Answer::Radio(list) => {
            to.extend(list.iter().map(|value| Control { label: value, value, ..typed(FieldKind::Radio) }));
        }
    }
}

fn with_any(list: &[&'static str], draw: &mut Draw) -> Vec<&'static str> {
    let from = draw.below(list.len() as u32 / 2) as usize;
    let count = draw.between(5, 18) as usize;
    std::iter::once("Any").chain(list.iter().copied().skip(from).take(count)).collect()
}
