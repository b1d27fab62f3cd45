//! Which links a check's home gets: the table of toolchains, held against what this caller has.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::Caller;
use super::layout::Layout;
use super::secrets::{holds_secret, is_secret_file};
use super::toolchains::{TABLE, Toolchain, What};

/// Settings longer than this are left out unread.
const LONGEST_SETTINGS: u64 = 256 * 1024;
/// Where the folders are that a variable moves for all tools at once; see the XDG base directory
/// specification.
const BASES: [(&str, &str); 4] = [
    (".cache", "XDG_CACHE_HOME"),
    (".config", "XDG_CONFIG_HOME"),
    (".local/share", "XDG_DATA_HOME"),
    (".local/state", "XDG_STATE_HOME"),
];

/// Adds to `home` a link for every toolchain that is there.
pub fn link_toolchains(caller: &Caller, home: &mut Layout) {
    let real = RealHome::of(caller);
    for tool in TABLE {
        let mut places = whereabouts(tool, caller);
        if let Some(target) = places.find(|place| real.may_have(place) && is_there(tool, place)) {
            link(tool, &target, caller, home);
        }
    }
}

/// What is in the real home: most tools of the table are not, and to ask for each costs more.
struct RealHome<'a> {
    path: Option<&'a Path>,
    /// `None` where it cannot be read.
    names: Option<HashSet<OsString>>,
}

impl<'a> RealHome<'a> {
    fn of(caller: &'a Caller) -> Self {
        let path = caller.home();
        let entries = path.and_then(|path| fs::read_dir(path).ok());
        let names = entries.map(|all| all.flatten().map(|entry| entry.file_name()).collect());
        Self { path, names }
    }

    /// Whether `place` may be there; one that is not in the home may.
    fn may_have(&self, place: &Path) -> bool {
        let (Some(path), Some(names)) = (self.path, &self.names) else {
            return true;
        };
        let first = place
            .strip_prefix(path)
            .ok()
            .and_then(|below| below.iter().next());
        first.is_none_or(|first| names.contains(first))
    }
}

/// Where it may be: where the caller's variable says and nowhere else; without one under the base
/// folder that the caller has moved, if any, and under the real home.
fn whereabouts(tool: &Toolchain, caller: &Caller) -> impl Iterator<Item = PathBuf> {
    let variable = tool.variable;
    let said = variable.and_then(|(name, below)| Some(below_of(&caller.path_var(name)?, below)));
    let place = Path::new(tool.place);
    let own = |said: &Option<PathBuf>| said.is_none();
    let moved = BASES.iter().find_map(|(base, variable)| {
        let rest = place.strip_prefix(base).ok()?;
        Some(caller.path_var(variable)?.join(rest))
    });
    let at_home = caller.home().map(|home| home.join(place));
    let usual = [moved, at_home].map(|path| path.filter(|_| own(&said)));
    [said].into_iter().chain(usual).flatten()
}

/// `folder` without a slash at its end, which `join` would give it.
fn below_of(folder: &Path, below: &str) -> PathBuf {
    folder
        .components()
        .chain(Path::new(below).components())
        .collect()
}

fn is_there(tool: &Toolchain, target: &Path) -> bool {
    match tool.what {
        What::Folder | What::Entries(_) => target.is_dir(),
        What::File | What::Settings => target.is_file(),
        What::Shared => target.parent().is_some_and(Path::is_dir),
    }
}

fn link(tool: &Toolchain, target: &Path, caller: &Caller, home: &mut Layout) {
    let place = Path::new(tool.place);
    match tool.what {
        What::Folder if shows_home(target, caller) => {}
        What::Folder | What::File | What::Shared => home.link(place, target.to_owned()),
        What::Settings => {
            if is_harmless(target) {
                home.link(place, target.to_owned());
            }
        }
        What::Entries(but) => {
            if shows_home(target, caller) {
                return;
            }
            for entry in fs::read_dir(target).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let harmless = name
                    .to_str()
                    .is_some_and(|name| !but.contains(&name) && !is_secret_file(name));
                if harmless {
                    home.link(&place.join(&name), target.join(&name));
                }
            }
        }
    }
}

/// Whether a link to `folder` would lead to all of the real home.
fn shows_home(folder: &Path, caller: &Caller) -> bool {
    let unclear = folder.components().any(|part| part == Component::ParentDir);
    unclear || caller.home().is_some_and(|home| home.starts_with(folder))
}

fn is_harmless(settings: &Path) -> bool {
    let short = fs::metadata(settings).is_ok_and(|meta| meta.len() <= LONGEST_SETTINGS);
    short && fs::read_to_string(settings).is_ok_and(|text| !holds_secret(&text))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{Caller, Layout, link_toolchains};
    use std::ffi::OsString;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// A home with these files in it (a name that ends with a slash is a folder), and what is
    /// linked for a caller with these variables, in which `~` and `@` stand for the home and for a
    /// folder elsewhere.
    fn linked(files: &[(&str, &str)], vars: &[(&str, &str)]) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let (home, elsewhere) = (dir.path().join("home"), dir.path().join("elsewhere"));
        let place = |path: &str| {
            let base = if path.starts_with('@') {
                &elsewhere
            } else {
                &home
            };
            base.join(path.trim_start_matches(['@', '~', '/']))
        };
        for (path, text) in files {
            let whole = place(path);
            if path.ends_with('/') {
                fs::create_dir_all(whole).unwrap();
            } else {
                fs::create_dir_all(whole.parent().unwrap()).unwrap();
                fs::write(whole, text).unwrap();
            }
        }
        let vars = vars.iter().map(|(name, value)| {
            let value = if value.starts_with(['@', '~']) {
                place(value).into_os_string()
            } else {
                OsString::from(value)
            };
            (OsString::from(name), value)
        });
        let caller = Caller::new(vars.collect(), Some(home.clone()), 1000);
        let mut layout = Layout::default();
        link_toolchains(&caller, &mut layout);
        let shown = |path: &Path| {
            let text = path.to_str().unwrap().replace(home.to_str().unwrap(), "~");
            text.replace(elsewhere.to_str().unwrap(), "@")
        };
        let line = |(place, target): (PathBuf, PathBuf)| {
            format!("{} -> {}", shown(&place), shown(&target))
        };
        layout.links().into_iter().map(line).collect()
    }

    #[test]
    fn a_tool_elsewhere_is_linked_at_its_own_place() {
        let vars = [
            ("PYENV_ROOT", "@/pyenv/"),
            ("GRADLE_USER_HOME", "@/gradle"),
            ("NVM_DIR", "/nonexistent"),
            ("BUN_INSTALL", "relative"),
            ("XDG_CACHE_HOME", "@/cache"),
        ];
        let files = [
            ("@/pyenv/", ""),
            (".pyenv/", ""),
            ("@/gradle/caches/", ""),
            ("@/gradle/daemon/", ""),
            ("@/gradle/gradle.properties", "secret"),
            (".nvm/", ""),
            (".bun/", ""),
            ("@/cache/uv/", ""),
            (".cache/uv/", ""),
            (".cache/ms-playwright/", ""),
            (".m2/repository/", ""),
            (".m2/settings.xml", "secret"),
        ];
        assert_eq!(
            linked(&files, &vars),
            [
                ".bun -> ~/.bun",
                ".cache/ms-playwright -> ~/.cache/ms-playwright",
                ".cache/uv -> @/cache/uv",
                ".gradle/caches -> @/gradle/caches",
                ".m2/repository -> ~/.m2/repository",
                ".pyenv -> @/pyenv",
            ]
        );
    }

    #[test]
    fn what_is_secret_is_never_linked_nor_the_folder_it_may_come_to_be_in() {
        let cargo = [
            ".cargo/.global-cache -> ~/.cargo/.global-cache",
            ".cargo/.package-cache -> ~/.cargo/.package-cache",
            ".cargo/.package-cache-mutate -> ~/.cargo/.package-cache-mutate",
        ];
        assert_eq!(linked(&[(".cargo/", "")], &[]), cargo);
        let files = [
            (".cargo/credentials.toml", "secret"),
            (".cargo/credentials", "secret"),
            (".cargo/bin/", ""),
            (".cargo/config.toml", "[registry]\ntoken = 'x'"),
            (".cargo/config", "[net]\noffline = true"),
            (".local/share/uv/credentials/credentials.toml", "secret"),
            (".local/share/uv/python/", ""),
            (".gem/credentials", "secret"),
            (".npmrc", "secret"),
            (".pypirc", "secret"),
            (".config/uv/uv.toml", "secret"),
            (".config/pnpm/auth.ini", "secret"),
            (".nuget/NuGet/NuGet.Config", "secret"),
            (".config/mise/config.toml", "[env]\nAPI_KEY = 'x'"),
            (".local/share/mise/", ""),
        ];
        let mut wanted = cargo.to_vec();
        wanted.extend([
            ".cargo/bin -> ~/.cargo/bin",
            ".cargo/config -> ~/.cargo/config",
            ".local/share/mise -> ~/.local/share/mise",
            ".local/share/uv/python -> ~/.local/share/uv/python",
        ]);
        assert_eq!(linked(&files, &[]), wanted);
    }

    #[test]
    fn harmless_settings_of_shims_are_linked() {
        let files = [
            (".tool-versions", "nodejs 20"),
            (".config/mise/config.toml", "[tools]\nnode = '20'"),
            (".local/state/mise/trusted-configs/x", ""),
            (".local/state/mise/other", ""),
        ];
        assert_eq!(
            linked(&files, &[]),
            [
                ".config/mise/config.toml -> ~/.config/mise/config.toml",
                ".local/state/mise/trusted-configs -> ~/.local/state/mise/trusted-configs",
                ".tool-versions -> ~/.tool-versions",
            ]
        );
    }

    #[test]
    fn no_variable_makes_a_link_to_the_whole_home() {
        let files = [(".ssh/id_ed25519", "secret"), ("lib/", "")];
        let vars = [
            ("VOLTA_HOME", "~"),
            ("CARGO_HOME", "/"),
            ("BUN_INSTALL", "@/../home"),
            ("DENO_DIR", "~/"),
        ];
        let linked = linked(&files, &vars);
        let shared = |line: &String| line.contains("cache");
        assert!(linked.iter().all(shared), "{linked:?}");
    }
}
