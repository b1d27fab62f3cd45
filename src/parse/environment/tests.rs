//! The words of launchers and package managers, and the same words where they mean nothing.

use super::{Environment, Folder};

fn reason(lines: &[&str]) -> Option<String> {
    let mut environment = Environment::default();
    for line in lines {
        environment.line(line.as_bytes());
    }
    environment.take().map(|failure| failure.reason)
}

#[test]
fn a_launchers_last_lines_are_believed() {
    assert_eq!(
        reason(&[
            "go vet ./...",
            "sh: 1: eslint: not found",
            "make: *** [Makefile:3: lint] Error 127"
        ]),
        Some("eslint was not found (make: *** [Makefile:3: lint] Error 127)".to_owned())
    );
    assert_eq!(
        reason(&[
            "npm error code ENOTCACHED",
            "npm error request to https://registry.npmjs.org/@a%2fb failed: cache mode is 'only-if-cached' but no cached response is available."
        ]),
        Some("@a/b is not in the npm cache; add it on the host and relaunch".to_owned())
    );
    assert_eq!(
        reason(&["error: 'cargo-clippy' is not installed for the toolchain 'stable'."]),
        Some("cargo clippy is not installed".to_owned())
    );
    assert_eq!(
        reason(&["error: no such command: `nextest`"]),
        Some("cargo nextest is not installed".to_owned())
    );
}

#[test]
fn an_exit_code_of_a_script_is_no_fault_of_the_registry() {
    assert_eq!(
        reason(&["npm error code ENOTFOUND", "npm error code 127"]),
        Some("a program was not found (npm error code 127)".to_owned())
    );
}

#[test]
fn the_same_words_earlier_or_of_others_change_nothing() {
    let mut early = vec!["sh: 1: eslint: not found"];
    early.extend(["more"; 13]);
    assert_eq!(reason(&early), None);
    assert_eq!(reason(&["make: *** [Makefile:3: lint] Error 2"]), None);
    assert_eq!(reason(&["api: users: not found"]), None);
    assert_eq!(
        reason(&["server: dial tcp 127.0.0.1:1: connection refused"]),
        None
    );
}

/// A failing program says such things too, of servers of its own.
#[test]
fn what_a_program_says_of_itself_is_no_package_managers_word() {
    for lines in [
        &["error Error: connect ECONNREFUSED 127.0.0.1:5432"][..],
        &["error: connect ECONNREFUSED db:5432"],
        &["error: failed downloading the report"],
        &["All attempts to connect to db failed.", "  giving up"],
        &[
            "error: Failed to fetch: https://localhost:1/x",
            "  connection refused by localhost",
        ],
        &["ERROR: No matching distribution found for nosuch==1"],
        &["[ERROR] connect: Connection refused"],
    ] {
        assert_eq!(reason(lines), None, "{lines:?}");
    }
}

#[test]
fn what_could_not_be_fetched_is_named() {
    assert_eq!(
        reason(&[
            "go: golang.org/x/text@v0.3.0: Get \"https://proxy.golang.org/x\": dial tcp: lookup proxy.golang.org: no such host"
        ]),
        Some("module golang.org/x/text is not downloaded".to_owned())
    );
    assert_eq!(
        reason(&[
            "main.go:3:8: golang.org/x/text@v0.3.0: Get \"https://proxy.golang.org/x\": dial tcp 1.2.3.4:443: connect: network is unreachable"
        ]),
        Some("module golang.org/x/text is not downloaded".to_owned())
    );
    assert_eq!(
        reason(&[
            "error: failed to get `serde` as a dependency of package `x v0.1.0 (/x)`",
            "",
            "Caused by:",
            "  download of config.json failed",
            "  [6] Could not resolve hostname (Could not resolve host: index.crates.io)"
        ]),
        Some("crate serde is not downloaded".to_owned())
    );
    assert_eq!(
        reason(&[
            "error: failed to get `serde` as a dependency of package `x`",
            "  no such folder"
        ]),
        None
    );
}

#[test]
fn folders_are_followed() {
    let mut environment = Environment::default();
    assert_eq!(
        environment.line(b"make[1]: Entering directory '/srv/app/lib'"),
        Some(Folder::Enter("/srv/app/lib".to_owned()))
    );
    assert_eq!(
        environment.line(b"make[1]: Leaving directory '/srv/app/lib'"),
        Some(Folder::Leave)
    );
    assert_eq!(environment.line(b"makefile: x"), None);
}
