//! Content of a form: method, action, fields and labels.
//!
//! Both the markup and the ground truth are generated from it, so they cannot disagree.

use crate::form::fields::{FieldTemplate, InputKind, field_templates};
use crate::form::plan::PlannedForm;
use crate::lexicon::{Subject, TOWNS, lexicon};
use crate::random::SeededRng;
use hadal_core::critic::FormKind;
use hadal_core::http::Method;
use hadal_core::page::FieldKind;

/// Content of a form, independent of its markup.
#[derive(Clone, Debug)]
pub(crate) struct FormContent {
    pub(crate) method: Method,
    /// Absolute path of the action.
    pub(crate) action: String,
    pub(crate) controls: Vec<FormControl>,
    pub(crate) button: &'static str,
    pub(crate) heading: String,
    pub(crate) class: &'static str,
}

/// Control of a form.
#[derive(Clone, Debug)]
pub(crate) struct FormControl {
    pub(crate) kind: FieldKind,
    pub(crate) name: String,
    pub(crate) label: &'static str,
    pub(crate) value: &'static str,
    pub(crate) options: SelectOptions,
}

/// Options of a control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SelectOptions {
    /// The control is not a select.
    None,
    /// Words; the first one has an empty value.
    Words(Vec<&'static str>),
    /// The numbers `from`, `from + step`, ..., `count` in all.
    Numbers { from: u32, step: u32, count: u32 },
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
/// Share of database search forms with a keyword box instead of several fields. Guess.
const KEYWORD_FORMS: f64 = 0.3;
const CLASSES: [&str; 8] = ["", "", "panel", "quick", "query", "criteria", "search", "search-panel"];
const SITE_CLASSES: [&str; 6] = ["", "", "search", "search", "searchform", "site-search"];
const PLAIN_CLASSES: [&str; 10] =
    ["", "", "form", "box", "panel", "std", "frm", "user", "inner", "search-box"];

/// Generates the content of a planned form.
pub(crate) fn form_content(form: &PlannedForm) -> FormContent {
    let mut rng = SeededRng::new(form.seed, 30);
    match form.apparent_kind {
        FormKind::Search => search_form(form, &mut rng),
        _ => other_form(form, &mut rng),
    }
}

fn search_form(form: &PlannedForm, rng: &mut SeededRng) -> FormContent {
    let subject = form.subject.map(|index| &lexicon().subjects[usize::from(index)]);
    let templates = field_templates(subject.map_or("site", |subject| subject.name));
    let (boxes, fields): (Vec<&FieldTemplate>, Vec<&FieldTemplate>) =
        templates.iter().partition(|template| template.input == InputKind::KeywordBox);
    let naming = FieldNaming::draw(rng);
    let mut controls = Vec::new();
    // Site searches always have a keyword box; most database searches have several fields.
    let (keyword_box, extra) = if subject.is_none() { (1.0, 0.15) } else { (KEYWORD_FORMS, 0.25) };
    if rng.chance(keyword_box) {
        push_controls(rng.pick(&boxes), subject, naming, rng, &mut controls);
        if rng.chance(extra) {
            push_controls(rng.pick(&fields), subject, naming, rng, &mut controls);
        }
    } else {
        push_some_fields(&fields, subject, naming, rng, &mut controls);
    }
    push_hidden(rng, form, &mut controls);
    let method = if rng.chance(0.78) { Method::Get } else { Method::Post };
    let (buttons, classes) = match subject {
        None => (&SITE_BUTTONS[..], &SITE_CLASSES[..]),
        Some(_) => (&SEARCH_BUTTONS[..], &CLASSES[..]),
    };
    FormContent {
        method,
        action: action(SEARCH_PATHS[usize::from(form.ordinal) % SEARCH_PATHS.len()], form, rng),
        controls,
        button: rng.pick(buttons),
        heading: heading(subject, rng),
        class: rng.pick(classes),
    }
}

/// Adds the first two to seven field templates of a subject, sometimes skipping one.
fn push_some_fields(
    fields: &[&FieldTemplate],
    subject: Option<&Subject>,
    naming: FieldNaming,
    rng: &mut SeededRng,
    to: &mut Vec<FormControl>,
) {
    let count = if rng.chance(0.5) { rng.between(2, 3) } else { rng.between(4, 7) };
    let mut skip = rng.below(2);
    for template in fields.iter().take((count + skip) as usize) {
        if skip > 0 && rng.chance(0.5) {
            skip -= 1;
            continue;
        }
        push_controls(template, subject, naming, rng, to);
    }
}

fn heading(subject: Option<&Subject>, rng: &mut SeededRng) -> String {
    let Some(subject) = subject else {
        return rng.pick(&["", "", "", "Search this site", "Site search", "Search"]).to_string();
    };
    let word = rng.pick(&subject.names);
    match rng.below(10) {
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

fn other_form(form: &PlannedForm, rng: &mut SeededRng) -> FormContent {
    let (path, heading, buttons): (&str, &str, [&'static str; 3]) = match form.kind {
        FormKind::Login => ("login", "Members", ["Log in", "Sign in", "Go"]),
        FormKind::Registration => ("register", "Create an account", ["Register", "Sign up", "Continue"]),
        FormKind::Recovery => ("password", "Forgotten your password?", ["Send", "Reset", "Submit"]),
        FormKind::Contact => ("contact", "Write to us", ["Send", "Submit", "Send message"]),
        FormKind::Newsletter => ("subscribe", "Stay informed", ["Subscribe", "Go", "Join"]),
        FormKind::Order => ("cart", "", ["Add to cart", "Buy now", "Order"]),
        FormKind::Comment => ("comment", "Leave a comment", ["Post", "Submit", "Reply"]),
        FormKind::Booking => ("reserve", "Reserve now", ["Book", "Send request", "Reserve"]),
        FormKind::Search | FormKind::Other => ("poll", "What do you think?", ["Vote", "Submit", "OK"]),
    };
    let templates = field_templates(if form.kind == FormKind::Other { "poll" } else { form.kind.name() });
    let naming = FieldNaming::draw(rng);
    let required = match form.kind {
        FormKind::Newsletter | FormKind::Order => 1,
        FormKind::Login => 2,
        _ => 4,
    };
    let mut controls = Vec::new();
    for (at, template) in templates.iter().enumerate() {
        if at < required || rng.chance(0.4) {
            push_controls(template, None, naming, rng, &mut controls);
        }
    }
    push_hidden(rng, form, &mut controls);
    let get_share = if matches!(form.kind, FormKind::Newsletter | FormKind::Order) { 0.2 } else { 0.04 };
    let method = if rng.chance(get_share) { Method::Get } else { Method::Post };
    let (button, class) = (rng.pick(&buttons), rng.pick(&PLAIN_CLASSES));
    FormContent { method, action: action(path, form, rng), controls, button, heading: heading.into(), class }
}

/// Action path of a form. It ends with the form's number, so that all forms of a site have different actions.
fn action(word: &str, form: &PlannedForm, rng: &mut SeededRng) -> String {
    let number = form.ordinal;
    match rng.below(7) {
        0 => format!("/{word}.php/{number}"),
        1 => format!("/cgi-bin/{word}{number}.cgi"),
        2 => format!("/{word}{number}.aspx"),
        3 => format!("/servlet/{word}/{number}"),
        4 => format!("/en/{word}/{number}/"),
        5 => format!("/{word}-{number}.jsp"),
        _ => format!("/{word}/{number}"),
    }
}

/// Adds hidden fields with fixed values, and sometimes a token field.
fn push_hidden(rng: &mut SeededRng, form: &PlannedForm, controls: &mut Vec<FormControl>) {
    const MARKS: [(&str, &str); 6] =
        [("lang", "en"), ("view", "list"), ("action", "go"), ("db", "main"), ("src", "box"), ("step", "1")];
    let count = if form.apparent_kind == FormKind::Search { rng.below(3) } else { rng.below(2) };
    for _ in 0..count {
        let (name, value) = rng.pick(&MARKS);
        controls.push(FormControl { value, ..FormControl::new(FieldKind::Hidden, name) });
    }
    if rng.chance(if form.apparent_kind == FormKind::Search { 0.12 } else { 0.4 }) {
        controls.push(FormControl::new(
            FieldKind::Hidden,
            rng.pick(&["csrf_token", "authenticity_token", "nonce"]),
        ));
    }
}

/// Spelling of field names.
#[derive(Clone, Copy)]
enum FieldNaming {
    Plain,
    Prefix(&'static str),
    Brackets,
    Capital,
}

impl FieldNaming {
    fn draw(rng: &mut SeededRng) -> FieldNaming {
        match rng.below(10) {
            0 => FieldNaming::Prefix("f_"),
            1 => FieldNaming::Prefix("ctl00$Main$txt"),
            2 => FieldNaming::Brackets,
            3 => FieldNaming::Capital,
            _ => FieldNaming::Plain,
        }
    }

    fn apply(self, name: &str) -> String {
        match self {
            FieldNaming::Plain => name.to_string(),
            FieldNaming::Prefix(prefix) => format!("{prefix}{name}"),
            FieldNaming::Brackets => format!("data[{name}]"),
            FieldNaming::Capital => name[..1].to_uppercase() + &name[1..],
        }
    }
}

impl FormControl {
    fn new(kind: FieldKind, name: &str) -> FormControl {
        FormControl { kind, name: name.to_string(), label: "", value: "", options: SelectOptions::None }
    }
}

/// Adds the controls of a field template.
fn push_controls(
    template: &FieldTemplate,
    subject: Option<&Subject>,
    naming: FieldNaming,
    rng: &mut SeededRng,
    to: &mut Vec<FormControl>,
) {
    let name = naming.apply(rng.pick(&template.names));
    let label = rng.pick(&template.labels);
    let control = |kind, options| FormControl { kind, name: name.clone(), label, value: "", options };
    let words = |list: Vec<&'static str>| control(FieldKind::Select, SelectOptions::Words(list));
    let numbers =
        |from, step, count| control(FieldKind::Select, SelectOptions::Numbers { from, step, count });
    let typed = |kind| control(kind, SelectOptions::None);
    match &template.input {
        InputKind::KeywordBox if rng.chance(0.15) => to.push(typed(FieldKind::Search)),
        InputKind::KeywordBox | InputKind::Text => to.push(typed(FieldKind::Text)),
        InputKind::Email => to.push(typed(rng.pick(&[FieldKind::Email, FieldKind::Text]))),
        InputKind::Tel => to.push(typed(rng.pick(&[FieldKind::Tel, FieldKind::Text]))),
        InputKind::Password => to.push(typed(FieldKind::Password)),
        InputKind::Textarea => to.push(typed(FieldKind::Textarea)),
        InputKind::Date if rng.chance(0.3) => {
            to.push(FormControl { name: format!("{name}_d"), ..numbers(1, 1, 31) });
            to.push(FormControl { name: format!("{name}_m"), label: "", ..numbers(1, 1, 12) });
        }
        InputKind::Date => to.push(typed(rng.pick(&[FieldKind::Date, FieldKind::Text]))),
        InputKind::Year if rng.chance(0.5) => to.push(numbers(1960 + rng.below(40), 1, rng.between(8, 40))),
        InputKind::Year => to.push(typed(FieldKind::Text)),
        InputKind::Price if rng.chance(0.6) => to.push(numbers(500, 500, rng.between(6, 20))),
        InputKind::Price => to.push(typed(rng.pick(&[FieldKind::Number, FieldKind::Text]))),
        InputKind::Count => to.push(numbers(1, 1, rng.between(4, 9))),
        InputKind::Checkbox => to.push(FormControl { value: "1", ..typed(FieldKind::Checkbox) }),
        InputKind::Towns => to.push(words(with_any(&TOWNS, rng))),
        InputKind::Terms => to.push(words(with_any(subject.map_or(&TOWNS[..], |s| &s.terms), rng))),
        InputKind::Select(list) => to.push(words(list.clone())),
        InputKind::Radio(list) => {
            to.extend(list.iter().map(|value| FormControl {
                label: value,
                value,
                ..typed(FieldKind::Radio)
            }));
        }
    }
}

/// "Any" and 5 to 18 consecutive values of a list.
fn with_any(list: &[&'static str], rng: &mut SeededRng) -> Vec<&'static str> {
    let from = rng.below(list.len() as u32 / 2) as usize;
    let count = rng.between(5, 18) as usize;
    std::iter::once("Any").chain(list.iter().copied().skip(from).take(count)).collect()
}
