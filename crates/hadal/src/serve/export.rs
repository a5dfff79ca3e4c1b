//! Everything that a harvest brought up, as a file that is written while it is sent.

use super::desk::Desk;
use super::extract::{Named, Params};
use super::harvests::no_harvest;
use super::problem::Problem;
use crate::output::listing::Listed;
use crate::output::terminal::Screen;
use crate::output::writer::{Format, writer};
use crate::store::{HarvestFilter, HarvestId, RecordRow, Store, Walk};
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

/// Pieces that wait for a slow client.
const WAITING: usize = 8;
const PIECE: usize = 64 * 1024;

/// How records are written.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExportParams {
    /// The format of the file.
    #[serde(default)]
    #[param(inline)]
    format: ExportFormat,
}

/// Formats of files.
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
    params(("harvest" = u64, Path, description = "Its number"), ExportParams),
    responses((status = 200, description = "The file", content(("application/x-ndjson"), ("text/csv"), ("application/vnd.apache.parquet")))))]
pub async fn records(
    State(desk): State<Arc<Desk>>,
    Named(harvest): Named<u64>,
    Params(params): Params<ExportParams>,
) -> Result<Response, Problem> {
    let only = HarvestFilter { harvest: Some(HarvestId(harvest)), ..HarvestFilter::default() };
    let wanted = only.clone();
    let known = desk.read(move |store| Ok(!store.harvests(&wanted)?.is_empty())).await?;
    if !known {
        return Err(no_harvest(harvest));
    }
    let (format, extension, content_type) = params.format.format();
    let (send, pieces) = mpsc::channel(WAITING);
    let store = Arc::clone(&desk.store);
    tokio::task::spawn_blocking(move || {
        if let Err(error) = write(store.as_ref(), &only, format, send) {
            tracing::info!("an export ended early: {error}");
        }
    });
    let body = unfold(pieces, async |mut pieces: mpsc::Receiver<io::Result<Bytes>>| {
        let piece = pieces.recv().await?;
        Some((piece, pieces))
    });
    let name = format!("attachment; filename=\"harvest-{harvest}.{extension}\"");
    let headers = [(header::CONTENT_TYPE, content_type.to_string()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, Body::from_stream(body)).into_response())
}

fn write(
    store: &dyn Store,
    only: &HarvestFilter,
    format: Format,
    send: mpsc::Sender<io::Result<Bytes>>,
) -> anyhow::Result<()> {
    let broken = send.clone();
    let out = BufWriter::with_capacity(PIECE, Pipe(send));
    let mut rows = writer::<RecordRow>(format, out, Screen::file())?;
    let mut ended = Ok(());
    let walked = store.records(only, &mut |row| {
        ended = rows.row(&row.cells());
        if ended.is_ok() { Walk::On } else { Walk::Stop }
    });
    if let Err(error) = walked {
        // Half a file must not look like a whole one: the connection is cut.
        broken.blocking_send(Err(io::Error::other("the store could not be read"))).ok();
        return Err(error.into());
    }
    ended?;
    Ok(rows.finish()?)
}

/// Hands what is written to whoever sends it.
struct Pipe(mpsc::Sender<io::Result<Bytes>>);

impl Write for Pipe {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.blocking_send(Ok(Bytes::copy_from_slice(piece))).map_err(gone)?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
