//! Rules of robots.txt as RFC 9309 defines them, case by case.

use hadal::polite::robots::{AGENT, RobotsRules};
use std::time::Duration;
use url::Url;

/// Fact, robots.txt, path, allowed.
const CASES: [(&str, &str, &str, bool); 49] = [
    ("an empty file allows", "", "/a", true),
    ("no group for us allows", "User-agent: other\nDisallow: /", "/a", true),
    ("the star group speaks to everyone", "User-agent: *\nDisallow: /a", "/a/b", false),
    ("a prefix is enough", "User-agent: *\nDisallow: /a", "/abc", false),
    ("another path is free", "User-agent: *\nDisallow: /a", "/b", true),
    ("an empty Disallow forbids nothing", "User-agent: *\nDisallow:", "/a", true),
    (
        "our group wins over the star group",
        "User-agent: *\nDisallow: /\nUser-agent: hadal\nAllow: /",
        "/a",
        true,
    ),
    (
        "our group wins wherever it stands",
        "User-agent: hadal\nDisallow: /x\n\nUser-agent: *\nDisallow: /",
        "/a",
        true,
    ),
    ("our group without rules allows", "User-agent: hadal\nAllow:\n\nUser-agent: *\nDisallow: /", "/a", true),
    ("our name has no case", "User-Agent: HaDaL\nDisallow: /", "/a", false),
    ("our name may carry a version", "User-agent: hadal/1.0\nDisallow: /", "/a", false),
    ("our name may carry words", "User-agent: hadal (crawler)\nDisallow: /", "/a", false),
    ("a longer name is another's", "User-agent: hadal-news\nDisallow: /", "/a", true),
    ("a shorter name is another's", "User-agent: had\nDisallow: /", "/a", true),
    (
        "groups for us are one",
        "User-agent: hadal\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: hadal\nDisallow: /b",
        "/b",
        false,
    ),
    (
        "agents in a row share rules",
        "User-agent: x\nUser-agent: hadal\nUser-agent: y\nDisallow: /a",
        "/a",
        false,
    ),
    ("blank lines do not end a group", "User-agent: hadal\n\n\nDisallow: /a", "/a", false),
    (
        "a crawl delay does not part agents",
        "User-agent: hadal\r\nCrawl-delay: 1\r\nUser-agent: x\r\nDisallow: /a",
        "/a",
        false,
    ),
    (
        "a sitemap does not end a group",
        "User-agent: hadal\nSitemap: http://a.example/s\nDisallow: /a",
        "/a",
        false,
    ),
    ("rules before any agent are nobody's", "Disallow: /\nUser-agent: hadal\nAllow: /x", "/a", true),
    ("the longest match decides", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true),
    ("order does not matter", "User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", false),
    ("of equally long ones allow wins", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", true),
    ("paths have case", "User-agent: *\nDisallow: /A", "/a", true),
    ("keys have none", "USER-AGENT: *\nDISALLOW: /a", "/a", false),
    ("a star is any run", "User-agent: *\nDisallow: /*/private", "/x/y/private/z", false),
    ("a star may be empty", "User-agent: *\nDisallow: /a*b", "/ab", false),
    ("a star rule is a prefix too", "User-agent: *\nDisallow: /*.gif", "/x.gif?y", false),
    ("a dollar ends the path", "User-agent: *\nDisallow: /*.gif$", "/x.gif?y", true),
    ("a dollar at the end matches", "User-agent: *\nDisallow: /*.gif$", "/x.gif", false),
    ("only the root", "User-agent: *\nDisallow: /\nAllow: /$", "/", true),
    ("not below the root", "User-agent: *\nDisallow: /\nAllow: /$", "/a", false),
    ("a dollar in the middle is a dollar", "User-agent: *\nDisallow: /a$b", "/a$b", false),
    ("an escaped star is a star", "User-agent: *\nDisallow: /a%2Ab", "/axb", true),
    ("an escaped star matches a star", "User-agent: *\nDisallow: /a%2Ab", "/a*b", false),
    ("queries count", "User-agent: *\nDisallow: /*?session=", "/a?session=1", false),
    ("unreserved escapes are plain", "User-agent: *\nDisallow: /%61%2D", "/a-", false),
    ("escapes in the address are plain too", "User-agent: *\nDisallow: /~joe", "/%7Ejoe", false),
    ("hex digits have no case", "User-agent: *\nDisallow: /a%3cd", "/a%3Cd", false),
    ("an escaped bracket is a bracket", "User-agent: *\nDisallow: /a(1)", "/a%281%29", false),
    ("an escaped plus sign is a plus sign", "User-agent: *\nDisallow: /a+b", "/a%2Bb", false),
    ("an escaped slash is no slash", "User-agent: *\nDisallow: /a%2Fb", "/a/b", true),
    ("letters beyond ASCII are escaped", "User-agent: *\nDisallow: /caf\u{e9}", "/caf%C3%A9", false),
    ("comments are dropped", "User-agent: * # all\nDisallow: /a # this\n# Allow: /a", "/a", false),
    ("a byte order mark is no letter", "\u{feff}User-agent: *\nDisallow: /a", "/a", false),
    ("lines may end as on Windows", "User-agent: *\r\nDisallow: /a\r\n", "/a", false),
    ("lines may end as on old Macs", "User-agent: *\rDisallow: /a\r", "/a", false),
    ("white space around is nothing", "  User-agent :  *  \n\tDisallow\t:  /a  ", "/a", false),
    ("robots.txt itself is always free", "User-agent: *\nDisallow: /", "/robots.txt", true),
];

fn allows(robots: &str, path: &str) -> bool {
    RobotsRules::parse(robots, AGENT).allows(&Url::parse("http://shop.example").unwrap().join(path).unwrap())
}

#[test]
fn every_case_of_the_standard() {
    for (shows, robots, path, allowed) in CASES {
        assert_eq!(allows(robots, path), allowed, "{shows}: {robots:?} on {path}");
    }
}

#[test]
fn garbage_allows_and_does_not_panic() {
    for robots in ["\0\0\0", ":::::", "%", "User-agent: *\nDisallow: %", "<html>", "User-agent\nDisallow"] {
        assert!(allows(robots, "/a"), "{robots:?}");
    }
}

#[test]
fn starry_patterns_take_no_exponential_time() {
    let robots = format!("User-agent: *\nDisallow: /{}b", "*a".repeat(2000));
    assert!(allows(&robots, &format!("/{}", "a".repeat(1900))));
}

#[test]
fn a_name_with_digits_is_a_name_too() {
    let allows = |name: &str| {
        let text = format!("User-agent: {name}\nDisallow: /");
        RobotsRules::parse(&text, "acme2bot").allows(&Url::parse("http://shop.example/a").unwrap())
    };
    assert_eq!(["Acme2Bot", "acme2bot/1.0", "acme", "acme2bot-news"].map(allows), [false, false, true, true]);
}

#[test]
fn the_longest_crawl_delay_of_our_group_counts() {
    let delay = |text: &str| RobotsRules::parse(text, AGENT).crawl_delay();
    assert_eq!(delay("User-agent: *\nCrawl-delay: 2.5"), Some(Duration::from_millis(2500)));
    assert_eq!(delay("User-agent: hadal\nCrawl-delay: 3\nCrawl-delay: 1"), Some(Duration::from_secs(3)));
    assert_eq!(delay("User-agent: x\nCrawl-delay: 3"), None);
    assert_eq!(
        delay("User-agent: *\nCrawl-delay: 9\nUser-agent: x\nCrawl-delay: 3"),
        Some(Duration::from_secs(9))
    );
    assert_eq!(delay("User-agent: hadal\nAllow: /\n\nUser-agent: *\nCrawl-delay: 3"), None);
    for nonsense in ["-1", "soon", "inf", "nan", "1e300", ""] {
        assert_eq!(delay(&format!("User-agent: *\nCrawl-delay: {nonsense}")), None, "{nonsense}");
    }
}

#[test]
fn a_group_may_consist_of_a_crawl_delay() {
    let robots = "User-agent: hadal\nCrawl-delay: 1\n\nUser-agent: x\nDisallow: /";
    assert!(allows(robots, "/a"));
    assert!(allows(&robots.replace('\n', "\r\n"), "/a"));
    assert!(!allows("User-agent: x\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /", "/a"));
}

#[test]
fn sitemaps_are_for_everyone() {
    let text = "Sitemap: http://a.example/one.xml\nUser-agent: x\nsitemap: https://a.example/two.xml\nSitemap: /three";
    let rules = RobotsRules::parse(text, AGENT);
    let found: Vec<&str> = rules.sitemaps().iter().map(Url::as_str).collect();
    assert_eq!(found, ["http://a.example/one.xml", "https://a.example/two.xml"]);
}
