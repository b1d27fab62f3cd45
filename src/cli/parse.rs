//! `check parse`: output in, rows out. It judges nothing and runs nothing.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::{Value, json};

use super::args::ReportKind;
use crate::model::{Channel, Failure, Findings, Level};
use crate::parse::{Extractor, Setup, Stream, formats};
use crate::text::{Printable, SourceTree, fold_white_space, plural};

/// The words after `check parse`.
#[derive(Debug, Clone, Args)]
pub struct ParseArgs {
    /// The format by name (see --list)
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub format: String,
    /// The command that printed it, as typed in a shell
    #[arg(long, value_name = "ARGV")]
    pub command: Option<String>,
    /// The folder it ran in; paths are relative to it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// How to print the rows
    #[arg(long, value_enum, default_value_t = ReportKind::Json)]
    pub report: ReportKind,
    /// List the formats
    #[arg(long)]
    pub list: bool,
}

/// Reads `input` to its end and writes its rows to `out` as they are found. An error is a bad
/// argument or a broken pipe: whatever the output holds, it is not one.
pub fn run(args: &ParseArgs, mut input: impl Read, mut out: impl Write) -> anyhow::Result<()> {
    if args.list {
        return list(args.report, &mut out);
    }
    let words = match &args.command {
        Some(command) => split_words(command)?,
        None => Vec::new(),
    };
    let root = root_of(&args.root)?;
    let setup = Setup {
        root: &root,
        cwd: ".",
        argv: &words,
        format: &args.format,
        pattern: None,
        channel: Channel::Both,
        joined: true,
    };
    let mut extractor = Extractor::new(&setup)?;
    let mut writer = Writer {
        out: &mut out,
        report: args.report,
        sources: SourceTree::new(&root),
        rows: 0,
        failed: None,
    };
    writer.begin(&args.format);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = input
            .read(&mut buffer)
            .context("cannot read standard input")?;
        if read == 0 {
            break;
        }
        extractor.feed(Stream::Stdout, &buffer[..read], &mut |row| writer.row(&row));
        if let Some(error) = writer.failed.take() {
            return Err(error).context("cannot write the rows");
        }
    }
    let findings = extractor.finish(None, &mut |row| writer.row(&row));
    writer.end(&findings);
    match writer.failed.take() {
        Some(error) => Err(error).context("cannot write the rows"),
        None => Ok(out.flush()?),
    }
}

/// `dir` as an absolute path; it need not exist, since the output may come from another machine.
fn root_of(dir: &Path) -> anyhow::Result<PathBuf> {
    let absolute = std::path::absolute(dir)
        .with_context(|| format!("--root {}: not a path", dir.display()))?;
    Ok(absolute.canonicalize().unwrap_or(absolute))
}

fn list(report: ReportKind, out: &mut impl Write) -> anyhow::Result<()> {
    if report == ReportKind::Human {
        for format in formats() {
            write!(out, "{:<14} {}", format.name, format.reads)?;
            if !format.tried_on.is_empty() {
                write!(out, " (tried on {})", format.tried_on)?;
            }
            writeln!(out)?;
        }
        return Ok(());
    }
    let all: Vec<Value> = formats()
        .iter()
        .map(|format| json!({"name": format.name, "reads": format.reads, "tried_on": format.tried_on}))
        .collect();
    writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?;
    Ok(())
}

/// Writes rows one by one, so that no number of them is held.
struct Writer<'a, W: Write> {
    out: &'a mut W,
    report: ReportKind,
    sources: SourceTree,
    rows: u64,
    /// The first write that failed.
    failed: Option<std::io::Error>,
}

impl<W: Write> Writer<'_, W> {
    fn put(&mut self, text: &str) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(text.as_bytes()).err();
        }
    }

    fn begin(&mut self, format: &str) {
        if self.report == ReportKind::Json {
            let format = Value::from(format);
            self.put(&format!(
                "{{\"version\":1,\"format\":{format},\"failures\":["
            ));
        }
    }

    fn row(&mut self, row: &Failure) {
        let text = match self.report {
            ReportKind::Json => {
                let separator = if self.rows == 0 { "\n" } else { ",\n" };
                format!("{separator}{}", self.json_row(row))
            }
            ReportKind::Human => format!("{}\n", human_row(row)),
        };
        self.rows += 1;
        self.put(&text);
    }

    fn json_row(&mut self, row: &Failure) -> Value {
        let inside = row.path.as_deref().filter(|_| !row.outside);
        let source = match (inside, row.line) {
            (Some(path), Some(line)) => self.sources.line(path, line).map(fold_white_space),
            _ => None,
        };
        json!({
            "path": row.path, "line": row.line, "column": row.column, "test": row.test, "rule": row.rule,
            "level": row.level, "message": row.message, "tool": row.tool, "outside": row.outside, "source": source,
        })
    }

    fn end(&mut self, findings: &Findings) {
        let notes = notes(findings);
        let text = match self.report {
            ReportKind::Json => {
                let evidence = json!(findings.evidence);
                let formats = json!(findings.formats);
                format!(
                    "\n],\"failures_total\":{},\"evidence\":{evidence},\"formats\":{formats},\"notes\":{}}}\n",
                    self.rows,
                    json!(notes)
                )
            }
            ReportKind::Human => {
                let mut text = String::new();
                for note in &notes {
                    text.push_str("note: ");
                    text.push_str(&Printable::new(note).to_string());
                    text.push('\n');
                }
                let by = if findings.formats.is_empty() {
                    String::new()
                } else {
                    format!(" ({})", findings.formats.join(", "))
                };
                text.push_str(&plural(self.rows, "row"));
                text.push_str(&by);
                text.push('\n');
                text
            }
        };
        self.put(&text);
    }
}

/// What was found beside rows, in sentences.
fn notes(findings: &Findings) -> Vec<String> {
    let mut notes = findings.notes.clone();
    if let Some(environment) = &findings.environment {
        let hint = environment
            .hint
            .as_ref()
            .map(|hint| format!(" ({hint})"))
            .unwrap_or_default();
        notes.push(format!("could not run: {}{hint}", environment.reason));
    }
    if let Some(nothing) = &findings.nothing_ran {
        notes.push(format!("nothing ran: {nothing}"));
    }
    if !findings.not_built.is_empty() {
        notes.push(format!("did not build: {}", findings.not_built.join(", ")));
    }
    notes
}

fn human_row(row: &Failure) -> String {
    let mut place = row.path.clone().unwrap_or_default();
    for number in [row.line, row.column].into_iter().flatten() {
        place.push(':');
        place.push_str(&number.to_string());
    }
    let parts = [
        (!place.is_empty()).then(|| Printable::new(&place).to_string()),
        row.test
            .as_deref()
            .map(|test| Printable::new(test).to_string()),
        (row.level == Level::Warning).then(|| "warning".to_owned()),
        Some(Printable::new(row.message.lines().next().unwrap_or_default()).to_string()),
        row.rule
            .as_deref()
            .map(|rule| format!("({})", Printable::new(rule))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

/// The words of a command line: white space separates, quotes and backslashes keep together.
fn split_words(command: &str) -> anyhow::Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"') | None, '\\') => {
                let Some(next) = chars.next() else {
                    bail!("--command ends in a backslash: {command}")
                };
                word.get_or_insert_default().push(next);
            }
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(open) = quote {
        bail!("--command has no closing {open}: {command}");
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::Value;

    use super::{ParseArgs, ReportKind, run, split_words};

    fn parse(
        command: Option<&str>,
        format: &str,
        report: ReportKind,
        input: &[u8],
    ) -> anyhow::Result<String> {
        let args = ParseArgs {
            format: format.to_owned(),
            command: command.map(str::to_owned),
            root: PathBuf::from("/no/such/folder"),
            report,
            list: false,
        };
        let mut out = Vec::new();
        run(&args, input, &mut out)?;
        Ok(String::from_utf8(out)?)
    }

    #[test]
    fn the_document_has_every_row_and_the_evidence() {
        let input = b"--- FAIL: TestA (0.00s)\n    a_test.go:3: bad\nFAIL\nFAIL\tx/a\t0.1s\nFAIL\n";
        let text = parse(Some("go test ./..."), "auto", ReportKind::Json, input).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["version"], 1);
        assert_eq!(document["failures_total"], 1);
        assert_eq!(document["failures"][0]["path"], "a_test.go");
        assert_eq!(document["failures"][0]["source"], Value::Null);
        assert_eq!(document["evidence"]["claimed"], 1);
        assert_eq!(document["formats"][0], "go-test");
        let human = parse(None, "auto", ReportKind::Human, input).unwrap();
        assert_eq!(human, "a_test.go:3  TestA  bad\n1 row (go-test)\n");
    }

    #[test]
    fn an_empty_or_binary_output_is_a_document_too() {
        for input in [&b""[..], &[0, 255, 27, 13, 10, 0]] {
            let text = parse(None, "auto", ReportKind::Json, input).unwrap();
            let document: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(document["failures"], Value::Array(Vec::new()));
            assert_eq!(document["evidence"], Value::Null);
        }
    }

    #[test]
    fn an_unknown_format_is_named() {
        let error = parse(None, "gotest", ReportKind::Json, b"").unwrap_err();
        assert_eq!(
            error.to_string(),
            "no format is named \"gotest\" (check parse --list names them)"
        );
    }

    #[test]
    fn commands_are_split_as_a_shell_would() {
        assert_eq!(
            split_words(r#"sh -c 'a "b"' "c d" e\ f ''"#).unwrap(),
            ["sh", "-c", "a \"b\"", "c d", "e f", ""]
        );
        assert!(split_words("a 'b").is_err());
    }
}
