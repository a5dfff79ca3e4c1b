//! Exports of forms and records as streamed files.

use super::error::ApiError;
use super::extract::{PathParams, UrlParams};
use super::forms::FormParams;
use super::harvests::no_harvest;
use super::lists::AllRecordsParams;
use super::state::AppState;
use crate::output::listing::Listed;
use crate::output::terminal::Screen;
use crate::output::writer::{Format, writer};
use crate::report::form::has_words;
use crate::store::{
    FormRow, HarvestId, HarvestQuery, HarvestRowQuery, RecordRow, Store, StoreError, all_forms, all_records,
};
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::stream::unfold;
use http::header;
use serde::Deserialize;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use tokio::sync::mpsc;
use utoipa::{IntoParams, ToSchema};

/// Parts buffered for a slow client, and bytes of a part. Guesses.
const BUFFERED_PARTS: usize = 8;
const PART_BYTES: usize = 64 * 1024;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExportParams {
    /// Format of the exported file.
    #[serde(default)]
    #[param(inline)]
    format: ExportFormat,
}

/// Formats of exported files.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    #[default]
    Jsonl,
    Csv,
    Parquet,
}

impl ExportFormat {
    fn format(self) -> (Format, &'static str, &'static str) {
        match self {
            ExportFormat::Jsonl => (Format::Jsonl, "jsonl", "application/x-ndjson"),
            ExportFormat::Csv => (Format::Csv, "csv", "text/csv; charset=utf-8"),
            ExportFormat::Parquet => (Format::Parquet, "parquet", "application/vnd.apache.parquet"),
        }
    }
}

/// All records of a harvest as a file.
#[utoipa::path(get, path = "/api/harvests/{harvest}/export", operation_id = "export_records", tag = "harvests",
    params(("harvest" = u64, Path, description = "Number"), ExportParams),
    responses((status = 200, description = "The file", content(("application/x-ndjson"), ("text/csv"), ("application/vnd.apache.parquet")))))]
pub async fn records(
    State(state): State<Arc<AppState>>,
    PathParams(harvest): PathParams<u64>,
    UrlParams(params): UrlParams<ExportParams>,
) -> Result<Response, ApiError> {
    let id = HarvestId(harvest);
    let known = state.read(move |store| Ok(!store.harvests(&HarvestQuery::one(id))?.is_empty())).await?;
    if !known {
        return Err(no_harvest(harvest));
    }
    let rows = move |out: &mut RowSink<'_, RecordRow>, store: &dyn Store| {
        out(&mut all_records(store, HarvestRowQuery::of(id)))
    };
    Ok(file::<RecordRow>(&state, params.format, &format!("harvest-{harvest}"), rows))
}

/// Records of all harvests as a file.
#[utoipa::path(get, path = "/api/records/export", operation_id = "export_all_records", tag = "records",
    params(AllRecordsParams, ExportParams),
    responses((status = 200, description = "The file", content(("application/x-ndjson"), ("text/csv"), ("application/vnd.apache.parquet")))))]
pub async fn all(
    State(state): State<Arc<AppState>>,
    UrlParams(filter): UrlParams<AllRecordsParams>,
    UrlParams(params): UrlParams<ExportParams>,
) -> Result<Response, ApiError> {
    let query = filter.query()?;
    let rows = move |out: &mut RowSink<'_, RecordRow>, store: &dyn Store| out(&mut all_records(store, query));
    Ok(file::<RecordRow>(&state, params.format, "records", rows))
}

/// The directory as a file, most relevant form first.
#[utoipa::path(get, path = "/api/forms/export", operation_id = "export_forms", tag = "forms",
    params(FormParams, ExportParams),
    responses((status = 200, description = "The file", content(("application/x-ndjson"), ("text/csv"), ("application/vnd.apache.parquet")))))]
pub async fn forms(
    State(state): State<Arc<AppState>>,
    UrlParams(filter): UrlParams<FormParams>,
    UrlParams(params): UrlParams<ExportParams>,
) -> Result<Response, ApiError> {
    let words = filter.words();
    let query = filter.query()?;
    let rows = move |out: &mut RowSink<'_, FormRow>, store: &dyn Store| {
        let found = all_forms(store, query).map(|entry| entry.map(|entry| entry.row));
        out(&mut found.filter(|row| row.as_ref().map_or(true, |row| has_words(row, &words))))
    };
    Ok(file::<FormRow>(&state, params.format, "forms", rows))
}

/// Function that writes all rows.
type RowSink<'a, R> = dyn FnMut(&mut dyn Iterator<Item = Result<R, StoreError>>) -> anyhow::Result<()> + 'a;

/// Response with a file that is written while it is sent. `rows` passes all rows of a store to the writer.
fn file<R: Listed>(
    state: &AppState,
    format: ExportFormat,
    name: &str,
    rows: impl FnOnce(&mut RowSink<'_, R>, &dyn Store) -> anyhow::Result<()> + Send + 'static,
) -> Response {
    let (format, extension, content_type) = format.format();
    let (send, pieces) = mpsc::channel(BUFFERED_PARTS);
    let store = Arc::clone(&state.store);
    tokio::task::spawn_blocking(move || {
        let written = rows(&mut |rows| write(rows, format, send.clone()), store.as_ref());
        if let Err(error) = written {
            tracing::info!("export aborted: {error}");
        }
    });
    let body = unfold(pieces, async |mut pieces: mpsc::Receiver<io::Result<Bytes>>| {
        let piece = pieces.recv().await?;
        Some((piece, pieces))
    });
    let name = format!("attachment; filename=\"{name}.{extension}\"");
    let headers = [(header::CONTENT_TYPE, content_type.to_string()), (header::CONTENT_DISPOSITION, name)];
    (headers, Body::from_stream(body)).into_response()
}

fn write<R: Listed>(
    all: &mut dyn Iterator<Item = Result<R, StoreError>>,
    format: Format,
    send: mpsc::Sender<io::Result<Bytes>>,
) -> anyhow::Result<()> {
    let broken = send.clone();
    let out = BufWriter::with_capacity(PART_BYTES, BodyWriter(send));
    let mut rows = writer::<R>(format, out, Screen::file())?;
    for row in all {
        // An incomplete file must not look complete, so the connection is aborted.
        let row = row.inspect_err(|_| {
            broken.blocking_send(Err(io::Error::other("the store could not be read"))).ok();
        })?;
        rows.row(&row.cells())?;
    }
    Ok(rows.finish()?)
}

/// Writer that passes its output to the response body.
struct BodyWriter(mpsc::Sender<io::Result<Bytes>>);

impl Write for BodyWriter {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.blocking_send(Ok(Bytes::copy_from_slice(piece))).map_err(gone)?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
