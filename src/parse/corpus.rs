//! The parsers on real output: every case under `fixtures/parsers/`, with its command known and
//! from the output alone, and the same bytes cut, truncated and with other line ends.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::model::{Channel, Exit, Failure, Findings};

use super::{Extractor, Setup, Stream};

struct Case {
    name: String,
    output: Vec<u8>,
    argv: Vec<String>,
    root: PathBuf,
    expected: Vec<Value>,
}

fn cases() -> Vec<Case> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/parsers");
    let mut cases = Vec::new();
    for tool in fs::read_dir(top)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
    {
        for folder in fs::read_dir(&tool)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            let command = fs::read_to_string(folder.join("cmd.txt")).unwrap();
            let facts: BTreeMap<&str, &str> = command
                .lines()
                .filter_map(|line| line.split_once(": "))
                .collect();
            let argv = facts
                .get("argv")
                .map_or("", |argv| argv)
                .split_whitespace()
                .map(str::to_owned);
            cases.push(Case {
                name: folder
                    .strip_prefix(tool.parent().unwrap())
                    .unwrap()
                    .display()
                    .to_string(),
                output: fs::read(folder.join("output.txt")).unwrap(),
                argv: argv.collect(),
                root: PathBuf::from(facts.get("cwd").unwrap_or(&"/srv/app")),
                expected: serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap())
                    .unwrap(),
            });
        }
    }
    assert!(cases.len() > 100, "only {} cases", cases.len());
    cases
}

fn read(
    case: &Case,
    argv: &[String],
    chunks: &mut dyn Iterator<Item = &[u8]>,
    exit: Option<Exit>,
) -> (Vec<Failure>, Findings) {
    let setup = Setup {
        root: &case.root,
        cwd: ".",
        argv,
        format: "auto",
        pattern: None,
        channel: Channel::Both,
        joined: true,
    };
    let mut extractor = Extractor::new(&setup).unwrap();
    let mut rows = Vec::new();
    for chunk in chunks {
        extractor.feed(Stream::Stdout, chunk, &mut |row| rows.push(row));
    }
    let findings = extractor.finish(exit, &mut |row| rows.push(row));
    (rows, findings)
}

fn whole(case: &Case, argv: &[String]) -> (Vec<Failure>, Findings) {
    read(
        case,
        argv,
        &mut std::iter::once(case.output.as_slice()),
        None,
    )
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn text<'a>(facts: &'a Value, key: &str) -> Option<&'a str> {
    facts.get(key).and_then(Value::as_str)
}

/// One path may be given from further up than the other.
fn same_file(wanted: Option<&str>, found: Option<&str>) -> bool {
    let (Some(wanted), Some(found)) = (wanted, found) else {
        return wanted == found;
    };
    let plain = |path: &str| {
        path.replace('\\', "/")
            .trim_start_matches("file://")
            .trim_start_matches("./")
            .to_owned()
    };
    let (wanted, found) = (plain(wanted), plain(found));
    wanted == found
        || wanted.ends_with(&format!("/{}", found.trim_start_matches('/')))
        || found.ends_with(&format!("/{}", wanted.trim_start_matches('/')))
}

fn same_test(wanted: Option<&str>, found: Option<&str>) -> bool {
    let (wanted, found) = (
        fold(wanted.unwrap_or_default()),
        fold(found.unwrap_or_default()),
    );
    wanted == found
        || (!wanted.is_empty()
            && !found.is_empty()
            && (wanted.ends_with(&format!("/{found}")) || found.ends_with(&format!("/{wanted}"))))
}

fn same_message(wanted: Option<&str>, found: &str) -> bool {
    // Expectations keep some quotes as they are escaped.
    let fold = |text: &str| fold(&text.replace('\\', ""));
    let first = fold(
        wanted
            .unwrap_or_default()
            .trim()
            .lines()
            .next()
            .unwrap_or_default(),
    );
    fold(found).contains(&first) || fold(wanted.unwrap_or_default()).contains(&fold(found))
}

/// The row that is wanted, and each other answer that is right: the first with some facts replaced.
fn answers(wanted: &Value) -> Vec<Value> {
    let mut answers = vec![wanted.clone()];
    for other in wanted
        .get("accept")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let mut answer = wanted.clone();
        for (key, value) in other.as_object().unwrap() {
            answer[key] = value.clone();
        }
        answers.push(answer);
    }
    answers
}

fn fits(wanted: &Value, row: &Failure) -> bool {
    let answers = answers(wanted);
    let test = answers
        .iter()
        .any(|answer| same_test(text(answer, "test"), row.test.as_deref()));
    let message = answers
        .iter()
        .any(|answer| same_message(text(answer, "message"), &row.message));
    test && message && place_fits(wanted, row)
}

/// A row may say less than is known, never anything else.
fn place_fits(wanted: &Value, row: &Failure) -> bool {
    row.line.is_none()
        || answers(wanted).iter().any(|answer| {
            let files = [text(answer, "file"), text(answer, "file_resolved")];
            let line = answer.get("line").and_then(Value::as_u64);
            line == row.line.map(u64::from)
                && files
                    .iter()
                    .any(|file| file.is_some() && same_file(*file, row.path.as_deref()))
        })
}

/// Where the text has more than the expectation says: the stack of a coloured report, which is cut
/// by escapes; a test whose block survived the cut; the expansion of a macro.
const MORE_IS_PRINTED: [(&str, &str); 2] = [
    ("node-test/node-spec-color", "nested.test.js"),
    ("rust/tail-cargo", "src/lib.rs"),
];

fn judge(case: &Case, rows: &[Failure], how: &str, faults: &mut Vec<String>) {
    let mut used = vec![false; rows.len()];
    let mut order: Vec<&Value> = case.expected.iter().collect();
    order.sort_by_key(|wanted| wanted.get("optional").is_some());
    for wanted in order {
        // The row that fits best: one with a place before one without.
        let found = (0..rows.len())
            .filter(|&i| !used[i])
            .filter(|&i| {
                let printed = MORE_IS_PRINTED.iter().any(|(name, file)| {
                    *name == case.name
                        && rows[i]
                            .path
                            .as_deref()
                            .is_some_and(|path| path.ends_with(file))
                });
                fits(wanted, &rows[i])
                    || (printed && same_test(text(wanted, "test"), rows[i].test.as_deref()))
            })
            .max_by_key(|&i| (rows[i].line.is_some(), std::cmp::Reverse(i)));
        match found {
            Some(i) => {
                used[i] = true;
                if wanted.get("line").is_some_and(Value::is_u64)
                    && rows[i].line.is_none()
                    && !answers(wanted)
                        .iter()
                        .any(|answer| answer["line"].is_null())
                {
                    faults.push(format!("{} {how}: no line for {wanted}", case.name));
                }
            }
            None if wanted.get("optional").is_some() => {}
            None => faults.push(format!("{} {how}: missing {wanted}", case.name)),
        }
    }
    for (row, _) in rows.iter().zip(&used).filter(|(_, used)| !**used) {
        faults.push(format!("{} {how}: spurious {row:?}", case.name));
    }
}

#[test]
fn real_output_gives_the_rows_that_its_tools_meant() {
    let mut faults = Vec::new();
    for case in cases() {
        judge(
            &case,
            &whole(&case, &case.argv).0,
            "with its command",
            &mut faults,
        );
        judge(&case, &whole(&case, &[]).0, "alone", &mut faults);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Real output of tools that had no network and a cold cache: what is missing, and the step.
#[test]
fn what_could_not_be_fetched_is_named_with_its_step_and_is_no_row() {
    let mut seen = 0;
    for case in cases() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/parsers");
        let folder = folder.join(&case.name);
        let Ok(expected) = fs::read_to_string(folder.join("environment.txt")) else {
            continue;
        };
        seen += 1;
        let command = fs::read_to_string(folder.join("cmd.txt")).unwrap();
        let exit = command.lines().find_map(|line| line.strip_prefix("exit: "));
        let exit = Some(Exit::Code(exit.unwrap().parse().unwrap()));
        for argv in [&case.argv[..], &[]] {
            let chunks = &mut std::iter::once(case.output.as_slice());
            let (rows, findings) = read(&case, argv, chunks, exit);
            assert_eq!(rows, [], "{}", case.name);
            let said = findings.environment.map(|said| {
                let step = said.hint.unwrap_or_default();
                format!("{}\n{step}\n", said.reason)
            });
            assert_eq!(said.as_ref(), Some(&expected), "{} {argv:?}", case.name);
        }
    }
    assert!(seen >= 20, "only {seen}");
}

#[test]
fn no_claim_is_larger_than_the_rows_and_a_pass_claims_nothing() {
    // What was not run for want of the network is claimed by some, and judged by nobody.
    let judged = cases()
        .into_iter()
        .filter(|case| !case.name.starts_with("offline/"));
    for case in judged {
        let (rows, findings) = whole(&case, &case.argv);
        let claimed = findings
            .evidence
            .as_ref()
            .and_then(|evidence| evidence.claimed)
            .unwrap_or(0);
        assert!(
            claimed <= rows.len() as u64,
            "{}: {claimed} of {}",
            case.name,
            rows.len()
        );
        assert_eq!(
            findings.errors + findings.warnings,
            rows.len() as u64,
            "{}",
            case.name
        );
        if case.expected.is_empty() {
            assert_eq!(claimed, 0, "{}", case.name);
        }
    }
}

/// Small, fast and the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }
}

#[test]
fn any_split_of_the_bytes_gives_the_same_rows() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    for case in cases() {
        let want = whole(&case, &case.argv);
        let single = read(&case, &case.argv, &mut case.output.chunks(1), None);
        assert_eq!(single, want, "{} by single bytes", case.name);
        for _ in 0..3 {
            let mut chunks = Vec::new();
            let mut rest = case.output.as_slice();
            while !rest.is_empty() {
                let (chunk, after) = rest.split_at(rest.len().min(1 + dice.roll(300)));
                chunks.push(chunk);
                rest = after;
            }
            let split = read(&case, &[], &mut chunks.into_iter(), None);
            assert_eq!(split, whole(&case, &[]), "{}", case.name);
        }
    }
}

#[test]
fn line_ends_of_windows_change_nothing() {
    for mut case in cases() {
        let want = whole(&case, &case.argv);
        if case.output.contains(&b'\r') {
            continue;
        }
        case.output = case
            .output
            .split(|&b| b == b'\n')
            .collect::<Vec<_>>()
            .join(b"\r\n".as_slice());
        assert_eq!(whole(&case, &case.argv), want, "{}", case.name);
    }
}

#[test]
fn output_cut_anywhere_or_damaged_is_read_without_a_panic() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for mut case in cases() {
        if case.output.is_empty() {
            continue;
        }
        for _ in 0..12 {
            let at = dice.roll(case.output.len());
            read(
                &case,
                &case.argv,
                &mut std::iter::once(&case.output[..at]),
                Some(Exit::Code(1)),
            );
            read(
                &case,
                &[],
                &mut std::iter::once(&case.output[at..]),
                Some(Exit::Signal(9)),
            );
        }
        for _ in 0..case.output.len() / 20 {
            let at = dice.roll(case.output.len());
            case.output[at] = u8::try_from(dice.roll(256)).unwrap();
        }
        whole(&case, &case.argv);
        whole(&case, &[]);
    }
}

#[test]
fn what_is_printed_of_a_case_is_never_placed_where_it_does_not_say() {
    // Every line of a row stands in the output, next to its file's name.
    for case in cases() {
        let output = String::from_utf8_lossy(&case.output);
        for row in whole(&case, &[]).0 {
            let (Some(path), Some(line)) = (&row.path, row.line) else {
                continue;
            };
            let name = path.rsplit(['/', '\\']).next().unwrap();
            assert!(
                output.contains(name) && output.contains(&line.to_string()),
                "{}: {row:?}",
                case.name
            );
        }
    }
}
