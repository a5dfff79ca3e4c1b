//! Browser process: command line, pipes, folder for its files.
//!
//! The browser talks over two pipes (`--remote-debugging-pipe`), which end when hadal ends, however it ends.
//! The browser exits when its pipe ends, so no process is left behind. `unsafe` is forbidden, so a shell
//! moves the pipes from standard input and output to the file descriptors 3 and 4 and then becomes the
//! browser.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// Names of the browsers that are used, in this order.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
/// Start of the names of the folders for browser files.
const FOLDER: &str = "hadal-browser-";
/// Shell command that moves the pipes.
const MOVE_PIPES: &str = "exec 3<&0 4>&1 0</dev/null 1>/dev/null; ";
/// Shell command that becomes the browser.
const START: &str = "exec \"$0\" \"$@\"";
/// Shell command that becomes the browser as the user `nobody`, because a page must not run as root and the sandbox of
/// the browser does not start as root. The sandbox is left out where the system
/// forbids the namespaces it needs, and the browser runs as root where `nobody` may not read its files.
const START_AS_NOBODY: &str = "\
    as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups --'; \
    usable() { \"$@\" test -x \"$program\" -a -w \"$HOME\" 2>/dev/null; }; \
    program=$0; \
    if usable $as_nobody unshare --user; then exec $as_nobody \"$0\" \"$@\"; fi; \
    if usable $as_nobody; then exec $as_nobody \"$0\" --no-sandbox \"$@\"; fi; \
    exec \"$0\" --no-sandbox \"$@\"";
/// User and group `nobody` in `START_AS_NOBODY`.
const NOBODY: u32 = 65_534;

/// Options of the browser. It gets all answers through the pipe; the proxy refuses everything else.
const OPTIONS: [&str; 27] = [
    "--headless",
    "--remote-debugging-pipe",
    "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-breakpad",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,Translate,MediaRouter,OptimizationHints",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-notifications",
    "--mute-audio",
    "--no-first-run",
    "--no-default-browser-check",
    "--blink-settings=imagesEnabled=false",
    "--js-flags=--max-old-space-size=512",
];

/// First browser on the `PATH`.
pub fn find_browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let candidates = std::env::split_paths(&path).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    candidates.into_iter().find(|file| file.is_file())
}

/// True when hadal runs as root.
fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let user = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    user.and_then(|line| line.split_whitespace().nth(1)).is_some_and(|id| id == "0")
}

/// Starts a browser on an empty page and waits for its end. Returns the reason if it fails.
pub fn browser_fault(program: &Path) -> Option<String> {
    let folder = new_folder().ok()?;
    let options = ["--headless", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"];
    let ended = browser_command("", program, &options, &folder).stdin(Stdio::null()).output();
    std::fs::remove_dir_all(&folder).ok();
    match ended {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let is_sandbox = text.contains("No usable sandbox");
            Some(if is_sandbox {
                "it has no usable sandbox".into()
            } else {
                format!("it ended with {}", output.status)
            })
        }
        Err(error) => Some(error.to_string()),
    }
}

/// Command that starts a browser on an empty page, never as root. `before` is a shell command that runs first.
fn browser_command(before: &str, program: &Path, options: &[&str], folder: &Path) -> Command {
    let start = if is_root() { START_AS_NOBODY } else { START };
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("{before}{start}")).arg(program).args(options);
    command.arg(format!("--user-data-dir={}", folder.display())).arg("about:blank");
    // The browser writes files outside its folder otherwise.
    command.env("HOME", folder);
    command
}

/// A browser process. Dropping it ends the process and removes its folder.
pub struct BrowserProcess {
    child: Child,
    folder: PathBuf,
}

impl BrowserProcess {
    /// Starts a browser. Returns it with the ends of its pipes.
    pub fn start(program: &Path) -> io::Result<(BrowserProcess, ChildStdin, ChildStdout)> {
        remove_old_folders();
        let folder = new_folder()?;
        let mut command = browser_command(MOVE_PIPES, program, &OPTIONS, &folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let process = BrowserProcess { child, folder };
        let (input, output) = pipes.ok_or_else(|| io::Error::other("the browser has no pipes"))?;
        Ok((process, input, output))
    }
}

impl Drop for BrowserProcess {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// Creates a folder that names this process.
fn new_folder() -> io::Result<PathBuf> {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("{FOLDER}{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    if is_root() {
        std::os::unix::fs::chown(&folder, Some(NOBODY), Some(NOBODY))?;
    }
    Ok(folder)
}

/// Removes the folders of processes that were killed.
fn remove_old_folders() {
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return };
    let has_processes = Path::new("/proc/self").exists();
    for entry in entries.flatten().filter(|_| has_processes) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name.strip_prefix(FOLDER).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists()) {
            std::fs::remove_dir_all(entry.path()).ok();
        }
    }
}
