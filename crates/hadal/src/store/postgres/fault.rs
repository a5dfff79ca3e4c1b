//! Errors of the driver and the server.

use super::super::StoreError;
use tokio_postgres::error::SqlState;

/// Reason why a call to the server failed.
#[derive(Debug)]
pub enum Fault {
    /// The connection is lost or the server does not accept one now. A further attempt may succeed.
    Lost(String),
    /// The server did not accept a connection for a minute.
    Unreachable(String),
    /// Another worker holds the run or harvest.
    Taken { what: String, holder: String },
    /// The lease of this worker expired, and it lost its partitions of the run.
    Evicted { what: String },
    /// The transaction was undone on purpose: a lease that it renews is gone.
    Undone,
    /// The disk of the server is full.
    Full,
    /// The call is refused; nothing was sent that could fail.
    Refused(String),
    /// A value cannot be decoded.
    Damaged(String),
    /// Any other error of the database. It undoes the open transaction.
    Failed(String),
}

impl Fault {
    /// The error of the store with this name.
    pub fn of_store(self, store: &str) -> StoreError {
        let path = store.into();
        match self {
            Fault::Lost(detail) | Fault::Unreachable(detail) => {
                StoreError::Unreachable { store: store.to_string(), detail }
            }
            Fault::Taken { what, holder } => StoreError::Taken { what, store: store.to_string(), holder },
            Fault::Evicted { what } => StoreError::LeaseLost { what, store: store.to_string() },
            Fault::Full => StoreError::Full(path),
            Fault::Damaged(detail) => StoreError::Damaged { path, detail },
            Fault::Undone => StoreError::Failed { path, detail: "the lease is gone".into() },
            Fault::Refused(detail) | Fault::Failed(detail) => StoreError::Failed { path, detail },
        }
    }

    /// True if the open transaction is undone.
    pub fn undoes_transaction(&self) -> bool {
        !matches!(self, Fault::Taken { .. } | Fault::Refused(_) | Fault::Damaged(_))
    }

    /// The error for a value that cannot be encoded or decoded.
    pub fn damaged(error: impl std::fmt::Display) -> Fault {
        Fault::Damaged(error.to_string())
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Fault {
        let Some(database) = error.as_db_error() else {
            let detail = chain(&error);
            return if is_decoding(&error) { Fault::Damaged(detail) } else { Fault::Lost(detail) };
        };
        let detail = database.message().to_string();
        match database.code() {
            code if is_passing(code) => Fault::Lost(detail),
            &SqlState::DISK_FULL => Fault::Full,
            &SqlState::DIVISION_BY_ZERO => Fault::Undone,
            &SqlState::DATA_CORRUPTED | &SqlState::INDEX_CORRUPTED => Fault::Damaged(detail),
            _ => Fault::Failed(detail),
        }
    }
}

/// True for states of the server that pass: it starts, stops, has no free connection, or ended this one.
fn is_passing(code: &SqlState) -> bool {
    let class = &code.code()[..2];
    class == "08"
        || [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::TOO_MANY_CONNECTIONS,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            SqlState::IDLE_SESSION_TIMEOUT,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
        ]
        .contains(code)
}

/// True for errors about a value rather than the connection.
fn is_decoding(error: &tokio_postgres::Error) -> bool {
    let text = error.to_string();
    ["error deserializing", "error serializing", "invalid column", "error parsing", "unsupported"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let next_text = next.to_string();
        if !text.ends_with(&next_text) {
            text = format!("{text}: {next_text}");
        }
        cause = next.source();
    }
    text
}
