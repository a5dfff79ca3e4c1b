//! Access decisions of the guard.

use super::*;

const HOME: &str = "127.0.0.1:7878";

fn open() -> Guard {
    Guard::new(HOME.parse().unwrap(), None).unwrap()
}

fn guarded() -> Guard {
    Guard::new("192.0.2.1:7878".parse().unwrap(), Some("a-long-token".into())).unwrap()
}

fn ask(guard: &Guard, method: Method, path: &str, headers: &[(&str, &str)]) -> Result<(), Refusal> {
    let mut given = HeaderMap::new();
    for (name, value) in headers {
        given.append(http::HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
    }
    guard.admit(&method, &path.parse().unwrap(), &given)
}

#[test]
fn at_home_only_our_own_names_are_answered() {
    for (host, answered) in [
        (HOME, true),
        ("localhost:7878", true),
        ("LOCALHOST:7878", true),
        ("[::1]:7878", true),
        ("localhost", false),
        ("127.0.0.1:80", false),
        ("evil.example:7878", false),
        ("localhost.evil.example:7878", false),
        ("127.0.0.1:7878.evil.example", false),
        ("", false),
    ] {
        let admitted = ask(&open(), Method::GET, "/api/runs", &[("host", host)]);
        assert_eq!(admitted.is_ok(), answered, "{host}");
    }
    assert_eq!(ask(&open(), Method::GET, "/", &[]), Err(Refusal::WrongHost));
}

#[test]
fn at_home_writes_need_our_origin_and_our_secret() {
    let guard = open();
    let csrf = guard.csrf().to_string();
    let write = |headers: &[(&str, &str)]| {
        let all: Vec<_> = [("host", HOME)].iter().chain(headers).copied().collect();
        ask(&guard, Method::POST, "/api/ask", &all)
    };
    assert_eq!(write(&[]), Err(Refusal::NoCsrf));
    assert_eq!(write(&[(CSRF_HEADER, "guess")]), Err(Refusal::NoCsrf));
    assert_eq!(write(&[(CSRF_HEADER, &csrf)]), Ok(()));
    assert_eq!(write(&[(CSRF_HEADER, &csrf), ("origin", "http://127.0.0.1:7878")]), Ok(()));
    for origin in ["http://evil.example", "null", "http://127.0.0.1:8080", "http://localhost:7878"] {
        let refused = write(&[(CSRF_HEADER, &csrf), ("origin", origin)]);
        assert_eq!(refused, Err(Refusal::WrongOrigin), "{origin}");
    }
    let two =
        [(CSRF_HEADER, csrf.as_str()), ("origin", "http://127.0.0.1:7878"), ("origin", "http://x.example")];
    assert_eq!(write(&two), Err(Refusal::WrongOrigin));
}

#[test]
fn elsewhere_everybody_needs_the_token() {
    let guard = guarded();
    let host = ("host", "192.0.2.1:7878");
    let with = |value: &str| ask(&guard, Method::GET, "/", &[host, ("authorization", value)]);
    assert_eq!(ask(&guard, Method::GET, "/", &[host]), Err(Refusal::NoToken));
    assert_eq!(with("Bearer a-long-token"), Ok(()));
    assert_eq!(with("bearer a-long-token"), Ok(()));
    for wrong in ["Bearer", "Bearer ", "Bearer a-long-toke", "Bearer a-long-token2", "Basic a-long-token"] {
        assert_eq!(with(wrong), Err(Refusal::NoToken), "{wrong}");
    }
    let program = ask(&guard, Method::POST, "/api/ask", &[host, ("authorization", "Bearer a-long-token")]);
    assert_eq!(program, Ok(()));
}

#[test]
fn a_browser_shows_the_token_once() {
    let guard = guarded();
    let host = ("host", "192.0.2.1:7878");
    assert_eq!(ask(&guard, Method::POST, LOGIN, &[host]), Ok(()));
    assert_eq!(ask(&guard, Method::GET, LOGIN, &[host]), Err(Refusal::NoToken));
    assert_eq!(guard.log_in("a-long-tokem"), None);
    let given = guard.log_in("a-long-token").unwrap();
    let cookie = given.split(';').next().unwrap();
    assert!(given.contains("HttpOnly") && given.contains("SameSite=Strict"), "{given}");
    assert!(!given.contains("a-long-token"));
    assert_eq!(ask(&guard, Method::GET, "/", &[host, ("cookie", &format!("a=b; {cookie}"))]), Ok(()));
    assert_eq!(ask(&guard, Method::GET, "/", &[host, ("cookie", "hadal_session=x")]), Err(Refusal::NoToken));
    let write = ask(&guard, Method::POST, "/api/ask", &[host, ("cookie", cookie)]);
    assert_eq!(write, Err(Refusal::NoCsrf));
}

#[test]
fn a_server_for_others_always_has_a_token() {
    let made = Guard::new("0.0.0.0:7878".parse().unwrap(), None).unwrap();
    assert_eq!(made.token().map(str::len), Some(32));
    assert_eq!(open().token(), None);
    for weak in ["", "short", "with blanks in it"] {
        assert!(Guard::new(HOME.parse().unwrap(), Some(weak.into())).is_err(), "{weak}");
    }
}
