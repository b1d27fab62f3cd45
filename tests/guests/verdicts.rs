//! What the runs of a guest have to have come to.

use serde_json::Value;

use super::boot::Guest;
use super::harness::{HEAVY, Held, WAYS};

/// Everything that is promised of this guest.
pub fn assert_held(guest: &Guest) {
    for run in ["root", "user"] {
        contained(guest, run);
        let required = format!("{run}-required");
        let said = guest.text(&format!("{required}.json"));
        assert_eq!(guest.code(&required), 0, "{said}");
    }
    let uncontained = guest.verdict("root-uncontained");
    assert_eq!(uncontained["isolation"]["note"], "asked for");
    for run in degraded(guest) {
        truthful(guest, &run);
    }
    for setting in [
        "kernel.unprivileged_userns_clone",
        "user.max_user_namespaces",
    ] {
        held_by_landlock(guest, &format!("no-{setting}"));
    }
    let left = guest.text("killed.left");
    assert_eq!(left, "", "left behind by a run that was killed");
    let ms = guest.text("killed.ms");
    println!(
        "{}: nothing of a killed run is left after {} ms",
        guest.suite(),
        ms.trim()
    );
}

/// The runs in which something is missing, with those that require all of it.
fn degraded(guest: &Guest) -> Vec<String> {
    let mut runs: Vec<String> = ["no-session", "foreign-session", "no-bus"]
        .map(str::to_owned)
        .to_vec();
    for setting in [
        "kernel.unprivileged_userns_clone",
        "user.max_user_namespaces",
        "user.max_net_namespaces",
    ] {
        let required = format!("no-{setting}-required");
        assert_eq!(guest.code(&required), 2, "{required}");
        let verdict = guest.verdict(&required);
        assert_eq!(
            verdict["summary"]["refused"],
            WAYS.len(),
            "{required}: {}",
            verdict["summary"]
        );
        runs.push(format!("no-{setting}"));
    }
    assert_eq!(guest.code("no-bus-required"), 2);
    // Who does not say where the manager is has one all the same.
    assert_eq!(guest.code("no-session-required"), 0);
    runs
}

fn contained(guest: &Guest, run: &str) {
    let verdict = guest.verdict(run);
    let isolation = &verdict["isolation"];
    assert_eq!(isolation["contained"], true, "{run}: {isolation}");
    let unit = check(&verdict, "argv")["isolation"]["unit"]
        .as_str()
        .unwrap_or_default();
    assert!(
        unit.starts_with("check-") && unit.ends_with(".scope"),
        "{run}: {unit}"
    );
    for (id, held, _) in WAYS {
        let check = check(&verdict, id);
        let said = format!("{run}: {check}");
        assert_eq!(check["isolation"]["contained"], true, "{said}");
        if HEAVY.contains(id) && id.starts_with("memory") {
            assert_eq!(check["termination"], "killed_for_memory", "{said}");
        } else {
            assert_eq!(check["status"], "pass", "{held:?} {said}");
        }
    }
    // The last of them lifts no limit of its own, and leaves nothing.
    assert_eq!(
        check(&verdict, "outlives")["leaks"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    let argv = check(&verdict, "argv")["stdout_tail"].as_str().unwrap();
    assert_eq!(argv, "[$HOME]\n[${X}]\n[%h]\n[$$]\n[]\n[a b]\n[é\t\"'\\]\n");
}

/// Without namespaces, Landlock holds the files of every check.
fn held_by_landlock(guest: &Guest, run: &str) {
    let verdict = guest.verdict(run);
    let checks = verdict["checks"].as_array().unwrap();
    for check in checks {
        if HEAVY.contains(&check["id"].as_str().unwrap()) {
            continue;
        }
        let isolation = &check["isolation"];
        assert_eq!(isolation["mechanism"], "landlock", "{run}: {check}");
        for (name, holds) in [("home", true), ("read_only", true), ("network", false)] {
            assert_eq!(isolation[name], holds, "{name} {run}: {check}");
        }
    }
}

/// Where a property is said to hold, nothing that it has to hold got out.
fn truthful(guest: &Guest, run: &str) {
    let verdict = guest.verdict(run);
    assert_ne!(guest.code(run), 124, "{run} hung");
    for (id, held, _) in WAYS.iter().filter(|(id, ..)| !HEAVY.contains(id)) {
        let check = check(&verdict, id);
        let isolation = &check["isolation"];
        let is = |name: &str| isolation[name] == true;
        let holds = match held {
            Held::Network => is("network"),
            Held::Home => is("home"),
            Held::System => is("read_only"),
            Held::Mounts => is("read_only") && isolation["mechanism"] == "namespaces",
            Held::Limits => is("limits"),
            Held::All => is("contained"),
            Held::Allowed => true,
        };
        if holds {
            assert_eq!(check["status"], "pass", "{run}: {check}");
        }
        assert_eq!(
            is("contained"),
            ["limits", "network", "home", "read_only"]
                .iter()
                .all(|name| is(name))
        );
    }
}

#[track_caller]
fn check<'v>(verdict: &'v Value, id: &str) -> &'v Value {
    let checks = verdict["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["id"] == id);
    found.unwrap_or_else(|| panic!("no check {id}"))
}
