//! Redirects within a site, which a session follows itself.

use super::{ParsedResponse, RequestPurpose};
use crate::address::Site;
use crate::critic::probe::redirect::meta_refresh;
use crate::http::{Method, Request};

/// Maximum number of redirects within the site that are followed for one page, by status or by
/// `meta refresh`. Guess.
const MAX_REDIRECTS: u8 = 5;

/// A request, or the request for the target of its last redirect.
#[derive(Clone, Debug)]
pub struct FollowedRequest {
    request: Request,
    /// Redirects followed so far.
    redirects: u8,
}

impl FollowedRequest {
    /// A request that was not redirected yet.
    pub fn new(request: Request) -> FollowedRequest {
        FollowedRequest { request, redirects: 0 }
    }

    /// Request to send next.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Redirects followed so far.
    pub fn redirects(&self) -> u32 {
        u32::from(self.redirects)
    }

    /// Request to send next, and its purpose: `purpose`, or that of a redirect.
    pub fn with_purpose(&self, purpose: RequestPurpose) -> (Request, RequestPurpose) {
        (self.request.clone(), purpose.after(self.redirects, &self.request))
    }

    /// Follows the redirect of a response. Returns false if there is none, or too many came before.
    pub fn follow(&mut self, response: &ParsedResponse) -> bool {
        let target = redirect_request(&self.request, response).filter(|_| self.redirects < MAX_REDIRECTS);
        let Some(request) = target else { return false };
        self.request = request;
        self.redirects += 1;
        true
    }
}

/// Request for the target of a redirect within the site, by status or by a meta refresh. As in browsers, POST
/// becomes GET unless the status is 307 or 308.
fn redirect_request(sent: &Request, response: &ParsedResponse) -> Option<Request> {
    let target = match response.status {
        300..400 => response.location.as_ref(),
        200..300 => response.document.as_ref().and_then(|document| meta_refresh(&document.page)),
        _ => None,
    }?;
    let is_in_site = Site::of(target) == Site::of(&sent.url);
    let keeps_post = matches!(response.status, 307 | 308) && sent.method == Method::Post;
    is_in_site.then(|| match keeps_post {
        true => Request { url: target.clone(), ..sent.clone() },
        false => Request::get(target.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn redirect(status: u16, target: &str) -> ParsedResponse {
        ParsedResponse { status, location: Url::parse(target).ok(), ..ParsedResponse::default() }
    }

    #[test]
    fn redirects_are_followed_within_the_site_and_not_for_ever() {
        let mut followed = FollowedRequest::new(Request::get(Url::parse("http://a.org/find").unwrap()));
        assert!(!followed.follow(&redirect(302, "http://b.org/")));
        assert!(!followed.follow(&redirect(404, "http://a.org/1")));
        let count = (0..9).filter(|_| followed.follow(&redirect(302, "http://a.org/1"))).count();
        assert_eq!(count, usize::from(MAX_REDIRECTS));
        let (request, purpose) = followed.with_purpose(RequestPurpose::Query);
        assert_eq!((request.url.as_str(), purpose), ("http://a.org/1", RequestPurpose::Redirect));
    }

    #[test]
    fn a_post_stays_one_if_the_status_says_so() {
        let url = Url::parse("http://a.org/find").unwrap();
        let post = Request { method: Method::Post, body: b"q=sea".to_vec(), ..Request::get(url) };
        let sent = |status| redirect_request(&post, &redirect(status, "http://a.org/1")).unwrap();
        assert_eq!((sent(302).method, sent(302).body.len()), (Method::Get, 0));
        assert_eq!((sent(307).method, sent(307).body.len()), (Method::Post, 5));
    }
}
