//! Exit status: 0 done, 1 failed, 2 usage or configuration error, 130 interrupted.

use hadal::config::ConfigError;
use hadal::engine::CrawlError;
use hadal::fetch::network::NetworkError;
use hadal::store::StoreError;
use hadal::topic::TopicError;
use std::io::Write;
use std::process::ExitCode;

/// Result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done,
    /// A failure that was already reported.
    Failed,
    /// Ctrl-C; everything is saved.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Interrupted => 130,
        })
    }
}

/// A usage error. The message names the correction.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Prints an error and returns its exit status. A reader that closes our output early, as `head` does, is not
/// an error.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(error) {
        return Exit::Done.into();
    }
    writeln!(std::io::stderr(), "error: {error:#}").ok();
    ExitCode::from(if is_usage(error) { 2 } else { 1 })
}

/// True for an error that the user can correct.
pub fn is_usage(error: &anyhow::Error) -> bool {
    let cause = |cause: &(dyn std::error::Error + 'static)| {
        cause.is::<Usage>()
            || cause.is::<ConfigError>()
            || cause.is::<NetworkError>()
            || cause.is::<TopicError>()
            || matches!(cause.downcast_ref(), Some(StoreError::BadUrl(_) | StoreError::BadDatabaseUrl { .. }))
            || matches!(cause.downcast_ref(), Some(CrawlError::OneWorker { .. }))
    };
    error.chain().any(cause)
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let broken = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(broken))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn errors_that_the_user_can_correct_are_status_2() {
        assert!(is_usage(&anyhow::Error::from(Usage("no".into())).context("while starting")));
        assert!(is_usage(&StoreError::BadUrl("x".into()).into()));
        assert!(!is_usage(&StoreError::Missing("x".into()).into()));
    }

    #[test]
    fn a_closed_pipe_is_found_under_its_context() {
        let closed = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        assert!(is_closed_pipe(&Err::<(), _>(closed).context("writing").unwrap_err()));
    }
}
