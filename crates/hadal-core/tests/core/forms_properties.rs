//! Any form can be filled, vetoed and probed, and any page scored, without a panic and with bounded work.

use hadal_core::critic::page_kind::page_kinds;
use hadal_core::critic::probe::{MAX_REQUESTS, Probe, ProbeAnswer};
use hadal_core::critic::veto::veto;
use hadal_core::html::parse;
use hadal_core::http::Method;
use hadal_core::page::{Field, FieldKind, FieldOption, Form, Page};
use hadal_core::submission::{FilledForm, submission};
use proptest::prelude::*;
use url::Url;

fn address() -> Url {
    Url::parse("http://example.org/find?old=1").expect("a valid URL")
}

/// Texts that mix scripts, signs, line ends and known words.
fn text() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "search",
        "q",
        "add to cart",
        "e-mail",
        "_charset_",
        "0 results",
        "1-10 of 99",
        "\u{691c}\u{7d22}",
        "\u{643}\u{62a}\u{627}\u{628}",
        "\u{41f}\u{43e}\u{438}\u{441}\u{43a}",
        "\r\n",
        "\u{0}",
        "\u{1f50d}",
        "\u{130}",
        "captcha",
        "",
    ]);
    prop_oneof![known.prop_map(String::from), ".{0,12}", "\\PC{0,12}"]
}

fn field() -> impl Strategy<Value = Field> {
    let kind = prop::sample::select(FieldKind::ALL.to_vec());
    let options = prop::collection::vec((text(), any::<bool>()), 0..4);
    let flags = prop::array::uniform3(any::<bool>());
    (kind, prop::array::uniform4(text()), options, flags, prop::option::of(0..20u32)).prop_map(
        |(kind, [name, id, label, value], options, [checked, multiple, disabled], max_length)| {
            let choice =
                |(value, selected): (String, bool)| FieldOption { text: value.clone(), value, selected };
            let options = options.into_iter().map(choice).collect();
            let plain = Field::new(kind, &name, &value);
            Field { id, label, options, checked, multiple, disabled, max_length, ..plain }
        },
    )
}

fn form() -> impl Strategy<Value = Form> {
    let method = prop::sample::select(vec![Method::Get, Method::Post]);
    let enctype = prop::sample::select(vec!["", "multipart/form-data", "text/plain", "nonsense"]);
    (prop::collection::vec(field(), 0..12), method, enctype, prop::array::uniform3(text())).prop_map(
        |(fields, method, enctype, [accept_charset, attributes, heading])| Form {
            enctype: enctype.to_string(),
            accept_charset,
            attributes,
            heading,
            ..Form::to(address(), method, fields)
        },
    )
}

fn answer(body: &str) -> Page {
    parse(body.as_bytes(), Some("text/html; charset=utf-8"), &address())
}

/// Answers a probe with the same page until it ends, and counts the requests.
fn requests(mut probe: Probe, status: u16, page: &Page) -> usize {
    let mut sent = 0;
    while probe.next_request().is_some() {
        probe.receive(ProbeAnswer { status, location: None, page: Some(page) });
        sent += 1;
    }
    assert!(probe.result().is_some());
    sent
}

proptest! {
    #[test]
    fn any_form_can_be_filled_and_sent(form in form(), values in prop::collection::vec((0..14usize, text()), 0..6),
        button in prop::option::of(0..14usize), charset in text()) {
        let request = submission(&form, &FilledForm { values, button }, &charset);
        prop_assert_eq!(request.headers.get("content-type").is_some(), request.method == Method::Post);
        prop_assert!(request.url.fragment().is_none());
    }

    #[test]
    fn any_form_is_refused_or_probed_with_few_requests(form in form(), word in text(), seed: u64, status in 0..600u16, body in text()) {
        let vetoed = veto(&form).is_some();
        if let Ok(probe) = Probe::new(&form, &word, seed) {
            prop_assert!(!vetoed);
            prop_assert!(requests(probe, status, &answer(&body)) <= MAX_REQUESTS);
        }
    }

    #[test]
    fn scores_of_any_page_are_between_0_and_1(parts in prop::collection::vec(text(), 0..30), status: u16) {
        let kinds = page_kinds(&answer(&parts.join(" ")), status);
        for signal in [&kinds.results, &kinds.detail, &kinds.no_results, &kinds.error, &kinds.login_wall,
            &kinds.soft_404, &kinds.rate_limit, &kinds.captcha] {
            prop_assert!((0.0..=1.0).contains(&signal.score));
            prop_assert_eq!(signal.score > 0.0, !signal.evidence.is_empty());
        }
    }
}

#[test]
fn ten_thousand_fields_are_handled() {
    for kind in FieldKind::ALL {
        let long = "mixed \u{43f}\u{43e}\u{438}\u{441}\u{43a} \u{691c}\u{7d22} ".repeat(3);
        let many = |n: usize| Field { label: long.clone(), ..Field::new(kind, &format!("field{n}"), "v") };
        let form = Form::to(address(), Method::Get, (0..10_000).map(many).collect());
        let _ = veto(&form);
        let request = submission(&form, &FilledForm::default(), "utf-8");
        assert!(request.url.as_str().len() < 300_000);
        if let Ok(probe) = Probe::new(&form, "word", 1) {
            assert!(requests(probe, 200, &answer("<p>Hello")) <= MAX_REQUESTS);
        }
    }
}

#[test]
fn an_empty_form_is_not_probed() {
    let form = Form::to(address(), Method::Get, Vec::new());
    assert_eq!(veto(&form), None);
    assert!(Probe::new(&form, "word", 1).is_err());
    assert_eq!(submission(&form, &FilledForm::default(), "").url.as_str(), "http://example.org/find?");
}

#[test]
fn a_huge_page_is_read_in_part() {
    let page =
        answer(&format!("<p>1-10 of 77 results</p>{}", "<a href=/x>link 1 of 2 words</a> ".repeat(100_000)));
    assert_eq!(page_kinds(&page, 200).total, Some(77));
}
