//! Extreme forms and damaged models: work is bounded, probabilities are valid, nothing panics.

use hadal_core::critic::FormKind;
use hadal_core::critic::classifiers::{Classifiers, ModelError, decode, encode};
use hadal_core::critic::kind_features::each_kind_feature;
use hadal_core::critic::page_kind::page_kinds;
use hadal_core::critic::topic_features::{each_form_token, page_text_features, page_topic_features};
use hadal_core::critic::veto::{Veto, veto};
use hadal_core::html;
use hadal_core::http::Method;
use hadal_core::page::{Field, FieldKind, FieldOption, Form, Page};
use proptest::prelude::*;
use url::Url;

/// Bound on the features and words that are read of any form.
const MAX_FEATURES: usize = 20_000;

fn url() -> Url {
    Url::parse("http://forms.example/").unwrap()
}

fn parsed(html: &str) -> Page {
    html::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url())
}

fn form_of(fields: Vec<Field>) -> Form {
    Form::to(url(), Method::Get, fields)
}

/// Applies all classifiers to a form. Returns P(searchable), the kind, and the number of features and words read.
fn judged(form: &Form, page: &Page) -> (f32, FormKind, usize) {
    let classifiers = Classifiers::shipped();
    let words = page_text_features(page);
    let (p, kind) = classifiers.searchable.classify(form, page);
    let mut all = vec![p];
    all.extend(classifiers.domains.classify(form, page, Some(&words)));
    all.extend(classifiers.domains.classify(form, page, None));
    all.extend(classifiers.pages.classify(&page_topic_features(page, &words)));
    assert!(all.iter().all(|p| p.is_finite() && (0.0..=1.0).contains(p)), "{all:?}");
    assert!(classifiers.searchable.strongest_features(form, page, 5).len() <= 5);
    let (mut read, _) = (0, veto(form));
    each_kind_feature(form, page, |_, _, _| read += 1);
    each_form_token(form, page, &mut |_, _| read += 1);
    (p, kind, read)
}

#[test]
fn an_empty_form_is_not_searchable() {
    let page = parsed("<form></form>");
    let (p, kind, read) = judged(&page.forms[0], &page);
    assert!(p < 0.5 && kind != FormKind::Search && read < 50, "{p} {kind:?} {read}");
}

#[test]
fn ten_thousand_fields_are_read_in_part() {
    let field = |number: usize| Field {
        label: format!("Label number {number} of very many labels"),
        id: format!("anotherLongIdentifier{number}"),
        ..Field::new(FieldKind::Text, &format!("fieldName{number}"), "value")
    };
    let page = parsed("<p>words");
    let (_, _, read) = judged(&form_of((0..10_000).map(field).collect()), &page);
    assert!(read < MAX_FEATURES, "{read}");
}

#[test]
fn a_password_after_ten_thousand_fields_is_found() {
    let mut fields: Vec<Field> = (0..10_000).map(|_| Field::new(FieldKind::Text, "q", "")).collect();
    fields.push(Field::new(FieldKind::Password, "secret", ""));
    assert_eq!(veto(&form_of(fields)), Some(Veto::Password));
}

#[test]
fn five_megabytes_of_options_are_read_in_part() {
    let option = |number: usize| FieldOption {
        text: format!("choice {number} {}", "of many words that go on ".repeat(10)),
        ..FieldOption::default()
    };
    let options: Vec<FieldOption> = (0..20_000).map(option).collect();
    assert!(options.iter().map(|option| option.text.len()).sum::<usize>() > 5_000_000);
    let field = Field { options, ..Field::new(FieldKind::Select, "town", "") };
    let (_, _, read) = judged(&form_of(vec![field]), &parsed("<p>words"));
    assert!(read < 2_000, "{read}");
}

#[test]
fn enormous_texts_are_read_in_part() {
    let text = "Search for something that is 搜索 поиск here ".repeat(100_000);
    let field = Field { label: text.clone(), ..Field::new(FieldKind::Text, &text, &text) };
    let form = Form { text: text.clone(), heading: text.clone(), attributes: text, ..form_of(vec![field]) };
    let (_, _, read) = judged(&form, &parsed("<p>words"));
    assert!(read < MAX_FEATURES, "{read}");
}

#[test]
fn forms_without_labels_are_recognised_by_field_names() {
    let page = parsed(
        "<form action=/search><input name=q><input type=submit></form>
         <form method=post><input name=login><input type=password name=password><input type=submit></form>",
    );
    let kinds: Vec<FormKind> = page.forms.iter().map(|form| judged(form, &page).1).collect();
    assert_eq!(kinds, [FormKind::Search, FormKind::Login]);
}

#[test]
fn mixed_scripts_and_unknown_languages_are_handled() {
    let mixed = "Suche поиск 搜索図書 ค้นหา بحث 🔎 \u{0} \u{fffd} e\u{301}\u{302}\u{303} ᚠᛇᚻ";
    for language in ["", "xx", "tlh", "zz-ZZ-zz", "\u{202e}", "en-Latn-x-y"] {
        let html = format!(
            "<html lang='{language}'><title>{mixed}</title><p>{mixed}</p>
             <form><label>{mixed}<input name='{mixed}' placeholder='{mixed}'></label><button>{mixed}</button></form>"
        );
        let page = parsed(&html);
        judged(&page.forms[0], &page);
        page_kinds(&page, 200);
    }
}

#[test]
fn other_formats_and_types_are_rejected_with_a_reason() {
    let whole = encode(Classifiers::shipped());
    for cut in [0, 1, 7, 8, 9, 10, 17, 18, 19, whole.len() / 2, whole.len() - 1] {
        let error = decode::<Classifiers>(&whole[..cut]).unwrap_err();
        assert!(matches!(error, ModelError::NotAModel | ModelError::Damaged), "{cut}: {error}");
    }
    let mut older = whole.clone();
    (older[8], older[9]) = (0, 0);
    let error = decode::<Classifiers>(&older).unwrap_err();
    assert_eq!(error, ModelError::Format { found: 0 });
    assert!(error.to_string().contains("train it again"), "{error}");
    let other = encode(&"a model of something else");
    assert_eq!(decode::<Classifiers>(&other), Err(ModelError::Damaged));
}

#[test]
fn damaged_bytes_are_rejected() {
    let mut bytes = encode(Classifiers::shipped());
    for at in (18..bytes.len()).step_by(bytes.len() / 40) {
        bytes[at] ^= 0x55;
        assert_eq!(decode::<Classifiers>(&bytes), Err(ModelError::Damaged), "byte {at}");
        bytes[at] ^= 0x55;
    }
}

/// Text of any script.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-zA-Z_\\-]{0,20}", "(search|login|email|книги|图书|hotel| ){0,8}"]
}

fn field() -> impl Strategy<Value = Field> {
    let kinds = proptest::sample::select(FieldKind::ALL.to_vec());
    let texts = (text(), text(), text(), text(), text());
    (kinds, texts, proptest::collection::vec(text(), 0..4), any::<Option<u32>>(), any::<bool>()).prop_map(
        |(kind, (name, id, label, placeholder, value), options, max_length, required)| {
            let option = |text: String| FieldOption { text, ..FieldOption::default() };
            let options = options.into_iter().map(option).collect();
            Field { id, label, placeholder, options, max_length, required, ..Field::new(kind, &name, &value) }
        },
    )
}

proptest! {
    #[test]
    fn probabilities_of_any_form_are_probabilities(
        fields in proptest::collection::vec(field(), 0..8),
        texts in (text(), text(), text(), text()),
        language in proptest::option::of("[a-z]{2}"),
        post in any::<bool>(),
    ) {
        let method = if post { Method::Post } else { Method::Get };
        let (attributes, inside, heading, title) = texts;
        let form = Form { attributes, text: inside, heading, ..Form::to(url(), method, fields) };
        let page = Page { title, language, ..parsed("<p>Books and hotels") };
        prop_assert!(judged(&form, &page).2 < MAX_FEATURES);
    }
}
