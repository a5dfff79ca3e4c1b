//! Veto: reasons never to submit a form, independent of the classifiers.
//!
//! The rules use fields and words only, and prefer a false veto to a wrong submission. They are applied in this
//! order: data that the fields request, text of the submit buttons, commands in hidden fields. Words in action,
//! attributes and heading count only if nothing in the form mentions searching, because pages mention carts and
//! comments everywhere.

mod phrases;

use super::phrase_set::{PhraseSet, contains_phrase, normalise};
use crate::http::Method;
use crate::page::{Field, FieldKind, Form};
use phrases::{
    ACTIONS, CAPTCHA, CARD, CARD_NUMBER, CONTEXT_ACTIONS, EMAIL, MESSAGE, PASSWORD, PASSWORD_OR_WORD,
    PAYMENT_CARD_WORDS, PERSON, PHONE, QUANTITY, QUERY_NAMES, SEARCH, USER, WEAK_ACTIONS,
};
use serde::{Deserialize, Serialize};

/// Reason never to submit a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Veto {
    /// Field for a password.
    Password,
    /// Field for a file to upload.
    File,
    /// Field for a payment card or bank account.
    Card,
    /// Test that the user is human.
    Captcha,
    /// Fields for an e-mail address and a message.
    Message,
    /// Field for a long text.
    Textarea,
    /// Field for an e-mail address.
    Email,
    /// Field for a phone number or the name of a person, without search words.
    Person,
    /// Order or quantity of goods.
    Order,
    /// Payment or donation.
    Pay,
    /// Registration or subscription.
    SignUp,
    /// Login or user name.
    LogIn,
    /// End of the session of a user.
    LogOut,
    /// End of a subscription.
    Unsubscribe,
    /// Deletion or replacement of data.
    Delete,
    /// Comment, message, vote, upload or other new data.
    Post,
}

impl std::fmt::Display for Veto {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Veto::Password => "it asks for a password",
            Veto::File => "it uploads a file",
            Veto::Card => "it asks for a bank card or an account",
            Veto::Captcha => "it has a captcha",
            Veto::Message => "it asks for an e-mail address and a message",
            Veto::Textarea => "it has a text area",
            Veto::Email => "it asks for an e-mail address",
            Veto::Person => "it asks for personal data",
            Veto::Order => "it places an order",
            Veto::Pay => "it makes a payment or donation",
            Veto::SignUp => "it creates an account",
            Veto::LogIn => "it logs in",
            Veto::LogOut => "it logs out",
            Veto::Unsubscribe => "it ends a subscription",
            Veto::Delete => "it deletes something",
            Veto::Post => "it posts, sends or votes",
        })
    }
}

/// Maximum number of fields with words that are read. The kinds of all fields are checked. Guess.
const MAX_WORD_FIELDS: usize = 10_000;

/// First reason never to submit a form.
pub fn veto(form: &Form) -> Option<Veto> {
    let requested = RequestedData::of(form);
    by_fields(form, &requested)
        .or_else(|| by_buttons(form, &requested))
        .or_else(|| by_commands(form))
        .or_else(|| if requested.search { None } else { by_context(form) })
}

/// Data that the visible fields request, by their names and labels.
#[derive(Default)]
struct RequestedData {
    captcha: bool,
    card: bool,
    email: bool,
    message: bool,
    password: bool,
    /// A field asks for a password or a word: some languages have one name for both.
    password_or_word: bool,
    phone: bool,
    person: bool,
    quantity: bool,
    user: bool,
    /// A field or button mentions searching.
    search: bool,
}

impl RequestedData {
    fn of(form: &Form) -> RequestedData {
        let mut requested = RequestedData::default();
        let about = format!("{} {}", form.attributes, form.text).to_lowercase();
        requested.captcha = about.contains("captcha");
        for field in form.fields.iter().take(MAX_WORD_FIELDS) {
            let name = normalise(&format!("{} {}", field.name, field.id));
            let label = normalise(&format!("{} {}", field.label, field.placeholder));
            match field.kind {
                FieldKind::Hidden => requested.captcha |= is_captcha(&name),
                kind if kind.is_button() => {
                    requested.search |= is_submit(field) && mentions_search(field, &name)
                }
                kind => {
                    requested.captcha |= is_captcha(&name) || CAPTCHA.found_in(&label);
                    if kind.is_textual() {
                        requested.add(field, &name, &label);
                    }
                }
            }
        }
        requested
    }

    /// Adds a text field. `name` holds its name and id, `label` its label and placeholder, both normalised.
    fn add(&mut self, field: &Field, name: &str, label: &str) {
        let mentions = |phrases: &PhraseSet| phrases.found_in(name) || phrases.found_in(label);
        let is_search = SEARCH.found_in(label);
        self.card |= mentions(&CARD) || is_payment_card(name) || is_payment_card(label);
        self.email |= field.kind == FieldKind::Email || name.contains("mail ");
        // "Search by name or e-mail" does not request an address.
        self.email |= mentions(&EMAIL) && !is_search;
        self.message |= mentions(&MESSAGE);
        self.password |= mentions(&PASSWORD);
        self.password_or_word |= mentions(&PASSWORD_OR_WORD);
        self.phone |= field.kind == FieldKind::Tel || mentions(&PHONE);
        self.person |= mentions(&PERSON);
        self.quantity |= mentions(&QUANTITY);
        self.user |= mentions(&USER);
        self.search |= is_query_field(field) || is_search || SEARCH.found_in(name);
    }
}

/// True if a text mentions the number of a card that no word before it names as another kind of card, as in "library
/// card number".
fn is_payment_card(text: &str) -> bool {
    let Some(before) = CARD_NUMBER.first(text).and_then(|phrase| text.split(phrase).next()) else {
        return false;
    };
    before.split(' ').rfind(|word| !word.is_empty()).is_none_or(|word| PAYMENT_CARD_WORDS.equals(word))
}

fn is_captcha(name: &str) -> bool {
    name.contains("captcha") || CAPTCHA.found_in(name)
}

fn mentions_search(button: &Field, name: &str) -> bool {
    let texts = [&button.label, &button.value].map(|text| normalise(text));
    SEARCH.found_in(name) || texts.iter().any(|text| SEARCH.found_in(text))
}

/// True for a query field, by kind or name.
fn is_query_field(field: &Field) -> bool {
    let is_named = |name: &str| QUERY_NAMES.equals(&normalise(name));
    match field.kind {
        FieldKind::Search => true,
        FieldKind::Text => is_named(&field.name) || is_named(&field.id),
        _ => false,
    }
}

fn is_submit(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Submit | FieldKind::Image)
}

fn by_fields(form: &Form, requested: &RequestedData) -> Option<Veto> {
    let is_post = form.method == Method::Post;
    let any = |kind: FieldKind| form.fields.iter().any(|field| field.kind == kind);
    let rules = [
        (any(FieldKind::Password) || requested.password, Veto::Password),
        (requested.password_or_word && !requested.search, Veto::Password),
        (any(FieldKind::File), Veto::File),
        (requested.card, Veto::Card),
        (requested.captcha, Veto::Captcha),
        (requested.email && (requested.message || any(FieldKind::Textarea)), Veto::Message),
        (any(FieldKind::Textarea), Veto::Textarea),
        (requested.email, Veto::Email),
        // Directories of people search by name, with GET.
        ((requested.phone || (requested.person && is_post)) && !requested.search, Veto::Person),
        (requested.quantity && !requested.search, Veto::Order),
        (requested.user && !requested.search, Veto::LogIn),
    ];
    rules.into_iter().find(|(holds, _)| *holds).map(|(_, veto)| veto)
}

/// Veto by the text of the submit buttons; without any, of other buttons.
fn by_buttons(form: &Form, requested: &RequestedData) -> Option<Veto> {
    let is_scripted = !form.fields.iter().any(is_submit);
    let counts = |field: &&Field| is_submit(field) || (is_scripted && field.kind == FieldKind::Button);
    for button in form.fields.iter().filter(counts).take(MAX_WORD_FIELDS) {
        let texts = [normalise(&button.label), normalise(&button.value)];
        if texts.iter().any(|text| SEARCH.found_in(text) || is_sorting(text)) {
            continue;
        }
        let found = texts.iter().find_map(|text| action(text, &ACTIONS));
        // A delete button beside a query field clears it.
        let clears_field = found == Some(Veto::Delete) && is_scripted && requested.search;
        if found.is_some() && !clears_field {
            return found;
        }
        let hinted = || texts.iter().find_map(|text| action(text, &WEAK_ACTIONS));
        let named = || action(&normalise(&format!("{} {}", button.name, button.id)), &CONTEXT_ACTIONS);
        if !requested.search
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

fn action(text: &str, table: &[(Veto, PhraseSet)]) -> Option<Veto> {
    table.iter().find(|(_, phrases)| phrases.found_in(text)).map(|(veto, _)| *veto)
}

/// Veto by hidden fields that hold a command for the server.
fn by_commands(form: &Form) -> Option<Veto> {
    const COMMAND_NAMES: [&str; 12] =
        ["action", "act", "do", "task", "cmd", "command", "op", "exe", "method", "mode", "func", "event"];
    let hidden = form.fields.iter().filter(|field| field.kind == FieldKind::Hidden).take(MAX_WORD_FIELDS);
    hidden.into_iter().find_map(|field| {
        let (name, value) = (normalise(&field.name), normalise(&field.value));
        let is_command = COMMAND_NAMES.contains(&name.trim());
        match value.trim() {
            "delete" | "put" | "patch" if name.trim() == "method" => Some(Veto::Delete),
            "s xclick" | "xclick" | "cart" if name.trim() == "cmd" => Some(Veto::Pay),
            _ if contains_phrase(&name, "add to cart") => Some(Veto::Order),
            _ if is_command && !SEARCH.found_in(&value) => {
                action(&value, &CONTEXT_ACTIONS).or_else(|| action(&value, &ACTIONS))
            }
            _ => None,
        }
    })
}

/// Veto by words in action, attributes and heading of a form without search words.
fn by_context(form: &Form) -> Option<Veto> {
    let places = [form.action.path(), &form.attributes, &form.heading];
    let texts = places.map(normalise);
    if texts.iter().any(|text| SEARCH.found_in(text)) {
        return None;
    }
    texts.iter().find_map(|text| action(text, &CONTEXT_ACTIONS))
}

#[cfg(test)]
mod tests;
