//! Parameters that a result page copies from its own address into the addresses of its records.
//!
//! Some software adds the query or the page length of a list to every link of the page: the list `/log?q=sea&n=40`
//! links to `/item/7?n=40`, while the list `/log` links to `/item/7`. Such a parameter makes a second address for a
//! record and does not identify it. It is removed from the addresses of records if all of these hold:
//!
//! - every address on the page has it, with the value that it has in the address of the page;
//! - the records of an earlier page had addresses without it;
//! - the remaining addresses are as many as before.

use super::records::RawRecord;
use crate::url_query::{decoded_pairs, without_names};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use url::Url;

/// Least number of addresses on a page for parameters to be learned. Guess.
const MIN_ADDRESSES: usize = 2;

/// Parameters of the record addresses of one form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CopiedParameters {
    /// Names of parameters that every page so far had in an address of its records; `None` before the first page.
    lasting: Option<BTreeSet<String>>,
}

impl CopiedParameters {
    /// Learns from the records of a result page. Returns true if more parameters may be removed from now on.
    pub(super) fn learn(&mut self, records: &[RawRecord]) -> bool {
        let urls: Vec<&Url> = records.iter().filter_map(|record| record.url.as_ref()).collect();
        if urls.len() < MIN_ADDRESSES {
            return false;
        }
        let names: BTreeSet<String> = urls.iter().flat_map(|url| pairs(url)).map(|(name, _)| name).collect();
        let lasting = match &self.lasting {
            Some(before) => before.intersection(&names).cloned().collect(),
            None => names,
        };
        let has_changed = self.lasting.as_ref().is_some_and(|before| *before != lasting);
        self.lasting = Some(lasting);
        has_changed
    }

    /// Removes copied parameters from the addresses of the records of `page`.
    pub(super) fn remove(&self, records: &mut [RawRecord], page: &Url) {
        let Some(lasting) = &self.lasting else { return };
        for (name, value) in pairs(page).filter(|(name, value)| !value.is_empty() && !lasting.contains(name))
        {
            let urls: Vec<&Url> = records.iter().filter_map(|record| record.url.as_ref()).collect();
            let is_copied = |url: &&Url| pairs(url).any(|pair| pair.0 == name && pair.1 == value);
            let remaining: FxHashSet<Url> = urls.iter().map(|url| without(url, &name)).collect();
            let distinct: FxHashSet<&Url> = urls.iter().copied().collect();
            if urls.iter().all(is_copied) && remaining.len() == distinct.len() {
                for url in records.iter_mut().filter_map(|record| record.url.as_mut()) {
                    *url = without(url, &name);
                }
            }
        }
    }
}

fn pairs(url: &Url) -> impl Iterator<Item = (String, String)> + '_ {
    decoded_pairs(url.query().unwrap_or_default())
}

/// Returns a URL without a parameter.
fn without(url: &Url, name: &str) -> Url {
    let kept = without_names(url.query().unwrap_or_default(), |known| known == name);
    let mut url = url.clone();
    url.set_query(Some(kept.as_str()).filter(|query| !query.is_empty()));
    url
}

#[cfg(test)]
mod tests {
    use super::super::records::RecordFields;
    use super::*;

    fn url(address: &str) -> Url {
        Url::parse(&format!("http://a.org{address}")).unwrap()
    }

    fn page(addresses: &[&str]) -> Vec<RawRecord> {
        let record = |address: &&str| RawRecord {
            url: Some(url(address)),
            title: address.to_string(),
            text: address.to_string(),
            fields: RecordFields::default(),
        };
        addresses.iter().map(record).collect()
    }

    fn addresses(records: &[RawRecord]) -> Vec<&str> {
        records
            .iter()
            .filter_map(|record| record.url.as_ref())
            .map(|url| &url[url::Position::BeforePath..])
            .collect()
    }

    #[test]
    fn a_parameter_that_other_pages_lack_is_no_part_of_an_address() {
        let mut copied = CopiedParameters::default();
        let mut shown = page(&["/item?id=7&n=40", "/item?id=8&n=40"]);
        copied.learn(&shown);
        copied.remove(&mut shown, &url("/log?n=40"));
        assert_eq!(addresses(&shown), ["/item?id=7&n=40", "/item?id=8&n=40"], "no other page is known");
        assert!(copied.learn(&page(&["/item?id=7", "/item?id=9"])));
        copied.remove(&mut shown, &url("/log?n=40"));
        assert_eq!(addresses(&shown), ["/item?id=7", "/item?id=8"]);
    }

    #[test]
    fn a_parameter_with_another_value_than_the_page_stays() {
        let mut copied = CopiedParameters::default();
        copied.learn(&page(&["/item/7", "/item/8"]));
        let mut shown = page(&["/item/7?part=2", "/item/8?part=2"]);
        copied.remove(&mut shown, &url("/log?q=sea&part=1"));
        assert_eq!(addresses(&shown), ["/item/7?part=2", "/item/8?part=2"]);
    }

    #[test]
    fn a_parameter_of_every_page_stays() {
        let mut copied = CopiedParameters::default();
        let mut shown = page(&["/i?shelf=a&id=1", "/i?shelf=a&id=2"]);
        copied.learn(&page(&["/i?shelf=b&id=1", "/i?shelf=c&id=2"]));
        copied.learn(&shown);
        copied.remove(&mut shown, &url("/find?shelf=a"));
        assert_eq!(addresses(&shown), ["/i?shelf=a&id=1", "/i?shelf=a&id=2"]);
    }
}
