//! What the small databases behind the forms of sites hold: the truth for those who find and then harvest.

use crate::form::database::SiteDatabase;
use crate::site::Site;
use crate::site::resource::{Resource, place, without_session};
use crate::truth::{TrueForm, true_forms};
use crate::world::World;
use hadal_core::critic::FormKind;
use url::Url;

/// A record of a site's database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TrueRecord {
    /// Which database of the site; forms of one database name the same number.
    pub database: u8,
    /// Which record, from 0.
    pub record: u32,
}

impl World {
    /// How many records a form leads to; none when it searches nothing.
    pub fn records_behind(&self, form: &TrueForm) -> u32 {
        self.database_behind(form).map_or(0, |(_, records)| records)
    }

    /// Which database of its site a form searches, 0 for the site's own pages, and how many records it holds.
    pub fn database_behind(&self, form: &TrueForm) -> Option<(u8, u32)> {
        let (index, _) = self.locate(&form.page_url)?;
        let site = self.site(index);
        let at = true_forms(&site).iter().position(|other| other.form_id == form.form_id)?;
        let planned = site.forms.get(at).filter(|planned| planned.kind == FormKind::Search)?;
        Some((planned.database, SiteDatabase::behind(&site, planned).records))
    }

    /// Which record of a site's database has its page at an address, whatever session it carries.
    pub fn record_at(&self, url: &Url) -> Option<TrueRecord> {
        let (index, host) = self.locate(url)?;
        let site: Site<'_> = self.site(index);
        match place(&site, host, &without_session(url).0) {
            Resource::Record(database, record) => Some(TrueRecord { database: database.number(), record }),
            _ => None,
        }
    }
}
