//! IP addresses of a shared run: each has at most one worker that may send requests to its hosts.
//!
//! Hosts of different partitions may have one address. A worker claims addresses in batches, on a second connection,
//! before the first request to them. If another worker has it, the claim marks it as wanted. The other worker gives it
//! up after its next request, with the rest of the pause on the clock of the server.

use super::super::{AddressGrant, RunId};
use super::codec::{Columns, bits};
use super::connection::{Command, ServerConnection, command};
use super::fault::Fault;
use std::net::IpAddr;
use std::time::Duration;
use tokio_postgres::Row;

/// Frees the addresses of workers that leave or are lost.
pub const ABANDON: &str = "UPDATE addresses SET worker = NULL, is_wanted = false, is_abandoned = true
    WHERE worker = ANY($1)";

/// Claims addresses for a worker. Returns those that it has from now on.
pub fn claim(
    connection: &ServerConnection,
    run: RunId,
    worker: i64,
    addresses: &[IpAddr],
) -> Result<Vec<AddressGrant>, Fault> {
    const SQL: &str = "WITH claimed AS (
            INSERT INTO addresses AS held (run, ip, worker)
            SELECT $1, ip, $2 FROM (SELECT DISTINCT ip FROM unnest($3::text[]) AS new (ip) ORDER BY ip) AS new
            ON CONFLICT (run, ip) DO UPDATE SET
                worker = CASE WHEN EXISTS (SELECT 1 FROM workers WHERE id = held.worker) THEN held.worker
                    ELSE excluded.worker END,
                is_wanted = held.is_wanted OR EXISTS (SELECT 1 FROM workers WHERE id = held.worker AND id <> $2)
            RETURNING ip, worker, extract(epoch FROM free_at - clock_timestamp())::float8 AS pause, is_abandoned)
        SELECT ip, pause, is_abandoned FROM claimed WHERE worker = $2";
    let names: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    let rows = connection.query(command!(SQL, bits(run.0), worker, names))?;
    rows.iter().map(grant).collect()
}

fn grant(row: &Row) -> Result<AddressGrant, Fault> {
    let pause = Duration::try_from_secs_f64(row.column::<f64>(1)?).unwrap_or_default();
    Ok(AddressGrant { address: row.parsed(0)?, pause, is_abandoned: row.column(2)? })
}

/// Statement that gives up addresses, each with the rest of its pause.
pub fn release(run: RunId, worker: i64, released: &[(IpAddr, Duration)]) -> Command {
    const SQL: &str = "UPDATE addresses SET worker = NULL, is_wanted = false, is_abandoned = false,
            free_at = clock_timestamp() + new.pause * interval '1 second'
        FROM unnest($3::text[], $4::float8[]) AS new (ip, pause)
        WHERE run = $1 AND worker = $2 AND addresses.ip = new.ip";
    let names: Vec<String> = released.iter().map(|(address, _)| address.to_string()).collect();
    let pauses: Vec<f64> = released.iter().map(|(_, pause)| pause.as_secs_f64()).collect();
    command!(SQL, bits(run.0), worker, names, pauses)
}

/// Query for the addresses of a worker that others want.
pub const WANTED: &str = "SELECT ip FROM addresses WHERE worker = $1 AND is_wanted";

/// Result of [`WANTED`].
pub fn wanted(rows: &[Row]) -> Result<Vec<IpAddr>, Fault> {
    rows.iter().map(|row| row.parsed(0)).collect()
}
