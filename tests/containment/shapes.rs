//! The ways in which a child misbehaves, each a program of `fixtures/children/`.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

use nix::libc;
use nix::sys::signal::Signal;

use crate::support::fixture;

/// One way to misbehave.
#[derive(Debug)]
pub struct Shape {
    /// A file of `fixtures/children/`, less `.c`.
    pub program: &'static str,
    /// What it is told.
    pub word: &'static str,
    /// What ends it when it ends by itself; `None` where it returns 0.
    pub dies_by: Option<Signal>,
    /// What is there beside the main process.
    pub company: Company,
}

/// What a main process leaves behind when it ends before everything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Company {
    /// Nothing.
    None,
    /// Processes that stay what they are.
    Lasts,
    /// Processes that are others at every look, and are seen or not.
    Changes,
}

/// Every shape.
pub static SHAPES: &[Shape] = &[
    shape("plain", Company::None),
    shape("ignores_term", Company::Lasts),
    shape("daemon", Company::Lasts),
    shape("holds_output", Company::Lasts),
    shape("fork_storm", Company::Lasts),
    shape("hops", Company::Changes),
    shape("hops", Company::Changes).told("away"),
    shape("reparents", Company::Lasts),
    shape("stopped", Company::Lasts),
    shape("stopped", Company::Lasts).told("leader"),
    shape("floods", Company::None),
    shape("half_a_character", Company::None),
    shape("dies_by", Company::None).dying("6", Signal::SIGABRT),
    shape("dies_by", Company::None).dying("7", Signal::SIGBUS),
    shape("dies_by", Company::None).dying("8", Signal::SIGFPE),
    shape("dies_by", Company::None).dying("4", Signal::SIGILL),
    shape("dies_by", Company::None).dying("9", Signal::SIGKILL),
    shape("dies_by", Company::None).dying("11", Signal::SIGSEGV),
    shape("closes_pipes", Company::None),
    shape("changes_group", Company::Lasts),
    shape("changes_group", Company::Lasts).told("session"),
    shape("spawns_while_dying", Company::Lasts),
    shape("sheds_environment", Company::Lasts),
    shape("sheds_environment", Company::Lasts).told("away"),
    shape("loses_main_thread", Company::None),
    shape("loses_main_thread", Company::Lasts).told("child"),
    shape("leaves_cgroup", Company::Lasts),
];

const fn shape(program: &'static str, company: Company) -> Shape {
    Shape {
        program,
        word: "",
        dies_by: None,
        company,
    }
}

impl Shape {
    const fn told(mut self, word: &'static str) -> Self {
        self.word = word;
        self
    }

    const fn dying(mut self, number: &'static str, signal: Signal) -> Self {
        self.dies_by = Some(signal);
        self.told(number)
    }

    /// Whether its main process stops itself, and has to be continued before it can end.
    pub fn stops_itself(&self) -> bool {
        self.program == "stopped" && self.word == "leader"
    }

    /// A check's program and arguments.
    pub fn argv(&self, folder: &Path, loud: bool) -> Vec<String> {
        let program = programs().join(self.program);
        let loudness = if loud { "loud" } else { "quiet" };
        let words = [
            program.to_str().unwrap(),
            folder.to_str().unwrap(),
            loudness,
            self.word,
        ];
        words.map(str::to_owned).into()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program)?;
        match self.dies_by {
            Some(signal) => write!(f, " {signal}"),
            None if self.word.is_empty() => Ok(()),
            None => write!(f, " {}", self.word),
        }
    }
}

/// The folder with the compiled shapes. Needs `cc`.
pub fn programs() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("children");
        fs::create_dir_all(&folder).unwrap();
        let changed = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
        let header = changed(&fixture("children/child.h"));
        for entry in fs::read_dir(fixture("children")).unwrap() {
            let source = entry.unwrap().path();
            if source.extension() != Some("c".as_ref()) {
                continue;
            }
            let program = folder.join(source.file_stem().unwrap());
            let newest: Option<SystemTime> = changed(&source).max(header);
            if changed(&program) <= newest {
                compile(&source, &program);
            }
        }
        folder
    })
}

/// Another test may be about to run the very file, so it is put in place whole.
fn compile(source: &Path, program: &Path) {
    let part = program.with_extension(format!("{}.part", std::process::id()));
    let flags = [
        "-std=gnu17",
        "-O1",
        "-pthread",
        "-Wall",
        "-Wextra",
        "-Werror",
    ];
    let status = Command::new("cc")
        .args(flags)
        .arg("-o")
        .args([&part, source])
        .status()
        .expect("cc has to be installed");
    assert!(status.success(), "{} does not compile", source.display());
    fs::rename(part, program).unwrap();
}

/// Signals whose numbers the table above writes down.
const _: () = assert!(libc::SIGBUS == 7 && libc::SIGABRT == 6 && libc::SIGFPE == 8);
