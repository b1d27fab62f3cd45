//! What a host gives to checks, as a page for people and as a document for programs.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::header::shown_path;
use super::style::{Style, Verbosity};
use crate::model::{Isolation, ManifestFacts};
use crate::text::{Colour, Printable, Span, display_width, plural, thousands};

/// Names of variables that are shown where not all are.
const FEW: usize = 2;

/// One thing that holds a check, or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Property {
    /// `memory`, `network`, …
    pub name: &'static str,
    /// Whether it holds.
    pub enforced: bool,
    /// How that was found, in words.
    pub how: String,
}

/// A program that a check runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Program {
    /// As the manifest has it.
    pub name: String,
    /// Where it is; `None` where it is not to be found.
    pub path: Option<String>,
    /// As it said itself in an earlier run.
    pub version: Option<String>,
    /// Why there is no path, in words.
    pub missing: Option<String>,
}

/// A unit of a run of `check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unit {
    /// As the manager has it.
    pub name: String,
    /// The id of the `check` that made it.
    pub controller: i32,
    /// That `check` still runs.
    pub alive: bool,
    /// How long ago it began.
    pub age_ms: Option<u64>,
}

/// What is known of a host and a tree before anything is run.
#[derive(Debug, Clone)]
pub struct HostReport {
    /// Absolute.
    pub root: String,
    /// Of what repository it is: `git`, `git, worktree of …`; `None` where it is in none.
    pub repository: Option<String>,
    /// See [`ManifestFacts`].
    pub manifest: ManifestFacts,
    /// What stands in the place of a manifest, or is wrong with it.
    pub no_manifest: Option<String>,
    /// Recorded failures, and the checks that have any; `None` where the baseline cannot be read.
    pub baseline: Option<(u64, u64)>,
    /// In the order in which checks name them.
    pub programs: Vec<Program>,
    /// Names that checks get.
    pub inside: Vec<String>,
    /// Names that only the caller has.
    pub not_passed: Vec<String>,
    /// What one launch was seen to have; `None` where nothing could be launched.
    pub isolation: Isolation,
    /// Why nothing could be launched or asked from inside.
    pub not_probed: Option<String>,
    /// Each thing that holds a check.
    pub properties: Vec<Property>,
    /// Those that are there now, or why that cannot be asked.
    pub units: Result<Vec<Unit>, String>,
    /// Only those of the last run were asked for.
    pub of_last_run: bool,
}

/// The page.
pub fn host_human(report: &HostReport, style: &Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let of = report.repository.as_deref().map(Printable::new);
    let of = of.map_or(String::new(), |of| format!(" ({of})"));
    let root = format!("{}{of}", shown_path(&report.root, style.home));
    let field = |out: &mut dyn Write, name: &str, text: &str| writeln!(out, "{name:<12}{text}");
    field(out, "root", &root)?;
    field(out, "manifest", &manifest(report, style))?;
    field(out, "bar", &bar(report))?;
    if !report.programs.is_empty() {
        let programs: Vec<String> = report
            .programs
            .iter()
            .map(|it| program(it, style))
            .collect();
        let separator = if style.unicode { " · " } else { ", " };
        field(out, "programs", &programs.join(separator))?;
    }
    field(out, "inside", &inside(report))?;
    field(out, "not passed", &not_passed(report, style))?;
    writeln!(out)?;
    properties(report, style, out)?;
    units(report, style, out)
}

fn manifest(report: &HostReport, style: &Style<'_>) -> String {
    let path = report.manifest.path.as_deref();
    let path = path.map(|path| shown_path(path, style.home));
    let words = report.no_manifest.as_deref().map(Printable::new);
    match (path, words) {
        (Some(path), None) => path,
        (Some(path), Some(words)) => format!("{path}: {words}"),
        (None, Some(words)) => words.to_string(),
        (None, None) => "none".to_owned(),
    }
}

fn bar(report: &HostReport) -> String {
    match report.baseline {
        Some((0, _)) => "tree; no baseline".to_owned(),
        Some((failures, checks)) => format!(
            "tree; baseline {} in {}",
            plural(failures, "failure"),
            plural(checks, "check")
        ),
        None => "tree; the baseline cannot be read (check validate)".to_owned(),
    }
}

fn program(program: &Program, style: &Style<'_>) -> String {
    let name = Printable::new(&program.name);
    let Some(path) = &program.path else {
        let why = program.missing.as_deref().unwrap_or("not found");
        return Printable::new(why).to_string();
    };
    let version = program.version.as_deref().map(|version| {
        // Many say their name first.
        let version = version
            .strip_prefix(program.name.as_str())
            .unwrap_or(version);
        format!(" {}", Printable::new(version.trim()))
    });
    let path = shown_path(path, style.home);
    format!("{name}{} {path}", version.unwrap_or_default())
}

fn inside(report: &HostReport) -> String {
    let shown = |name: &String| {
        let dummy = if name == "SMITH_ANTHROPIC_API_KEY" {
            " (a dummy)"
        } else {
            ""
        };
        format!("{}{dummy}", Printable::new(name))
    };
    let names: Vec<String> = report.inside.iter().map(shown).collect();
    names.join(" ")
}

fn not_passed(report: &HostReport, style: &Style<'_>) -> String {
    let names: Vec<String> = report
        .not_passed
        .iter()
        .map(|name| Printable::new(name).to_string())
        .collect();
    if names.is_empty() {
        return "nothing".to_owned();
    }
    if style.verbosity == Verbosity::Verbose || names.len() <= FEW + 1 {
        return names.join(", ");
    }
    let more = thousands((names.len() - FEW) as u64);
    format!("{} and {more} more (names: -v)", names[..FEW].join(", "))
}

fn properties(report: &HostReport, style: &Style<'_>, out: &mut impl Write) -> io::Result<()> {
    if let Some(why) = &report.not_probed {
        let why = Printable::new(why);
        return writeln!(out, "isolation   could not be tried: {why}");
    }
    let title = format!("{:<12}{:<10}how it was found", "property", "enforced");
    writeln!(out, "{}", style.palette.paint(Colour::Dim, title))?;
    for property in &report.properties {
        let (word, colour) = if property.enforced {
            ("yes", Colour::Green)
        } else {
            ("no", Colour::Red)
        };
        let padding = " ".repeat(10 - display_width(word));
        let word = style.palette.paint(colour, word);
        let how = Printable::new(&property.how);
        writeln!(out, "{:<12}{word}{padding}{how}", property.name)?;
    }
    if report.isolation.contained {
        return Ok(());
    }
    if let Some(note) = &report.isolation.note {
        writeln!(out, "{:<12}{}", "missing", Printable::new(note))?;
    }
    if let Some(step) = &report.isolation.step {
        writeln!(out, "{:<12}{}", "to contain", Printable::new(step))?;
    }
    Ok(())
}

fn units(report: &HostReport, style: &Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let name = if report.of_last_run {
        "last run"
    } else {
        "units now"
    };
    let lines: Vec<String> = match &report.units {
        Ok(units) if units.is_empty() => vec!["none".to_owned()],
        Ok(units) => units.iter().map(unit).collect(),
        Err(why) => vec![format!("cannot be asked: {}", Printable::new(why))],
    };
    for (i, line) in lines.iter().enumerate() {
        let name = if i == 0 { name } else { "" };
        writeln!(out, "{name:<12}{line}")?;
    }
    let dead = report.units.iter().flatten().any(|unit| !unit.alive);
    if dead {
        let hint = "end what is left of them:  check host --clean";
        writeln!(out, "{:<12}{}", "", style.palette.paint(Colour::Bold, hint))?;
    }
    Ok(())
}

fn unit(unit: &Unit) -> String {
    let age = unit.age_ms.map(Duration::from_millis);
    let age = age.map_or(String::new(), |age| format!(", {}", Span(age)));
    let state = if unit.alive {
        format!("check {} runs{age}", unit.controller)
    } else {
        format!("its check is gone{age}")
    };
    format!("{} ({state})", Printable::new(&unit.name))
}

/// The document.
pub fn host_json(report: &HostReport, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{:#}", document(report))
}

fn document(report: &HostReport) -> Value {
    let (failures, checks) = report.baseline.unzip();
    json!({
        "version": 1,
        "root": report.root,
        "repository": report.repository,
        "manifest": report.manifest,
        "no_manifest": report.no_manifest,
        "bar": {
            "source": "tree",
            "baseline_failures": failures,
            "baseline_checks": checks,
        },
        "programs": report.programs,
        "environment": {
            "inside": report.inside,
            "not_passed": report.not_passed,
        },
        "isolation": report.isolation,
        "not_probed": report.not_probed,
        "properties": report.properties,
        "units": report.units.as_ref().ok(),
        "units_not_asked": report.units.as_ref().err(),
    })
}

#[cfg(test)]
mod tests {
    use super::{HostReport, Program, Property, Style, Unit, document, host_human};
    use crate::model::{Isolation, ManifestFacts};
    use crate::report::Verbosity;
    use crate::text::Palette;

    fn report() -> HostReport {
        let property = |name, enforced, how: &str| Property {
            name,
            enforced,
            how: how.to_owned(),
        };
        HostReport {
            root: "/home/ann/src/tern".to_owned(),
            repository: Some("git, worktree of /home/ann/src/tern-main".to_owned()),
            manifest: ManifestFacts {
                path: Some("harness.json".to_owned()),
                ..ManifestFacts::default()
            },
            no_manifest: None,
            baseline: Some((1400, 2)),
            programs: vec![
                Program {
                    name: "go".to_owned(),
                    path: Some("/usr/local/go/bin/go".to_owned()),
                    version: Some("go 1.26.1".to_owned()),
                    missing: None,
                },
                Program {
                    name: "golangci-lint".to_owned(),
                    path: None,
                    version: None,
                    missing: Some("golangci-lint is not on PATH".to_owned()),
                },
            ],
            inside: vec!["PATH".to_owned(), "SMITH_ANTHROPIC_API_KEY".to_owned()],
            not_passed: ["DATABASE_URL", "GOFLAGS", "A", "B"]
                .map(str::to_owned)
                .to_vec(),
            isolation: Isolation::default(),
            not_probed: None,
            properties: vec![
                property("memory", true, "read memory.max inside a unit"),
                property("network", false, "the host's port answered"),
            ],
            units: Ok(Vec::new()),
            of_last_run: false,
        }
    }

    fn page(report: &HostReport, verbosity: Verbosity) -> String {
        let style = Style {
            palette: Palette::new(false),
            unicode: true,
            width: None,
            verbosity,
            home: Some(std::path::Path::new("/home/ann")),
            detected: None,
            place: &[],
        };
        let mut out = Vec::new();
        host_human(report, &style, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_host_is_a_page() {
        assert_eq!(
            page(&report(), Verbosity::Normal),
            "\
root        ~/src/tern (git, worktree of /home/ann/src/tern-main)
manifest    harness.json
bar         tree; baseline 1,400 failures in 2 checks
programs    go 1.26.1 /usr/local/go/bin/go · golangci-lint is not on PATH
inside      PATH SMITH_ANTHROPIC_API_KEY (a dummy)
not passed  DATABASE_URL, GOFLAGS and 2 more (names: -v)

property    enforced  how it was found
memory      yes       read memory.max inside a unit
network     no        the host's port answered
units now   none
"
        );
        assert!(page(&report(), Verbosity::Verbose).contains("DATABASE_URL, GOFLAGS, A, B\n"));
    }

    #[test]
    fn what_is_missing_is_told_with_the_step_and_what_is_left_with_its_end() {
        let unit = |name: &str, alive| Unit {
            name: name.to_owned(),
            controller: 7,
            alive,
            age_ms: Some(130_000),
        };
        let report = HostReport {
            no_manifest: Some("2 problems (check validate)".to_owned()),
            isolation: Isolation {
                note: Some("no systemd".to_owned()),
                step: Some("do this".to_owned()),
                ..Isolation::default()
            },
            units: Ok(vec![
                unit("check-7-1.scope", true),
                unit("check-7-2.scope", false),
            ]),
            ..report()
        };
        let page = page(&report, Verbosity::Normal);
        for line in [
            "manifest    harness.json: 2 problems (check validate)\n",
            "missing     no systemd\nto contain  do this\n",
            "units now   check-7-1.scope (check 7 runs, 2m10s)\n            check-7-2.scope (its check is gone, 2m10s)\n",
            "            end what is left of them:  check host --clean\n",
        ] {
            assert!(page.contains(line), "{page}");
        }
        assert_eq!(document(&report)["units"][1]["alive"], false);
        let asked = HostReport {
            units: Err("no systemd".to_owned()),
            ..report
        };
        assert_eq!(document(&asked)["units_not_asked"], "no systemd");
        assert!(document(&asked)["units"].is_null());
    }
}
