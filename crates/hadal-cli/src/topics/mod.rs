//! `hadal topics`: built-in topics and your own, one file per subcommand.

mod built_in;
mod gather;
mod labels;
mod list;
mod new;
pub mod pointer;
mod propose;
mod show;
mod test;
mod train;

use super::exit::Exit;
use super::session::Session;
use clap::{Args, Subcommand};
use hadal::config::Override;

/// Create, show and test topics
///
/// Twelve topics are built in. Your own topic is two files in a folder (--topics): NAME.toml, which you may
/// edit, and NAME.model, which is learned.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  hadal topics list
  hadal topics new recipes --examples pages.txt --words \"recipe ingredient cuisine\"
  hadal topics show recipes
  hadal find recipes --seeds seeds.txt")]
pub struct TopicsArgs {
    #[command(subcommand)]
    command: TopicsCommand,
}

#[derive(Debug, Subcommand)]
enum TopicsCommand {
    List(list::TopicsListArgs),
    Show(show::ShowArgs),
    New(new::NewArgs),
    Train(train::TrainArgs),
    Test(test::TestArgs),
    Propose(propose::ProposeArgs),
    BuiltIn(built_in::BuiltInArgs),
}

impl TopicsArgs {
    pub fn overrides(&self) -> Vec<Override> {
        match &self.command {
            TopicsCommand::New(args) => args.network.overrides(),
            TopicsCommand::Train(args) => args.network.overrides(),
            _ => Vec::new(),
        }
    }
}

pub fn run(args: &TopicsArgs, session: &Session) -> anyhow::Result<Exit> {
    match &args.command {
        TopicsCommand::List(args) => list::run(args, session),
        TopicsCommand::Show(args) => show::run(args, session),
        TopicsCommand::New(args) => new::run(args, session),
        TopicsCommand::Train(args) => train::run(args, session),
        TopicsCommand::Test(args) => test::run(args, session),
        TopicsCommand::Propose(args) => propose::run(args, session),
        TopicsCommand::BuiltIn(args) => built_in::run(args, session),
    }
}
