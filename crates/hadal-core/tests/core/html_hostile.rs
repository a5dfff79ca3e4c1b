//! Inputs that try to exhaust the parser. The result stays within the limits and keeps everything before them.

use hadal_core::html::parse;
use hadal_core::page::{Page, ParseLimit};
use url::Url;

const BEFORE: &str = "<title>kept</title><a href=/kept>kept</a><form action=/s><input name=q></form>";

fn page(body: &str) -> Page {
    parse(
        body.as_bytes(),
        Some("text/html; charset=utf-8"),
        &Url::parse("http://a.org/").expect("a plain address"),
    )
}

/// Parses a hostile part after a good start and checks that the start is kept.
fn hostile(part: &str) -> Page {
    let page = page(&format!("{BEFORE}{part}"));
    assert_eq!(page.title, "kept");
    assert_eq!(page.links[0].url.as_str(), "http://a.org/kept");
    assert_eq!(page.forms[0].fields[0].name, "q");
    page
}

#[test]
fn fifty_thousand_nested_divs() {
    assert_eq!(hostile(&"<div>".repeat(50_000)).truncated_by, Some(ParseLimit::Depth));
}

#[test]
fn a_million_nested_divs() {
    assert_eq!(hostile(&"<div>".repeat(1_000_000)).truncated_by, Some(ParseLimit::Depth));
}

#[test]
fn a_million_attributes_on_one_tag() {
    let attributes: String = (0..1_000_000).map(|i| format!(" a{i}")).collect();
    let page = hostile(&format!("<p{attributes}>inside</p><a href=/after>after</a>"));
    assert_eq!(page.truncated_by, Some(ParseLimit::Attributes));
    assert_eq!(page.text, "kept inside after");
    assert_eq!(page.links.len(), 2);
}

#[test]
fn a_million_attributes_with_brackets_in_quotes() {
    let attributes: String = (0..500_000).map(|i| format!(" a{i}='>'")).collect();
    assert_eq!(hostile(&format!("<p{attributes}>inside")).text, "kept inside");
}

#[test]
fn a_million_attributes_on_an_end_tag_of_a_script() {
    let attributes: String = (0..500_000).map(|i| format!(" a{i}='>'")).collect();
    assert_eq!(
        hostile(&format!("<script>x</script{attributes}>inside")).truncated_by,
        Some(ParseLimit::Attributes)
    );
}

#[test]
fn attributes_inside_a_style_in_svg() {
    let attributes: String = (0..200_000).map(|i| format!(" a{i}")).collect();
    let page = hostile(&format!("<svg><style><p{attributes}></style></svg><p>after"));
    assert_eq!(page.truncated_by, Some(ParseLimit::Attributes));
}

#[test]
fn a_million_tags_with_an_attribute_each() {
    let tags: String = (0..600_000).map(|i| format!("<b a{i} b{i}>")).collect();
    assert!(hostile(&tags).truncated_by.is_some());
}

#[test]
fn misnested_formatting() {
    for part in [
        "<a><b><i><u><s><tt>".repeat(20_000),
        (0..20_000).map(|i| format!("<b id={i}><p>")).collect(),
        (0..20_000).map(|i| format!("<a href={i}><b><i id={i}><div></b>")).collect(),
        (0..300).map(|i| format!("<b id={i}>")).collect::<String>() + &"<p>x".repeat(100_000),
    ] {
        assert!(hostile(&part).truncated_by.is_some(), "{}", &part[..40]);
    }
    assert_eq!(hostile(&"<b><table><td><i></table></b>".repeat(50_000)).truncated_by, None);
}

#[test]
fn many_end_tags_under_many_open_elements() {
    let open: String = (0..500).map(|i| format!("<x{i}>")).collect();
    assert_eq!(hostile(&(open + &"</y>".repeat(1_500_000))).truncated_by, Some(ParseLimit::Steps));
}

#[test]
fn fifty_megabytes_of_brackets() {
    let mut body = BEFORE.to_string();
    body.push_str(&"<".repeat(50 << 20));
    let page = page(&body);
    assert_eq!(page.truncated_by, Some(ParseLimit::Bytes));
    assert_eq!(page.title, "kept");
    assert!(page.text.len() <= 1 << 20);
}

#[test]
fn nul_bytes() {
    let page = hostile(&format!("{}<p>after\0wards", "\0".repeat(1_000_000)));
    assert_eq!(page.text, "kept afterwards");
}

#[test]
fn one_huge_text() {
    let page = hostile(&"word ".repeat(2_000_000));
    assert_eq!(page.truncated_by, Some(ParseLimit::Bytes));
    assert!(page.text.len() <= 1 << 20);
    assert_eq!(hostile(&"x".repeat(3_000_000)).truncated_by, Some(ParseLimit::Items));
}

#[test]
fn markup_that_is_never_closed() {
    for open in
        ["<!-- ", "<script>", "<style>", "<textarea>", "<title>", "<p a='", "<p ", "<![CDATA[", "<?x "]
    {
        let page = hostile(&format!("{open}{}", "-- > ' <a href=/x> ".repeat(50_000).replace("' ", "")));
        assert!(page.links.len() <= 50_000, "{open}");
    }
}

#[test]
fn a_select_with_a_million_options() {
    let page = hostile(&format!("<form><select name=s>{}", "<option>x".repeat(1_000_000)));
    assert!(page.truncated_by.is_some());
    let options = page.forms[1].fields[0].options.len();
    assert!((1..=2000).contains(&options));
}

#[test]
fn a_datalist_that_every_input_refers_to() {
    let value = "v".repeat(100_000);
    let inputs = "<input list=l>".repeat(5_000);
    let page = hostile(&format!("<datalist id=l><option value={value}></datalist><form>{inputs}</form>"));
    let size: usize = page.forms[1].fields.iter().flat_map(|f| &f.options).map(|c| c.value.len()).sum();
    assert!(size <= 5_000 * 4096);
}

#[test]
fn a_label_that_every_input_refers_to() {
    let inputs = "<input aria-labelledby=l id=i>".repeat(4_000);
    let page = hostile(&format!("<p id=l>{}</p><form>{inputs}</form>", "long ".repeat(200_000)));
    assert!(page.forms[1].fields.iter().all(|field| field.label.len() <= 512));
}

#[test]
fn deeply_nested_tables_forms_and_templates() {
    for part in [
        "<table>".repeat(100_000),
        "<table><tr><td>".repeat(100_000),
        "<form>".repeat(100_000),
        "<form><div></form>".repeat(100_000),
        "<template>".repeat(100_000),
        "<select>".repeat(100_000),
        "<table><a><table><a>".repeat(50_000),
        "<svg><foreignObject>".repeat(100_000),
        "<math><annotation-xml encoding=text/html>".repeat(50_000),
        "<ruby><rt><ruby>".repeat(50_000),
        "<button><p><button>".repeat(100_000),
        "<frameset>".repeat(100_000),
        "<fieldset disabled><input>".repeat(50_000),
    ] {
        let page = hostile(&part);
        assert!(page.forms.len() <= 502, "{}", &part[..20]);
    }
}

#[test]
fn too_many_links_forms_and_fields() {
    let page = hostile(&"<a href=/x>x</a>".repeat(60_000));
    assert_eq!((page.links.len(), page.truncated_by), (50_000, Some(ParseLimit::Items)));
    let page = hostile(&"<form><input></form>".repeat(2_000));
    assert_eq!((page.forms.len(), page.truncated_by), (500, Some(ParseLimit::Items)));
    let page = hostile(&format!("<form>{}", "<input>".repeat(20_000)));
    assert_eq!(page.forms[1].fields.len(), 4_999);
}

#[test]
fn huge_attribute_values() {
    let value = "v".repeat(3_000_000);
    let part = format!(
        "<a href='/{value}' title='{value}' class='{value}'><form id='{value}' action='{value}'><input name='{value}'>"
    );
    let page = page(&format!("{BEFORE}{}", &part[..7_000_000]));
    assert_eq!(page.links.len(), 1);
    let page = hostile(&format!("<base href='/{value}'>{}", "<a href=x>y</a>".repeat(9_000)));
    assert_eq!(page.base.as_str(), "http://a.org/");
}

#[test]
fn entity_soup() {
    for entity in
        ["&amp;", "&", "&#", "&#x41", "&notit;", "&CounterClockwiseContourIntegra", "&#99999999999;"]
    {
        let page = hostile(&entity.repeat(200_000));
        assert!(page.text.len() <= 1 << 20, "{entity}");
    }
}

#[test]
fn linked_data_that_never_ends() {
    let nested = "{\"@type\":\"SearchAction\",\"a\":".repeat(50_000);
    let page = hostile(&format!("<script type=application/ld+json>{nested}</script>"));
    assert!(page.hints.search_actions.is_empty());
}

#[test]
fn empty_and_incomplete_documents() {
    for body in ["", " ", "<", "\0", "<!doctype html>", "</", "<!", "<!-", "<html", "&"] {
        let page = page(body);
        assert!(page.links.is_empty() && page.forms.is_empty() && page.truncated_by.is_none(), "{body}");
    }
}
