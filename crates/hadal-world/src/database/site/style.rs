//! Names that a site's programmers chose: paths, parameters, classes.

use crate::database::layout::Layout;
use crate::page::markup::MarkupStyle;
use crate::random::SeededRng;

/// The names of one site.
#[derive(Clone, Debug)]
pub(super) struct SiteStyle {
    pub(super) action: &'static str,
    pub(super) words: &'static str,
    pub(super) page: &'static str,
    /// The number of the first page.
    pub(super) first_page: u32,
    pub(super) offset: &'static str,
    /// The number of the first record.
    pub(super) first_offset: u32,
    pub(super) token: &'static str,
    pub(super) session: &'static str,
    pub(super) record: &'static str,
    pub(super) record_id: &'static str,
    pub(super) position: &'static str,
    pub(super) highlight: &'static str,
    /// Names of the two ends of a range, a star standing for the attribute.
    pub(super) ends: [&'static str; 2],
    /// Whether lists send numbers instead of what they show.
    pub(super) codes: bool,
    /// Whether links to other pages leave out the path that they share.
    pub(super) short_links: bool,
    /// Whether answers repeat the question, and tell how long they took.
    pub(super) echoes: bool,
    pub(super) tells_time: bool,
    pub(super) class: &'static str,
    pub(super) results: &'static str,
    pub(super) frame: u32,
    pub(super) phrase: u32,
    pub(super) manners: MarkupStyle,
}

/// The parameter of first letters.
pub(super) const LETTER: &str = "letter";

/// The parameter of cursors.
pub(super) const CURSOR: &str = "cursor";

const ACTIONS: [&str; 8] = [
    "/search",
    "/find.php",
    "/cgi-bin/query",
    "/catalog/results",
    "/browse.aspx",
    "/db/list",
    "/s",
    "/recherche.jsp",
];
const WORDS: [&str; 8] = ["q", "query", "kw", "search", "term", "keywords", "text", "words"];
const RECORDS: [&str; 7] = ["record", "item", "view", "detail", "entry", "show", "notice"];
const CLASSES: [&str; 8] = ["hit", "result", "item", "row", "entry", "r", "doc", "res-item"];
const RESULTS: [&str; 6] = ["results", "list", "hits", "content-list", "output", "sr"];

impl SiteStyle {
    pub(super) fn of(layout: &Layout) -> SiteStyle {
        let mut rng = SeededRng::new(layout.seed, 0x5c1);
        SiteStyle {
            action: rng.pick(&ACTIONS),
            words: rng.pick(&WORDS),
            page: rng.pick(&["page", "p", "pg", "pageNo", "seite"]),
            first_page: rng.below(2),
            offset: rng.pick(&["start", "offset", "from", "first"]),
            first_offset: rng.below(2),
            token: rng.pick(&["token", "csrf", "_nonce", "__state"]),
            session: rng.pick(&["sid", "PHPSESSID", "session", "s_id"]),
            record: rng.pick(&RECORDS),
            record_id: rng.pick(&["id", "nr", "rec", "ref", "docid"]),
            position: rng.pick(&["pos", "rank", "n", "i"]),
            highlight: rng.pick(&["hl", "highlight", "terms"]),
            ends: rng.pick(&[["*_min", "*_max"], ["*_from", "*_to"], ["min_*", "max_*"], ["*Low", "*High"]]),
            codes: rng.chance(0.25),
            short_links: rng.chance(0.3),
            echoes: rng.chance(0.4),
            tells_time: rng.chance(0.2),
            class: rng.pick(&CLASSES),
            results: rng.pick(&RESULTS),
            frame: rng.below(4),
            phrase: rng.below(64),
            manners: MarkupStyle::draw(&mut rng),
        }
    }
}
