//! State shared by all handlers.

use super::error::ApiError;
use super::guard::Guard;
use super::jobs::Jobs;
use super::live::Live;
use crate::ask::Asker;
use crate::store::{Store, StoreError};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// State shared by all handlers.
pub struct AppState {
    /// Store, opened for reading.
    pub store: Arc<dyn Store>,
    pub guard: Guard,
    pub live: Live,
    /// Sends queries of users to forms.
    pub asker: Arc<Asker>,
    /// Commands that users started.
    pub jobs: Arc<Jobs>,
    /// Folder with pictures of rendered pages, if they are stored.
    pub thumbnails: OnceLock<PathBuf>,
}

impl AppState {
    /// Reads the store on a blocking thread.
    pub async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let store = Arc::clone(&self.store);
        let looked = tokio::task::spawn_blocking(move || look(store.as_ref())).await;
        let broken = |_| ApiError::of(http::StatusCode::INTERNAL_SERVER_ERROR, "the store could not be read");
        Ok(looked.map_err(broken)??)
    }
}
