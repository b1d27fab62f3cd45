//! Real toolchains in a check's home: each has to work with six variables, from the usual
//! environment and from one with nothing but PATH. Versions that a machine lacks are said to be
//! so; see `support::has_tool`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness_check::text::sha256_hex;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Project, Ran, check_of, has_tool, neutralise};

/// What the one check `test` of a project came to: from the usual environment and from
/// `env -i PATH=…`, where the home is what the user database says.
fn both(project: &Project) -> [Value; 2] {
    let usual = project.command(["--report", "json"]);
    let mut bare = project.command(["--report", "json"]);
    bare.env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap());
    let checks = [usual, bare].map(test_of);
    // Without TMPDIR the homes are in the temp folder itself.
    let user = format!("/tmp/check-{}", nix::unistd::getuid());
    let hash = &sha256_hex(project.root().as_os_str().as_encoded_bytes())[..16];
    for name in [hash.to_owned(), format!("spare-{hash}")] {
        fs::remove_dir_all(Path::new(&user).join(name)).unwrap();
    }
    checks
}

fn test_of(mut command: Command) -> Value {
    let ran = Ran::of(&command.output().unwrap());
    let verdict: Value = serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|error| panic!("{error}\n{}\n{}", ran.stdout, ran.stderr));
    check_of(&verdict, "test").clone()
}

#[track_caller]
fn passed(check: &Value, ran: u64) {
    assert_eq!(check["status"], "pass", "{check:#}");
    assert_eq!(check["evidence"]["ran"], ran, "{check:#}");
}

#[track_caller]
fn both_pass(project: &Project, ran: u64) {
    for check in both(project) {
        passed(&check, ran);
    }
}

/// A real home of a test's own. `check` is run with it by [`with_home`].
struct RealHome(TempDir);

impl RealHome {
    fn new() -> Self {
        Self(TempDir::with_prefix("check-home-of-test-").unwrap())
    }

    fn path(&self, place: &str) -> PathBuf {
        self.0.path().join(place)
    }

    fn write(&self, place: &str, text: &str) -> &Self {
        let path = self.path(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn folder(&self, place: &str) -> &Self {
        fs::create_dir_all(self.path(place)).unwrap();
        self
    }
}

/// The variables by which the caller's own toolchains would be found, taken away.
fn with_home(project: &Project, home: &RealHome, path: &[&Path]) -> Command {
    let mut command = project.command(["--report", "json"]);
    for (name, _) in std::env::vars_os() {
        let name_shown = name.to_string_lossy();
        let own = ["_HOME", "_DIR", "_ROOT", "_INSTALL"];
        if own.iter().any(|end| name_shown.ends_with(end)) || name_shown.starts_with("XDG_") {
            command.env_remove(&name);
        }
    }
    let inherited = std::env::var_os("PATH").unwrap();
    let before = path.iter().map(|path| path.to_path_buf());
    let joined = std::env::join_paths(before.chain(std::env::split_paths(&inherited)));
    command
        .env("HOME", home.0.path())
        .env("PATH", joined.unwrap());
    command
}

/// Where a program really is.
fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name));
    found.into_iter().find(|file| file.is_file()).unwrap()
}

fn cargo_project(project: &Project) {
    project.write(
        "Cargo.toml",
        "[package]\nname = \"tern\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    project.write(
        "src/lib.rs",
        "#[test]\nfn flies() {\n    assert_eq!(\"grün\".chars().count(), 4);\n}\n",
    );
}

#[test]
fn cargo_through_the_proxies_of_rustup() {
    if !has_tool("cargo") {
        return;
    }
    let project = Project::new();
    cargo_project(&project);
    project.check("test", &["cargo", "test", "--offline"]);
    both_pass(&project, 1);
}

#[test]
fn make_that_calls_cargo() {
    if !has_tool("cargo") || !has_tool("make") {
        return;
    }
    let project = Project::new();
    cargo_project(&project);
    project.write("Makefile", "test:\n\tcargo test --offline\n");
    project.check("test", &["make", "test"]);
    for check in both(&project) {
        assert_eq!(check["status"], "pass", "{check:#}");
        assert!(check["stdout_tail"].as_str().unwrap().contains("1 passed"));
    }
}

#[test]
fn npm_pnpm_and_yarn() {
    for manager in ["npm", "pnpm", "yarn"] {
        if !has_tool(manager) || !has_tool("node") {
            continue;
        }
        let project = Project::new();
        project.write(
            "package.json",
            r#"{"name": "tern", "version": "1.0.0", "private": true, "scripts": {"test": "node --test"}}"#,
        );
        project.write(
            "tern.test.js",
            "require('node:test')('flies', () => require('node:assert').equal('grün'.length, 4));\n",
        );
        project.check("test", &[manager, "test"]);
        for check in both(&project) {
            assert_eq!(check["status"], "pass", "{manager}: {check:#}");
            let printed = check["stdout_tail"].as_str().unwrap();
            assert!(printed.contains("pass 1"), "{manager}: {printed}");
        }
    }
}

fn python_project(project: &Project) {
    project.write(
        "test_tern.py",
        "import unittest\n\n\nclass Tern(unittest.TestCase):\n    def test_flies(self):\n        \
         self.assertEqual(len('grün'), 4)\n",
    );
}

#[test]
fn pytest_from_path_and_from_a_venv_in_the_root() {
    if !has_tool("pytest") || !has_tool("python3") {
        return;
    }
    let project = Project::new();
    python_project(&project);
    project.check("test", &["pytest", "-p", "no:cacheprovider"]);
    both_pass(&project, 1);

    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--without-pip", ".venv"]);
    assert!(venv.current_dir(project.root()).status().unwrap().success());
    // The packages of the interpreter that has pytest, which nothing is downloaded for.
    let installed = Command::new("python3")
        .args([
            "-c",
            "import pytest, os; print(os.path.dirname(os.path.dirname(pytest.__file__)))",
        ])
        .output()
        .unwrap();
    let installed = String::from_utf8(installed.stdout).unwrap();
    let venv_packages = fs::read_dir(project.path(".venv/lib")).unwrap().next();
    let venv_packages = venv_packages.unwrap().unwrap().path().join("site-packages");
    fs::write(venv_packages.join("installed.pth"), installed).unwrap();
    project.script(
        ".venv/bin/pytest",
        &format!(
            "#!{}\nimport pytest, sys\nsys.exit(pytest.main())\n",
            project.path(".venv/bin/python").display()
        ),
    );
    project.check("test", &[".venv/bin/pytest", "-p", "no:cacheprovider"]);
    both_pass(&project, 1);
}

#[test]
fn python_through_the_shims_of_pyenv_and_a_users_own_packages() {
    if !has_tool("pyenv") {
        return;
    }
    let project = Project::new();
    python_project(&project);
    let root = Command::new("pyenv").arg("root").output().unwrap();
    let root = PathBuf::from(String::from_utf8(root.stdout).unwrap().trim());
    let shim = root.join("shims/python3");
    assert!(shim.exists(), "{}", shim.display());
    let wanted = fs::read_to_string(root.join("version")).unwrap();
    let show = "import sys, tern_of_user; print(sys.version, tern_of_user.PLACE); \
                from unittest import main; main('test_tern', argv=['x'])";
    project.check("test", &[shim.to_str().unwrap(), "-c", show]);
    let home = RealHome::new();
    symlink(&root, home.path(".pyenv")).unwrap();
    let minor = wanted.trim().rsplit_once('.').unwrap().0;
    home.write(
        &format!(".local/lib/python{minor}/site-packages/tern_of_user.py"),
        "PLACE = 'at home'\n",
    );
    let check = test_of(with_home(&project, &home, &[]));
    assert_eq!(check["status"], "pass", "{check:#}");
    let printed = check["stdout_tail"].as_str().unwrap();
    assert!(
        printed.starts_with(wanted.trim()) && printed.contains("at home"),
        "{printed}"
    );
}

#[test]
fn go_finds_its_caches_and_the_second_run_is_cached() {
    if !has_tool("go") {
        return;
    }
    let project = Project::new();
    project.write("go.mod", "module example.invalid/tern\n\ngo 1.21\n");
    // Go caches by what the test read, and this one reads where it is at home.
    project.write(
        "tern_test.go",
        "package tern\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n\
         func TestFlies(t *testing.T) {\n\tif _, err := os.ReadDir(os.Getenv(\"HOME\")); err != nil {\n\
         \t\tt.Fatal(err)\n\t}\n}\n",
    );
    project.check("test", &["go", "test", "./..."]);
    let run = || {
        let check = test_of(project.command(["--report", "json"]));
        assert_eq!(check["status"], "pass", "{check:#}");
        check["stdout_tail"].as_str().unwrap().to_owned()
    };
    let first = run();
    assert!(
        first.starts_with("ok") && !first.contains("(cached)"),
        "{first}"
    );
    let second = run();
    assert!(second.contains("(cached)"), "{second}");
    for check in both(&project) {
        assert_eq!(check["status"], "pass", "{check:#}");
    }
}

/// JUnit's project for Maven and, with the same sources, for Gradle.
fn java_project() -> Project {
    let project = Project::new();
    project.write(
        "pom.xml",
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\n\
         <groupId>example</groupId><artifactId>tern</artifactId><version>1</version>\n\
         <properties><maven.compiler.source>11</maven.compiler.source>\
         <maven.compiler.target>11</maven.compiler.target>\
         <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>\n\
         <dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId>\
         <version>4.13.2</version><scope>test</scope></dependency></dependencies></project>\n",
    );
    project.write(
        "build.gradle",
        "apply plugin: 'java'\nrepositories { mavenLocal() }\n\
         dependencies { testCompile 'junit:junit:4.13.2' }\n\
         compileTestJava.options.encoding = 'UTF-8'\n",
    );
    project.write(
        "src/test/java/tern/TernTest.java",
        "package tern;\n\npublic class TernTest {\n    @org.junit.Test public void flies() {\n        \
         System.out.println(\"grün\");\n        \
         org.junit.Assert.assertEquals(4, \"grün\".length());\n    }\n}\n",
    );
    project
}

/// Fills the user's Maven repository with what [`java_project`] needs, from the network where it is
/// not there yet.
fn fill_maven_repository() {
    let project = java_project();
    let mut fill = Command::new("mvn");
    neutralise(&mut fill);
    fill.args(["-q", "-B", "test"]).current_dir(project.root());
    let filled = Ran::of(&fill.output().unwrap());
    assert_eq!(filled.code, 0, "{}\n{}", filled.stdout, filled.stderr);
}

#[test]
fn maven_offline_and_gradle_offline() {
    if !has_tool("mvn") {
        return;
    }
    fill_maven_repository();
    let project = java_project();
    project.check("test", &["mvn", "-o", "-B", "test"]);
    for check in both(&project) {
        assert_eq!(check["status"], "pass", "{check:#}");
        assert_eq!(check["env"], json!(["LANG"]));
        let printed = check["stdout_tail"].as_str().unwrap();
        assert!(
            printed.contains("grün") && printed.contains("Tests run: 1"),
            "{printed}"
        );
    }
    if has_tool("gradle") {
        project.check("test", &["gradle", "--offline", "--no-daemon", "test"]);
        for check in both(&project) {
            assert_eq!(check["status"], "pass", "{check:#}");
            let printed = check["stdout_tail"].as_str().unwrap();
            assert!(printed.contains("BUILD SUCCESSFUL"), "{printed}");
        }
    }
}

#[test]
fn uv_finds_its_caches_and_no_credentials() {
    if !has_tool("uv") || !has_tool("python3") {
        return;
    }
    let project = Project::new();
    python_project(&project);
    project.write(
        "pyproject.toml",
        "[project]\nname = \"tern\"\nversion = \"1\"\nrequires-python = \">=3.8\"\n",
    );
    let script = "cat ~/.local/share/uv/credentials/* 2>/dev/null; ls -A ~/.local/share/uv; \
                  uv cache dir; uv run --offline --no-python-downloads python -m unittest";
    project.check("test", &["sh", "-c", script]);
    let home = RealHome::new();
    home.write(".local/share/uv/credentials/credentials.toml", "s3cret\n")
        .folder(".local/share/uv/tools")
        .folder(".cache/uv");
    let check = test_of(with_home(&project, &home, &[]));
    assert_eq!(check["status"], "pass", "{check:#}");
    let printed = check["stdout_tail"].as_str().unwrap();
    assert!(
        printed.starts_with("tools\n") && printed.contains("/.cache/uv\n"),
        "{printed}"
    );
    assert!(!check.to_string().contains("s3cret"), "{check:#}");
    // What it wrote there is gone with the check.
    assert_eq!(fs::read_dir(home.path(".cache/uv")).unwrap().count(), 0);
}

#[test]
fn mise_runs_a_tool_of_the_users_own_settings() {
    if !has_tool("mise") || !has_tool("node") {
        return;
    }
    let home = RealHome::new();
    let version = Command::new("node").arg("--version").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let version = version.trim().trim_start_matches('v');
    let installed = format!(".local/share/mise/installs/node/{version}/bin");
    home.folder(&installed);
    symlink(program("node"), home.path(&installed).join("node")).unwrap();
    home.write(
        ".config/mise/config.toml",
        &format!("[tools]\nnode = \"{version}\"\n"),
    );
    let mise = |args: &[&str], folder: &Path| {
        let mut command = Command::new("mise");
        command.env_clear().env("HOME", home.0.path());
        command.env("PATH", std::env::var_os("PATH").unwrap());
        assert!(
            command
                .args(args)
                .current_dir(folder)
                .status()
                .unwrap()
                .success()
        );
    };
    mise(&["reshim"], home.0.path());
    let shims = home.path(".local/share/mise/shims");
    let project = Project::new();
    project.check(
        "test",
        &[
            shims.join("node").to_str().unwrap(),
            "-p",
            "process.version",
        ],
    );
    let check = test_of(with_home(&project, &home, &[&shims]));
    assert_eq!(check["stdout_tail"], format!("v{version}\n"), "{check:#}");

    // Settings of the tree that mise acts on only where the user has said so.
    project.write(
        "mise.toml",
        format!("[tools]\nnode = \"{version}\"\n[env]\nTERN = \"{{{{ 1 + 1 }}}}\"\n"),
    );
    project.check(
        "test",
        &[
            shims.join("node").to_str().unwrap(),
            "-p",
            "process.env.TERN",
        ],
    );
    let untrusted = test_of(with_home(&project, &home, &[&shims]));
    assert_eq!(untrusted["status"], "fail", "{untrusted:#}");
    mise(&["trust", "--quiet"], project.root());
    let check = test_of(with_home(&project, &home, &[&shims]));
    assert_eq!(check["stdout_tail"], "2\n", "{check:#}");

    // A secret beside: the file is not there for a check.
    home.write(
        ".config/mise/config.toml",
        &format!("[tools]\nnode = \"{version}\"\n[env]\nAPI_KEY = \"s3cret\"\n"),
    );
    project.check(
        "test",
        &[
            "sh",
            "-c",
            "cat ~/.config/mise/config.toml; ls -A ~/.config",
        ],
    );
    let check = test_of(with_home(&project, &home, &[&shims]));
    assert!(!check.to_string().contains("s3cret"), "{check:#}");
}

#[test]
fn bun_and_deno() {
    for (tool, args) in [("bun", vec!["test"]), ("deno", vec!["test", "--allow-env"])] {
        if !has_tool(tool) {
            continue;
        }
        let project = Project::new();
        let test = if tool == "bun" {
            "import { test, expect } from 'bun:test';\ntest('flies', () => expect('grün'.length).toBe(4));\n"
        } else {
            "Deno.test('flies', () => { if ('grün'.length !== 4) throw new Error(); });\n"
        };
        project.write("tern.test.ts", test);
        let argv: Vec<&str> = std::iter::once(tool).chain(args).collect();
        project.check("test", &argv);
        for check in both(&project) {
            assert_eq!(check["status"], "pass", "{tool}: {check:#}");
        }
    }
}

#[test]
fn toolchains_that_are_not_here_are_linked_where_they_look_and_nothing_else_of_the_home_is() {
    let home = RealHome::new();
    for tool in [".volta/bin", ".asdf/shims", ".nvm/versions", ".rbenv/shims"] {
        home.folder(tool);
    }
    let elsewhere = TempDir::new().unwrap();
    fs::create_dir(elsewhere.path().join("candidates")).unwrap();
    home.write(".tool-versions", "nodejs 20.0.0\n")
        .write(".cargo/credentials.toml", "s3cret")
        .write(".cargo/bin/tool", "")
        .write(".m2/settings.xml", "s3cret")
        .write(".m2/repository/a", "")
        .write(".gradle/gradle.properties", "s3cret")
        .folder(".gradle/caches")
        .folder(".gradle/daemon");
    for secret in [
        ".npmrc",
        ".pypirc",
        ".netrc",
        ".ssh/id_rsa",
        ".config/uv/uv.toml",
    ] {
        home.write(secret, "s3cret");
    }
    let project = Project::new();
    let script = "cd ~; find . ! -name . | sort; readlink .sdkman; cat .tool-versions; \
                  find -L . -type f -exec grep -l s3cret {} +; touch .cargo/credentials.toml";
    project.check("test", &["sh", "-c", script]);
    let mut command = with_home(&project, &home, &[]);
    command.env("SDKMAN_DIR", elsewhere.path());
    let check = test_of(command);
    let wanted = [
        "./.asdf",
        "./.cargo",
        "./.cargo/.global-cache",
        "./.cargo/.package-cache",
        "./.cargo/.package-cache-mutate",
        "./.cargo/bin",
        "./.gitconfig",
        "./.gradle",
        "./.gradle/caches",
        "./.m2",
        "./.m2/repository",
        "./.nvm",
        "./.rbenv",
        "./.sdkman",
        "./.tool-versions",
        "./.volta",
        elsewhere.path().to_str().unwrap(),
        "nodejs 20.0.0",
    ];
    let printed = check["stdout_tail"].as_str().unwrap();
    assert_eq!(printed.lines().collect::<Vec<_>>(), wanted);
    let kept = fs::read_to_string(home.path(".cargo/credentials.toml")).unwrap();
    assert_eq!(kept, "s3cret");
}

/// Runs `check` where `/tmp` is another folder, mounted as `options` say; `None` where that cannot
/// be done.
fn with_other_temp(project: &Project, options: &str, temp: &OsStr) -> Option<Value> {
    let mount = format!("mount -t tmpfs -o {options} none /tmp && exec \"$0\" --report json");
    let mut command = Command::new("unshare");
    neutralise(&mut command);
    command
        .args(["-r", "-m", "sh", "-c", &mount, env!("CARGO_BIN_EXE_check")])
        .env("TMPDIR", temp)
        .env("XDG_STATE_HOME", temp)
        .current_dir(project.root());
    let ran = Ran::of(&command.output().ok()?);
    let verdict: Value = serde_json::from_str(&ran.stdout).ok()?;
    Some(check_of(&verdict, "test").clone())
}

#[test]
fn tmpdir_is_handed_on_only_where_the_temp_folder_cannot_be_written() {
    let outside = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let project = Project::without_git_in(outside.path());
    project.check("test", &["env"]);
    let temp = outside.path().join("temp");
    fs::create_dir(&temp).unwrap();
    let has = |options: &str| {
        let check = with_other_temp(&project, options, temp.as_os_str())?;
        assert_eq!(check["status"], "pass", "{check:#}");
        let printed = check["stdout_tail"].as_str().unwrap().to_owned();
        let named = check["env"] == json!(["TMPDIR"]);
        assert_eq!(printed.contains("TMPDIR="), named, "{printed}");
        Some(named)
    };
    let (Some(writable), Some(read_only)) = (has("rw"), has("ro")) else {
        crate::support::not_tested("no mount can be made here");
        return;
    };
    assert!(!writable && read_only);
}
