//! Forms that two strategies find on the sites that both visit (SmartCrawler figure 8).

use super::comparison::FindComparison;
use crate::find::trial::FindTrial;
use hadal::output::sections::{Section, headings};
use rustc_hash::FxHashMap;

const PAIRS: [(&str, &str); 3] = [("smart", "scdi"), ("smart", "ache-offline-online"), ("hadal", "smart")];

/// Common sites that hold relevant forms, and the forms found there by each strategy.
pub fn section(all: FindComparison<'_>) -> Option<Section> {
    let mut rows = Vec::new();
    for (one, other) in PAIRS {
        for topic in all.topics() {
            let pairs = all.pairs(topic, one, other);
            if pairs.is_empty() {
                continue;
            }
            let CommonSites { sites, one: by_one, other: by_other } = pairs
                .iter()
                .map(|(one, other)| shared(one, other))
                .fold(CommonSites::default(), CommonSites::plus);
            let names = [format!("{one}, {other}"), topic.to_string()];
            rows.push(names.into_iter().chain([sites, by_one, by_other].map(|n| n.to_string())).collect());
        }
    }
    (!rows.is_empty()).then(|| Section {
        title: "Common sites".into(),
        note:
            "Sites with relevant forms that both strategies visited, and the relevant forms that each found \
               there; all worlds together."
                .into(),
        headings: headings(&["strategies", "topic", "common sites", "forms by the first", "by the second"]),
        rows,
        ..Section::default()
    })
}

/// Counts over the sites that two trials have in common.
#[derive(Default)]
struct CommonSites {
    sites: u64,
    one: u64,
    other: u64,
}

impl CommonSites {
    fn plus(self, more: CommonSites) -> CommonSites {
        CommonSites {
            sites: self.sites + more.sites,
            one: self.one + more.one,
            other: self.other + more.other,
        }
    }
}

fn shared(one: &FindTrial, other: &FindTrial) -> CommonSites {
    let there: FxHashMap<u32, u32> = other.deep.iter().map(|site| (site.site, site.relevant)).collect();
    let mut shared = CommonSites::default();
    for site in &one.deep {
        if let Some(relevant) = there.get(&site.site) {
            shared.sites += 1;
            shared.one += u64::from(site.relevant);
            shared.other += u64::from(*relevant);
        }
    }
    shared
}
