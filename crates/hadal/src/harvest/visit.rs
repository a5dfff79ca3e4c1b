//! The search at an address: a form of the page there, or what the site's own description says.
//!
//! A form that people see comes first. When a page has none that surely searches, the OpenSearch descriptions
//! it links are fetched, like any page; an address may also be that of a description itself.

use super::courier::Courier;
use super::opening::{NotOpened, Opened, may_submit};
use super::pace::Pace;
use crate::fetch::retry;
use crate::topic::Sample;
use hadal_core::html;
use hadal_core::http::{Request, Response};
use hadal_core::identity::form_id;
use hadal_core::page::{Form, Page};
use url::Url;

/// Words of a page that are tried first.
const FIRST_WORDS: usize = 8;
/// P(searchable) from which a form needs no description beside it.
const SURE: f32 = 0.5;
/// Descriptions of one page that are fetched.
const MOST_DESCRIPTIONS: usize = 3;
/// Redirects that are followed to the page.
const MOST_HOPS: usize = 5;
/// Bytes in which a description names itself.
const HEAD: usize = 2_048;

/// The search at an address, or the form with the index that was picked.
pub async fn at_address(
    url: &Url,
    picked: Option<u32>,
    courier: &Courier,
    pace: &mut Pace,
    source: &str,
) -> Result<Opened, NotOpened> {
    let (url, response) = fetch(url, courier, pace).await?;
    if let Some(form) = described(&response, &url) {
        return opened(form, &url, None, source);
    }
    let page = html::parse(&response.body, response.headers.get("content-type"), &url);
    let shown = on_page(&page, picked);
    let is_sure = picked.is_some() || matches!(shown, Ok((_, p_searchable)) if p_searchable >= SURE);
    let links = page.hints.opensearch.iter().take(if is_sure { 0 } else { MOST_DESCRIPTIONS });
    for link in links {
        let declared = fetch(&link.url, courier, pace).await;
        let form = declared.ok().and_then(|(at, response)| described(&response, &at));
        if let Some(form) = form.filter(|form| may_submit(&url, form, 1.0).is_ok()) {
            return opened(form, &url, Some(&page), source);
        }
    }
    opened(shown?.0, &url, Some(&page), source)
}

/// The page at an address, asked for now.
pub async fn page_at(url: &Url, courier: &Courier, pace: &mut Pace) -> Result<Page, NotOpened> {
    let (url, response) = fetch(url, courier, pace).await?;
    Ok(html::parse(&response.body, response.headers.get("content-type"), &url))
}

/// A form of the page that may be submitted, and how likely it searches.
fn on_page(page: &Page, picked: Option<u32>) -> Result<(Form, f32), NotOpened> {
    let sample = Sample::of(page.url.as_str(), page.clone(), picked);
    let sample = sample.map_err(|why| NotOpened::NoForm(page.url.clone(), why))?;
    may_submit(&page.url, &sample.form, sample.p_searchable)?;
    Ok((sample.form, sample.p_searchable))
}

/// The form that a description amounts to, if that is what came.
fn described(response: &Response, url: &Url) -> Option<Form> {
    let head = String::from_utf8_lossy(&response.body[..response.body.len().min(HEAD)]);
    head.contains("OpenSearchDescription").then(|| html::opensearch_form(&response.body, url))?
}

fn opened(form: Form, url: &Url, page: Option<&Page>, source: &str) -> Result<Opened, NotOpened> {
    if page.is_none() {
        may_submit(url, &form, 1.0)?;
    }
    Ok(Opened {
        id: form_id(&form, url),
        form,
        page: url.clone(),
        charset: page.map_or("utf-8", |page| page.charset).to_string(),
        language: page.and_then(|page| page.language.clone()),
        topic: String::new(),
        source: source.to_string(),
        words: page.map(|page| first_words(&page.title)).unwrap_or_default(),
    })
}

/// What stands at an address, and at which address in the end.
async fn fetch(url: &Url, courier: &Courier, pace: &mut Pace) -> Result<(Url, Response), NotOpened> {
    let mut at = url.clone();
    for _ in 0..=MOST_HOPS {
        let no_page = |why: String| NotOpened::NoPage(at.clone(), why);
        let delivered = courier.deliver(&Request::get(at.clone()), pace).await;
        let exchange = delivered.result.map_err(|why| no_page(why.to_string()))?;
        let response = exchange.result.map_err(|error| no_page(error.to_string()))?;
        match response.status {
            200..300 => return Ok((at, response)),
            300..400 => match retry::location(&at, &response.headers) {
                Some(target) => at = target,
                None => return Err(no_page("it leads nowhere".into())),
            },
            status => return Err(no_page(format!("the server answered {status}"))),
        }
    }
    Err(NotOpened::NoPage(at, "it leads elsewhere again and again".into()))
}

fn first_words(title: &str) -> Vec<String> {
    let mut words = hadal_core::harvest::policy::lexicon::words_of(title);
    words.retain(|word| word.chars().count() > 3);
    words.truncate(FIRST_WORDS);
    words
}
