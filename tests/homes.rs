//! What a check may make of its home, and that the next run starts from nothing all the same.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Project, Ran, check_of, has_tool, neutralise, not_tested, wait_until};

/// Where the homes of a project's checks are: the only folder of its user's that is named by hash.
fn home(project: &Project) -> PathBuf {
    let user = format!("check-{}", nix::unistd::getuid());
    below(&project.root().parent().unwrap().join(user)).join("test")
}

fn below(user: &Path) -> PathBuf {
    let entries = fs::read_dir(user)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut homes = entries.filter(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    homes.next().unwrap()
}

fn count(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

/// Runs `script` in a shell, then lists the home in another run.
fn spoil_and_look(project: &Project, script: &str) -> [Value; 2] {
    project.check("test", &["sh", "-c", script]);
    let (_, first) = project.json(&[]);
    assert_eq!(check_of(&first, "test")["status"], "pass", "{first:#}");
    project.check(
        "test",
        &[
            "sh",
            "-c",
            "cd ~ && pwd && find . -path './*/*' -prune -o -name '[!.]*' -print",
        ],
    );
    let (_, second) = project.json(&[]);
    [first, second].map(|verdict| check_of(&verdict, "test").clone())
}

#[test]
fn a_home_of_any_size_and_depth_is_empty_afterwards() {
    for script in [
        "cd ~ && seq 100000 | xargs touch",
        "cd ~ && for i in $(seq 300); do mkdir d && cd d && touch f; done",
        "cd ~ && mkdir -p mod/a/b && touch mod/a/b/f && chmod 555 mod/a/b && chmod 0 mod/a && chmod 555 mod ~",
        "rm -rf ~ && mkdir ~ && touch ~/f",
        "mv ~ ~.moved && rm -rf ~.moved",
        "rm -rf ~ && ln -s / ~",
    ] {
        let project = Project::new().direct();
        let [first, second] = spoil_and_look(&project, script);
        assert_eq!(first["notes"], serde_json::json!([]), "{script}");
        assert_eq!(
            second["stdout_tail"],
            format!("{}\n", home(&project).display()),
            "{script}"
        );
        assert_eq!(count(&home(&project)), 0, "{script}");
    }
}

/// Runs `check` twice in a mount namespace of its own.
fn twice_with_mounts(project: &Project, first: &str) -> Option<[Value; 2]> {
    project.check(
        "test",
        &["sh", "-c", "if [ -e again ]; then ls ~; else . ./spoil; fi"],
    );
    project.write("spoil", first);
    let script = "mount -t tmpfs none /mnt && \"$0\" --report json --uncontained; touch again; exec \"$0\" --report json --uncontained";
    let mut command = Command::new("unshare");
    neutralise(&mut command);
    command
        .args(["-r", "-m", "sh", "-c", script, env!("CARGO_BIN_EXE_check")])
        .env("TMPDIR", project.root().parent().unwrap())
        .current_dir(project.root());
    let ran = Ran::of(&command.output().ok()?);
    let mut verdicts = serde_json::Deserializer::from_str(&ran.stdout).into_iter::<Value>();
    let mut next = || Some(check_of(&verdicts.next()?.ok()?, "test").clone());
    Some([next()?, next()?])
}

#[test]
fn what_a_check_mounted_is_neither_emptied_nor_in_the_next_home() {
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("keep"), "x").unwrap();
    let mounts = [
        // Of the same file system, which a device number does not tell.
        format!(
            "mkdir -p ~/a/m && mount --bind {} ~/a/m",
            outside.path().display()
        ),
        format!(
            "touch ~/m && mount --bind {}/keep ~/m",
            outside.path().display()
        ),
        "mkdir ~/m && mount -t tmpfs none ~/m && touch ~/m/inside".to_owned(),
    ];
    for mount in &mounts {
        let project = Project::new().direct();
        let Some([first, second]) = twice_with_mounts(&project, mount) else {
            not_tested("no mount can be made here");
            return;
        };
        assert_eq!(
            (&first["status"], &second["status"]),
            (&"pass".into(), &"pass".into())
        );
        let note = first["notes"][0].as_str().unwrap();
        assert!(
            note.contains("cannot be emptied: another file system is mounted inside"),
            "{note}"
        );
        assert_eq!(second["stdout_tail"], "", "{mount}");
        assert_eq!(count(&home(&project)), 0);
    }
    // The home itself: it cannot even be moved, so the next one is elsewhere.
    let project = Project::new().direct();
    let whole = twice_with_mounts(&project, "mount --bind /mnt ~ && touch ~/inside");
    let [first, second] = whole.unwrap();
    assert!(
        first["notes"][0]
            .as_str()
            .unwrap()
            .contains("cannot be emptied"),
        "{first:#}"
    );
    let note = second["notes"][0].as_str().unwrap();
    assert!(
        note.contains("the home is a fresh folder this time"),
        "{note}"
    );
    assert_eq!(
        (&second["status"], &second["stdout_tail"]),
        (&"pass".into(), &"".into())
    );
    assert_eq!(fs::read(outside.path().join("keep")).unwrap(), b"x");
}

#[test]
fn a_file_that_nobody_may_remove_is_named_and_not_in_the_next_home() {
    if !has_tool("chattr") {
        return;
    }
    let project = Project::new().direct();
    project.check("test", &["sh", "-c", "touch ~/f && chattr +i ~/f"]);
    let (code, first) = project.json(&[]);
    if code != 0 {
        not_tested("no file can be made immutable here");
        return;
    }
    project.check("test", &["sh", "-c", "ls ~"]);
    let (_, second) = project.json(&[]);
    let unlocked = Command::new("chattr")
        .args(["-R", "-i"])
        .arg(project.root().parent().unwrap())
        .stderr(Stdio::null())
        .status();
    assert!(unlocked.is_ok());
    let note = check_of(&first, "test")["notes"][0].as_str().unwrap();
    assert!(note.contains("cannot be emptied: "), "{note}");
    assert_eq!(check_of(&second, "test")["stdout_tail"], "");
}

#[test]
fn another_users_files_in_a_home_stay_and_are_not_in_the_next() {
    if !nix::unistd::getuid().is_root() || !has_tool("setpriv") {
        not_tested("files of two users cannot be made here");
        return;
    }
    let project = Project::without_git().direct();
    // A home is at this path; `go` says that the file of the other user is in it.
    let script = "if [ -e go ]; then ls ~; else mkdir -p ~/own/closed && touch ~/own/closed/f && \
                  chmod 0 ~/own/closed && echo ~ > place.part && mv place.part place; \
                  while [ ! -e go ]; do sleep 0.01; done; fi";
    project.check("test", &["sh", "-c", script]);
    let place = project.root().parent().unwrap();
    for folder in [place, project.root()] {
        chown(folder, Some(65534), Some(65534)).unwrap();
    }
    fs::set_permissions(place, fs::Permissions::from_mode(0o755)).unwrap();
    let start = || {
        let mut command = Command::new("setpriv");
        neutralise(&mut command);
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .args([env!("CARGO_BIN_EXE_check"), "--report", "json"])
            .env("TMPDIR", place)
            .env("HOME", place)
            .current_dir(project.root())
            .stdout(Stdio::piped());
        command.spawn().unwrap()
    };
    let first = start();
    let named = project.path("place");
    wait_until("the check to start", || named.exists());
    let home = PathBuf::from(fs::read_to_string(named).unwrap().trim());
    fs::create_dir(home.join("theirs")).unwrap();
    fs::write(home.join("theirs/f"), "x").unwrap();
    project.write("go", "");
    let verdict = |child: std::process::Child| {
        let ran = Ran::of(&child.wait_with_output().unwrap());
        let verdict: Value = serde_json::from_str(&ran.stdout).unwrap();
        check_of(&verdict, "test").clone()
    };
    let first = verdict(first);
    let note = first["notes"][0].as_str().unwrap();
    assert!(
        note.contains("cannot be emptied: Permission denied"),
        "{note}"
    );
    assert_eq!(count(&home), 0);
    let second = verdict(start());
    assert_eq!(
        (&second["status"], &second["stdout_tail"]),
        (&"pass".into(), &"".into())
    );
}
