//! Search boxes and fields that a page shows only after a click or a choice.
//!
//! [`hadal_core::scripted::openers`] decides what is clicked and chosen. Meanwhile the page may not be replaced by
//! another one, so nothing is submitted.

use super::search_trial::SearchTrial;
use super::tab::{PageFunction, Tab};
use super::{LOADED_AFTER, RenderError};
use hadal_core::html;
use hadal_core::page::Page;
use hadal_core::scripted::openers::{FieldChoice, PageControl, field_options, openers};
use hadal_core::scripted::rendering::gains_fields;
use hadal_core::scripted::search_box::{SearchBox, search_boxes};
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

/// Clicks until a search box shows. Guess: a view, a menu in it, and an icon in the menu.
const MAX_CLICKS: usize = 3;

/// A rendered page.
pub struct ShownPage {
    pub page: Page,
    /// Boxes into which a test query may be typed. A form with added fields needs none: it is sent without a script.
    pub boxes: Vec<SearchBox>,
}

/// The rendered page. If a test query is permitted and no box is likely a search, controls that may show one are
/// clicked.
pub async fn searchable_page(
    tab: &mut Tab<'_>,
    trial: Option<&SearchTrial<'_>>,
) -> Result<ShownPage, RenderError> {
    let shown = current_page(tab).await?;
    let Some(trial) = trial else { return Ok(shown) };
    tab.stays = true;
    let shown = match shown.page.forms.iter().any(gains_fields) {
        true => with_added_fields(tab, shown).await?,
        false => with_opened_box(tab, shown, trial.min_p_searchable).await?,
    };
    tab.stays = false;
    Ok(shown)
}

async fn with_opened_box(
    tab: &mut Tab<'_>,
    mut shown: ShownPage,
    min_p_searchable: f32,
) -> Result<ShownPage, RenderError> {
    for _ in 0..MAX_CLICKS {
        if shown.boxes.iter().any(|known| known.p_searchable >= min_p_searchable) {
            break;
        }
        let controls: Vec<PageControl> = read(tab.function(PageFunction::Controls).await?);
        let Some(control) = openers(&controls).first().copied() else { break };
        tab.function(PageFunction::Click(control)).await?;
        tab.settle(LOADED_AFTER).await?;
        shown = current_page(tab).await?;
    }
    Ok(shown)
}

/// Chooses options of choices that add fields, until a form has a field for words.
async fn with_added_fields(tab: &mut Tab<'_>, mut shown: ShownPage) -> Result<ShownPage, RenderError> {
    let choices: Vec<FieldChoice> = read(tab.function(PageFunction::Choices).await?);
    let tried = |choice: &FieldChoice| {
        let options = field_options(choice).into_iter();
        options.map(|option| (choice.number, option.to_string())).collect::<Vec<_>>()
    };
    let options: Vec<(u32, String)> = choices.iter().flat_map(tried).collect();
    for (number, option) in options {
        tab.function(PageFunction::Choose(number, option)).await?;
        tab.settle(LOADED_AFTER).await?;
        shown = current_page(tab).await?;
        if !shown.page.forms.iter().any(gains_fields) {
            return Ok(ShownPage { boxes: Vec::new(), ..shown });
        }
    }
    Ok(shown)
}

/// Value that the script in the page returned; the default if the page changed it.
fn read<T: DeserializeOwned + Default>(value: Value) -> T {
    serde_json::from_value(value).unwrap_or_default()
}

/// The rendered page, with its boxes that may be searches.
async fn current_page(tab: &mut Tab<'_>) -> Result<ShownPage, RenderError> {
    let found = tab.function(PageFunction::Serialise).await?;
    let html = found["html"].as_str().unwrap_or_default();
    let url = found["url"].as_str().and_then(|url| Url::parse(url).ok()).unwrap_or_else(|| tab.url().clone());
    let mut page = html::parse(html.as_bytes(), Some("text/html; charset=utf-8"), &url);
    let boxes = search_boxes(&mut page);
    Ok(ShownPage { page, boxes })
}
