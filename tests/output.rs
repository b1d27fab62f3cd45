//! Output of any size and shape: the verdict is right, the log is what it should be, and memory
//! does not grow with it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::support::{Project, Ran, can_unshare, check_of, is_alive};

/// A run whose check prints a few lines takes less than half of this in a debug build.
const PEAK_KIB: u64 = 30 * 1024;

/// Runs `check --json` and gives its exit code, verdict and peak memory in KiB, its children's not
/// among it.
fn measured(project: &Project) -> (i32, Value, u64) {
    let out = project.root().parent().unwrap().join("verdict.json");
    let mut command = project.command(["--json"]);
    command.stdout(File::create(&out).unwrap());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    // The kernel keeps the peak of this very program; what wait4(2) says has in it what the
    // process was before it became one.
    let mut peak = 0;
    let code = loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        peak = kib.unwrap_or(0).max(peak);
        if let Some(status) = child.try_wait().unwrap() {
            break status.code().unwrap();
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    assert!(peak > 0, "it was never seen");
    let verdict = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    (code, verdict, peak)
}

fn log_of(project: &Project, check: &Value) -> Vec<u8> {
    fs::read(project.path(check["log"].as_str().unwrap())).unwrap()
}

fn shell(project: &Project, script: &str) {
    project.check("prints", &["sh", "-c", script]);
}

/// As [`shell`], with a pipe for each stream.
fn split(project: &Project, script: &str) {
    project.checks(&json!([{
        "id": "prints", "executable": "sh", "args": ["-c", script],
        "output": { "streams": "split" },
    }]));
}

#[test]
fn memory_does_not_grow_with_output_whatever_its_shape() {
    // Lines are fewer where they are read: how fast that is, is not what is looked at here.
    let lines = |n: u32| format!("yes \"$(printf '%0999d' {n})\" | head -c 10000000");
    let both = format!("{} & {} >&2; wait", lines(7), lines(8));
    let large = [
        ("one line", 50, "head -c 50000000 /dev/zero | tr '\\0' x"),
        (
            "lines without an end",
            50,
            "yes | tr -d '\\n' | head -c 50000000",
        ),
        ("NUL bytes", 50, "head -c 50000000 /dev/zero"),
        (
            "both pipes at once, as fast as they take it",
            20,
            both.as_str(),
        ),
    ];
    for (shape, mb, script) in large {
        let project = Project::new().direct();
        split(&project, &format!("{script}; exit 1"));
        let (exit, verdict, peak) = measured(&project);
        let check = check_of(&verdict, "prints");
        let code = json!({ "code": 1 });
        assert_eq!((exit, &check["exit"]), (1, &code), "{shape}");
        assert!(peak < PEAK_KIB, "{shape}: {peak} KiB");
        assert_eq!(log_of(&project, check).len(), mb * 1_000_000, "{shape}");
        assert_eq!(check["truncated"]["stdout"], true, "{shape}");
    }
}

#[test]
fn a_log_of_any_length_is_a_head_and_a_tail_that_says_what_is_missing() {
    const HEAD: usize = 256 * 1024 * 1024;
    const TAIL: usize = 1024 * 1024;
    let printed = HEAD + TAIL + 12_345_678;
    let project = Project::new().direct();
    shell(
        &project,
        &format!(
            "head -c {} /dev/zero | tr '\\0' x; echo the end",
            printed - 8
        ),
    );
    let (code, verdict, peak) = measured(&project);
    assert_eq!(code, 0, "{verdict}");
    assert!(peak < PEAK_KIB, "{peak} KiB");
    let log = log_of(&project, check_of(&verdict, "prints"));
    let line = b"\n[check: 12345678 bytes are left out here]\n";
    assert_eq!(log.len(), HEAD + line.len() + TAIL);
    assert!(log[HEAD..].starts_with(line));
    assert!(log.ends_with(b"xthe end\n"));
}

#[test]
fn both_streams_are_whole_when_they_come_at_once() {
    let project = Project::new().direct();
    let half = "i=0; while [ $i -lt 20000 ]; do echo";
    let script =
        format!("{half} out $i; i=$((i+1)); done & {half} err $i >&2; i=$((i+1)); done; wait");
    split(&project, &script);
    let (code, verdict) = project.json(&[]);
    assert_eq!(code, 0);
    let check = check_of(&verdict, "prints");
    for (tail, end) in [
        ("stdout_tail", "out 19999\n"),
        ("stderr_tail", "err 19999\n"),
    ] {
        let tail = check[tail].as_str().unwrap();
        assert!(tail.ends_with(end) && tail.len() <= 16 * 1024, "{tail}");
    }
    let log = String::from_utf8(log_of(&project, check)).unwrap();
    // A line of one may be cut by a line of the other; no byte of either is lost.
    let wanted: usize = (0..20_000)
        .map(|n: u32| 2 * "out \n".len() + 2 * n.to_string().len())
        .sum();
    assert_eq!(log.len(), wanted);
}

#[test]
fn output_that_comes_byte_by_byte_is_read_as_the_same_output() {
    let project = Project::new().direct();
    project.write("a.c", "int a;\nint b;\n");
    project.write(
        "printed",
        "gcc says:\na.c:2:5: error: b is no good\nthe last line \u{e4}\r\n",
    );
    let read = |script: &str| {
        shell(&project, &format!("{script}; exit 1"));
        let (code, verdict) = project.json(&[]);
        assert_eq!(code, 1);
        let check = check_of(&verdict, "prints").clone();
        (
            check["failures"].clone(),
            check["stdout_tail"].clone(),
            log_of(&project, &check),
        )
    };
    let at_once = read("cat printed");
    assert_eq!(at_once.0[0]["line"], 2, "{}", at_once.0);
    assert_eq!(read("dd if=printed bs=1 status=none"), at_once);
}

#[test]
fn half_a_character_and_bytes_that_are_no_text_are_shown_as_bytes() {
    let project = Project::new().direct();
    for (script, shown) in [
        ("printf 'half \\303'", "half \\xC3"),
        ("printf 'r\\344umen'", "r\\xE4umen"),
        ("printf 'a\\0b'", "a\0b"),
    ] {
        for (end, code) in [("", 0), ("; exit 1", 1)] {
            shell(&project, &format!("{script}{end}"));
            let (exit, verdict) = project.json(&[]);
            let check = check_of(&verdict, "prints");
            assert_eq!(
                (exit, &check["stdout_tail"]),
                (code, &json!(shown)),
                "{script}"
            );
        }
        // Whoever reads it on a terminal gets text.
        let human = project.run([""; 0]);
        human.expect(1, "blocked: 1 of 1 check failed").lacks("\0");
    }
}

#[test]
fn a_flood_is_bounded_in_the_report_and_whole_in_the_log() {
    let project = Project::new().direct();
    shell(
        &project,
        "yes 'a line of output' | head -c 3000000; echo the end; exit 1",
    );
    let (code, verdict) = project.json(&[]);
    let check = check_of(&verdict, "prints");
    assert_eq!(code, 1);
    assert_eq!(check["truncated"]["stdout"], true);
    let tail = check["stdout_tail"].as_str().unwrap();
    assert!(tail.len() <= 16 * 1024 && tail.ends_with("the end\n"));
    assert_eq!(log_of(&project, check).len(), 3_000_000 + "the end\n".len());
}

#[test]
fn a_log_is_made_where_it_is_worth_one_and_the_one_before_it_is_kept() {
    let project = Project::new().direct();
    let logs = project.path(".git/check/logs");
    let run = |script: &str| {
        shell(&project, script);
        project.run([""; 0]);
        let read = |name: &str| fs::read_to_string(logs.join(name)).ok();
        let short =
            |text: Option<String>| text.map(|t| if t.len() > 9 { "long".into() } else { t });
        (short(read("prints.log")), short(read("prints.log.1")))
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(run("echo quiet"), (None, None));
    assert_eq!(run("echo first; exit 1"), (some("first\n"), None));
    assert_eq!(
        run("echo second; exit 1"),
        (some("second\n"), some("first\n"))
    );
    assert_eq!(run("echo quiet"), (None, some("second\n")));
    assert_eq!(run("echo quiet"), (None, some("second\n")));
    let long = "yes | head -c 100000";
    assert_eq!(run(long), (some("long"), some("second\n")));
    assert_eq!(run("echo quiet"), (None, some("long")));
    // What is not run keeps its log.
    assert_eq!(run("echo last; exit 1"), (some("last\n"), some("long")));
    project.check("other", &["true"]);
    project.run([""; 0]).expect(0, "ok: 1 passed");
    assert!(logs.join("prints.log").exists());
}

#[test]
fn logs_take_up_one_gib_and_the_oldest_go_first() {
    const MIB: u64 = 1024 * 1024;
    let project = Project::new().direct();
    shell(&project, "head -c 3000000 /dev/zero");
    project.run([""; 0]).expect(0, "ok: 1 passed");
    let logs = project.path(".git/check/logs");
    let put = |name: &str, mib: u64, hours_ago: u64| {
        let file = File::create(logs.join(name)).unwrap();
        // Sparse: it takes up nothing, and counts by its length.
        file.set_len(mib * MIB).unwrap();
        let time = SystemTime::now() - Duration::from_hours(hours_ago);
        file.set_modified(time).unwrap();
    };
    put("of-a-check-that-is-no-more.log", 500, 90);
    put("old.log.1", 300, 80);
    put("young.log", 300, 2);
    let (code, verdict) = project.json(&[]);
    assert_eq!(code, 0);
    let names = || {
        let entries = fs::read_dir(&logs).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(
        names(),
        ["old.log.1", "prints.log", "prints.log.1", "young.log"]
    );
    assert_eq!(
        log_of(&project, check_of(&verdict, "prints")).len(),
        3_000_000
    );
    // A name that is no text is no obstacle, and where nothing is written nothing is looked at.
    put("older.log", 800, 100);
    let odd = Path::new(&OsString::from_vec(b"\xff.log".to_vec())).to_owned();
    fs::write(logs.join(&odd), "x").unwrap();
    shell(&project, "true");
    project.run([""; 0]).expect(0, "ok: 1 passed");
    assert!(logs.join("older.log").exists());
    shell(&project, "exit 1");
    project
        .run([""; 0])
        .expect(1, "blocked: 1 of 1 check failed");
    assert!(!logs.join("older.log").exists() && logs.join(odd).exists());
}

#[test]
fn a_full_disk_costs_the_log_and_never_the_verdict() {
    if !can_unshare(&["-rm"]) {
        return;
    }
    let project = Project::new().direct();
    shell(&project, "head -c 3000000 /dev/zero; exit $(cat code)");
    fs::create_dir(project.path(".git/check")).unwrap();
    let mount = "mount -t tmpfs -o size=512k none .git/check; \
                 [ -z \"$FILL\" ] || cat /dev/zero > .git/check/filled 2>/dev/null; exec \"$@\"";
    for fill in ["", "1"] {
        for code in [0, 1] {
            project.write("code", code.to_string());
            let own = project.command(["--json"]);
            let mut command = std::process::Command::new("unshare");
            crate::support::neutralise(&mut command);
            command
                .args(["-rm", "sh", "-c", mount, "sh"])
                .arg(own.get_program())
                .arg("--json")
                .env("TMPDIR", project.root().parent().unwrap())
                .env("FILL", fill)
                .current_dir(project.root());
            let ran = Ran::of(&command.output().unwrap());
            let verdict: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(
                (ran.code, &verdict["exit_code"]),
                (code, &json!(code)),
                "{verdict}"
            );
            let notes = check_of(&verdict, "prints")["notes"].to_string();
            let note = match fill {
                "" => "the log ends early: No space left on device",
                _ => "No space left on device",
            };
            assert!(notes.contains(note), "{notes}");
            let kept = ran.stderr.contains("could not be kept for `check last`");
            assert!(kept, "{}", ran.stderr);
        }
    }
}

#[test]
fn a_limit_on_the_length_of_files_costs_the_log_and_never_the_run() {
    let project = Project::new().direct();
    shell(&project, "head -c 3000000 /dev/zero");
    let program = env!("CARGO_BIN_EXE_check");
    let mut command = std::process::Command::new("sh");
    crate::support::neutralise(&mut command);
    // In units of 512 bytes.
    let script = format!("ulimit -f 1000; exec '{program}' --json");
    command
        .args(["-c", &script])
        .env("TMPDIR", project.root().parent().unwrap())
        .current_dir(project.root());
    let ran = Ran::of(&command.output().unwrap());
    assert_eq!(ran.code, 0, "{ran:?}");
    let verdict: Value = serde_json::from_str(&ran.stdout).unwrap();
    let notes = check_of(&verdict, "prints")["notes"].to_string();
    assert!(
        notes.contains("the log ends early: File too large"),
        "{notes}"
    );
}

#[test]
fn output_beyond_its_limit_ends_the_check_and_all_that_it_started() {
    let project = Project::new().direct();
    project.write(
        "harness.json",
        r#"{"checks_max_output_bytes": 100000, "checks_grace": "100ms", "checks": [
            {"id": "floods", "executable": "sh",
             "args": ["-c", "trap '' TERM; echo $$ > pids; yes & echo $! >> pids; yes"]}]}"#,
    );
    let (code, verdict) = project.json(&[]);
    let check = check_of(&verdict, "floods");
    assert_eq!((code, &check["termination"]), (1, &json!("output_limit")));
    for pid in project.read("pids").lines() {
        assert!(!is_alive(pid.parse().unwrap()), "{pid}");
    }
}

#[test]
fn a_check_that_printed_too_much_has_failed_even_if_it_was_quicker_than_its_reader() {
    let project = Project::new().direct();
    project.write(
        "harness.json",
        r#"{"checks_max_output_bytes": 1000, "checks": [
            {"id": "quick", "executable": "sh", "args": ["-c", "head -c 2000 /dev/zero"]}]}"#,
    );
    let (code, verdict) = project.json(&[]);
    let check = check_of(&verdict, "quick");
    assert_eq!((code, &check["termination"]), (1, &json!("output_limit")));
}

#[test]
fn recorded_times_are_only_written_when_they_are_news_and_never_trusted() {
    let project = Project::new().direct();
    let times = project.path(".git/check/times.json");
    project.check("quick", &["true"]);
    project.run([""; 0]).expect(0, "ok: 1 passed");
    // So far from what it takes that it is news, so near to it that it is none.
    let recorded = |ms: u64| {
        project.write(".git/check/times.json", format!("{{\"quick\":{ms}}}"));
        let before = fs::metadata(&times).unwrap().ino();
        project.run([""; 0]).expect(0, "ok: 1 passed");
        fs::metadata(&times).unwrap().ino() != before
    };
    assert!(recorded(3_600_000));
    let (_, verdict) = project.json(&[]);
    let took = check_of(&verdict, "quick")["duration_ms"].as_u64().unwrap();
    assert!(took < 3_600_000);
    for torn in [
        "",
        "{\"quick\":",
        "[1]",
        "{\"quick\":-1}",
        "{\"quick\":\"x\"}",
    ] {
        project.write(".git/check/times.json", torn);
        project.run([""; 0]).expect(0, "ok: 1 passed");
        let written: Value = serde_json::from_str(&project.read(".git/check/times.json")).unwrap();
        assert!(written["quick"].is_u64(), "{written}");
    }
}
