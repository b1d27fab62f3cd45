//! The one table of toolchains that live in a home: a check's home links to each that is there,
//! so that `cargo`, `pyenv` shims and their like work without a variable more.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::Caller;

/// One toolchain folder.
struct Toolchain {
    /// From the home.
    path: &'static str,
    /// The caller's variable that may say otherwise, and what is below it.
    variable: Option<(&'static str, &'static str)>,
    /// Names inside the folder that hold secrets. Where one is there the folder is not linked
    /// itself: its other entries are.
    secrets: &'static [&'static str],
}

const fn plain(path: &'static str) -> Toolchain {
    Toolchain {
        path,
        variable: None,
        secrets: &[],
    }
}

const fn moved(path: &'static str, variable: &'static str, below: &'static str) -> Toolchain {
    Toolchain {
        path,
        variable: Some((variable, below)),
        secrets: &[],
    }
}

const TABLE: &[Toolchain] = &[
    Toolchain {
        path: ".cargo",
        variable: Some(("CARGO_HOME", "")),
        secrets: &["credentials", "credentials.toml"],
    },
    moved(".rustup", "RUSTUP_HOME", ""),
    moved(".pyenv", "PYENV_ROOT", ""),
    moved(".nvm", "NVM_DIR", ""),
    moved(".asdf", "ASDF_DATA_DIR", ""),
    moved(".local/share/mise", "MISE_DATA_DIR", ""),
    moved(".volta", "VOLTA_HOME", ""),
    moved(".bun", "BUN_INSTALL", ""),
    moved(".deno", "DENO_INSTALL", ""),
    moved(".sdkman", "SDKMAN_DIR", ""),
    plain(".local/share/uv"),
    plain(".local/share/pnpm"),
    plain(".m2/repository"),
    plain(".m2/wrapper"),
    moved(".gradle/caches", "GRADLE_USER_HOME", "caches"),
    moved(".gradle/wrapper", "GRADLE_USER_HOME", "wrapper"),
];

/// A symbolic link to be made in a fresh home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The folder it stands in, from the home; empty for the home itself.
    pub parent: PathBuf,
    /// Its name there.
    pub name: OsString,
    /// Absolute.
    pub target: PathBuf,
}

/// The links for every toolchain whose folder exists where the caller's variables say, else under
/// the real home.
pub fn links(caller: &Caller) -> Vec<Link> {
    let mut links = Vec::new();
    for tool in TABLE {
        let moved = tool
            .variable
            .and_then(|(variable, below)| Some(caller.path_var(variable)?.join(below)));
        let Some(folder) = moved.or_else(|| Some(caller.home()?.join(tool.path))) else {
            continue;
        };
        if !folder.is_dir() {
            continue;
        }
        let path = Path::new(tool.path);
        if tool
            .secrets
            .iter()
            .any(|secret| folder.join(secret).exists())
        {
            let Ok(entries) = fs::read_dir(&folder) else {
                continue;
            };
            let names = entries.flatten().map(|entry| entry.file_name());
            let harmless = names.filter(|name| !tool.secrets.iter().any(|secret| name == secret));
            links.extend(harmless.map(|name| Link {
                parent: path.to_owned(),
                target: folder.join(&name),
                name,
            }));
        } else {
            links.push(Link {
                parent: path.parent().unwrap_or(Path::new("")).to_owned(),
                name: path.file_name().unwrap_or_default().to_owned(),
                target: folder,
            });
        }
    }
    links
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{Caller, links};
    use std::ffi::OsString;
    use std::fs;

    #[test]
    fn toolchains_are_linked_and_credentials_are_not() {
        let home = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        for dir in [".cargo/registry", ".m2/repository", ".pyenv"] {
            fs::create_dir_all(home.path().join(dir)).unwrap();
        }
        for file in [
            ".cargo/credentials.toml",
            ".cargo/config.toml",
            ".m2/settings.xml",
        ] {
            fs::write(home.path().join(file), "secret").unwrap();
        }
        let vars = [
            ("PYENV_ROOT", elsewhere.path()),
            ("NVM_DIR", "/nonexistent".as_ref()),
        ];
        let vars = vars.map(|(name, path)| (OsString::from(name), path.as_os_str().to_owned()));
        let caller = Caller::new(vars.into(), Some(home.path().to_owned()), 1000);
        let made = || {
            let mut made: Vec<_> = links(&caller)
                .into_iter()
                .map(|link| (link.parent.join(link.name), link.target))
                .collect();
            made.sort();
            made
        };
        let own = |path: &str| (path.into(), home.path().join(path));
        let moved = (".pyenv".into(), elsewhere.path().to_owned());
        assert_eq!(
            made(),
            [
                own(".cargo/config.toml"),
                own(".cargo/registry"),
                own(".m2/repository"),
                moved.clone(),
            ]
        );
        fs::remove_file(home.path().join(".cargo/credentials.toml")).unwrap();
        assert_eq!(made(), [own(".cargo"), own(".m2/repository"), moved]);
    }
}
