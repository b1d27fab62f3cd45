//! What tools said of their version, remembered between runs as long as they are the same files.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::{CheckId, Network};
use crate::text::ONE_LINE;

use super::stamp::Stamp;

/// More checks than this are not remembered: no manifest has so many.
const MOST_CHECKS: usize = 20_000;

/// A program by its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Absolute, links resolved.
    path: String,
    stamp: Stamp,
}

impl Program {
    /// The file that `path` leads to, where there is one.
    pub fn at(path: &Path) -> Option<Self> {
        let real = path.canonicalize().ok()?;
        let metadata = real.metadata().ok()?;
        Some(Self {
            path: real.to_string_lossy().into_owned(),
            stamp: Stamp::new(&metadata),
        })
    }
}

/// A question to a tool. Equal ones have one answer in a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Question {
    /// The probe as declared.
    pub argv: Vec<String>,
    /// From the root.
    pub cwd: String,
    /// A digest over the names and values that the probe gets, but its home.
    pub env: String,
    /// Where it runs decides what it can find out.
    pub network: Network,
}

/// A question to these files: as long as it is the same, so is the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// See [`Question`].
    pub question: Question,
    /// The probe's program and the check's.
    pub programs: [Program; 2],
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    asked: Asked,
    version: String,
}

/// The answers by check. Only clean ones are kept: what went wrong may go well the next time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Versions(BTreeMap<CheckId, Entry>);

impl Versions {
    /// What an earlier run wrote; nothing where that is torn or another program's.
    pub fn read(bytes: &[u8]) -> Self {
        let mut entries: BTreeMap<CheckId, Entry> =
            serde_json::from_slice(bytes).unwrap_or_default();
        // A file can be written by anybody, and this is shown.
        entries.retain(|_, entry| is_one_line(&entry.version));
        Self(entries)
    }

    /// To be read by the next run.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Maps with text for keys can always be written.
        serde_json::to_vec(&self.0).unwrap_or_default()
    }

    /// The answer to `asked` of `check`.
    pub fn of(&self, check: &CheckId, asked: &Asked) -> Option<&str> {
        let entry = self.0.get(check).filter(|entry| entry.asked == *asked)?;
        Some(&entry.version)
    }

    /// What was said by or for the program `path`, as long as it is the same file.
    pub fn of_program(&self, path: &Path) -> Option<&str> {
        let program = Program::at(path)?;
        let mut entries = self.0.values();
        let entry = entries.find(|entry| entry.asked.programs.contains(&program))?;
        Some(&entry.version)
    }

    /// Keeps an answer.
    pub fn learn(&mut self, check: &CheckId, asked: Asked, version: String) {
        if self.0.len() >= MOST_CHECKS && !self.0.contains_key(check) {
            self.0.clear();
        }
        self.0.insert(check.clone(), Entry { asked, version });
    }
}

fn is_one_line(text: &str) -> bool {
    text.chars().count() <= ONE_LINE && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Asked, CheckId, Network, Program, Question, Versions};

    fn lint() -> CheckId {
        CheckId::new("lint").unwrap()
    }

    /// `tool --version` for a check that runs `program`.
    fn asked(program: &Path) -> Asked {
        let program = Program::at(program).unwrap();
        Asked {
            question: Question {
                argv: vec!["tool".to_owned(), "--version".to_owned()],
                cwd: ".".to_owned(),
                env: "0123".to_owned(),
                network: Network::None,
            },
            programs: [program.clone(), program],
        }
    }

    #[test]
    fn an_answer_holds_until_a_program_or_anything_of_the_question_changes() {
        let dir = tempfile::tempdir().unwrap();
        let tool = dir.path().join("tool");
        fs::write(&tool, "one").unwrap();
        let mut versions = Versions::default();
        versions.learn(&lint(), asked(&tool), "tool 1.2".to_owned());
        let versions = Versions::read(&versions.to_bytes());
        assert_eq!(versions.of(&lint(), &asked(&tool)), Some("tool 1.2"));
        let changes: [fn(&mut Question); 4] = [
            |question| question.argv[1] = "-V".to_owned(),
            |question| question.cwd = "web".to_owned(),
            |question| question.env = "4567".to_owned(),
            |question| question.network = Network::Host,
        ];
        for change in changes {
            let mut other = asked(&tool);
            change(&mut other.question);
            assert_eq!(versions.of(&lint(), &other), None, "{other:?}");
        }
        fs::write(&tool, "another").unwrap();
        assert_eq!(versions.of(&lint(), &asked(&tool)), None);
        assert_eq!(Program::at(&dir.path().join("none")), None);
    }

    #[test]
    fn a_file_that_is_torn_or_not_ours_is_as_good_as_none() {
        let dir = tempfile::tempdir().unwrap();
        let asked = asked(dir.path());
        let mut versions = Versions::default();
        versions.learn(&lint(), asked.clone(), "1.2".to_owned());
        let whole = versions.to_bytes();
        for end in 0..whole.len() {
            assert_eq!(Versions::read(&whole[..end]), Versions::default());
        }
        assert_eq!(Versions::read(b"[1]"), Versions::default());
        versions.learn(&lint(), asked.clone(), "1\n2".to_owned());
        let read = Versions::read(&versions.to_bytes());
        assert_eq!(read.of(&lint(), &asked), None);
    }
}
