//! Checks whether a form is still on its page.

use crate::polite::retry::{NextAction, follow_redirect, next_action};
use crate::polite::{Clock, NotSent, PoliteClient, retry};
use crate::store::{FormCheck, FormState};
use hadal_core::address::TrackingParams;
use hadal_core::critic::MIN_ACCEPTED_P;
use hadal_core::critic::search_form::pick_search_form;
use hadal_core::html::{self, Document};
use hadal_core::http::{Exchange, FetchError, Request, Response};
use hadal_core::identity::{FormId, form_id};
use hadal_core::page::{FormSource, Page};
use url::Url;

/// A form to check by fetching its page again.
#[derive(Clone, Debug)]
pub struct CheckedForm {
    pub form: FormId,
    /// Page with the form.
    pub page: Url,
    pub source: FormSource,
    /// Result of the last check.
    pub earlier: Option<FormCheck>,
}

/// Result of a check.
pub struct CheckOutcome {
    /// Result to store; `None` if nothing was sent.
    pub check: Option<FormCheck>,
    /// The page, if it was sent again and is HTML.
    pub document: Option<Document>,
    /// Requests and bytes spent.
    pub cost: (u32, u64),
    /// Reason why no request was sent.
    pub not_sent: Option<NotSent>,
}

/// Fetches the page of a form. The request is conditional if an earlier check kept a validator; a page that has not
/// changed is not sent again, and its form is alive.
pub async fn check_form(target: &CheckedForm, client: &PoliteClient, clock: &mut Clock) -> CheckOutcome {
    let mut outcome = CheckOutcome { check: None, document: None, cost: (0, 0), not_sent: None };
    let (mut url, mut earlier) = (target.page.clone(), Vec::new());
    let state = loop {
        let request = request(&url, target, earlier.is_empty());
        let sent = client.send(&request, clock).await;
        outcome.cost = (outcome.cost.0 + sent.requests, outcome.cost.1 + sent.bytes);
        let exchange = match sent.result {
            Ok(exchange) => exchange,
            Err(reason) => {
                let state = state_of_refusal(&reason);
                outcome.not_sent = Some(reason);
                break state;
            }
        };
        if let NextAction::Redirect(to) = next_action(&url, &exchange, retry::MAX_ATTEMPTS, 0, clock.now()) {
            match follow_redirect(&url, &earlier, to, TrackingParams::Keep) {
                Ok(to) => earlier.push(std::mem::replace(&mut url, to)),
                Err(_) => break Some(FormState::Unreachable),
            }
            continue;
        }
        break Some(judge(target, &url, exchange, &mut outcome));
    };
    if let Some(state) = state {
        let moved_to = Some(url).filter(|_| state == FormState::Moved);
        let kept = target.earlier.as_ref().and_then(|check| check.validator.clone());
        let validator = outcome.check.take().map_or(kept, |check| check.validator);
        outcome.check = Some(FormCheck { form: target.form, state, at: clock.now(), moved_to, validator });
    }
    outcome
}

/// State of a form after a request for its page was not sent; `None` if the reason does not concern the form.
fn state_of_refusal(reason: &NotSent) -> Option<FormState> {
    match reason {
        NotSent::Unreachable(FetchError::NoSuchHost) => Some(FormState::Gone),
        NotSent::Unreachable(_) | NotSent::RobotsUnavailable(_) | NotSent::WaitTooLong(_) => {
            Some(FormState::Unreachable)
        }
        NotSent::Forbidden | NotSent::Excluded | NotSent::BudgetSpent | NotSent::Stopped => None,
    }
}

fn request(url: &Url, target: &CheckedForm, is_first: bool) -> Request {
    let mut request = Request::get(url.clone());
    let alive = target.earlier.as_ref().filter(|check| is_first && check.state == FormState::Alive);
    if let Some(validator) = alive.and_then(|check| check.validator.as_ref()) {
        let is_tag = validator.starts_with('"') || validator.starts_with("W/");
        request.headers.push(if is_tag { "If-None-Match" } else { "If-Modified-Since" }, validator);
    }
    request
}

/// Judges the last response. Keeps the document and the validator in the outcome.
fn judge(target: &CheckedForm, url: &Url, exchange: Exchange, outcome: &mut CheckOutcome) -> FormState {
    let response = match exchange.result {
        Ok(response) => response,
        Err(FetchError::NoSuchHost) => return FormState::Gone,
        Err(_) => return FormState::Unreachable,
    };
    match response.status {
        304 => return FormState::Alive,
        404 | 410 => return FormState::Gone,
        200..300 => {}
        _ => return FormState::Unreachable,
    }
    let document = html::parse_with_outline(&response.body, response.headers.get("content-type"), url);
    let state = state_on_page(target, url, &document.page);
    outcome.check = Some(FormCheck {
        form: target.form,
        state,
        at: hadal_core::time::Time(0),
        moved_to: None,
        validator: validator(&response),
    });
    outcome.document = Some(document);
    state
}

fn validator(response: &Response) -> Option<String> {
    let header = |name| response.headers.get(name).map(str::to_string);
    header("etag").or_else(|| header("last-modified"))
}

/// State of a form by the page that its address leads to now.
fn state_on_page(target: &CheckedForm, url: &Url, page: &Page) -> FormState {
    let is_same = page.forms.iter().any(|form| form_id(form, &page.url) == target.form);
    // Endpoints and declared searches are not visible on every page that names them.
    let is_declared = target.source != FormSource::Form;
    match is_same || is_declared {
        true if *url == target.page => FormState::Alive,
        true => FormState::Moved,
        false => match pick_search_form(page, None) {
            Ok((_, p_searchable)) if p_searchable >= MIN_ACCEPTED_P => FormState::Changed,
            _ => FormState::Gone,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(target: &str, shown: &str, url: &str) -> FormState {
        let page = Url::parse("http://boats.example/find").unwrap();
        let form = html::parse(target.as_bytes(), None, &page).forms.remove(0);
        let checked = CheckedForm { form: form_id(&form, &page), source: form.source, page, earlier: None };
        let url = Url::parse(url).unwrap();
        state_on_page(&checked, &url, &html::parse(shown.as_bytes(), None, &url))
    }

    const SEARCH: &str =
        "<form action=/s>Search boats <input type=search name=q><button>Search</button></form>";

    #[test]
    fn a_form_is_alive_moved_changed_or_gone() {
        let here = "http://boats.example/find";
        assert_eq!(state(SEARCH, SEARCH, here), FormState::Alive);
        assert_eq!(state(SEARCH, SEARCH, "http://boats.example/new"), FormState::Moved);
        let other = SEARCH.replace("name=q", "name=words").replace("/s>", "/search>");
        assert_eq!(state(SEARCH, &other, here), FormState::Changed);
        let login = "<form method=post>Name <input name=u> <input type=password name=p></form>";
        assert_eq!(state(SEARCH, login, here), FormState::Gone);
        assert_eq!(state(SEARCH, "<p>Closed.</p>", here), FormState::Gone);
    }

    #[test]
    fn a_page_with_a_validator_is_requested_conditionally() {
        let page = Url::parse("http://boats.example/").unwrap();
        let check = |validator: &str| FormCheck {
            form: FormId(1),
            state: FormState::Alive,
            at: hadal_core::time::Time(0),
            moved_to: None,
            validator: Some(validator.into()),
        };
        let sent = |validator: &str| {
            let earlier = Some(check(validator));
            let target =
                CheckedForm { form: FormId(1), page: page.clone(), source: FormSource::Form, earlier };
            request(&page, &target, true).headers.0.remove(0)
        };
        assert_eq!(sent("\"a1\"").0, "If-None-Match");
        assert_eq!(sent("Tue, 17 Nov 2026 10:00:00 GMT").0, "If-Modified-Since");
    }
}
