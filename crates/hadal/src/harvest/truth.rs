//! What harvests brought up beside what is really there, for stores made on the built-in simulated web.

use crate::store::{HarvestFilter, HarvestRow, Store, StoreError, Walk};
use hadal_core::address::Site;
use hadal_core::identity::FormId;
use hadal_world::{TrueForm, World};
use std::collections::{BTreeSet, HashMap};

/// A harvest beside the truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The harvest.
    pub harvest: HarvestRow,
    /// Records that exist behind the form.
    pub exist: u64,
    /// Of those, the ones that came up.
    pub right: u64,
    /// Rows that are no record of it, or one that had come up before.
    pub wrong: u64,
}

impl Compared {
    /// The share of the records that really came up.
    pub fn coverage(&self) -> f64 {
        self.right as f64 / self.exist.max(1) as f64
    }

    /// Whether the interval that was estimated holds that share; `None` without an estimate.
    pub fn is_held(&self) -> Option<bool> {
        let [low, _, high] = self.harvest.estimate?.coverage;
        // Shares are told in whole per cent.
        Some(low - 0.005 <= self.coverage() && self.coverage() <= high + 0.005)
    }
}

/// The simulated web's word on the forms that were harvested.
pub struct Truth<'w> {
    world: &'w World,
    forms: HashMap<FormId, TrueForm>,
}

impl<'w> Truth<'w> {
    /// Reads what the web knows of these harvests' forms.
    pub fn of(world: &'w World, harvests: &[HarvestRow]) -> Truth<'w> {
        let wanted: BTreeSet<FormId> = harvests.iter().map(|row| row.spec.form).collect();
        let forms = world.truth().filter(|form| wanted.contains(&form.form_id));
        Truth { world, forms: forms.map(|form| (form.form_id, form)).collect() }
    }

    /// Compares a harvest with it. Behind a form that searches nothing there is nothing.
    pub fn compare(&self, store: &dyn Store, harvest: HarvestRow) -> Result<Compared, StoreError> {
        let form = self.forms.get(&harvest.spec.form);
        let behind = form.and_then(|form| self.world.database_behind(form));
        let site = Site::of(&harvest.spec.page);
        let (mut right, mut rows) = (BTreeSet::new(), 0);
        let filter = HarvestFilter { harvest: Some(harvest.id), ..HarvestFilter::default() };
        store.records(&filter, &mut |row| {
            rows += 1;
            let of_site = row.record.url.as_ref().filter(|url| Site::of(url) == site);
            let record = of_site.and_then(|url| self.world.record_at(url));
            right.extend(
                record.filter(|record| behind.is_some_and(|(database, _)| record.database == database)),
            );
            Walk::On
        })?;
        let right = right.len() as u64;
        let exist = behind.map_or(0, |(_, records)| u64::from(records));
        Ok(Compared { harvest, exist, right, wrong: rows - right })
    }
}
