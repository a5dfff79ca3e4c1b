//! `--connect-to 'PATTERN=HOST:PORT'`: connect to another address for some hosts.
//!
//! Only the connection changes; URL, `Host` header and the name in the TLS handshake stay. The target may be a loopback
//! or private address without `--allow-private`, because the user chose it.

use super::refusal::is_bad_port;
use crate::fetch::wildcard;
use std::str::FromStr;

/// One `--connect-to` rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectTo {
    pattern: String,
    with_port: bool,
    host: String,
    port: u16,
}

/// Error of a rule that cannot be parsed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectToError {
    /// The rule has no `=`, or one side is empty.
    #[error("invalid rule '{0}': expected PATTERN=HOST:PORT, as in '*.example=127.0.0.1:8080'")]
    Shape(String),
    /// The port is missing or not a web port.
    #[error("invalid port in '{0}': expected HOST:PORT with a web port from 1 to 65535")]
    Port(String),
}

impl ConnectTo {
    /// True when the pattern matches a host, and its port if the pattern has one.
    pub fn matches(&self, host: &str, port: u16) -> bool {
        let host = host.to_ascii_lowercase();
        let name = if self.with_port { format!("{host}:{port}") } else { host };
        wildcard::matches(self.pattern.as_bytes(), name.as_bytes())
    }

    /// Host and port to connect to.
    pub fn target(&self) -> (&str, u16) {
        (&self.host, self.port)
    }
}

impl FromStr for ConnectTo {
    type Err = ConnectToError;

    fn from_str(text: &str) -> Result<ConnectTo, ConnectToError> {
        let shape = || ConnectToError::Shape(text.to_string());
        let (pattern, target) = text.split_once('=').ok_or_else(shape)?;
        let (pattern, target) = (pattern.trim().to_ascii_lowercase(), target.trim());
        let (host, port) = target.rsplit_once(':').ok_or_else(shape)?;
        let bare_v6 = host.contains(':') && !(host.starts_with('[') && host.ends_with(']'));
        if pattern.is_empty() || host.is_empty() || bare_v6 {
            return Err(shape());
        }
        let port = port.parse().ok().filter(|port| !is_bad_port(*port));
        let port = port.ok_or_else(|| ConnectToError::Port(target.to_string()))?;
        Ok(ConnectTo { with_port: has_port(&pattern), pattern, host: host.to_string(), port })
    }
}

/// True when the pattern ends in a port. Colons inside the brackets of an IPv6 address do not count.
fn has_port(pattern: &str) -> bool {
    pattern.rsplit(']').next().is_some_and(|rest| rest.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> ConnectTo {
        text.parse().unwrap()
    }

    #[test]
    fn patterns_are_globs_on_the_host_and_perhaps_the_port() {
        for (pattern, host, port, expected) in [
            ("*", "anything.example", 80, true),
            ("*.example", "shop.example", 80, true),
            ("*.example", "example", 80, false),
            ("Shop.Example", "shop.example", 443, true),
            ("shop.example:443", "shop.example", 443, true),
            ("shop.example:443", "shop.example", 80, false),
            ("*:443", "other.example", 443, true),
            ("[::1]", "[::1]", 80, true),
            ("[::1]:8080", "[::1]", 80, false),
        ] {
            let rule = rule(&format!("{pattern}=127.0.0.1:9000"));
            assert_eq!(rule.matches(host, port), expected, "{pattern} on {host}:{port}");
            assert_eq!(rule.target(), ("127.0.0.1", 9000));
        }
        assert_eq!(rule("a=[::1]:9000").target(), ("[::1]", 9000));
    }

    #[test]
    fn errors_name_the_expected_form() {
        for text in ["", "*", "=a:1", "*=host", "*=:80", "*=::1:80"] {
            let error = text.parse::<ConnectTo>().unwrap_err();
            assert!(error.to_string().contains("expected PATTERN=HOST:PORT"), "{text}");
        }
        for text in ["*=host:", "*=host:http", "*=host:0", "*=host:70000", "*=host:25"] {
            assert!(matches!(text.parse::<ConnectTo>(), Err(ConnectToError::Port(_))), "{text}");
        }
    }
}
