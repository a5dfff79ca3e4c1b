//! What comes instead of an answer.

use super::respond_html;
use crate::database::request_counter::Refusal;
use hadal_core::http::{Headers, Response};

/// The page for a refusal.
pub(super) fn refuse(refusal: Refusal) -> Response {
    match refusal {
        Refusal::TooMany(wait) => {
            let mut response = page(429, "Too many requests", "<p>Too many requests. Please slow down.</p>");
            response.headers.push("Retry-After", wait.to_string());
            response
        }
        Refusal::Failure => {
            page(500, "Error", "<h1>Internal server error</h1><p>The database did not answer.</p>")
        }
        Refusal::Gone => page(404, "Not found", "<h1>Not found</h1><p>This service has been closed.</p>"),
        Refusal::Login => page(200, "Sign in", LOGIN),
        Refusal::Captcha => page(200, "Are you a robot?", CAPTCHA),
    }
}

const LOGIN: &str = "<h1>Sign in</h1><p>Please sign in to see more results.</p>\
    <form action=\"/login\" method=\"post\"><label>User name <input name=\"user\"></label>\
    <label>Password <input type=\"password\" name=\"pass\"></label><input type=\"submit\" value=\"Sign in\"></form>";

const CAPTCHA: &str = "<h1>Are you a robot?</h1><p>We have seen unusual traffic from your network. \
    Type the characters you see in the picture to go on.</p><form action=\"/captcha\" method=\"post\">\
    <img src=\"/captcha.png\" alt=\"captcha\"><input name=\"captcha\"><input type=\"submit\" value=\"Go on\"></form>";

fn page(status: u16, title: &str, body: &str) -> Response {
    respond_html(
        status,
        format!("<!DOCTYPE html><html><head><title>{title}</title></head><body>{body}</body></html>"),
    )
}

/// An answer in plain text.
pub(super) fn plain(text: &str) -> Response {
    of_type("text/plain", text.as_bytes())
}

/// Something that says that it is a picture.
pub(super) fn picture() -> Response {
    of_type("image/png", b"\x89PNG\r\n\x1a\n")
}

fn of_type(content_type: &str, body: &[u8]) -> Response {
    let mut headers = Headers::default();
    headers.push("Content-Type", content_type);
    Response {
        status: 200,
        headers,
        body: body.to_vec(),
        transferred: body.len() as u64,
        ..Response::default()
    }
}
