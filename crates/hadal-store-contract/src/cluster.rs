//! A private PostgreSQL server for tests, in a temporary folder.
//!
//! It is started once per test program and ends with it. Without the programs of PostgreSQL, tests are skipped with one
//! line; with `HADAL_POSTGRES=required` they fail.

use hadal::store::{Access, open};
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Settings of the server. Commits survive a crash of the server, and need not survive a power failure.
const SETTINGS: &str = "fsync = off\nfull_page_writes = off\nshared_buffers = 64MB\n\
    max_connections = 200\nlisten_addresses = '127.0.0.1'\nautovacuum = off\n";

/// Script that runs the server until its input ends, which happens when the test program ends. `restart` on its input
/// restarts the server.
const KEEPER: &str = r#"
trap '' INT
"$1"/pg_ctl -D "$2" -w -t 60 -l "$2"/log start >/dev/null && echo started
while read -r order; do
    "$1"/pg_ctl -D "$2" -w -t 60 -m "$order" -l "$2"/log restart >/dev/null && echo restarted
done
"$1"/pg_ctl -D "$2" -w -m immediate stop >/dev/null
rm -rf "$2"
"#;

/// A running server.
pub struct Cluster {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    keeper: std::sync::Mutex<Keeper>,
}

struct Keeper {
    child: std::process::Child,
    /// `None` only while the value is dropped.
    input: Option<std::process::ChildStdin>,
    output: std::io::BufReader<std::process::ChildStdout>,
}

impl Drop for Keeper {
    /// Ends the server and waits for it.
    fn drop(&mut self) {
        self.input.take();
        self.child.wait().ok();
    }
}

impl Keeper {
    fn wait(&mut self) -> bool {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut self.output, &mut line).is_ok_and(|read| read > 0)
    }
}

/// The server of this test program, or `None` if there is no PostgreSQL.
pub fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(start).as_ref()
}

/// A server of its own for one test, or `None` if there is no PostgreSQL. It ends when the value is dropped.
pub fn own() -> Option<Cluster> {
    cluster().and_then(|_| start())
}

/// URL of a new empty store, or `None` if there is no PostgreSQL.
pub fn new_store() -> Option<String> {
    Some(cluster()?.new_database("hadal_template"))
}

fn start() -> Option<Cluster> {
    let Some(programs) = programs() else {
        let is_required = std::env::var_os("HADAL_POSTGRES").is_some_and(|value| value == "required");
        assert!(!is_required, "HADAL_POSTGRES=required, and there is no PostgreSQL");
        writeln!(std::io::stderr(), "skipped: no PostgreSQL found (Debian: apt install postgresql)").ok();
        return None;
    };
    let cluster = Cluster::start(programs);
    cluster.run("createdb", &["hadal_template"]);
    open(&cluster.url("hadal_template"), Access::Crawl).unwrap();
    Some(cluster)
}

/// Folder with the programs of the latest PostgreSQL that is installed.
fn programs() -> Option<PathBuf> {
    let needed = ["initdb", "pg_ctl", "createdb", "psql"];
    let has_server = |folder: &PathBuf| needed.iter().all(|program| folder.join(program).exists());
    let in_path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&in_path).collect::<Vec<_>>();
    let listed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian: Vec<(u32, PathBuf)> = listed
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    debian.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    in_path.into_iter().chain(debian.into_iter().map(|(_, folder)| folder)).find(has_server)
}

/// A command as the user `postgres` for root, whom the server refuses.
fn command(program: &Path) -> Command {
    let is_root =
        std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program);
    command
}

/// Appends a text to a file of the server.
fn append(path: &Path, text: &str) {
    let mut written = command(Path::new("tee"))
        .arg("-a")
        .arg(path)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    written.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(written.wait().unwrap().success());
}

impl Cluster {
    fn start(programs: PathBuf) -> Cluster {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = std::env::temp_dir().join(format!("hadal-postgres-{}-{port}", std::process::id()));
        let made = command(&programs.join("initdb"))
            .args(["-U", "hadal", "-A", "trust", "-N", "--no-locale", "-E", "UTF8", "-D"])
            .arg(&folder)
            .current_dir("/")
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let settings = format!("{SETTINGS}port = {port}\nunix_socket_directories = '{}'\n", folder.display());
        append(&folder.join("postgresql.conf"), &settings);
        let mut child = command(Path::new("sh"))
            .args(["-c", KEEPER, "sh"])
            .args([&programs, &folder])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = std::io::BufReader::new(child.stdout.take().unwrap());
        let input = child.stdin.take();
        let mut keeper = Keeper { child, input, output };
        assert!(keeper.wait(), "PostgreSQL did not start, see {}/log", folder.display());
        Cluster { programs, folder, port, keeper: std::sync::Mutex::new(keeper) }
    }

    /// Restarts the server with TLS.
    pub fn encrypt(&self, certificate: &str, key: &str) {
        append(&self.folder.join("server.crt"), certificate);
        append(&self.folder.join("server.key"), key);
        let closed = command(Path::new("chmod")).arg("600").arg(self.folder.join("server.key")).status();
        assert!(closed.unwrap().success());
        append(&self.folder.join("postgresql.conf"), "ssl = on\n");
        self.restart("fast");
    }

    /// Restarts the server: `fast` ends all sessions, `immediate` is a crash.
    pub fn restart(&self, mode: &str) {
        let mut keeper = self.keeper.lock().unwrap();
        writeln!(keeper.input.as_mut().unwrap(), "{mode}").unwrap();
        assert!(keeper.wait(), "PostgreSQL did not start again");
    }

    /// URL of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://hadal@127.0.0.1:{}/{database}", self.port)
    }

    /// Creates a database as a copy of another one, and returns its URL.
    pub fn new_database(&self, template: &str) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.run("createdb", &["-T", template, &name]);
        self.url(&name)
    }

    /// Runs SQL in the database at a URL and returns the values, one row per line, columns separated by `|`.
    pub fn sql(&self, url: &str, sql: &str) -> String {
        self.run("psql", &["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql])
    }

    /// Ends all other sessions in the database at a URL.
    pub fn cut_connections(&self, url: &str) {
        let others = "datname = current_database() AND pid <> pg_backend_pid()";
        self.sql(url, &format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"));
        let (left, began) = (format!("SELECT count(*) FROM pg_stat_activity WHERE {others}"), Instant::now());
        while self.sql(url, &left) != "0" {
            assert!(began.elapsed() < Duration::from_secs(20), "a session does not end");
        }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let ran = Command::new(self.programs.join(program))
            .args(arguments)
            .env("PGHOST", "127.0.0.1")
            .env("PGPORT", self.port.to_string())
            .env("PGUSER", "hadal")
            .output()
            .unwrap();
        assert!(ran.status.success(), "{program}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8_lossy(&ran.stdout).trim().to_string()
    }
}
