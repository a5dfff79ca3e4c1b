//! Presets: each fault shows, and equally in every run.

use crate::reader::{fetch, home, next, records, search};
use hadal_core::http::Request;
use hadal_core::time::Time;
use hadal_world::database::{CollectionSpec, Database, DatabaseConfig, SearchQuery, generate_cars};
use std::sync::{Arc, LazyLock};

static PLAIN: LazyLock<Database> = LazyLock::new(|| {
    Database::new(
        Arc::new(CollectionSpec { records: 200, ..CollectionSpec::default() }.generate()),
        DatabaseConfig::default(),
    )
});

fn preset(name: &str) -> Database {
    PLAIN.with_config(DatabaseConfig::preset(name).unwrap())
}

fn found(database: &Database, words: &str) -> Vec<u32> {
    records(database, &search(database, words, Time(0)))
}

#[test]
fn every_preset_is_deterministic() {
    for (name, config) in DatabaseConfig::presets() {
        let run = || {
            let database = PLAIN.with_config(config());
            let home = Request::get(home());
            (0..30).map(|n| database.respond(&home, Time(n * 5_000)).body).collect::<Vec<_>>()
        };
        assert_eq!(run(), run(), "{name}");
    }
}

#[test]
fn same_page_returns_the_same_records_for_every_query() {
    let database = preset("same-page");
    assert_eq!(found(&database, "the"), found(&database, "zzzz"));
    assert_eq!(found(&database, "zzzz").len(), 10);
}

#[test]
fn random_records_returns_other_records_each_time() {
    let database = preset("random-records");
    assert_ne!(found(&database, "the"), found(&database, "the"));
}

#[test]
fn half_fails_answers_half_of_the_requests_with_500() {
    let database = preset("half-fails");
    let status = |n: u64| database.respond(&Request::get(home()), Time(n * 10_000)).status;
    let failed = (0..200).filter(|n| status(*n) == 500).count();
    assert!((60..140).contains(&failed), "{failed}");
}

#[test]
fn endless_always_has_a_next_page() {
    let database = preset("endless");
    let mut fetched = search(&database, "the", Time(0));
    for page in 0..60 {
        assert_eq!(fetched.response.status, 200);
        assert!(!records(&database, &fetched).is_empty());
        fetched = fetch(&database, next(&fetched, page).unwrap(), Time(0));
    }
    assert!(found(&database, "zzzz").is_empty());
}

#[test]
fn shuffled_changes_the_order_only() {
    let database = preset("shuffled");
    let word =
        (0..).map(|n| PLAIN.collection().record(n).unwrap().title.split(' ').next().unwrap().to_string());
    let few = word
        .into_iter()
        .find(|word| (4..10).contains(&PLAIN.search(&SearchQuery::words(word)).total))
        .unwrap();
    let (mut one, mut other) = (found(&database, &few), found(&database, &few));
    assert_ne!(one, other);
    one.sort_unstable();
    other.sort_unstable();
    assert_eq!(one, other);
}

#[test]
fn cap_of_1_shows_one_record_per_query() {
    let database = preset("cap-of-1");
    let fetched = search(&database, "the", Time(0));
    assert_eq!(records(&database, &fetched).len(), 1);
    assert!(next(&fetched, 0).is_none());
}

#[test]
fn vanishing_and_walls_begin_after_their_limit() {
    let vanishing = preset("vanishing");
    assert_eq!(found(&vanishing, "the").len(), 10);
    (0..30).for_each(|_| drop(vanishing.respond(&Request::get(home()), Time(0))));
    assert_eq!(vanishing.respond(&Request::get(home()), Time(0)).status, 404);
    for (name, sign) in [("login-wall", "password"), ("captcha", "robot")] {
        let database = preset(name);
        let answers: Vec<bool> =
            (0..25).map(|_| search(&database, "the", Time(0)).body().contains(sign)).collect();
        assert_eq!(answers.iter().position(|wall| *wall), Some(20), "{name}");
        assert!(answers[20..].iter().all(|wall| *wall), "{name}");
    }
}

#[test]
fn detail_pages_with_hostile_titles_show_the_reference_number() {
    let database = preset("hostile-titles");
    let pages: Vec<String> = (0..60)
        .map(|n| {
            let page = home().join(&format!("/{}", path_of(&database, n))).unwrap();
            String::from_utf8(database.respond(&Request::get(page), Time(0)).body).unwrap()
        })
        .collect();
    assert!(pages.iter().any(|page| page.len() > 100_000));
    assert!(pages.iter().any(|page| page.contains("<script>")));
    assert!(pages.iter().enumerate().all(|(n, page)| database.record_in(page) == Some(n as u32)));
}

/// Path of the detail page of a record, derived from a link on a result page.
fn path_of(database: &Database, record: u32) -> String {
    let fetched = search(database, "the", Time(0));
    let link = fetched.page.links.iter().find(|link| database.record_at(&link.url).is_some()).unwrap();
    let (folder, _) = link.url.path().trim_start_matches('/').split_once('/').unwrap();
    format!("{folder}/{record}")
}

#[test]
fn the_rate_limit_sends_429_with_retry_after() {
    let database = PLAIN.with_config(DatabaseConfig { rate_limit: Some(5), ..DatabaseConfig::default() });
    let get = |at| database.respond(&Request::get(home()), Time(at));
    let statuses: Vec<u16> = (0..7).map(|_| get(20_000).status).collect();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 429, 429]);
    assert_eq!(get(20_500).headers.get("retry-after"), Some("40"));
    assert_eq!(get(60_000).status, 200);
}

#[test]
fn used_cars_has_selects_and_facets_of_the_data() {
    let cars = Arc::new(generate_cars(1, 3_000));
    let database = Database::new(cars.clone(), DatabaseConfig::preset("used-cars").unwrap());
    let page = fetch(&database, Request::get(home()), Time(0)).page;
    let form = crate::reader::search_form(&page);
    let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
    assert!(names.starts_with(&["make", "model"]) && names.len() >= 4, "{names:?}");
    let options = &form.fields[0].options;
    assert_eq!(options.len(), cars.column("make").unwrap().1.values().len() + 1);
    let make = hadal_core::submission::FilledForm::of(0, &options[1].value);
    let fetched = fetch(&database, hadal_core::submission::submission(&form, &make, "utf-8"), Time(0));
    let shown = records(&database, &fetched);
    assert_eq!(shown.len(), 20);
    let of_make =
        |record: &u32| cars.fields(*record).any(|field| field == ("make", options[1].value.as_str()));
    assert!(shown.iter().all(of_make));
    let narrower =
        fetched.page.links.iter().find(|link| link.url.query().unwrap_or("").contains("only_year")).unwrap();
    let narrowed = fetch(&database, Request::get(narrower.url.clone()), Time(0));
    let year = narrower.context.anchor.trim();
    let fits = |record: &u32| of_make(record) && cars.fields(*record).any(|field| field == ("year", year));
    assert!(records(&database, &narrowed).iter().all(fits));
}
