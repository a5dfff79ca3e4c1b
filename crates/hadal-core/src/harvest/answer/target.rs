//! Links as numbers, so that many can be compared at once.

use super::view::hashed;
use crate::page::Link;
use url::Url;

/// A link as numbers.
#[derive(Clone, Copy)]
pub(super) struct LinkKey {
    /// Where it leads.
    pub(super) url: u64,
    /// Host, first part of the path, number of parts, names of parameters.
    pub(super) form: u64,
    /// What it is called; `None` when that is nothing, or only its address.
    pub(super) name: Option<u64>,
}

impl LinkKey {
    pub(super) fn of(link: &Link) -> LinkKey {
        let name = &link.context.anchor;
        let is_name = name.chars().any(char::is_alphanumeric) && !is_address(name);
        LinkKey {
            url: hashed(&link.url.as_str()),
            form: form_of(&link.url),
            name: is_name.then(|| hashed(name)),
        }
    }
}

/// Whether a name is only the address it leads to.
fn is_address(name: &str) -> bool {
    !name.contains(' ') && (name.contains("://") || name.starts_with("www.") || name.matches('/').count() > 1)
}

/// How an address is formed, as a number.
pub(in crate::harvest) fn form_of(url: &Url) -> u64 {
    let mut parts = url.path_segments().into_iter().flatten();
    let first = parts.next().unwrap_or_default();
    let more = parts.count();
    let first = if more == 0 && !first.contains('.') { "" } else { first };
    let first = if first.bytes().any(|byte| byte.is_ascii_digit()) { "0" } else { first };
    let pairs = url.query().unwrap_or_default().split('&');
    // FieldNames in any order make one form.
    let names = pairs.map(|pair| hashed(&pair.split('=').next())).fold(0u64, u64::wrapping_add);
    hashed(&(url.host_str(), first, more.min(8), names))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(url: &str) -> u64 {
        form_of(&Url::parse(url).unwrap())
    }

    #[test]
    fn links_to_one_sort_of_thing_are_formed_alike() {
        assert_eq!(form("http://a.org/item/7"), form("http://a.org/item/blue-chair"));
        assert_eq!(form("http://a.org/show?id=1&q=x"), form("http://a.org/show?q=y&id=2"));
        assert_ne!(form("http://a.org/item/7"), form("http://a.org/author/7"));
        assert_ne!(form("http://a.org/show?id=1"), form("http://a.org/show?author=1"));
    }
}
