//! What `records`, `queries` and `harvests` share: which harvests, forms and words are wanted.

use super::exit::Usage;
use super::list::ListArgs;
use clap::Args;
use hadal::choice::nearest;
use hadal::store::{HarvestFilter, HarvestId, Store, Walk};
use hadal_core::identity::FormId;

/// Options of the lists of what was harvested.
#[derive(Clone, Debug, Args)]
pub struct HarvestedArgs {
    #[command(flatten)]
    pub(super) list: ListArgs,
    /// Only what is behind this form
    #[arg(long, value_name = "ID", value_parser = form_id)]
    form: Option<FormId>,
    /// Only what this harvest brought
    #[arg(long, value_name = "N")]
    harvest: Option<u64>,
    /// At most this many rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
}

impl HarvestedArgs {
    /// The rows wanted; what names nothing in the store is refused.
    pub fn filter(&self, store: &dyn Store, search: Option<&String>) -> anyhow::Result<HarvestFilter> {
        let known = store.harvests(&HarvestFilter::default())?;
        if let (Some(topic), false) = (&self.list.topic, known.is_empty()) {
            let topics = || known.iter().map(|harvest| harvest.spec.topic.as_str());
            if !topics().any(|known| known == topic) {
                let near = nearest(topic, topics()).map(|name| format!("; did you mean '{name}'?"));
                return refuse(format!("nothing was harvested for the topic '{topic}'"), near);
            }
        }
        if let Some(form) = self.form.filter(|form| !known.iter().any(|harvest| harvest.spec.form == *form)) {
            return refuse(format!("the form {form} was not harvested"), None);
        }
        if let Some(id) = self.harvest.filter(|id| !known.iter().any(|harvest| harvest.id.0 == *id)) {
            return refuse(format!("there is no harvest {id}"), None);
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

    /// The same walk, ended when there are enough rows.
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
    let hint = hint.unwrap_or_else(|| "; `hadal harvests` lists what there is".to_string());
    Err(Usage(what + &hint).into())
}

/// A form's identity as `hadal forms` prints it.
fn form_id(text: &str) -> Result<FormId, String> {
    text.parse()
        .map_err(|_| "a form is named by 16 hexadecimal digits, as `hadal forms` prints them".to_string())
}

/// Words to search for: at least one.
pub fn some_words(text: &str) -> Result<String, String> {
    match text.chars().any(char::is_alphanumeric) {
        true => Ok(text.to_string()),
        false => Err("there is no word in it".to_string()),
    }
}
