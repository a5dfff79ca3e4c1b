//! Filters shared by `records`, `queries` and `harvests`.

use super::exit::Usage;
use super::list::ListArgs;
use clap::Args;
use hadal::choice::nearest;
use hadal::store::{HarvestId, HarvestQuery, HarvestRowQuery, Store};
use hadal_core::identity::FormId;

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
    /// Query of the store. Names that the store does not know are usage errors.
    pub fn query(&self, store: &dyn Store, search: Option<&String>) -> anyhow::Result<HarvestRowQuery> {
        let known = store.harvests(&HarvestQuery::default())?;
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
        Ok(HarvestRowQuery {
            harvest: self.harvest.map(HarvestId),
            form: self.form,
            topic: self.list.topic.clone(),
            search: search.cloned(),
            ..HarvestRowQuery::default()
        })
    }

    /// Greatest number of rows.
    pub fn limit(&self) -> usize {
        self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
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
