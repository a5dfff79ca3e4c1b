//! Feeds a document to the html5ever tokenizer, within [`limits`].
//!
//! [`scan`] runs ahead of the tokenizer and finds the end of each tag, comment and raw text. The input is fed in
//! pieces that end where the tokenizer's state is known, so that both read the same markup. Plain tags and plain
//! text bypass the tokenizer: their tokens are built here. All tokens pass the [`TokenLimiter`], which stops the
//! parse when a limit is exceeded.

use super::dom::DomNode;
use super::limits;
use super::scan::{self, AttributeExtent, Markup, TagExtent};
use super::sink::DomSink;
use super::tags::{self, RecentNames};
use super::token_limiter::{BuiltTree, TokenLimiter};
use crate::endpoint::may_name_endpoint;
use crate::page::ParseLimit;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use std::borrow::Cow;
use typed_arena::Arena;

/// Largest piece in bytes that is fed at once. Small enough to notice an exceeded limit soon. Guess.
const PIECE_BYTES: usize = 64 << 10;
/// Line number passed with every token. Line numbers are not used.
const LINE: u64 = 1;

/// Builds the DOM tree of a decoded document.
pub(super) fn build<'a>(text: &str, arena: &'a Arena<DomNode<'a>>) -> BuiltTree<'a> {
    let options = TreeBuilderOpts { scripting_enabled: false, ..Default::default() };
    let limiter = TokenLimiter::new(TreeBuilder::new(DomSink::new(arena), options));
    let options = TokenizerOpts { discard_bom: false, ..Default::default() };
    let text = with_normalised_line_ends(text);
    let feeder = ParserFeeder {
        input: text.as_bytes(),
        text: StrTendril::from(&*text),
        queue: BufferQueue::default(),
        tokenizer: Tokenizer::new(limiter, options),
        fed: 0,
        is_mid_token: false,
        attributes: 0,
        found: Vec::new(),
        names: RecentNames::default(),
    };
    feeder.run()
}

/// State of one parse.
struct ParserFeeder<'t, 'a> {
    input: &'t [u8],
    text: StrTendril,
    queue: BufferQueue,
    tokenizer: Tokenizer<TokenLimiter<'a>>,
    /// All input before this position was fed or skipped.
    fed: usize,
    /// True if the tokenizer may be inside a token. Nothing may bypass it then.
    is_mid_token: bool,
    /// Attributes of all tags so far.
    attributes: usize,
    /// Attributes of the last tag.
    found: Vec<AttributeExtent>,
    names: RecentNames,
}

impl<'a> ParserFeeder<'_, 'a> {
    fn run(mut self) -> BuiltTree<'a> {
        let mut at = 0;
        while let Some(bracket) = scan::find(self.input, at, b"<") {
            if self.limiter().exceeded.get().is_some() {
                break;
            }
            at = self.pass(bracket);
        }
        self.feed_until(self.input.len());
        self.tokenizer.end();
        self.tokenizer.sink.finish()
    }

    fn limiter(&self) -> &TokenLimiter<'a> {
        &self.tokenizer.sink
    }

    /// Handles the markup that begins at a `<` and returns the position where the scan continues.
    fn pass(&mut self, bracket: usize) -> usize {
        match scan::markup(self.input, bracket, &mut self.found) {
            Markup::Text => bracket + 1,
            Markup::Doctype(end) => end,
            Markup::Comment(end) => self.pass_comment(bracket, end),
            Markup::Unclosed => self.skip(bracket, self.input.len()),
            Markup::Cdata => self.pass_cdata(bracket),
            Markup::Tag(tag) => self.pass_tag(bracket, &tag),
        }
    }

    fn pass_cdata(&mut self, bracket: usize) -> usize {
        self.feed_text(bracket);
        let foreign = self.limiter().adjusted_current_node_present_but_not_in_html_namespace();
        let mark: &[u8] = if foreign { b"]]>" } else { b">" };
        let end = scan::find(self.input, bracket, mark).map_or(self.input.len(), |at| at + mark.len());
        if foreign { end } else { self.pass_comment(bracket, end) }
    }

    /// Skips a comment. A tokenizer inside a token must see the comment to finish that token.
    fn pass_comment(&mut self, bracket: usize, end: usize) -> usize {
        self.feed_text(bracket);
        if !std::mem::take(&mut self.is_mid_token) {
            return self.skip(bracket, end);
        }
        self.feed_until(end);
        end
    }

    fn pass_tag(&mut self, bracket: usize, tag: &TagExtent) -> usize {
        self.attributes += tag.attributes.min(limits::TAG_ATTRIBUTES);
        self.feed_text(bracket);
        if self.attributes > limits::PAGE_ATTRIBUTES {
            self.limiter().stop(ParseLimit::Attributes);
            return tag.end;
        }
        if tag.attributes > limits::TAG_ATTRIBUTES {
            self.limiter().note(ParseLimit::Attributes);
            self.feed_until(tag.kept);
            self.fed = tag.end - 1;
            self.is_mid_token = true;
        }
        let name = &self.input[tag.name.0..tag.name.1];
        if tag.is_end || !holds_raw_text(name) {
            self.feed_tag(tag);
            return tag.end;
        }
        self.feed_until(tag.end);
        self.is_mid_token = false;
        if !self.limiter().raw.get() {
            return tag.end;
        }
        if is_unread_raw_text(name, &self.input[tag.name.1..tag.end]) {
            self.skip_raw_text(tag.end, name);
        }
        self.pass_raw_text(self.fed, name)
    }

    /// Skips the text of a script or style. A script with `<!--` in it is fed, because it may contain its own
    /// end tag as text, and so is one that may name a search endpoint.
    fn skip_raw_text(&mut self, from: usize, name: &[u8]) {
        let end = scan::raw_text_end(self.input, from, name).map(|end| end - name.len() - 2);
        let inside = from..end.unwrap_or(self.input.len());
        let text = &self.input[inside.clone()];
        let is_read = text.len() <= limits::INLINE_SCRIPT && may_name_endpoint(text);
        if !is_read && scan::find(text, 0, b"<!--").is_none() {
            self.skip(inside.start, inside.end);
        }
    }

    /// Feeds raw text up to its end tag. After `<!-- <script>` a script may contain `</script>` as text, so after
    /// each candidate the tokenizer's state decides.
    fn pass_raw_text(&mut self, from: usize, name: &[u8]) -> usize {
        let mut at = from;
        while let Some(name_end) = scan::raw_text_end(self.input, at, name) {
            self.feed_until(name_end);
            at = self.pass_end_of_raw_text(name_end);
            if !self.limiter().raw.get() || self.limiter().exceeded.get().is_some() {
                return at;
            }
        }
        self.input.len()
    }

    /// Feeds up to each next `>` until the tokenizer has emitted a token: the end tag, or text.
    fn pass_end_of_raw_text(&mut self, name_end: usize) -> usize {
        let seen = self.limiter().tokens.get();
        let mut at = name_end;
        while let Some(bracket) = scan::find(self.input, at, b">") {
            at = bracket + 1;
            if at - name_end > 4 * limits::TAG_ATTRIBUTES {
                self.limiter().stop(ParseLimit::Attributes);
                return at;
            }
            self.feed_until(at);
            if self.limiter().tokens.get() != seen {
                return if self.limiter().raw.get() { name_end } else { at };
            }
        }
        self.skip(name_end, self.input.len())
    }

    /// Skips the input between two positions. Text before `from` is fed.
    fn skip(&mut self, from: usize, to: usize) -> usize {
        self.feed_text(from);
        self.fed = to;
        to
    }

    /// Feeds text. Text without character references, `<` and NUL bypasses the tokenizer.
    fn feed_text(&mut self, end: usize) {
        let text = self.input.get(self.fed..end).unwrap_or_default();
        if self.is_mid_token || memchr::memchr3(b'<', b'&', 0, text).is_some() {
            self.is_mid_token |= !is_complete(text);
            self.feed_until(end);
        } else if !text.is_empty() {
            let token = Token::CharacterTokens(self.piece(end));
            let _ = self.limiter().process_token(token, LINE);
            self.fed = end;
        }
    }

    /// Feeds a tag. A plain tag bypasses the tokenizer. After a tag the tokenizer is between tokens.
    fn feed_tag(&mut self, tag: &TagExtent) {
        let plain =
            if self.is_mid_token { None } else { tags::plain(&self.text, tag, &self.found, &mut self.names) };
        match plain {
            Some(token) => {
                let _ = self.limiter().process_token(token, LINE);
                self.fed = tag.end;
            }
            None => self.feed_until(tag.end),
        }
        self.is_mid_token = false;
    }

    fn piece(&self, end: usize) -> StrTendril {
        self.text.subtendril(self.fed as u32, (end - self.fed) as u32)
    }

    fn feed_until(&mut self, end: usize) {
        while self.fed < end && self.limiter().exceeded.get().is_none() {
            let mut stop = end.min(self.fed + PIECE_BYTES);
            while !self.text.is_char_boundary(stop) {
                stop -= 1;
            }
            self.queue.push_back(self.piece(stop));
            while !self.queue.is_empty() {
                let _ = self.tokenizer.feed(&self.queue);
            }
            self.fed = stop;
        }
        self.fed = self.fed.max(end);
    }
}

/// True if the tokenizer emits all of a text at once. After `&` it waits for a character after the `;`, after
/// `<` for a tag.
fn is_complete(text: &[u8]) -> bool {
    let has_end = |at: usize| memchr::memchr(b';', &text[at..text.len() - 1]).is_some();
    memchr::memchr(b'<', text).is_none() && memchr::memrchr(b'&', text).is_none_or(has_end)
}

/// Replaces CR LF and CR by LF, as the HTML standard prescribes.
fn with_normalised_line_ends(text: &str) -> Cow<'_, str> {
    match memchr::memchr(b'\r', text.as_bytes()) {
        Some(_) => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
        None => Cow::Borrowed(text),
    }
}

/// True for elements with raw text content. In foreign content, such as SVG, the parser may decide otherwise.
fn holds_raw_text(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 9] = [
        b"script",
        b"style",
        b"title",
        b"textarea",
        b"xmp",
        b"iframe",
        b"noembed",
        b"noframes",
        b"plaintext",
    ];
    NAMES.iter().any(|raw| raw.eq_ignore_ascii_case(name))
}

/// True for styles and for scripts other than JSON-LD.
fn is_unread_raw_text(name: &[u8], attributes: &[u8]) -> bool {
    let is_script = name.eq_ignore_ascii_case(b"script");
    (is_script && !attributes.to_ascii_lowercase().windows(7).any(|word| word == b"ld+json"))
        || name.eq_ignore_ascii_case(b"style")
}

#[cfg(test)]
mod tests {
    use super::super::dom::{Element, NodeData, TreeWalk, WalkEvent};
    use super::super::sink::DomTree;
    use super::super::token_limiter::ParseEffort;
    use super::*;
    use proptest::prelude::*;

    fn effort(text: &str) -> ParseEffort {
        build(text, &Arena::new()).effort
    }

    #[test]
    fn work_grows_with_the_input_and_not_faster() {
        for piece in [
            "<p>some <b>words</b> and <a href=x>a link</a>",
            "<table><tr><td><form><input></table>",
            "<b><p></b><i></p>",
            "<div><span></div>",
            "<a><b><i><p>",
            "<table><a><p>",
            "<option><select>",
            "&amp;<",
        ] {
            let (one, ten) = (effort(&piece.repeat(200)), effort(&piece.repeat(2000)));
            assert!(ten.nodes <= 12 * one.nodes.max(50 * piece.len()), "{piece}: {one:?} {ten:?}");
            assert!(ten.steps <= 12 * one.steps.max(50_000), "{piece}: {one:?} {ten:?}");
        }
    }

    #[test]
    fn no_input_costs_more_than_the_limits_allow() {
        let formatting: String = (0..5_000).map(|i| format!("<b id={i}><p>")).collect();
        for text in ["<div>".repeat(100_000), "<a><b><i><p>".repeat(50_000), formatting] {
            let effort = effort(&text);
            assert!(effort.nodes <= limits::NODES + 2 * limits::DEPTH, "{effort:?}");
            assert!(effort.steps <= limits::STEPS + 1_000_000, "{effort:?}");
        }
    }

    #[test]
    fn scanner_and_parser_agree_where_raw_text_ends() {
        for (text, forms) in [
            ("<script><!-- <script> </script> <form> --></script><form>", 1),
            ("<script>'</scripts><form>'</script ><form>", 1),
            ("<script></script a='><form>'><form>", 1),
            ("<svg><style><form></style></svg><form>", 1),
            ("<title><form></title><form>", 1),
            ("<select><title><form></title></select><form>", 1),
            ("<svg><![CDATA[<form>]]></svg><form>", 1),
            ("<div><![CDATA[<form>]]><form>", 1),
            ("<plaintext><form></plaintext><form>", 0),
            ("<!--><form>--><!-- > <form> -->", 1),
            ("<style><!-- </style><form>", 1),
            ("<script></script x='<form>", 0),
        ] {
            let arena = Arena::new();
            let tree = build(text, &arena).tree;
            let is_form = |step: &WalkEvent<'_>| matches!(step, WalkEvent::Enter(node) if node.is(&html5ever::local_name!("form")));
            assert_eq!(TreeWalk::below(tree.document).filter(is_form).count(), forms, "{text}");
        }
    }

    /// Builds the tree by feeding everything to the tokenizer at once.
    fn build_straight<'a>(text: &str, arena: &'a Arena<DomNode<'a>>) -> DomTree<'a> {
        let options = TreeBuilderOpts { scripting_enabled: false, ..Default::default() };
        let limiter = TokenLimiter::new(TreeBuilder::new(DomSink::new(arena), options));
        let tokenizer = Tokenizer::new(limiter, TokenizerOpts { discard_bom: false, ..Default::default() });
        let queue = BufferQueue::default();
        queue.push_back(StrTendril::from(text));
        while !queue.is_empty() {
            let _ = tokenizer.feed(&queue);
        }
        tokenizer.end();
        tokenizer.sink.finish().tree
    }

    fn outline(tree: &DomTree<'_>) -> String {
        let attributes = |element: &Element<'_>| -> String {
            element.attributes.iter().map(|a| format!("{}={:?} ", &*a.name.local, &*a.value)).collect()
        };
        let write = |step: WalkEvent<'_>| match step {
            WalkEvent::Enter(node) => match &node.data {
                NodeData::Root => "(".to_string(),
                NodeData::Text(text) => format!("{:?}", &**text.borrow()),
                NodeData::Element(element) => format!("({} {}", &*element.name.local, attributes(element)),
            },
            WalkEvent::Leave(_) => ")".to_string(),
        };
        TreeWalk::below(tree.document).map(write).collect()
    }

    const PIECES: [&str; 44] = [
        "words ",
        "more",
        "\n",
        "\r\n",
        "\r",
        "\0",
        "&amp;",
        "&amp",
        "&",
        "&#65",
        ";",
        "<",
        "</",
        ">",
        "<3",
        "<!doctype html>",
        "<!-- c > -->",
        "<?x?>",
        "<p>",
        "</p>",
        "</P x=y>",
        "<b class=a>",
        "</b>",
        "<i ID=b/>",
        "<br/>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<form action='?a&amp;b'>",
        "</form>",
        "<input value='a\r\nb' name=q Name=r>",
        "<select>",
        "<option selected>",
        "</select>",
        "<pre>",
        "<textarea>",
        "</textarea>",
        "<title>",
        "</title>",
        "<svg viewBox=0>",
        "<![CDATA[x<y]]>",
        "</svg>",
        "<noscript>",
    ];

    proptest! {
        #[test]
        fn bypassing_the_tokenizer_changes_nothing(choices in prop::collection::vec(0..PIECES.len(), 0..30)) {
            let text: String = choices.into_iter().map(|choice| PIECES[choice]).collect();
            let (ours, straight) = (Arena::new(), Arena::new());
            let (ours, straight) = (build(&text, &ours).tree, build_straight(&text, &straight));
            prop_assert_eq!(outline(&ours), outline(&straight), "{}", text);
        }
    }
}
