//! Metadata of a page: search descriptions, canonical URL, robots directives, refresh, next and previous page.

use super::collect::Collected;
use super::document_base::DocumentBase;
use super::dom::{NodeRef, text_below};
use super::limits;
use super::script_links::script_of_address;
use super::search_action::{in_linked_data, is_template};
use super::text::short;
use crate::address::{TrackingParams, normalise};
use crate::endpoint::{LinkElement, PageMarkup, endpoints, may_name_endpoint};
use crate::page::{OpenSearchLink, PageHints, PageToken, RobotsMeta, ScriptedLink};
use crate::scripted::tokens::is_token_name;
use html5ever::{LocalName, local_name};
use url::Url;

/// Ancestors of a microdata property searched for its `SearchAction` item. Guess.
const ITEM_ANCESTORS: usize = 16;

/// Reads the metadata of a page.
pub(super) fn hints(found: &Collected<'_>, base: &DocumentBase) -> PageHints {
    let mut hints = PageHints::default();
    for &node in &found.metadata {
        if node.is(&local_name!("script")) {
            in_linked_data(&text_below(node, limits::LINKED_DATA), &mut hints.search_actions);
            continue;
        }
        if node.is(&local_name!("link")) {
            read_link(node, base, &mut hints);
        } else if node.is(&local_name!("meta")) {
            read_meta(node, base, &mut hints);
        }
        if let Some(template) = microdata_template(node) {
            hints.search_actions.push(template);
        }
    }
    for &anchor in &found.anchors {
        read_neighbour(anchor, base, &mut hints);
    }
    hints.scripted_links = found
        .anchors
        .iter()
        .filter_map(|anchor| scripted_link(found, anchor))
        .take(limits::SCRIPTED_LINKS)
        .collect();
    hints.endpoints = endpoints(&markup(found, base));
    hints.search_actions.dedup();
    hints.search_actions.truncate(limits::HINTS);
    hints
}

/// A link without a URL that runs a script, in its address or on a click.
fn scripted_link<'a>(found: &Collected<'a>, anchor: NodeRef<'a>) -> Option<ScriptedLink> {
    let address = anchor.attribute(&local_name!("href")).unwrap_or_default().trim();
    let call = match script_of_address(address) {
        Some(script) => script,
        None if address.is_empty() || address.starts_with('#') => {
            anchor.attribute(&local_name!("onclick"))?
        }
        None => return None,
    };
    let is_call = call.contains('(') || call.contains('=');
    is_call.then(|| ScriptedLink { label: short(found.text_of(anchor)), call: short(call) })
}

/// Scripts, links and metadata in which endpoints are detected.
fn markup<'a: 'm, 'm>(found: &Collected<'a>, base: &'m DocumentBase) -> PageMarkup<'m> {
    let is = |name: LocalName| move |node: &&NodeRef<'a>| node.is(&name);
    let link = |node: &NodeRef<'a>| LinkElement {
        rel: named(node, &local_name!("rel")),
        kind: named(node, &local_name!("type")),
        href: named(node, &local_name!("href")),
    };
    let meta = |node: &NodeRef<'a>| (named(node, &local_name!("name")), named(node, &local_name!("content")));
    PageMarkup {
        base: &base.url,
        scripts: found.scripts.iter().filter_map(|node| node.attribute(&local_name!("src"))).collect(),
        inline: inline_scripts(found),
        links: found.metadata.iter().filter(is(local_name!("link"))).map(link).collect(),
        metas: found.metadata.iter().filter(is(local_name!("meta"))).map(meta).collect(),
    }
}

/// Texts of inline scripts in which endpoints are detected.
fn inline_scripts(found: &Collected<'_>) -> Vec<String> {
    let inline = found.scripts.iter().filter(|node| !node.has(&local_name!("src")));
    let texts = inline.take(limits::INLINE_SCRIPTS).map(|node| text_below(node, limits::INLINE_SCRIPT));
    texts.filter(|text| may_name_endpoint(text.as_bytes())).collect()
}

fn named<'a>(node: NodeRef<'a>, name: &LocalName) -> &'a str {
    node.attribute(name).unwrap_or_default().trim()
}

fn has_token(list: &str, token: &str) -> bool {
    list.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(token))
}

fn target(node: NodeRef<'_>, base: &DocumentBase) -> Option<Url> {
    let address = named(node, &local_name!("href"));
    if address.is_empty() { None } else { normalise(base.join(address).ok()?, TrackingParams::Strip) }
}

fn read_link(node: NodeRef<'_>, base: &DocumentBase, hints: &mut PageHints) {
    let rel = named(node, &local_name!("rel"));
    let kind = named(node, &local_name!("type"));
    let describes_search = kind.eq_ignore_ascii_case("application/opensearchdescription+xml");
    if has_token(rel, "search") && describes_search && hints.opensearch.len() < limits::HINTS {
        let title = short(named(node, &local_name!("title")));
        hints.opensearch.extend(target(node, base).map(|url| OpenSearchLink { url, title }));
    }
    if hints.canonical.is_none() && has_token(rel, "canonical") {
        hints.canonical = target(node, base);
    }
    read_neighbour(node, base, hints);
}

/// Reads `rel=next` and `rel=prev` of a `<link>` or an anchor.
fn read_neighbour(node: NodeRef<'_>, base: &DocumentBase, hints: &mut PageHints) {
    let Some(rel) = node.attribute(&local_name!("rel")) else { return };
    if hints.next.is_none() && has_token(rel, "next") {
        hints.next = target(node, base);
    }
    if hints.prev.is_none() && (has_token(rel, "prev") || has_token(rel, "previous")) {
        hints.prev = target(node, base);
    }
}

fn read_meta(node: NodeRef<'_>, base: &DocumentBase, hints: &mut PageHints) {
    let content = named(node, &local_name!("content"));
    let name = named(node, &local_name!("name"));
    if hints.robots.len() < limits::HINTS {
        hints.robots.extend(robots_meta(name, content));
    }
    if is_token_name(name) && !content.is_empty() && hints.tokens.len() < limits::HINTS {
        hints.tokens.push(PageToken { name: name.to_string(), value: content.to_string() });
    }
    let pragma = named(node, &local_name!("http-equiv"));
    if hints.refresh.is_none() && pragma.eq_ignore_ascii_case("refresh") {
        hints.refresh = refresh(content, base);
    }
}

/// Directives of a tag for robots; `None` if there are none. Any name may be that of a robot.
fn robots_meta(name: &str, content: &str) -> Option<RobotsMeta> {
    let has = |directive: &str| {
        let mut words = content.split([',', ' ']);
        words.any(|word| word.eq_ignore_ascii_case(directive) || word.eq_ignore_ascii_case("none"))
    };
    let (noindex, nofollow) = (has("noindex"), has("nofollow"));
    let is_robots = !name.is_empty() && (noindex || nofollow);
    is_robots.then(|| RobotsMeta { name: name.to_string(), noindex, nofollow })
}

/// Delay and target of a refresh such as `5; url=next.html`; `None` if it names no URL.
fn refresh(content: &str, base: &DocumentBase) -> Option<(u32, Url)> {
    let digits = content.len() - content.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (seconds, rest) = content.split_at(digits);
    if digits == 0 && !rest.starts_with('.') {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start();
    let address = match rest.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => {
            rest[3..].trim_start().strip_prefix('=').map_or(rest, str::trim_start)
        }
        _ => rest,
    };
    let address = match address.chars().next()? {
        quote @ ('"' | '\'') => address[1..].split(quote).next()?,
        _ => address,
    };
    let url = normalise(base.join(address.trim()).ok()?, TrackingParams::Strip)?;
    Some((seconds.parse().unwrap_or(0), url))
}

/// URL template of a search action in microdata.
fn microdata_template(node: NodeRef<'_>) -> Option<String> {
    let property = named(node, &local_name!("itemprop"));
    if !has_token(property, "target") && !has_token(property, "urlTemplate") {
        return None;
    }
    let values = [local_name!("content"), local_name!("href")];
    let template = values.iter().find_map(|name| node.attribute(name)).filter(|text| is_template(text))?;
    let is_action = |node: NodeRef<'_>| named(node, &local_name!("itemtype")).ends_with("/SearchAction");
    node.ancestors().take(ITEM_ANCESTORS).any(is_action).then(|| template.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refreshes_are_read_as_browsers_do() {
        let base = DocumentBase::new(Url::parse("http://a.org/x/").unwrap(), "UTF-8");
        for (content, expected) in [
            ("5; url=next.html", Some((5, "http://a.org/x/next.html"))),
            ("0;URL='/y'", Some((0, "http://a.org/y"))),
            ("3.7 , url = \"z?a='b'\" trailing", Some((3, "http://a.org/x/z?a=%27b%27"))),
            ("1 http://b.org/", Some((1, "http://b.org/"))),
            ("5", None),
            ("", None),
            ("url=next.html", None),
            ("0; url=javascript:alert(1)", None),
        ] {
            let found = refresh(content, &base);
            let found = found.as_ref().map(|(seconds, url)| (*seconds, url.as_str()));
            assert_eq!(found, expected, "{content}");
        }
    }
}
