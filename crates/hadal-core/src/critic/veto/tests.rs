use super::*;
use url::Url;

fn veto_of(html: &str) -> Option<Veto> {
    let url = Url::parse("http://a.org/page").unwrap();
    veto(&crate::html::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url).forms[0])
}

#[test]
fn requested_data_cause_a_veto() {
    for (html, expected) in [
        ("<input name=u><input type=password name=p>", Veto::Password),
        ("Login <input name=l> Has\u{142}o <input name=h>", Veto::Password),
        ("<input name=q><input type=file name=f>", Veto::File),
        ("Card number <input name=n>", Veto::Card),
        ("Your card number <input name=n><button>Search</button>", Veto::Card),
        ("<input name=cardNumber>", Veto::Card),
        ("<input name=cvv><button>Search</button>", Veto::Card),
        ("<input name=q><input name=captcha_word>", Veto::Captcha),
        ("<input name=q><p>Protected by reCAPTCHA</p>", Veto::Captcha),
        ("<input name=q><textarea name=g-recaptcha-response></textarea>", Veto::Captcha),
        ("<input name=q><input type=hidden name=cf-turnstile-response>", Veto::Captcha),
        ("<input type=email name=e><input name=message>", Veto::Message),
        ("<textarea name=q></textarea><button>Search</button>", Veto::Textarea),
        ("<input name=user_email><button>Go</button>", Veto::Email),
        ("User name: <input name=User><input type=submit value=Reset>", Veto::LogIn),
    ] {
        assert_eq!(veto_of(&format!("<form action=/x>{html}</form>")), Some(expected), "{html}");
    }
}

#[test]
fn submit_buttons_cause_a_veto_in_many_languages() {
    for (text, expected) in [
        ("Place order", Veto::Order),
        ("In den Warenkorb", Veto::Order),
        ("Acheter", Veto::Order),
        ("Suscr\u{ed}bete", Veto::SignUp),
        ("Inscreva-se", Veto::SignUp),
        ("Iscriviti", Veto::SignUp),
        ("Uitloggen", Veto::LogOut),
        ("Usu\u{144}", Veto::Delete),
        ("\u{423}\u{434}\u{430}\u{43b}\u{438}\u{442}\u{44c}", Veto::Delete),
        ("Abone ol", Veto::SignUp),
        ("\u{7acb}\u{5373}\u{8d2d}\u{4e70}", Veto::Order),
        ("\u{524a}\u{9664}", Veto::Delete),
        ("Unsubscribe", Veto::Unsubscribe),
        ("Pay now", Veto::Pay),
        ("Post comment", Veto::Post),
        ("Log in", Veto::LogIn),
    ] {
        let html = format!("<form action=/x><input name=q><input type=submit value=\"{text}\"></form>");
        assert_eq!(veto_of(&html), Some(expected), "{text}");
    }
}

#[test]
fn ordinary_searches_have_no_veto() {
    for html in [
        "<form action=/search><input name=q><button>Search</button></form>",
        "<form action=/trova>Parola chiave <input name=parola><button>Cerca</button></form>",
        "<form action=/katalog>Has\u{142}o przedmiotowe <input name=h><button>Szukaj</button></form>",
        "<h2>Your orders and comments</h2><form action=/cart><input name=q><button>Search</button></form>",
        "<form><input name=q><input type=hidden name=order value=asc><select name=orderby><option>a</select>
            <select name=sort_order><option>b</select><input type=submit value=Go></form>",
        "<form><input name=q><button type=reset>Delete</button><button>Find</button></form>",
        "<form><input type=search name=x><button type=button>Delete</button></form>",
        "<form><input name=q><button>Search order status</button></form>",
        "<form><select name=make><option>A<option>B</select><input type=submit value='Show'></form>",
        "<form class=newsletter-search><input name=title placeholder='Search our newsletters'></form>",
        "<form action=/checkout><input name=q placeholder=Suchen><input type=submit value=Senden></form>",
        "<form action=/hotels>Check-out <input name=checkout type=date> City <input name=city>
            <input type=submit value='Check availability'></form>",
        "<form><input type=hidden name=action value=search><input name=s></form>",
        "<form><input name=kw><input type=submit value='Order by date'></form>",
        "<form action=/members><input name=username><button>Search</button></form>",
        "<form action=/find>Library card number <input name=library_card_number> Title <input name=title>
            <button>Find</button></form>",
        "<form class=mailchimp_form><input name=w placeholder=Keyword><button><i class='fa fa-search'></i></button></form>",
        "<form class=subscribe-box><input name=w><button aria-label=Search></button></form>",
    ] {
        assert_eq!(veto_of(html), None, "{html}");
    }
}

#[test]
fn context_words_count_if_nothing_mentions_searching() {
    for (html, expected) in [
        (
            "<form action=/cart/add><select name=size><option>S</select><button>OK</button></form>",
            Veto::Order,
        ),
        ("<form class=poll><input type=radio name=a value=1><input type=submit value=OK></form>", Veto::Post),
        (
            "<h2>Newsletter</h2><form action=/x><input name=nl><input type=submit value=OK></form>",
            Veto::SignUp,
        ),
        ("<form action=/x><input name=a><input type=submit value=Send></form>", Veto::Post),
        (
            "<form><input name=flight_no> From <input name=a> To <input name=b><button>Add flight</button></form>",
            Veto::Post,
        ),
        (
            "<h2>Booking this car</h2><form>Pick-up <input name=date><input type=submit value='Book this car'></form>",
            Veto::Order,
        ),
        (
            "<form action=/x><input type=hidden name=_method value=delete><button>OK</button></form>",
            Veto::Delete,
        ),
        (
            "<form action=/x><input type=hidden name=action value=logout><button>OK</button></form>",
            Veto::LogOut,
        ),
    ] {
        assert_eq!(veto_of(html), Some(expected), "{html}");
    }
}
