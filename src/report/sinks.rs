//! The fan-out: every report is written whatever becomes of the others.

use std::io::{self, Write};

use super::format::Format;
use super::sink::{FileSink, SinkError, SinkSpec};
use super::style::Style;
use crate::model::{Route, Verdict, VerdictWord};

/// All reports of a run, open before anything runs.
#[derive(Debug)]
pub struct Sinks {
    stdout: Format,
    files: Vec<FileSink>,
}

/// What became of the reports.
#[derive(Debug)]
pub struct Finished {
    /// The verdict that was reported last: a pass that not every report could say is none.
    pub verdict: Verdict,
    /// What could not be written.
    pub errors: Vec<SinkError>,
}

impl Sinks {
    /// Opens what `specs` ask for. Standard output has `default` where none of them takes it.
    pub fn open(specs: &[SinkSpec], default: Format) -> Result<Self, SinkError> {
        let mut stdout = None;
        let mut files: Vec<FileSink> = Vec::new();
        for spec in specs {
            match (&spec.file, stdout) {
                (None, None) => stdout = Some(spec.format),
                (None, Some(first)) => {
                    return Err(SinkError::TwoOnStdout(
                        Format::name(first),
                        spec.format.name(),
                    ));
                }
                (Some(path), _) => {
                    let file = FileSink::open(spec.format, path)?;
                    if files.iter().any(|other| other.is_same(&file)) {
                        return Err(SinkError::SameFile(path.clone()));
                    }
                    files.push(file);
                }
            }
        }
        Ok(Self {
            stdout: stdout.unwrap_or(default),
            files,
        })
    }

    /// One report, on standard output.
    pub fn on_stdout(format: Format) -> Self {
        Self {
            stdout: format,
            files: Vec::new(),
        }
    }

    /// The format on standard output.
    pub fn stdout_format(&self) -> Format {
        self.stdout
    }

    /// Writes every report, files first. Where one could not be written a pass is taken back,
    /// in the others too; a standard output that was closed takes nothing back.
    pub fn finish(mut self, verdict: Verdict, style: &Style, stdout: &mut impl Write) -> Finished {
        let mut finished = Finished {
            verdict,
            errors: Vec::new(),
        };
        self.write_files(&mut finished, style);
        if let Err(error) = write_stdout(self.stdout, &finished.verdict, style, stdout) {
            finished.errors.push(error);
            if take_back(&mut finished) {
                self.write_files(&mut finished, style);
            }
        }
        finished
    }

    /// A file that failed is not tried again.
    fn write_files(&mut self, finished: &mut Finished, style: &Style) {
        let mut held = Vec::new();
        for mut file in std::mem::take(&mut self.files) {
            match write_file(&mut file, &finished.verdict, style) {
                Ok(()) => held.push(file),
                Err(error) => finished.errors.push(error),
            }
        }
        self.files = held;
        if !finished.errors.is_empty() && take_back(finished) {
            self.write_files(finished, style);
        }
    }
}

/// Turns a pass into none; whether there was one to turn.
fn take_back(finished: &mut Finished) -> bool {
    let verdict = &mut finished.verdict;
    if verdict.verdict != VerdictWord::Passed {
        return false;
    }
    verdict.verdict = VerdictWord::None;
    verdict.exit_code = VerdictWord::None.exit_code();
    verdict.route = Route::Operator;
    verdict.reason = finished.errors.first().map(ToString::to_string);
    true
}

fn write_file(file: &mut FileSink, verdict: &Verdict, style: &Style) -> Result<(), SinkError> {
    let mut report = Vec::new();
    let rendered = file.format.write(verdict, &style.for_file(), &mut report);
    rendered.map_err(|cause| SinkError::Write {
        path: file.path().to_owned(),
        cause,
    })?;
    file.write(&report)
}

fn write_stdout(
    format: Format,
    verdict: &Verdict,
    style: &Style,
    stdout: &mut impl Write,
) -> Result<(), SinkError> {
    let mut report = Vec::new();
    let written = format
        .write(verdict, style, &mut report)
        .and_then(|()| stdout.write_all(&report))
        .and_then(|()| stdout.flush());
    match written {
        // Whoever read it has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(SinkError::Stdout),
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, SinkError, SinkSpec, Sinks};
    use crate::model::{Route, Status, Verdict, VerdictWord};
    use crate::report::sample::{check, style, verdict};
    use std::fs;
    use std::io;

    struct Failing(io::ErrorKind);

    impl io::Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn passed() -> Verdict {
        verdict(VerdictWord::Passed, vec![check("test", Status::Pass)])
    }

    fn to(path: &std::path::Path) -> SinkSpec {
        SinkSpec {
            format: Format::Json,
            file: Some(path.to_owned()),
        }
    }

    fn word_in(path: &std::path::Path) -> String {
        let document = fs::read(path).unwrap();
        let read: serde_json::Value = serde_json::from_slice(&document).unwrap();
        read["verdict"].as_str().unwrap().to_owned()
    }

    #[test]
    fn files_leave_standard_output_its_default_and_only_one_report_takes_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("v.json");
        let sinks = Sinks::open(&[to(&file)], Format::Human).unwrap();
        let mut out = Vec::new();
        let finished = sinks.finish(passed(), &style(), &mut out);
        assert!(finished.errors.is_empty());
        assert!(
            String::from_utf8(out)
                .unwrap()
                .ends_with("\nok: 1 passed\n")
        );
        assert_eq!(word_in(&file), "passed");
        let twice: Vec<SinkSpec> = ["json", "human"].map(|v| v.parse().unwrap()).into();
        let refused = Sinks::open(&twice, Format::Human).unwrap_err();
        assert!(matches!(refused, SinkError::TwoOnStdout("json", "human")));
    }

    #[test]
    fn one_file_is_not_given_to_two_reports_however_it_is_spelled() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("d")).unwrap();
        let twice = [to(&dir.path().join("v")), to(&dir.path().join("d/../v"))];
        let refused = Sinks::open(&twice, Format::Human).unwrap_err();
        assert!(matches!(refused, SinkError::SameFile(_)), "{refused}");
    }

    #[test]
    fn a_file_that_cannot_be_written_takes_a_pass_back_everywhere() {
        let dir = tempfile::tempdir().unwrap();
        let gone = dir.path().join("gone");
        fs::create_dir(&gone).unwrap();
        let kept = dir.path().join("kept.json");
        let specs = [to(&kept), to(&gone.join("v.json"))];
        let sinks = Sinks::open(&specs, Format::Human).unwrap();
        fs::remove_dir_all(&gone).unwrap();
        let mut out = Vec::new();
        let finished = sinks.finish(passed(), &style(), &mut out);
        assert_eq!(finished.errors.len(), 1);
        assert_eq!(finished.verdict.exit_code, 2);
        assert_eq!(finished.verdict.route, Route::Operator);
        assert_eq!(word_in(&kept), "none");
        let out = String::from_utf8(out).unwrap();
        let last = out.lines().last().unwrap();
        assert!(
            last.starts_with("no verdict: could not write the report"),
            "{last}"
        );
    }

    #[test]
    fn a_failure_stays_a_failure_whatever_could_not_be_written() {
        let sinks = Sinks::open(&[], Format::Human).unwrap();
        let failed = verdict(VerdictWord::Failed, vec![check("test", Status::Fail)]);
        let finished = sinks.finish(failed, &style(), &mut Failing(io::ErrorKind::StorageFull));
        assert_eq!(finished.verdict.exit_code, 1);
        assert_eq!(finished.errors.len(), 1);
    }

    #[test]
    fn a_closed_standard_output_takes_nothing_back_and_a_full_one_does() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("v.json");
        let sinks = Sinks::open(&[to(&file)], Format::Human).unwrap();
        let finished = sinks.finish(passed(), &style(), &mut Failing(io::ErrorKind::BrokenPipe));
        assert_eq!(finished.verdict.exit_code, 0);
        assert!(finished.errors.is_empty());
        let sinks = Sinks::open(&[to(&file)], Format::Human).unwrap();
        let finished = sinks.finish(passed(), &style(), &mut Failing(io::ErrorKind::StorageFull));
        assert_eq!(finished.verdict.exit_code, 2);
        assert_eq!(word_in(&file), "none");
    }
}
