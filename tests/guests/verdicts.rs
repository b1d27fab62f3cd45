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
    for report in ["host", "root-host"] {
        hosts(guest, report);
    }
    cleaned(guest);
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

/// What is promised where limits cannot be enforced, whatever is asked for.
pub fn assert_unlimited(guest: &Guest) {
    for run in ["root", "user"] {
        truthful(guest, run);
        let isolation = &guest.verdict(run)["isolation"];
        assert_eq!(isolation["limits"], false, "{run}: {isolation}");
        assert_eq!(
            isolation["note"], "this host has cgroups of version 1",
            "{run}: {isolation}"
        );
        for name in ["network", "home", "read_only"] {
            assert_eq!(isolation[name], true, "{run}: {isolation}");
        }
        let required = format!("{run}-required");
        assert_eq!(guest.code(&required), 2, "{required}");
        let refused = &guest.verdict(&required)["summary"]["refused"];
        assert_eq!(refused, 2, "{required}");
    }
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
    let heavy = guest.verdict(&format!("{run}-heavy"));
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
        let verdict = if HEAVY.contains(id) { &heavy } else { &verdict };
        let check = check(verdict, id);
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

/// What `check host` tries is refused, each part of it, and the buses are among them.
fn hosts(guest: &Guest, report: &str) {
    let said = guest.verdict(report);
    let properties = said["properties"].as_array().unwrap();
    let names: Vec<&str> = properties
        .iter()
        .filter_map(|property| property["name"].as_str())
        .collect();
    for name in [
        "memory",
        "processes",
        "cpu",
        "network",
        "home",
        "system",
        "cgroups",
        "bus",
    ] {
        assert!(names.contains(&name), "{report}: {said:#}");
    }
    assert!(
        properties
            .iter()
            .all(|property| property["enforced"] == true),
        "{report}: {said:#}"
    );
    assert_eq!(said["isolation"]["contained"], true, "{report}: {said:#}");
}

/// A unit whose `check` is gone is told apart from others, and ended alone.
fn cleaned(guest: &Guest) {
    const DEAD: &str = "check-999999-1.scope";
    let unit = &guest.verdict("host")["units"];
    assert_eq!(unit[0]["name"], DEAD, "{unit}");
    assert_eq!(unit[0]["alive"], false, "{unit}");
    assert_eq!(unit.as_array().map(Vec::len), Some(1), "{unit}");
    let last = &guest.verdict("host-last")["units"];
    assert_eq!(last.as_array().map(Vec::len), Some(0), "{last}");
    let ended = guest.verdict("host-clean");
    assert_eq!(ended["units"][0]["name"], DEAD, "{ended}");
    assert_eq!(ended["units"][0]["gone"], true, "{ended}");
    let units = &guest.verdict("host-cleaned")["units"];
    assert_eq!(units.as_array().map(Vec::len), Some(0), "{units}");
    let left = guest.text("host.left");
    assert!(
        left.contains("sleep 100002") && !left.contains("sleep 100001"),
        "{left}"
    );
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
    found.unwrap_or_else(|| panic!("no check {id}: {verdict:#}"))
}
