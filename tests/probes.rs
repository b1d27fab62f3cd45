//! What tools say of their version.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Project, check_of, is_alive, wait_until};

/// A project whose one check runs a `tool` that is a script, and asks it with `--version`.
fn with_tool(script: &str) -> Project {
    let project = Project::new().direct();
    project.script("tool", &format!("#!/bin/sh\n{script}\n"));
    project.checks(&json!([{ "id": "lint", "executable": "./tool",
        "version": ["./tool", "--version"] }]));
    project
}

/// A project whose one check runs a `tool` that is no script, and asks it by this one.
fn with_binary(script: &str) -> Project {
    let project = Project::new().direct();
    copy_tool(&project);
    project.checks(
        &json!([{ "id": "lint", "executable": "./tool", "args": ["-c", "true"],
        "version": ["./tool", "-c", script] }]),
    );
    project
}

/// Another file by the name of `tool`: a shell that is not called one.
fn copy_tool(project: &Project) {
    let tool = project.path("tool");
    let _ = fs::remove_file(&tool);
    fs::copy("/bin/sh", tool).unwrap();
}

/// Exit code, version and notes of the check `lint`.
fn run(project: &Project) -> (i32, Value, Value) {
    let (code, verdict) = project.json(&[]);
    let check = check_of(&verdict, "lint");
    (code, check["version"].clone(), check["notes"].clone())
}

#[test]
fn a_tool_is_asked_once_until_it_or_the_question_changes() {
    let project = with_binary("echo asked >> asked; echo; echo tool $MODE 1.2");
    let asked = || project.read("asked").lines().count();
    for _ in 0..2 {
        assert_eq!(run(&project), (0, json!("tool 1.2"), json!([])));
        assert_eq!(asked(), 1);
    }
    copy_tool(&project);
    assert_eq!(run(&project), (0, json!("tool 1.2"), json!([])));
    assert_eq!(asked(), 2);
    project.edit("harness.json", "1.2", "1.10");
    assert_eq!(run(&project), (0, json!("tool 1.10"), json!([])));
    assert_eq!(asked(), 3);
    // By value: a tool may be a wrapper that a variable steers.
    for mode in ["fast", "slow"] {
        let env = format!("{{ \"checks_env\": {{ \"MODE\": \"{mode}\" }},");
        let manifest = project.read("harness.json");
        let at = manifest.find("\"checks\":").unwrap();
        project.write("harness.json", format!("{env}{}", &manifest[at..]));
        assert_eq!(run(&project).1, format!("tool {mode} 1.10"));
    }
    assert_eq!(asked(), 5);
    // What cannot be read is as good as nothing.
    for foreign in ["{\"lint\":", "[]", "{\"lint\": 1}"] {
        project.write(".git/check/versions.json", foreign);
        assert_eq!(run(&project).1, "tool slow 1.10");
    }
    assert_eq!(asked(), 8);
    project.run(["-v"]).has("version: tool slow 1.10");
}

#[test]
fn a_shell_stays_the_same_whatever_it_runs_and_is_always_asked() {
    let project = with_tool("true");
    project.write("version", "1\n");
    project.checks(&json!([{ "id": "lint", "executable": "true",
        "version": ["/bin/sh", "-c", "cat version"] }]));
    assert_eq!(run(&project).1, "1");
    project.write("version", "2\n");
    assert_eq!(run(&project).1, "2");
}

#[test]
fn a_script_and_a_stand_in_stay_the_same_whatever_they_run_and_are_always_asked() {
    let project = with_tool("cat version");
    let next = |version: &str| {
        project.write("version", version);
        assert_eq!(run(&project).1, version);
    };
    next("1");
    next("2");
    project.write("bin/shims/keep", "");
    fs::copy("/bin/cat", project.path("bin/shims/tool")).unwrap();
    project.checks(&json!([{ "id": "lint", "executable": "true",
        "version": ["bin/shims/tool", "version"] }]));
    next("3");
    next("4");
}

#[test]
fn a_probe_that_fails_is_a_note_and_never_a_verdict() {
    for (script, version, note) in [
        (
            "echo usage >&2; exit 3",
            Value::Null,
            "version probe: exit status 3",
        ),
        (
            "kill -SEGV $$",
            Value::Null,
            "version probe: killed by signal 11",
        ),
        ("exit 0", Value::Null, "version probe: it printed nothing"),
        (
            "trap '' TERM; echo 1.2; exec yes",
            json!("1.2"),
            "version probe: printed more than 64 KiB",
        ),
    ] {
        let project = with_tool(&format!("[ \"$1\" ] || exit 0; {script}"));
        for _ in 0..2 {
            assert_eq!(
                run(&project),
                (0, version.clone(), json!([note])),
                "{script}"
            );
        }
        let human = project.run([""; 0]);
        human.expect(0, "ok: 1 passed");
        human.has(&format!("note: lint: {note}"));
    }
    let project = with_tool("true");
    project.edit(
        "harness.json",
        "\"./tool\",\n        \"--version\"",
        "\"no-such-tool\"",
    );
    let notes = json!(["version probe: no-such-tool is not on PATH"]);
    assert_eq!(run(&project), (0, Value::Null, notes));
    // Where the check has the same fault, it is said once.
    project.edit("harness.json", "./tool", "no-such-tool");
    assert_eq!(run(&project), (2, Value::Null, json!([])));
}

/// What went wrong may go well the next time.
#[test]
fn only_a_clean_answer_is_remembered() {
    for (wrong, version) in [("exit 3", Value::Null), ("echo 1.1; exit 1", json!("1.1"))] {
        let script = format!("if [ -e fixed ]; then echo 1.2; else {wrong}; fi");
        let project = with_binary(&script);
        assert_eq!(run(&project).1, version);
        project.write("fixed", "");
        assert_eq!(run(&project), (0, json!("1.2"), json!([])));
        fs::remove_file(project.path("fixed")).unwrap();
        assert_eq!(run(&project), (0, json!("1.2"), json!([])));
    }
}

#[test]
fn equal_questions_are_asked_once_in_a_run_and_others_apart() {
    let project = Project::new().direct();
    project.write("web/keep", "");
    let lint = |id: &str| {
        json!({ "id": id, "executable": "true",
            "version": ["sh", "-c", "echo asked >> \"$LOG\"; echo $MODE 1.2"],
            "env": { "LOG": project.path("asked"), "MODE": "one" } })
    };
    let mut checks: Vec<Value> = (0..20).map(|n| lint(&format!("lint-{n}"))).collect();
    checks[17]["env"]["MODE"] = json!("other");
    checks[18]["cwd"] = json!("web");
    checks[19]["exclusive"] = json!(true);
    project.checks(&json!(checks));
    let (code, verdict) = project.json(&[]);
    assert_eq!(code, 0);
    let version = |n: usize| check_of(&verdict, &format!("lint-{n}"))["version"].clone();
    for n in (0..20).filter(|n| *n != 17) {
        assert_eq!(version(n), "one 1.2", "{n}");
    }
    assert_eq!(version(17), "other 1.2");
    assert_eq!(project.read("asked").lines().count(), 3);
}

/// As many as there are jobs run at once, so that neither processes nor descriptors run out.
#[test]
fn probes_wait_for_each_other() {
    let project = Project::new().direct();
    let log = project.path("log");
    let checks: Vec<Value> = (0..60)
        .map(|n| {
            let script = format!("echo + >> log; echo {n}; sleep 0.02; echo - >> log");
            json!({ "id": format!("c{n}"), "executable": "true", "version": ["sh", "-c", script] })
        })
        .collect();
    project.checks(&json!(checks));
    for jobs in [1, 3] {
        let mut command = project.command(["--report", "json", "--jobs", &jobs.to_string()]);
        // SAFETY: only an async-signal-safe call between fork and exec.
        unsafe {
            std::os::unix::process::CommandExt::pre_exec(&mut command, || {
                let few = nix::libc::rlimit {
                    rlim_cur: 128,
                    rlim_max: 128,
                };
                nix::libc::setrlimit(nix::libc::RLIMIT_NOFILE, &raw const few);
                Ok(())
            });
        }
        let output = command.output().unwrap();
        let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(verdict["verdict"], "passed", "{verdict}");
        for n in 0..60 {
            let check = check_of(&verdict, &format!("c{n}"));
            assert_eq!(check["version"], n.to_string(), "{check}");
        }
        let text = fs::read_to_string(&log).unwrap();
        fs::remove_file(&log).unwrap();
        let (mut now, mut most) = (0, 0);
        for line in text.lines() {
            now += if line == "+" { 1 } else { -1 };
            most = most.max(now);
        }
        assert!((1..=jobs).contains(&most), "{most} at once of {jobs}");
    }
}

#[test]
fn a_check_that_runs_alone_has_no_probe_beside_it() {
    let project = Project::new().direct();
    let log = |word: &str| format!("echo {word}+ >> log; sleep 0.05; echo {word}- >> log");
    let check = |id: &str, exclusive: bool| {
        json!({ "id": id, "executable": "sh", "args": ["-c", log(id)], "exclusive": exclusive,
            "version": ["sh", "-c", format!("{}; echo {id}", log(&format!("probe-{id}")))] })
    };
    project.checks(&json!([
        check("a", true),
        check("b", true),
        check("c", false)
    ]));
    let (code, verdict) = project.json(&["--jobs", "4"]);
    assert_eq!(code, 0);
    let log = project.read("log").replace('\n', " ");
    for id in ["a", "b"] {
        assert!(log.contains(&format!("{id}+ {id}- ")), "{log}");
        assert_eq!(check_of(&verdict, id)["version"], id);
        let before = log.find(&format!("probe-{id}-")).unwrap();
        assert!(before < log.find(&format!(" {id}+")).unwrap(), "{log}");
    }
}

#[test]
fn what_a_probe_leaves_running_is_ended_and_noted_and_no_failure() {
    let project = Project::new().direct();
    let script = "sleep 600 & echo 1.2";
    project.checks(
        &json!([{ "id": "lint", "executable": "true", "leaks": "fail",
        "version": ["sh", "-c", script] }]),
    );
    let (code, version, notes) = run(&project);
    assert_eq!((code, version), (0, json!("1.2")), "{notes}");
    let note = notes[0].as_str().unwrap();
    // What it is called depends on how far it had come.
    let named = note.strip_prefix("version probe: left running and ended: ");
    let pid = named
        .and_then(|named| named.rsplit_once(" (pid ")?.1.strip_suffix(')'))
        .unwrap_or_else(|| panic!("{note}"));
    assert!(!is_alive(pid.parse().unwrap()));
}

/// `ruby` reads its own output as ASCII where no locale says otherwise, whatever the check runs.
#[test]
fn a_probe_gets_the_locale_that_its_own_program_needs() {
    let project = Project::new().direct();
    for name in ["ruby", "tool"] {
        project.script(name, "#!/bin/sh\necho \"${LANG:-none}\"\n");
    }
    let versions = |check: &str, probe: &str| {
        project.checks(&json!([{ "id": "lint", "executable": check, "version": [probe] }]));
        run(&project).1
    };
    assert_eq!(versions("./tool", "./ruby"), "C.UTF-8");
    assert_eq!(versions("./ruby", "./tool"), "none");
}

#[test]
fn standard_error_says_it_where_standard_output_is_silent() {
    let project = with_tool("[ \"$1\" ] || exit 0; printf '\\033[1mtool\\033[0m \\377 1.2' >&2");
    assert_eq!(run(&project), (0, json!("tool \\xFF 1.2"), json!([])));
}

#[test]
fn a_probe_runs_beside_its_check_in_its_place_with_its_environment_and_a_home_of_its_own() {
    let project = Project::new().direct();
    project.write("web/keep", "");
    // Each waits for the other: one after another, neither would end.
    let meet = |own: &str, other: &str| {
        format!("echo $HOME > {own}; while [ ! -e {other} ]; do sleep 0.01; done; echo $MODE")
    };
    project.checks(&json!([{ "id": "lint", "executable": "sh", "cwd": "web",
        "args": ["-c", meet("check", "probe")], "env": { "MODE": "strict" },
        "version": ["sh", "-c", meet("probe", "check")] }]));
    let (code, version, notes) = run_with(&project, &["--jobs", "1"]);
    assert_eq!((code, version, notes), (0, json!("strict"), json!([])));
    let (check, probe) = (project.read("web/check"), project.read("web/probe"));
    assert_ne!(check, probe);
    let left = fs::read_dir(probe.trim()).unwrap().count();
    assert_eq!(left, 0, "its home is emptied");
}

fn run_with(project: &Project, args: &[&str]) -> (i32, Value, Value) {
    let (code, verdict) = project.json(args);
    let check = check_of(&verdict, "lint");
    (code, check["version"].clone(), check["notes"].clone())
}

#[test]
fn a_probe_that_hangs_is_ended_with_all_it_started() {
    let project = with_tool(
        "[ \"$1\" ] || exit 0; trap '' TERM; setsid sleep 600 & echo $! > pid; sleep 600",
    );
    let begun = Instant::now();
    let notes = json!(["version probe: timed out after 5s"]);
    assert_eq!(run(&project), (0, Value::Null, notes));
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(5), "{took:?}");
    assert!(!is_alive(project.read("pid").trim().parse().unwrap()));
}

#[test]
fn an_interrupt_and_the_runs_own_limit_end_probes_too() {
    let script = "[ \"$1\" ] || exit 0; trap '' TERM; sleep 600 & echo $! > pid; sleep 600";
    let project = with_tool(script);
    let child = project.spawn(["--report", "json"]);
    wait_until("the probe has started", || {
        fs::read_to_string(project.path("pid")).is_ok_and(|text| text.ends_with('\n'))
    });
    let pid = nix::unistd::Pid::from_raw(child.id().cast_signed());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    let out = child.wait_with_output().unwrap().stdout;
    let verdict: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(verdict["reason"], "interrupted by SIGTERM");
    assert!(!is_alive(project.read("pid").trim().parse().unwrap()));

    let project = with_tool(script);
    let begun = Instant::now();
    assert_eq!(
        run_with(&project, &["--timeout", "1s"]),
        (0, Value::Null, json!([]))
    );
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(!is_alive(project.read("pid").trim().parse().unwrap()));
    assert!(!project.path(".git/check/versions.json").exists());
}

/// Beside a probe a daemon that drops its mark cannot be told to be the check's: then there is no
/// pass, where the check would have failed for it.
#[test]
fn a_probe_hides_no_leak_that_is_a_failure() {
    let project = Project::new().direct();
    let leaves = "setsid env -i sleep 61 & sleep 0.2; exit 0";
    project.checks(&json!([{
        "id": "a", "executable": "sh", "args": ["-c", leaves], "leaks": "fail",
        "version": ["sh", "-c", "sleep 1; echo 1"]
    }]));
    let ran = project.run([""; 0]);
    assert_ne!(ran.code, 0, "{}", ran.stdout);
}
