//! What tools said of their version, remembered between runs as long as they are the same files.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::CheckId;
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

/// A question: as long as it is the same, so is the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The probe as declared.
    pub argv: Vec<String>,
    /// The probe's and the check's.
    pub programs: Vec<Program>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Said {
    /// One line, printable.
    pub version: Option<String>,
    /// What was wrong with the probe.
    pub note: Option<String>,
}

impl Said {
    /// A version, or none, and what was wrong with the probe.
    pub fn new(version: Option<String>, fault: Option<&str>) -> Self {
        Self {
            version,
            note: fault.map(|fault| format!("version probe: {fault}")),
        }
    }

    /// Whether it may be shown: a file can be written by anybody.
    fn is_one_line(&self) -> bool {
        let sound = |text: &Option<String>| {
            let text = text.as_deref().unwrap_or_default();
            text.chars().count() <= ONE_LINE && !text.chars().any(char::is_control)
        };
        sound(&self.version) && sound(&self.note)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    asked: Asked,
    said: Said,
}

/// The answers by check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Versions(BTreeMap<CheckId, Entry>);

impl Versions {
    /// What an earlier run wrote; nothing where that is torn or another program's.
    pub fn read(bytes: &[u8]) -> Self {
        let mut entries: BTreeMap<CheckId, Entry> =
            serde_json::from_slice(bytes).unwrap_or_default();
        entries.retain(|_, entry| entry.said.is_one_line());
        Self(entries)
    }

    /// To be read by the next run.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Maps with text for keys can always be written.
        serde_json::to_vec(&self.0).unwrap_or_default()
    }

    /// The answer to `asked` of `check`.
    pub fn of(&self, check: &CheckId, asked: &Asked) -> Option<&Said> {
        let entry = self.0.get(check).filter(|entry| entry.asked == *asked)?;
        Some(&entry.said)
    }

    /// Keeps an answer.
    pub fn learn(&mut self, check: &CheckId, asked: Asked, said: Said) {
        if self.0.len() >= MOST_CHECKS && !self.0.contains_key(check) {
            self.0.clear();
        }
        self.0.insert(check.clone(), Entry { asked, said });
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Asked, CheckId, Program, Said, Versions};

    fn lint() -> CheckId {
        CheckId::new("lint").unwrap()
    }

    #[test]
    fn an_answer_holds_until_the_program_or_the_question_changes() {
        let dir = tempfile::tempdir().unwrap();
        let tool = dir.path().join("tool");
        fs::write(&tool, "one").unwrap();
        let asked = |argument: &str| Asked {
            argv: vec!["tool".to_owned(), argument.to_owned()],
            programs: vec![Program::at(&tool).unwrap()],
        };
        let said = Said {
            version: Some("tool 1.2".to_owned()),
            note: None,
        };
        let mut versions = Versions::default();
        versions.learn(&lint(), asked("-V"), said.clone());
        let versions = Versions::read(&versions.to_bytes());
        assert_eq!(versions.of(&lint(), &asked("-V")), Some(&said));
        assert_eq!(versions.of(&lint(), &asked("-v")), None);
        fs::write(&tool, "another").unwrap();
        assert_eq!(versions.of(&lint(), &asked("-V")), None);
        assert_eq!(Program::at(&dir.path().join("none")), None);
    }

    #[test]
    fn a_file_that_is_torn_or_not_ours_is_as_good_as_none() {
        let mut versions = Versions::default();
        let asked = Asked {
            argv: Vec::new(),
            programs: Vec::new(),
        };
        versions.learn(
            &lint(),
            asked.clone(),
            Said::new(None, Some("exit status 3")),
        );
        let whole = versions.to_bytes();
        for end in 0..whole.len() {
            assert_eq!(Versions::read(&whole[..end]), Versions::default());
        }
        assert_eq!(Versions::read(b"[1]"), Versions::default());
        let hostile = Said {
            version: Some("1\n2".to_owned()),
            note: None,
        };
        versions.learn(&lint(), asked.clone(), hostile);
        let read = Versions::read(&versions.to_bytes());
        assert_eq!(read.of(&lint(), &asked), None);
    }
}
