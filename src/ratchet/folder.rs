//! `.check/baseline`: read whole before anything runs, written one file at a time.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::baseline::{Baseline, Header};
use super::identity::FORMAT;
use super::record::Record;
use crate::model::{CheckId, Diagnostic};
use crate::text::sha256_hex;

/// Where baselines live, from the root.
pub const FOLDER: &str = ".check/baseline";

/// A larger file holds more than a check may print.
const MAX_FILE: u64 = 1024 * 1024 * 1024;

/// The baselines of a run's checks, read once.
#[derive(Debug, Clone, Default)]
pub struct Baselines {
    root: PathBuf,
    loaded: BTreeMap<CheckId, Arc<Baseline>>,
    digests: BTreeMap<String, String>,
}

impl Baselines {
    /// Reads the baselines of `checks` below `root`; every problem at once. The files of other
    /// checks are hashed and not read.
    pub fn load(root: &Path, checks: &[CheckId]) -> Result<Self, Vec<Diagnostic>> {
        let mut all = Self {
            root: root.to_owned(),
            ..Self::default()
        };
        let mut problems = Vec::new();
        let names = match names(root) {
            Ok(names) => names,
            Err(problem) => return Err(vec![problem]),
        };
        for name in names {
            let wanted = checks.iter().find(|check| file_name(check) == name);
            if let Err(problem) = all.read(&name, wanted) {
                problems.push(problem);
            }
        }
        if problems.is_empty() {
            Ok(all)
        } else {
            Err(problems)
        }
    }

    fn read(&mut self, name: &str, check: Option<&CheckId>) -> Result<(), Diagnostic> {
        let shown = format!("{FOLDER}/{name}");
        let path = self.root.join(FOLDER).join(name);
        let unreadable = |error: io::Error| {
            problem(
                &shown,
                format!("cannot be read: {error}"),
                "make it readable",
            )
        };
        let meta = fs::symlink_metadata(&path).map_err(unreadable)?;
        if meta.is_symlink() {
            return Err(problem(
                &shown,
                "is a symbolic link",
                "put the file itself here",
            ));
        }
        if !meta.is_file() || meta.len() > MAX_FILE {
            return Err(problem(
                &shown,
                "is not a file of at most 1 GiB",
                "remove it",
            ));
        }
        let mut bytes = Vec::new();
        let file = File::open(&path).map_err(unreadable)?;
        file.take(MAX_FILE)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        let digest = match check {
            Some(check) => {
                let baseline = Baseline::parse(check, bytes, &shown).map_err(|problem| *problem)?;
                let digest = baseline.sha256();
                self.loaded.insert(check.clone(), Arc::new(baseline));
                digest
            }
            None => sha256_hex(&bytes),
        };
        self.digests.insert(name.to_owned(), digest);
        Ok(())
    }

    /// The baseline of `check`, where there is one.
    pub fn of(&self, check: &CheckId) -> Option<&Arc<Baseline>> {
        self.loaded.get(check)
    }

    /// Those that were loaded, in order of their check's id.
    pub fn all(&self) -> impl Iterator<Item = &Baseline> {
        self.loaded.values().map(AsRef::as_ref)
    }

    /// SHA-256 over `<sha256> <name>` of each file in order of name, a line each; `None` where
    /// there is no file. As read: what is in the folder afterwards is for another to compare.
    pub fn sha256(&self) -> Option<String> {
        let mut lines = String::new();
        for (name, sum) in &self.digests {
            lines.extend([sum, " ", name, "\n"]);
        }
        (!lines.is_empty()).then(|| sha256_hex(lines.as_bytes()))
    }

    /// Every baseline file's name and SHA-256, also of checks that were not asked for.
    pub fn digests(&self) -> &BTreeMap<String, String> {
        &self.digests
    }
}

/// The file that holds the baseline of `check`, a bare name.
pub fn file_name(check: &CheckId) -> String {
    format!("{}.jsonl", check.file_name())
}

/// Why a baseline could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be written: {cause}; make it writable, then record again")]
pub struct WriteError {
    path: String,
    #[source]
    cause: io::Error,
}

/// Makes `records` the baseline of `check` below `root`: sorted, equal ones joined, the old file
/// whole until the new one is, and left untouched where it says the same already. Without records
/// there is no file. Links are not followed.
pub fn write(root: &Path, check: &CheckId, records: Vec<Record>) -> Result<(), WriteError> {
    let name = file_name(check);
    let write = || {
        refuse_links(root)?;
        let folder = root.join(FOLDER);
        let path = folder.join(&name);
        if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
            return Err(io::Error::other("it is a symbolic link"));
        }
        if records.is_empty() {
            return remove(&folder, &path);
        }
        fs::create_dir_all(&folder)?;
        let bytes = baseline_bytes(check, records)?;
        if fs::read(&path).is_ok_and(|held| held == bytes) {
            return Ok(());
        }
        // Made like any other file of the tree, with the permissions that the mask leaves.
        let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
        let mut file = tempfile::Builder::new()
            .prefix(".new-")
            .make_in(&folder, create)?;
        file.write_all(&bytes)?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        sync_folder(&folder)
    };
    write().map_err(|cause| WriteError {
        path: format!("{FOLDER}/{name}"),
        cause,
    })
}

/// The file that `records` of `check` make: sorted, equal ones joined.
pub fn baseline_bytes(check: &CheckId, mut records: Vec<Record>) -> io::Result<Vec<u8>> {
    records.sort_unstable();
    records.dedup_by(|later, kept| {
        let same = later.fingerprint == kept.fingerprint;
        if same {
            kept.count = kept.count.saturating_add(later.count);
            kept.tool = kept.tool.take().max(later.tool.take());
        }
        same
    });
    let mut text = serde_json::to_string(&Header {
        format: FORMAT,
        check: check.clone(),
    })?;
    text.push('\n');
    for record in records {
        text.push_str(&record.to_line()?);
        text.push('\n');
    }
    Ok(text.into_bytes())
}

fn remove(folder: &Path, path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Ok(()) => sync_folder(folder),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// A rename lasts when the folder that holds the name is on the disk. Windows has no such call.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()
    } else {
        Ok(())
    }
}

/// The baseline files of `root`, sorted; none where the folder is not there.
fn names(root: &Path) -> Result<Vec<String>, Diagnostic> {
    let unreadable = |error: io::Error| {
        problem(
            FOLDER,
            format!("cannot be read: {error}"),
            "make it a readable folder",
        )
    };
    refuse_links(root)
        .map_err(|error| problem(FOLDER, error.to_string(), "put the folder itself here"))?;
    let entries = match fs::read_dir(root.join(FOLDER)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(unreadable)?.file_name();
        let hidden = name.as_encoded_bytes().starts_with(b".");
        let ours = Path::new(&name)
            .extension()
            .is_some_and(|ending| ending == "jsonl");
        if let Some(name) = name.to_str().filter(|_| ours && !hidden) {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// A folder that leads elsewhere would be a bar that the tree does not hold.
fn refuse_links(root: &Path) -> io::Result<()> {
    let mut path = root.to_owned();
    for name in FOLDER.split('/') {
        path.push(name);
        if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink()) {
            return Err(io::Error::other("is or lies behind a symbolic link"));
        }
    }
    Ok(())
}

fn problem(path: &str, message: impl Into<String>, hint: &str) -> Diagnostic {
    Diagnostic::of_file(path, message, Some(hint.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Baselines, FOLDER, write};
    use crate::model::{CheckId, Failure};
    use crate::ratchet::{Identity, Places, Record};

    fn id(name: &str) -> CheckId {
        CheckId::new(name).unwrap()
    }

    fn record(path: &str, count: u64) -> Record {
        let mut row = Failure::new("t", "m");
        row.path = Some(path.to_owned());
        let places = Places::new(Path::new("/r"));
        Record::new(
            &id("lint"),
            &Identity::new(&row, None, &places),
            None,
            count,
        )
    }

    #[test]
    fn recording_twice_is_byte_identical_in_any_order() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(FOLDER).join("lint.jsonl");
        write(
            dir.path(),
            &id("lint"),
            vec![record("b", 1), record("a", 1), record("b", 2)],
        )
        .unwrap();
        let first = fs::read(&file).unwrap();
        let made = fs::metadata(&file).unwrap().modified().unwrap();
        write(
            dir.path(),
            &id("lint"),
            vec![record("a", 1), record("b", 3)],
        )
        .unwrap();
        assert_eq!(fs::read(&file).unwrap(), first);
        assert_eq!(
            fs::metadata(&file).unwrap().modified().unwrap(),
            made,
            "not written again"
        );
        let loaded = Baselines::load(dir.path(), &[id("lint")]).unwrap();
        let baseline = loaded.of(&id("lint")).unwrap();
        assert!(baseline.records().eq([record("a", 1), record("b", 3)]));
        assert_eq!(
            fs::read_dir(dir.path().join(FOLDER)).unwrap().count(),
            1,
            "nothing is left beside it"
        );
    }

    #[test]
    fn without_records_there_is_no_file_and_without_a_folder_no_baseline() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &id("lint"), Vec::new()).unwrap();
        assert!(!dir.path().join(".check").exists());
        assert!(
            Baselines::load(dir.path(), &[id("lint")])
                .unwrap()
                .of(&id("lint"))
                .is_none()
        );
        write(dir.path(), &id("lint"), vec![record("a", 1)]).unwrap();
        write(dir.path(), &id("lint"), Vec::new()).unwrap();
        assert!(
            Baselines::load(dir.path(), &[id("lint")])
                .unwrap()
                .digests()
                .is_empty()
        );
    }

    #[test]
    fn files_of_other_checks_are_hashed_and_not_judged() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &id("lint"), vec![record("a", 1)]).unwrap();
        fs::write(dir.path().join(FOLDER).join("gone.jsonl"), "<<<<<<< x\n").unwrap();
        fs::write(dir.path().join(FOLDER).join("README.md"), "x").unwrap();
        let loaded = Baselines::load(dir.path(), &[id("lint")]).unwrap();
        let names: Vec<&String> = loaded.digests().keys().collect();
        assert_eq!(names, ["gone.jsonl", "lint.jsonl"]);
        let before = loaded.sha256();
        assert!(before.is_some());
        let again = || Baselines::load(dir.path(), &[]).unwrap().sha256();
        assert_eq!(again(), before);
        fs::rename(
            dir.path().join(FOLDER).join("gone.jsonl"),
            dir.path().join(FOLDER).join("went.jsonl"),
        )
        .unwrap();
        assert_ne!(again(), before);
    }

    #[test]
    fn every_bad_file_is_named_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(FOLDER);
        fs::create_dir_all(folder.join("vet.jsonl")).unwrap();
        fs::write(folder.join("lint.jsonl"), "x\n").unwrap();
        let problems = Baselines::load(dir.path(), &[id("lint"), id("vet")]).unwrap_err();
        let paths: Vec<&str> = problems
            .iter()
            .map(|problem| problem.path.as_str())
            .collect();
        assert_eq!(
            paths,
            [".check/baseline/lint.jsonl", ".check/baseline/vet.jsonl"]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_refused_wherever_it_stands() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        write(elsewhere.path(), &id("lint"), vec![record("a", 1)]).unwrap();
        let refused = |root: &Path| {
            let problems = Baselines::load(root, &[id("lint")]).unwrap_err();
            assert!(
                problems[0].message.contains("symbolic link"),
                "{problems:?}"
            );
            assert!(write(root, &id("lint"), vec![record("a", 2)]).is_err());
        };
        let file = elsewhere.path().join(FOLDER).join("lint.jsonl");
        let before = fs::read(&file).unwrap();
        symlink(elsewhere.path().join(".check"), dir.path().join(".check")).unwrap();
        refused(dir.path());
        fs::remove_file(dir.path().join(".check")).unwrap();
        fs::create_dir(dir.path().join(".check")).unwrap();
        symlink(elsewhere.path().join(FOLDER), dir.path().join(FOLDER)).unwrap();
        refused(dir.path());
        fs::remove_file(dir.path().join(FOLDER)).unwrap();
        fs::create_dir(dir.path().join(FOLDER)).unwrap();
        symlink(&file, dir.path().join(FOLDER).join("lint.jsonl")).unwrap();
        refused(dir.path());
        assert_eq!(fs::read(&file).unwrap(), before);
    }
}
