//! Membership corrections after scoring: rows of a group that are not records, and records that it missed.

use super::super::links::LinkKey;
use super::super::view::AnswerView;
use super::detail_link::{RecordLink, links_of};
use super::group::Segment;
use super::score::{ScoredGroup, leads_away};
use rustc_hash::{FxHashMap, FxHashSet};

/// Least share of records with a detail link for those without it to be doubted. Guess.
const MIN_DETAIL_LINK_SHARE: f32 = 0.7;
/// Rows with a link to another host are not records if they are at most this share of the group. Guess.
const MAX_FOREIGN_SHARE: f32 = 0.35;
/// Least share of detail links that repeat the query for repetition to be normal in the group. Guess.
const MIN_REPEATING_SHARE: f32 = 0.5;

/// Drops rows without the detail link that nearly all records have, such as headings and advertisements, and rows with
/// a link that repeats the query, such as pagers.
pub(super) fn drop_outsiders(view: &AnswerView<'_>, scored: &mut ScoredGroup) {
    if scored.detail.is_none() {
        let links_away =
            |segment: &Segment| links_of(view, *segment).iter().any(|link| leads_away(view, link.link));
        drop_minority(&mut scored.group.segments, links_away);
    }
    let Some(detail) = scored.detail.as_ref().filter(|detail| detail.share >= MIN_DETAIL_LINK_SHARE) else {
        return;
    };
    let repeats =
        |link: RecordLink| view.repeats_query[link.link] && detail.repeating_share < MIN_REPEATING_SHARE;
    scored.group.segments.retain(|segment| {
        detail.position_in(view, *segment).is_some() && !detail.find(view, *segment).is_some_and(repeats)
    });
    let is_foreign =
        |segment: &Segment| detail.position_in(view, *segment).is_some_and(|link| leads_away(view, link));
    drop_minority(scored.group.segments.as_mut(), is_foreign);
}

/// Drops the segments that `is_foreign` accepts if most segments are not foreign: advertisements lead to other hosts.
fn drop_minority(segments: &mut Vec<Segment>, is_foreign: impl Fn(&Segment) -> bool) {
    let foreign = segments.iter().filter(|segment| is_foreign(segment)).count();
    if foreign > 0 && foreign as f32 <= MAX_FOREIGN_SHARE * segments.len() as f32 {
        segments.retain(|segment| !is_foreign(segment));
    }
}

/// Adds siblings that the group's start does not match because they lack a part, such as a picture. A sibling is added
/// if its element name occurs among the records and its detail link has the same URL shape, a name, and a target of
/// its own.
pub(super) fn add_irregular(view: &AnswerView<'_>, scored: &mut ScoredGroup) {
    let detail = scored.detail.as_ref().filter(|detail| {
        detail.share >= MIN_DETAIL_LINK_SHARE && detail.repeating_share < MIN_REPEATING_SHARE
    });
    let Some(detail) = detail else { return };
    let nodes = view.outline.nodes();
    let key = |segment: Segment| detail.position_in(view, segment).map(|link| view.link_keys[link]);
    let known: Vec<LinkKey> = scored.group.segments.iter().filter_map(|segment| key(*segment)).collect();
    let Some(shape) = most_common(known.iter().map(|key| key.shape)) else { return };
    let tags: FxHashSet<&str> =
        scored.group.segments.iter().map(|segment| &*nodes[segment.first].tag).collect();
    let mut urls: FxHashSet<u64> = known.iter().map(|key| key.url).collect();
    let inside = SegmentRanges::of(view, &scored.group.segments);
    let siblings = scored.group.holders.iter().flat_map(|holder| view.outline.children(*holder));
    let skipped = siblings.filter(|at| tags.contains(&*nodes[*at].tag) && !inside.contain(*at));
    let added = skipped.map(|at| Segment { first: at, last: at }).filter(|segment| {
        let fits = |key: LinkKey| key.shape == shape && key.name.is_some() && urls.insert(key.url);
        !view.is_fixed(segment.nodes(view)) && key(*segment).is_some_and(fits)
    });
    let added: Vec<Segment> = added.collect();
    scored.group.segments.extend(added);
    scored.group.segments.sort_unstable_by_key(|segment| segment.first);
}

fn most_common(shapes: impl Iterator<Item = u64>) -> Option<u64> {
    let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
    shapes.for_each(|shape| *counts.entry(shape).or_default() += 1);
    counts.into_iter().max_by_key(|(shape, count)| (*count, *shape)).map(|(shape, _)| shape)
}

/// Node ranges of segments, sorted.
struct SegmentRanges(Vec<std::ops::Range<usize>>);

impl SegmentRanges {
    fn of(view: &AnswerView<'_>, segments: &[Segment]) -> SegmentRanges {
        let mut ranges: Vec<_> = segments.iter().map(|segment| segment.nodes(view)).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        SegmentRanges(ranges)
    }

    fn contain(&self, at: usize) -> bool {
        let before = self.0.partition_point(|range| range.start <= at).checked_sub(1);
        before.is_some_and(|nth| self.0[nth].contains(&at))
    }
}
