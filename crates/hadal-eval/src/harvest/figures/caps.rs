//! Effect of the result cap on coverage over queries (figure 15 of the paper).

use super::comparison::HarvestComparison;
use super::curves::{Line, QUERIES, section as charts};
use hadal::output::sections::Section;

/// Settings that differ in their cap only, largest cap first.
const CAPS: [&str; 4] = ["cap-none", "base", "cap-200", "cap-400"];
const POLICIES: [&str; 2] = ["generic-frequency", "adaptive"];

/// A chart per collection, if at least two caps were run.
pub fn section(all: HarvestComparison<'_>) -> Option<Section> {
    let tried = CAPS.iter().filter(|name| all.settings().contains(name)).count();
    let note = "The same records behind different caps: base is N/20, cap-200 is N/200, cap-400 is N/400.";
    let is_worth = tried > 1;
    is_worth
        .then(|| charts(all, "Coverage by result limit", note, |name| lines(all, name), "queries", QUERIES))?
}

fn lines<'t>(all: HarvestComparison<'t>, collection: &str) -> Vec<Line<'t>> {
    let cases = CAPS.iter().flat_map(|cap| POLICIES.iter().map(move |policy| (cap, policy)));
    let line = |(cap, policy): (&&str, &&str)| {
        (format!("{policy}, {cap}"), all.within(collection, cap, policy).collect())
    };
    cases.map(line).filter(|(_, trials): &Line<'t>| !trials.is_empty()).collect()
}
