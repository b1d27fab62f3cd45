use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::{Caller, Glance, Network, SearchPath, Sights, View, Whereabouts};

/// A home, tools and a tree. It lies outside the folders for temporary files, which stand for
/// themselves.
struct Host {
    folder: tempfile::TempDir,
}

impl Host {
    fn new() -> Self {
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
        let folder = tempfile::tempdir_in(base).unwrap();
        for name in [
            "home/.cargo/bin",
            "home/.ssh",
            "home/src/tern/.git/hooks",
            "home/src/tern/.check",
            "home/tools/bin",
            "home/go-build",
            "own/home",
            "own/temp",
        ] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let host = Self { folder };
        for name in [
            "home/src/tern/.git/config",
            "home/src/tern/harness.json",
            "home/tools/bin/lint",
            "home/secret",
        ] {
            fs::write(host.at(name), "").unwrap();
        }
        host
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn sights(&self, root: &str, path: &[&str]) -> Sights {
        let home = ("HOME".into(), self.at("home").into_os_string());
        let caller = Caller::new([home].into(), None, 1000);
        let path = std::env::join_paths(path.iter().map(|name| self.at(name))).unwrap();
        let root = self.at(root);
        let whereabouts = Whereabouts {
            git: Some(root.join(".git")),
            common_git: Some(root.join(".git")),
            top: Some(root.clone()),
            manifest: Some(root.join("harness.json")),
            harness: Some(root.clone()),
            state: Some(root.join(".git/check")),
            root,
        };
        let tools = [(".cargo/bin".into(), self.at("home/.cargo/bin"))];
        Sights::new(&caller, &SearchPath::new(&path), &tools, &whereabouts)
    }

    fn view(&self, sights: &Sights, program: &str) -> View {
        let cache = self.at("home/go-build").into_os_string();
        sights.view(&Glance {
            program: &self.at(program),
            executable: program,
            env: &[("GOCACHE".into(), cache)],
            home: &self.at("own/home"),
            temp: &self.at("own/temp"),
            network: Network::None,
        })
    }

    /// Those of `paths` that are of this host, from its folder.
    fn own(&self, paths: &[PathBuf]) -> Vec<String> {
        let top = self.at("");
        let own = paths.iter().filter_map(|path| path.strip_prefix(&top).ok());
        own.map(|path| path.display().to_string()).collect()
    }
}

#[test]
fn of_the_home_only_the_tree_and_tools_are_seen() {
    let host = Host::new();
    let sights = host.sights("home/src/tern", &["home/tools/bin"]);
    let view = host.view(&sights, "home/tools/bin/lint");
    assert_eq!(host.own(&view.hidden), ["home"]);
    assert_eq!(host.own(&view.shown), ["home/.cargo/bin", "home/tools/bin"]);
    assert_eq!(
        host.own(&view.writable),
        ["home/go-build", "home/src/tern", "own/home"]
    );
    assert_eq!(
        host.own(&view.frozen),
        [
            "home/src/tern/.check",
            "home/src/tern/.git/config",
            "home/src/tern/.git/hooks",
            "home/src/tern/harness.json",
        ]
    );
    assert!(!view.holds_home);
    assert_eq!(view.temp, host.at("own/temp"));
}

#[test]
fn a_tools_own_folder_is_seen_with_its_bin_and_a_persons_is_not() {
    let host = Host::new();
    fs::create_dir(host.at("home/tools/lib")).unwrap();
    fs::create_dir_all(host.at("home/.local/bin")).unwrap();
    fs::create_dir_all(host.at("home/.local/share/keyrings")).unwrap();
    let sights = host.sights("home/src/tern", &["home/tools/bin", "home/.local/bin"]);
    let view = host.view(&sights, "home/tools/bin/lint");
    assert_eq!(
        host.own(&view.shown),
        ["home/.cargo/bin", "home/.local/bin", "home/tools"]
    );
}

#[test]
fn where_a_programs_links_lead_is_seen() {
    let host = Host::new();
    fs::create_dir_all(host.at("home/far/away")).unwrap();
    fs::write(host.at("home/far/away/tool"), "").unwrap();
    symlink("../../far/away/tool", host.at("home/tools/bin/tool")).unwrap();
    let sights = host.sights("home/src/tern", &["home/tools/bin"]);
    let view = host.view(&sights, "home/tools/bin/tool");
    assert!(
        host.own(&view.shown).contains(&"home/far/away".to_owned()),
        "{view:?}"
    );
}

#[test]
fn the_home_itself_is_never_shown() {
    let host = Host::new();
    let sights = host.sights("home/src/tern", &["home", "home/tools/bin"]);
    let view = host.view(&sights, "home/secret");
    assert_eq!(
        host.own(&view.shown),
        ["home/.cargo/bin", "home/secret", "home/tools/bin"]
    );
}

#[test]
fn a_tree_that_holds_the_home_hides_none() {
    let host = Host::new();
    let view = host.view(&host.sights("home", &[]), "home/tools/bin/lint");
    assert!(view.holds_home);
    assert!(host.own(&view.hidden).is_empty());
    assert_eq!(host.own(&view.writable), ["home", "own/home"]);
}

#[test]
fn a_cache_that_would_open_the_home_is_not_writable() {
    let host = Host::new();
    let sights = host.sights("home/src/tern", &[]);
    let env = [("GOCACHE".into(), host.at("home").into_os_string())];
    let view = sights.view(&Glance {
        program: Path::new("/bin/true"),
        executable: "go",
        env: &env,
        home: &host.at("own/home"),
        temp: &host.at("own/temp"),
        network: Network::None,
    });
    assert_eq!(host.own(&view.writable), ["home/src/tern", "own/home"]);
}

#[test]
fn absent_caches_are_made_for_those_who_fill_them() {
    let host = Host::new();
    let sights = host.sights("home/src/tern", &[]);
    for (executable, made) in [("true", false), ("go", true)] {
        let cache = host.at("home/cache/go");
        let env = [("GOCACHE".into(), cache.clone().into_os_string())];
        let view = sights.view(&Glance {
            program: Path::new("/bin/true"),
            executable,
            env: &env,
            home: &host.at("own/home"),
            temp: &host.at("own/temp"),
            network: Network::None,
        });
        assert_eq!(cache.exists(), made);
        assert_eq!(view.writable.contains(&cache), made);
    }
}
