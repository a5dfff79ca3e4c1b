//! The shipped classifiers are right about unambiguous forms and pages.

use hadal_core::critic::trained::{CriticTarget, TrainedCritic};
use hadal_core::critic::{Critic, FormKind, FormVerdict};
use hadal_core::html;
use url::Url;

fn judge(topic: &str, page: &str) -> (f32, FormVerdict) {
    let url = Url::parse("http://site.example/").unwrap();
    let page = html::parse(page.as_bytes(), Some("text/html; charset=utf-8"), &url);
    let critic = TrainedCritic::new(CriticTarget::built_in(topic).unwrap());
    let verdict = critic.judge_page(&page);
    (verdict.p_topic, critic.judge_form(&page.forms[0], &page, &verdict))
}

#[test]
fn kinds_of_forms_are_recognised() {
    for (kind, form) in [
        (
            FormKind::Search,
            "<form action=/search role=search><input type=search name=q placeholder=Search><button>Search</button></form>",
        ),
        (
            FormKind::Search,
            "<form action=/suche><input name=suchbegriff><input type=submit value=Suchen></form>",
        ),
        (
            FormKind::Search,
            "<form action=/find><select name=make><option>Audi<option>Ford<option>Fiat</select><input name=keyword><input type=submit value=Find></form>",
        ),
        (
            FormKind::Login,
            "<form method=post action=/login><h2>Log in</h2>User name <input name=username> Password <input type=password name=password><input type=submit value='Log in'></form>",
        ),
        (
            FormKind::Registration,
            "<form method=post action=/register>Create your account <input name=first_name><input name=last_name><input type=email name=email><input type=password name=password><input type=password name=password_confirm><input type=submit value=Register></form>",
        ),
        (
            FormKind::Newsletter,
            "<form method=post action=/subscribe>Subscribe to our newsletter <input type=email name=email placeholder='Your email'><input type=submit value=Subscribe></form>",
        ),
        (
            FormKind::Contact,
            "<form method=post action=/contact>Contact us <input name=name placeholder=Name><input type=email name=email><input name=subject><textarea name=message></textarea><input type=submit value='Send message'></form>",
        ),
        (
            FormKind::Recovery,
            "<form method=post action=/password/reset>Forgot your password? Enter your e-mail address <input name=email><input type=submit value='Reset password'></form>",
        ),
    ] {
        let (_, verdict) = judge("book", form);
        assert_eq!(verdict.kind, kind, "{form}: {verdict:?}");
        assert_eq!(verdict.is_searchable(), kind == FormKind::Search, "{form}: {verdict:?}");
    }
}

#[test]
fn domains_are_recognised_in_several_languages() {
    for (topic, page) in [
        (
            "book",
            "<title>Book catalogue</title><h1>Find books</h1><form action=/search>Title <input name=title> Author <input name=author> ISBN <input name=isbn><input type=submit value=Search></form>",
        ),
        (
            "book",
            "<html lang=es><title>Librería</title><h1>Buscar libros</h1><form action=/buscar>Título <input name=titulo> Autor <input name=autor> ISBN <input name=isbn><input type=submit value=Buscar></form>",
        ),
        (
            "hotel",
            "<html lang=de><title>Hotels</title><h1>Hotel suchen</h1><form action=/suche>Reiseziel <input name=ort> Anreise <input name=checkin type=date> Abreise <input name=checkout type=date> Zimmer <select name=zimmer><option>1<option>2</select><input type=submit value=Suchen></form>",
        ),
        (
            "job",
            "<html lang=fr><title>Offres d'emploi</title><form action=/recherche>Emploi, métier <input name=emploi> Salaire <input name=salaire><input type=submit value=Rechercher></form>",
        ),
        (
            "airfare",
            "<title>Cheap flights</title><form action=/search>Flying from <input name=origin> to <input name=destination> Depart <input type=date name=depart> Return <input type=date name=return> Passengers <select name=pax><option>1<option>2</select> Cabin class <select name=cabin><option>Economy<option>Business</select><button>Search flights</button></form>",
        ),
    ] {
        let (_, verdict) = judge(topic, page);
        assert!(verdict.is_relevant(), "{topic}: {page}: {verdict:?}");
        let foreign = if topic == "movie" { "music" } else { "movie" };
        assert!(!judge(foreign, page).1.is_relevant(), "{page} is no {foreign}");
    }
}

#[test]
fn a_verdict_has_evidence() {
    let (_, verdict) = judge(
        "book",
        "<form action=/search><input name=q placeholder='Search books'><button>Search</button></form>",
    );
    assert!(verdict.evidence.iter().any(|reason| reason.contains("search")), "{:?}", verdict.evidence);
}

#[test]
fn pages_are_on_or_off_topic() {
    let page = "<title>Used cars</title><p>Our dealership offers used cars with low mileage: sedans, SUVs and \
        trucks, diesel and petrol, automatic gearbox. Compare car models and makes, book a test drive at the \
        dealer.</p><form><input name=q></form>";
    assert!(judge("auto", page).0 > 0.5);
    assert!(judge("music", page).0 < 0.2);
}
