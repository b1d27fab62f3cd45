//! The checks that try to break out, each with the property that has to hold it.

use serde_json::{Value, json};

/// What has to hold a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// The network.
    Network,
    /// The hidden home.
    Home,
    /// The read-only system.
    System,
    /// The limits; what uses too much is killed for it.
    Limits,
    /// Mounts: what Landlock refuses is there all the same, and it holds all of a tree or none.
    Mounts,
    /// All of it together.
    All,
    /// Nothing: it may do that.
    Allowed,
}

/// Every way out: id, what holds it, and its words for `breakout`.
pub const WAYS: &[(&str, Held, &[&str])] = &[
    (
        "argv",
        Held::Allowed,
        &["argv", "$HOME", "${X}", "%h", "$$", "", "a b", "é\t\"'\\"],
    ),
    ("loopback", Held::Allowed, &["loopback"]),
    ("writes-its-tree", Held::Allowed, &["argv"]),
    (
        "tcp-to-localhost",
        Held::Network,
        &["tcp", "127.0.0.1", "7777"],
    ),
    (
        "tcp-to-the-host",
        Held::Network,
        &["tcp", "10.9.9.1", "7777"],
    ),
    ("abstract", Held::Network, &["local", "@outside"]),
    ("home", Held::Home, &["reads", "@HOME@/canary"]),
    ("home-is-there", Held::Mounts, &["sees", "@HOME@/canary"]),
    ("home-listed", Held::Home, &["reads", "@HOME@/private"]),
    (
        "home-away",
        Held::Home,
        &["renames", "@HOME@/canary", "taken"],
    ),
    ("home-of-others", Held::Home, &["reads", "/root/canary"]),
    (
        "home-of-others-is-there",
        Held::Mounts,
        &["sees", "/root/canary"],
    ),
    ("user-bus", Held::Mounts, &["local", "/run/user/1000/bus"]),
    (
        "system-bus",
        Held::Mounts,
        &["local", "/run/dbus/system_bus_socket"],
    ),
    ("manager", Held::Mounts, &["local", "/run/systemd/private"]),
    ("usr", Held::System, &["makes", "/usr/made"]),
    ("etc", Held::System, &["makes", "/etc/made"]),
    ("own", Held::System, &["makes", "/srv/own/made"]),
    (
        "own-away",
        Held::System,
        &["renames", "/srv/own/file", "taken"],
    ),
    (
        "core-pattern",
        Held::System,
        &["writes", "/proc/sys/kernel/core_pattern", "core"],
    ),
    ("disk", Held::System, &["writes", "/dev/vda", ""]),
    (
        "cgroup-move",
        Held::System,
        &["writes", "/sys/fs/cgroup/cgroup.procs", "0"],
    ),
    (
        "cgroup-move-home",
        Held::System,
        &[
            "writes",
            "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/cgroup.procs",
            "0",
        ],
    ),
    ("cgroup-mount", Held::Limits, &["mounts-cgroups"]),
    ("remount", Held::System, &["remounts", "/usr"]),
    ("unmount", Held::Home, &["unmounts", "/home"]),
    ("others", Held::All, &["others"]),
    ("kill", Held::All, &["kills", "@OUTSIDE@"]),
    ("secret", Held::All, &["secret", "hunter2"]),
    ("managers-secret", Held::All, &["secret", "swordfish"]),
    (
        "baseline",
        Held::Mounts,
        &["makes", ".check/baseline/made.jsonl"],
    ),
    ("manifest", Held::Mounts, &["writes", "harness.json", " "]),
    (
        "manifest-away",
        Held::Mounts,
        &["renames", "harness.json", "away.json"],
    ),
    ("hooks", Held::Mounts, &["makes", ".git/hooks/pre-commit"]),
    ("git-config", Held::Mounts, &["writes", ".git/config", "\n"]),
    ("outlives", Held::Allowed, &["outlives"]),
    ("memory", Held::Limits, &["memory"]),
    ("memory-of-a-child", Held::Limits, &["memory-child"]),
    ("forks", Held::Limits, &["forks", "32"]),
    ("cpu", Held::Limits, &["cpu", "50"]),
];

/// Those that would take the guest down where nothing holds them.
pub const HEAVY: &[&str] = &["memory", "memory-of-a-child", "forks", "cpu"];

/// The harness, in which `@HOME@` and `@OUTSIDE@` are to be filled in.
pub fn manifest() -> String {
    let checks: Vec<Value> = WAYS
        .iter()
        .map(|(id, _, words)| {
            json!({
                "id": id,
                "executable": "./breakout",
                "args": words,
                "timeout": "60s",
                "exclusive": *id == "cpu",
                "output": {"format": "none"},
            })
        })
        .collect();
    let manifest = json!({
        "checks_max_memory_bytes": 64 << 20,
        "checks_max_processes": 32,
        "checks_cpu_percent": 50,
        "checks": checks,
    });
    manifest.to_string()
}
