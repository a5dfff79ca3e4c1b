//! `hadal serve`: dashboard, directory and HTTP API of a store.

use super::ask::asker;
use super::crawl::stop_on_signals;
use super::dashboard::{DEFAULT_ADDRESS, address, announce};
use super::exit::{Exit, Usage};
use super::network::NetworkArgs;
use super::session::Session;
use anyhow::Context;
use clap::Args;
use hadal::config::Override;
use hadal::config::layers::TOKEN_VARIABLE;
use hadal::serve::{Server, serve};
use std::sync::Arc;
use tokio::sync::watch;

/// Serve the dashboard and the JSON API of a store
///
/// On a loopback address no token is needed. On any other address all clients need a token: programs send
/// 'Authorization: Bearer TOKEN', browsers ask for it.
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
    #[command(flatten)]
    network: NetworkArgs,
}

impl ServeArgs {
    pub fn overrides(&self) -> Vec<Override> {
        self.network.overrides()
    }
}

/// Serves until it is interrupted.
pub fn run(args: &ServeArgs, session: &Session) -> anyhow::Result<Exit> {
    let address = address(&args.listen)?;
    let store = session.reader()?;
    let runtime = tokio::runtime::Runtime::new().context("could not start threads")?;
    let ended = runtime.block_on(async {
        let (stop, mut stopped) = watch::channel(false);
        tokio::spawn(stop_on_signals(stop));
        let asker = asker(&session.config, Arc::clone(&store), stopped.clone());
        let server = Server::open(address, args.token.clone(), store, asker).await;
        let server = server.map_err(|error| Usage(error.to_string()))?;
        announce(&server)?;
        tokio::select! {
            ended = serve(server) => ended.context("the server ended"),
            _ = stopped.wait_for(|stop| *stop) => Ok(()),
        }
    });
    runtime.shutdown_background();
    ended.map(|()| Exit::Done)
}
