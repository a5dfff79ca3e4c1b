//! Names that a site's programmers chose: paths, parameters, classes.

use crate::database::layout::Layout;
use crate::draw::Draw;
use crate::markup::Manners;

/// The names of one site.
#[derive(Clone, Debug)]
pub(super) struct Skin {
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
    pub(super) manners: Manners,
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

impl Skin {
    pub(super) fn of(layout: &Layout) -> Skin {
        let mut draw = Draw::new(layout.seed, 0x5c1);
        Skin {
            action: draw.pick(&ACTIONS),
            words: draw.pick(&WORDS),
            page: draw.pick(&["page", "p", "pg", "pageNo", "seite"]),
            first_page: draw.below(2),
            offset: draw.pick(&["start", "offset", "from", "first"]),
            first_offset: draw.below(2),
            token: draw.pick(&["token", "csrf", "_nonce", "__state"]),
            session: draw.pick(&["sid", "PHPSESSID", "session", "s_id"]),
            record: draw.pick(&RECORDS),
            record_id: draw.pick(&["id", "nr", "rec", "ref", "docid"]),
            position: draw.pick(&["pos", "rank", "n", "i"]),
            highlight: draw.pick(&["hl", "highlight", "terms"]),
            ends: draw.pick(&[["*_min", "*_max"], ["*_from", "*_to"], ["min_*", "max_*"], ["*Low", "*High"]]),
            codes: draw.chance(0.25),
            short_links: draw.chance(0.3),
            echoes: draw.chance(0.4),
            tells_time: draw.chance(0.2),
            class: draw.pick(&CLASSES),
            results: draw.pick(&RESULTS),
            frame: draw.below(4),
            phrase: draw.below(64),
            manners: Manners::draw(&mut draw),
        }
    }
}
