//! How many relevant forms there are: enough that no crawl runs out of them.

use super::{DENSITY, Measurement};
use crate::lexicon::{TOPIC_COUNT, TOPICS};
use crate::world::World;
use hadal_core::critic::FormKind;

/// Pages of the crawl that must not run out.
const PAGES: f64 = 100_000.0;

/// Counts the relevant forms of each topic, in multiples of what a crawl of real density finds.
pub(super) fn measure(world: &World) -> Vec<Measurement> {
    let mut forms = [0.0; TOPIC_COUNT];
    for site in world.deep_sites() {
        for form in site.forms.iter().filter(|form| form.kind == FormKind::Search) {
            if let Some(count) = form.subject.and_then(|subject| forms.get_mut(usize::from(subject))) {
                *count += 1.0;
            }
        }
    }
    let figure = |topic: usize| {
        let name = format!("relevant forms over those in 100,000 pages, {}", TOPICS[topic]);
        let found = DENSITY[topic] / 100.0 * PAGES;
        Measurement::new(&name, "at least 15", forms[topic] / found, 15.0, 1000.0)
    };
    (0..TOPIC_COUNT).map(figure).collect()
}
