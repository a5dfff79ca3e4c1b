//! `hadal serve`: dashboard, directory and interface of a store, for browsers and programs.

use super::ask::asker;
use super::carry::CarryArgs;
use super::crawl::heed_signals;
use super::dashboard::{USUAL, address, announce};
use super::exit::{Exit, Usage};
use super::session::Session;
use anyhow::Context;
use clap::Args;
use hadal::config::Override;
use hadal::config::layers::TOKEN_VARIABLE;
use hadal::serve::{Server, serve};
use std::sync::Arc;
use tokio::sync::watch;

/// Show the store in a browser: runs, directory, harvests, questions; and a JSON interface
///
/// On this machine's own address it is open to the people at this machine. Anywhere else everybody needs a
/// token: programs send it as 'Authorization: Bearer TOKEN', browsers are asked for it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  hadal serve\n  hadal serve --listen 0.0.0.0:7878 --store file:./hadal-data"
)]
pub struct ServeArgs {
    /// Where to listen
    #[arg(long, value_name = "ADDR", default_value = USUAL)]
    listen: String,
    /// The token that everybody needs [default: none on this machine's own address, else a random one]
    #[arg(long, value_name = "TOKEN", env = TOKEN_VARIABLE, hide_env_values = true)]
    token: Option<String>,
    #[command(flatten)]
    carry: CarryArgs,
}

impl ServeArgs {
    /// The flags given, as settings.
    pub fn overrides(&self) -> Vec<Override> {
        self.carry.overrides()
    }
}

/// Serves until it is interrupted.
pub fn run(args: &ServeArgs, session: &Session) -> anyhow::Result<Exit> {
    let address = address(&args.listen)?;
    let store = session.reader()?;
    let runtime = tokio::runtime::Runtime::new().context("cannot start the threads a server needs")?;
    let ended = runtime.block_on(async {
        let (stop, mut stopped) = watch::channel(false);
        tokio::spawn(heed_signals(stop));
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
