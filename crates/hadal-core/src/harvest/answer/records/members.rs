//! Records that are formed differently from the others of their row: one without a picture, one without a text.
//!
//! Where records are told by their parts or class, such a one is passed over. It is taken in when it stands
//! beside them, is an element of the same name, and leads to a page of its own as they do.

use super::super::target::LinkKey;
use super::super::view::AnswerView;
use super::group::Segment;
use super::score::ScoredGroup;
use rustc_hash::{FxHashMap, FxHashSet};

/// The share of records that must have the link by which others are known.
const USUAL: f32 = 0.7;

/// Adds what was passed over, in the order of the page.
pub(super) fn adopt(view: &AnswerView<'_>, scored: &mut ScoredGroup) {
    let Some(main) = scored.main.as_ref().filter(|main| main.share >= USUAL && main.refining < 0.5) else {
        return;
    };
    let nodes = view.outline.nodes();
    let target = |segment: Segment| main.column_of(view, segment).map(|link| view.targets[link]);
    let known: Vec<_> = scored.group.segments.iter().filter_map(|segment| target(*segment)).collect();
    let Some(form) = usual(known.iter().map(|target| target.form)) else { return };
    let tags: FxHashSet<&str> =
        scored.group.segments.iter().map(|segment| &*nodes[segment.first].tag).collect();
    let mut urls: FxHashSet<u64> = known.iter().map(|target| target.url).collect();
    let inside = SegmentRanges::of(view, &scored.group.segments);
    let kids = scored.group.holders.iter().flat_map(|holder| view.outline.children(*holder));
    let passed_over = kids.filter(|kid| tags.contains(&*nodes[*kid].tag) && !inside.has(*kid));
    let alike = passed_over.map(|kid| Segment { first: kid, last: kid }).filter(|segment| {
        let leads = |to: LinkKey| to.form == form && to.name.is_some() && urls.insert(to.url);
        !view.is_fixed(segment.nodes(view)) && target(*segment).is_some_and(leads)
    });
    let alike: Vec<Segment> = alike.collect();
    scored.group.segments.extend(alike);
    scored.group.segments.sort_unstable_by_key(|segment| segment.first);
}

/// What is most frequent.
fn usual(forms: impl Iterator<Item = u64>) -> Option<u64> {
    let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
    forms.for_each(|form| *counts.entry(form).or_default() += 1);
    counts.into_iter().max_by_key(|(form, count)| (*count, *form)).map(|(form, _)| form)
}

/// Which nodes belong to records already.
struct SegmentRanges(Vec<std::ops::Range<usize>>);

impl SegmentRanges {
    fn of(view: &AnswerView<'_>, segments: &[Segment]) -> SegmentRanges {
        let mut ranges: Vec<_> = segments.iter().map(|segment| segment.nodes(view)).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        SegmentRanges(ranges)
    }

    fn has(&self, at: usize) -> bool {
        let before = self.0.partition_point(|range| range.start <= at).checked_sub(1);
        before.is_some_and(|nth| self.0[nth].contains(&at))
    }
}
