//! Golden pages: the parsed page has the text, links, forms and fields that a browser shows.

use hadal_core::html::parse;
use hadal_core::http::Method;
use hadal_core::page::{Field, FieldKind, Form, FormSource, Page};
use url::Url;

fn inline(html: &str) -> Page {
    parse(html.as_bytes(), None, &Url::parse("http://a.test/").expect("valid"))
}

fn page(name: &str) -> Page {
    let path = format!("{}/tests/pages/{name}", env!("CARGO_MANIFEST_DIR"));
    let body = std::fs::read(path).expect("a golden page");
    parse(&body, Some("text/html"), &Url::parse("https://books.example.org/start").expect("a plain address"))
}

fn field<'a>(form: &'a Form, name: &str) -> &'a Field {
    form.fields.iter().find(|field| field.name == name).unwrap_or_else(|| panic!("no field {name}"))
}

fn names(form: &Form) -> Vec<&str> {
    form.fields.iter().map(|field| field.name.as_str()).collect()
}

#[test]
fn title_language_and_text_are_read() {
    let page = page("bookshop.html");
    assert_eq!(page.title, "Harbour Lane Books: rare & second-hand");
    assert_eq!(page.base.as_str(), "https://books.example.org/shop/");
    assert_eq!(page.language.as_deref(), Some("en"));
    assert_eq!(page.charset, "UTF-8");
    assert_eq!(page.truncated_by, None);
    assert_ne!(page.fingerprint, 0);
    assert!(
        page.text.starts_with("New arrivals Up Write to us x Find a book We keep forty"),
        "{}",
        page.text
    );
    assert!(page.text.contains("Works without scripts."));
    assert!(!page.text.contains("not shown") && !page.text.contains("color: red"));
}

#[test]
fn hints_are_read() {
    let hints = page("bookshop.html").hints;
    let robots = hints.robots_for("hadal");
    assert_eq!(hints.canonical.unwrap().as_str(), "https://books.example.org/shop/");
    assert_eq!(hints.opensearch.len(), 1);
    assert_eq!(hints.opensearch[0].url.as_str(), "https://books.example.org/osd.xml");
    assert_eq!(hints.opensearch[0].title, "Harbour Lane");
    assert_eq!(hints.next.unwrap().as_str(), "https://books.example.org/shop/list?page=3");
    assert_eq!(hints.prev.unwrap().as_str(), "https://books.example.org/shop/list?page=1");
    assert!(robots.nofollow && !robots.noindex);
    let (seconds, target) = hints.refresh.unwrap();
    assert_eq!((seconds, target.as_str()), (300, "https://books.example.org/shop/list?page=2"));
    assert_eq!(hints.search_actions, ["https://books.example.org/find?in=all&q={search_term_string}"]);
}

#[test]
fn links_come_with_their_context() {
    let links = page("bookshop.html").links;
    let targets: Vec<&str> = links.iter().map(|link| link.url.as_str()).collect();
    assert_eq!(
        targets,
        [
            "https://books.example.org/shop/new.html",
            "https://books.example.org/sale?b=2",
            "https://books.example.org/floor/1"
        ]
    );
    let new = &links[0].context;
    assert_eq!(new.anchor, "New arrivals");
    assert_eq!(new.before, "");
    assert_eq!(new.after, "Up Write to us x Find a book We keep");
    assert_eq!(new.tag_path, "body div.nav#top ul li a");
    assert_eq!(new.rel, "nofollow bookmark");
    assert_eq!(links[1].context.anchor, "Sale shelf");
    assert_eq!(links[1].context.before, "New arrivals");
    assert_eq!(links[1].context.position, 1);
    assert_eq!(links[2].context.anchor, "First floor");
}

#[test]
fn a_form_has_its_action_and_its_text() {
    let page = page("bookshop.html");
    let form = &page.forms[0];
    assert_eq!((form.index, form.source, form.method), (0, FormSource::Form, Method::Get));
    assert_eq!(form.action.as_str(), "https://books.example.org/shop/find");
    assert!(form.names_action);
    assert_eq!(form.attributes, "big search form search Catalogue");
    assert_eq!(form.heading, "Advanced search");
    assert!(form.text.starts_with("Advanced search Author Condition any As new Fine"), "{}", form.text);
    assert!(form.text.ends_with("Search Sell us a book Clear"), "{}", form.text);
}

#[test]
fn fields_have_the_labels_that_are_shown() {
    let page = page("bookshop.html");
    let form = &page.forms[0];
    for (name, label) in [
        ("author", "Author"),
        ("cond", "Condition"),
        ("q", "Any word"),
        ("y1", "Year from"),
        ("y2", "to"),
        ("signed", "Signed copies only"),
        ("bind", "Hardcover"),
        ("shop", ""),
        ("place", "Shop town"),
        ("usable", "Usable"),
        ("go", "Search"),
        ("late", "Late"),
    ] {
        assert_eq!(field(form, name).label, label, "{name}");
    }
}

#[test]
fn fields_have_the_attributes_of_the_markup() {
    let page = page("bookshop.html");
    let form = &page.forms[0];
    let author = field(form, "author");
    assert!(author.required && author.kind == FieldKind::Text);
    assert_eq!((author.size, author.max_length), (Some(20), Some(60)));
    let condition = field(form, "cond");
    let choices: Vec<_> =
        condition.options.iter().map(|c| (c.value.as_str(), c.text.as_str(), c.selected)).collect();
    assert_eq!(choices, [("", "any", false), ("new", "As new", true), ("Fine", "Fine", false)]);
    assert_eq!(condition.value, "new");
    assert_eq!(field(form, "place").options.len(), 2);
    assert!(field(form, "signed").checked);
    assert_eq!(form.fields.iter().filter(|f| f.name == "bind").nth(1).unwrap().value, "on");
    assert_eq!((field(form, "shop").kind, field(form, "shop").value.as_str()), (FieldKind::Hidden, "7"));
    assert!(!field(form, "usable").disabled);
    assert!(field(form, "note").disabled);
    assert_eq!(field(form, "note").value, "first line\nsecond");
    assert_eq!((field(form, "go").kind, field(form, "go").value.as_str()), (FieldKind::Submit, "1"));
    let sell = form.fields.iter().find(|field| field.label == "Sell us a book").unwrap();
    assert_eq!(sell.formaction.as_ref().unwrap().as_str(), "https://books.example.org/sell");
    assert_eq!(sell.formmethod, Some(Method::Post));
    assert_eq!(form.fields.last().unwrap().name, "late");
}

#[test]
fn a_search_action_is_a_form_after_the_others() {
    let page = page("bookshop.html");
    let form = page.forms.last().unwrap();
    assert_eq!((form.index, form.source), (u32::MAX, FormSource::SearchAction));
    assert_eq!(form.action.as_str(), "https://books.example.org/find");
    assert_eq!(names(form), ["in", "q"]);
}

#[test]
fn forms_broken_by_tables_keep_their_fields() {
    let page = page("tables.html");
    let form = &page.forms[0];
    assert_eq!(form.method, Method::Post);
    assert_eq!(names(form), ["autor", "nazev", ""]);
    assert_eq!(field(form, "autor").label, "Autor:");
    assert_eq!(field(form, "nazev").label, "Název knihy:");
    assert_eq!(form.fields[2].label, "Hledej");
    assert_eq!(form.heading, "Hledat");
    assert_eq!(form.text, "Autor: Název knihy:");
}

#[test]
fn misnested_forms_own_the_controls_that_a_browser_assigns() {
    let forms = page("tables.html").forms;
    assert_eq!(forms.iter().filter(|form| form.source == FormSource::Form).count(), 4);
    assert_eq!(names(&forms[1]), ["inside_div"]);
    assert_eq!(forms[2].attributes, "second");
    assert_eq!(names(&forms[2]), ["nested_field"]);
    assert_eq!(forms[3].fields[0].kind, FieldKind::Button);
    assert_eq!((forms[4].source, names(&forms[4])), (FormSource::Script, vec!["behind_nested"]));
}

#[test]
fn inputs_outside_of_any_form_make_one_when_they_take_words() {
    let outside = |body: &str| {
        let url = Url::parse("http://a.org/").unwrap();
        parse(body.as_bytes(), None, &url).forms
    };
    let forms = page("scripted.html").forms;
    let loose = forms.iter().find(|form| form.source == FormSource::Script).unwrap();
    let fields: Vec<_> = loose.fields.iter().map(|f| (f.kind, f.label.as_str())).collect();
    assert_eq!(fields, [(FieldKind::Text, "Titre ou auteur"), (FieldKind::Submit, "Chercher")]);
    assert_eq!(outside("<input type=checkbox name=a><button>b</button>"), []);
    assert_eq!(outside("<form></form><input name=a form=missing>").len(), 2);
}

fn first_form(body: &str) -> Form {
    parse(body.as_bytes(), None, &Url::parse("http://a.org/").expect("a plain address")).forms.swap_remove(0)
}

#[test]
fn a_label_without_a_target_labels_no_control() {
    let form =
        first_form("<form><label for=''>From</label> <p>Make</p><input name=a> Model <input name=b></form>");
    assert_eq!((field(&form, "a").label.as_str(), field(&form, "b").label.as_str()), ("From Make", "Model"));
}

#[test]
fn a_picture_names_a_button_without_text_and_is_not_sent() {
    for button in [
        "<button name=go><i class='fa fa-search'></i></button>",
        "<button name=go><svg><use href='/icons.svg#search'/></svg></button>",
        "<button name=go class=search></button>",
        "<button name=go><img src='/img/search.png'></button>",
    ] {
        let form = first_form(&format!("<form><input name=q>{button}</form>"));
        let go = field(&form, "go");
        assert!(go.label.ends_with("search") && go.value.is_empty(), "{button}: {go:?}");
    }
}

#[test]
fn hidden_forms_keep_their_labels_and_stay_out_of_the_text() {
    let page = page("scripted.html");
    assert_eq!(page.text, "Catalogue Chercher Menu Fin de la page.");
    let login = &page.forms[0];
    assert_eq!(login.heading, "Connexion");
    assert_eq!(field(login, "user").label, "Pseudo");
    assert_eq!(field(login, "pass").label, "Mot de passe");
}

#[test]
fn templates_and_scripts_hold_no_forms() {
    let page = page("scripted.html");
    let sources: Vec<FormSource> = page.forms.iter().map(|form| form.source).collect();
    use FormSource::*;
    assert_eq!(sources, [Form, Form, Script, SearchAction]);
    assert_eq!(page.hints.search_actions, ["/chercher?mot={mot}"]);
    let indices: Vec<u32> = page.forms.iter().map(|form| form.index).collect();
    assert_eq!(indices, [0, 1, u32::MAX, u32::MAX - 1]);
}

#[test]
fn pages_are_read_in_their_own_encoding() {
    for (name, charset, language, title, button) in [
        ("cyrillic.html", "windows-1251", "ru", "Библиотека", "Найти"),
        ("japanese.html", "EUC-JP", "ja", "古書店", "検索"),
        ("chinese.html", "GBK", "zh", "旧书", "搜索"),
    ] {
        let page = page(name);
        assert_eq!(page.charset, charset);
        assert_eq!(page.title, title);
        assert_eq!(page.language.as_deref(), Some(language), "{name}");
        assert_eq!(page.forms[0].fields.last().unwrap().value, button);
    }
    assert_eq!(page("cyrillic.html").forms[0].fields[0].label, "Автор книги");
    assert_eq!(page("japanese.html").forms[0].fields[0].label, "書名");
    assert_eq!(page("chinese.html").forms[0].heading, "图书搜索");
}

#[test]
fn a_button_is_named_by_its_text_its_attributes_and_its_picture() {
    let page = inline(
        "<form action=/r><input name=a><button><img src=a.png alt='Search'></button>\
         <button aria-label='Search'>→</button><input type=submit value=Go title='Search our catalogue'>\
         <button title=search>Search</button></form>",
    );
    let buttons: Vec<&str> = page.forms[0].fields[1..].iter().map(|field| field.label.as_str()).collect();
    assert_eq!(buttons, ["Search", "→ Search", "Go Search our catalogue", "Search"]);
}

#[test]
fn a_label_beside_a_control_is_preferred_to_its_placeholder() {
    let page = inline(
        "<form><label>Check-in</label><input name=a placeholder=dd/mm/yyyy><label for=c>Rooms</label>\
         <input name=b placeholder=Guests><input name=c id=c></form>",
    );
    let labels: Vec<&str> = page.forms[0].fields.iter().map(|field| field.label.as_str()).collect();
    assert_eq!(labels, ["Check-in", "Guests", "Rooms"]);
}
