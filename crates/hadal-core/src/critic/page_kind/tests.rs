use super::*;
use url::Url;

fn kinds(html: &str, status: u16) -> PageKinds {
    let url = Url::parse("http://a.org/find?q=x").unwrap();
    page_kinds(&crate::html::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url), status)
}

#[test]
fn a_list_with_count_and_pager_is_a_result_list() {
    let hits: String = (0..10)
        .map(|n| format!("<li class=hit><a href=/item/{n}>Record number {n} of many</a><p>About it</li>"))
        .collect();
    let pages: String = (2..6).map(|n| format!("<a href='/find?q=x&page={n}'>{n}</a> ")).collect();
    let found = kinds(&format!("<p>1-10 of 245 results</p><ol>{hits}</ol><div>{pages}</div>"), 200);
    assert!(found.results.score > 0.8 && found.total == Some(245), "{found:?}");
    assert!(!found.no_results.holds() && !found.is_no_answer() && !found.detail.holds(), "{found:?}");
}

#[test]
fn no_result_messages_are_recognised_in_many_languages() {
    for text in [
        "No results for your search",
        "Your search did not match any documents.",
        "Leider keine Treffer",
        "Aucun r\u{e9}sultat ne correspond",
        "No se encontraron productos",
        "Nenhum resultado encontrado",
        "Nessun risultato",
        "Geen resultaten gevonden",
        "Brak wynik\u{f3}w",
        "\u{41d}\u{438}\u{447}\u{435}\u{433}\u{43e} \u{43d}\u{435} \u{43d}\u{430}\u{439}\u{434}\u{435}\u{43d}\u{43e}",
        "Sonu\u{e7} bulunamad\u{131}",
        "\u{6ca1}\u{6709}\u{627e}\u{5230}\u{76f8}\u{5173}\u{7ed3}\u{679c}",
        "\u{8a72}\u{5f53}\u{3059}\u{308b}\u{5546}\u{54c1}\u{304c}\u{898b}\u{3064}\u{304b}\u{308a}\u{307e}\u{305b}\u{3093}",
        "0 records",
    ] {
        let found = kinds(&format!("<p>{text}</p>"), 200);
        assert!(found.no_results.holds() && !found.results.holds(), "{text}: {found:?}");
    }
}

#[test]
fn confirmations_are_recognised_in_many_languages() {
    for text in [
        "Thank you. Your entry has been received.",
        "You are now subscribed to our newsletter",
        "Ihre Nachricht wurde gesendet",
        "Votre message a bien \u{e9}t\u{e9} envoy\u{e9}",
        "Su mensaje ha sido enviado",
        "\u{9001}\u{4fe1}\u{3057}\u{307e}\u{3057}\u{305f}",
    ] {
        let found = kinds(&format!("<p>{text}</p>"), 200);
        assert!(found.confirmation.holds() && !found.is_no_answer(), "{text}: {found:?}");
    }
    let hits: String = (0..10)
        .map(|n| format!("<li class=hit><a href=/item/{n}>Parcel {n}</a><p>It has been sent</li>"))
        .collect();
    assert!(!kinds(&format!("<p>245 results</p><ol>{hits}</ol>"), 200).confirmation.holds());
    assert!(
        !kinds("<title>Thank You for Smoking</title><p>A film about a lobbyist", 200).confirmation.holds()
    );
    assert!(!kinds("<p>An agent has been sent to Berlin, where he is received", 200).confirmation.holds());
}

#[test]
fn errors_logins_limits_and_captchas_are_no_answers() {
    for (html, status) in [
        ("<p>Slow</p>", 429),
        ("<p>Oops</p>", 500),
        ("", 503),
        ("<title>Just a moment...</title><p>Checking your browser before you go on", 403),
        ("<title>Sign in</title><form>User <input name=u><input type=password name=p></form>", 200),
        ("<title>Application error</title><p>An error occurred", 200),
    ] {
        assert!(kinds(html, status).is_no_answer(), "{html} {status}");
    }
    let text = "<p>A long text about fonts and cheese. ".repeat(80);
    let busy = format!("<title>Books</title><form><input type=password name=p></form>{text}<p>captcha</p>");
    assert!(!kinds(&busy, 200).is_no_answer());
}

#[test]
fn a_soft_404_is_recognised_by_its_words() {
    let html = "<title>Page not found</title><h1>This page does not exist</h1>";
    assert!(kinds(html, 200).soft_404.holds());
    assert!(!kinds(html, 404).soft_404.holds());
    assert!(
        !kinds("<title>404 km of coast</title><p>Text about the coast and what is there.", 200)
            .results
            .holds()
    );
}

#[test]
fn a_detail_page_repeats_its_title() {
    let text = "The walnut desk is made of oak and stands in a quiet room near the harbour. ".repeat(8);
    let html = format!(
        "<title>Walnut desk</title><h1>Walnut desk</h1><p>Price: 20 Place: Oslo Number: 5 Height: 3</p>{text}
         <a href=/>Home</a>"
    );
    let found = kinds(&html, 200);
    assert!(found.detail.holds() && !found.results.holds(), "{found:?}");
}

#[test]
fn words_of_the_query_and_of_records_are_no_message() {
    let url = Url::parse("http://a.org/find?q=forbidden").unwrap();
    let html = b"<title>forbidden - Search</title><p>1 result</p><p>A forbidden stack trace</p>";
    let page = crate::html::parse(html, Some("text/html; charset=utf-8"), &url);
    assert!(page_kinds(&page, 200).error.holds());
    assert!(!answer_kinds(&page, 200, "1 result", "forbidden").error.holds());
}
