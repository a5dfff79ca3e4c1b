//! Filters shared by `records`, `queries` and `harvests`.

use super::exit::Usage;
use super::list::ListArgs;
use clap::Args;
use hadal::choice::nearest;
use hadal::store::{HarvestFilter, HarvestId, Store, Walk};
use hadal_core::identity::FormId;

/// Filter options.
#[derive(Clone, Debug, Args)]
pub struct HarvestedArgs {
    #[command(flatten)]
    pub(super) list: ListArgs,
    /// Only rows of this form
    #[arg(long, value_name = "ID", value_parser = form_id)]
    form: Option<FormId>,
    /// Only rows of this harvest
    #[arg(long, value_name = "N")]
    harvest: Option<u64>,
    /// Greatest number of rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
}

impl HarvestedArgs {
    /// Filter for the store. Names that the store does not know are usage errors.
    pub fn filter(&self, store: &dyn Store, search: Option<&String>) -> anyhow::Result<HarvestFilter> {
        let known = store.harvests(&HarvestFilter::default())?;
        if let (Some(topic), false) = (&self.list.topic, known.is_empty()) {
            let topics = || known.iter().map(|harvest| harvest.spec.topic.as_str());
            if !topics().any(|known| known == topic) {
                let near = nearest(topic, topics()).map(|name| format!("; did you mean '{name}'?"));
                return refuse(format!("no harvest of topic '{topic}'"), near);
            }
        }
        if let Some(form) = self.form.filter(|form| !known.iter().any(|harvest| harvest.spec.form == *form)) {
            return refuse(format!("form {form} was not harvested"), None);
        }
        if let Some(id) = self.harvest.filter(|id| !known.iter().any(|harvest| harvest.id.0 == *id)) {
            return refuse(format!("unknown harvest {id}"), None);
        }
        Ok(HarvestFilter {
            harvest: self.harvest.map(HarvestId),
            form: self.form,
            topic: self.list.topic.clone(),
            search: search.cloned(),
            after: None,
            most: None,
        })
    }

    /// Stops after the limit of rows.
    pub fn limited<'a, R>(
        &self,
        each: &'a mut dyn FnMut(R) -> Walk,
    ) -> impl FnMut(R) -> Walk + 'a + use<'a, R> {
        let mut left = self.limit.unwrap_or(u64::MAX);
        move |row| {
            left -= 1;
            if each(row) == Walk::On && left > 0 { Walk::On } else { Walk::Stop }
        }
    }
}

fn refuse<T>(what: String, hint: Option<String>) -> anyhow::Result<T> {
    let hint = hint.unwrap_or_else(|| "; `hadal harvests` lists all harvests".to_string());
    Err(Usage(what + &hint).into())
}

/// Parses a form_id.
fn form_id(text: &str) -> Result<FormId, String> {
    text.parse().map_err(|_| "a form_id has 16 hexadecimal digits, as `hadal forms` prints them".to_string())
}

/// Checks that a search has at least one word.
pub fn some_words(text: &str) -> Result<String, String> {
    match text.chars().any(char::is_alphanumeric) {
        true => Ok(text.to_string()),
        false => Err("expected at least one word".to_string()),
    }
}
