//! Servers on small stores.

use super::client::Client;
use super::store_fixture::*;
use hadal::ask::Asker;
use hadal::fetch::in_process::InProcess;
use hadal::polite::{ClientOptions, Clock, Politeness};
use hadal::serve::{Server, serve};
use hadal::store::*;
use hadal_core::http::Method;
use hadal_core::identity::FormId;
use hadal_core::page::Form;
use hadal_core::strategy::SiteCounters;
use hadal_core::time::Time;
use hadal_world::{Spec, World};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// A server that ends with the test's runtime.
pub struct Serving {
    pub store: Arc<dyn Store>,
    pub client: Client,
}

/// Serves a store on a free local port without a token.
pub async fn open_to_all(store: Arc<dyn Store>) -> Serving {
    start(store, "127.0.0.1:0", None, None).await
}

/// Serves a store with a token.
pub async fn with_token(store: Arc<dyn Store>, token: &str) -> Serving {
    start(store, "127.0.0.1:0", Some(token.to_string()), None).await
}

/// Serves a store and a folder with pictures of pages.
pub async fn with_thumbnails(store: Arc<dyn Store>, folder: &Path) -> Serving {
    start(store, "127.0.0.1:0", None, Some(folder)).await
}

async fn start(
    store: Arc<dyn Store>,
    address: &str,
    token: Option<String>,
    pictures: Option<&Path>,
) -> Serving {
    let address: SocketAddr = address.parse().unwrap();
    let asker = asker(Arc::clone(&store));
    let server = Server::open(address, token, Arc::clone(&store), asker).await.unwrap();
    pictures.into_iter().for_each(|folder| server.show_thumbnails(folder.to_path_buf()));
    let client = Client::of(server.address().unwrap());
    tokio::spawn(serve(server));
    Serving { store, client }
}

/// Sends queries to the tiny simulated web.
fn asker(store: Arc<dyn Store>) -> Arc<Asker> {
    let options = ClientOptions::new(Politeness::default(), "hadal", 1 << 20);
    let world = Arc::new(World::new(Spec::tiny(1)));
    let open_fetch = Box::new(move |_: &str| {
        let fetch: Arc<dyn hadal::fetch::Fetch> = Arc::new(InProcess(Arc::clone(&world)));
        Ok((fetch, Clock::simulated()))
    });
    Arc::new(Asker::new(store, options, open_fetch, watch::channel(false).1))
}

pub fn memory() -> Arc<dyn Store> {
    open("memory:", Access::Crawl).unwrap()
}

/// A store with one run that found these forms on one page.
pub fn with_forms(forms: Vec<FormRow>) -> Arc<dyn Store> {
    let store = memory();
    let run = begin(store.as_ref());
    let waiting = queued_link("http://a.org/", 0, 0.5, 0);
    let counters = SiteCounters { pages: 1, ..SiteCounters::default() };
    let forms = forms.into_iter().map(new_form).collect();
    run_step(store.as_ref(), run, &waiting, Outcome { forms, ..visit(0, &waiting, counters) });
    store
}

/// A harvest of a form without fields.
pub fn harvest_spec() -> HarvestSpec {
    let page = url("http://a.org/");
    HarvestSpec {
        form: FormId(1),
        topic: "books".into(),
        form_snapshot: Form::to(page.clone(), Method::Get, vec![]),
        page,
        policy: "hadal".into(),
        seed: 1,
        source: "web".into(),
    }
}

/// A harvest that has just started.
pub fn begin_harvest(store: &dyn Store) -> HarvestId {
    store.begin_harvest(&harvest_spec(), Time(0)).unwrap()
}
