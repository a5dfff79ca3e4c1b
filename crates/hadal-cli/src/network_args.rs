//! Network options of all commands that send requests.

use clap::Args;
use hadal::config::Override;

/// Politeness and network options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Network")]
pub struct NetworkArgs {
    /// Least delay between two requests to a host, as 1s
    #[arg(long, value_name = "TIME")]
    delay: Option<String>,
    /// User-Agent header
    #[arg(long, value_name = "NAME")]
    user_agent: Option<String>,
    /// Contact address for site owners, sent with every request
    #[arg(long, value_name = "ADDRESS")]
    contact: Option<String>,
    /// Extra header line, as 'Accept-Language: de' (repeatable)
    #[arg(long, value_name = "LINE")]
    header: Vec<String>,
    /// Cookie file to load
    #[arg(long, value_name = "FILE")]
    cookies: Option<String>,
    /// Allow loopback and private addresses
    #[arg(long)]
    allow_private: bool,
    /// Connect to this address for matching hosts, as '*.example=127.0.0.1:8080' (repeatable)
    #[arg(long, value_name = "PATTERN=HOST:PORT")]
    connect_to: Vec<String>,
}

impl NetworkArgs {
    pub fn overrides(&self) -> Vec<Override> {
        let private = if self.allow_private { vec!["true".to_string()] } else { vec![] };
        given([
            ("politeness.delay", "--delay", once(&self.delay)),
            ("politeness.user_agent", "--user-agent", once(&self.user_agent)),
            ("politeness.contact", "--contact", once(&self.contact)),
            ("fetch.headers", "--header", self.header.clone()),
            ("fetch.cookies", "--cookies", once(&self.cookies)),
            ("fetch.allow_private", "--allow-private", private),
            ("fetch.connect_to", "--connect-to", self.connect_to.clone()),
        ])
    }
}

/// Value of a flag that is given at most once.
pub fn once(value: &Option<String>) -> Vec<String> {
    value.iter().cloned().collect()
}

/// Flags of a command that were given, as settings.
pub fn given<const N: usize>(flags: [(&'static str, &'static str, Vec<String>); N]) -> Vec<Override> {
    let given = flags.into_iter().filter(|(_, _, given)| !given.is_empty());
    given.map(|(key, flag, given)| Override { key, flag, given }).collect()
}
