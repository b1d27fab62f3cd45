//! `check host`: what it says is tried out, on this host and in this tree.

use std::fs;

use serde_json::Value;

use crate::support::{Project, can_unshare, not_tested};

fn report(project: &Project, args: &[&str]) -> Value {
    let ran = project.run([&["host", "--json"], args].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn enforced(report: &Value, name: &str) -> bool {
    let properties = report["properties"].as_array().unwrap();
    let mut found = properties.iter().filter(|it| it["name"] == name);
    let property = found.next().unwrap_or_else(|| panic!("{name}: {report:#}"));
    property["enforced"] == true
}

#[test]
fn it_says_what_a_check_of_this_tree_would_have() {
    let project = Project::new();
    project.check("a", &["sh", "-c", "true"]);
    let report = report(&project, &[]);
    let (_, verdict) = project.json(&[]);
    let of_a_check = &verdict["checks"][0]["isolation"];
    for name in ["limits", "network", "home", "read_only", "contained"] {
        assert_eq!(report["isolation"][name], of_a_check[name], "{report:#}");
    }
    assert_eq!(enforced(&report, "network"), of_a_check["network"] == true);
    assert_eq!(enforced(&report, "home"), of_a_check["home"] == true);
    assert_eq!(enforced(&report, "system"), of_a_check["read_only"] == true);
    let limits = ["memory", "processes", "cpu"].map(|name| enforced(&report, name));
    assert_eq!(
        limits.iter().all(|held| *held),
        of_a_check["limits"] == true
    );
    assert_eq!(report["programs"][0]["name"], "sh");
    let inside = report["environment"]["inside"].as_array().unwrap();
    assert_eq!(inside[..2], ["PATH", "HOME"]);
}

#[test]
fn it_proves_what_namespaces_hold_and_leaves_nothing() {
    if !can_unshare(&["-rmnp", "--fork"]) {
        not_tested("no namespaces can be made here");
        return;
    }
    let project = Project::new();
    let home = tempfile::tempdir().unwrap();
    let ran = project
        .command(["host", "--json"])
        .env("HOME", home.path())
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    for name in ["network", "home", "system"] {
        assert!(enforced(&report, name), "{name}: {report:#}");
    }
    let left = fs::read_dir(home.path()).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().contains("canary")),
        "{left:?}"
    );
}

#[test]
fn a_manifest_with_problems_does_not_hide_the_host() {
    let project = Project::new();
    project.write("harness.json", "{\"checks\": [{\"id\": 1}]}");
    let ran = project.run(["doctor"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("(check validate)\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\nnetwork     "), "{}", ran.stdout);
}

#[test]
fn what_is_missing_is_told_where_containment_is_required_too() {
    let project = Project::new();
    project.write(
        "harness.json",
        r#"{"checks_require_containment": true, "checks": [{"id": "a", "executable": "true"}]}"#,
    );
    let report = report(&project, &[]);
    assert!(report["not_probed"].is_null(), "{report:#}");
    assert!(
        report["properties"].as_array().unwrap().len() > 5,
        "{report:#}"
    );
}

#[test]
fn programs_are_named_with_their_place_or_with_why_they_have_none() {
    let project = Project::new();
    project.check("a", &["no-such-tool-anywhere"]);
    let ran = project.run(["host"]);
    assert!(
        ran.stdout.contains("no-such-tool-anywhere is not on PATH"),
        "{}",
        ran.stdout
    );
}

#[test]
fn clean_ends_what_a_killed_run_left_and_says_so() {
    let project = Project::new();
    let ran = project.run(["host", "--clean"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.stdout
            .starts_with("nothing is left of any run that is gone\n"),
        "{}",
        ran.stdout
    );
    let ran = project.run(["host", "--clean", "--json"]);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(document["left_by_the_last_run"].is_null());
    // What makes no sense together is refused.
    assert_eq!(project.run(["host", "--clean", "--last"]).code, 2);
}
