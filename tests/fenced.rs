//! Checks where this host refuses namespaces: Landlock keeps them from the home and the system.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Project, Ran, can_unshare, check_of, has_tool, is_root, not_tested};

/// A user that nobody is.
const USER: &str = "54321";
/// Makes a user namespace useless to what runs in it, without a capability in it.
const AS_USER: &str = "echo 0 > /proc/sys/user/max_user_namespaces && \
                       exec setpriv --ambient-caps=-all --inh-caps=-all \"$@\"";
/// The same to root.
const AS_ROOT: &str = "for kind in user mnt; do echo 0 > /proc/sys/user/max_${kind}_namespaces; done \
                       && exec \"$@\"";

/// The version of Landlock, as `landlock_create_ruleset(2)` tells it; below 1 where there is none.
fn landlock() -> i64 {
    // SAFETY: no structure is handed over, and nothing is made.
    unsafe { nix::libc::syscall(444, std::ptr::null::<u8>(), 0_usize, 1_u32) }
}

/// Whether this host can be made one that refuses namespaces and has Landlock.
fn can_refuse() -> bool {
    if !has_tool("setpriv") || !can_unshare(&["-Ur"]) {
        return false;
    }
    if landlock() < 2 {
        not_tested("this kernel has no Landlock that serves");
        return false;
    }
    true
}

/// A home with a tree in it, outside the folders for temporary files, which nobody can hide.
struct Home {
    project: Project,
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        let place = if is_root() {
            "/srv"
        } else {
            env!("CARGO_TARGET_TMPDIR")
        };
        let folder = TempDir::with_prefix_in("check-test-", place).unwrap();
        for name in ["home/.ssh", "beside"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for name in ["home/canary", "home/.ssh/id", "beside/file"] {
            fs::write(folder.path().join(name), "secret\n").unwrap();
        }
        fs::copy(env!("CARGO_BIN_EXE_check"), folder.path().join("check")).unwrap();
        let project = Project::without_git_in(&folder.path().join("home"));
        Self { project, folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// A shell's script, in which `@` is the folder that all of this is in.
    fn script(&self, script: &str) -> &Self {
        let script = script.replace('@', &self.at("").display().to_string());
        self.project.check("work", &["sh", "-c", &script]);
        self
    }

    /// `program`, by a user without privileges whose home this is.
    fn command_of_a_user(&self, program: impl Into<OsString>, args: &[&str]) -> Command {
        if is_root() {
            let given = Command::new("chown")
                .args(["-R", USER])
                .arg(self.folder.path())
                .status();
            assert!(given.unwrap().success());
        }
        let mut words = words_of_a_user();
        let apart = "unshare -U -c --keep-caps sh -c";
        words.extend(apart.split(' ').map(Into::into));
        words.extend([AS_USER.into(), "sh".into(), program.into()]);
        words.extend(args.iter().map(Into::into));
        let (program, words) = words.split_first().unwrap();
        let mut command = self.project.command_by(program, words);
        // TempDir's are for their owner alone.
        open_to_all(self.folder.path());
        command.env("HOME", self.at("home"));
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        Ran::of(
            &self
                .command_of_a_user(self.at("check"), args)
                .output()
                .unwrap(),
        )
    }

    /// The check of this home, run by a user without privileges.
    #[track_caller]
    fn work(&self) -> Value {
        let ran = self.run(&["--report", "json"]);
        fenced(&ran, true)
    }
}

/// What makes a command that of a user without privileges.
fn words_of_a_user() -> Vec<OsString> {
    let words = "setpriv --clear-groups --reuid USER --regid USER";
    let words = words.split(' ').filter(|_| is_root());
    words
        .map(|word| word.replace("USER", USER).into())
        .collect()
}

fn open_to_all(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
}

/// What the check `work` came to, and that Landlock held it.
#[track_caller]
fn fenced(ran: &Ran, read_only: bool) -> Value {
    let verdict: Value = serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|error| panic!("{error}\n{}\n{}", ran.stdout, ran.stderr));
    let check = check_of(&verdict, "work");
    let isolation = &check["isolation"];
    let said = ["mechanism", "contained", "network", "home", "read_only"];
    let said = said.map(|name| isolation[name].clone());
    let expected = [
        json!("landlock"),
        json!(false),
        json!(false),
        json!(true),
        json!(read_only),
    ];
    assert_eq!(said, expected, "{check:#}");
    check.clone()
}

#[test]
fn a_home_is_neither_read_nor_changed() {
    if !can_refuse() {
        return;
    }
    let home = Home::new();
    home.script(
        "exec 2> /dev/null; for f in @home/canary @home/.ssh/id /proc/self/root@home/canary; do cat $f && echo read; done
         ls @home && echo listed; ls -d @home > /dev/null || echo gone
         (echo x >> @home/canary) && echo written; (: > @home/canary) && echo emptied
         echo > @home/made && echo made; mkdir @home/folder && echo made
         rm -f @home/canary && echo removed; mv @home/.ssh . && echo moved
         ln @home/canary linked && echo linked; true",
    );
    let check = home.work();
    assert_eq!(check["stdout_tail"], "", "{check:#}");
    assert_eq!(
        fs::read_to_string(home.at("home/canary")).unwrap(),
        "secret\n"
    );
    assert!(home.at("home/.ssh/id").exists());
    home.run(&["--uncontained"]);
    assert!(!home.at("home/canary").exists(), "and nothing else kept it");
}

#[test]
fn what_is_the_users_own_beside_the_tree_is_read_and_not_changed() {
    if !can_refuse() {
        return;
    }
    let home = Home::new();
    home.script(
        "exec 2> /dev/null; cat @beside/file; for f in @beside/file @beside/new /usr/made /etc/made; do
             (echo x >> $f) && echo written; done
         rm -f @beside/file && echo removed; mv @beside/file . && echo moved
         mkdir @beside/folder && echo made; (echo 0 > /proc/self/oom_score_adj) && echo set; true",
    );
    let check = home.work();
    assert_eq!(check["stdout_tail"], "secret\n", "{check:#}");
    assert_eq!(
        fs::read_to_string(home.at("beside/file")).unwrap(),
        "secret\n"
    );
}

#[test]
fn the_tree_the_private_home_and_temporary_files_are_for_it_to_change() {
    if !can_refuse() {
        return;
    }
    let home = Home::new();
    home.script(
        "set -e; mkdir -p from to ~/deep; echo a > from/a; mv from/a to/b; ln to/b linked; rm -r from
         cp to/b ~/deep/c; mv ~/deep/c moved; : > moved; mkfifo pipe; ln -s to there
         for f in $(mktemp) $(mktemp -p /tmp) $(mktemp -p /var/tmp); do echo x > $f; mv $f to/; done
         echo x > /dev/null; head -c 1 /dev/zero > /dev/null; echo said > /dev/stdout
         printf '#!/bin/sh\\necho ran\\n' > tool; chmod +x tool; ./tool; cat /proc/self/comm",
    );
    let check = home.work();
    assert_eq!(check["status"], "pass", "{check:#}");
    assert_eq!(check["stdout_tail"], "said\nran\ncat\n", "{check:#}");
}

#[test]
fn what_holds_and_what_does_not_is_told() {
    if !can_refuse() {
        return;
    }
    let home = Home::new();
    home.script("exit 0");
    let ran = home.run(&[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let told = ran.stdout.lines().find(|line| line.contains("still true"));
    let told = told.unwrap();
    assert!(
        told.contains("; home, system. Not: ") || told.contains("; memory, home, system. Not: "),
        "{told}"
    );
    assert!(told.ends_with("network"), "{told}");
    ran.has("to contain:  sudo sysctl -w user.max_user_namespaces=15000");
    let refused = home.run(&["--require-containment"]);
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    let direct = home.run(&["--uncontained", "--report", "json"]);
    let verdict: Value = serde_json::from_str(&direct.stdout).unwrap();
    let isolation = &check_of(&verdict, "work")["isolation"];
    assert_ne!(isolation["mechanism"], "landlock");
    assert_eq!(isolation["home"], false);
}

#[test]
fn a_home_among_temporary_files_is_not_hidden_and_that_is_said() {
    if !can_refuse() {
        return;
    }
    let home = Home::new();
    home.script("cat \"$REAL/canary\"; echo > /tmp/check-test-made && rm /tmp/check-test-made");
    let elsewhere = TempDir::with_prefix_in("check-test-", "/tmp").unwrap();
    fs::write(elsewhere.path().join("canary"), "seen\n").unwrap();
    open_to_all(elsewhere.path());
    let manifest = home.project.read("harness.json");
    let real = elsewhere.path().display().to_string();
    home.project
        .write("harness.json", manifest.replace("$REAL", &real));
    let mut command = home.command_of_a_user(home.at("check"), &["--report", "json"]);
    command.env("HOME", elsewhere.path());
    let ran = Ran::of(&command.output().unwrap());
    let verdict: Value = serde_json::from_str(&ran.stdout).unwrap();
    let check = check_of(&verdict, "work");
    assert_eq!(check["stdout_tail"], "seen\n", "{check:#}");
    let isolation = ["mechanism", "home", "read_only"].map(|name| check["isolation"][name].clone());
    assert_eq!(isolation, [json!("landlock"), json!(false), json!(true)]);
}

#[test]
fn a_check_that_runs_check_itself_is_judged_as_anywhere() {
    if !can_refuse() {
        return;
    }
    let home = Home::new();
    let inner =
        json!({ "checks": [{ "id": "inner", "executable": "sh", "args": ["-c", "exit 0"] }] });
    home.project.write("inner/harness.json", inner.to_string());
    home.script("@check -C inner --report json");
    let check = home.work();
    assert_eq!(check["status"], "pass", "{check:#}");
}

#[test]
fn nothing_outside_is_signalled_or_traced() {
    if !can_refuse() {
        return;
    }
    let home = Home::new();
    home.script(
        "exec 2> /dev/null; sleep 1000 & kill $! && echo own
         kill -0 PID && echo another; grep -c hunter2 /proc/PID/environ; true",
    );
    // The same user's, in the same user namespace: nothing but Landlock stands between.
    let script = "SECRET=hunter2 sleep 1000 & sed -i s/PID/$!/g harness.json
                  $0 --report json > fenced; $0 --uncontained --report json > direct; kill $!";
    let check = home.at("check");
    let words = ["-c", script, check.to_str().unwrap()];
    let ran = Ran::of(&home.command_of_a_user("sh", &words).output().unwrap());
    let read = |name: &str| Ran {
        stdout: home.project.read(name),
        ..ran.clone()
    };
    let expected = if landlock() < 6 {
        "own\nanother\n"
    } else {
        "own\n"
    };
    let check = fenced(&read("fenced"), true);
    assert_eq!(check["stdout_tail"], expected, "{check:#}");
    let direct: Value = serde_json::from_str(&read("direct").stdout).unwrap();
    let check = check_of(&direct, "work");
    assert_eq!(check["stdout_tail"], "own\nanother\n1\n", "{check:#}");
}

/// `check` in the root of `project`, by who runs the tests, as root of a user namespace that has no
/// other namespaces to give.
fn command_of_root(project: &Project, args: &[&str]) -> Command {
    let words = [
        "-Ur",
        "sh",
        "-c",
        AS_ROOT,
        "sh",
        env!("CARGO_BIN_EXE_check"),
    ];
    project.command_by("unshare", words.iter().chain(args))
}

#[test]
fn the_owner_of_the_system_does_not_write_it_and_is_not_said_to_be_kept_from_its_modes() {
    if !can_refuse() {
        return;
    }
    let home = Home::new();
    let project = &home.project;
    let script = "touch /usr/made /etc/made /dev/made 2>/dev/null && echo made
                  ls / /root 2>/dev/null && echo listed; ls /usr > /dev/null && echo usr
                  cat /dev/kmsg 2>/dev/null && echo kernel; (: > /etc/passwd) 2>/dev/null && echo emptied; true";
    project.check("work", &["sh", "-c", script]);
    let ran = Ran::of(
        &command_of_root(project, &["--report", "json"])
            .output()
            .unwrap(),
    );
    let check = fenced(&ran, !is_root());
    assert_eq!(check["stdout_tail"], "usr\n", "{check:#}");
    assert!(!Path::new("/usr/made").exists());
}

#[track_caller]
fn assert_passes(project: &Project, argv: &[&str]) {
    project.check("work", argv);
    let ran = Ran::of(
        &command_of_root(project, &["--report", "json"])
            .output()
            .unwrap(),
    );
    let check = fenced(&ran, !is_root());
    assert_eq!(check["status"], "pass", "{check:#}");
}

#[test]
fn real_work_is_done_as_anywhere() {
    if !can_refuse() {
        return;
    }
    if has_tool("go") {
        let project = Project::from_fixture("contained/go");
        assert_passes(&project, &["go", "test", "./..."]);
    }
    if has_tool("node") {
        let project = Project::from_fixture("contained/node");
        assert_passes(&project, &["node", "--test"]);
        assert_passes(&project, &["npm", "test"]);
    }
    if has_tool("pytest") {
        let project = Project::from_fixture("contained/python");
        assert_passes(&project, &["pytest", "-q"]);
    }
    if has_tool("cargo") {
        let project = Project::from_fixture("contained/rust");
        assert_passes(&project, &["cargo", "test"]);
        project.write("Makefile", "test:\n\tcargo test\n");
        assert_passes(&project, &["make", "test"]);
    }
}
