//! Links of a page with their context.

use super::collect::Collected;
use super::document_base::DocumentBase;
use super::dom::{NodeRef, TreeWalk, WalkEvent, text_below};
use super::limits::{self, truncate};
use super::script_links::{opens_page, page_address, script_of_address, sends_data, target_in_script};
use super::text::{first_terms, last_terms, short};
use crate::address::{Site, TrackingParams, normalise};
use crate::page::{Link, LinkContext};
use html5ever::local_name;
use rustc_hash::FxHashMap;
use url::Url;

/// Terms kept before and after a link. Guess.
const TERMS_AROUND: usize = 10;
/// Elements of a tag path, counted from the link. Guess.
const PATH_ELEMENTS: usize = 16;
/// Bytes of an element name, class or id in a tag path. Guess.
const PATH_NAME: usize = 32;
/// Walk events inspected to find an image inside a link without text. Guess.
const IMAGE_SEARCH: usize = 64;

/// Link index of an anchor without a usable target URL.
pub(super) const NO_LINK: u32 = u32::MAX;

/// Links in document order, and for every collected anchor the index of its link or [`NO_LINK`]. Links opened by
/// scripts come last, because their targets are less certain and the position of a link lowers its score. If `is_used`
/// is given, only the first followable link to each URL gets a context.
pub(super) fn links(
    found: &Collected<'_>,
    page: &Url,
    base: &DocumentBase,
    is_used: Option<&dyn Fn(&Url) -> bool>,
) -> (Vec<Link>, Vec<u32>) {
    let mut links: Vec<Link> = Vec::with_capacity(found.anchors.len());
    let mut link_indices = Vec::with_capacity(found.anchors.len());
    let mut targets = LinkTargets { page, base, is_used, known: FxHashMap::default() };
    for &anchor in &found.anchors {
        let position = links.len() as u32;
        let Some(target) = targets.of(anchor) else {
            link_indices.push(NO_LINK);
            continue;
        };
        link_indices.push(position);
        let (url, is_unused) = (target.url.clone(), target.is_unused);
        let context = if is_unused { no_context(position) } else { context(found, anchor, position) };
        target.is_unused |= is_used.is_some() && !context.rel.contains("nofollow");
        links.push(Link { url, context, is_unused });
    }
    add_script_links(&mut links, found, page, base);
    (links, link_indices)
}

/// Target of an anchor.
struct LinkTarget {
    url: Url,
    /// The next link to this URL gets no context.
    is_unused: bool,
}

/// Targets of the anchors of a page. Pages repeat addresses, with and without fragments, so each is read once.
struct LinkTargets<'p, 'a> {
    page: &'p Url,
    base: &'p DocumentBase,
    is_used: Option<&'p dyn Fn(&Url) -> bool>,
    known: FxHashMap<&'a str, Option<LinkTarget>>,
}

impl<'a> LinkTargets<'_, 'a> {
    /// Target of an anchor or frame; `None` for links within the page and for frames with pages of other sites, which
    /// are mostly advertisements.
    fn of(&mut self, anchor: NodeRef<'a>) -> Option<&mut LinkTarget> {
        let frame = anchor.attribute(&local_name!("src")).filter(|_| !anchor.has(&local_name!("href")));
        let address = frame.or_else(|| anchor.attribute(&local_name!("href")))?.trim();
        if address.is_empty() || address.starts_with('#') {
            return None;
        }
        let (page, base, is_used) = (self.page, self.base, self.is_used);
        let read = || {
            let url = normalise(base.join(address).ok()?, TrackingParams::Strip)?;
            let is_unused = is_used.is_some_and(|is_used| !is_used(&url));
            Some(LinkTarget { url, is_unused })
        };
        let target = self.known.entry(without_fragment(address)).or_insert_with(read).as_mut()?;
        (frame.is_none() || Site::of(&target.url) == Site::of(page)).then_some(target)
    }
}

/// Address without its fragment, which normalised URLs do not have. White space before a fragment belongs to the URL,
/// so such an address is kept.
fn without_fragment(address: &str) -> &str {
    let page = address.split('#').next().unwrap_or_default();
    if page.ends_with(|c: char| c <= ' ') { address } else { page }
}

fn no_context(position: u32) -> LinkContext {
    LinkContext { position, ..LinkContext::default() }
}

/// Appends the pages that scripts of links, of other elements and of menus open.
fn add_script_links<'a>(links: &mut Vec<Link>, found: &Collected<'a>, page: &Url, base: &DocumentBase) {
    let first = links.len();
    let mut add = |url: Url, node: NodeRef<'a>, anchor: Option<String>| {
        let position = links.len() as u32;
        if links.len() - first < limits::SCRIPTED_LINKS {
            let context = context(found, node, position);
            let anchor = anchor.unwrap_or(context.anchor);
            links.push(Link { url, context: LinkContext { anchor, ..context }, is_unused: false });
        }
    };
    for &anchor in &found.anchors {
        let script = anchor.attribute(&local_name!("href")).and_then(script_of_address);
        if let Some(url) = script.and_then(|script| target_in_script(script, page, base)) {
            add(url, anchor, None);
        }
    }
    for &node in &found.clickable {
        if node.is(&local_name!("select")) {
            menu_targets(node, page, base).for_each(|(url, text)| add(url, node, Some(text)));
        } else if let Some(url) = click_target(node, page, base) {
            add(url, node, None);
        }
    }
}

/// Page that a click on an element opens; `None` if the element has an address of its own.
fn click_target(node: NodeRef<'_>, page: &Url, base: &DocumentBase) -> Option<Url> {
    let has_address = node.attribute(&local_name!("href")).is_some_and(|address| {
        !address.trim().is_empty() && !address.trim().starts_with('#') && script_of_address(address).is_none()
    });
    let script =
        node.attribute(&local_name!("onclick")).filter(|script| !has_address && opens_page(script))?;
    target_in_script(script, page, base)
}

/// Pages that the options of a select with a script open, with the texts of the options.
fn menu_targets<'a>(
    menu: NodeRef<'a>,
    page: &Url,
    base: &DocumentBase,
) -> impl Iterator<Item = (Url, String)> {
    let script = menu.attribute(&local_name!("onchange")).filter(|script| !sends_data(script));
    let options = script.into_iter().flat_map(move |_| TreeWalk::below(menu)).filter_map(|step| match step {
        WalkEvent::Enter(node) if node.is(&local_name!("option")) => Some(node),
        _ => None,
    });
    options.filter_map(|option| {
        let url = page_address(option.attribute(&local_name!("value"))?, page, base)?;
        Some((url, short(&text_below(option, limits::SHORT_TEXT))))
    })
}

fn context<'a>(found: &Collected<'a>, anchor: NodeRef<'a>, position: u32) -> LinkContext {
    let span = found.span(anchor);
    LinkContext {
        anchor: anchor_text(found, anchor),
        before: span.map_or("", |span| last_terms(found.texts.before(span), TERMS_AROUND)).to_string(),
        after: span.map_or("", |span| first_terms(found.texts.after(span), TERMS_AROUND)).to_string(),
        tag_path: tag_path(anchor),
        rel: anchor.attribute(&local_name!("rel")).map_or(String::new(), |rel| short(rel).to_lowercase()),
        position,
        topic: None,
    }
}

/// Text of a link, or else the `alt` of an image in it, or else a label attribute.
fn anchor_text<'a>(found: &Collected<'a>, anchor: NodeRef<'a>) -> String {
    let text = found.text_of(anchor);
    if !text.is_empty() {
        return truncate(text, limits::SHORT_TEXT).to_string();
    }
    let own = || {
        let names = [local_name!("aria-label"), local_name!("title"), local_name!("alt")];
        names.iter().find_map(|name| anchor.attribute(name).map(short).filter(|text| !text.is_empty()))
    };
    image_name(anchor).or_else(own).unwrap_or_default()
}

fn image_name(anchor: NodeRef<'_>) -> Option<String> {
    TreeWalk::below(anchor).take(IMAGE_SEARCH).find_map(|step| match step {
        WalkEvent::Enter(node) if node.is(&local_name!("img")) => {
            node.attribute(&local_name!("alt")).map(short).filter(|text| !text.is_empty())
        }
        _ => None,
    })
}

/// Tag path such as `body div.nav#top ul li a`: element names with first class and id. Outer elements of long
/// paths are left out.
fn tag_path(node: NodeRef<'_>) -> String {
    let is_inner = |node: &NodeRef<'_>| node.element().is_some() && !node.is(&local_name!("html"));
    let path: Vec<NodeRef<'_>> =
        std::iter::once(node).chain(node.ancestors()).take_while(is_inner).take(PATH_ELEMENTS).collect();
    let mut text = String::with_capacity(path.len() * 12);
    for node in path.into_iter().rev() {
        let Some(element) = node.element() else { continue };
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(short_name(&element.name.local));
        for (mark, attribute) in [('.', local_name!("class")), ('#', local_name!("id"))] {
            let name = node.attribute(&attribute).and_then(|value| value.split_ascii_whitespace().next());
            if let Some(name) = name {
                text.push(mark);
                text.push_str(short_name(name));
            }
        }
    }
    text
}

fn short_name(name: &str) -> &str {
    truncate(name, PATH_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(body: &str) -> Vec<String> {
        let url = Url::parse("http://www.a.org/").unwrap();
        let links = crate::html::parse(body.as_bytes(), None, &url).links;
        links.iter().map(|link| format!("{} {}", link.url.path(), link.context.anchor)).collect()
    }

    #[test]
    fn frames_of_the_same_site_are_links() {
        let frames = "<frameset><frame src=menu.html><frame src='http://b.org/x.html'></frameset>";
        assert_eq!(targets(frames), ["/menu.html "]);
        let inline = "<a href=/1>one</a><iframe src=http://a.org/find title=Search></iframe>
            <iframe src=http://ads.b.org/></iframe><a href=/2>two</a>";
        assert_eq!(targets(inline), ["/1 one", "/find Search", "/2 two"]);
    }

    #[test]
    fn only_the_first_link_to_a_used_page_that_may_be_followed_gets_a_context() {
        let url = Url::parse("http://www.a.org/").unwrap();
        let body =
            "<a href=/1 rel=nofollow>zero</a> <a href=/1#top>one</a> <a href=/1>again</a> <a href=/2>two</a>";
        let is_used = |url: &Url| url.path() != "/2";
        let page = crate::html::parse_used_links(body.as_bytes(), None, &url, &is_used);
        let read =
            page.links.iter().map(|link| (link.url.path(), link.is_unused, link.context.anchor.as_str()));
        let expected = [("/1", false, "zero"), ("/1", false, "one"), ("/1", true, ""), ("/2", true, "")];
        assert_eq!(read.collect::<Vec<_>>(), expected);
        assert!(crate::html::parse(body.as_bytes(), None, &url).links.iter().all(|link| !link.is_unused));
    }

    #[test]
    fn fragments_are_left_out_and_white_space_before_them_is_not() {
        let body =
            "<a href='/a#x'>1</a><a href=/a>2</a><a href='/a #x'>3</a><a href='/a '>4</a><a href='#x'>5</a>";
        assert_eq!(targets(body), ["/a 1", "/a 2", "/a%20 3", "/a 4"]);
    }

    #[test]
    fn pages_that_scripts_open_are_links_after_all_others() {
        let body = "<button onclick=\"location.href='/find'\">Search</button>
            <a href=\"javascript:openWin('/pop.html')\">Advanced</a><a href=/1 onclick=\"open('/count')\">one</a>
            <select onchange='location=this.value'><option value=''>Choose<option value=/cars>Cars</select>
            <select onchange='this.form.submit()'><option value=/sent>Sent</select>
            <div onclick=\"track('/seen')\">more</div><a href='#' onclick=\"window.open('help.html')\">Help</a>";
        let last = targets(body);
        assert_eq!(last, ["/1 one", "/pop.html Advanced", "/find Search", "/cars Cars", "/help.html Help"]);
    }
}
