//! Who may ask, decided from a request's headers alone.
//!
//! A server on the loopback address needs no token, but any website in the user's browser can reach it: so
//! the host must be named as ours, and whoever writes must come from our own pages, which hold a secret that
//! other sites cannot read. On any other address everybody needs the token.

use http::{HeaderMap, Method, Uri, header};
use std::net::SocketAddr;
use subtle::ConstantTimeEq;

/// Header in which our pages show the secret that [`Guard::csrf`] tells them.
pub const CSRF_HEADER: &str = "x-hadal-csrf";
/// Cookie of a browser that showed the token.
pub const COOKIE: &str = "hadal_session";
/// Where a browser shows the token; open to everybody.
pub const LOGIN: &str = "/login";

/// What a server knows of who may ask.
#[derive(Debug)]
pub struct Guard {
    address: SocketAddr,
    token: Option<String>,
    session: String,
    csrf: String,
}

/// Why somebody may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Who are you?
    #[error("a token is needed: send it as 'Authorization: Bearer TOKEN', or log in at /login")]
    NoToken,
    /// The request was meant for another name.
    #[error("this server answers to localhost only")]
    WrongHost,
    /// Another site's page sent it.
    #[error("requests from other sites are refused")]
    WrongOrigin,
    /// It may be another site's page that sent it.
    #[error("send the csrf value of /api/session in the header X-Hadal-Csrf")]
    NoCsrf,
}

/// Why a server must not be opened.
#[derive(Debug, thiserror::Error)]
pub enum NotGuarded {
    /// No secrets without randomness.
    #[error("the system gives no random numbers: {0}")]
    NoRandomness(getrandom::Error),
    /// Anybody could guess it.
    #[error("a token has at least {LEAST_TOKEN} characters, all of them visible ASCII")]
    WeakToken,
}

const LEAST_TOKEN: usize = 8;

impl Guard {
    /// The guard of a server on this address. Away from loopback a token is made when none is given.
    pub fn new(address: SocketAddr, token: Option<String>) -> Result<Guard, NotGuarded> {
        let is_open = token.is_none() && address.ip().is_loopback();
        let token = match token {
            Some(token) if !is_sound(&token) => return Err(NotGuarded::WeakToken),
            Some(token) => Some(token),
            None if is_open => None,
            None => Some(secret()?),
        };
        Ok(Guard { address, token, session: secret()?, csrf: secret()? })
    }

    /// The token that everybody needs, if there is one.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The secret that our own pages send with every write.
    pub fn csrf(&self) -> &str {
        &self.csrf
    }

    /// The cookie for whoever shows the right token.
    pub fn log_in(&self, shown: &str) -> Option<String> {
        let token = self.token.as_deref()?;
        same(shown, token).then(|| format!("{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/", self.session))
    }

    /// Whether a request is let in.
    pub fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_login = uri.path() == LOGIN && method == Method::POST;
        let bearer =
            self.token.as_deref().zip(bearer(headers)).is_some_and(|(token, shown)| same(shown, token));
        let cookie = cookie(headers).is_some_and(|shown| same(shown, &self.session));
        if self.token.is_some() && !bearer && !cookie && !is_login {
            return Err(Refusal::NoToken);
        }
        let host =
            uri.authority().map(|authority| authority.as_str()).or_else(|| text(headers, header::HOST));
        if self.address.ip().is_loopback() && !host.is_some_and(|host| self.is_ours(host)) {
            return Err(Refusal::WrongHost);
        }
        if [Method::GET, Method::HEAD, Method::OPTIONS].contains(method) || bearer {
            return Ok(());
        }
        if headers.contains_key(header::ORIGIN) && !host.is_some_and(|host| is_from(headers, host)) {
            return Err(Refusal::WrongOrigin);
        }
        let shown = headers.get(CSRF_HEADER).and_then(|value| value.to_str().ok());
        let knows = is_login || shown.is_some_and(|shown| same(shown, &self.csrf));
        if knows { Ok(()) } else { Err(Refusal::NoCsrf) }
    }

    /// Whether a host is this machine, by a name that no other site can take.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        let names = ["localhost", "127.0.0.1", "[::1]"];
        names.iter().any(|ours| name.eq_ignore_ascii_case(ours)) && port == Some(self.address.port())
    }
}

fn is_sound(token: &str) -> bool {
    token.len() >= LEAST_TOKEN && token.bytes().all(|byte| byte.is_ascii_graphic())
}

/// 128 random bits.
fn secret() -> Result<String, NotGuarded> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(NotGuarded::NoRandomness)?;
    Ok(data_encoding::HEXLOWER.encode(&bytes))
}

/// Whether two secrets are the same, in a time that does not tell how far they agree.
fn same(shown: &str, known: &str) -> bool {
    shown.as_bytes().ct_eq(known.as_bytes()).into()
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = text(headers, header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

/// Whether the page that sent it came from this very host.
fn is_from(headers: &HeaderMap, host: &str) -> bool {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let one = origins.next().filter(|_| origins.next().is_none()).and_then(|origin| origin.to_str().ok());
    let from =
        one.and_then(|origin| origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")));
    from.is_some_and(|from| from.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests;
