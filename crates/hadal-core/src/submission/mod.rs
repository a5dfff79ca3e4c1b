//! The request that a browser sends for a filled form.
//!
//! `entries` builds the entry list and `encode` turns it into bytes, both by the HTML standard. A form that must not be
//! submitted is not refused here: see [`crate::critic::veto`].

mod encode;
mod entries;
mod template;

pub(crate) use template::insert;
pub use template::{HEADER, WORDS, is_learned, request_template};

use crate::http::{Headers, Method, Request};
use crate::page::Form;
use encode::{Enctype, encoding_of};
use entries::{entries, pressed_button};
use url::Url;

/// Values and button for a form. Other fields keep their defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilledForm {
    /// Values by position among the form's fields. A checkbox or radio button is checked by its own value and
    /// unchecked by any other. A select takes only values of its options; one with `multiple` takes all given values.
    pub values: Vec<(usize, String)>,
    /// Position of the button that is pressed; `None` for the button of the filled text field.
    pub button: Option<usize>,
}

impl FilledForm {
    /// Input with one value.
    pub fn of(field: usize, value: &str) -> FilledForm {
        FilledForm { values: vec![(field, value.to_string())], button: None }
    }
}

/// Builds the request for a form on a page with the given character encoding.
///
/// [`Form`] does not distinguish the `value` of a button from its text, so a button without a `value` sends its text.
pub fn submission(form: &Form, input: &FilledForm, page_charset: &str) -> Request {
    if is_learned(form) {
        return template::learned_request(form, input);
    }
    let position = input.button.filter(|&at| at < form.fields.len()).or_else(|| pressed_button(form, input));
    let button = position.map(|at| &form.fields[at]);
    let encoding = encoding_of(&form.accept_charset, page_charset);
    let entries = entries(form, input, position, encoding.name());
    let mut url = button.and_then(|button| button.formaction.as_ref()).unwrap_or(&form.action).clone();
    url.set_fragment(None);
    let method = button.and_then(|button| button.formmethod).unwrap_or(form.method);
    if method == Method::Get {
        url.set_query(Some(&encode::urlencoded(&entries, encoding)));
        return Request { headers: header_lines(form), ..Request::get(url) };
    }
    let (content_type, body) = encode::body(&entries, Enctype::of(&form.enctype), encoding);
    let mut headers = header_lines(form);
    headers.push("Content-Type", content_type);
    Request { method, headers, body, ..Request::get(url) }
}

/// Header lines that an endpoint asks for: fields with names that start with [`HEADER`].
fn header_lines(form: &Form) -> Headers {
    let lines = form
        .fields
        .iter()
        .filter(|_| form.source.is_endpoint())
        .filter_map(|field| Some((field.name.strip_prefix(HEADER)?.to_string(), field.value.clone())));
    Headers(lines.collect())
}

/// Adds the headers by which a server sees the page of a form, as browsers send them: `Referer`, and `Origin` on POST.
/// Some servers refuse submissions without them.
pub fn sent_from(mut request: Request, page: &Url) -> Request {
    if request.headers.get("referer").is_some() || !matches!(page.scheme(), "http" | "https") {
        return request;
    }
    let origin = page.origin().ascii_serialization();
    let is_downgrade = page.scheme() == "https" && request.url.scheme() == "http";
    if !is_downgrade {
        let is_same_origin = request.url.origin() == page.origin();
        request.headers.push("Referer", if is_same_origin { referrer(page) } else { format!("{origin}/") });
    }
    if request.method == Method::Post {
        request.headers.push("Origin", origin);
    }
    request
}

/// URL of a page without user name, password and fragment.
fn referrer(page: &Url) -> String {
    let mut url = page.clone();
    url.set_fragment(None);
    // Both fail only for URLs without a host.
    let _ = (url.set_username(""), url.set_password(None));
    url.into()
}

/// Returns true for http and https. The action of a form may also be a script or a mail address.
pub fn goes_to_web(request: &Request) -> bool {
    matches!(request.url.scheme(), "http" | "https")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Field, FieldKind};

    fn form(html: &str) -> Form {
        let url = Url::parse("http://a.org/dir/page?old=1").unwrap();
        crate::html::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url).forms.remove(0)
    }

    fn sent(html: &str, input: &FilledForm) -> String {
        submission(&form(html), input, "UTF-8").url.to_string()
    }

    #[test]
    fn get_replaces_the_query_of_the_action() {
        let html = "<form action='/find?lang=en#top'><input name=q value='a b&c'></form>";
        assert_eq!(sent(html, &FilledForm::default()), "http://a.org/find?q=a+b%26c");
        assert_eq!(sent("<form></form>", &FilledForm::default()), "http://a.org/dir/page?");
    }

    #[test]
    fn only_successful_controls_are_sent() {
        let html = "<form action=/s><input name=q><input name=off disabled value=1><input value=nameless>
            <input type=checkbox name=a><input type=checkbox name=b checked><input type=radio name=r value=1>
            <input type=radio name=r value=2 checked><input type=hidden name=h value=x>
            <input type=reset name=z value=Clear><button type=button name=y>Y</button></form>";
        assert_eq!(sent(html, &FilledForm::default()), "http://a.org/s?q=&b=on&r=2&h=x");
        let input = FilledForm {
            values: vec![(0, "w".into()), (3, "on".into()), (4, "".into()), (5, "1".into())],
            ..FilledForm::default()
        };
        assert_eq!(sent(html, &input), "http://a.org/s?q=w&a=on&r=1&h=x");
    }

    #[test]
    fn a_select_sends_the_selected_or_the_first_option() {
        let html = "<form action=/s><select name=a><option>1<option>2</select>
            <select name=b><option>1<option selected>2</select>
            <select name=c multiple><option>1<option>2<option>3</select><select name=d></select></form>";
        assert_eq!(sent(html, &FilledForm::default()), "http://a.org/s?a=1&b=2");
        let values = vec![(0, "2".into()), (1, "none of these".into()), (2, "3".into()), (2, "1".into())];
        assert_eq!(sent(html, &FilledForm { values, button: None }), "http://a.org/s?a=2&b=2&c=1&c=3");
    }

    #[test]
    fn a_button_that_adds_a_row_is_not_pressed() {
        let html = "<form action=/s><input type=submit name=more[0] value='+'><input name=a>
            <input type=submit name=more[1] value='+'><input name=b><input type=submit name=do value=Suchen></form>";
        assert_eq!(sent(html, &FilledForm::of(1, "w")), "http://a.org/s?a=w&b=&do=Suchen");
        assert_eq!(sent(html, &FilledForm::of(3, "w")), "http://a.org/s?a=&b=w&do=Suchen");
        let arrow = "<form action=/s><input name=q><button name=go value='&raquo;'></button></form>";
        assert_eq!(sent(arrow, &FilledForm::of(0, "w")), "http://a.org/s?q=w&go=%C2%BB");
    }

    #[test]
    fn a_required_choice_without_a_default_is_made() {
        let html = "<form action=/s><input name=q><select name=kinds multiple required><option value=''>Pick
            <option>posts<option>topics</select><select name=area required><option value=''>Choose<option>north
            <option>south</select><input type=radio name=mode value=all required>All
            <input type=radio name=mode value=any required>Any<input type=checkbox name=terms required></form>";
        let all = "http://a.org/s?q=w&kinds=posts&kinds=topics&area=north&mode=all";
        assert_eq!(sent(html, &FilledForm::of(0, "w")), all);
        let values = vec![(1, "topics".into()), (2, "south".into()), (4, "any".into())];
        let chosen = "http://a.org/s?q=&kinds=topics&area=south&mode=any";
        assert_eq!(sent(html, &FilledForm { values, button: None }), chosen);
    }

    #[test]
    fn the_pressed_button_is_sent_and_may_lead_elsewhere() {
        let html = "<form action=/s><input name=q value=x><button name=go value=1>Go</button>
            <input type=image name=map><button name=go value=2 formaction=/t formmethod=post>T</button>
            <input type=image></form>";
        assert_eq!(sent(html, &FilledForm::default()), "http://a.org/s?q=x&go=1");
        let press = |at| FilledForm { values: Vec::new(), button: Some(at) };
        assert_eq!(sent(html, &press(2)), "http://a.org/s?q=x&map.x=0&map.y=0");
        assert_eq!(sent(html, &press(4)), "http://a.org/s?q=x&x=0&y=0");
        let request = submission(&form(html), &press(3), "UTF-8");
        assert_eq!((request.method, request.url.as_str()), (Method::Post, "http://a.org/t"));
        assert_eq!(request.body, b"q=x&go=2");
        assert_eq!(request.headers.get("content-type"), Some("application/x-www-form-urlencoded"));
    }

    #[test]
    fn the_button_of_the_filled_box_is_pressed() {
        let html = "<form action=/s><input name=zip><button name=go value=zip>Go</button>
            <input name=q><button name=go value=all>Search</button><button name=go value=clear>Clear</button></form>";
        assert_eq!(sent(html, &FilledForm::of(0, "7")), "http://a.org/s?zip=7&go=zip&q=");
        assert_eq!(sent(html, &FilledForm::of(2, "x")), "http://a.org/s?zip=&q=x&go=all");
        let above = "<form action=/s><button name=go value=1>Go</button><input name=q><button name=r>R</button></form>";
        assert_eq!(sent(above, &FilledForm::of(1, "x")), "http://a.org/s?go=1&q=x");
    }

    #[test]
    fn of_several_buttons_for_one_box_the_one_for_full_texts_is_pressed() {
        let html = "<form action=/s><input name=q><input type=submit name=title value=Title>
            <input type=submit name=full value='Full text'></form>";
        assert_eq!(sent(html, &FilledForm::of(0, "x")), "http://a.org/s?q=x&full=Full+text");
        let by_name = "<form action=/s><input name=q><button name=go value=1>Los</button>
            <button name=fulltext value=1>Suchen</button></form>";
        assert_eq!(sent(by_name, &FilledForm::of(0, "x")), "http://a.org/s?q=x&fulltext=1");
        let elsewhere = "<form action=/s><input name=q><button name=go value=1>Go</button>
            <button name=fulltext value=1 formaction=/other>Text</button></form>";
        assert_eq!(sent(elsewhere, &FilledForm::of(0, "x")), "http://a.org/s?q=x&go=1");
    }

    #[test]
    fn a_submission_names_its_page_and_a_post_its_origin() {
        let page = Url::parse("https://me:pw@a.org/find?x=1#top").unwrap();
        let to = |url: &str, method| {
            let request = Request { method, ..Request::get(Url::parse(url).unwrap()) };
            let headers = sent_from(request, &page).headers;
            let value = |name| headers.get(name).map(String::from);
            (value("referer"), value("origin"))
        };
        let origin = || Some("https://a.org".to_string());
        assert_eq!(to("https://a.org/s", Method::Get), (Some("https://a.org/find?x=1".into()), None));
        assert_eq!(to("https://b.org/s", Method::Post), (Some("https://a.org/".into()), origin()));
        assert_eq!(to("http://a.org/s", Method::Post), (None, origin()));
    }

    #[test]
    fn text_travels_in_the_charset_of_the_form() {
        let html = "<form action=/s><input name=q value='\u{e9}\u{3042}'></form>";
        let in_page = |charset| submission(&form(html), &FilledForm::default(), charset).url.to_string();
        assert_eq!(in_page("windows-1252"), "http://a.org/s?q=%E9%26%2312354%3B");
        assert_eq!(in_page("Shift_JIS"), "http://a.org/s?q=%26%23233%3B%82%A0");
        assert_eq!(in_page("UTF-16LE"), in_page("no such charset"));
        let html = "<form action=/s accept-charset='nonsense latin1'><input type=hidden name=_charset_>
            <input name=q value='\u{e9}'></form>";
        assert_eq!(sent(html, &FilledForm::default()), "http://a.org/s?_charset_=windows-1252&q=%E9");
    }

    #[test]
    fn line_breaks_are_two_characters_and_none_in_a_single_line() {
        let html = "<form action=/s><textarea name=t></textarea><input name=q></form>";
        let values = vec![(0, "a\nb\rc\r\nd".into()), (1, "a\nb".into())];
        let input = FilledForm { values, button: None };
        assert_eq!(sent(html, &input), "http://a.org/s?t=a%0D%0Ab%0D%0Ac%0D%0Ad&q=ab");
    }

    #[test]
    fn multipart_parts_are_held_apart_by_a_boundary_that_no_value_holds() {
        let html = "<form action=/s method=post enctype=multipart/form-data><input name='a\"b' value=1>
            <input type=file name=f></form>";
        let request = submission(&form(html), &FilledForm::default(), "UTF-8");
        let content_type = request.headers.get("content-type").unwrap();
        let boundary = content_type.strip_prefix("multipart/form-data; boundary=").unwrap();
        let expected = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"a%22b\"\r\n\r\n1\r\n\
             --{boundary}\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n\r\n--{boundary}--\r\n"
        );
        assert_eq!(String::from_utf8(request.body).unwrap(), expected);
    }

    #[test]
    fn values_that_a_control_cannot_hold_are_not_sent() {
        let html =
            "<form action=/s><input type=number name=n value=many><input type=number name=m value=-2.5>
            <input type=range name=r><input type=color name=c value=red><input type=email name=e value=' x '>
            <input name=short maxlength=3></form>";
        let input = FilledForm::of(5, "abcdef");
        assert_eq!(sent(html, &input), "http://a.org/s?n=&m=-2.5&r=50&c=%23000000&e=x&short=abc");
    }

    #[test]
    fn positions_that_do_not_exist_are_ignored() {
        let form = Form::to(
            Url::parse("http://a.org/").unwrap(),
            Method::Get,
            vec![Field::new(FieldKind::Text, "q", "v")],
        );
        let input = FilledForm { values: vec![(7, "x".into())], button: Some(9) };
        assert_eq!(submission(&form, &input, "").url.as_str(), "http://a.org/?q=v");
    }
}
