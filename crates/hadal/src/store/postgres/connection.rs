//! Connection to the server, used from blocking code.
//!
//! The traits of a store block, and the driver is asynchronous. [`DatabaseServer`] owns a runtime with one thread,
//! which moves bytes between the sockets and the driver. [`ServerConnection::run`] parks the calling thread until the
//! answer is there. A caller may itself be a thread of another runtime: no runtime is entered.

use super::fault::Fault;
use super::tls::Encryption;
use crate::polite::Clock;
use futures::future::try_join_all;
use hadal_core::time::Time;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Row, SimpleQueryMessage, Statement};

/// Longest time in which a server is tried again. A restart of PostgreSQL takes seconds; a failover of a managed one up
/// to a minute. Guess.
pub const MAX_RECONNECT_TIME: Duration = Duration::from_secs(60);
/// First and longest pause between two attempts. Guess.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// Time after which a silent connection counts as lost, on both sides. Guess.
const SILENCE: Duration = Duration::from_secs(15);

/// Settings of a connection. It ends when it is silent for [`SILENCE`] or idle for these times, and with it
/// its leases: the work of a worker that was suspended or cut off can be continued by another worker. Guess.
const SETTINGS: &str =
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2;
    SET idle_in_transaction_session_timeout = '60s'; SET idle_session_timeout = '10min';
    SET client_min_messages = warning; SET jit = off";

/// Value of a parameter.
pub type Value = Box<dyn ToSql + Sync + Send>;

/// A statement with its values.
pub struct Command {
    pub sql: Cow<'static, str>,
    pub values: Vec<Value>,
}

impl Command {
    /// A statement without values.
    pub fn plain(sql: &'static str) -> Command {
        Command { sql: Cow::Borrowed(sql), values: Vec::new() }
    }
}

/// Builds a [`Command`]: the SQL, then the values.
macro_rules! command {
    ($sql:expr $(, $value:expr)* $(,)?) => {
        $crate::store::postgres::connection::Command {
            sql: $sql.into(),
            values: vec![$(Box::new($value) as $crate::store::postgres::connection::Value),*],
        }
    };
}
pub(super) use command;

/// A database on a server.
pub struct DatabaseServer {
    config: Config,
    encryption: Encryption,
    /// `None` only while the value is dropped.
    runtime: Option<tokio::runtime::Runtime>,
    /// URL without its password.
    pub name: String,
    /// Round trips of all connections.
    pub round_trips: Arc<AtomicU64>,
}

impl DatabaseServer {
    pub fn new(mut config: Config, encryption: Encryption, name: String) -> Result<DatabaseServer, Fault> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|error| Fault::Failed(error.to_string()))?;
        config
            .application_name("hadal")
            .connect_timeout(SILENCE)
            .keepalives_idle(SILENCE / 3)
            .tcp_user_timeout(SILENCE);
        Ok(DatabaseServer { config, encryption, runtime: Some(runtime), name, round_trips: Arc::default() })
    }

    /// Connects, and tries again while the server starts or is out of reach.
    pub fn connect_with_retries(&self) -> Result<ServerConnection, Fault> {
        let (began, mut pause) = (Instant::now(), PAUSES.0);
        loop {
            match self.connect() {
                Err(Fault::Lost(_)) if began.elapsed() < MAX_RECONNECT_TIME => std::thread::sleep(pause),
                Err(Fault::Lost(detail)) => return Err(Fault::Unreachable(detail)),
                ended => return ended,
            }
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    pub fn connect(&self) -> Result<ServerConnection, Fault> {
        let (sender, receiver) = mpsc::channel();
        let (config, encryption) = (self.config.clone(), self.encryption.clone());
        let runtime = self.runtime.as_ref().ok_or_else(|| Fault::Lost("the store is closed".into()))?;
        runtime.spawn(async move { sender.send(open(&config, encryption).await) });
        let (client, transport) = receiver.recv().map_err(|error| Fault::Lost(error.to_string()))??;
        let connection = ServerConnection {
            client,
            transport,
            patience: Some(SILENCE),
            statements: Mutex::default(),
            round_trips: Arc::clone(&self.round_trips),
        };
        connection.script(SETTINGS)?;
        connection.follow_clock()?;
        Ok(ServerConnection { patience: None, ..connection })
    }
}

impl Drop for DatabaseServer {
    /// Ends the runtime without waiting, since a thread of another runtime may drop the store.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn open(config: &Config, encryption: Encryption) -> Result<(Client, tokio::task::AbortHandle), Fault> {
    // The driver limits the time to connect, and not that of the first messages.
    let opened = tokio::time::timeout(SILENCE, config.connect(encryption)).await;
    let (client, connection) = opened.map_err(|_| Fault::Lost("the server is silent".into()))??;
    let transport = tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection to PostgreSQL ended");
        }
    });
    Ok((client, transport.abort_handle()))
}

/// A connection with its prepared statements.
pub struct ServerConnection {
    client: Client,
    /// Task that moves bytes between socket and client.
    transport: tokio::task::AbortHandle,
    /// Longest wait for an answer; `None` is no limit.
    patience: Option<Duration>,
    statements: Mutex<FxHashMap<String, Statement>>,
    round_trips: Arc<AtomicU64>,
}

impl ServerConnection {
    /// Runs statements in one round trip and returns the rows of each. A statement is prepared at its first use, which
    /// costs one more.
    pub fn run(&self, commands: &[Command]) -> Result<Vec<Vec<Row>>, Fault> {
        self.wait(self.pipeline(commands))
    }

    /// Limits the wait for an answer. A server that is silent for longer counts as lost.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = Some(patience);
    }

    /// Waits for an answer. After the limit the connection is closed, since the answer may still come.
    fn wait<T, E: Into<Fault>>(&self, answer: impl Future<Output = Result<T, E>>) -> Result<T, Fault> {
        let answered = block_on(answer, self.patience);
        answered.map(|answer| answer.map_err(Into::into)).unwrap_or_else(|| {
            self.transport.abort();
            Err(Fault::Lost("the server does not answer".into()))
        })
    }

    /// Runs one statement and returns its rows.
    pub fn query(&self, command: Command) -> Result<Vec<Row>, Fault> {
        Ok(self.run(&[command])?.pop().unwrap_or_default())
    }

    /// Runs statements without values, separated by semicolons.
    pub fn script(&self, sql: &str) -> Result<(), Fault> {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        self.wait(self.client.batch_execute(sql))
    }

    /// Sets the clock of this process by that of the server, so that times of several machines can be compared.
    fn follow_clock(&self) -> Result<(), Fault> {
        let sql = "SELECT (extract(epoch FROM statement_timestamp()) * 1000)::bigint";
        let asked = Instant::now();
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        let messages = self.wait(self.client.simple_query(sql))?;
        let time = messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
            _ => None,
        });
        Clock::follow(Time(time.ok_or_else(|| Fault::damaged("the server gave no time"))?), asked.elapsed());
        Ok(())
    }

    pub fn is_closed(&self) -> bool {
        self.client.is_closed() || self.transport.is_finished()
    }

    async fn pipeline(&self, commands: &[Command]) -> Result<Vec<Vec<Row>>, Fault> {
        let statements = self.prepare(commands).await?;
        self.round_trips.fetch_add(1, Ordering::Relaxed);
        let queries = statements.iter().zip(commands).map(|(statement, command)| async move {
            let values: Vec<&(dyn ToSql + Sync)> =
                command.values.iter().map(|value| value.as_ref() as &(dyn ToSql + Sync)).collect();
            self.client.query(statement, &values).await
        });
        Ok(try_join_all(queries).await?)
    }

    async fn prepare(&self, commands: &[Command]) -> Result<Vec<Statement>, Fault> {
        let known = |sql: &str| lock(&self.statements).get(sql).cloned();
        let missing: Vec<&str> =
            commands.iter().map(|command| command.sql.as_ref()).filter(|sql| known(sql).is_none()).collect();
        if !missing.is_empty() {
            let prepared = try_join_all(missing.iter().map(|sql| self.client.prepare(sql))).await?;
            let prepared = missing.iter().map(|sql| sql.to_string()).zip(prepared);
            lock(&self.statements).extend(prepared);
        }
        Ok(commands.iter().filter_map(|command| known(&command.sql)).collect())
    }
}

fn lock<T>(value: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Wakes a parked thread.
struct ThreadWaker(Thread);

impl Wake for ThreadWaker {
    fn wake(self: Arc<ThreadWaker>) {
        self.0.unpark();
    }
}

/// Parks the calling thread until a future is ready. `None` if that takes longer than `patience`.
fn block_on<F: Future>(future: F, patience: Option<Duration>) -> Option<F::Output> {
    let waker = Waker::from(Arc::new(ThreadWaker(std::thread::current())));
    let (mut context, mut future) = (Context::from_waker(&waker), pin!(future));
    let end = patience.map(|patience| Instant::now() + patience);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        match end.map(|end| end.saturating_duration_since(Instant::now())) {
            None => std::thread::park(),
            Some(left) if left.is_zero() => return None,
            Some(left) => std::thread::park_timeout(left),
        }
    }
}
