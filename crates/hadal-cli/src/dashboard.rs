//! Dashboard that runs beside a crawl or a harvest.

use super::ask::asker;
use super::exit::Usage;
use clap::Args;
use hadal::config::Config;
use hadal::serve::{OpenError, Server, serve};
use hadal::store::{Access, Store, open};
use std::io::Write;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Default address of the dashboard.
pub const DEFAULT_ADDRESS: &str = "127.0.0.1:7878";

#[derive(Clone, Debug, Args)]
pub struct DashboardArgs {
    /// Serve a dashboard at this address, as 127.0.0.1:7878, or off
    #[arg(long, value_name = "ADDR|off")]
    dashboard: Option<String>,
}

/// A requested dashboard. Its port is already taken, so that a busy port is reported before anything else happens.
pub struct Dashboard {
    listener: TcpListener,
    is_quiet: bool,
    config: Config,
}

impl DashboardArgs {
    /// The dashboard of the command line. With `usual` there is one unless it is `off`.
    pub fn open(
        &self,
        usual: Option<&str>,
        config: &Config,
        is_quiet: bool,
    ) -> Result<Option<Dashboard>, Usage> {
        let (text, any_free_port) = match (self.dashboard.as_deref(), usual) {
            (Some("off"), _) | (None, None) => return Ok(None),
            (Some(text), _) => (text, false),
            (None, Some(usual)) => (usual, true),
        };
        let address = address(text)?;
        let listener = match TcpListener::bind(address) {
            Err(_) if any_free_port => TcpListener::bind((address.ip(), 0)),
            bound => bound,
        };
        let listener = listener.map_err(|error| Usage(OpenError::NoAddress(address, error).to_string()))?;
        Ok(Some(Dashboard { listener, is_quiet, config: config.clone() }))
    }
}

/// Parses a listen address.
pub fn address(text: &str) -> Result<SocketAddr, Usage> {
    let found = text.to_socket_addrs().ok().and_then(|mut all| all.next());
    found.ok_or_else(|| Usage(format!("'{text}' is not a listen address; an example is {DEFAULT_ADDRESS}")))
}

/// A running dashboard; dropping it stops the server.
pub struct Open {
    /// URL of its first page.
    pub url: String,
    serving: JoinHandle<()>,
    _stop: watch::Sender<bool>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Dashboard {
    /// Starts the server on the store that the crawl writes.
    pub async fn open(self, written: &Arc<dyn Store>) -> anyhow::Result<Open> {
        let url = &self.config.store.url;
        // A second connection does not block the writer. A memory store has only one handle.
        let store = if url == "memory:" { Arc::clone(written) } else { open(url, Access::Read)? };
        let (stop, stopped) = watch::channel(false);
        let asker = asker(&self.config, Arc::clone(&store), stopped);
        let server = Server::on(self.listener, None, store, asker);
        let server = server.map_err(|error| Usage(error.to_string()))?;
        self.config.thumbnails.clone().into_iter().for_each(|folder| server.show_thumbnails(folder));
        let url = format!("http://{}/", server.address()?);
        if !self.is_quiet {
            announce(&server)?;
        }
        let serving = tokio::spawn(async move {
            if let Err(error) = serve(server).await {
                tracing::error!("the dashboard stopped: {error}");
            }
        });
        Ok(Open { url, serving, _stop: stop })
    }
}

/// Prints the address, and the token if one was generated.
pub fn announce(server: &Server) -> anyhow::Result<()> {
    let mut out = std::io::stderr();
    writeln!(out, "dashboard: http://{}/", server.address()?).ok();
    if let Some(token) = server.generated_token() {
        writeln!(out, "token: {token}").ok();
    }
    Ok(())
}
