//! CPU time, memory and temporary folders of a measured process.

use super::Anyhow;
use std::path::PathBuf;

/// Arguments of this process, without the one that `cargo bench` adds.
pub fn arguments() -> Vec<String> {
    std::env::args().skip(1).filter(|argument| argument != "--bench").collect()
}

/// CPU seconds of this process, all threads, user and system.
pub fn cpu() -> Anyhow<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks / 100.0)
}

/// Peak memory of this process in MB.
#[allow(dead_code, reason = "each bench uses its own part")]
pub fn peak_mb() -> Anyhow<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    Ok(line.split_whitespace().nth(1).unwrap_or("0").parse::<f64>()? / 1024.0)
}

/// A temporary folder of this process.
pub fn scratch(name: &str) -> Anyhow<PathBuf> {
    let dir = std::env::temp_dir().join(format!("hadal-bench-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}
