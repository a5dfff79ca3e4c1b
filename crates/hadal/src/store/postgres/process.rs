//! Identity of a process on its machine.
//!
//! A worker that was killed keeps its lease until the lease ends. Workers on the same machine need not wait: they see
//! that its process is gone.

use std::path::Path;

/// A process, as other processes of the same machine know it: boot of the machine, namespace of process numbers,
/// process number, and start time of the process in clock ticks since the boot. `None` where there is no `/proc`.
pub fn identity() -> Option<String> {
    let process = std::process::id();
    let (_, started) = state(process)?;
    Some(format!("{} {process} {started}", machine()?))
}

/// Boot of the machine, and namespace of its process numbers: two containers have different ones.
fn machine() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), namespace.display()))
}

/// True if the process was on this machine and has ended. A process of another machine counts as running.
pub fn has_ended(identity: &str) -> bool {
    let parts: Option<(&str, u32, u64)> = (|| {
        let (rest, started) = identity.rsplit_once(' ')?;
        let (machine, process) = rest.rsplit_once(' ')?;
        Some((machine, process.parse().ok()?, started.parse().ok()?))
    })();
    let Some((of, process, started)) = parts else { return false };
    let is_here = machine().is_some_and(|machine| machine == of) && Path::new("/proc/self/stat").exists();
    let is_running = state(process).is_some_and(|(is_alive, since)| is_alive && since == started);
    is_here && !is_running
}

/// True with the start time of a process if it is alive; false if it has ended and its parent has not noticed yet.
fn state(process: u32) -> Option<(bool, u64)> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program stands in parentheses and may hold anything.
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let (state, started) = (fields.first()?, fields.get(19)?.parse().ok()?);
    Some((!matches!(*state, "Z" | "X"), started))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_of_this_machine_that_is_gone_has_ended() {
        let Some(own) = identity() else { return };
        assert!(!has_ended(&own), "{own}");
        let (rest, started) = own.rsplit_once(' ').unwrap();
        let (machine, _) = rest.rsplit_once(' ').unwrap();
        assert!(has_ended(&format!("{machine} 4194999 {started}")), "no process has this number");
        assert!(has_ended(&format!("{rest} 1")), "the number was used again");
        assert!(!has_ended(&format!("other-boot pid:[1] 4194999 {started}")));
        assert!(!has_ended("") && !has_ended("a b"));
    }

    #[test]
    fn a_killed_process_has_ended_before_its_parent_looks() {
        let Some(own) = identity() else { return };
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let (_, started) = state(child.id()).unwrap();
        let machine = own.rsplitn(3, ' ').last().unwrap();
        let identity = format!("{machine} {} {started}", child.id());
        assert!(!has_ended(&identity));
        child.kill().unwrap();
        while !has_ended(&identity) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(has_ended(&identity));
    }
}
