//! The pages that can be wrong, held against what is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Project, has_tool};

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of the first table below `heading`: the cells of each, the head left out.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, below) = page
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("no {heading:?}"));
    let lines = below.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|')).skip(2);
    rows.map(|row| {
        row.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect()
    })
    .collect()
}

/// A project that ends as its name says.
fn that(ends: &str) -> Project {
    let project = Project::new();
    match ends {
        "passed" => project.check("test", &["true"]),
        "failed" => project.check("test", &["false"]),
        "none" => project.check("test", &["no-such-program"]),
        other => panic!("docs/verdict.md has a verdict {other:?}, and this test knows of none"),
    };
    project
}

#[test]
fn the_exit_codes_are_those_of_the_table() {
    let rows = table(&read("docs/verdict.md"), "## Exit codes");
    assert_eq!(rows.len(), 3, "frozen: {rows:?}");
    for row in rows {
        let code: i32 = row[0].parse().unwrap();
        let word = row[1].split('`').nth(1).unwrap();
        let (real, verdict) = that(word).json(&[]);
        assert_eq!(
            (real, &verdict["verdict"], &verdict["exit_code"]),
            (code, &json!(word), &json!(code))
        );
    }
}

#[test]
fn the_statuses_and_routes_of_the_page_are_those_that_occur() {
    let page = read("docs/verdict.md");
    let statuses: BTreeSet<String> = table(&page, "## What a check comes to")
        .iter()
        .map(|row| row[0].trim_matches('`').to_owned())
        .collect();
    let summary = that("passed").json(&[]).1["summary"].clone();
    for status in &statuses {
        assert!(
            summary.get(status).is_some_and(Value::is_u64),
            "{status} is no count of the summary"
        );
    }
    assert_eq!(statuses.len(), 7);
    for (ends, route) in [
        ("passed", "pass"),
        ("failed", "repair"),
        ("none", "operator"),
    ] {
        assert_eq!(that(ends).json(&[]).1["route"], route);
        assert!(
            page.contains(&format!("`{route}`")),
            "docs/verdict.md lacks the route {route}"
        );
    }
}

/// Everything that people read.
fn pages() -> BTreeMap<PathBuf, String> {
    let docs = fs::read_dir(top().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let readme = Some(top().join("README.md")).filter(|path| path.exists());
    docs.chain(readme)
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect()
}

/// What a page says outside its fenced blocks.
fn prose(page: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The anchors of a page's headings, as GitHub and GitLab make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept = words
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn every_link_inside_the_project_leads_somewhere() {
    let link = regex::Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let mut faults = Vec::new();
    let mut seen = 0;
    for (path, page) in pages() {
        for found in link.captures_iter(&prose(&page)) {
            let target = &found[1];
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let (file, anchor) = target
                .split_once('#')
                .map_or((target, None), |(file, anchor)| (file, Some(anchor)));
            let led_to = if file.is_empty() {
                path.clone()
            } else {
                path.parent().unwrap().join(file)
            };
            let there = match anchor {
                Some(anchor) => {
                    fs::read_to_string(&led_to).is_ok_and(|page| anchors(&page).contains(anchor))
                }
                None => led_to.exists(),
            };
            if !there {
                faults.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(
        seen > 0,
        "no link was found: is the reader of links broken?"
    );
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Commands that a page tells its reader to type, in blocks fenced as `sh` or, behind a prompt, as
/// `console`.
fn commands(page: &str) -> Vec<String> {
    let mut fence = None;
    let mut commands = Vec::new();
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            fence = if fence.is_some() {
                None
            } else {
                Some(language.trim().to_owned())
            };
            continue;
        }
        let command = match fence.as_deref() {
            Some("sh") => Some(line),
            Some("console") => line.strip_prefix("$ "),
            _ => None,
        };
        commands.extend(
            command
                .map(str::trim)
                .filter(|command| !command.is_empty())
                .map(str::to_owned),
        );
    }
    commands
}

#[test]
fn the_readme_sets_up_with_two_commands() {
    let page =
        "```sh\ncargo test\n\n```\n```console\n$ check\nok: 1 passed\n```\n```json\n{}\n```\n";
    assert_eq!(
        commands(page),
        ["cargo test", "check"],
        "the reader of commands"
    );
    let mut cargo = commands(&read("README.md"));
    cargo.retain(|command| command.starts_with("cargo "));
    assert_eq!(
        cargo,
        ["cargo run --release -- -C fixtures/demo", "cargo test"]
    );
}

/// How lines begin that say what this machine can contain.
const WHERE_IT_RUNS: [&str; 5] = [
    "check: ",
    "checks ran uncontained: ",
    "  still true: ",
    "  to contain: ",
    "isolated: ",
];

/// A report without what differs from run to run and from machine to machine: times, and what the
/// folders above the demo are called.
fn without_circumstance(report: &str) -> Vec<String> {
    let time = regex::Regex::new(r" +[0-9.hm]+s$").unwrap();
    report
        .lines()
        .filter(|line| !WHERE_IT_RUNS.iter().any(|begins| line.starts_with(begins)))
        .map(|line| match line.find("fixtures/demo  ") {
            Some(at) => line[at..].to_owned(),
            None if line.starts_with("log: ") => line[line.find("again: ").unwrap()..].to_owned(),
            None => time.replace(line, "").into_owned(),
        })
        .collect()
}

#[test]
fn the_readme_shows_a_session_as_it_is() {
    if !has_tool("cargo") {
        return;
    }
    let readme = read("README.md");
    let (_, session) = readme
        .split_once("```console\n$ check -C fixtures/demo\n")
        .unwrap();
    let (session, _) = session.split_once("```").unwrap();
    let project = Project::new();
    let demo = Project::from_fixture("demo");
    fs::create_dir(project.path("fixtures")).unwrap();
    fs::rename(demo.root(), project.path("fixtures/demo")).unwrap();
    fs::remove_dir_all(project.path("fixtures/demo/.git")).unwrap();
    let ran = project.run(["-C", "fixtures/demo"]);
    assert_eq!(
        without_circumstance(session),
        without_circumstance(&ran.stdout)
    );
}

/// Every field of every kind of map, from the schema that is made of the tables of the reader.
fn fields_of(schema: &Value) -> BTreeSet<String> {
    let shapes = schema["$defs"].as_object().unwrap().values();
    shapes
        .chain([schema])
        .flat_map(|shape| shape["properties"].as_object().unwrap().keys().cloned())
        .collect()
}

#[test]
fn the_page_of_the_manifest_names_every_field() {
    let schema = serde_json::from_str(&read("docs/manifest.schema.json")).unwrap();
    let page = read("docs/manifest.md");
    let words: BTreeSet<&str> = page
        .split('`')
        .skip(1)
        .step_by(2)
        .flat_map(|code| code.split(['.', ':', ' ', '"']))
        .collect();
    let fields = fields_of(&schema);
    assert!(fields.len() > 40, "{fields:?}");
    let missing: Vec<&String> = fields
        .iter()
        .filter(|field| !words.contains(field.as_str()))
        .collect();
    assert!(missing.is_empty(), "docs/manifest.md lacks {missing:?}");
}

/// The blocks of a page that are fenced as `language`.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let behind = page.split(&fence).skip(1);
    behind
        .map(|rest| rest.split("```").next().unwrap().to_owned())
        .collect()
}

#[test]
fn the_manifests_of_the_page_are_right() {
    let page = read("docs/manifest.md");
    let mut shown = 0;
    for language in ["json", "toml"] {
        for text in blocks(&page, language) {
            let project = Project::without_git();
            let file = format!("harness.{language}");
            project.write(&file, &text);
            let named = if text.starts_with('[') && language == "json" {
                ["validate", "--record-file", file.as_str()]
            } else {
                ["validate", "--manifest", file.as_str()]
            };
            let ran = project.run(named);
            assert_eq!(ran.code, 0, "{text}\n{}", ran.stdout);
            shown += 1;
        }
    }
    assert!(shown >= 4, "{shown}");
}
