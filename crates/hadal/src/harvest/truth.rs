//! Comparison of harvests with the ground truth, for stores made on the built-in simulated web.

use crate::store::{HarvestRow, HarvestRowQuery, Store, StoreError, all_records};
use hadal_core::address::Site;
use hadal_core::identity::FormId;
use hadal_world::{TrueForm, World};
use std::collections::{BTreeSet, HashMap};

/// A harvest compared with the ground truth.
#[derive(Clone, Debug, PartialEq)]
pub struct HarvestComparison {
    /// Row of the harvest in the store.
    pub harvest: HarvestRow,
    /// Records in the database behind the form.
    pub exist: u64,
    /// Distinct records of that database that were harvested.
    pub right: u64,
    /// Harvested rows that are not a record of that database, or a duplicate of one.
    pub wrong: u64,
}

impl HarvestComparison {
    /// True coverage: harvested records by existing records.
    pub fn coverage(&self) -> f64 {
        self.right as f64 / self.exist.max(1) as f64
    }

    /// True when the estimated interval of the coverage contains the true coverage; `None` without an estimate.
    pub fn is_held(&self) -> Option<bool> {
        let [low, _, high] = self.harvest.estimate?.coverage;
        // Reports round coverage to whole per cent.
        Some(low - 0.005 <= self.coverage() && self.coverage() <= high + 0.005)
    }
}

/// Ground truth on the forms of some harvests.
pub struct HarvestTruth<'w> {
    world: &'w World,
    forms: HashMap<FormId, TrueForm>,
}

impl<'w> HarvestTruth<'w> {
    /// Reads the ground truth on the forms of these harvests.
    pub fn of(world: &'w World, harvests: &[HarvestRow]) -> HarvestTruth<'w> {
        let wanted: BTreeSet<FormId> = harvests.iter().map(|row| row.spec.form).collect();
        let forms = world.truth().filter(|form| wanted.contains(&form.form_id));
        HarvestTruth { world, forms: forms.map(|form| (form.form_id, form)).collect() }
    }

    /// Compares a harvest with the ground truth. A form that is not a search has no records.
    pub fn compare(&self, store: &dyn Store, harvest: HarvestRow) -> Result<HarvestComparison, StoreError> {
        let form = self.forms.get(&harvest.spec.form);
        let behind = form.and_then(|form| self.world.database_behind(form));
        let site = Site::of(&harvest.spec.page);
        let (mut right, mut rows) = (BTreeSet::new(), 0);
        for row in all_records(store, HarvestRowQuery::of(harvest.id)) {
            let row = row?;
            rows += 1;
            let of_site = row.record.url.as_ref().filter(|url| Site::of(url) == site);
            let record = of_site.and_then(|url| self.world.record_at(url));
            right.extend(
                record.filter(|record| behind.is_some_and(|(database, _)| record.database == database)),
            );
        }
        let right = right.len() as u64;
        let exist = behind.map_or(0, |(_, records)| u64::from(records));
        Ok(HarvestComparison { harvest, exist, right, wrong: rows - right })
    }
}
