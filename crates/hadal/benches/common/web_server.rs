//! The simulated web over HTTP, served by another process of the same program.

use super::Anyhow;
use hadal::fetch::network::{Network, NetworkOptions};
use hadal::fetch::world_server;
use hadal_world::{Spec, World};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// Argument with which the program calls [`serve`].
pub const SERVE: &str = "--serve";

/// The other process. It ends when the value is dropped.
pub struct ServedWeb {
    process: Child,
    /// Address of the server.
    pub address: String,
}

impl ServedWeb {
    pub fn start() -> Anyhow<ServedWeb> {
        let mut process = Command::new(std::env::current_exe()?).arg(SERVE).stdout(Stdio::piped()).spawn()?;
        let mut address = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut address)?;
        }
        Ok(ServedWeb { process, address: address.trim().to_string() })
    }
}

impl Drop for ServedWeb {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Serves the simulated web until the process is killed. Prints its address.
pub fn serve() -> Anyhow<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let world = Arc::new(World::new(Spec::demo(7)));
        let running = world_server::serve(world, "127.0.0.1:0".parse()?, Default::default()).await?;
        println!("{}", running.addr);
        std::future::pending::<()>().await;
        Ok(())
    })
}

/// Client that sends all requests to the server.
pub fn client(address: &str) -> Anyhow<Network> {
    let connect_to = vec![format!("*={address}").parse()?];
    Ok(Network::new(NetworkOptions { connect_to, ..NetworkOptions::default() })?)
}
