//! `hadal judge` on files, folders and a local server.
use crate::program::Place;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Stdio;

const LIBRARY: &str = "<html lang=en><title>Town library</title>
    <p>Find books in our catalogue by author, title or ISBN. Novels, poetry and textbooks from many publishers.</p>
    <form action=/catalogue><h2>Search the catalogue</h2>
    <label>Author <input name=author></label> <label>Title <input name=title></label>
    <label>ISBN <input name=isbn></label>
    <select name=shelf><option>Novels<option>Poetry<option>Textbooks</select>
    <input type=submit value=\"Search books\"></form>
    <a href=/hours>Opening hours</a> <a href=/staff>Staff</a>";

const LOGIN: &str = "<title>Members</title><form method=post action=login>
    <label>User name <input name=user></label><label>Password <input type=password name=password></label>
    <button>Log in</button></form>";

const NOTHING: &str = "<title>About us</title><p>We are a small town.</p>";

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_json_has_the_promised_shape() {
    let place = Place::new();
    place.write("library.html", LIBRARY);
    let judged = &lines(&place.run(&["judge", "library.html", "--json"]).done())[0];
    let keys: Vec<&str> = judged.as_object().unwrap().keys().map(String::as_str).collect();
    for key in ["input", "title", "language", "topics", "forms", "links"] {
        assert!(keys.contains(&key), "{key}: {judged}");
    }
    assert_eq!(judged["input"], "library.html");
    assert_eq!(
        (&judged["title"], &judged["language"], &judged["links"]),
        (&"Town library".into(), &"en".into(), &2.into())
    );
    let topics = judged["topics"].as_object().unwrap();
    assert_eq!(topics.len(), 13);
    let sum: f64 = topics.values().map(|p| p.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-3, "{sum}");

    let form = &judged["forms"][0];
    assert_eq!(
        (&form["index"], &form["method"], &form["kind"]),
        (&0.into(), &"get".into(), &"search".into())
    );
    assert_eq!(form["action"], "catalogue");
    let shelf = &form["fields"][3];
    assert_eq!(
        (&shelf["name"], &shelf["type"], &shelf["options"]),
        (&"shelf".into(), &"select".into(), &3.into())
    );
    assert_eq!(form["fields"][0]["label"], "Author");
    assert!(form["p_searchable"].as_f64().unwrap() >= 0.5, "{form}");
    let topics = form["topics"].as_object().unwrap();
    let best = topics.iter().max_by(|a, b| a.1.as_f64().unwrap().total_cmp(&b.1.as_f64().unwrap()));
    assert_eq!(best.unwrap().0, "book");
}

#[test]
fn a_base_and_a_topic_are_heeded() {
    let place = Place::new();
    place.write("library.html", LIBRARY);
    let args = ["judge", "library.html", "--json", "--topic", "book", "--base", "http://town.example/lib/"];
    let judged = &lines(&place.run(&args).done())[0];
    assert_eq!(judged["forms"][0]["action"], "http://town.example/catalogue");
    assert_eq!(judged["topics"].as_object().unwrap().len(), 1);
    assert!(judged["forms"][0]["p_relevant"].as_f64().unwrap() >= 0.5, "{judged}");
    place.run(&["judge", "library.html", "--topic", "bok"]).refused(&["did you mean 'book'?"]);
    place.run(&["judge", "library.html", "--base", "nowhere"]).refused(&["--base"]);
    place.run(&["judge"]).refused(&["FILE|URL|FOLDER"]);
}

#[test]
fn a_card_shows_verdict_and_evidence() {
    let place = Place::new();
    place.write("library.html", LIBRARY);
    place.write("login.html", LOGIN);
    let out = place.run(&["judge", "library.html", "login.html"]).done();
    for words in [
        "Town library",
        "form 0: search",
        "GET catalogue",
        "topics    book",
        "Search books",
        "why",
        "form 0: login",
    ] {
        assert!(out.contains(words), "{words}: {out}");
    }
    assert!(out.contains("it asks for a password") && !out.contains('\u{1b}'), "{out}");
}

#[test]
fn unreadable_inputs_are_reported_and_the_others_are_judged() {
    let place = Place::new();
    place.write("a.html", LOGIN);
    place.write("c.html", NOTHING);
    let ran = place.run(&["judge", "a.html", "missing.html", "c.html", "--json"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.err.contains("error: missing.html: "), "{ran:?}");
    assert!(ran.err.contains("2 pages") && ran.err.contains("1 failed"), "{ran:?}");
    let judged = lines(&ran.out);
    let inputs: Vec<&str> = judged.iter().map(|judged| judged["input"].as_str().unwrap()).collect();
    assert_eq!(inputs, ["a.html", "missing.html", "c.html"]);
    assert!(judged[1]["error"].is_string() && judged[1].as_object().unwrap().len() == 2, "{ran:?}");
    assert_eq!(judged[2]["forms"].as_array().unwrap().len(), 0);
}

#[test]
fn a_folder_is_judged_in_order_on_all_cores() {
    let place = Place::new();
    std::fs::create_dir_all(place.path().join("saved/more")).unwrap();
    for number in 0..300 {
        let folder = if number % 2 == 0 { "saved" } else { "saved/more" };
        let page = [LIBRARY, LOGIN, NOTHING][number % 3];
        place.write(&format!("{folder}/{number:03}.html"), &page.repeat(1 + number % 7));
    }
    place.write("saved/notes.txt", "no page");
    let out = place.run(&["judge", "saved", "--json", "-q"]).done();
    let judged = lines(&out);
    let inputs: Vec<&str> = judged.iter().map(|judged| judged["input"].as_str().unwrap()).collect();
    assert_eq!(inputs.len(), 300);
    assert!(inputs.is_sorted(), "{inputs:?}");
    assert_eq!(judged[1]["title"], ["Town library", "Members", "About us"][2]);
    assert_eq!(place.run(&["judge", "saved", "--json"]).done(), out, "twice the same");
}

#[test]
fn a_saved_page_in_utf_8_is_read_as_utf_8_despite_its_declaration() {
    let place = Place::new();
    place.write("a.html", "<meta charset=windows-1251><title>Поиск книг</title>");
    assert_eq!(lines(&place.run(&["judge", "a.html", "--json"]).done())[0]["title"], "Поиск книг");
    let (old, _, _) = ("<meta charset=windows-1251><title>\u{041f}</title>", 0, 0);
    let bytes: Vec<u8> = old.chars().map(|c| if c == '\u{041f}' { 0xcf } else { c as u8 }).collect();
    std::fs::write(place.path().join("b.html"), bytes).unwrap();
    assert_eq!(lines(&place.run(&["judge", "b.html", "--json"]).done())[0]["title"], "\u{041f}");
}

#[test]
fn a_page_comes_through_standard_input() {
    let place = Place::new();
    let mut child = place
        .command(&["judge", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(LOGIN.as_bytes()).unwrap();
    let out = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!((&lines(&out)[0]["input"], &lines(&out)[0]["title"]), (&"-".into(), &"Members".into()));
}

/// Answers a fixed number of requests and returns them.
fn serve(answers: Vec<String>) -> (String, std::thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let answer = |answer: String| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = BufReader::new(stream.try_clone().unwrap()).lines().map(Result::unwrap);
            let first = head.next().unwrap();
            head.find(String::is_empty);
            stream.write_all(answer.as_bytes()).unwrap();
            first
        };
        answers.into_iter().map(answer).collect()
    });
    (address, served)
}

fn answer(status: &str, header: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{header}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn an_address_is_visited_as_politely_as_by_a_crawl() {
    let place = Place::new();
    let (address, served) = serve(vec![
        answer("200 OK", "Content-Type: text/plain", "User-agent: *\nDisallow: /private\n"),
        answer("302 Found", "Location: /new", ""),
        answer("200 OK", "Content-Type: text/html", LIBRARY),
    ]);
    let (old, private) = (format!("{address}/old"), format!("{address}/private"));
    let ran = place.run(&["judge", &old, &private, "--json", "--allow-private", "--delay", "0s"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let judged = lines(&ran.out);
    assert_eq!((&judged[0]["input"], &judged[0]["url"]), (&old.into(), &format!("{address}/new").into()));
    assert_eq!(judged[0]["forms"][0]["action"], format!("{address}/catalogue"));
    assert!(judged[1]["error"].as_str().unwrap().contains("robots.txt"), "{ran:?}");
    assert_eq!(
        served.join().unwrap(),
        ["GET /robots.txt HTTP/1.1", "GET /old HTTP/1.1", "GET /new HTTP/1.1"]
    );
}

#[test]
fn private_addresses_are_refused_unless_allowed() {
    let ran = Place::new().run(&["judge", "http://127.0.0.1:8080/"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.err.contains("--allow-private"), "{ran:?}");
}
