//! Rules for the requests of a rendered page. A request that no rule allows is refused.
//!
//! Other sites get two kinds of requests: for a script that the page loads, and for a search service that receives the
//! typed word. They carry only cookies that these sites set themselves in the same session. Hosts that measure or
//! advertise get no request ([`super::trackers`]).

use super::trackers::is_tracker;
use super::{PageRequest, ResourceKind};
use crate::address::Site;
use crate::critic::veto::veto;
use serde_json::Value;

/// Decision about a request of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestRule {
    /// The request is sent.
    Send,
    /// The request carries the typed word: it is a submission.
    Submit,
    /// Answered with an empty body. Some scripts wait for their style sheets.
    AnswerEmpty,
    /// CORS preflight: the browser asks for permission before a request to another host, and gets it.
    AnswerPreflight,
    /// The request is refused for this reason.
    Refuse(RefusalReason),
}

/// Reason to refuse a request of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusalReason {
    /// The request goes to another site, and is neither for a script nor a search.
    ThirdParty,
    /// The host measures visits, advertises or serves widgets.
    Tracker,
    /// Images, fonts, sounds, videos, reports.
    Unneeded,
    /// Methods other than GET and POST.
    Method,
    /// GraphQL operation other than a query.
    Mutation,
    /// POST that does not carry the typed word and is not a GraphQL query.
    Post,
    /// POST with another purpose than searching, such as a newsletter.
    Vetoed,
    /// The word is typed only in part.
    PartOfWord,
}

/// Decides about a request of a page of `site`. `typed` is the word that was typed, if any.
pub fn request_rule(request: &PageRequest, site: &Site, typed: Option<&str>) -> RequestRule {
    use RefusalReason::{Method, Mutation, PartOfWord, Post, ThirdParty, Tracker, Unneeded, Vetoed};
    let is_web = matches!(request.url.scheme(), "http" | "https");
    let is_foreign = Site::of(&request.url) != *site;
    let carries = typed.is_some_and(|word| request.carries(word));
    let carries_part = typed.is_some_and(|word| request.carries(part_of(word)));
    let operation = graphql_operation(request);
    match request.method.as_str() {
        _ if !is_web => RequestRule::Refuse(ThirdParty),
        _ if is_foreign && is_tracker(&request.url) => RequestRule::Refuse(Tracker),
        "GET" | "POST" if is_foreign && !is_for_other_sites(request, carries || carries_part) => {
            RequestRule::Refuse(ThirdParty)
        }
        "OPTIONS" => RequestRule::AnswerPreflight,
        "GET" | "POST" => match request.kind {
            // The icon of a page is requested like data.
            _ if request.headers.get("accept").is_some_and(|accept| accept.starts_with("image/")) => {
                RequestRule::Refuse(Unneeded)
            }
            ResourceKind::Unneeded => RequestRule::Refuse(Unneeded),
            ResourceKind::Stylesheet => RequestRule::AnswerEmpty,
            _ if operation == Some(GraphqlOperation::Other) => RequestRule::Refuse(Mutation),
            _ if carries_part && !carries => RequestRule::Refuse(PartOfWord),
            _ if request.method == "GET" && carries => RequestRule::Submit,
            _ if request.method == "GET" => RequestRule::Send,
            _ if carries && is_vetoed(request, typed.unwrap_or_default()) => RequestRule::Refuse(Vetoed),
            _ if carries => RequestRule::Submit,
            _ if operation == Some(GraphqlOperation::Query) => RequestRule::Send,
            _ => RequestRule::Refuse(Post),
        },
        _ => RequestRule::Refuse(Method),
    }
}

/// True for a request that may go to another site: a script or style sheet without the typed word, and data with it.
fn is_for_other_sites(request: &PageRequest, carries: bool) -> bool {
    match request.kind {
        ResourceKind::Script | ResourceKind::Stylesheet => request.method == "GET" && !carries,
        ResourceKind::Data => carries,
        ResourceKind::Document | ResourceKind::Unneeded => false,
    }
}

/// The word without its last letter. Scripts that search while words are typed may send it.
fn part_of(word: &str) -> &str {
    word.char_indices().last().map_or(word, |(at, _)| &word[..at])
}

/// True if the request would be a vetoed form.
fn is_vetoed(request: &PageRequest, word: &str) -> bool {
    super::request_learning::plain_form(request, word).is_none_or(|form| veto(&form).is_some())
}

/// Kind of a GraphQL operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GraphqlOperation {
    Query,
    /// Mutation or subscription.
    Other,
}

/// Kind of the GraphQL operation that a request holds in its URL or body; `None` for other requests.
fn graphql_operation(request: &PageRequest) -> Option<GraphqlOperation> {
    let in_url =
        request.url.query_pairs().filter(|(name, _)| name == "query").map(|(_, text)| text.into_owned());
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let single = std::slice::from_ref(&body);
    let parts = body.as_array().map_or(single, Vec::as_slice);
    let in_body = parts.iter().filter_map(|part| part.get("query")?.as_str().map(str::to_string));
    let is_plain =
        request.headers.get("content-type").is_some_and(|kind| kind.contains("application/graphql"));
    let plain = is_plain.then(|| String::from_utf8_lossy(&request.body).into_owned());
    let texts: Vec<String> =
        in_url.chain(in_body).chain(plain).filter(|text| text.contains('{') && text.contains('}')).collect();
    let is_other =
        |text: &String| outer_words(text).iter().any(|word| word == "mutation" || word == "subscription");
    (!texts.is_empty()).then(|| match texts.iter().any(is_other) {
        true => GraphqlOperation::Other,
        false => GraphqlOperation::Query,
    })
}

/// Words of a GraphQL document outside brackets, strings and comments.
fn outer_words(text: &str) -> Vec<String> {
    let (mut depth, mut is_string, mut is_comment) = (0i32, false, false);
    let mut words = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if is_string => drop(chars.next()),
            '\n' | '\r' if is_comment => is_comment = false,
            _ if is_comment => {}
            '"' => is_string = !is_string,
            _ if is_string => {}
            '#' => is_comment = true,
            '{' | '(' => depth += 1,
            '}' | ')' => depth -= 1,
            _ if depth <= 0 && c.is_alphanumeric() => {
                words.last_mut().into_iter().for_each(|word| word.push(c));
                continue;
            }
            _ => {}
        }
        if depth <= 0 {
            words.push(String::new());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::tests::data_request;
    use super::*;
    use url::Url;

    const WORD: &str = "xuqozivakex";

    fn rule(request: &PageRequest, typed: Option<&str>) -> RequestRule {
        request_rule(request, &Site::of(&Url::parse("http://www.a.org/").unwrap()), typed)
    }

    fn refused(request: &PageRequest, typed: Option<&str>) -> Option<RefusalReason> {
        match rule(request, typed) {
            RequestRule::Refuse(reason) => Some(reason),
            _ => None,
        }
    }

    #[test]
    fn only_reading_requests_of_the_site_are_sent() {
        let get = |url: &str| data_request("GET", url, "");
        assert_eq!(rule(&get("http://api.a.org/start"), None), RequestRule::Send);
        assert_eq!(refused(&get("http://b.net/start"), None), Some(RefusalReason::ThirdParty));
        for method in ["PUT", "DELETE", "PATCH", "HEAD"] {
            let request = data_request(method, "http://a.org/x", WORD);
            assert_eq!(refused(&request, Some(WORD)), Some(RefusalReason::Method), "{method}");
        }
        let image = PageRequest { kind: ResourceKind::of("Image"), ..get("http://a.org/x.png") };
        assert_eq!(refused(&image, None), Some(RefusalReason::Unneeded));
        let mut icon = get("http://a.org/icon");
        icon.headers.push("Accept", "image/avif,*/*;q=0.8");
        assert_eq!(refused(&icon, None), Some(RefusalReason::Unneeded));
        let style = PageRequest { kind: ResourceKind::of("Stylesheet"), ..get("http://a.org/x.css") };
        assert_eq!(rule(&style, None), RequestRule::AnswerEmpty);
        let question = data_request("OPTIONS", "http://api.a.org/x", "");
        assert_eq!(rule(&question, None), RequestRule::AnswerPreflight);
    }

    #[test]
    fn other_sites_get_requests_for_scripts_and_searches_only() {
        let get = |url: &str, kind: &str| PageRequest {
            kind: ResourceKind::of(kind),
            ..data_request("GET", url, "")
        };
        assert_eq!(rule(&get("http://cdn.net/app.js", "Script"), None), RequestRule::Send);
        assert_eq!(rule(&get("http://cdn.net/app.css", "Stylesheet"), None), RequestRule::AnswerEmpty);
        assert_eq!(
            rule(&data_request("OPTIONS", "http://service.net/q", ""), None),
            RequestRule::AnswerPreflight
        );
        for kind in ["Document", "Fetch", "Image", "Ping"] {
            assert!(refused(&get("http://cdn.net/x", kind), None).is_some(), "{kind}");
        }
        let tracker = get("https://www.googletagmanager.com/gtag/js?id=1", "Script");
        assert_eq!(refused(&tracker, None), Some(RefusalReason::Tracker));
        let search = |method: &str, text: &str| {
            data_request(method, "http://service.net/q", &format!(r#"{{"query":"{text}"}}"#))
        };
        assert_eq!(rule(&search("POST", WORD), Some(WORD)), RequestRule::Submit);
        assert_eq!(refused(&search("POST", "start"), Some(WORD)), Some(RefusalReason::ThirdParty));
        let loud = get(&format!("http://cdn.net/count.js?q={WORD}"), "Script");
        assert_eq!(refused(&loud, Some(WORD)), Some(RefusalReason::ThirdParty));
    }

    #[test]
    fn a_post_is_sent_if_it_carries_the_word_or_reads_by_graphql() {
        let post = |body: &str| data_request("POST", "http://a.org/api", body);
        assert_eq!(refused(&post(r#"{"event":"view"}"#), None), Some(RefusalReason::Post));
        assert_eq!(refused(&post(r#"{"event":"view"}"#), Some(WORD)), Some(RefusalReason::Post));
        assert_eq!(rule(&post(&format!(r#"{{"text":"{WORD}"}}"#)), Some(WORD)), RequestRule::Submit);
        assert_eq!(rule(&post(r#"{"query":"{ menu { id } }"}"#), None), RequestRule::Send);
        let part = format!(r#"{{"text":"{}"}}"#, &WORD[..WORD.len() - 1]);
        assert_eq!(refused(&post(&part), Some(WORD)), Some(RefusalReason::PartOfWord));
    }

    #[test]
    fn an_escaped_quote_does_not_end_a_graphql_string() {
        let words = outer_words(r#"query A($a: String = "\"") { x } mutation B { y }"#);
        assert!(words.iter().any(|word| word == "mutation"), "{words:?}");
    }

    #[test]
    fn mutations_are_refused_wherever_they_stand() {
        for text in [
            "mutation M { add(t: 1) { id } }",
            "# list\\nfragment F on T { id } mutation { add { ...F } }",
            "subscription { news { id } }",
        ] {
            let body = format!(r#"[{{"query":"{text}","variables":{{"t":"{WORD}"}}}}]"#);
            let request = data_request("POST", "http://a.org/graphql", &body);
            assert_eq!(refused(&request, Some(WORD)), Some(RefusalReason::Mutation), "{text}");
        }
        let url = "http://a.org/graphql?query=mutation%20%7Badd%7Bid%7D%7D";
        assert_eq!(refused(&data_request("GET", url, ""), None), Some(RefusalReason::Mutation));
        let query =
            format!(r#"{{"query":"query F($mutation: ID) {{ find(t: \"{WORD}\") {{ mutation }} }}"}}"#);
        assert_eq!(
            rule(&data_request("POST", "http://a.org/graphql", &query), Some(WORD)),
            RequestRule::Submit
        );
    }

    #[test]
    fn a_post_to_a_vetoed_place_is_refused() {
        let body = format!("email={WORD}");
        let request = data_request("POST", "http://a.org/newsletter/subscribe", &body);
        assert_eq!(refused(&request, Some(WORD)), Some(RefusalReason::Vetoed));
    }
}
