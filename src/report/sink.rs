//! One place that a report goes to: standard output, or a file that is whole or not there.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use tempfile::NamedTempFile;

use super::format::Format;

/// What `--report FORMAT[=FILE]` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinkSpec {
    /// What is written.
    pub format: Format,
    /// Where to; standard output where there is none.
    pub file: Option<PathBuf>,
}

/// Why a value of `--report` names no sink.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SinkSpecError {
    /// The word before `=`.
    #[error("unknown report format {0:?}; known: {known}", known = known())]
    UnknownFormat(String),
    /// `json=`.
    #[error("--report {0}= names no file; leave the = out for standard output")]
    NoFile(&'static str),
}

fn known() -> String {
    Format::ALL.map(Format::name).join(", ")
}

impl FromStr for SinkSpec {
    type Err = SinkSpecError;

    fn from_str(value: &str) -> Result<Self, SinkSpecError> {
        let (name, file) = match value.split_once('=') {
            Some((name, file)) => (name, Some(file)),
            None => (value, None),
        };
        let format =
            Format::named(name).ok_or_else(|| SinkSpecError::UnknownFormat(name.to_owned()))?;
        if file == Some("") {
            return Err(SinkSpecError::NoFile(format.name()));
        }
        Ok(Self {
            format,
            file: file.map(PathBuf::from),
        })
    }
}

/// Why a report cannot be written. Each says which, why and, where there is one, the way out.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// Two reports for standard output.
    #[error(
        "--report {0} and --report {1} both go to standard output; give one a file: --report {1}=FILE"
    )]
    TwoOnStdout(&'static str, &'static str),
    /// Two reports for one file.
    #[error("two reports go to {}; give each a file of its own", .0.display())]
    SameFile(PathBuf),
    /// The file is a folder.
    #[error("report file {} is a folder; name a file in it", .0.display())]
    Folder(PathBuf),
    /// Its folder is missing, or may not be written.
    #[error("cannot open report file {}: {cause}", .path.display())]
    Open {
        /// As asked for.
        path: PathBuf,
        /// The system's own word.
        #[source]
        cause: io::Error,
    },
    /// The report could not be written to its end.
    #[error("could not write the report {}: {cause}", .path.display())]
    Write {
        /// As asked for.
        path: PathBuf,
        /// The system's own word.
        #[source]
        cause: io::Error,
    },
    /// Standard output took not all of it (and was not merely closed).
    #[error("could not write the report to standard output: {0}")]
    Stdout(#[source] io::Error),
}

/// A file that will hold a report.
#[derive(Debug)]
pub(super) struct FileSink {
    pub(super) format: Format,
    asked: PathBuf,
    /// Links resolved: a rename must not replace a link by a file.
    target: PathBuf,
    way: Way,
}

#[derive(Debug)]
enum Way {
    /// A file beside the target, renamed over it once whole.
    Rename(Option<NamedTempFile<File>>),
    /// A pipe or a device, which only takes bytes.
    Direct(File),
}

impl FileSink {
    /// Opens what can be opened before anything runs.
    pub(super) fn open(format: Format, asked: &Path) -> Result<Self, SinkError> {
        let failed = |cause| SinkError::Open {
            path: asked.to_owned(),
            cause,
        };
        let target = resolved(asked).map_err(failed)?;
        let way = match fs::metadata(&target) {
            Ok(meta) if meta.is_dir() => return Err(SinkError::Folder(asked.to_owned())),
            Ok(meta) if !meta.is_file() => {
                let direct = File::options().write(true).open(&target);
                Way::Direct(direct.map_err(failed)?)
            }
            Ok(_) | Err(_) => Way::Rename(Some(beside(&target).map_err(failed)?)),
        };
        Ok(Self {
            format,
            asked: asked.to_owned(),
            target,
            way,
        })
    }

    /// As asked for.
    pub(super) fn path(&self) -> &Path {
        &self.asked
    }

    /// Whether both would be written to one file.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.target == other.target
    }

    /// Writes `report` whole or not at all. May be called again, which replaces what was written.
    pub(super) fn write(&mut self, report: &[u8]) -> Result<(), SinkError> {
        self.try_write(report).map_err(|cause| SinkError::Write {
            path: self.asked.clone(),
            cause,
        })
    }

    fn try_write(&mut self, report: &[u8]) -> io::Result<()> {
        match &mut self.way {
            Way::Direct(file) => {
                file.write_all(report)?;
                file.flush()
            }
            Way::Rename(open) => {
                let mut file = match open.take() {
                    Some(file) => file,
                    None => beside(&self.target)?,
                };
                file.write_all(report)?;
                file.flush()?;
                if let Ok(replaced) = fs::metadata(&self.target) {
                    fs::set_permissions(file.path(), replaced.permissions())?;
                }
                file.persist(&self.target)?;
                Ok(())
            }
        }
    }
}

/// `path` absolute, with links followed as far as it exists.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    if let Ok(real) = fs::canonicalize(path) {
        return Ok(real);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    Ok(fs::canonicalize(folder)?.join(name))
}

/// A new file in the folder of `target`, with the permissions that any new file has.
fn beside(target: &Path) -> io::Result<NamedTempFile<File>> {
    let folder = target.parent().unwrap_or(Path::new("."));
    tempfile::Builder::new()
        .prefix(".check-report-")
        .make_in(folder, |path| File::create_new(path))
}

#[cfg(test)]
mod tests {
    use super::{FileSink, Format, SinkError, SinkSpec};
    use std::fs;
    use std::path::Path;

    #[test]
    fn a_value_names_a_format_and_perhaps_a_file() {
        let spec: SinkSpec = "json=out/a=b.json".parse().unwrap();
        assert_eq!(spec.format, Format::Json);
        assert_eq!(spec.file.as_deref(), Some(Path::new("out/a=b.json")));
        assert_eq!("human".parse::<SinkSpec>().unwrap().file, None);
        let words = |value: &str| value.parse::<SinkSpec>().unwrap_err().to_string();
        assert_eq!(
            words("jsom"),
            "unknown report format \"jsom\"; known: human, json"
        );
        assert_eq!(
            words("json="),
            "--report json= names no file; leave the = out for standard output"
        );
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("v.json");
        fs::write(&path, "old").unwrap();
        let mut sink = FileSink::open(Format::Json, &path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        sink.write(b"new").unwrap();
        sink.write(b"newer").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "newer");
        let unused = FileSink::open(Format::Json, &dir.path().join("w.json")).unwrap();
        drop(unused);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_a_file_is_refused_before_anything_runs() {
        let dir = tempfile::tempdir().unwrap();
        let refused = FileSink::open(Format::Json, dir.path()).unwrap_err();
        assert!(matches!(refused, SinkError::Folder(_)), "{refused}");
        let missing = dir.path().join("no/v.json");
        let refused = FileSink::open(Format::Json, &missing).unwrap_err();
        assert!(matches!(refused, SinkError::Open { .. }), "{refused}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_a_device_is_written_to() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("real", &link).unwrap();
        fs::write(dir.path().join("real"), "old").unwrap();
        FileSink::open(Format::Json, &link)
            .unwrap()
            .write(b"new")
            .unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(dir.path().join("real")).unwrap(), "new");
        FileSink::open(Format::Json, Path::new("/dev/null"))
            .unwrap()
            .write(b"x")
            .unwrap();
    }
}
