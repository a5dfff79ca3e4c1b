use super::*;
use crate::critic::veto::Veto;

const FRAME: &str = "<title>Shop</title><p>Welcome to our shop where many fine things are sold every day of the week
    by friendly people who know what they are talking about</p><a href=/home>Home page</a> <a href=/help>Help page</a>";

fn url(path: &str) -> Url {
    Url::parse("http://a.org").unwrap().join(path).unwrap()
}

fn page(html: &str) -> Page {
    crate::html::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url("/page"))
}

fn form(html: &str) -> Form {
    page(html).forms.remove(0)
}

fn probe(html: &str) -> Probe {
    Probe::new(&form(html), "hotel", 7).unwrap()
}

const BOX: &str = "<form action=/s><input name=q><button>Search</button></form>";

fn sent_query(probe: &Probe) -> String {
    probe.next_request().map_or(String::new(), |request| request.url.query().unwrap_or_default().to_string())
}

fn hits(word: &str) -> String {
    let hit =
        |n: u32| format!("<li><a href=/item/{word}/{n}>The {word} item of sort {n}</a> said of {word} {n}");
    format!("{FRAME}<ul>{}</ul>", (0..6).map(hit).collect::<String>())
}

fn show(probe: &mut Probe, html: &str) {
    probe.receive(ProbeAnswer { status: 200, location: None, page: Some(&page(html)) });
}

fn redirect(probe: &mut Probe, to: &str) {
    probe.receive(ProbeAnswer { status: 302, location: Some(&url(to)), page: None });
}

#[test]
fn results_for_a_word_and_none_for_nonsense_make_a_search() {
    let mut probe = probe(BOX);
    assert_eq!(sent_query(&probe), "q=hotel");
    show(&mut probe, &hits("seaside"));
    let nonsense = sent_query(&probe);
    show(&mut probe, &format!("{FRAME}<p>No results for {}</p>", &nonsense[2..]));
    assert_eq!((probe.result(), probe.next_request()), (Some(ProbeResult::Searchable), None));
}

#[test]
fn a_page_that_only_repeats_the_query_is_no_search() {
    let mut probe = probe(BOX);
    for _ in 0..3 {
        let word = sent_query(&probe)[2..].to_string();
        show(
            &mut probe,
            &format!("{FRAME}<p>Thank you for {word}!</p><a href='/s?q={word}&lang=de'>Deutsch</a>"),
        );
    }
    assert_eq!(probe.result(), Some(ProbeResult::NotSearchable));
}

#[test]
fn nothing_is_sent_after_a_confirmed_entry() {
    let mut probe = probe(BOX);
    show(&mut probe, &format!("{FRAME}<p>Thank you. Your entry has been received.</p>"));
    assert_eq!((probe.result(), probe.next_request()), (Some(ProbeResult::NotSearchable), None));
    assert!(probe.was_accepted_as_entry());
}

#[test]
fn equal_pages_that_a_script_may_fill_are_unclear() {
    let own_page = "<form><input name=q><button>Search</button></form>";
    for (form, answer) in [(own_page, FRAME), (BOX, "<div id=app>Loading</div>"), ("<input name=q>", FRAME)] {
        let mut probe = probe(form);
        for _ in 0..3 {
            show(&mut probe, answer);
        }
        assert_eq!(probe.result(), Some(ProbeResult::Unclear), "{form} {answer}");
    }
}

#[test]
fn an_unknown_no_result_text_is_learned_from_a_second_nonsense_word() {
    let mut probe = probe(BOX);
    show(&mut probe, &hits("seaside"));
    for _ in 0..2 {
        let word = sent_query(&probe)[2..].to_string();
        show(&mut probe, &format!("{FRAME}<p>Ez dago emaitzarik {word} bilaketarako</p>"));
    }
    assert_eq!(probe.result(), Some(ProbeResult::Searchable));
}

#[test]
fn changes_that_do_not_depend_on_the_query_are_no_results() {
    let mut probe = probe(BOX);
    let text: String = (1..20).map(|n| format!("{} long {} text ", "ab".repeat(n), "cd".repeat(n))).collect();
    let text = text.repeat(2) + &text.replace("long", "short") + &text.replace("text", "poem");
    for advert in ["cheap shoes here", "new phones now", "cars for all"] {
        show(&mut probe, &format!("{FRAME}{text}<p><a href='/ad?{advert}'>{advert}</a></p>"));
    }
    assert_eq!(probe.result(), Some(ProbeResult::NotSearchable));
}

#[test]
fn non_answers_and_failures_are_unclear() {
    for (status, html) in
        [(429, "<p>Slow"), (503, ""), (200, "<title>Captcha</title><p>Are you a robot?"), (404, "")]
    {
        let mut probe = probe(BOX);
        probe.receive(ProbeAnswer { status, location: None, page: Some(&page(html)) });
        assert_eq!(probe.result(), Some(ProbeResult::Unclear), "{status} {html}");
    }
    let mut probe = probe(BOX);
    probe.receive(ProbeAnswer { status: 0, location: None, page: None });
    assert_eq!(probe.result(), Some(ProbeResult::Unclear));
}

#[test]
fn a_url_that_contains_the_word_is_sent_with_nonsense() {
    let mut probe = probe(BOX);
    redirect(&mut probe, "/found?text=hotel&n=1");
    assert_eq!(sent_query(&probe), "text=hotel&n=1");
    show(&mut probe, &hits("seaside"));
    let last = probe.next_request().unwrap().url;
    assert!(last.path() == "/found" && !last.as_str().contains("hotel"), "{last}");
    show(&mut probe, &format!("{FRAME}<p>Nothing found</p>"));
    assert_eq!(probe.result(), Some(ProbeResult::Searchable));
}

#[test]
fn other_redirects_are_followed_once() {
    let mut only_hit = probe(BOX);
    redirect(&mut only_hit, "/item/5");
    show(&mut only_hit, &format!("{FRAME}<p>Hemen ez dago ezer</p>"));
    assert_eq!(only_hit.next_request().unwrap().url.path(), "/item/5");
    show(
        &mut only_hit,
        "<title>Castle</title><p>A castle with forty rooms and a view over the bay, built long ago",
    );
    assert_eq!(only_hit.result(), Some(ProbeResult::Searchable));

    let mut same_place = probe(BOX);
    redirect(&mut same_place, "/thanks");
    redirect(&mut same_place, "/thanks");
    show(&mut same_place, FRAME);
    assert_eq!(same_place.result(), Some(ProbeResult::NotSearchable));

    let mut elsewhere = probe(BOX);
    redirect(&mut elsewhere, "http://other.net/?q=hotel");
    assert_eq!(elsewhere.result(), Some(ProbeResult::Unclear));
}

#[test]
fn selects_are_probed_with_two_options_and_the_first_again() {
    let html =
        "<form action=/s><select name=make><option value=''>Any<option>Ford<option>Opel</select></form>";
    let mut probe = probe(html);
    for (question, answer) in [("make=Ford", "seaside"), ("make=Opel", "mountain"), ("make=Ford", "seaside")]
    {
        assert_eq!(sent_query(&probe), question);
        show(&mut probe, &hits(answer));
    }
    assert_eq!(probe.result(), Some(ProbeResult::Searchable));
}

#[test]
fn forms_that_must_not_be_probed_are_refused() {
    let refusal = |html: &str| Probe::new(&form(html), "hotel", 7).err();
    assert_eq!(
        refusal("<form><input type=password name=p></form>"),
        Some(ProbeRefusal::Veto(Veto::Password))
    );
    assert_eq!(refusal("<form method=post><input name=q></form>"), Some(ProbeRefusal::Posts));
    let posting = "<form><input name=q><button formmethod=post>Search</button></form>";
    assert_eq!(refusal(posting), Some(ProbeRefusal::Posts));
    assert_eq!(refusal("<form><input type=checkbox name=c></form>"), Some(ProbeRefusal::NoUsableField));
    assert_eq!(refusal("<form action=/a2><input name=f1></form>"), Some(ProbeRefusal::Unexplained));
    assert_eq!(refusal("<form action='javascript:go()'><input name=q></form>"), Some(ProbeRefusal::NotHttp));
}

#[test]
fn a_stored_probe_is_restored() {
    let mut probe = probe(BOX);
    show(&mut probe, &hits("seaside"));
    let stored = serde_json::to_string(&probe).unwrap();
    assert_eq!(serde_json::from_str::<Probe>(&stored).unwrap(), probe);
}

#[test]
fn queries_use_the_character_set_of_the_form() {
    let form = Form { accept_charset: "iso-8859-1".to_string(), ..form(BOX) };
    let word = Probe::new(&form, "h\u{f4}tel", 7).unwrap();
    assert_eq!(sent_query(&word), "q=h%F4tel");
}
