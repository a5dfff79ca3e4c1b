//! Submissions of forms, case by case, as browsers send them.

use hadal_core::html;
use hadal_core::http::{Method, Request};
use hadal_core::page::Form;
use hadal_core::submission::{FilledForm, goes_to_web, submission};
use url::Url;

fn forms(html: &str) -> Vec<Form> {
    let url = Url::parse("http://a.org/dir/page?old=1#here").unwrap();
    html::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url).forms
}

fn request(html: &str) -> Request {
    submission(&forms(html)[0], &FilledForm::default(), "UTF-8")
}

/// Query string of the first form with its defaults.
fn sent(html: &str) -> String {
    request(html).url.query().unwrap().to_string()
}

fn body(html: &str) -> String {
    String::from_utf8(request(html).body).unwrap()
}

#[test]
fn controls_belong_to_the_form_they_name() {
    let html =
        "<input form=f name=before value=1><form id=f><input name=inside value=2><input form=g name=lent
        value=3></form><form id=g><input name=own value=4></form><input form=f name=behind value=5>
        <input form=nobody name=lost value=6>";
    let all = forms(html);
    let query =
        |at: usize| submission(&all[at], &FilledForm::default(), "UTF-8").url.query().unwrap().to_string();
    assert_eq!(query(0), "before=1&inside=2&behind=5");
    assert_eq!(query(1), "lent=3&own=4");
}

#[test]
fn a_disabled_fieldset_disables_all_but_its_first_legend() {
    let html =
        "<form><fieldset disabled><legend><input name=a value=1></legend><legend><input name=b value=2>
        </legend><input name=c value=3><fieldset><input name=d value=4></fieldset></fieldset>
        <input name=e value=5></form>";
    assert_eq!(sent(html), "a=1&e=5");
}

#[test]
fn suggestions_are_not_sent() {
    let html = "<form><input name=q value=x list=l><datalist id=l><option value=y><input name=in value=1>
        <select name=s><option>z</select></datalist></form>";
    assert_eq!(sent(html), "q=x");
}

#[test]
fn a_select_sends_its_enabled_selected_options() {
    for (options, expected) in [
        ("<option>1<option>2", "s=1"),
        ("<option disabled>1<option>2", "s=2"),
        ("<option selected>1<option selected>2", "s=2"),
        ("<option disabled selected value=''>Choose<option>1", ""),
        ("<option selected>1<option disabled selected>2", ""),
        ("<option disabled selected>1<option selected>2", "s=2"),
        ("<optgroup disabled><option>1</optgroup><option>2", "s=2"),
        ("<option value=''>Any<option>1", "s="),
        ("<option label=shown> two  words ", "s=two+words"),
        ("", ""),
    ] {
        let html = format!("<form><select name=s>{options}</select></form>");
        assert_eq!(sent(&html), expected, "{options}");
    }
    assert_eq!(sent("<form><select name=s size=3><option>1<option>2</select></form>"), "");
    assert_eq!(
        sent("<form><select name=s size=3 multiple><option selected>1<option selected>2</select></form>"),
        "s=1&s=2"
    );
}

#[test]
fn names_are_sent_as_often_and_in_the_order_they_stand() {
    let html =
        "<form><input name=b value=1><input name=a value=2><input type=checkbox name=b value=3 checked>
        <input name=b value=1><textarea name=a>4</textarea><select name=b><option>5</select></form>";
    assert_eq!(sent(html), "b=1&a=2&b=3&b=1&a=4&b=5");
}

#[test]
fn charset_is_the_only_special_name() {
    assert_eq!(sent("<form><input name=isindex value=x></form>"), "isindex=x");
    assert_eq!(sent("<form><input name='' value=x><input value=y></form>"), "");
    let html = "<form accept-charset=koi8-r><input type=hidden name=_CHARSET_ value=x><input name=_charset_ value=y></form>";
    assert_eq!(sent(html), "_CHARSET_=KOI8-R&_charset_=y");
}

#[test]
fn file_fields_without_a_file_are_sent_empty() {
    assert_eq!(sent("<form><input type=file name=f><input type=file></form>"), "f=");
    let html =
        "<form method=post enctype=multipart/form-data><input type=file><input type=file name=f></form>";
    assert_eq!(body(html).matches("Content-Disposition").count(), 1);
    assert!(
        body(html)
            .contains("name=\"f\"; filename=\"\"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n")
    );
}

#[test]
fn line_breaks_are_two_bytes_in_names_and_values() {
    for written in ["a&#10;b", "a&#13;b", "a&#13;&#10;b"] {
        let html = format!("<form><input type=hidden name='{written}' value='{written}'></form>");
        assert_eq!(sent(&html), "a%0D%0Ab=a%0D%0Ab", "{written}");
    }
    assert_eq!(sent("<form><input type=hidden name='a&#10;&#13;b' value=1></form>"), "a%0D%0A%0D%0Ab=1");
    assert_eq!(sent("<form><input name=q value='a&#10;b'></form>"), "q=ab");
    assert_eq!(sent("<form><textarea name=t>\n\nx\n</textarea></form>"), "t=%0D%0Ax%0D%0A");
}

#[test]
fn reserved_bytes_are_escaped() {
    let html = "<form><input name='a b' value='*-._~ %&amp;=+#\u{e9}'></form>";
    assert_eq!(sent(html), "a+b=*-._%7E+%25%26%3D%2B%23%C3%A9");
    let html = "<form method=post enctype=multipart/form-data><input type=hidden name='a\"&#13;&#10;b' value='\"c'></form>";
    assert!(body(html).contains("name=\"a%22%0D%0Ab\"\r\n\r\n\"c\r\n"));
}

#[test]
fn plain_text_is_lines_of_names_and_values() {
    let html = "<form method=post enctype=TEXT/PLAIN><input name=a value='1&amp;2'><textarea name=b>x\ny</textarea></form>";
    assert_eq!(body(html), "a=1&2\r\nb=x\r\ny\r\n");
    assert_eq!(request(html).headers.get("content-type"), Some("text/plain"));
}

#[test]
fn an_unknown_encoding_is_the_default_and_get_ignores_the_encoding() {
    let html = "<form method=post enctype=nonsense><input name=a value='1 2'></form>";
    assert_eq!(body(html), "a=1+2");
    assert_eq!(request(html).headers.get("content-type"), Some("application/x-www-form-urlencoded"));
    let get = request("<form enctype=multipart/form-data><input name=a value=1></form>");
    assert_eq!((get.method, get.url.query(), get.body.len()), (Method::Get, Some("a=1"), 0));
}

#[test]
fn the_default_button_overrides_the_form() {
    let html = "<form action=/a><input name=q value=x><button disabled name=no formaction=/no>No</button>
        <button type=button formaction=/never>Never</button>
        <button name=go value=1 formaction=/b formmethod=post formenctype=text/plain formtarget=_blank>Go</button>
        <button formenctype=multipart/form-data>Other</button></form>";
    let request = request(html);
    assert_eq!((request.method, request.url.as_str()), (Method::Post, "http://a.org/b"));
    assert_eq!(request.body, b"q=x\r\ngo=1\r\n");
}

#[test]
fn an_image_button_sends_coordinates_and_no_value() {
    assert_eq!(sent("<form><input type=image name=map value=v src=/m.png></form>"), "map.x=0&map.y=0");
    assert_eq!(sent("<form><input type=image value=v></form>"), "x=0&y=0");
}

#[test]
fn dirname_sends_the_direction_of_a_text() {
    assert_eq!(sent("<form><input name=q value=x dirname=d></form>"), "q=x&d=ltr");
    assert_eq!(
        sent("<form dir=rtl><input name=q value=x dirname=q.dir><input name=b></form>"),
        "q=x&q.dir=rtl&b="
    );
    assert_eq!(sent("<form><textarea name=q dirname=d dir=RTL>x</textarea></form>"), "q=x&d=rtl");
    assert_eq!(
        sent("<form><input name=q value=x dirname=''><input type=hidden name=h dirname=d></form>"),
        "q=x&h="
    );
}

#[test]
fn get_replaces_the_query_and_post_keeps_it() {
    let to = |html: &str| request(html).url.to_string();
    assert_eq!(to("<form action='/s?a=1#f'><input name=q value=x></form>"), "http://a.org/s?q=x");
    assert_eq!(to("<form action='/s?a=1#f' method=post><input name=q value=x></form>"), "http://a.org/s?a=1");
    assert_eq!(to("<form action=''><input name=q value=x></form>"), "http://a.org/dir/page?q=x");
    assert_eq!(to("<form action='?b=2' method=POST></form>"), "http://a.org/dir/page?b=2");
    assert_eq!(to("<base href=http://b.org/x/><form action=s><input name=q></form>"), "http://b.org/x/s?q=");
}

#[test]
fn actions_with_other_schemes_are_no_web_requests() {
    for action in
        ["mailto:a@b.org", "javascript:go()", "data:text/html,x", "ftp://a.org/", "file:///etc/hosts"]
    {
        for method in ["get", "post"] {
            let html = format!("<form action='{action}' method={method}><input name=q value=x></form>");
            assert!(!goes_to_web(&request(&html)), "{action}");
        }
    }
    assert!(goes_to_web(&request("<form action=//b.org/s></form>")));
}

#[test]
fn the_first_known_charset_is_used() {
    let of = |accepted: &str| {
        sent(&format!("<form accept-charset='{accepted}'><input name=q value='\u{e9}'></form>"))
    };
    assert_eq!(of("iso-8859-1, utf-8"), "q=%C3%A9", "labels are separated by spaces, not commas");
    assert_eq!(of("x-nonsense latin1 utf-8"), "q=%E9");
    assert_eq!(of("utf-16"), "q=%C3%A9");
    assert_eq!(of("x-nonsense"), "q=%C3%A9");
}
