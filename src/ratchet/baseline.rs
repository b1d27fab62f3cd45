//! The baseline of one check, as read: its bytes and an index over them.
//!
//! A record is parsed again when it is wanted, so that 100,000 of them cost their bytes and an
//! index entry each.

use serde::{Deserialize, Serialize};

use super::fingerprint::Fingerprint;
use super::identity::FORMAT;
use super::record::Record;
use crate::model::{CheckId, Diagnostic};
use crate::text::sha256_hex;

/// What a check's failures are measured against. The bytes that were read judge, whatever
/// becomes of the file.
#[derive(Debug, Clone)]
pub struct Baseline {
    check: CheckId,
    text: String,
    /// In order of the file.
    entries: Vec<Entry>,
    /// The distinct paths, in order of first appearance.
    paths: Vec<String>,
}

/// One record of a baseline.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) fingerprint: Fingerprint,
    pub(super) count: u64,
    /// Into the baseline's paths; `None` for a record without one.
    pub(super) path: Option<u32>,
    start: usize,
    end: usize,
}

/// The first line of a baseline file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub(super) format: u32,
    pub(super) check: CheckId,
}

/// What of a header every version of the format has.
#[derive(Deserialize)]
struct AnyHeader {
    format: u32,
}

/// A problem in a baseline file, before it is known which file it is.
struct Problem {
    /// From 1.
    line: u32,
    message: String,
    hint: String,
}

impl Baseline {
    /// The baseline of `check` that `bytes` spell; `shown` is the file's name for people.
    pub fn parse(check: &CheckId, bytes: Vec<u8>, shown: &str) -> Result<Self, Box<Diagnostic>> {
        read(check, bytes).map_err(|problem| {
            let hint = problem.hint.replace("{file}", shown);
            Box::new(Diagnostic {
                line: Some(problem.line),
                ..Diagnostic::of_file(shown, problem.message, Some(hint))
            })
        })
    }

    /// Whose it is.
    pub fn check(&self) -> &CheckId {
        &self.check
    }

    /// How many failures are forgiven.
    pub fn failures(&self) -> u64 {
        self.entries
            .iter()
            .fold(0, |sum, entry| sum.saturating_add(entry.count))
    }

    /// In how many files.
    pub fn files(&self) -> u64 {
        self.paths.len() as u64
    }

    /// SHA-256 over the file as it was read, 64 hex digits.
    pub fn sha256(&self) -> String {
        sha256_hex(self.text.as_bytes())
    }

    /// The records, in order of the file.
    pub fn records(&self) -> impl Iterator<Item = Record> {
        self.entries.iter().filter_map(|entry| self.record(entry))
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn paths(&self) -> &[String] {
        &self.paths
    }

    pub(super) fn path(&self, entry: &Entry) -> Option<&str> {
        self.paths
            .get(usize::try_from(entry.path?).ok()?)
            .map(String::as_str)
    }

    /// The record behind an entry, which was read once already.
    pub(super) fn record(&self, entry: &Entry) -> Option<Record> {
        Record::again(self.text.get(entry.start..entry.end)?)
    }
}

fn read(check: &CheckId, bytes: Vec<u8>) -> Result<Baseline, Problem> {
    let repair = format!(
        "take {{file}} from git again, or delete it and then check baseline record --only {}",
        quoted(check)
    );
    let text = String::from_utf8(bytes).map_err(|error| Problem {
        line: line_of(error.as_bytes(), error.utf8_error().valid_up_to()),
        message: "is not UTF-8 text".to_owned(),
        hint: repair.clone(),
    })?;
    if let Some(at) = text.lines().position(is_conflict_marker) {
        return Err(Problem {
            line: number(at),
            message: "holds a conflict marker".to_owned(),
            hint: "take one side, then check baseline record".to_owned(),
        });
    }
    if !text.ends_with('\n') {
        return Err(Problem {
            line: number(text.lines().count().saturating_sub(1)),
            message: if text.is_empty() {
                "is empty"
            } else {
                "is cut short"
            }
            .to_owned(),
            hint: repair,
        });
    }
    let mut entries = Vec::new();
    let mut paths: Vec<String> = Vec::new();
    let mut start = 0;
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let problem = |message: String| Problem {
            line: number(at),
            message,
            hint: repair.clone(),
        };
        let end = start + line.trim_end_matches(['\n', '\r']).len();
        let content = &text[start..end];
        if at == 0 {
            header(check, content)?;
        } else {
            let (record, fingerprint) =
                Record::from_line(check, content).map_err(|error| problem(error.to_string()))?;
            let path = record.path.map(|path| {
                // Sorted by path, so the last one is nearly always it.
                if paths.last() != Some(&path) {
                    paths.push(path);
                }
                u32::try_from(paths.len() - 1).unwrap_or(u32::MAX)
            });
            entries.push(Entry {
                fingerprint,
                count: record.count,
                path,
                start,
                end,
            });
        }
        start += line.len();
    }
    if let Some(at) = repeated(&entries) {
        return Err(Problem {
            line: line_of(text.as_bytes(), at),
            message: "holds a record twice".to_owned(),
            hint: repair,
        });
    }
    Ok(Baseline {
        check: check.clone(),
        text,
        entries,
        paths,
    })
}

fn header(check: &CheckId, line: &str) -> Result<(), Problem> {
    let problem = |message: String, hint: String| Problem {
        line: 1,
        message,
        hint,
    };
    let format = serde_json::from_str::<AnyHeader>(line)
        .map(|header| header.format)
        .ok();
    if let Some(format) = format.filter(|format| *format != FORMAT) {
        return Err(problem(
            format!("has format {format}, and this version of check knows {FORMAT}"),
            "use the version of check that wrote it, or a newer one".to_owned(),
        ));
    }
    let header: Header = serde_json::from_str(line).map_err(|error| {
        problem(
            format!("does not begin as a baseline does: {error}"),
            format!(
                "delete {{file}}, then check baseline record --only {}",
                quoted(check)
            ),
        )
    })?;
    if header.check != *check {
        return Err(problem(
            format!(
                "is the baseline of \"{}\", not of \"{check}\"",
                header.check
            ),
            format!(
                "delete {{file}}, then check baseline record --only {}",
                quoted(check)
            ),
        ));
    }
    Ok(())
}

/// The offset of the second of two records with one fingerprint.
fn repeated(entries: &[Entry]) -> Option<usize> {
    let mut order: Vec<(Fingerprint, usize)> = entries
        .iter()
        .map(|entry| (entry.fingerprint, entry.start))
        .collect();
    order.sort_unstable();
    order
        .windows(2)
        .find(|pair| pair[0].0 == pair[1].0)
        .map(|pair| pair[1].1)
}

fn is_conflict_marker(line: &str) -> bool {
    ["<<<<<<<", "=======", ">>>>>>>", "|||||||"]
        .iter()
        .any(|marker| line.starts_with(marker))
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

fn line_of(text: &[u8], offset: usize) -> u32 {
    number(memchr::memchr_iter(b'\n', &text[..offset]).count())
}

/// An id as it is typed in a shell.
fn quoted(check: &CheckId) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if check.as_str().chars().all(plain) {
        return check.to_string();
    }
    format!("'{}'", check.as_str().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::Baseline;
    use crate::model::CheckId;
    use crate::ratchet::Record;

    fn lint() -> CheckId {
        CheckId::new("lint").unwrap()
    }

    fn text() -> String {
        std::fs::read_to_string(
            std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("fixtures/baselines/v1/lint.jsonl"),
        )
        .unwrap()
    }

    fn refusal(text: &str) -> String {
        let problem =
            Baseline::parse(&lint(), text.as_bytes().to_vec(), "b/lint.jsonl").unwrap_err();
        format!(
            "{}:{}: {}\n{}",
            problem.path,
            problem.line.unwrap(),
            problem.message,
            problem.hint.unwrap()
        )
    }

    #[test]
    fn a_file_of_version_1_loads() {
        let baseline = Baseline::parse(&lint(), text().into_bytes(), "x").unwrap();
        assert_eq!((baseline.failures(), baseline.files()), (5, 2));
        let records: Vec<Record> = baseline.records().collect();
        assert_eq!(records.len(), 4);
        assert!(records.is_sorted());
        assert_eq!(records[1].path.as_deref(), Some("a.go"));
        let crlf = text().replace('\n', "\r\n");
        let crlf = Baseline::parse(&lint(), crlf.into_bytes(), "x").unwrap();
        assert!(
            crlf.records().eq(records),
            "as git checks it out on Windows"
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_and_cure() {
        const REPAIR: &str = "\ntake b/lint.jsonl from git again, or delete it and then check baseline record --only lint";
        const ANEW: &str = "\ndelete b/lint.jsonl, then check baseline record --only lint";
        let text = text();
        let lines: Vec<&str> = text.lines().collect();
        let join = |lines: &[&str]| format!("{}\n", lines.join("\n"));
        assert_eq!(
            refusal(&join(&[
                lines[0],
                "<<<<<<< HEAD",
                lines[1],
                "=======",
                lines[2],
                ">>>>>>> x"
            ])),
            "b/lint.jsonl:2: holds a conflict marker\ntake one side, then check baseline record"
        );
        assert_eq!(
            refusal(&text.replacen("\"count\":2", "\"count\":9", 1)),
            format!(
                "b/lint.jsonl:3: does not match its own line_sum: it was edited by hand{REPAIR}"
            )
        );
        assert_eq!(
            refusal(&join(&[lines[0], lines[1], lines[2], lines[1]])),
            format!("b/lint.jsonl:4: holds a record twice{REPAIR}")
        );
        assert_eq!(
            refusal(text.trim_end()),
            format!("b/lint.jsonl:5: is cut short{REPAIR}")
        );
        assert_eq!(refusal(""), format!("b/lint.jsonl:1: is empty{REPAIR}"));
        assert_eq!(
            refusal(&text.replace(
                "{\"format\":1,\"check\":\"lint\"}",
                "{\"format\":1,\"check\":\"vet\"}"
            )),
            format!("b/lint.jsonl:1: is the baseline of \"vet\", not of \"lint\"{ANEW}")
        );
        assert_eq!(
            refusal("{\"format\":2,\"check\":\"lint\",\"new\":0}\n"),
            "b/lint.jsonl:1: has format 2, and this version of check knows 1\n\
             use the version of check that wrote it, or a newer one"
        );
        assert!(
            refusal("hello\n").starts_with("b/lint.jsonl:1: does not begin as a baseline does: ")
        );
        assert!(refusal("[]\n").starts_with("b/lint.jsonl:1: does not begin as a baseline does: "));
        assert!(
            refusal(&join(&[lines[0], "{\"path\":"])).starts_with("b/lint.jsonl:2: is no record: ")
        );
        assert!(refusal(&join(&[lines[0], ""])).starts_with("b/lint.jsonl:2: is no record: "));
        let bytes = [text.as_bytes(), b"\xff\n"].concat();
        let problem = Baseline::parse(&lint(), bytes, "b").unwrap_err();
        assert_eq!(
            (problem.line, problem.message.as_str()),
            (Some(6), "is not UTF-8 text")
        );
    }
}
