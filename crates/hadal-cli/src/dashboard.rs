//! The dashboard beside a crawl or a harvest, for as long as it runs.

use super::ask::asker;
use super::exit::Usage;
use clap::Args;
use hadal::config::Config;
use hadal::serve::{OpenError, Server, serve};
use hadal::store::{Access, Store, open};
use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Where a dashboard is when nobody says where.
pub const USUAL: &str = "127.0.0.1:7878";

/// Whether there is a dashboard.
#[derive(Debug, Args)]
pub struct DashboardArgs {
    /// Show what happens in a browser, at an address as 127.0.0.1:7878; off for not at all
    #[arg(long, value_name = "ADDR|off")]
    dashboard: Option<String>,
}

/// A dashboard that is wanted.
#[derive(Clone, Debug)]
pub struct Dashboard {
    address: SocketAddr,
    /// Whether any free port will do when that one is taken.
    yields: bool,
    is_quiet: bool,
    config: Config,
}

impl DashboardArgs {
    /// The dashboard that was asked for; with `usual` there is one unless it was turned off.
    pub fn wanted(
        &self,
        usual: Option<&str>,
        config: &Config,
        is_quiet: bool,
    ) -> Result<Option<Dashboard>, Usage> {
        let yields = self.dashboard.is_none();
        match self.dashboard.as_deref().or(usual) {
            None | Some("off") => Ok(None),
            Some(text) => {
                let address = address(text)?;
                Ok(Some(Dashboard { address, yields, is_quiet, config: config.clone() }))
            }
        }
    }
}

/// An address to listen on.
pub fn address(text: &str) -> Result<SocketAddr, Usage> {
    let found = text.to_socket_addrs().ok().and_then(|mut all| all.next());
    found.ok_or_else(|| Usage(format!("'{text}' is no address to listen on; one is {USUAL}")))
}

/// A dashboard that is open until it is dropped.
pub struct Open {
    serving: JoinHandle<()>,
    _stop: watch::Sender<bool>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Dashboard {
    /// Opens it over the store that is being written.
    pub async fn open(&self, written: &Arc<dyn Store>) -> anyhow::Result<Open> {
        let url = &self.config.store.url;
        // A reader of its own keeps nobody waiting; what is in memory has one handle only.
        let store = if url == "memory:" { Arc::clone(written) } else { open(url, Access::Read)? };
        let (stop, stopped) = watch::channel(false);
        let asker = asker(&self.config, Arc::clone(&store), stopped);
        let server = match Server::open(self.address, None, Arc::clone(&store), Arc::clone(&asker)).await {
            Err(OpenError::NoAddress(..)) if self.yields => {
                Server::open(SocketAddr::new(self.address.ip(), 0), None, store, asker).await
            }
            other => other,
        };
        let server = server.map_err(|error| Usage(error.to_string()))?;
        if !self.is_quiet {
            announce(&server)?;
        }
        let serving = tokio::spawn(async move {
            if let Err(error) = serve(server).await {
                tracing::error!("the dashboard ended: {error}");
            }
        });
        Ok(Open { serving, _stop: stop })
    }
}

/// Says where it is, and with which token when one was made up.
pub fn announce(server: &Server) -> anyhow::Result<()> {
    let mut out = std::io::stderr();
    writeln!(out, "dashboard: http://{}/", server.address()?).ok();
    if let Some(token) = server.made_up() {
        writeln!(out, "token: {token}").ok();
    }
    Ok(())
}
