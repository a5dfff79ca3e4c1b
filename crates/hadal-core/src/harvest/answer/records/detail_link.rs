//! The link of a record that leads to its detail page.
//!
//! It is chosen once for all records of a group, like a column of a table. A link column holds the links that have the
//! same place in every record. With all shares in 0..1, the quality of a column is
//!
//! `f * t * (0.1 + n) * (1 + 0.8 h) * (1 - 0.05 min(b, 10)) * (1 - 0.9 q)`
//!
//! - `f`: share of records that have the link
//! - `t`: share of links with a target of their own
//! - `n`: quality as a name, `(share with a name) * (share with a name of their own) * (0.3 + 0.7 min(len / 40, 1))`,
//!   where `len` is the mean length of the link text in bytes
//! - `h`: share of links inside a heading
//! - `b`: mean number of links before it in the record
//! - `q`: share of links that repeat the query
//!
//! A page with few records does not show which link leads to the record. So the quality is multiplied by
//! [`KNOWN_SHAPE_FACTOR`] if most links of the column have the URL shape of the detail links on earlier answers, and by
//! [`KNOWN_COLUMN_FACTOR`] if it is the column of most of them: other links of a record may have the same URL shape, as
//! `/boat?id=1` and `/edit?id=1`. The weights are guesses.

use super::super::view::{AnswerView, hashed};
use super::group::{RecordGroup, Segment};
use rustc_hash::{FxHashMap, FxHashSet};
use url::Url;

/// Maximum number of links of one record that are examined. Guess.
const MAX_LINKS: usize = 16;
/// Maximum number of records of a group that the choice is based on. Guess.
const MAX_SAMPLED: usize = 60;
/// Factor on the quality of a column with the known URL shape. Guess.
const KNOWN_SHAPE_FACTOR: f32 = 6.0;
/// Factor on the quality of the column that most earlier answers had. Guess.
const KNOWN_COLUMN_FACTOR: f32 = 3.0;
/// Link text from this length on is as good a name as any, in bytes. Guess.
const FULL_NAME_BYTES: f32 = 40.0;
/// Maximum number of elements above a link among which a heading is searched. Guess.
const MAX_HEADING_LEVELS: usize = 3;

/// A link of a record.
#[derive(Clone, Copy)]
pub(super) struct RecordLink {
    /// Number of the node in the page view.
    pub(super) at: usize,
    /// Position among the links of the page.
    pub(super) link: usize,
    /// Hash of its path and classes, equal in all records.
    place: u64,
    /// Hash of `place` and its position among the links of that place.
    column: u64,
    /// Position among the links of the record.
    position: usize,
}

/// Address of a link with its fragment. Links within the page have none.
pub(super) fn address(view: &AnswerView<'_>, link: &RecordLink) -> Url {
    let mut url = view.page.links[link.link].url.clone();
    let fragment = Some(view.outline.fragment_of(link.at)).filter(|fragment| !fragment.is_empty());
    if fragment.is_some() && url != without_fragment(&view.page.url) {
        url.set_fragment(fragment);
    }
    url
}

/// Hash of a link's address. The fragment counts: several records may be on one page.
fn target(view: &AnswerView<'_>, link: &RecordLink) -> u64 {
    match view.outline.fragment_of(link.at) {
        "" => view.link_keys[link.link].url,
        _ => hashed(&address(view, link).as_str()),
    }
}

fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

/// Links of a record, up to a limit.
pub(super) fn links_of(view: &AnswerView<'_>, segment: Segment) -> Vec<RecordLink> {
    let nodes = view.outline.nodes();
    let mut links: Vec<RecordLink> = Vec::new();
    let holder = nodes[segment.first].parent;
    let linked = segment.nodes(view).filter_map(|at| Some((at, nodes[at].link?)));
    for (at, link) in linked.take(MAX_LINKS) {
        let parent = nodes[at].parent as usize;
        let is_inner = nodes[at].parent != holder && nodes[parent].parent != holder;
        let parent_classes = if is_inner { nodes[parent].classes } else { 0 };
        let place = hashed(&(view.paths[at], nodes[at].classes, parent_classes));
        let ordinal = links.iter().filter(|link| link.place == place).count();
        let column = hashed(&(place, ordinal.min(3)));
        links.push(RecordLink { at, link: link as usize, place, column, position: links.len() });
    }
    links
}

/// Properties of most detail links on earlier answers, as far as they are known.
#[derive(Clone, Copy, Default)]
pub(super) struct KnownLink {
    pub(super) shape: Option<u64>,
    pub(super) column: Option<u64>,
}

impl KnownLink {
    /// The link among those of a record that is most like the detail links on earlier answers.
    pub(super) fn find<'l>(&self, view: &AnswerView<'_>, links: &'l [RecordLink]) -> Option<&'l RecordLink> {
        let has_shape = |link: &&RecordLink| Some(view.link_keys[link.link].shape) == self.shape;
        let has_column = |link: &&RecordLink| Some(link.column) == self.column;
        links.iter().filter(has_shape).find(has_column).or_else(|| links.iter().find(has_shape))
    }
}

/// The link column of a group that leads to detail pages.
pub(super) struct DetailLink {
    /// Hash of the column, see [`RecordLink`].
    pub(super) column: u64,
    known: KnownLink,
    /// Number of different targets in the column, divided by the number of records.
    pub(super) share: f32,
    /// Most of its links have the URL shape of the detail links on earlier answers.
    pub(super) is_known: bool,
    /// Share of its links that repeat the query.
    pub(super) repeating_share: f32,
    /// Share of its links that have the most common URL shape.
    pub(super) purity: f32,
    /// More than half of the link texts differ, so they can serve as titles.
    pub(super) is_title: bool,
    /// Mean number of targets that a record links from the same place with the same URL shape. Above 1, a record
    /// probably is several.
    pub(super) targets_per_record: f32,
}

impl DetailLink {
    /// The chosen link of a single record.
    pub(super) fn single(link: RecordLink) -> DetailLink {
        DetailLink {
            column: link.column,
            known: KnownLink::default(),
            share: 1.0,
            is_known: false,
            repeating_share: 0.0,
            purity: 1.0,
            is_title: true,
            targets_per_record: 1.0,
        }
    }

    /// Position, among the links of the page, of a record's link in this column.
    pub(super) fn position_in(&self, view: &AnswerView<'_>, segment: Segment) -> Option<usize> {
        links_of(view, segment).iter().find(|link| link.column == self.column).map(|link| link.link)
    }

    /// A record's link in this column, or else one with the known URL shape, or else the first that has a text and does
    /// not repeat the query.
    pub(super) fn find(&self, view: &AnswerView<'_>, segment: Segment) -> Option<RecordLink> {
        let links = links_of(view, segment);
        let in_column = links.iter().find(|link| link.column == self.column);
        let own = in_column.or_else(|| self.known.find(view, &links));
        let other = || {
            let is_other = |link: &&RecordLink| {
                !view.repeats_query[link.link] && !view.page.links[link.link].context.anchor.is_empty()
            };
            links.iter().find(is_other)
        };
        own.or_else(other).copied()
    }
}

/// Counts over the links of one column.
#[derive(Default)]
struct LinkColumn {
    records: usize,
    named: usize,
    text_bytes: usize,
    in_heading: usize,
    repeating: usize,
    /// Sum of the positions in the record.
    positions: usize,
    targets: FxHashSet<u64>,
    names: FxHashSet<u64>,
    /// Number of links by URL shape.
    shapes: FxHashMap<u64, usize>,
}

/// Chooses the column with the highest quality; `None` if no record has a link.
pub(super) fn detail_link(
    view: &AnswerView<'_>,
    group: &RecordGroup,
    known: KnownLink,
) -> Option<DetailLink> {
    let sample = group.segments.len().min(MAX_SAMPLED);
    let mut columns: FxHashMap<u64, LinkColumn> = FxHashMap::default();
    for &segment in &group.segments[..sample] {
        for link in links_of(view, segment) {
            columns.entry(link.column).or_default().add(view, link);
        }
    }
    let quality = |column: u64, counts: &LinkColumn| {
        let factor = if known.column == Some(column) { KNOWN_COLUMN_FACTOR } else { 1.0 };
        factor * counts.quality(sample, known.shape)
    };
    let mut best: Vec<(f32, u64)> =
        columns.iter().map(|(column, counts)| (quality(*column, counts), *column)).collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let (_, column) = *best.first()?;
    let targets_per_record = targets_per_record(view, &group.segments[..sample], column);
    let is_known = columns[&column].has_shape(known.shape);
    let summary = columns[&column].summary(column, sample);
    Some(DetailLink { targets_per_record, known, is_known, ..summary })
}

/// See [`DetailLink::targets_per_record`]. Links whose text most records share, such as "edit", do not count.
fn targets_per_record(view: &AnswerView<'_>, segments: &[Segment], column: u64) -> f32 {
    let shared = shared_names(view, segments);
    let mut targets = 0;
    let mut records = 0;
    for &segment in segments {
        let links = links_of(view, segment);
        let Some(main) = links.iter().find(|link| link.column == column) else { continue };
        let shape = view.link_keys[main.link].shape;
        let is_similar = |one: &&RecordLink| {
            let key = view.link_keys[one.link];
            let has_own_name = key.name.is_none_or(|name| !shared.contains(&name));
            one.link == main.link || one.place == main.place && key.shape == shape && has_own_name
        };
        let similar = links.iter().filter(is_similar);
        records += 1;
        targets += similar.map(|one| target(view, one)).collect::<FxHashSet<u64>>().len();
    }
    targets as f32 / records.max(1) as f32
}

/// Names of links that more than half of the records have, if there are several records.
fn shared_names(view: &AnswerView<'_>, segments: &[Segment]) -> FxHashSet<u64> {
    let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
    for &segment in segments {
        let names = links_of(view, segment).into_iter().filter_map(|link| view.link_keys[link.link].name);
        names.collect::<FxHashSet<u64>>().into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
    }
    counts.retain(|_, count| *count > 1 && *count * 2 > segments.len());
    counts.into_keys().collect()
}

impl LinkColumn {
    fn add(&mut self, view: &AnswerView<'_>, link: RecordLink) {
        let key = view.link_keys[link.link];
        self.records += 1;
        self.named += usize::from(key.name.is_some());
        self.text_bytes += view.outline.text_of(link.at).len().min(4 * FULL_NAME_BYTES as usize);
        self.in_heading += usize::from(is_in_heading(view, link.at));
        self.repeating += usize::from(view.repeats_query[link.link]);
        self.positions += link.position;
        self.targets.insert(target(view, &link));
        self.names.insert(key.name.unwrap_or_default());
        *self.shapes.entry(key.shape).or_default() += 1;
    }

    /// Returns true if most links have this URL shape.
    fn has_shape(&self, shape: Option<u64>) -> bool {
        let with_shape = shape.and_then(|shape| self.shapes.get(&shape)).copied().unwrap_or_default();
        2 * with_shape > self.records
    }

    /// Quality of the column, see the module's formula.
    fn quality(&self, sample: usize, known_shape: Option<u64>) -> f32 {
        let count = self.records as f32;
        let factor = if self.has_shape(known_shape) { KNOWN_SHAPE_FACTOR } else { 1.0 };
        let share = |part: usize| part as f32 / count;
        let length = (self.text_bytes as f32 / count / FULL_NAME_BYTES).min(1.0);
        let name = share(self.named) * share(self.names.len()) * (0.3 + 0.7 * length);
        let heading = 1.0 + 0.8 * share(self.in_heading);
        let early = 1.0 - 0.05 * (self.positions as f32 / count).min(10.0);
        let leads_away = 1.0 - 0.9 * share(self.repeating);
        let base = count / sample as f32 * share(self.targets.len()) * (0.1 + name);
        factor * base * heading * early * leads_away
    }

    fn summary(&self, column: u64, sample: usize) -> DetailLink {
        let share = |part: usize| part as f32 / self.records as f32;
        DetailLink {
            column,
            known: KnownLink::default(),
            share: self.targets.len() as f32 / sample as f32,
            is_known: false,
            repeating_share: share(self.repeating),
            purity: share(self.shapes.values().copied().max().unwrap_or_default()),
            is_title: self.names.len() * 2 > self.records || self.records == 1,
            targets_per_record: 1.0,
        }
    }
}

fn is_in_heading(view: &AnswerView<'_>, at: usize) -> bool {
    let nodes = view.outline.nodes();
    view.outline.ancestors(at).take(MAX_HEADING_LEVELS).any(|above| nodes[above].is_heading())
}
