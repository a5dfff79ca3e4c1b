//! Which link of a record leads to its own page.
//!
//! It is chosen once for all records of a group, like a column of a table: the link that nearly every
//! record has in the same place, that leads somewhere else in each, and that carries a name.

use super::super::view::{AnswerView, hashed};
use super::group::{RecordGroup, Segment};
use rustc_hash::{FxHashMap, FxHashSet};

/// Links of one record that are looked at.
const MOST_LINKS: usize = 16;
/// Records that a choice is based on.
const MOST_RECORDS: usize = 60;
/// Bytes of a link's text beyond which it names a record no better.
const LONG_NAME: f32 = 40.0;

/// A link of a record.
#[derive(Clone, Copy)]
pub(super) struct RecordLink {
    /// Its node.
    pub(super) at: usize,
    /// Its position among the links of the page.
    pub(super) link: usize,
    /// Its place in the record, alike in all records.
    place: u64,
    /// The same with its ordinal among the links of that place.
    column: u64,
    /// Its ordinal in the record.
    nth: usize,
}

/// The links of a record.
pub(super) fn anchors(view: &AnswerView<'_>, segment: Segment) -> Vec<RecordLink> {
    let nodes = view.outline.nodes();
    let mut anchors: Vec<RecordLink> = Vec::new();
    let range = segment.nodes(view);
    let own_parent = nodes[segment.first].parent;
    for at in range.filter(|at| nodes[*at].link.is_some()).take(MOST_LINKS) {
        let parent = nodes[at].parent as usize;
        let is_inner = nodes[at].parent != own_parent && nodes[parent].parent != own_parent;
        let around = if is_inner { nodes[parent].classes } else { 0 };
        let place = hashed(&(view.paths[at], nodes[at].classes, around));
        let ordinal = anchors.iter().filter(|anchor| anchor.place == place).count();
        let link = nodes[at].link.expect("only links are looked at") as usize;
        anchors.push(RecordLink {
            at,
            link,
            place,
            column: hashed(&(place, ordinal.min(3))),
            nth: anchors.len(),
        });
    }
    anchors
}

/// The column of a group that leads to the records, and how good it is.
pub(super) struct DetailLink {
    column: u64,
    /// The share of records that have it, each with a target of its own.
    pub(super) share: f32,
    /// The share of records in which it asks the form again.
    pub(super) refining: f32,
    /// The share of records whose link is formed like the most common one.
    pub(super) purity: f32,
    /// Whether its text tells records apart.
    pub(super) names: bool,
    /// How many links of its place and form a record has on average: more than one, and it is several.
    pub(super) crowd: f32,
}

impl DetailLink {
    /// A link that was chosen for the only record there is.
    pub(super) fn at(anchor: RecordLink) -> DetailLink {
        DetailLink { column: anchor.column, share: 1.0, refining: 0.0, purity: 1.0, names: true, crowd: 1.0 }
    }

    /// Whether a record has a link of the chosen column.
    pub(super) fn is_in(&self, view: &AnswerView<'_>, segment: Segment) -> bool {
        self.column_of(view, segment).is_some()
    }

    /// A record's link of the chosen column, by its position among the links of the page.
    pub(super) fn column_of(&self, view: &AnswerView<'_>, segment: Segment) -> Option<usize> {
        anchors(view, segment).iter().find(|anchor| anchor.column == self.column).map(|anchor| anchor.link)
    }

    /// The link of one record: of the chosen column, else the first that has a text and asks nothing.
    pub(super) fn of(&self, view: &AnswerView<'_>, segment: Segment) -> Option<RecordLink> {
        let anchors = anchors(view, segment);
        let own = anchors.iter().find(|anchor| anchor.column == self.column);
        let other = || {
            let leads = |anchor: &&RecordLink| {
                !view.refining[anchor.link] && !view.page.links[anchor.link].context.anchor.is_empty()
            };
            anchors.iter().find(leads)
        };
        own.or_else(other).copied()
    }
}

/// What is counted of a column.
#[derive(Default)]
struct LinkColumn {
    records: usize,
    named: usize,
    letters: usize,
    headings: usize,
    refining: usize,
    before: usize,
    targets: FxHashSet<u64>,
    names: FxHashSet<u64>,
    forms: FxHashMap<u64, usize>,
}

/// Chooses the column of a group; `None` when hardly any record has a link.
pub(super) fn main_link(view: &AnswerView<'_>, group: &RecordGroup) -> Option<DetailLink> {
    let sample = group.segments.len().min(MOST_RECORDS);
    let mut columns: FxHashMap<u64, LinkColumn> = FxHashMap::default();
    for &segment in &group.segments[..sample] {
        for anchor in anchors(view, segment) {
            columns.entry(anchor.column).or_default().add(view, anchor);
        }
    }
    let mut best: Vec<(f32, u64)> =
        columns.iter().map(|(column, stats)| (stats.quality(sample), *column)).collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let (_, column) = *best.first()?;
    let crowd = crowd(view, &group.segments[..sample], column);
    Some(DetailLink { crowd, ..columns[&column].summary(column, sample) })
}

/// How many links to different targets a record has in the place of its main link, formed like it.
fn crowd(view: &AnswerView<'_>, segments: &[Segment], column: u64) -> f32 {
    let mut links = 0;
    let mut records = 0;
    for &segment in segments {
        let anchors = anchors(view, segment);
        let Some(main) = anchors.iter().find(|anchor| anchor.column == column) else { continue };
        let form = view.targets[main.link].form;
        let alike =
            anchors.iter().filter(|one| one.place == main.place && view.targets[one.link].form == form);
        records += 1;
        links += alike.map(|one| view.targets[one.link].url).collect::<FxHashSet<u64>>().len();
    }
    links as f32 / records.max(1) as f32
}

impl LinkColumn {
    fn add(&mut self, view: &AnswerView<'_>, anchor: RecordLink) {
        let target = view.targets[anchor.link];
        self.records += 1;
        self.named += usize::from(target.name.is_some());
        self.letters += view.outline.text_of(anchor.at).len().min(4 * LONG_NAME as usize);
        self.headings += usize::from(is_in_heading(view, anchor.at));
        self.refining += usize::from(view.refining[anchor.link]);
        self.before += anchor.nth;
        self.targets.insert(target.url);
        self.names.insert(target.name.unwrap_or_default());
        *self.forms.entry(target.form).or_default() += 1;
    }

    fn quality(&self, sample: usize) -> f32 {
        let count = self.records as f32;
        let share = |part: usize| part as f32 / count;
        let length = (self.letters as f32 / count / LONG_NAME).min(1.0);
        let name = share(self.named) * share(self.names.len()) * (0.3 + 0.7 * length);
        let heading = 1.0 + 0.8 * share(self.headings);
        let early = 1.0 - 0.05 * (self.before as f32 / count).min(10.0);
        let asks = 1.0 - 0.9 * share(self.refining);
        count / sample as f32 * share(self.targets.len()) * (0.1 + name) * heading * early * asks
    }

    fn summary(&self, column: u64, sample: usize) -> DetailLink {
        let share = |part: usize| part as f32 / self.records as f32;
        DetailLink {
            column,
            share: self.targets.len() as f32 / sample as f32,
            refining: share(self.refining),
            purity: share(self.forms.values().copied().max().unwrap_or_default()),
            names: self.names.len() * 2 > self.records || self.records == 1,
            crowd: 1.0,
        }
    }
}

fn is_in_heading(view: &AnswerView<'_>, at: usize) -> bool {
    let nodes = view.outline.nodes();
    view.outline.ancestors(at).take(3).any(|above| nodes[above].is_heading())
}
