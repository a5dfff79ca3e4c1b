//! Databases on hosts of their own within a world.

use hadal_core::http::{FetchError, Request};
use hadal_core::time::Time;
use hadal_world::database::{ConfigSource, DatabaseEntry, DatabaseHosts, DatabaseList, RecordSource};
use hadal_world::{Spec, World};
use std::path::Path;
use url::Url;

fn databases() -> DatabaseHosts {
    let entry = |name: &str, preset: &str| DatabaseEntry {
        name: name.to_string(),
        source: RecordSource::Cars(40),
        config: ConfigSource::Preset(preset.to_string()),
    };
    let database = vec![entry("db-cars", "used-cars"), entry("db-odd", "cap-of-1")];
    DatabaseList { database }.build(Path::new("")).unwrap()
}

fn get(world: &World, url: &str) -> Result<u16, FetchError> {
    world.respond(&Request::get(Url::parse(url).unwrap()), Time(0)).result.map(|response| response.status)
}

#[test]
fn a_world_answers_for_its_databases() {
    let world = World::new(Spec::tiny(1)).with_databases(databases());
    assert_eq!(get(&world, "http://db-cars.example/"), Ok(200));
    assert_eq!(get(&world, "http://db-cars.example./"), Ok(200));
    assert_eq!(get(&world, "https://db-cars.example/"), Err(FetchError::Connect));
    assert_eq!(get(&world, "http://db-none.example/"), Err(FetchError::NoSuchHost));
    assert!(!world.is_static(&Url::parse("http://db-cars.example/").unwrap()));
    let names: Vec<String> = world.databases().iter().map(|(_, home, _)| home.to_string()).collect();
    assert_eq!(names, ["http://db-cars.example/", "http://db-odd.example/"]);
}

#[test]
fn sites_do_not_change_with_databases() {
    let (plain, with) = (World::new(Spec::tiny(1)), World::new(Spec::tiny(1)).with_databases(databases()));
    for form in plain.truth().take(20) {
        let body =
            |world: &World| world.respond(&Request::get(form.page_url.clone()), Time(0)).result.unwrap().body;
        assert_eq!(body(&plain), body(&with));
    }
}

#[test]
fn bodies_are_cut_at_the_limit() {
    let request = Request { body_limit: 100, ..Request::get(Url::parse("http://db-odd.example/").unwrap()) };
    let response = databases().respond(&request, Time(0)).unwrap().result.unwrap();
    assert_eq!((response.body.len(), response.transferred), (100, 100));
}

#[test]
fn equal_seeds_give_equal_lists() {
    assert_eq!(DatabaseList::varied(9, 4), DatabaseList::varied(9, 4));
    assert_ne!(DatabaseList::varied(9, 4), DatabaseList::varied(9, 5));
    assert!(["", "-a", "A", "a.b", "a b"].iter().all(|name| !DatabaseHosts::is_name(name)));
}
