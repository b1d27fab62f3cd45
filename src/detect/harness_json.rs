//! A manifest that declares what was detected.

use serde_json::json;

use super::{Detected, settings};
use crate::model::{CheckSpec, Streams};

/// The text of a `harness.json` with the checks that are run by default: one a line, as people
/// write them, and what their tools are told about the missing terminal.
///
/// Two things hold for a detected run alone. Memory is a fact of the host, and no text for
/// another one. And a test command that finds no tests is skipped there; declared, it is asked
/// for tests, until `allow_empty` says otherwise.
pub fn harness_json(detected: &Detected) -> String {
    let checks: Vec<String> = detected
        .checks
        .iter()
        .filter(|check| !check.only_named)
        .map(|check| format!("    {}", one_line(check)))
        .collect();
    let env: Vec<String> = settings::ENV
        .iter()
        .map(|(name, value)| format!("    {}: {}", json!(name), json!(value)))
        .collect();
    format!(
        "{{\n  \"checks\": [\n{}\n  ],\n  \"checks_env\": {{\n{}\n  }}\n}}\n",
        checks.join(",\n"),
        env.join(",\n")
    )
}

/// `{"id": "test", "executable": "go", "args": ["test", "./..."]}`.
fn one_line(check: &CheckSpec) -> String {
    let mut fields = vec![
        format!("\"id\": {}", json!(check.id.as_str())),
        format!("\"executable\": {}", json!(check.executable())),
    ];
    let argv = check.argv();
    let words: Vec<String> = argv
        .iter()
        .skip(1)
        .map(|arg| json!(arg).to_string())
        .collect();
    if !words.is_empty() {
        fields.push(format!("\"args\": [{}]", words.join(", ")));
    }
    if check.output.streams == Some(Streams::Joined) {
        fields.push("\"output\": {\"streams\": \"joined\"}".to_owned());
    }
    if check.exclusive {
        fields.push("\"exclusive\": true".to_owned());
    }
    format!("{{{}}}", fields.join(", "))
}
