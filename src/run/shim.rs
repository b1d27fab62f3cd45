//! Programs that stand in for another: their file stays the same whatever they start.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Version managers that tools are linked to, by the name of their own file.
const MANAGERS: [&str; 11] = [
    "aqua-proxy",
    "asdf",
    "mise",
    "proto",
    "proto-shim",
    "pyenv",
    "rustup",
    "rustup-init",
    "snap",
    "volta",
    "volta-shim",
];

/// Folders in which nothing but stand-ins lies: of pyenv and its kin, asdf, mise, scoop; and
/// corepack's, whose `yarn` is the one that a `package.json` names.
const FOLDERS: [&str; 2] = ["shims", "corepack"];

/// Files that Windows gives to a shell.
const SHELL_SCRIPTS: [&str; 3] = ["bat", "cmd", "ps1"];

/// Whether the file at `program`, which is absolute, says nothing of what is run: it belongs to a
/// version manager, or is a script, most of which are a few lines that load something else
/// (`pytest`, `eslint`, `gradlew`). One that is taken for a stand-in costs a question.
pub fn is_shim(program: &Path) -> bool {
    let Ok(real) = program.canonicalize() else {
        return false;
    };
    [program, &real].into_iter().any(lies_among_shims)
        || is_manager(program, &real)
        || is_rustups(&real)
        || is_script(&real)
}

fn lies_among_shims(path: &Path) -> bool {
    let mut folders = path.ancestors().skip(1).filter_map(Path::file_name);
    folders.any(|name| FOLDERS.iter().any(|known| name == *known))
}

/// A manager that is called by its own name is asked for its own version.
fn is_manager(program: &Path, real: &Path) -> bool {
    let named = MANAGERS
        .iter()
        .any(|known| real.file_stem().is_some_and(|name| name == *known));
    named && program.file_stem() != real.file_stem()
}

/// rustup's `cargo` and `rustc` are itself: links to it, which have its name when they are
/// resolved, or second names and copies, which lie beside it.
fn is_rustups(real: &Path) -> bool {
    let rustup = real.with_file_name(format!("rustup{}", std::env::consts::EXE_SUFFIX));
    let size = |path: &Path| path.metadata().ok().map(|metadata| metadata.len());
    real != rustup && size(&rustup).is_some_and(|its| size(real) == Some(its))
}

fn is_script(real: &Path) -> bool {
    let extension = real.extension().unwrap_or_default();
    let mut start = [0; 2];
    SHELL_SCRIPTS
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
        || File::open(real).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
            && start == *b"#!"
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::is_shim;

    /// A file below `dir` with this text, and the folders above it.
    fn file(dir: &Path, name: &str, text: &str) -> PathBuf {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn scripts_and_what_lies_among_shims_stand_in_for_another() {
        let dir = tempfile::tempdir().unwrap();
        let of = |name: &str, text: &str| is_shim(&file(dir.path(), name, text));
        assert!(of("bin/pytest", "#!/usr/bin/python3\n"));
        assert!(of("bin/gradlew.bat", "@echo off\n"));
        assert!(of(".asdf/shims/go", "\x7fELF"));
        assert!(of("lib/corepack/dist/yarn", "\x7fELF"));
        assert!(!of("bin/go", "\x7fELF"));
        assert!(!of("bin/empty", ""));
        assert!(!is_shim(&dir.path().join("none")));
    }

    #[test]
    fn rustups_tools_are_told_by_their_second_name_too() {
        let dir = tempfile::tempdir().unwrap();
        let rustup = file(dir.path(), "bin/rustup", "\x7fELF rustup");
        assert!(!is_shim(&rustup), "its own version is its own");
        let cargo = dir.path().join("bin/cargo");
        fs::hard_link(&rustup, &cargo).unwrap();
        assert!(is_shim(&cargo));
        let other = file(dir.path(), "bin/cargo-deny", "\x7fELF something else");
        assert!(!is_shim(&other));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_manager_stands_in_for_another_and_one_to_a_tool_does_not() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let link = |to: &str, name: &str| {
            let target = file(dir.path(), to, "\x7fELF");
            symlink(target, dir.path().join(name)).unwrap();
            dir.path().join(name)
        };
        assert!(is_shim(&link("libexec/volta-shim", "node")));
        assert!(is_shim(&link("a/rustup", "rustc")));
        assert!(!is_shim(&link("b/rustup", "rustup")));
        assert!(!is_shim(&link("node-22/bin/node", "node22")));
    }
}
