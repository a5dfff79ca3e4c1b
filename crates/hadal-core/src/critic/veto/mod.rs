//! What must never be submitted, whatever a classifier says.
//!
//! The veto looks at structure and words alone and errs on the side of not asking. What a form asks
//! for settles it first, then what is written on the button that sends it. Words in its address, its
//! name or the heading over it count only when nothing about the form says that it searches: pages
//! mention carts and comments everywhere.

mod phrases;

use super::phrase_set::{PhraseSet, contains_phrase, normalise};
use crate::http::Method;
use crate::page::{Field, FieldKind, Form};
use phrases::{
    ACTIONS, CAPTCHA, CARD, CONTEXT_ACTIONS, EMAIL, MESSAGE, PASSWORD, PERSON, PHONE, QUANTITY, QUERY_NAMES,
    SEARCH, USER, WEAK_ACTIONS,
};
use serde::{Deserialize, Serialize};

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
    let asked = RequestedData::of(form);
    by_fields(form, &asked)
        .or_else(|| by_buttons(form, &asked))
        .or_else(|| by_orders(form))
        .or_else(|| if asked.searches { None } else { by_marks(form) })
}

/// What the visible fields ask for, as far as their words tell.
#[derive(Default)]
struct RequestedData {
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

impl RequestedData {
    fn of(form: &Form) -> RequestedData {
        let mut asked = RequestedData::default();
        let about = format!("{} {}", form.attributes, form.text).to_lowercase();
        asked.captcha = about.contains("captcha");
        for field in form.fields.iter().take(WORDED_FIELDS) {
            let name = normalise(&format!("{} {}", field.name, field.id));
            let read = normalise(&format!("{} {}", field.label, field.placeholder));
            match field.kind {
                FieldKind::Hidden => asked.captcha |= is_captcha(&name),
                kind if kind.is_button() => asked.searches |= sends(field) && offers_search(field, &name),
                kind => {
                    asked.captcha |= is_captcha(&name) || CAPTCHA.found_in(&read);
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
        let says = |phrases: &PhraseSet| phrases.found_in(name) || phrases.found_in(read);
        let looked_for = SEARCH.found_in(read);
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
        self.searches |= is_query(field) || looked_for || SEARCH.found_in(name);
    }
}

fn is_captcha(name: &str) -> bool {
    name.contains("captcha") || CAPTCHA.found_in(name)
}

fn offers_search(button: &Field, name: &str) -> bool {
    let texts = [&button.label, &button.value].map(|text| normalise(text));
    SEARCH.found_in(name) || texts.iter().any(|text| SEARCH.found_in(text))
}

/// A field that a query goes into, by kind or name.
fn is_query(field: &Field) -> bool {
    let is_named = |name: &str| QUERY_NAMES.equals(&normalise(name));
    match field.kind {
        FieldKind::Search => true,
        FieldKind::Text => is_named(&field.name) || is_named(&field.id),
        _ => false,
    }
}

fn sends(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Submit | FieldKind::Image)
}

fn by_fields(form: &Form, asked: &RequestedData) -> Option<Veto> {
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
fn by_buttons(form: &Form, asked: &RequestedData) -> Option<Veto> {
    let is_scripted = !form.fields.iter().any(sends);
    let counts = |field: &&Field| sends(field) || (is_scripted && field.kind == FieldKind::Button);
    for button in form.fields.iter().filter(counts).take(WORDED_FIELDS) {
        let texts = [normalise(&button.label), normalise(&button.value)];
        if texts.iter().any(|text| SEARCH.found_in(text) || is_sorting(text)) {
            continue;
        }
        let found = texts.iter().find_map(|text| deed(text, &ACTIONS));
        // A cross beside a search box empties it.
        let empties = found == Some(Veto::Delete) && is_scripted && asked.searches;
        if found.is_some() && !empties {
            return found;
        }
        let hinted = || texts.iter().find_map(|text| deed(text, &WEAK_ACTIONS));
        let named = || deed(&normalise(&format!("{} {}", button.name, button.id)), &CONTEXT_ACTIONS);
        if !asked.searches
            && let Some(veto) = hinted().or_else(named)
        {
            return Some(veto);
        }
    }
    None
}

fn is_sorting(text: &str) -> bool {
    ["order by", "sort", "sort order"].iter().any(|phrase| contains_phrase(text, phrase))
}

fn deed(text: &str, table: &[(Veto, PhraseSet)]) -> Option<Veto> {
    table.iter().find(|(_, phrases)| phrases.found_in(text)).map(|(veto, _)| *veto)
}

/// Hidden fields that tell the server what to do.
fn by_orders(form: &Form) -> Option<Veto> {
    const NAMES: [&str; 12] =
        ["action", "act", "do", "task", "cmd", "command", "op", "exe", "method", "mode", "func", "event"];
    let hidden = form.fields.iter().filter(|field| field.kind == FieldKind::Hidden).take(WORDED_FIELDS);
    hidden.into_iter().find_map(|field| {
        let (name, value) = (normalise(&field.name), normalise(&field.value));
        let is_order = NAMES.contains(&name.trim());
        match value.trim() {
            "delete" | "put" | "patch" if name.trim() == "method" => Some(Veto::Delete),
            "s xclick" | "xclick" | "cart" if name.trim() == "cmd" => Some(Veto::Pay),
            _ if contains_phrase(&name, "add to cart") => Some(Veto::Order),
            _ if is_order && !SEARCH.found_in(&value) => {
                deed(&value, &CONTEXT_ACTIONS).or_else(|| deed(&value, &ACTIONS))
            }
            _ => None,
        }
    })
}

/// Words in the address, the name and the heading of a form that says nothing of searching.
fn by_marks(form: &Form) -> Option<Veto> {
    let places = [form.action.path(), &form.attributes, &form.heading];
    let texts = places.map(normalise);
    if texts.iter().any(|text| SEARCH.found_in(text)) {
        return None;
    }
    texts.iter().find_map(|text| deed(text, &CONTEXT_ACTIONS))
}

#[cfg(test)]
mod tests;
