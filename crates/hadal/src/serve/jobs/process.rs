//! Jobs as processes of this program: start, output, end, stop.

use crate::topic::TopicFolder;
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};
use utoipa::ToSchema;

/// Last lines of a job's messages that are kept. Guess: they fit on a screen.
const MAX_LINES: usize = 40;
/// Maximum size of a job's result in bytes. Guess: verdicts on a hundred pages.
const MAX_RESULT: u64 = 4 << 20;
/// Maximum number of ended jobs that are listed.
const MAX_JOBS: usize = 50;
/// Interval of looks at a process that has closed its output. Guess.
const END_POLL: Duration = Duration::from_millis(20);
/// Maximum number of jobs at the same time. Guess.
const MAX_RUNNING: usize = 4;

/// The program that runs jobs, with the options that all of them get.
#[derive(Clone, Debug)]
pub struct JobProgram {
    /// Path of the program.
    pub path: PathBuf,
    /// Options of every job: store, topics, network.
    pub options: Vec<OsString>,
    /// Environment variables of every job.
    pub variables: Vec<(String, String)>,
    /// Environment variables that no job gets.
    pub withheld: Vec<String>,
    /// True if several crawls can write the store at the same time.
    pub is_shared_store: bool,
    /// Folder of the user's topics.
    pub topics: TopicFolder,
}

/// Purpose of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobKind {
    /// A crawl by `hadal find`.
    Crawl,
    /// `hadal find` without following links.
    Import,
    /// `hadal harvest`.
    Harvest,
    /// `hadal refresh`.
    Refresh,
    /// `hadal topics new`.
    Topic,
    /// `hadal judge`.
    Judge,
}

impl JobKind {
    /// True if the job writes the store.
    pub fn is_writing(self) -> bool {
        !matches!(self, JobKind::Topic | JobKind::Judge)
    }
}

/// State of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    Running,
    /// Ended with exit status 0.
    Done,
    /// Ended with another exit status; the last line of its messages is the reason.
    Failed,
    /// Ended after a stop; the same request resumes it.
    Stopped,
}

/// A command that a user started.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct JobView {
    /// Number of the job since the start of the server.
    pub job: u64,
    pub kind: JobKind,
    pub state: JobState,
    /// Command line that does the same in a terminal.
    pub command: String,
    /// Time of the start.
    pub started_at: String,
    /// Time of the end; null while it runs.
    pub ended_at: Option<String>,
    /// Exit status; null while it runs and after a signal.
    pub exit: Option<i32>,
    /// Last messages, oldest first.
    pub messages: Vec<String>,
    /// Result of a topic or judge job: the objects that the command prints.
    pub result: Vec<Value>,
}

/// Jobs of a server.
#[derive(Default)]
pub struct Jobs {
    /// The program, if this server may start jobs.
    pub program: OnceLock<JobProgram>,
    all: Mutex<VecDeque<Arc<Job>>>,
}

/// One job. Its process is reaped only under the lock, so that a signal never reaches another process.
struct Job {
    number: u64,
    inner: Mutex<JobRecord>,
}

struct JobRecord {
    view: JobView,
    child: Option<Child>,
    is_stop_requested: bool,
}

/// Reason why a job does not start.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The server has no program.
    #[error("this server starts nothing: it is read-only or belongs to a running command; use `hadal serve`")]
    NoProgram,
    /// Another job writes the store.
    #[error("another crawl, harvest or refresh uses this store; wait for its end or stop it")]
    Busy,
    /// Too many jobs run.
    #[error("{MAX_RUNNING} jobs are running; wait for one to end")]
    TooMany,
    /// The process could not be started.
    #[error("could not start the command: {0}")]
    NoProcess(#[from] io::Error),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

impl Jobs {
    /// Starts a command. `is_busy`: another process writes the store.
    pub fn start(&self, kind: JobKind, line: &[String], is_busy: bool) -> Result<JobView, JobError> {
        let program = self.program.get().ok_or(JobError::NoProgram)?;
        let mut all = lock(&self.all);
        let running: Vec<JobKind> = all.iter().filter_map(|job| job.running()).collect();
        let is_taken = is_busy || running.iter().any(|kind| kind.is_writing());
        if kind.is_writing() && is_taken && !program.is_shared_store {
            return Err(JobError::Busy);
        }
        if running.len() >= MAX_RUNNING {
            return Err(JobError::TooMany);
        }
        let number = all.back().map_or(1, |job| job.number + 1);
        let job = Job::spawn(program, number, kind, line)?;
        let view = lock(&job.inner).view.clone();
        all.push_back(job);
        if all.len() > MAX_JOBS
            && let Some(ended) = all.iter().position(|job| job.running().is_none())
        {
            all.remove(ended);
        }
        Ok(view)
    }

    /// All jobs, newest first.
    pub fn list(&self) -> Vec<JobView> {
        lock(&self.all).iter().rev().map(|job| lock(&job.inner).view.clone()).collect()
    }

    /// Job with this number, if there is one.
    pub fn one(&self, number: u64) -> Option<JobView> {
        self.list().into_iter().find(|job| job.job == number)
    }

    /// Asks a job to finish its requests in flight and stop.
    pub fn stop(&self, number: u64) -> Option<JobView> {
        let job = lock(&self.all).iter().find(|job| job.number == number).cloned()?;
        job.stop();
        let view = lock(&job.inner).view.clone();
        Some(view)
    }

    /// Asks all jobs to stop.
    pub fn stop_all(&self) {
        lock(&self.all).iter().for_each(|job| job.stop());
    }
}

impl Job {
    fn spawn(program: &JobProgram, number: u64, kind: JobKind, line: &[String]) -> io::Result<Arc<Job>> {
        let mut command = Command::new(&program.path);
        command.args(&program.options).args(line).envs(program.variables.iter().cloned());
        for name in &program.withheld {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (out, messages) = (child.stdout.take(), child.stderr.take());
        let view = JobView {
            job: number,
            kind,
            state: JobState::Running,
            command: shown(line),
            started_at: now(),
            ended_at: None,
            exit: None,
            messages: Vec::new(),
            result: Vec::new(),
        };
        let record = JobRecord { view, child: Some(child), is_stop_requested: false };
        let job = Arc::new(Job { number, inner: Mutex::new(record) });
        let reading = Arc::clone(&job);
        let result = std::thread::spawn(move || out.map(objects).unwrap_or_default());
        std::thread::spawn(move || {
            messages.into_iter().for_each(|messages| reading.read(messages));
            reading.end(result.join().unwrap_or_default());
        });
        Ok(job)
    }

    /// Kind of the job while it runs.
    fn running(&self) -> Option<JobKind> {
        let view = &lock(&self.inner).view;
        (view.state == JobState::Running).then_some(view.kind)
    }

    /// Keeps the last messages until the process closes its standard error.
    fn read(&self, messages: impl Read) {
        for line in BufReader::new(messages).split(b'\n').map_while(Result::ok) {
            let text = String::from_utf8_lossy(&line).trim_end().to_string();
            let kept = &mut lock(&self.inner).view.messages;
            kept.push(text);
            let surplus = kept.len().saturating_sub(MAX_LINES);
            kept.drain(..surplus);
        }
    }

    /// Waits for the process and records its end. A process that has closed its output may go on, and may still be
    /// stopped.
    fn end(&self, result: Vec<Value>) {
        let mut record = lock(&self.inner);
        let exit = loop {
            match record.child.as_mut().map(Child::try_wait) {
                Some(Ok(None)) => {
                    drop(record);
                    std::thread::sleep(END_POLL);
                    record = lock(&self.inner);
                }
                ended => break ended.and_then(|ended| ended.ok().flatten()),
            }
        };
        record.child = None;
        let exit = exit.and_then(|status| status.code());
        let is_stopped = record.is_stop_requested || exit == Some(130);
        record.view.state = match exit {
            Some(0) => JobState::Done,
            _ if is_stopped => JobState::Stopped,
            _ => JobState::Failed,
        };
        record.view.exit = exit;
        record.view.ended_at = Some(now());
        record.view.result = result;
    }

    fn stop(&self) {
        let mut record = lock(&self.inner);
        if let Some(child) = &mut record.child {
            terminate(child);
            record.is_stop_requested = true;
        }
    }
}

/// Asks a process to end, as Ctrl-C does.
#[cfg(unix)]
fn terminate(child: &mut Child) {
    let id = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(id) = id {
        rustix::process::kill_process(id, rustix::process::Signal::TERM).ok();
    }
}

#[cfg(not(unix))]
fn terminate(child: &mut Child) {
    child.kill().ok();
}

/// JSON objects that a command prints, one per line.
fn objects(out: impl Read) -> Vec<Value> {
    let mut out = BufReader::new(out);
    let lines = BufReader::new(out.by_ref().take(MAX_RESULT)).lines().map_while(Result::ok);
    let objects = lines.filter_map(|line| serde_json::from_str(&line).ok()).collect();
    // The process must not block on a full pipe.
    io::copy(&mut out, &mut io::sink()).ok();
    objects
}

/// Command line for people, with quotes where a shell needs them.
fn shown(line: &[String]) -> String {
    let is_plain = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_=./:#%@,+".contains(c))
    };
    let quoted = |word: &String| match is_plain(word) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let words: Vec<String> = line.iter().map(quoted).collect();
    format!("hadal {}", words.join(" "))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    /// Jobs that run a shell script; the script gets the kind of target as `$1`.
    fn jobs(script: &str) -> Jobs {
        let jobs = Jobs::default();
        let program = JobProgram {
            path: "/bin/sh".into(),
            options: vec!["-c".into(), script.into(), "sh".into()],
            variables: vec![("GIVEN".into(), "yes".into())],
            withheld: vec!["PATH".into()],
            is_shared_store: false,
            topics: TopicFolder("topics".into()),
        };
        jobs.program.set(program).unwrap();
        jobs
    }

    fn ended(jobs: &Jobs, number: u64) -> JobView {
        loop {
            let job = jobs.one(number).unwrap();
            if job.state != JobState::Running {
                return job;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_job_reports_its_messages_result_and_exit_status() {
        let jobs = jobs("echo begins >&2; echo '{\"topic\": \"'$1'\"}'; echo $GIVEN >&2; exit 3");
        let started = jobs.start(JobKind::Judge, &["a topic".to_string()], true).unwrap();
        assert_eq!((started.job, started.command.as_str()), (1, "hadal 'a topic'"));
        let job = ended(&jobs, 1);
        assert_eq!((job.state, job.exit), (JobState::Failed, Some(3)));
        assert_eq!(job.messages, ["begins", "yes"]);
        assert_eq!(job.result, [serde_json::json!({"topic": "a topic"})]);
    }

    #[test]
    fn one_job_at_a_time_writes_a_store_and_a_stop_ends_it() {
        let jobs = jobs("trap 'exit 130' TERM; echo ready >&2; while :; do read line; done");
        // Standard input is empty, so the loop spins until the signal arrives.
        jobs.start(JobKind::Crawl, &[], false).unwrap();
        assert!(matches!(jobs.start(JobKind::Harvest, &[], false), Err(JobError::Busy)));
        while jobs.one(1).unwrap().messages.is_empty() {
            std::thread::yield_now();
        }
        jobs.stop(1).unwrap();
        assert_eq!(ended(&jobs, 1).state, JobState::Stopped);
        assert!(jobs.stop(2).is_none());
        assert!(matches!(jobs.start(JobKind::Crawl, &[], true), Err(JobError::Busy)));
    }

    #[test]
    fn a_job_that_has_closed_its_output_can_be_stopped() {
        let jobs = jobs("trap 'exit 130' TERM; echo ready >&2; exec >&- 2>&-; while :; do read line; done");
        jobs.start(JobKind::Crawl, &[], false).unwrap();
        while jobs.one(1).unwrap().messages.is_empty() {
            std::thread::yield_now();
        }
        jobs.stop(1).unwrap();
        assert_eq!(ended(&jobs, 1).state, JobState::Stopped);
    }

    #[test]
    fn a_server_without_a_program_starts_nothing() {
        let refused = Jobs::default().start(JobKind::Judge, &[], false);
        assert!(matches!(refused, Err(JobError::NoProgram)));
    }
}
