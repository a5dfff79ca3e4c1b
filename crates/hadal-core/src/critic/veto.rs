//! What must never be submitted, whatever a classifier says.
//!
//! The veto looks at structure and words alone and errs on the side of not asking. What a form asks
//! for settles it first, then what is written on the button that sends it. Words in its address, its
//! name or the heading over it count only when nothing about the form says that it searches: pages
//! mention carts and comments everywhere.

mod words;

use super::wording::{Phrases, holds, plain};
use crate::http::Method;
use crate::page::{Field, FieldKind, Form};
use serde::{Deserialize, Serialize};
use words::{
    CAPTCHA, CARD, DEEDS, EMAIL, HINTS, MARKS, MESSAGE, PASSWORD, PERSON, PHONE, QUANTITY, QUERY_NAMES,
    SEARCH, USER,
};

/// Why a form is never submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Veto {
    /// It asks for a password.
    Password,
    /// It takes a file.
    File,
    /// It asks for a bank card or an account.
    Card,
    /// It checks that a person is at work.
    Captcha,
    /// It asks for an e-mail address and a message.
    Message,
    /// It has room for a long text.
    Textarea,
    /// It asks for an e-mail address.
    Email,
    /// It asks who somebody is, and says nothing of searching.
    Person,
    /// It orders something.
    Order,
    /// It pays or donates.
    Pay,
    /// It signs somebody up.
    SignUp,
    /// It logs somebody in.
    LogIn,
    /// It logs somebody out.
    LogOut,
    /// It ends a subscription.
    Unsubscribe,
    /// It deletes something.
    Delete,
    /// It posts, sends or votes.
    Post,
}

/// Fields whose words are read; their kinds are looked at in any number.
const WORDED_FIELDS: usize = 10_000;

/// The first reason not to submit a form, if there is one.
pub fn veto(form: &Form) -> Option<Veto> {
    let asked = Asked::of(form);
    by_fields(form, &asked)
        .or_else(|| by_buttons(form, &asked))
        .or_else(|| by_orders(form))
        .or_else(|| if asked.searches { None } else { by_marks(form) })
}

/// What the visible fields ask for, as far as their words tell.
#[derive(Default)]
struct Asked {
    captcha: bool,
    card: bool,
    email: bool,
    message: bool,
    password: bool,
    phone: bool,
    person: bool,
    quantity: bool,
    user: bool,
    /// A box or a button says that the form searches.
    searches: bool,
}

impl Asked {
    fn of(form: &Form) -> Asked {
        let mut asked = Asked::default();
        let about = format!("{} {}", form.attributes, form.text).to_lowercase();
        asked.captcha = about.contains("captcha");
        for field in form.fields.iter().take(WORDED_FIELDS) {
            let name = plain(&format!("{} {}", field.name, field.id));
            let read = plain(&format!("{} {}", field.label, field.placeholder));
            match field.kind {
                FieldKind::Hidden => asked.captcha |= is_captcha(&name),
                kind if kind.is_button() => asked.searches |= sends(field) && offers_search(field, &name),
                kind => {
                    asked.captcha |= is_captcha(&name) || CAPTCHA.are_in(&read);
                    if kind.is_textual() {
                        asked.add(field, &name, &read);
                    }
                }
            }
        }
        asked
    }

    /// Adds a field that text is typed into.
    fn add(&mut self, field: &Field, name: &str, read: &str) {
        let says = |phrases: &Phrases| phrases.are_in(name) || phrases.are_in(read);
        let looked_for = SEARCH.are_in(read);
        self.card |= says(&CARD);
        self.email |= field.kind == FieldKind::Email || name.contains("mail ");
        // "Search by name or e-mail" does not ask for an address.
        self.email |= says(&EMAIL) && !looked_for;
        self.message |= says(&MESSAGE);
        self.password |= says(&PASSWORD);
        self.phone |= field.kind == FieldKind::Tel || says(&PHONE);
        self.person |= says(&PERSON);
        self.quantity |= says(&QUANTITY);
        self.user |= says(&USER);
        self.searches |= is_query(field) || looked_for || SEARCH.are_in(name);
    }
}

fn is_captcha(name: &str) -> bool {
    name.contains("captcha") || CAPTCHA.are_in(name)
}

fn offers_search(button: &Field, name: &str) -> bool {
    let texts = [&button.label, &button.value].map(|text| plain(text));
    SEARCH.are_in(name) || texts.iter().any(|text| SEARCH.are_in(text))
}

/// A field that a query goes into, by kind or name.
fn is_query(field: &Field) -> bool {
    let is_named = |name: &str| QUERY_NAMES.are(&plain(name));
    match field.kind {
        FieldKind::Search => true,
        FieldKind::Text => is_named(&field.name) || is_named(&field.id),
        _ => false,
    }
}

fn sends(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Submit | FieldKind::Image)
}

fn by_fields(form: &Form, asked: &Asked) -> Option<Veto> {
    let is_post = form.method == Method::Post;
    let any = |kind: FieldKind| form.fields.iter().any(|field| field.kind == kind);
    let rules = [
        (any(FieldKind::Password) || asked.password, Veto::Password),
        (any(FieldKind::File), Veto::File),
        (asked.card, Veto::Card),
        (asked.captcha, Veto::Captcha),
        (asked.email && (asked.message || any(FieldKind::Textarea)), Veto::Message),
        (any(FieldKind::Textarea), Veto::Textarea),
        (asked.email, Veto::Email),
        // People are also looked up by name, then with GET.
        ((asked.phone || (asked.person && is_post)) && !asked.searches, Veto::Person),
        (asked.quantity && !asked.searches, Veto::Order),
        (asked.user && !asked.searches, Veto::LogIn),
    ];
    rules.into_iter().find(|(holds, _)| *holds).map(|(_, veto)| veto)
}

/// What is written on the buttons that send the form; on other buttons when no button sends it.
fn by_buttons(form: &Form, asked: &Asked) -> Option<Veto> {
    let is_scripted = !form.fields.iter().any(sends);
    let counts = |field: &&Field| sends(field) || (is_scripted && field.kind == FieldKind::Button);
    for button in form.fields.iter().filter(counts).take(WORDED_FIELDS) {
        let texts = [plain(&button.label), plain(&button.value)];
        if texts.iter().any(|text| SEARCH.are_in(text) || is_sorting(text)) {
            continue;
        }
        let found = texts.iter().find_map(|text| deed(text, &DEEDS));
        // A cross beside a search box empties it.
        let empties = found == Some(Veto::Delete) && is_scripted && asked.searches;
        if found.is_some() && !empties {
            return found;
        }
        let hinted = || texts.iter().find_map(|text| deed(text, &HINTS));
        let named = || deed(&plain(&format!("{} {}", button.name, button.id)), &MARKS);
        if !asked.searches
            && let Some(veto) = hinted().or_else(named)
        {
            return Some(veto);
        }
    }
    None
}

fn is_sorting(text: &str) -> bool {
    ["order by", "sort", "sort order"].iter().any(|phrase| holds(text, phrase))
}

fn deed(text: &str, table: &[(Veto, Phrases)]) -> Option<Veto> {
    table.iter().find(|(_, phrases)| phrases.are_in(text)).map(|(veto, _)| *veto)
}

/// Hidden fields that tell the server what to do.
fn by_orders(form: &Form) -> Option<Veto> {
    const NAMES: [&str; 12] =
        ["action", "act", "do", "task", "cmd", "command", "op", "exe", "method", "mode", "func", "event"];
    let hidden = form.fields.iter().filter(|field| field.kind == FieldKind::Hidden).take(WORDED_FIELDS);
    hidden.into_iter().find_map(|field| {
        let (name, value) = (plain(&field.name), plain(&field.value));
        let is_order = NAMES.contains(&name.trim());
        match value.trim() {
            "delete" | "put" | "patch" if name.trim() == "method" => Some(Veto::Delete),
            "s xclick" | "xclick" | "cart" if name.trim() == "cmd" => Some(Veto::Pay),
            _ if holds(&name, "add to cart") => Some(Veto::Order),
            _ if is_order && !SEARCH.are_in(&value) => deed(&value, &MARKS).or_else(|| deed(&value, &DEEDS)),
            _ => None,
        }
    })
}

/// Words in the address, the name and the heading of a form that says nothing of searching.
fn by_marks(form: &Form) -> Option<Veto> {
    let places = [form.action.path(), &form.attributes, &form.heading];
    let texts = places.map(plain);
    if texts.iter().any(|text| SEARCH.are_in(text)) {
        return None;
    }
    texts.iter().find_map(|text| deed(text, &MARKS))
}

#[cfg(test)]
mod tests;
