//! Conversion of SQLite and file system errors.

use super::super::StoreError;
use rusqlite::{Error, ErrorCode, ffi};
use std::io;
use std::path::Path;

/// Converts an error of SQLite about the store in `folder`.
pub fn fault(folder: &Path, error: Error) -> StoreError {
    let path = folder.to_path_buf();
    let detail = error.to_string();
    let extended = error.sqlite_error().map(|raw| raw.extended_code);
    if let Some(ffi::SQLITE_IOERR_SHMSIZE) = extended {
        return StoreError::Full(path);
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged { path, detail },
        Some(ErrorCode::DiskFull) => StoreError::Full(path),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Failed { path, detail: "another program keeps it locked: try again later".into() }
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::Failed { path, detail: format!("{detail}: check the permissions of the folder") }
        }
        None if is_undecodable(&error) => StoreError::Damaged { path, detail },
        _ => StoreError::Failed { path, detail },
    }
}

fn is_undecodable(error: &Error) -> bool {
    matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::InvalidColumnType(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::Utf8Error(..)
    )
}

/// Converts an error of the file system about the store in `folder`.
pub fn io_fault(folder: &Path, doing: &str, error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full(folder.to_path_buf()),
        _ => StoreError::Failed { path: folder.to_path_buf(), detail: format!("cannot {doing}: {error}") },
    }
}

/// The error for a damaged file.
pub fn damaged(folder: &Path, detail: impl Into<String>) -> StoreError {
    StoreError::Damaged { path: folder.to_path_buf(), detail: detail.into() }
}
