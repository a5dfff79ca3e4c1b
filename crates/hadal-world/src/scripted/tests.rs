use super::*;
use hadal_core::http::Method;
use serde_json::Value;

fn body(response: Exchange) -> String {
    String::from_utf8(response.result.unwrap().body).unwrap()
}

fn get(web: &ScriptedWeb, path: &str) -> String {
    body(web.respond(&Request::get(Url::parse(&format!("http://{SCRIPTED_HOST}{path}")).unwrap())))
}

#[test]
fn every_kind_has_a_shell_without_a_form_and_a_script() {
    let web = ScriptedWeb::default();
    for kind in ScriptedKind::ALL {
        let url = Url::parse(&format!("http://{SCRIPTED_HOST}/{}/", kind.name())).unwrap();
        let page = hadal_core::html::parse(get(&web, url.path()).as_bytes(), None, &url);
        assert_eq!(page.forms.is_empty(), kind != ScriptedKind::AddedFields, "{kind:?}");
        assert!(
            get(&web, &format!("/{}/app.js", kind.name())).contains(&format!("'{}': ", kind.name())),
            "{kind:?}"
        );
    }
}

#[test]
fn searches_find_records_by_words_page_by_page() {
    let web = ScriptedWeb::default();
    let word = web.records.record(0).unwrap().title.split(' ').next().unwrap().to_lowercase();
    let first: Value =
        serde_json::from_str(&get(&web, &format!("/typing/api/search?q={word}&page=1"))).unwrap();
    assert!(first["total"].as_u64().unwrap() > 0, "{first}");
    let nothing: Value = serde_json::from_str(&get(&web, "/typing/api/search?q=&page=1")).unwrap();
    assert_eq!(nothing["total"], 0);
    let url = Url::parse(&format!("http://a.example{}", first["items"][0]["url"].as_str().unwrap())).unwrap();
    assert_eq!(web.record_at(&url).unwrap().0, ScriptedKind::Typing);
    let mut request = Request::get(Url::parse("http://a.example/cursor/api/query").unwrap());
    (request.method, request.body) =
        (Method::Post, format!(r#"{{"text":"{word}","cursor":null}}"#).into_bytes());
    let answer: Value = serde_json::from_str(&body(web.respond(&request))).unwrap();
    assert_eq!(answer["hits"].as_array().unwrap().len() as u64, first["total"].as_u64().unwrap().min(10));
}
