//! Verdicts that the tests of all formats share: one a screen.

use std::path::Path;
use std::time::{Duration, SystemTime};

use super::style::{Detected, Style, Verbosity};
use super::unrun::{
    Busy, bad_manifest_verdict, busy_verdict, empty_verdict, nested_verdict, usage_verdict,
};
use crate::model::{
    CheckId, CheckResult, CheckSpec, Diagnostic, Evidence, ExitFact, Failure, Isolation,
    JudgedFailure, Leak, Level, Network, Route, RowState, Status, Termination, Tolerance, Verdict,
    VerdictWord,
};
use crate::text::Palette;

/// As on a pipe.
pub(super) fn style() -> Style<'static> {
    Style {
        palette: Palette::new(false),
        unicode: true,
        width: None,
        verbosity: Verbosity::Normal,
        home: Some(Path::new("/home/ann")),
        detected: None,
        place: &[],
    }
}

/// The moment at which all of these were judged.
pub(super) fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(1_793_520_000_123)
}

/// What the process group gives.
pub(super) fn process_group() -> Isolation {
    Isolation {
        mechanism: "process_group".to_owned(),
        note: Some("this version has no containment yet".to_owned()),
        ..Isolation::default()
    }
}

/// A check that exited by itself, with 0 where it passed.
pub(super) fn check(id: &str, status: Status) -> CheckResult {
    let launched = matches!(status, Status::Pass | Status::Known | Status::Fail);
    let spec = CheckSpec::new(CheckId::new(id).unwrap(), id, Vec::new());
    let exit = ExitFact::Code(i32::from(status != Status::Pass));
    let mut check = CheckResult::new(&spec, status);
    check.isolation = process_group();
    if launched {
        check.exit = Some(exit);
        check.termination = Termination::Exited;
        check.duration_ms = 297;
    }
    check
}

/// A new row that knows its message alone.
pub(super) fn failure(message: &str) -> JudgedFailure {
    JudgedFailure {
        path: None,
        line: None,
        column: None,
        test: None,
        rule: None,
        level: Level::Error,
        message: message.to_owned(),
        tool: "generic".to_owned(),
        outside: false,
        source: None,
        state: RowState::New,
        fingerprint: "00".repeat(16),
        count: 1,
        also: Vec::new(),
    }
}

/// A new row at a line.
pub(super) fn located(path: &str, line: u32, message: &str) -> JudgedFailure {
    JudgedFailure {
        path: Some(path.to_owned()),
        line: Some(line),
        ..failure(message)
    }
}

/// A verdict on `checks`, summed up as a run sums up.
pub(super) fn verdict(word: VerdictWord, checks: Vec<CheckResult>) -> Verdict {
    let mut verdict = empty_verdict(None, Route::Operator, now());
    verdict.verdict = word;
    verdict.exit_code = word.exit_code();
    verdict.route = match word {
        VerdictWord::Passed => Route::Pass,
        VerdictWord::Failed => Route::Repair,
        VerdictWord::None => Route::Operator,
    };
    verdict.root = Some("/home/ann/src/tern".to_owned());
    verdict.manifest.path = Some("harness.json".to_owned());
    "linux".clone_into(&mut verdict.host.os);
    "x86_64".clone_into(&mut verdict.host.arch);
    verdict.isolation = process_group();
    let count = |status| checks.iter().filter(|check| check.status == status).count() as u64;
    verdict.summary.checks = checks.len() as u64;
    verdict.summary.pass = count(Status::Pass);
    verdict.summary.fail = count(Status::Fail);
    verdict.summary.known = count(Status::Known);
    verdict.summary.broken = count(Status::Broken);
    verdict.summary.refused = count(Status::Refused);
    verdict.summary.skipped = count(Status::Skipped);
    verdict.summary.cancelled = count(Status::Cancelled);
    let advisory = |check: &&CheckResult| check.status == Status::Fail && !check.gates();
    verdict.summary.advisory = checks.iter().filter(advisory).count() as u64;
    verdict.summary.new = checks.iter().map(|check| check.new).sum();
    verdict.summary.known_failures = checks.iter().map(|check| check.known).sum();
    verdict.summary.fixed = checks.iter().map(|check| check.fixed).sum();
    verdict.baseline.fixed = checks.iter().map(|check| check.fixed).sum();
    verdict.checks = checks;
    verdict
}

fn tests_passed() -> CheckResult {
    let mut test = check("test", Status::Pass);
    test.duration_ms = 3_149;
    test.evidence = Some(Evidence {
        ran: Some(412),
        failed: Some(0),
        skipped: Some(3),
        ..Evidence::default()
    });
    test
}

fn typecheck() -> CheckResult {
    let mut typecheck = check("typecheck", Status::Pass);
    typecheck.duration_ms = 900;
    typecheck
}

/// Screen A.
pub(super) fn detected() -> (Verdict, Detected) {
    let argv = |words: &str| words.split(' ').map(str::to_owned).collect();
    let mut checks = vec![tests_passed(), check("lint", Status::Pass), typecheck()];
    checks[0].argv = argv("go test ./...");
    checks[1].argv = argv("go vet ./...");
    checks[1].duration_ms = 640;
    checks[2].argv = argv("go build -o /dev/null ./...");
    for check in &mut checks {
        check.detected = true;
    }
    let mut verdict = verdict(VerdictWord::Passed, checks);
    verdict.manifest.path = None;
    let makefile = (
        "Makefile".to_owned(),
        vec!["test".to_owned(), "lint".to_owned()],
    );
    let detected = Detected {
        family: "go.mod".to_owned(),
        also: vec![makefile],
    };
    (verdict, detected)
}

/// Screen A where the tests are none.
pub(super) fn no_tests() -> (Verdict, Detected) {
    let (mut verdict, detected) = detected();
    verdict.checks[0].status = Status::Skipped;
    verdict.checks[0].reason = Some("no tests found".to_owned());
    (verdict, detected)
}

fn errcheck() -> JudgedFailure {
    let message = "Error return value of `f.Close` is not checked";
    JudgedFailure {
        column: Some(15),
        rule: Some("errcheck".to_owned()),
        tool: "golangci-lint".to_owned(),
        ..located("internal/cache/evict.go", 88, message)
    }
}

fn lint_failed() -> CheckResult {
    let mut lint = check("lint", Status::Fail);
    lint.argv = vec!["golangci-lint".to_owned(), "run".to_owned()];
    lint.new = 1;
    lint.known = 11;
    lint.failures_total = 12;
    lint.failures = vec![
        errcheck(),
        JudgedFailure {
            state: RowState::Known,
            count: 11,
            ..located(
                "internal/wire/frame.go",
                7,
                "exported type Frame should have comment",
            )
        },
    ];
    lint.log = Some(".git/check/logs/lint.log".to_owned());
    lint
}

/// Screen B.
pub(super) fn failed() -> Verdict {
    verdict(
        VerdictWord::Failed,
        vec![tests_passed(), lint_failed(), typecheck()],
    )
}

/// Screen C.
pub(super) fn known() -> Verdict {
    let mut lint = lint_failed();
    lint.status = Status::Known;
    lint.new = 0;
    lint.fixed = 3;
    lint.failures.remove(0);
    verdict(VerdictWord::Passed, vec![tests_passed(), lint, typecheck()])
}

/// Screen D.
pub(super) fn could_not_run() -> Verdict {
    let mut lint = check("lint", Status::Broken);
    lint.termination = Termination::SpawnFailed;
    lint.reason = Some("golangci-lint is not on PATH".to_owned());
    lint.details = vec![
        "looked in /usr/local/go/bin, /usr/bin, /bin (harness.json:14)".to_owned(),
        "install golangci-lint, or take the check out of harness.json".to_owned(),
    ];
    verdict(VerdictWord::None, vec![tests_passed(), lint, typecheck()])
}

/// Screen D: failed and not judged together, a fetch, and nothing that ran.
pub(super) fn failed_and_not_judged() -> Verdict {
    let mut fetch = check("test", Status::Broken);
    fetch.termination = Termination::Exited;
    fetch.exit = Some(ExitFact::Code(1));
    fetch.duration_ms = 1_200;
    fetch.reason = Some("module golang.org/x/text is not downloaded".to_owned());
    fetch.details = vec![
        "checks have no network. Run this once, then check again:  go mod download".to_owned(),
    ];
    let mut nothing = check("e2e", Status::Broken);
    nothing.termination = Termination::Exited;
    nothing.exit = Some(ExitFact::Code(0));
    nothing.duration_ms = 80;
    nothing.reason = Some("nothing ran: 0 tests (go test ./nosuch/...)".to_owned());
    nothing.stdout_tail = "go: warning: \"./nosuch/...\" matched no packages\n".to_owned();
    verdict(
        VerdictWord::Failed,
        vec![fetch, nothing, lint_failed(), typecheck()],
    )
}

/// Screen E, with what was left running and a failure without a row.
pub(super) fn ended() -> Verdict {
    let mut test = check("test", Status::Fail);
    test.termination = Termination::TimedOut;
    test.duration_ms = 600_000;
    test.exit = Some(ExitFact::Signal("SIGTERM".to_owned()));
    test.reason = Some("timed out after 10m; running: TestEvict/ttl".to_owned());
    test.stdout_tail = ["line 1", "2", "3", "4", "5", "6", "line 7\n"].join("\n");
    let mut build = check("build", Status::Fail);
    build.termination = Termination::KilledForMemory;
    build.duration_ms = 72_000;
    build.reason = Some("killed for memory at 4 GiB (checks_max_memory_bytes)".to_owned());
    let mut script = check("script", Status::Fail);
    script.exit = Some(ExitFact::Code(3));
    script.reason = Some("exit 3".to_owned());
    script.new = 1;
    script.failures_total = 1;
    script.failures = vec![JudgedFailure {
        tool: Failure::ROW_LESS.to_owned(),
        ..failure("exit 3\nsetup\nboom: no such thing")
    }];
    let mut docs = check("docs", Status::Fail);
    docs.tolerance = Tolerance::Advisory;
    docs.duration_ms = 120;
    docs.new = 4;
    docs.failures_total = 4;
    docs.failures = (1..=4)
        .map(|n| located("README.md", n, "broken link"))
        .collect();
    let mut todo = check("todo", Status::Fail);
    todo.tolerance = Tolerance::Report;
    todo.new = 7;
    todo.failures_total = 7;
    todo.failures = (1..=7).map(|n| located("a.go", n, "TODO")).collect();
    let mut e2e = check("e2e", Status::Skipped);
    e2e.reason = Some("not run: build failed".to_owned());
    let mut served = tests_passed();
    "serve".clone_into(&mut served.id);
    served.leaks = vec![Leak {
        pid: 4_121,
        command: "sleep 300".to_owned(),
    }];
    served.notes = vec!["left running and ended: sleep 300 (pid 4121)".to_owned()];
    verdict(
        VerdictWord::Failed,
        vec![test, build, script, docs, todo, e2e, served],
    )
}

/// Shot checks, one in the host's network.
pub(super) fn shots() -> Verdict {
    let optional = |id, status| CheckResult {
        optional: true,
        ..check(id, status)
    };
    let mut login = optional("login", Status::Pass);
    login.shot = Some("web/.smith/shots/login.png".to_owned());
    login.network = Network::Host;
    let mut start = optional("start", Status::Fail);
    start.reason = Some("exit status 1".to_owned());
    start.new = 1;
    start.failures_total = 1;
    start.failures = vec![JudgedFailure {
        tool: Failure::ROW_LESS.to_owned(),
        ..failure("exit status 1\nno browser")
    }];
    start.notes = vec!["no shot taken: exit status 1".to_owned()];
    let mut menu = optional("menu", Status::Pass);
    menu.notes = vec!["no shot taken: no display".to_owned()];
    verdict(
        VerdictWord::Passed,
        vec![tests_passed(), login, start, menu],
    )
}

/// More rows than are listed, some of them found by two checks.
pub(super) fn many() -> Verdict {
    let mut lint = check("lint", Status::Fail);
    lint.new = 1_400;
    lint.failures_total = 1_400;
    lint.failures = (1..=200)
        .map(|n| located("a.go", n, &format!("finding {n}")))
        .collect();
    lint.log = Some(".git/check/logs/lint.log".to_owned());
    let mut vet = check("vet", Status::Fail);
    vet.new = 2;
    vet.failures_total = 2;
    vet.failures = vec![
        located("a.go", 3, "finding 3"),
        JudgedFailure {
            count: 1,
            test: Some("TestEvict/ttl".to_owned()),
            ..located("b_test.go", 41, "got 3 entries,\nwant 2")
        },
    ];
    let mut checks = vec![lint, vet];
    super::link_also(&mut checks);
    verdict(VerdictWord::Failed, checks)
}

/// A tree that would like to be believed.
pub(super) fn hostile() -> Verdict {
    let mut lie = check("ok", Status::Fail);
    lie.argv = vec![
        "sh".to_owned(),
        "-c".to_owned(),
        "echo \x1b]0;ok\x07".to_owned(),
    ];
    lie.new = 5;
    lie.failures_total = 5;
    lie.failures = vec![
        failure("ok: 3 passed"),
        failure("\r\nno verdict: nothing to see\nblocked: 0 of 3 checks failed"),
        located("ok: 3 passed\n/x\u{202e}og.a", 1, "\x1b[2J\x1b[Hclean"),
        JudgedFailure {
            test: Some("ok: 3 passed".to_owned()),
            rule: Some("\x1b[32m".to_owned()),
            ..failure("\u{9b}31mred")
        },
        JudgedFailure {
            outside: true,
            ..located("/etc/passwd", 1, "outside")
        },
    ];
    lie.notes = vec!["\nok: 3 passed".to_owned()];
    let mut quiet = check("no verdict", Status::Fail);
    quiet.stderr_tail = "ok: 3 passed\n\x1b[8mhidden\\xFF\n".to_owned();
    verdict(VerdictWord::Failed, vec![lie, quiet])
}

/// Ended by a signal from outside.
pub(super) fn interrupted() -> Verdict {
    let mut lint = check("lint", Status::Cancelled);
    lint.termination = Termination::Interrupted;
    lint.duration_ms = 1_500;
    lint.reason = Some("interrupted by SIGTERM".to_owned());
    let mut e2e = check("e2e", Status::Cancelled);
    e2e.reason = Some("not run: interrupted by SIGTERM".to_owned());
    let mut verdict = verdict(VerdictWord::None, vec![tests_passed(), lint, e2e]);
    verdict.reason = Some("interrupted by SIGTERM".to_owned());
    verdict
}

/// Containment was required.
pub(super) fn refused() -> Verdict {
    let checks = ["test", "lint", "typecheck"].map(|id| {
        let mut check = check(id, Status::Refused);
        check.termination = Termination::Refused;
        check.reason = Some(format!(
            "command check \"{id}\" containment: the host can't contain checks (no systemd \
             user manager) and checks_require_containment is set"
        ));
        check
    });
    let mut verdict = verdict(VerdictWord::None, checks.into());
    "none".clone_into(&mut verdict.isolation.mechanism);
    verdict
}

/// Screen A's line 2.
pub(super) fn contained() -> Verdict {
    let mut verdict = verdict(VerdictWord::Passed, vec![tests_passed()]);
    verdict.isolation.contained = true;
    verdict.isolation.note = None;
    verdict.not_selected = vec!["lint".to_owned()];
    verdict
}

/// Screen I.
pub(super) fn busy() -> Verdict {
    let holder = Busy {
        pid: Some(4_121),
        elsewhere: false,
        age: Some(Duration::from_secs(12)),
        check: Some("test".to_owned()),
    };
    on_linux(busy_verdict(&holder, now()))
}

/// A check that runs `check` on its own root.
pub(super) fn nested() -> Verdict {
    on_linux(nested_verdict(Some(4_121), now()))
}

/// Screen J.
pub(super) fn bad_manifest() -> Verdict {
    on_linux(bad_manifest_verdict(
        vec![
            Diagnostic::of_file(
                "harness.json",
                "executable holds a space and names no file",
                Some("write \"executable\": \"golangci-lint\", \"args\": [\"run\"]".to_owned()),
            )
            .at(
                (14, 19),
                Some((
                    "    \"executable\": \"golangci-lint run\",".to_owned(),
                    18..37,
                )),
            ),
        ],
        now(),
    ))
}

/// Screen J, a word that names nothing.
pub(super) fn unknown_word() -> Verdict {
    on_linux(usage_verdict(
        "no check and no command is named \"tset\"".to_owned(),
        vec!["did you mean:  check test".to_owned()],
        now(),
    ))
}

fn on_linux(mut verdict: Verdict) -> Verdict {
    "linux".clone_into(&mut verdict.host.os);
    "x86_64".clone_into(&mut verdict.host.arch);
    verdict
}
