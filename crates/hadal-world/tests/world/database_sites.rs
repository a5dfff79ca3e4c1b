//! Sites of databases: all layouts show the results, all pagers reach the last page.

use crate::reader::{FetchedPage, fetch, home, next, records, search};
use hadal_core::http::{Method, Request};
use hadal_core::time::Time;
use hadal_world::database::{
    Arrangement, Collection, CollectionSpec, Database, DatabaseConfig, EmptyQuery, Excerpt, ExtraParameters,
    Layout, Pager, RecordAddress, SearchQuery, SingleHit, TotalShown,
};
use std::sync::{Arc, LazyLock};

static PLAIN: LazyLock<Database> = LazyLock::new(|| {
    let collection: Arc<Collection> =
        Arc::new(CollectionSpec { records: 200, ..CollectionSpec::default() }.generate());
    Database::new(collection, DatabaseConfig::default())
});

fn with(config: DatabaseConfig) -> Database {
    PLAIN.with_config(config)
}

/// Records of all result pages of a query.
fn all_pages(database: &Database, words: &str) -> Vec<u32> {
    let mut fetched: FetchedPage = search(database, words, Time(0));
    let mut all = records(database, &fetched);
    for page in 0..100 {
        let Some(request) = next(&fetched, page) else { return all };
        fetched = fetch(database, request, Time(0));
        all.extend(records(database, &fetched));
    }
    panic!("pages without end");
}

#[test]
fn every_layout_shows_the_results_in_order() {
    for arrangement in
        Arrangement::ALL.into_iter().filter(|arrangement| *arrangement != Arrangement::Advertised)
    {
        for address in
            [RecordAddress::Path, RecordAddress::Parameter, RecordAddress::Slug, RecordAddress::None]
        {
            for seed in 0..6 {
                let extra_parameters = ExtraParameters {
                    session: seed % 2 == 0,
                    position: seed % 3 == 0,
                    highlight: seed > 3,
                    counter: seed > 4,
                };
                let layout = Layout {
                    seed,
                    arrangement,
                    address,
                    extra_parameters,
                    marks_words: seed == 5,
                    ..Layout::default()
                };
                let database = with(DatabaseConfig { layout, ..DatabaseConfig::default() });
                let fetched = search(&database, "the", Time(0));
                let mut expected = database.search(&SearchQuery::words("the")).hits;
                let mut shown = records(&database, &fetched);
                if arrangement == Arrangement::Groups {
                    expected.sort_unstable();
                    shown.sort_unstable();
                }
                assert_eq!(shown, expected, "{layout:?}\n{}", fetched.body());
            }
        }
    }
}

#[test]
fn advertised_adds_popular_records() {
    let layout = Layout { arrangement: Arrangement::Advertised, ..Layout::default() };
    let database = with(DatabaseConfig { layout, ..DatabaseConfig::default() });
    let shown = records(&database, &search(&database, "the", Time(0)));
    let expected = database.search(&SearchQuery::words("the")).hits;
    assert!(shown.starts_with(&expected) && shown.len() > expected.len());
}

#[test]
fn every_pager_reaches_the_last_page() {
    for pager in Pager::ALL {
        for seed in 0..6 {
            for method in [Method::Get, Method::Post] {
                let layout = Layout { seed, pager, ..Layout::default() };
                let config =
                    DatabaseConfig { layout, method, token_lifetime: Some(60), ..DatabaseConfig::default() };
                let database = with(config);
                let expected = database.search_all(&SearchQuery::words("the of"));
                assert!(expected.total > 30);
                assert_eq!(all_pages(&database, "the of"), expected.hits, "{layout:?} {method:?}");
            }
        }
    }
}

#[test]
fn an_expired_token_gets_a_fresh_form() {
    let database = with(DatabaseConfig { token_lifetime: Some(60), ..DatabaseConfig::default() });
    let form = crate::reader::search_form(&fetch(&database, Request::get(home()), Time(0)).page);
    let late = Time(10 * 60_000);
    let filling = hadal_core::submission::FilledForm::of(0, "the");
    let stale = fetch(&database, hadal_core::submission::submission(&form, &filling, "utf-8"), late);
    assert!(records(&database, &stale).is_empty());
    let fresh = crate::reader::search_form(&stale.page);
    let answer = fetch(&database, hadal_core::submission::submission(&fresh, &filling, "utf-8"), late);
    assert_eq!(records(&database, &answer).len(), 10);
}

#[test]
fn totals_are_shown_as_configured() {
    let total = PLAIN.search(&SearchQuery::words("the")).total;
    assert!(total > 100);
    let says = |shown: TotalShown| {
        let fetched =
            search(&with(DatabaseConfig { total_shown: shown, ..DatabaseConfig::default() }), "the", Time(0));
        fetched.body().contains(&format!("{total} "))
    };
    assert!(says(TotalShown::Exact));
    assert!(!says(TotalShown::Hidden));
}

#[test]
fn a_single_hit_redirects_to_its_detail_page() {
    let only = (0..200u32).find_map(|n| {
        let title = PLAIN.collection().record(n).unwrap().title.to_string();
        (PLAIN.search(&SearchQuery::words(&title)).total == 1).then_some((n, title))
    });
    let (number, title) = only.unwrap();
    let database = with(DatabaseConfig { single_hit: SingleHit::Redirected, ..DatabaseConfig::default() });
    let fetched = search(&database, &title, Time(0));
    assert_eq!(database.record_at(&fetched.url), Some(number));
    assert_eq!(database.record_in(&fetched.body()), Some(number));
    let listed = search(&PLAIN, &title, Time(0));
    assert_eq!(records(&PLAIN, &listed), [number]);
}

#[test]
fn empty_and_ignored_queries_get_messages() {
    let refusing = with(DatabaseConfig { empty_query: EmptyQuery::Error, ..DatabaseConfig::default() });
    assert!(search(&refusing, "", Time(0)).body().contains("at least one"));
    let nothing = search(&PLAIN, "zzzzz", Time(0));
    assert!(nothing.response.status == 200 && records(&PLAIN, &nothing).is_empty());
    let fussy = with(DatabaseConfig { shortest_word: 4, ..DatabaseConfig::default() });
    assert!(search(&fussy, "the", Time(0)).body().contains("too short"));
}

#[test]
fn titles_can_be_browsed_by_letter() {
    let database =
        with(DatabaseConfig { has_letter_index: true, page_size: 50, ..DatabaseConfig::default() });
    let fetched = fetch(&database, Request::get(home()), Time(0));
    let links: Vec<_> =
        fetched.page.links.iter().filter(|link| link.context.anchor.trim().len() == 1).collect();
    assert_eq!(links.len(), 26);
    let listed = |url: &url::Url| records(&database, &fetch(&database, Request::get(url.clone()), Time(0)));
    let browsed: usize = links.iter().map(|link| listed(&link.url).len()).sum();
    assert_eq!(browsed, 200);
    let with_a = listed(&links[0].url);
    assert!(with_a.iter().all(|n| PLAIN.collection().record(*n).unwrap().title.starts_with('a')));
}

#[test]
fn excerpts_are_shorter_than_texts() {
    let length = |excerpt| {
        search(&with(DatabaseConfig { excerpt, ..DatabaseConfig::default() }), "the", Time(0))
            .response
            .body
            .len()
    };
    assert!(length(Excerpt::Title) < length(Excerpt::Words(5)));
    assert!(length(Excerpt::Words(5)) < length(Excerpt::Full));
}

#[test]
fn invented_urls_get_404() {
    for path in
        ["/record/9999", "/record/x", "/record/-1", "/nowhere", "/search/page", "/%00", "/record/99999999999"]
    {
        let fetched = fetch(&PLAIN, Request::get(home().join(path).unwrap()), Time(0));
        assert_eq!(fetched.response.status, 404, "{path}");
    }
    let action = crate::reader::search_form(&fetch(&PLAIN, Request::get(home()), Time(0)).page).action;
    let junk = format!("{action}?{}", "a=%ff&".repeat(5_000));
    assert_eq!(fetch(&PLAIN, Request::get(junk.parse().unwrap()), Time(0)).response.status, 200);
}

#[test]
fn varied_databases_show_their_results() {
    for seed in 0..60 {
        let config = DatabaseConfig { failure_rate: 0.0, rate_limit: None, ..DatabaseConfig::varied(seed) };
        let database = with(config.with_controls_for(PLAIN.collection()));
        let fetched = search(&database, "tatite", Time(0));
        assert!(fetched.response.status < 500, "{seed}");
        let word =
            PLAIN.collection().record(seed as u32).unwrap().title.split(' ').max_by_key(|w| w.len()).unwrap();
        let fetched = search(&database, word, Time(0));
        let expected = database.search(&SearchQuery::words(word)).hits;
        let shown = records(&database, &fetched);
        assert!(
            expected.iter().all(|record| shown.contains(record)),
            "{seed} {word} {:?}",
            database.config()
        );
    }
}
