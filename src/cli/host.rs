//! What this machine is, asked once.

use std::io::IsTerminal as _;

use crate::bar::ci_mark;
use crate::launch::Caller;
use crate::model::HostFacts;

/// The facts that defaults depend on.
pub fn facts(caller: &Caller) -> HostFacts {
    let terminal = std::io::stdout().is_terminal() || std::io::stderr().is_terminal();
    HostFacts {
        cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        ci: ci_mark(|name| value(caller, name)).is_some() && !terminal,
        memory_bytes: memory_bytes(),
    }
}

/// A variable of the caller as text.
pub fn value(caller: &Caller, name: &str) -> Option<String> {
    caller
        .var(name)
        .map(|value| value.to_string_lossy().into_owned())
}

/// The host's memory, as `/proc/meminfo` says; see proc(5).
#[cfg(target_os = "linux")]
fn memory_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Not asked for where nothing can enforce a limit.
#[cfg(windows)]
fn memory_bytes() -> u64 {
    0
}
