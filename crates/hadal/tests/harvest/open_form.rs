//! Choice of the form when a user gives a URL.

use crate::common::Web;
use hadal::harvest::open_form::{
    FormOpenError, OpenedForm, PostForms, SearchLocation, form_at_url, form_by_id,
};
use hadal::harvest::{HarvestJob, HarvestPlan, harvest};
use hadal::polite::{ClientOptions, Clock, PoliteClient, Politeness};
use hadal::store::{Access, open};
use hadal_core::harvest::policy::find_policy;
use hadal_core::harvest::session::{DetailMode, HarvestOptions};
use hadal_core::page::FormSource;
use std::sync::Arc;
use tokio::sync::watch;
use url::Url;

const DESCRIPTION: &str = "<?xml version='1.0'?><OpenSearchDescription
    xmlns='http://a9.com/-/spec/opensearch/1.1/'><ShortName>Boats</ShortName>
    <Url type='text/html' template='http://boats.example/find?kind=boat&amp;q={searchTerms}'/></OpenSearchDescription>";

const LINK: &str = "<link rel=search type='application/opensearchdescription+xml' href=/os.xml>";

const SUBSCRIBE: &str = "<form method=post action=/subscribe>Newsletter <input type=email name=email>
    <input type=submit value=Subscribe></form>";

fn client_of(web: Arc<Web>) -> PoliteClient {
    let options = ClientOptions::new(Politeness::default(), "hadal", 1 << 20);
    PoliteClient::new(web, options, watch::channel(false).1)
}

async fn opened(
    web: Web,
    url: &str,
    picked: Option<u32>,
) -> (Result<OpenedForm, FormOpenError>, Vec<String>) {
    let web = Arc::new(web);
    let client = client_of(web.clone());
    let mut clock = Clock::simulated();
    let url = Url::parse(url).unwrap();
    let found =
        form_at_url(&SearchLocation { picked, ..SearchLocation::at(&url, "web") }, &client, &mut clock).await;
    (found, web.requests())
}

fn described(page: &str) -> Web {
    let kind = ("content-type", "application/opensearchdescription+xml");
    Web::default().page("http://boats.example/", page).answer(
        "http://boats.example/os.xml",
        200,
        &[kind],
        DESCRIPTION,
    )
}

#[tokio::test]
async fn a_page_without_a_search_is_searched_as_its_description_says() {
    let page = format!("<title>Old wooden boats</title>{LINK}{SUBSCRIBE}<p>Boats.");
    let (found, requests) = opened(described(&page), "http://boats.example/", None).await;
    let found = found.unwrap();
    assert_eq!(
        (found.form.source, found.form.action.as_str()),
        (FormSource::OpenSearch, "http://boats.example/find")
    );
    assert_eq!(found.page.as_str(), "http://boats.example/");
    assert_eq!(found.words, ["wooden", "boats"]);
    assert_eq!(requests.iter().filter(|url| url.ends_with("/os.xml")).count(), 1, "{requests:?}");
}

#[tokio::test]
async fn a_visible_search_needs_no_description() {
    let page =
        format!("{LINK}<form action=/s role=search><input type=search name=q><button>Search</button></form>");
    let (found, requests) = opened(described(&page), "http://boats.example/", None).await;
    assert_eq!(found.unwrap().form.source, FormSource::Form);
    assert!(!requests.iter().any(|url| url.ends_with("/os.xml")), "{requests:?}");
}

#[tokio::test]
async fn a_description_disallowed_by_robots_txt_is_not_fetched() {
    let web = described(&format!("{LINK}{SUBSCRIBE}")).answer(
        "http://boats.example/robots.txt",
        200,
        &[("content-type", "text/plain")],
        "User-agent: *\nDisallow: /os.xml\n",
    );
    let (found, requests) = opened(web, "http://boats.example/", None).await;
    assert!(matches!(found, Err(FormOpenError::NoForm(..))), "{found:?}");
    assert!(!requests.iter().any(|url| url.ends_with("/os.xml")), "{requests:?}");
}

#[tokio::test]
async fn an_address_may_be_that_of_a_description() {
    let (found, _) = opened(described("<p>Boats."), "http://boats.example/os.xml", None).await;
    let found = found.unwrap();
    assert_eq!((found.form.source, found.page.path()), (FormSource::OpenSearch, "/os.xml"));
}

#[tokio::test]
async fn a_search_action_is_a_form_too() {
    let page = r#"<script type="application/ld+json">{"@type":"WebSite","potentialAction":{"@type":"SearchAction",
        "target":"http://boats.example/find?q={search_term_string}"}}</script><p>Boats."#;
    let (found, _) = opened(described(page), "http://boats.example/", None).await;
    assert_eq!(found.unwrap().form.source, FormSource::SearchAction);
}

#[tokio::test]
async fn a_page_that_has_moved_is_opened_where_it_is_now() {
    let form = "<form action=/s role=search><input type=search name=q><button>Search</button></form>";
    let web = Web::default()
        .redirect("http://boats.example/", "http://www.boats.example/start")
        .page("http://www.boats.example/start", form);
    let (found, _) = opened(web, "http://boats.example/", None).await;
    assert_eq!(found.unwrap().page.as_str(), "http://www.boats.example/start");
    let round = Web::default().redirect("http://boats.example/", "http://boats.example/");
    assert!(matches!(opened(round, "http://boats.example/", None).await.0, Err(FormOpenError::NoPage(..))));
}

#[tokio::test]
async fn a_form_that_was_picked_is_taken_as_it_is() {
    let page = format!("{LINK}<form action=/s><input name=x></form>");
    let (found, _) = opened(described(&page), "http://boats.example/", Some(0)).await;
    assert_eq!(found.unwrap().form.action.path(), "/s");
}

#[tokio::test]
async fn a_form_harvested_by_its_address_is_opened_by_its_id() {
    let form = "<form action=/s role=search><input type=search name=q><button>Search</button></form>";
    let client = client_of(Arc::new(Web::default().page("http://boats.example/", form)));
    let (home, mut clock) = (Url::parse("http://boats.example/").unwrap(), Clock::simulated());
    let found = form_at_url(&SearchLocation::at(&home, "web"), &client, &mut clock).await.unwrap();
    let (id, store) = (found.id, open("memory:", Access::Crawl).unwrap());
    assert!(matches!(form_by_id(store.as_ref(), id, PostForms::Sure), Err(FormOpenError::Unknown(_))));
    let options = HarvestOptions { coverage: 1.0, records: None, details: DetailMode::Never, seed: 1 };
    let job = HarvestJob::new(found.clone(), &find_policy("hadal").unwrap(), options);
    let plan =
        HarvestPlan { max_requests: Some(5), clock, ..HarvestPlan::new(store.clone(), client, vec![job]) };
    harvest(plan, &mut |_| {}).await.unwrap();
    let again = form_by_id(store.as_ref(), id, PostForms::Sure).unwrap();
    assert_eq!((again.form, again.page, again.source), (found.form, found.page, found.source));
}
