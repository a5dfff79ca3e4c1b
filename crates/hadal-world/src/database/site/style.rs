//! Names of paths, parameters and classes on a site, drawn from the seed of its layout.

use crate::database::layout::Layout;
use crate::page::markup::MarkupStyle;
use crate::random::SeededRng;

/// Names and small variations of one site.
#[derive(Clone, Debug)]
pub(super) struct SiteStyle {
    pub(super) action: &'static str,
    pub(super) words: &'static str,
    pub(super) page: &'static str,
    /// Number of the first page in URLs.
    pub(super) first_page: u32,
    pub(super) offset: &'static str,
    /// Offset of the first record in URLs.
    pub(super) first_offset: u32,
    pub(super) token: &'static str,
    pub(super) session: &'static str,
    pub(super) record: &'static str,
    pub(super) record_id: &'static str,
    pub(super) position: &'static str,
    pub(super) highlight: &'static str,
    /// Parameter names of minimum and maximum; `*` stands for the column.
    pub(super) ends: [&'static str; 2],
    /// True if selects submit value numbers instead of values.
    pub(super) submits_codes: bool,
    /// True if pager links are relative, without the path.
    pub(super) short_links: bool,
    /// True if result pages repeat the query.
    pub(super) echoes: bool,
    /// True if result pages state the search time.
    pub(super) shows_time: bool,
    pub(super) class: &'static str,
    pub(super) results: &'static str,
    /// Elements around the main part of a page: 0 to 3.
    pub(super) frame: u32,
    /// Random number that selects wordings and statuses.
    pub(super) phrase: u32,
    pub(super) markup: MarkupStyle,
    /// Parameter name of the page size.
    pub(super) page_size: &'static str,
}

/// Parameter name of the A-Z index.
pub(super) const LETTER: &str = "letter";

/// Parameter name of cursors.
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
            submits_codes: rng.chance(0.25),
            short_links: rng.chance(0.3),
            echoes: rng.chance(0.4),
            shows_time: rng.chance(0.2),
            class: rng.pick(&CLASSES),
            results: rng.pick(&RESULTS),
            frame: rng.below(4),
            phrase: rng.below(64),
            markup: MarkupStyle::draw(&mut rng),
            page_size: rng.pick(&["per_page", "limit", "rows", "pageSize", "num", "n"]),
        }
    }
}
