//! Access control by request headers.
//!
//! A server on a loopback address needs no token, but any website in the user's browser can reach it. Therefore
//! the Host header must name this machine, and writes need a secret that only our own pages can read. On any
//! other address every request needs the token.

use http::{HeaderMap, Method, Uri, header};
use std::net::SocketAddr;
use subtle::ConstantTimeEq;

/// Header in which our pages send the secret of [`Guard::csrf`].
pub const CSRF_HEADER: &str = "x-hadal-csrf";
/// Cookie of a browser that logged in.
pub const COOKIE: &str = "hadal_session";
/// Login path; needs no token.
pub const LOGIN: &str = "/login";

/// Access rules of a server.
#[derive(Debug)]
pub struct Guard {
    address: SocketAddr,
    token: Option<String>,
    session: String,
    csrf: String,
}

/// Reason for refusing a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("a token is required; send it as 'Authorization: Bearer TOKEN', or log in at /login")]
    NoToken,
    /// The Host header names another host.
    #[error("this server accepts requests for localhost only")]
    WrongHost,
    /// The Origin header names another site.
    #[error("requests from other sites are refused")]
    WrongOrigin,
    /// The CSRF secret is missing, so another site may have sent the request.
    #[error("send the csrf value of /api/session in the header X-Hadal-Csrf")]
    NoCsrf,
}

/// Reason for not starting a server.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The system has no random numbers for secrets.
    #[error("the system has no random numbers: {0}")]
    NoRandomness(getrandom::Error),
    /// The token is too short to be secret.
    #[error("a token needs at least {MIN_TOKEN} characters, all visible ASCII")]
    WeakToken,
}

/// Minimum number of characters of a token that a user chooses. Guess; NIST SP 800-63B requires as many of a
/// password.
const MIN_TOKEN: usize = 8;

impl Guard {
    /// Rules of a server on this address. On a non-loopback address a token is generated if none is given.
    pub fn new(address: SocketAddr, token: Option<String>) -> Result<Guard, GuardError> {
        let is_open = token.is_none() && address.ip().is_loopback();
        let token = match token {
            Some(token) if !is_valid_token(&token) => return Err(GuardError::WeakToken),
            Some(token) => Some(token),
            None if is_open => None,
            None => Some(secret()?),
        };
        Ok(Guard { address, token, session: secret()?, csrf: secret()? })
    }

    /// The token, if one is needed.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Secret that our pages send with every write.
    pub fn csrf(&self) -> &str {
        &self.csrf
    }

    /// Session cookie for the right token.
    pub fn log_in(&self, shown: &str) -> Option<String> {
        let token = self.token.as_deref()?;
        same(shown, token).then(|| format!("{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/", self.session))
    }

    /// Checks a request.
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

    /// True if a Host header names this machine in a way that no other site can imitate.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        let names = ["localhost", "127.0.0.1", "[::1]"];
        names.iter().any(|ours| name.eq_ignore_ascii_case(ours)) && port == Some(self.address.port())
    }
}

fn is_valid_token(token: &str) -> bool {
    token.len() >= MIN_TOKEN && token.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Secret of 128 random bits, in hexadecimal.
fn secret() -> Result<String, GuardError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(GuardError::NoRandomness)?;
    Ok(data_encoding::HEXLOWER.encode(&bytes))
}

/// Compares secrets in constant time.
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

/// True if the Origin header names this host.
fn is_from(headers: &HeaderMap, host: &str) -> bool {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let one = origins.next().filter(|_| origins.next().is_none()).and_then(|origin| origin.to_str().ok());
    let from =
        one.and_then(|origin| origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")));
    from.is_some_and(|from| from.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests;
