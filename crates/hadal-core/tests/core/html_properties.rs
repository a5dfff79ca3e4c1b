//! Properties of the parser on random input: it does not panic and its output is well formed.

use hadal_core::html::parse;
use hadal_core::page::Page;
use proptest::prelude::*;
use url::Url;

fn page(body: &[u8]) -> Page {
    parse(body, None, &Url::parse("http://example.org/a/b").expect("a plain address"))
}

fn is_sound(page: &Page) -> bool {
    let positions = page.links.iter().enumerate().all(|(at, link)| link.context.position as usize == at);
    let folded = !page.text.contains("  ") && page.text.trim() == page.text;
    let indices = page.forms.iter().filter(|form| form.index < 1000).enumerate();
    positions && folded && indices.into_iter().all(|(at, form)| form.index as usize == at)
}

/// Random sequences of tags and text that drive the parser into unusual states.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<table>",
        "</table>",
        "<tr>",
        "<td>",
        "</td>",
        "<form>",
        "</form>",
        "<form id=f>",
        "<input name=a>",
        "<input form=f>",
        "<select>",
        "<option>",
        "</select>",
        "<a href=x>",
        "</a>",
        "<b>",
        "</b>",
        "<i id=1>",
        "</i>",
        "<p>",
        "</p>",
        "<div hidden>",
        "</div>",
        "<svg>",
        "</svg>",
        "<title>",
        "</title>",
        "<textarea>",
        "</textarea>",
        "<script>",
        "</script>",
        "</script x='",
        "<!--",
        "-->",
        "<template>",
        "</template>",
        "<label>",
        "</label>",
        "<button>",
        "</button>",
        "<fieldset disabled>",
        "<legend>",
        "<style>",
        "</style>",
        "<![CDATA[",
        "]]>",
        "<math>",
        "<mi>",
        "<annotation-xml encoding=text/html>",
        "<plaintext>",
        "<frameset>",
        "<base href=//b>",
        "<html lang=de>",
        "<body>",
        "</body>",
        "<meta charset=utf-16>",
        "<br>",
        "word ",
        " ",
        "\0",
        "&amp;",
        "&",
        "<",
        ">",
        "'",
        "\"",
        "=",
        "ž",
        "日",
        "<label for=a id=b>",
        "<datalist id=l>",
        "<dialog>",
        "<noscript>",
        "</noscript>",
        "<img alt=z>",
        "<h1>",
        "</h1>",
        "<object>",
        "<applet>",
        "\r\n",
    ]);
    prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_make_a_page(body in prop::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(is_sound(&page(&body)));
    }

    #[test]
    fn tag_soup_makes_a_page(body in soup()) {
        prop_assert!(is_sound(&page(body.as_bytes())));
    }

    #[test]
    fn a_page_cut_anywhere_is_a_page(at in 0usize..3000) {
        let body = include_bytes!("../pages/bookshop.html");
        prop_assert!(is_sound(&page(&body[..at.min(body.len())])));
    }
}
