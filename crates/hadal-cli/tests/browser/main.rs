//! The dashboard in a real browser: a demo is watched, searched, labelled, queried and stopped; and a hostile
//! store.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../../hadal/tests/serve/client.rs"]
#[allow(dead_code, reason = "WebDriver needs a part of it")]
mod client;
mod driver;
#[path = "../../../hadal/tests/serve/fixture.rs"]
#[allow(dead_code, reason = "the pages need a part of it")]
mod fixture;
#[path = "../cli/pages.rs"]
mod pages;
#[path = "../../../hadal/tests/serve/poison.rs"]
mod poison;
#[path = "../cli/program.rs"]
mod program;

use driver::{Browser, TIMEOUT, browser};
use hadal::store::{Activity, Control, HarvestProgress, HarvestState, HarvestStep};
use hadal_store_contract::fixture as store_fixture;
use poison::SCRIPT;
use program::Place;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

/// A demo that runs until it is stopped.
struct Demo {
    child: Child,
    address: String,
}

impl Demo {
    fn start(place: &Place) -> Demo {
        Demo::of(place.command(&["demo", "--max-requests", "1000000", "--dashboard", "127.0.0.1:0"]))
    }

    /// Starts a command that prints the address of its dashboard.
    fn of(mut command: Command) -> Demo {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("dashboard: ").map(str::to_string));
        std::thread::spawn(move || lines.for_each(drop));
        Demo { child, address: address.expect("it says where it is") }
    }

    /// Waits for the end of the program and returns its exit status.
    fn ended(mut self) -> Option<i32> {
        let (tell, told) = mpsc::channel();
        let id = self.child.id();
        std::thread::spawn(move || tell.send(self.child.wait().unwrap().code()).ok());
        told.recv_timeout(TIMEOUT).unwrap_or_else(|_| panic!("process {id} goes on"))
    }
}

/// Kills the demo of a test that fails.
struct Ward(Option<Demo>);

impl Drop for Ward {
    fn drop(&mut self) {
        if let Some(demo) = &mut self.0 {
            demo.child.kill().ok();
            demo.child.wait().ok();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_is_watched_searched_marked_asked_and_stopped() {
    let Some(browser) = browser().await else { return };
    let place = Place::new();
    let mut ward = Ward(Some(Demo::start(&place)));
    browser.open(&ward.0.as_ref().unwrap().address).await;
    the_curve_grows(&browser).await;
    it_pauses(&browser).await;
    its_budget_is_changed(&browser).await;
    forms_are_selected_by_each_attribute(&browser).await;
    a_form_marked_wrong_leaves(&browser).await;
    sources_are_asked(&browser).await;
    browser.click("nav a[href='/']").await;
    browser.click("#stop").await;
    assert_eq!(ward.0.take().unwrap().ended(), Some(130), "interrupted, everything saved");
    browser.until("document.querySelector('.heading .state.stopped')").await;
    let runs: Value = serde_json::from_str(&place.run(&["runs", "--format", "jsonl"]).done()).unwrap();
    assert_eq!(runs["state"], "stopped", "{runs}");
}

async fn the_curve_grows(browser: &Browser) {
    const POINTS: &str =
        "(document.querySelector('#curve .line-1 polyline.line')?.points.numberOfItems ?? 0)";
    let before = browser.until(&format!("{POINTS} > 1 && {POINTS}")).await;
    browser.until(&format!("{POINTS} > {before} + 2")).await;
    browser.until("Number(document.querySelector('.tile.first .value').textContent) > 20").await;
    let label = browser.value("document.querySelector('#curve svg desc').textContent").await;
    assert!(label.as_str().unwrap().contains("this run: "), "{label}");
}

async fn it_pauses(browser: &Browser) {
    browser.click("#pause").await;
    browser.until("document.querySelector('.state.paused') && document.querySelector('#pause').textContent === 'Resume'").await;
}

async fn its_budget_is_changed(browser: &Browser) {
    browser.write("#budget", "0").await;
    browser.click(".budget button").await;
    browser.until("document.body.innerText.includes('of 10,000,000 requests')").await;
}

async fn forms_are_selected_by_each_attribute(browser: &Browser) {
    browser.click("nav a[href='/directory']").await;
    const FACET: &str = "[data-facet=fields][data-value='2']";
    browser.until(&format!("document.querySelector(\"{FACET}\")")).await;
    browser.until("document.querySelectorAll('.card').length > 2").await;
    let number = "parseInt(document.querySelector('#found').textContent.replace(',', ''))";
    let all = browser.value(number).await;
    browser.click(FACET).await;
    browser.until(&format!("location.search.includes('fields=2') && {number} < {all}")).await;
    let of_two = "form => form.querySelectorAll('.mock').length >= 2";
    browser.until(&format!("[...document.querySelectorAll('.card .sketch')].every({of_two})")).await;
    browser.click(FACET).await;
    browser.until(&format!("location.search === '' && {number} >= {all}")).await;
}

async fn a_form_marked_wrong_leaves(browser: &Browser) {
    let form = browser.until("document.querySelector('.card')?.dataset.form").await;
    let card = format!(".card[data-form='{}']", form.as_str().unwrap());
    let here = format!("document.querySelector(\"{card}\")");
    browser.click(&format!("{card} button[data-label=wrong]")).await;
    browser.until(&format!("!{here}")).await;
    browser.click(".notice button").await;
    browser.until(&format!("{here} !== null")).await;
    browser.click(&format!("{card} button[data-label=wrong]")).await;
    browser.until(&format!("!{here}")).await;
    browser.open(browser.value("location.href").await.as_str().unwrap()).await;
    browser.until("document.querySelectorAll('.card').length > 2").await;
    assert_eq!(browser.value(&here).await, Value::Null);
}

async fn sources_are_asked(browser: &Browser) {
    browser.click("nav a[href='/ask']").await;
    browser.until("document.querySelectorAll('#sources input:checked').length > 1").await;
    browser.write("#words", "hotel").await;
    browser.click(".question button").await;
    browser.until("document.querySelectorAll('#answers .record .from .tag').length > 2").await;
    browser.until("document.querySelector('#answers .sources .answered')").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_harvest_is_watched_paused_given_a_budget_and_stopped() {
    let Some(browser) = browser().await else { return };
    let serving = fixture::open_to_all(fixture::memory()).await;
    let store = serving.store.as_ref();
    browser.open(&format!("http://{}/harvests", serving.client.address)).await;
    browser.until("document.querySelector('main .empty')").await;
    let harvest = fixture::begin_harvest(store);
    browser.until("document.querySelector('.heading .state.running')").await;
    const RECORDS: &str = "document.querySelector('#coverage + .panel svg')";
    browser.until(&format!("{RECORDS}?.textContent.includes('No values yet')")).await;
    let spend = |seq| {
        let step = HarvestStep { seq, requests: 111, pages: 1, ..HarvestStep::default() };
        store.commit_harvest(harvest, &step.into()).unwrap();
    };
    const REQUESTS: &str = "[...document.querySelectorAll('.tile')].at(-1).textContent";
    const POINTS: &str = "document.querySelector('#coverage + .panel polyline')?.points.numberOfItems";
    for seq in 0..3 {
        spend(seq);
        browser.until(&format!("{REQUESTS}.includes('{}')", 111 * (seq + 1))).await;
    }
    browser.until(&format!("{POINTS} >= 3")).await;
    let ticks = format!("[...{RECORDS}.querySelectorAll('.tick text')].map(tick => tick.textContent)");
    let ticks = browser.value(&format!("{ticks}.filter(text => text.includes('.')).length")).await;
    assert_eq!(ticks, 0, "counts have no fractions");
    browser.click("#pause").await;
    browser.until("document.querySelector('.heading .state.paused')").await;
    assert!(store.control(Activity::Harvest(harvest)).unwrap().pause);
    browser.click("#pause").await;
    browser.until("document.querySelector('.heading .state.running')").await;
    browser.write("#budget", "5000").await;
    browser.click(".budget button").await;
    browser.until(&format!("{REQUESTS}.includes('of 5,000')")).await;
    browser.click("#stop").await;
    browser.until("document.querySelector('#stop').disabled").await;
    let asked = Control { pause: false, stop: true, max_requests: Some(5000) };
    assert_eq!(store.control(Activity::Harvest(harvest)).unwrap(), asked);
    let ended = HarvestProgress { state: HarvestState::Stopped, ..HarvestProgress::default() };
    store.commit_harvest(harvest, &ended.into()).unwrap();
    browser
        .until(
            "document.querySelector('.heading .state.stopped') && document.querySelector('.controls').hidden",
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_from_the_web_are_shown_and_never_run() {
    let Some(browser) = browser().await else { return };
    let serving = fixture::open_to_all(poison::poisoned()).await;
    let shown = format!("document.querySelector('main').textContent.includes({})", Value::from(SCRIPT));
    for (path, ready) in [
        ("/", ".decisions .what a"),
        ("/directory", ".card .mock"),
        ("/directory?form=0000000000000001", ".detail .evidence"),
        ("/harvests", "#records .record"),
        ("/ask", "#sources input"),
        ("/runs", "td a"),
        ("/sites", "td a"),
        ("/records", "#records .record"),
    ] {
        browser.open(&format!("http://{}{path}", serving.client.address)).await;
        browser.until(&format!("document.querySelector('{ready}') && {shown}")).await;
        assert_eq!(browser.value("window.__pwned").await, Value::Null, "{path}");
        assert_eq!(
            browser.value("document.querySelectorAll('script:not([src^=\"/assets/\"])').length").await,
            0,
            "{path}"
        );
        assert_eq!(
            browser.value("document.querySelectorAll('main img, main svg[onload]').length").await,
            0,
            "{path}"
        );
        let odd = "[...document.links].filter(link => !/^https?:$/.test(link.protocol)).length";
        assert_eq!(browser.value(odd).await, 0, "{path}");
    }
}

/// A server with commands that can be started, and its process.
fn serving(place: &Place) -> Demo {
    let args = ["serve", "--listen", "127.0.0.1:0", "--allow-private", "--delay", "0s"];
    Demo::of(place.command(&args))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_user_makes_a_topic_imports_forms_and_harvests_one() {
    let Some(browser) = browser().await else { return };
    let place = Place::new();
    let records: String =
        (0..12).map(|n| format!("<li><a href=/v/{n}>Volcano {n} of the world</a> erupts</li>")).collect();
    let mut pages = HashMap::from([("/".to_string(), pages::page(pages::VOLCANOES[0]))]);
    pages.insert("/search".to_string(), format!("<title>Results</title><ul>{records}</ul>"));
    let site = format!("http://{}/", pages::serve(pages));
    let ward = Ward(Some(serving(&place)));
    let home = ward.0.as_ref().unwrap().address.clone();
    browser.open(&home).await;
    browser.until("document.querySelector('main .empty a[href=\"/start\"]')").await;
    browser.click("nav a[href='/topics']").await;
    browser.write("#topic-name", "volcano").await;
    browser.write("#topic-words", "volcano eruption lava crater").await;
    browser.click("form.input:first-of-type button.main").await;
    browser.until("document.querySelector('#draft-result')?.textContent.includes('is learned from')").await;
    browser
        .until("[...document.querySelectorAll('td a')].some(link => link.textContent === 'volcano')")
        .await;
    browser.write("#trial-topic", "volcano").await;
    browser.write("#trial-pages", &site).await;
    browser.click("form.input:last-of-type button.main").await;
    browser.until("document.querySelector('#trial-result .verdicts li')").await;
    browser.click("nav a[href='/start']").await;
    browser.write("#import-topic", "volcano").await;
    browser.write("#import-pages", &site).await;
    browser.click("form.input:nth-of-type(3) button.main").await;
    browser
        .until(
            "document.querySelector('#jobs [data-state=done] code')?.textContent.includes('--max-depth=0')",
        )
        .await;
    browser.click("nav a[href='/directory']").await;
    browser.write("#search", "volcano").await;
    browser.until("location.search.includes('q=volcano') && document.querySelector('.card .form-id')").await;
    browser.click(".card .harvest").await;
    browser.click(".notice button").await;
    browser.until("document.querySelector('#jobs code')?.textContent.startsWith('hadal harvest')").await;
    browser.until("document.querySelector('#jobs article').dataset.state !== 'running'").await;
    browser.click("nav a[href='/submissions']").await;
    browser.until("document.querySelectorAll('tbody tr').length > 0").await;
    browser.click("nav a[href='/runs']").await;
    browser.click("td input[type=checkbox]").await;
    browser.until("location.search === '?compare=1' && document.querySelector('#comparison svg desc')").await;
    browser.click("nav a[href='/glossary']").await;
    browser.until("document.querySelector('#relevant dd')").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_exist_is_named() {
    let Some(browser) = browser().await else { return };
    let serving = fixture::open_to_all(fixture::memory()).await;
    for (path, sentence) in [
        ("/nowhere", "There is no page /nowhere"),
        ("/?run=99", "Unknown run 99."),
        ("/harvests?harvest=99", "Unknown harvest 99."),
    ] {
        browser.open(&format!("http://{}{path}", serving.client.address)).await;
        browser.until(&format!("document.querySelector('main').textContent.includes('{sentence}')")).await;
    }
    let serving = fixture::with_token(fixture::memory(), "a-long-token").await;
    browser.open(&format!("http://{}/", serving.client.address)).await;
    browser.write("input", "another-token").await;
    browser.click("button").await;
    browser.until("document.querySelector('[role=alert]')?.textContent.includes('not the token')").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_typed_on_a_page_that_has_its_style() {
    let Some(browser) = browser().await else { return };
    let serving = fixture::with_token(fixture::memory(), "a-long-token").await;
    browser.open(&format!("http://{}/", serving.client.address)).await;
    browser.until("getComputedStyle(document.body).display === 'grid'").await;
    browser.write("input", "a-long-token").await;
    browser.click("button").await;
    browser.until("document.querySelector('nav a[href=\"/directory\"]')").await;
}
