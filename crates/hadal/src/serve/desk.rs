//! What every handler has at hand.

use super::guard::Guard;
use super::live::Live;
use super::problem::Problem;
use crate::ask::Asker;
use crate::store::{Store, StoreError};
use std::sync::Arc;

/// What every handler has at hand.
pub struct Desk {
    /// The store, to look into.
    pub store: Arc<dyn Store>,
    /// Who may ask.
    pub guard: Guard,
    /// What runs and harvests do now.
    pub live: Live,
    /// Puts people's questions to forms.
    pub asker: Arc<Asker>,
}

impl Desk {
    /// Looks into the store, away from the threads that answer.
    pub async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        let store = Arc::clone(&self.store);
        let looked = tokio::task::spawn_blocking(move || look(store.as_ref())).await;
        let broken = |_| Problem::of(http::StatusCode::INTERNAL_SERVER_ERROR, "the store could not be read");
        Ok(looked.map_err(broken)??)
    }
}
