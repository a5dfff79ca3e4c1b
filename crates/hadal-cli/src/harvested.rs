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
    /// Only rows of this form: its form_id, or the first digits of it
    #[arg(long, value_name = "ID")]
    form: Option<String>,
    /// Only rows of this harvest
    #[arg(long, value_name = "N")]
    harvest: Option<u64>,
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
        let form = self.form.as_ref().map(|text| find_form(store, text)).transpose()?;
        if let Some(form) = form.filter(|form| !known.iter().any(|harvest| harvest.spec.form == *form)) {
            return refuse(format!("form {form} was not harvested"), None);
        }
        if let Some(id) = self.harvest.filter(|id| !known.iter().any(|harvest| harvest.id.0 == *id)) {
            return refuse(format!("unknown harvest {id}"), None);
        }
        Ok(HarvestRowQuery {
            harvest: self.harvest.map(HarvestId),
            form,
            topic: self.list.topic.clone(),
            search: search.cloned(),
            ..HarvestRowQuery::default()
        })
    }
}

fn refuse<T>(what: String, hint: Option<String>) -> anyhow::Result<T> {
    let hint = hint.unwrap_or_else(|| "; `hadal harvests` lists all harvests".to_string());
    Err(Usage(what + &hint).into())
}

/// True for a form_id or its first digits.
pub fn may_be_form_id(text: &str) -> bool {
    (1..=16).contains(&text.len()) && text.chars().all(|digit| digit.is_ascii_hexdigit())
}

/// Form with this id, or the only one with an id that begins so.
pub fn find_form(store: &dyn Store, text: &str) -> anyhow::Result<FormId> {
    let digits = text.to_lowercase();
    if !may_be_form_id(&digits) {
        let hint = "a form_id has 16 hexadecimal digits, as `hadal forms` prints them";
        return Err(Usage(format!("'{text}' is not a form_id; {hint}")).into());
    }
    if digits.len() == 16 {
        return Ok(digits.parse()?);
    }
    match store.forms_by_prefix(&digits, 2)?[..] {
        [form] => Ok(form),
        [] => Err(Usage(format!("no form_id begins with '{text}'; `hadal forms` lists all forms")).into()),
        _ => Err(Usage(format!("several form_ids begin with '{text}'; give more digits")).into()),
    }
}

/// Checks that a search has at least one word.
pub fn some_words(text: &str) -> Result<String, String> {
    match text.chars().any(char::is_alphanumeric) {
        true => Ok(text.to_string()),
        false => Err("expected at least one word".to_string()),
    }
}
