//! `hadal doctor`: is everything ready? Each line says ok, warn or fail, and what to do.
//!
//! Nothing leaves the machine unless `--online` is given.

mod checks;

use super::exit::Exit;
use super::session::Common;
use clap::Args;
use hadal::config::Config;
use hadal::output::escape::for_terminal;
use hadal::output::terminal::{Color, Paint, Screen};
use serde::Serialize;
use std::io::Write;

/// Check configuration, store, network and browser
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  hadal doctor --online")]
pub struct DoctorArgs {
    /// Also resolve a name and connect to a host on the public net
    #[arg(long)]
    online: bool,
}

/// What was looked at, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub subject: &'static str,
    /// How it stands.
    pub verdict: Verdict,
    /// What was seen, and what to do about it.
    pub detail: String,
}

/// How something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Ok,
    /// Works, but look at it.
    Warn,
    /// Does not work.
    Fail,
}

/// Examines everything; any failure is exit status 1.
pub fn run(args: &DoctorArgs, common: &Common) -> anyhow::Result<Exit> {
    let checked = common.layers(&[]).and_then(|layers| Ok(Config::check(&layers)?));
    let color = checked.as_ref().map_or(Color::Auto, |config| config.color);
    let mut findings = vec![checks::configuration(common.config_file().as_deref(), &checked)];
    if let Ok(config) = &checked {
        findings.extend(checks::store(&config.store.url));
        findings.push(checks::contact(config));
    }
    findings.extend([checks::resolver(), checks::proxy(), checks::browser()]);
    if args.online {
        findings.push(checks::online());
    }
    let text: String =
        findings.iter().map(|finding| line(finding, common.json, Screen::stdout(color))).collect();
    std::io::stdout().write_all(text.as_bytes())?;
    let failed = findings.iter().any(|finding| finding.verdict == Verdict::Fail);
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

fn line(finding: &Finding, json: bool, screen: Screen) -> String {
    if json {
        return serde_json::to_string(finding).expect("a finding is plain text") + "\n";
    }
    let verdict = match finding.verdict {
        Verdict::Ok => screen.paint(Paint::Good, "ok  "),
        Verdict::Warn => screen.paint(Paint::Doubtful, "warn"),
        Verdict::Fail => screen.paint(Paint::Bad, "fail"),
    };
    format!("{verdict}  {:<14} {}\n", finding.subject, for_terminal(&finding.detail))
}
