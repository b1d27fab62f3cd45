//! What a program is made of, as far as its file says: where links lead, who interprets it, and
//! the Python that a virtual environment borrows.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::SearchPath;

/// Links in a row, as the kernel follows them; see `path_resolution(7)`.
const MOST_LINKS: usize = 40;
/// Interpreters of interpreters.
const MOST_INTERPRETERS: usize = 4;
/// What the kernel reads of a `#!` line; see execve(2).
const LONGEST_LINE: usize = 255;

/// Every file on the way from `program` (absolute) to what runs in the end, in order, the first
/// being `program` itself.
pub fn hops(program: &Path, path: &SearchPath) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut next = Some(program.to_owned());
    for _ in 0..=MOST_INTERPRETERS {
        let Some(file) = next else { break };
        let last = follow(file, &mut found);
        borrowed(&last, &mut found);
        next = interpreter(&last, path).filter(|file| !found.contains(file));
    }
    found
}

/// Adds `file` and every link on the way to what it is; gives the last.
fn follow(file: PathBuf, found: &mut Vec<PathBuf>) -> PathBuf {
    let mut file = file;
    for _ in 0..MOST_LINKS {
        if !found.contains(&file) {
            found.push(file.clone());
        }
        let Ok(target) = fs::read_link(&file) else {
            break;
        };
        file = match file.parent() {
            Some(folder) => plain(&folder.join(target)),
            None => break,
        };
    }
    // A folder on the way may be a link too.
    if let Ok(real) = file.canonicalize()
        && !found.contains(&real)
    {
        found.push(real.clone());
        return real;
    }
    file
}

/// Without `.` and, where that leads nowhere else, `..`.
fn plain(path: &Path) -> PathBuf {
    let parent = path.parent().and_then(|folder| folder.canonicalize().ok());
    match (parent, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Who reads the script `file`.
fn interpreter(file: &Path, path: &SearchPath) -> Option<PathBuf> {
    let mut start = Vec::with_capacity(LONGEST_LINE);
    let reading = File::open(file).ok()?;
    reading
        .take(u64::try_from(LONGEST_LINE).unwrap_or(u64::MAX))
        .read_to_end(&mut start)
        .ok()?;
    let line = start.strip_prefix(b"#!")?;
    let line = line.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    let program = Path::new(words.next()?);
    if program.file_name() != Some(OsStr::new("env")) {
        return Some(program.to_owned());
    }
    // `env -S name` and `env A=B name`.
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    path.entries()
        .iter()
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The Python that a virtual environment with `bin/python` in it is made from; see PEP 405.
fn borrowed(file: &Path, found: &mut Vec<PathBuf>) {
    let settings = found
        .iter()
        .map(PathBuf::as_path)
        .chain([file])
        .find_map(|file| fs::read_to_string(file.parent()?.parent()?.join("pyvenv.cfg")).ok());
    let home = settings.as_deref().and_then(|text| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once('=')?;
            (name.trim() == "home").then(|| PathBuf::from(value.trim()))
        })
    });
    let python = home.map(|home| home.join("python3"));
    if let Some(python) = python.filter(|python| python.is_file() && !found.contains(python)) {
        follow(python, found);
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::{SearchPath, hops};

    #[test]
    fn links_interpreters_and_virtual_environments_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        for name in ["bin", "shims", "venv/bin", "python/bin"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        fs::write(at("python/bin/python3.11"), "\x7fELF").unwrap();
        symlink("python3.11", at("python/bin/python3")).unwrap();
        symlink(at("python/bin/python3"), at("venv/bin/python")).unwrap();
        let home = format!("version = 3.11\nhome = {}\n", at("python/bin").display());
        fs::write(at("venv/pyvenv.cfg"), home).unwrap();
        let script = format!("#!{}\nprint()\n", at("venv/bin/python").display());
        fs::write(at("venv/bin/tool"), script).unwrap();
        symlink("../venv/bin/tool", at("bin/tool")).unwrap();
        let path = SearchPath::new(at("venv/bin").as_os_str());
        assert_eq!(
            hops(&at("bin/tool"), &path),
            [
                "bin/tool",
                "venv/bin/tool",
                "python/bin/python3",
                "python/bin/python3.11",
                "venv/bin/python",
            ]
            .map(at)
        );
        fs::write(at("shims/x"), "#!/usr/bin/env -S python -u\n").unwrap();
        let found: Vec<PathBuf> = hops(&at("shims/x"), &path);
        assert_eq!(found[..2], ["shims/x", "venv/bin/python"].map(at));
    }

    #[test]
    fn a_circle_ends() {
        let folder = tempfile::tempdir().unwrap();
        let one = folder.path().join("one");
        symlink(&one, &one).unwrap();
        let path = SearchPath::new(folder.path().as_os_str());
        assert_eq!(hops(&one, &path), std::slice::from_ref(&one));
        let script = folder.path().join("script");
        fs::write(&script, format!("#!{}\n", script.display())).unwrap();
        assert_eq!(hops(&script, &path)[0], script);
    }
}
