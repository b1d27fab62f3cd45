//! Every screen as bytes, in `fixtures/reports/`; `UPDATE_GOLDEN=1 cargo test --lib report`
//! writes them anew.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::sample;
use super::style::{Style, Verbosity};
use super::{human, json};
use crate::model::Verdict;
use crate::text::{Palette, SourceTree};

/// A tree in which the file of the sample rows exists.
fn tree() -> (tempfile::TempDir, SourceTree) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("internal/cache")).unwrap();
    let mut source = "\n".repeat(87);
    source.push_str("\tdefer f.Close()\n");
    fs::write(root.join("internal/cache/evict.go"), source).unwrap();
    let tree = SourceTree::new(&root);
    (dir, tree)
}

fn rendered(verdict: &Verdict, style: &Style) -> String {
    let (_dir, mut source) = tree();
    let mut out = Vec::new();
    human(verdict, &mut source, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn golden(name: &str, text: &str) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/reports")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).unwrap();
        return;
    }
    let held = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        text,
        held,
        "{} differs; look, then UPDATE_GOLDEN=1",
        path.display()
    );
}

/// What every text report keeps, whatever was put into it.
fn keeps_the_rules(text: &str) {
    let opens = |line: &str| {
        ["ok:", "blocked:", "no verdict:"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    let (last, before) = {
        let mut lines: Vec<&str> = text.lines().collect();
        (lines.pop().unwrap(), lines)
    };
    assert!(opens(last), "{last}");
    assert!(before.iter().all(|line| !opens(line)), "{text}");
    let hidden = |c: &char| *c != '\n' && (c.is_control() || *c == '\u{202e}');
    assert_eq!(text.chars().find(hidden), None, "{text:?}");
    assert!(text.ends_with('\n') && !text.contains("\n\n\n"));
}

fn screen(name: &str, verdict: &Verdict) {
    screen_in(name, verdict, &sample::style());
}

fn screen_in(name: &str, verdict: &Verdict, style: &Style) {
    let text = rendered(verdict, style);
    keeps_the_rules(&text);
    golden(&format!("{name}.txt"), &text);
    let mut document = Vec::new();
    json(verdict, &mut document).unwrap();
    golden(
        &format!("{name}.json"),
        &String::from_utf8(document).unwrap(),
    );
}

#[test]
fn a_detected_run_passes() {
    let (verdict, detected) = sample::detected();
    let style = Style {
        detected: Some(&detected),
        place: &[],
        ..sample::style()
    };
    screen_in("detected", &verdict, &style);
    let (verdict, detected) = sample::no_tests();
    let style = Style {
        detected: Some(&detected),
        place: &[],
        ..style
    };
    screen_in("no-tests", &verdict, &style);
}

#[test]
fn the_screens_are_as_they_were_agreed() {
    screen("failed", &sample::failed());
    screen("known", &sample::known());
    screen("could-not-run", &sample::could_not_run());
    screen("failed-and-not-judged", &sample::failed_and_not_judged());
    screen("ended", &sample::ended());
    screen("shots", &sample::shots());
    screen("interrupted", &sample::interrupted());
    screen("refused", &sample::refused());
    screen("contained", &sample::contained());
    screen("busy", &sample::busy());
    screen("nested", &sample::nested());
    screen("bad-manifest", &sample::bad_manifest());
    screen("unknown-word", &sample::unknown_word());
}

#[test]
fn of_many_rows_ten_are_listed_and_one_finding_is_listed_once() {
    let verdict = sample::many();
    let text = rendered(&verdict, &sample::style());
    keeps_the_rules(&text);
    golden("many.txt", &text);
    let rows = text
        .lines()
        .filter(|line| line.starts_with("a.go:"))
        .count();
    assert_eq!(rows, 10);
    let style = Style {
        verbosity: Verbosity::Verbose,
        ..sample::style()
    };
    let text = rendered(&verdict, &style);
    let rows = text
        .lines()
        .filter(|line| line.starts_with("a.go:"))
        .count();
    assert_eq!(rows, 200);
    assert!(text.contains("\n… and 1,200 more\n"));
}

#[test]
fn nothing_a_tree_says_is_mistaken_for_ours() {
    screen("hostile", &sample::hostile());
    let loud = Style {
        verbosity: Verbosity::Verbose,
        ..sample::style()
    };
    keeps_the_rules(&rendered(&sample::hostile(), &loud));
    let quiet = Style {
        verbosity: Verbosity::Quiet,
        ..sample::style()
    };
    keeps_the_rules(&rendered(&sample::hostile(), &quiet));
}

#[test]
fn terminals_differ_in_width_colour_and_letters() {
    let verdict = sample::failed();
    let styles = [
        (
            "40",
            Style {
                width: Some(40),
                ..sample::style()
            },
        ),
        (
            "60",
            Style {
                width: Some(60),
                ..sample::style()
            },
        ),
        (
            "200",
            Style {
                width: Some(200),
                ..sample::style()
            },
        ),
        (
            "ascii",
            Style {
                unicode: false,
                ..sample::style()
            },
        ),
        (
            "colour",
            Style {
                palette: Palette::new(true),
                ..sample::style()
            },
        ),
        (
            "quiet",
            Style {
                verbosity: Verbosity::Quiet,
                ..sample::style()
            },
        ),
        (
            "verbose",
            Style {
                verbosity: Verbosity::Verbose,
                ..sample::style()
            },
        ),
    ];
    let mut all = String::new();
    for (name, style) in styles {
        let text = rendered(&verdict, &style).replace('\x1b', "<ESC>");
        if name == "ascii" {
            assert!(text.is_ascii(), "{text}");
        }
        // Writing to a string cannot fail.
        let _ = write!(all, "== {name}\n{text}");
    }
    golden("styles.txt", &all);
}
