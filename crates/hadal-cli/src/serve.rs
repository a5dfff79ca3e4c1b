//! `hadal serve`: dashboard, directory and HTTP API of a store.

use super::ask::asker;
use super::crawl::stop_on_signals;
use super::dashboard::{DEFAULT_ADDRESS, address, announce};
use super::exit::{Exit, Usage};
use super::network::NetworkArgs;
use super::session::{Common, Session};
use anyhow::Context;
use clap::Args;
use hadal::config::Override;
use hadal::config::layers::TOKEN_VARIABLE;
use hadal::config::settings::variable;
use hadal::serve::{JobProgram, Server, serve};
use hadal::store::{Access, Store, StoreError, open};
use std::ffi::OsString;
use std::io::Write;
use std::sync::Arc;
use tokio::sync::watch;

/// Serve the dashboard and the JSON API of a store
///
/// On a loopback address no token is needed. On any other address all clients need a token: programs send
/// 'Authorization: Bearer TOKEN', browsers ask for it. Crawls, harvests and topics that are started in the
/// dashboard use the options of this command. A store that does not exist is created.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  hadal serve\n  hadal serve --listen 0.0.0.0:7878 --store file:./hadal-data"
)]
pub struct ServeArgs {
    /// Address and port to listen on
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_ADDRESS)]
    listen: String,
    /// Access token [default: none on a loopback address, else a random one]
    #[arg(long, value_name = "TOKEN", env = TOKEN_VARIABLE, hide_env_values = true)]
    token: Option<String>,
    /// Refuse to start crawls, harvests and other commands from the dashboard
    #[arg(long)]
    read_only: bool,
    #[command(flatten)]
    network: NetworkArgs,
}

impl ServeArgs {
    pub fn overrides(&self) -> Vec<Override> {
        self.network.overrides()
    }
}

/// Serves until it is interrupted.
pub fn run(args: &ServeArgs, session: &Session, common: &Common) -> anyhow::Result<Exit> {
    let address = address(&args.listen)?;
    let store = opened(session)?;
    let runtime = tokio::runtime::Runtime::new().context("could not start threads")?;
    let ended = runtime.block_on(async {
        let (stop, mut stopped) = watch::channel(false);
        tokio::spawn(stop_on_signals(stop));
        let asker = asker(&session.config, Arc::clone(&store), stopped.clone());
        let server = Server::open(address, args.token.clone(), store, asker).await;
        let server = server.map_err(|error| Usage(error.to_string()))?;
        if let Some(program) = program(args, session, common)? {
            server.start_jobs_with(program);
        }
        session.config.thumbnails.clone().into_iter().for_each(|folder| server.show_thumbnails(folder));
        announce(&server)?;
        let jobs = server.jobs();
        let ended = tokio::select! {
            ended = serve(server) => ended.context("the server ended"),
            _ = stopped.wait_for(|stop| *stop) => Ok(()),
        };
        jobs.stop_all();
        ended
    });
    runtime.shutdown_background();
    ended.map(|()| Exit::Done)
}

/// Opens the store for reading. An empty one is created if there is none.
fn opened(session: &Session) -> anyhow::Result<Arc<dyn Store>> {
    if let Err(StoreError::Missing(folder)) = session.reader() {
        drop(open(&session.config.store.url, Access::Crawl)?);
        if !session.is_quiet() {
            writeln!(std::io::stderr(), "created an empty store in {}", folder.display()).ok();
        }
    }
    Ok(session.reader()?)
}

/// This program with the options of this command, for jobs. They are passed in the environment, because the store's URL
/// may hold a password.
fn program(args: &ServeArgs, session: &Session, common: &Common) -> anyhow::Result<Option<JobProgram>> {
    let url = &session.config.store.url;
    if args.read_only || url == "memory:" {
        return Ok(None);
    }
    let config = common.config_file().map(|path| [OsString::from("--config"), path.into_os_string()]);
    let flags = args.overrides();
    let flags = flags.iter().map(|flag| (variable(flag.key), in_environment(&flag.given)));
    let topics = common.topics.iter().map(|folder| (variable("topics.folder"), folder.clone()));
    Ok(Some(JobProgram {
        path: std::env::current_exe().context("could not find this program")?,
        options: config.into_iter().flatten().collect(),
        variables: flags.chain(topics).chain([(variable("store.url"), url.clone())]).collect(),
        withheld: vec![TOKEN_VARIABLE.to_string()],
        is_shared_store: url.starts_with("postgres"),
        topics: session.config.topics.clone(),
    }))
}

/// Values of a flag as the text of an environment variable.
fn in_environment(given: &[String]) -> String {
    match given {
        [one] => one.clone(),
        several => serde_json::json!(several).to_string(),
    }
}
