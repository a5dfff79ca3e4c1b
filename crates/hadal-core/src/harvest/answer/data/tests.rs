use super::*;
use crate::harvest::answer::{Answer, AnswerKind, PagerKind};
use crate::harvest::policy::StatedTotal;
use crate::harvest::query::Query;
use crate::http::{Headers, Request};
use serde_json::json;

const URL: &str = "http://boats.example/api/find?q=sea";

fn response(kind: &str, body: &str) -> Response {
    let mut headers = Headers::default();
    headers.push("content-type", kind);
    Response { status: 200, headers, body: body.as_bytes().to_vec(), ..Response::default() }
}

fn document(kind: &str, body: &str) -> DataDocument {
    DataDocument::parse(&response(kind, body), &Url::parse(URL).unwrap()).unwrap()
}

fn read_with(reader: &mut DataReader, value: &Value, words: &str) -> Answer {
    let request = Request::get(Url::parse(URL).unwrap());
    reader.read(&document("application/json", &value.to_string()), &request, &Query::words(words), true)
}

fn read(value: &Value) -> Answer {
    read_with(&mut DataReader::default(), value, "sea")
}

/// Title and URL of each record.
fn records(answer: &Answer) -> Vec<(String, String)> {
    let pair = |record: &crate::harvest::record::Record| {
        (record.title.clone(), record.url.as_ref().map(Url::to_string).unwrap_or_default())
    };
    answer.records.iter().map(pair).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(title, url)| (title.to_string(), url.to_string())).collect()
}

#[test]
fn records_are_found_beside_facets_and_suggestions() {
    let answer = read(&json!({
        "status": "ok", "total": 2,
        "suggestions": ["sea salt", "sea bass", "seaside"],
        "facets": [{"key": "red", "count": 1}, {"key": "blue", "count": 1}, {"key": "green", "count": 4}],
        "results": [
            {"id": 7, "name": "Sea eagle", "url": "/boat/7", "tags": [{"id": 1, "name": "sail"}, {"id": 2, "name": "fast"}]},
            {"id": 9, "name": "Old sea dog", "url": "/boat/9", "tags": [{"id": 1, "name": "sail"}]},
        ],
    }));
    let expected =
        [("Sea eagle", "http://boats.example/boat/7"), ("Old sea dog", "http://boats.example/boat/9")];
    assert_eq!((answer.kind, answer.total), (AnswerKind::Results, Some(StatedTotal::Exactly(2))));
    assert_eq!(records(&answer), pairs(&expected));
    assert!(answer.records[0].text.contains("sail fast"), "{:?}", answer.records[0]);
    assert!(answer.records[0].fields.contains(&("id".to_string(), "7".to_string())));
}

#[test]
fn a_search_engine_wraps_its_hits() {
    let answer = read(
        &json!({"took": 3, "_shards": {"total": 5}, "hits": {"total": {"value": 41, "relation": "eq"}, "hits": [
            {"_index": "b", "_id": "a1", "_score": 2.5, "_source": {"title": "Sea eagle", "body": "A fast boat."}},
            {"_index": "b", "_id": "a2", "_score": 1.5, "_source": {"title": "Old sea dog", "body": "A slow boat."}},
        ]}}),
    );
    assert_eq!(records(&answer), pairs(&[("Sea eagle", ""), ("Old sea dog", "")]));
    assert_eq!(answer.total, Some(StatedTotal::Exactly(41)));
    assert_ne!(answer.records[0].id, answer.records[1].id);
}

#[test]
fn the_score_of_a_hit_is_no_part_of_its_identity() {
    let hit = |score: f64| json!({"hits": [{"_id": "a1", "_score": score, "_source": {"title": "Sea eagle of the north"}}]});
    let mut reader = DataReader::default();
    let first = read_with(&mut reader, &hit(2.5), "sea").records.remove(0).id;
    assert_eq!(read_with(&mut reader, &hit(0.5), "eagle").records[0].id, first);
}

#[test]
fn a_graph_has_edges_and_nodes() {
    let answer = read(
        &json!({"data": {"search": {"totalCount": 90, "pageInfo": {"hasNextPage": true, "endCursor": "Y3"},
        "edges": [{"cursor": "Y2", "node": {"id": "x", "title": "Sea eagle", "permalink": "http://boats.example/x"}},
            {"cursor": "Y3", "node": {"id": "y", "title": "Old sea dog", "permalink": "http://boats.example/y"}}]}}}),
    );
    assert_eq!(
        records(&answer),
        pairs(&[("Sea eagle", "http://boats.example/x"), ("Old sea dog", "http://boats.example/y")])
    );
    let next = answer.next.unwrap();
    assert_eq!((next.kind, next.request.url.query()), (PagerKind::Parameter, Some("q=sea&endCursor=Y3")));
}

#[test]
fn documents_objects_by_id_rows_and_columns_are_lists_of_records() {
    let expected =
        pairs(&[("Sea eagle", "http://boats.example/x"), ("Old sea dog", "http://boats.example/y")]);
    for value in [
        json!({"responseHeader": {"status": 0, "QTime": 12}, "response": {"numFound": 2, "start": 0, "docs": [
            {"id": "1", "title": ["Sea eagle"], "url": "/x"}, {"id": "2", "title": ["Old sea dog"], "url": "/y"}]}}),
        json!({"query": {"pages": {"12": {"pageid": 12, "title": "Sea eagle", "fullurl": "http://boats.example/x"},
            "15": {"pageid": 15, "title": "Old sea dog", "fullurl": "http://boats.example/y"}}}}),
        json!({"draw": 1, "data": [["Sea eagle", "/x", 4], ["Old sea dog", "/y", 5]]}),
        json!({"data": [["<a href='/x'>Sea eagle</a>", "4"], ["<a href='/y'>Old sea dog</a>", "5"]]}),
        json!([
            "sea",
            ["Sea eagle", "Old sea dog"],
            ["A boat", "A man"],
            ["http://boats.example/x", "http://boats.example/y"]
        ]),
        json!({"titles": ["Sea eagle", "Old sea dog"], "urls": ["/x", "/y"]}),
        json!([{"group": "boats", "items": [{"t": "Sea eagle", "u": "/x"}]}, {"group": "men", "items": [{"t": "Old sea dog", "u": "/y"}]}]),
        json!({"items": ["<li><a href=/x>Sea eagle</a>", "<li><a href=/y>Old sea dog</a>"]}),
        json!({"title": "Results for sea", "list": [{"title": {"rendered": "Sea eagle"}, "link": "/x", "_links": {"self": [{"href": "/api/1"}]}},
            {"title": {"rendered": "Old sea dog"}, "link": "/y", "_links": {"self": [{"href": "/api/2"}]}}]}),
    ] {
        assert_eq!(records(&read(&value)), expected, "{value}");
    }
}

#[test]
fn lists_that_an_answer_without_records_shows_are_none() {
    let popular = json!([{"title": "Most read: how to sail", "url": "/p/1"}, {"title": "Most read: knots for all", "url": "/p/2"}]);
    let answer = |results: Value| json!({"popular": popular, "results": results});
    let mut reader = DataReader::default();
    reader.add_empty_answer(&document("application/json", &answer(json!([])).to_string()));
    let found = read_with(&mut reader, &answer(json!([{"title": "Sea", "url": "/b/1"}])), "sea");
    assert_eq!(records(&found), pairs(&[("Sea", "http://boats.example/b/1")]));
    let nothing = read_with(&mut reader, &answer(json!([])), "moon");
    assert_eq!((nothing.kind, nothing.records.len()), (AnswerKind::Nothing, 0));
}

#[test]
fn facets_of_an_empty_answer_are_not_records() {
    let mut reader = DataReader::default();
    let found = json!({"results": [{"name": "Sea eagle", "url": "/x"}, {"name": "Sea dog", "url": "/y"}], "facets": [{"name": "red boats", "count": 3}]});
    read_with(&mut reader, &found, "sea");
    let none = json!({"results": [], "facets": [{"name": "red boats", "count": 0}, {"name": "blue boats", "count": 0}]});
    assert_eq!(read_with(&mut reader, &none, "moon").kind, AnswerKind::Nothing);
}

#[test]
fn parts_of_one_page_are_one_record() {
    let answer = read(&json!({"docs": [
        {"location": "/guide/", "title": "Guide", "text": "How to sail."},
        {"location": "/guide/#knots", "title": "Knots", "text": "Tie them well."},
        {"location": "/about/", "title": "About", "text": "Who we are."}]}));
    assert_eq!(
        records(&answer),
        pairs(&[("Guide", "http://boats.example/guide/"), ("About", "http://boats.example/about/")])
    );
    assert!(answer.records[0].text.contains("Tie them well."));
}

#[test]
fn an_index_of_words_gives_records_their_words() {
    let words: serde_json::Map<String, Value> =
        (0..30).map(|n| (format!("word{n}"), if n == 0 { json!([0, 1]) } else { json!(n % 2) })).collect();
    let index = json!({"docnames": ["sail/red", "sail/old"], "filenames": ["sail/red.rst", "sail/old.rst"],
        "titles": ["Red sails", "Old sails"], "terms": words, "envversion": {"a": 1}});
    let links = ["http://boats.example/sail/red.html", "http://boats.example/sail/old.html"]
        .map(|url| Url::parse(url).unwrap());
    let mut reader = DataReader::default();
    reader.add_links(links.iter());
    let body = format!("Search.setIndex({index})");
    let request = Request::get(Url::parse("http://boats.example/searchindex.js").unwrap());
    let answer = reader.read(&document("text/javascript", &body), &request, &Query::default(), true);
    assert_eq!(
        records(&answer),
        pairs(&[("Red sails", links[0].as_str()), ("Old sails", links[1].as_str())])
    );
    assert!(answer.records[1].text.contains("word0") && answer.records[1].text.contains("word3"));
    assert!(!answer.records[0].text.contains("word3 "));
}

#[test]
fn errors_differ_from_answers_without_records() {
    let kind = |value: Value| read(&value).kind;
    assert_eq!(kind(json!({"results": [], "total": 0})), AnswerKind::Nothing);
    assert_eq!(
        kind(json!({"error": {"code": "missingparam", "info": "The parameter must be set."}})),
        AnswerKind::Error
    );
    assert_eq!(kind(json!({"error": null, "results": []})), AnswerKind::Nothing);
}

#[test]
fn xml_answers_are_read_like_json() {
    let xml = "<?xml version='1.0'?><OAI-PMH><request verb='ListRecords'>http://boats.example/oai</request><ListRecords>
        <record><header><identifier>oai:b:1</identifier><datestamp>2020-01-01</datestamp></header><metadata><dc>
        <title>Sea eagle</title><identifier>http://boats.example/x</identifier></dc></metadata></record>
        <record><header><identifier>oai:b:2</identifier><datestamp>2020-01-02</datestamp></header><metadata><dc>
        <title>Old sea dog</title><identifier>http://boats.example/y</identifier></dc></metadata></record>
        <resumptionToken completeListSize='80' cursor='0'>t2</resumptionToken></ListRecords></OAI-PMH>";
    let request =
        Request::get(Url::parse("http://boats.example/oai?verb=ListRecords&metadataPrefix=oai_dc").unwrap());
    let answer = DataReader::default().read(&document("text/xml", xml), &request, &Query::default(), true);
    assert_eq!(
        records(&answer),
        pairs(&[("Sea eagle", "http://boats.example/x"), ("Old sea dog", "http://boats.example/y")])
    );
    assert_eq!(answer.next.unwrap().request.url.query(), Some("verb=ListRecords&resumptionToken=t2"));
}

#[test]
fn a_value_that_is_mostly_html_is_a_page() {
    let list = "<ul><li><a href=/x>Sea eagle</a></li><li><a href=/y>Old sea dog</a></li></ul>";
    assert_eq!(
        document("application/json", &json!({"ok": true, "html": list}).to_string()).html().as_deref(),
        Some(list)
    );
    let items = json!({"items": [{"t": "<b>Sea</b> eagle", "x": "<i>a</i>"}, {"t": "<b>Sea</b> dog", "x": "<i>b</i>"}]});
    assert!(document("application/json", &items.to_string()).html().is_none());
}

#[test]
fn pages_are_no_data() {
    for (kind, body) in
        [("text/html", "<p>[1]</p>"), ("text/html", ""), ("text/plain", "hello"), ("image/svg+xml", "")]
    {
        assert!(
            DataDocument::parse(&response(kind, body), &Url::parse(URL).unwrap()).is_none(),
            "{kind} {body}"
        );
    }
}

#[test]
fn hostile_values_cost_little() {
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let wide: Vec<Value> = (0..20_000).map(|n| json!({"a": n})).collect();
    for body in [deep, json!({"x": wide}).to_string(), json!([[[[]]], {}, null]).to_string()] {
        let request = Request::get(Url::parse(URL).unwrap());
        DataReader::default().read(&document("application/json", &body), &request, &Query::default(), true);
    }
}

#[test]
fn articles_with_text_are_listed_by_a_wiki() {
    let page = |id: u32, title: &str| {
        json!({"pageid": id, "ns": 0, "title": title, "contentmodel": "wikitext", "pagelanguage": "en", "touched": "2024-01-01T00:00:00Z",
            "lastrevid": id + 5, "length": 80, "fullurl": format!("http://boats.example/wiki/{title}"),
            "editurl": format!("http://boats.example/index.php?title={title}&action=edit"),
            "canonicalurl": format!("http://boats.example/wiki/{title}"),
            "revisions": [{"slots": {"main": {"contentmodel": "wikitext", "contentformat": "text/x-wiki",
                "*": format!("'''{title}''' is a [[boat]] of the sea, <ref>Smith</ref> seen in {id}.")}}}]})
    };
    let value = json!({"continue": {"gapcontinue": "Cog", "continue": "gapcontinue||"},
        "warnings": {"main": {"*": "Unrecognized parameter: x."}},
        "query": {"pages": {"12": page(12, "Ark"), "15": page(15, "Barge")}}});
    let answer = read_with(&mut DataReader::default(), &value, "");
    let expected = [("Ark", "http://boats.example/wiki/Ark"), ("Barge", "http://boats.example/wiki/Barge")];
    assert_eq!(records(&answer), pairs(&expected));
    assert!(answer.records[0].text.contains("is a [[boat]] of the sea"), "{}", answer.records[0].text);
    let next = answer.next.unwrap().request.url;
    assert!(
        next.as_str().contains("gapcontinue=Cog") && next.as_str().contains("continue=gapcontinue%7C%7C")
    );
    let single = json!({"batchcomplete": "", "query": {"pages": {"19": page(19, "Cog")}}});
    assert_eq!(records(&read(&single)), pairs(&[("Cog", "http://boats.example/wiki/Cog")]));
}

#[test]
fn contents_with_embedded_text_are_listed_by_a_blog() {
    let item = |id: u32, title: &str| {
        json!({"id": id, "title": title, "url": format!("http://boats.example/?p={id}"), "type": "post", "subtype": "post",
            "_links": {"self": [{"embeddable": true, "href": format!("http://boats.example/wp-json/wp/v2/posts/{id}")}],
                "about": [{"href": "http://boats.example/wp-json/wp/v2/types/post"}], "collection": [{"href": "http://boats.example/wp-json/wp/v2/search"}]},
            "_embedded": {"self": [{"id": id, "date": "2024-01-01T00:00:00", "guid": {"rendered": format!("http://boats.example/?p={id}")}, "slug": format!("post-{id}"),
                "link": format!("http://boats.example/?p={id}"), "title": {"rendered": title}, "author": 1, "featured_media": 0,
                "excerpt": {"rendered": "<p>Short.</p>"}, "content": {"rendered": format!("<p>Long text number {id} about the sea.</p>")}}]}})
    };
    let value = json!([item(4, "Un"), item(5, "Deux &#8211; trois"), item(6, "Quatre")]);
    let mut with_headers = response("application/json; charset=UTF-8", &value.to_string());
    with_headers.headers.push("X-WP-Total", "603");
    with_headers.headers.push("X-WP-TotalPages", "13");
    with_headers.headers.push(
        "Link",
        "<http://boats.example/wp-json/wp/v2/search?per_page=50&_embed=1&page=2>; rel=\"next\"",
    );
    let url = Url::parse("http://boats.example/wp-json/wp/v2/search?per_page=50&page=1&_embed=1").unwrap();
    let data = DataDocument::parse(&with_headers, &url).unwrap();
    let answer = DataReader::default().read(&data, &Request::get(url), &Query::default(), true);
    let expected = [
        ("Un", "http://boats.example/?p=4"),
        ("Deux – trois", "http://boats.example/?p=5"),
        ("Quatre", "http://boats.example/?p=6"),
    ];
    assert_eq!(records(&answer)[0], pairs(&expected)[0]);
    assert_eq!(
        answer.records.iter().map(|r| r.url.as_ref().unwrap().as_str()).collect::<Vec<_>>(),
        expected.map(|pair| pair.1)
    );
    assert!(answer.records[1].text.contains("Long text number 5"));
    assert_eq!(
        (answer.total, answer.next.map(|next| next.kind)),
        (Some(StatedTotal::Exactly(603)), Some(PagerKind::Declared))
    );
}

#[test]
fn suggestions_and_catalogues_are_lists_of_records() {
    let catalogue = json!({"help": "http://boats.example/api/3/action/help_show?name=package_search", "success": true,
        "result": {"count": 230, "facets": {}, "search_facets": {}, "sort": "score desc", "results": [
            {"id": "a-1", "name": "harbour-depths", "title": "Depths of harbours", "notes": "Measured each year.", "resources": [
                {"id": "r1", "url": "http://boats.example/f/1.csv", "name": "CSV"}, {"id": "r2", "url": "http://boats.example/f/2.csv", "name": "CSV"}],
                "organization": {"name": "port", "title": "Port office", "image_url": "http://boats.example/o.png"}},
            {"id": "a-2", "name": "ferry-times", "title": "Times of ferries", "notes": "Every week.", "resources": [],
                "organization": {"name": "port", "title": "Port office", "image_url": "http://boats.example/o.png"}}]}});
    let mut reader = DataReader::default();
    let links = ["http://boats.example/dataset/harbour-depths", "http://boats.example/dataset/ferry-times"]
        .map(|url| Url::parse(url).unwrap());
    reader.add_links(links.iter());
    let request =
        Request::get(Url::parse("http://boats.example/api/3/action/package_search?rows=2&start=0").unwrap());
    let answer =
        reader.read(&document("application/json", &catalogue.to_string()), &request, &Query::default(), true);
    assert_eq!(
        records(&answer),
        pairs(&[("Depths of harbours", links[0].as_str()), ("Times of ferries", links[1].as_str())])
    );
    assert_eq!(answer.total, Some(StatedTotal::Exactly(230)));
    assert_eq!(answer.next.unwrap().request.url.query(), Some("rows=2&start=2"));
}

#[test]
fn a_list_of_all_records_may_stand_under_another_key() {
    let boat = |id: u32, name: &str| json!({"id": id, "name": name, "year": 1900 + id});
    let mut reader = DataReader::default();
    let found = json!({"results": [boat(3, "Sea eagle"), boat(8, "Old sea dog")]});
    assert_eq!(read_with(&mut reader, &found, "sea").records.len(), 2);
    let all = json!({"items": [boat(3, "Sea eagle"), boat(5, "Heron"), boat(8, "Old sea dog")]});
    assert_eq!(read_with(&mut reader, &all, "gull").kind, AnswerKind::Nothing);
    let hints = json!({"hints": [{"word": "sail"}, {"word": "sand"}, {"word": "storm"}]});
    assert_eq!(read_with(&mut reader, &hints, "").kind, AnswerKind::Nothing);
    assert_eq!(read_with(&mut reader, &all, "").records.len(), 3);
}

#[test]
fn a_book_index_keeps_addresses_in_a_list_of_their_own() {
    let body = |n: u32| json!({"body": format!("text of part {n}"), "breadcrumbs": "Book", "id": n.to_string(), "title": format!("Part {n}")});
    let value = json!({"doc_urls": ["a.html#a", "a.html#b", "b.html#c"], "index": {"documentStore": {"docInfo": {"0": {"body": 4}, "1": {"body": 4}, "2": {"body": 4}},
        "docs": {"0": body(0), "1": body(1), "2": body(2)}, "length": 3, "save": true}, "fields": ["title", "body"],
        "index": {"body": {"root": {"df": 0, "docs": {}, "t": {"df": 3, "docs": {"0": {"tf": 1.0}}}}}}}});
    let answer = read(&value);
    let urls: Vec<&str> =
        answer.records.iter().filter_map(|record| record.url.as_ref()).map(Url::as_str).collect();
    assert_eq!(urls, ["http://boats.example/api/a.html", "http://boats.example/api/b.html"]);
    assert!(answer.records[0].text.contains("text of part 1"));
}

#[test]
fn values_that_all_records_share_are_no_text_of_theirs() {
    let item = |n: u32| json!({"model": "wikitext", "name": format!("Boat {n}"), "text": format!("Built in {n}."), "up": "http://boats.example/"});
    let answer = read(&json!([item(1900), item(1901), item(1902)]));
    assert_eq!(answer.records[1].text, "Boat 1901 Built in 1901.");
}

#[test]
fn data_is_decoded_as_its_xml_declaration_or_header_states() {
    let parsed = |kind: &str, body: &[u8]| {
        let response = Response { body: body.to_vec(), ..response(kind, "") };
        DataDocument::parse(&response, &Url::parse(URL).unwrap()).unwrap().value.to_string()
    };
    let xml = b"<?xml version='1.0' encoding='ISO-8859-1'?><list><item><title>Caf\xe9</title></item></list>";
    assert!(parsed("text/xml", xml).contains("Caf\u{e9}"));
    let json = b"[{\"title\": \"Caf\xe9\"}]";
    assert!(parsed("application/json; charset=iso-8859-1", json).contains("Caf\u{e9}"));
    let utf8 = "[{\"title\": \"Caf\u{e9}\"}]";
    assert!(parsed("application/json; charset=iso-8859-1", utf8.as_bytes()).contains("Caf\u{e9}"));
}

#[test]
fn documents_beside_a_large_index_of_words_are_found() {
    let page = |at: usize| format!("page{}.html", at % 40);
    let entry = |at: usize| (page(at), json!({"ref": page(at), "tf": 0.25}));
    let postings = |n: usize| Value::from((n..n + 4).map(entry).collect::<serde_json::Map<_, _>>());
    let word = |n: usize| (format!("w{n}"), json!({ format!("x{n}"): {"docs": postings(n)} }));
    let words: serde_json::Map<_, _> = (0..250).map(word).collect();
    let document = |n: usize| {
        let body = format!("Tides, piers and cranes of harbour {n}, as the pilots saw them.");
        (page(n), json!({"url": page(n), "title": format!("Harbour {n}"), "body": body}))
    };
    let store: serde_json::Map<_, _> = (0..40).map(document).collect();
    let answer = read_with(&mut DataReader::default(), &json!({"index": words, "store": store}), "");
    assert_eq!((answer.kind, answer.records.len()), (AnswerKind::Results, 40));
    let found = records(&answer);
    assert!(found.contains(&("Harbour 7".into(), "http://boats.example/api/page7.html".into())), "{found:?}");
}
