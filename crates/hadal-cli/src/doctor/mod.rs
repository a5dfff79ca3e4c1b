//! `hadal doctor`: checks the installation. Each line is ok, warn or fail, with advice.
//!
//! No request leaves the machine unless `--online` is given.

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
    /// Also resolve a public host name and connect to it
    #[arg(long)]
    online: bool,
}

/// Result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    pub subject: &'static str,
    pub verdict: CheckLevel,
    /// Observation and advice.
    pub detail: String,
}

/// Level of a check result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckLevel {
    Ok,
    /// Works, with a remark.
    Warn,
    Fail,
}

/// Runs all checks. Exit status 1 if one fails.
pub fn run(args: &DoctorArgs, common: &Common) -> anyhow::Result<Exit> {
    let checked =
        common.layers(&[]).and_then(|layers| Ok(Config::check(&layers, &crate::extensions().names())?));
    let color = checked.as_ref().map_or(Color::Auto, |config| config.color);
    let mut findings = vec![checks::configuration(common.config_file().as_deref(), &checked)];
    if let Ok(config) = &checked {
        findings.extend(checks::store(&config.store.url));
        findings.push(checks::contact(config));
    }
    findings.extend([checks::resolver(), checks::proxy(), checks::browser(checked.as_ref().ok())]);
    if args.online {
        findings.push(checks::online());
    }
    let text: String =
        findings.iter().map(|finding| line(finding, common.json, Screen::stdout(color))).collect();
    std::io::stdout().write_all(text.as_bytes())?;
    let failed = findings.iter().any(|finding| finding.verdict == CheckLevel::Fail);
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

fn line(finding: &CheckResult, json: bool, screen: Screen) -> String {
    if json {
        return serde_json::to_string(finding).expect("a finding is plain text") + "\n";
    }
    let verdict = match finding.verdict {
        CheckLevel::Ok => screen.paint(Paint::Good, "ok  "),
        CheckLevel::Warn => screen.paint(Paint::Doubtful, "warn"),
        CheckLevel::Fail => screen.paint(Paint::Bad, "fail"),
    };
    format!("{verdict}  {:<14} {}\n", finding.subject, for_terminal(&finding.detail))
}
