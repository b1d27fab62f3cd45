//! Checks that want something from the network, which contained checks do not have: real tools, with cold
//! caches and with warm ones.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Project, can_unshare, check_of, has_tool, not_tested};

fn are_namespaces_here() -> bool {
    let here = can_unshare(&["-rmnp", "--fork"]);
    if !here {
        not_tested("no namespaces can be made here");
    }
    here
}

/// A project, and a home whose caches are cold.
struct Offline {
    project: Project,
    home: tempfile::TempDir,
}

impl Offline {
    fn new() -> Self {
        Self {
            project: Project::new(),
            home: tempfile::tempdir().unwrap(),
        }
    }

    fn with_home(&self, mut command: Command) -> Command {
        command.env("HOME", self.home.path());
        // Who keeps tools in the real home keeps them.
        if let Some(home) = std::env::var_os("HOME") {
            for (name, below) in [("RUSTUP_HOME", ".rustup"), ("PYENV_ROOT", ".pyenv")] {
                command.env(name, Path::new(&home).join(below));
            }
        }
        for name in ["GOPATH", "GOMODCACHE", "GOFLAGS", "CARGO_HOME"] {
            command.env_remove(name);
        }
        command
    }

    /// The check of these words, alone.
    fn check(&self, argv: &[&str]) -> (i32, Value, String) {
        let manifest = json!({"checks": [{
            "id": "work", "executable": argv[0], "args": &argv[1..], "timeout": "3m",
        }]});
        self.project.write("harness.json", manifest.to_string());
        let run = |args: &[&str]| {
            let output = self.with_home(self.project.command(args)).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            (output.status.code().unwrap(), text)
        };
        let (code, document) = run(&["--json"]);
        let verdict: Value = serde_json::from_str(&document).unwrap();
        let (_, page) = run(&["last"]);
        (code, check_of(&verdict, "work").clone(), page)
    }

    /// It could not run for want of something, and says which step brings it.
    #[track_caller]
    fn assert_needs_network(&self, argv: &[&str], reason: &str, step: &str) {
        let (code, check, _) = self.check(argv);
        assert_eq!(code, 2, "{check:#}");
        assert_eq!(check["isolation"]["network"], true, "{check:#}");
        assert_eq!(check["status"], "broken", "{check:#}");
        assert_eq!(check["reason"], reason, "{check:#}");
        let said = format!("checks have no network. Run this once, then check again:  {step}");
        assert_eq!(check["details"][0], said, "{check:#}");
        assert_eq!(check["failures_total"], 0, "{check:#}");
    }

    /// Takes the step, outside.
    #[track_caller]
    fn step(&self, argv: &[&str]) {
        let mut command = self.with_home(Command::new(argv[0]));
        let taken = command
            .args(&argv[1..])
            .current_dir(self.project.root())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&taken.stderr);
        assert!(taken.status.success(), "{argv:?}: {said}");
    }

    #[track_caller]
    fn assert_passes(&self, argv: &[&str]) {
        let (code, check, _) = self.check(argv);
        assert_eq!((code, &check["status"]), (0, &json!("pass")), "{check:#}");
        assert_eq!(check["isolation"]["network"], true, "{check:#}");
    }
}

#[test]
fn go_with_a_cold_cache_and_after_its_step() {
    if !are_namespaces_here() || !has_tool("go") {
        return;
    }
    let offline = Offline::new();
    offline
        .project
        .write("go.mod", "module example.com/app\n\ngo 1.21\n\nrequire golang.org/x/text v0.3.7\n")
        .write(
            "go.sum",
            "golang.org/x/text v0.3.7 h1:olpwvP2KacW1ZWvsR7uQhoyTYvKAupfQrRGBFM352Gk=\n\
             golang.org/x/text v0.3.7/go.mod h1:u+2+/6zg+i71rQMx5EYifcz6MCKuco9NR6JIITiCfzQ=\n",
        )
        .write("a_test.go", "package app\n\nimport (\n\t\"testing\"\n\n\t_ \"golang.org/x/text/cases\"\n)\n\nfunc TestA(t *testing.T) {}\n");
    let test = ["go", "test", "./..."];
    let reason = "module golang.org/x/text is not downloaded";
    offline.assert_needs_network(&test, reason, "go mod download");
    if has_tool("golangci-lint") {
        let lint = ["golangci-lint", "run"];
        offline.assert_needs_network(&lint, reason, "go mod download");
    }
    offline.step(&["go", "mod", "download"]);
    offline.assert_passes(&test);
}

#[test]
fn cargo_with_a_cold_cache_and_after_its_step() {
    if !are_namespaces_here() || !has_tool("cargo") {
        return;
    }
    let offline = Offline::new();
    offline
        .project
        .write(
            "Cargo.toml",
            "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nitoa = \"1\"\n",
        )
        .write("src/lib.rs", "#[test]\nfn a() {\n    assert_eq!(itoa::Buffer::new().format(1), \"1\");\n}\n");
    let test = ["cargo", "test"];
    offline.assert_needs_network(&test, "crate itoa is not downloaded", "cargo fetch");
    offline.step(&["cargo", "fetch"]);
    offline.assert_passes(&["cargo", "test", "--offline"]);
}

#[test]
fn npm_with_a_cold_cache_and_after_its_step() {
    if !are_namespaces_here() || !has_tool("npm") {
        return;
    }
    let offline = Offline::new();
    offline
        .project
        .write(
            "package.json",
            r#"{"name":"app","version":"1.0.0","scripts":{"test":"node -e \"require('left-pad')\""},"dependencies":{"left-pad":"1.3.0"}}"#,
        )
        .write(
            "package-lock.json",
            r#"{"name":"app","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{"":{"name":"app","version":"1.0.0","dependencies":{"left-pad":"1.3.0"}},"node_modules/left-pad":{"version":"1.3.0","resolved":"https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz","integrity":"sha512-XI5MPzVNApjAyhQzphX8BkmKsKUxD4LdyK24iZeQGinBN9yTQT3bFlCBy/aVx2HrNcqQGsdot8ghrjyrvMCoEA=="}}}"#,
        )
        // It would try for a minute.
        .write(".npmrc", "fetch-retries=0\n");
    let install = ["npm", "ci"];
    offline.assert_needs_network(&install, "left-pad is not downloaded", "npm ci");
    offline.step(&install);
    offline.assert_passes(&["npm", "test"]);
    // By the cache that the step has filled, where the check is the step itself.
    offline.assert_passes(&["npm", "ci", "--prefer-offline"]);
}

#[test]
fn pip_and_uv_with_cold_caches() {
    if !are_namespaces_here() {
        return;
    }
    let offline = Offline::new();
    offline.project.write(
        "pyproject.toml",
        "[project]\nname = \"app\"\nversion = \"0.1.0\"\nrequires-python = \">=3.9\"\ndependencies = [\"six==1.16.0\"]\n",
    );
    if has_tool("python3") {
        offline.assert_needs_network(
            &[
                "python3",
                "-m",
                "pip",
                "install",
                "--retries",
                "1",
                "--target",
                "lib",
                "six==1.16.0",
            ],
            "six==1.16.0 is not downloaded",
            "pip install 'six==1.16.0'",
        );
    }
    if has_tool("uv") {
        let import = ["uv", "run", "python", "-c", "import six"];
        offline.assert_needs_network(&import, "six is not downloaded", "uv sync");
        offline.step(&["uv", "sync"]);
        offline.assert_passes(&["uv", "run", "--offline", "python", "-c", "import six"]);
    }
}

#[test]
fn maven_with_a_cold_cache() {
    if !are_namespaces_here() || !has_tool("mvn") {
        return;
    }
    let offline = Offline::new();
    offline.project.write(
        "pom.xml",
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
         <groupId>org.example</groupId><artifactId>app</artifactId><version>1.0</version></project>\n",
    );
    let (code, check, _) = offline.check(&["mvn", "-B", "-Dmaven.repo.local=repository", "test"]);
    assert_eq!((code, &check["status"]), (2, &json!("broken")), "{check:#}");
    let reason = check["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("org.apache.maven.plugins:") && reason.ends_with(" is not downloaded"),
        "{reason}"
    );
    let step = check["details"][0].as_str().unwrap();
    assert!(
        step.ends_with("Run this once, then check again:  mvn test"),
        "{step}"
    );
}

#[test]
fn a_page_says_what_is_missing_and_both_ways_to_have_it() {
    if !are_namespaces_here() || !has_tool("go") {
        return;
    }
    let offline = Offline::new();
    offline
        .project
        .write(
            "go.mod",
            "module example.com/app\n\ngo 1.21\n\nrequire golang.org/x/text v0.3.7\n",
        )
        .write(
            "go.sum",
            "golang.org/x/text v0.3.7/go.mod h1:u+2+/6zg+i71rQMx5EYifcz6MCKuco9NR6JIITiCfzQ=\n\
             golang.org/x/text v0.3.7 h1:olpwvP2KacW1ZWvsR7uQhoyTYvKAupfQrRGBFM352Gk=\n",
        )
        .write(
            "a.go",
            "package app\n\nimport _ \"golang.org/x/text/cases\"\n",
        );
    let (_, _, page) = offline.check(&["go", "vet", "./..."]);
    for line in [
        "could not run: module golang.org/x/text is not downloaded",
        "  checks have no network. Run this once, then check again:  go mod download\n",
        "  or let this check have the host's:  \"network\": \"host\" in harness.json\n",
    ] {
        assert!(page.contains(line), "{page}");
    }
}

#[test]
fn a_failure_that_met_a_wall_is_told_which() {
    if !are_namespaces_here() {
        return;
    }
    let offline = Offline::new();
    let script = "echo 'a.test:1: dial tcp 203.0.113.1:80: connect: network is unreachable'; \
                  cat \"$1/.netrc\"; exit 1";
    let home = offline.home.path().display().to_string();
    let (code, check, _) = offline.check(&["sh", "-c", script, "sh", &home]);
    assert_eq!((code, &check["status"]), (1, &json!("fail")), "{check:#}");
    let notes = check["notes"].to_string();
    assert!(
        notes.contains("it was refused the network, which checks do not have"),
        "{notes}"
    );
    assert!(
        notes.contains(&format!("{home}/.netrc is in your home")),
        "{notes}"
    );
}
