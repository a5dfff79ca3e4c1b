//! Hostile and random result pages: the reader stays within its bounds and never panics.

use hadal_core::harvest::answer::{Answer, AnswerKind, AnswerReader, AnswerSample};
use hadal_core::harvest::query::Query;
use hadal_core::html::{Document, parse_with_outline};
use proptest::prelude::*;
use url::Url;

fn document(body: &str) -> Document {
    parse_with_outline(
        body.as_bytes(),
        Some("text/html; charset=utf-8"),
        &Url::parse("http://a.org/find?q=sea").unwrap(),
    )
}

fn answer(body: &str) -> Answer {
    let (document, query) = (document(body), Query::words("sea"));
    let reader = AnswerReader::learn(&[AnswerSample { document: &document, status: 200, query: &query }]);
    reader.read(&document, 200, &query)
}

#[test]
fn an_empty_page_is_nothing() {
    assert_eq!(answer("").kind, AnswerKind::Nothing);
    assert_eq!(answer("<ul></ul><table></table>").kind, AnswerKind::Nothing);
}

#[test]
fn a_hundred_thousand_siblings_are_cut() {
    let rows: String = (0..100_000).map(|n| format!("<li><a href=/i/{n}>sea {n}</a>")).collect();
    let found = answer(&format!("<ul>{rows}</ul>"));
    assert_eq!(found.kind, AnswerKind::Results);
    assert!((1_000..=50_000).contains(&found.records.len()), "{}", found.records.len());
}

#[test]
fn lists_in_lists_end() {
    let nested = format!("{}x{}", "<ul><li><a href=/x>sea</a>".repeat(500), "</ul>".repeat(500));
    assert!(answer(&nested).records.len() <= 5_000);
    let wide = "<div><p>a</p><p>b</p>".repeat(550);
    assert!(answer(&wide).records.len() <= 5_000);
}

#[test]
fn titles_with_markup_or_control_characters_stay_text() {
    let titles = [
        "&lt;script&gt;alert(1)&lt;/script&gt; sea",
        "'; drop table sea; --",
        "\u{202e}aes eht",
        "sea\u{0}\u{7}",
    ];
    let rows: String =
        titles.iter().enumerate().map(|(n, title)| format!("<li><a href=/i/{n}>{title}</a></li>")).collect();
    let found = answer(&format!("<ul class=results>{rows}</ul>"));
    assert_eq!(found.records.len(), 4);
    assert_eq!(found.records[0].title, "<script>alert(1)</script> sea");
}

#[test]
fn the_same_page_for_every_query_holds_no_records() {
    let body = "<ul class=menu><li><a href=/a>Opening hours</a><li><a href=/b>How to reach us</a></ul>
        <h1>Welcome</h1><div><p>We are glad you came.<p>Do come again.</div>";
    let (one, other) = (document(body), document(body));
    let (sea, ship) = (Query::words("sea"), Query::words("ship"));
    let samples = [
        AnswerSample { document: &one, status: 200, query: &sea },
        AnswerSample { document: &other, status: 200, query: &ship },
    ];
    let reader = AnswerReader::learn(&samples);
    assert!(reader.read(&one, 200, &sea).records.is_empty());
}

#[test]
fn a_collection_that_always_shows_everything_is_still_read() {
    let body = "<p>3 results</p><ol><li><a href=/i/1>The sea and the ship</a><p>Old</li>
        <li><a href=/i/2>A ship at sea</a><p>New</li><li><a href=/i/3>Sea, ship, shore</a><p>Blue</li></ol>";
    let (one, other) = (document(body), document(body));
    let (sea, ship) = (Query::words("sea"), Query::words("ship"));
    let samples = [
        AnswerSample { document: &one, status: 200, query: &sea },
        AnswerSample { document: &other, status: 200, query: &ship },
    ];
    let reader = AnswerReader::learn(&samples);
    assert_eq!(reader.read(&one, 200, &sea).records.len(), 3);
}

fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<ul>",
        "</ul>",
        "<li>",
        "<table>",
        "<tr>",
        "<td>",
        "<th>",
        "</table>",
        "<dl>",
        "<dt>",
        "<dd>",
        "</dl>",
        "<div class=result>",
        "<div>",
        "</div>",
        "<h3>",
        "</h3>",
        "<p>",
        "<hr>",
        "<br>",
        "<br><br>",
        "<a href=/i/1>",
        "<a href='/find?q=sea&page=2'>",
        "<a href='/i?id=2&q=sea&n=3'>",
        "</a>",
        "Next",
        "2",
        "3",
        "sea",
        "The ship: ",
        "Author:",
        "1-10 of 245",
        "no results",
        "\u{4ef6}",
        "<form><input type=submit value=NextPage>",
        "</form>",
        "<b>",
        "</b>",
        "<nav>",
        "</nav>",
        "<span class=hl>",
        "</span>",
        "\u{e9}\u{0}",
    ]);
    prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_soup_is_read_within_bounds(one in soup(), other in soup(), words in "[a-z\u{e9} ]{0,8}", status in 0u16..600) {
        let (one, other) = (document(&one), document(&other));
        let (query, sea) = (Query::words(&words), Query::words("sea"));
        let mut reader = AnswerReader::learn(&[
            AnswerSample { document: &one, status, query: &query },
            AnswerSample { document: &other, status: 200, query: &sea },
        ]);
        let found = reader.read(&one, status, &query);
        prop_assert!(found.records.len() <= 200 && found.facets.len() <= 300);
        prop_assert_eq!(&found, &reader.read(&one, status, &query));
        prop_assert!(found.kind == AnswerKind::Results || found.records.len() <= 1);
        reader.improve(&AnswerSample { document: &one, status, query: &query });
        let stored: AnswerReader = serde_json::from_str(&serde_json::to_string(&reader).unwrap()).unwrap();
        prop_assert_eq!(stored.read(&other, 200, &sea), reader.read(&other, 200, &sea));
    }
}
