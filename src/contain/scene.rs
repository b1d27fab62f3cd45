//! From what a check is to see to the mounts that make it so, in their order. Nothing here touches
//! the file system; `stage` does as it is told.
//!
//! What stays visible is taken up first, as it is now (`open_tree(2)`); then everything becomes
//! read-only and what is hidden is covered; then what was taken up is put back in its place. So
//! there is no moment at which a place is more open than it will be.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model::View;

/// Where programs put what is only theirs; the check's own folder stands for each.
const TEMPS: [&str; 2] = ["/tmp", "/var/tmp"];
/// Among temporary files: what is written to folders that stay as they are.
const LAYERS: &str = ".layers";
/// What root is left of `/dev`: as the owner of disks it could write to them.
const DEVICES: [&str; 6] = [
    "/dev/full",
    "/dev/null",
    "/dev/random",
    "/dev/tty",
    "/dev/urandom",
    "/dev/zero",
];
/// What is expected in `/dev` beside devices.
const LINKS: [(&str, &str); 5] = [
    ("/proc/self/fd", "/dev/fd"),
    ("pts/ptmx", "/dev/ptmx"),
    ("/proc/self/fd/2", "/dev/stderr"),
    ("/proc/self/fd/0", "/dev/stdin"),
    ("/proc/self/fd/1", "/dev/stdout"),
];
/// By what root could reach the whole host through a `/proc` of its own.
const MASKED: [&str; 6] = [
    "/proc/acpi",
    "/proc/bus",
    "/proc/fs",
    "/proc/irq",
    "/proc/sys",
    "/proc/sysrq-trigger",
];

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// What we do to mounts is not told to the host.
    Part,
    /// What is written below `path` from now on is written to a new folder at `upper`, with another
    /// at `work`. Where that cannot be done, nothing can be written there.
    Layer {
        /// A folder.
        path: PathBuf,
        /// The first part of the other two.
        upper: PathBuf,
        /// On the same file system.
        work: PathBuf,
    },
    /// Takes up what is at `path` with all mounts below it. The first has number 0.
    Keep {
        /// Where it is, and will be.
        path: PathBuf,
        /// It may not be written when it is put back.
        read_only: bool,
    },
    /// Every mount becomes read-only.
    CloseAll,
    /// An empty file system covers this folder.
    Cover(PathBuf),
    /// There is a folder.
    Folder(PathBuf),
    /// There is a file.
    File(PathBuf),
    /// There is a link: what it says, and where it is.
    Link(PathBuf, PathBuf),
    /// What was taken up under this number is put here.
    Put(usize, PathBuf),
    /// The mount that is at `path`, and none below it, becomes read-only.
    Close(PathBuf),
    /// What is at this place, where there is anything, may not be written from now on.
    Freeze(PathBuf),
    /// Terminals of the check's own.
    Terminals(PathBuf),
    /// The processes of the check's own PID namespace.
    Processes,
}

/// What is there, asked of the host.
pub trait Ground {
    /// `path` leads to a folder.
    fn is_folder(&self, path: &Path) -> bool;
    /// Something is at `path`.
    fn exists(&self, path: &Path) -> bool;
}

/// The steps that are taken before the check's own process is born. `root`: with the host's
/// capabilities, and not those of a user namespace.
pub fn outer(view: &View, root: bool, ground: &dyn Ground) -> Vec<Act> {
    let temps: Vec<&Path> = TEMPS
        .iter()
        .map(Path::new)
        .filter(|temp| ground.is_folder(temp))
        .collect();
    let mut kept = Kept::default();
    for temp in &temps {
        kept.keep(&view.temp, temp, false);
    }
    for path in &view.shown {
        kept.keep(path, path, true);
    }
    for path in view.layered.iter().chain(&view.writable) {
        kept.keep(path, path, false);
    }
    let devices = DEVICES.iter().map(Path::new);
    let devices: Vec<&Path> = devices.filter(|path| ground.exists(path)).collect();
    if root {
        for path in &devices {
            kept.keep(path, path, false);
        }
    }
    let mut acts = vec![Act::Part];
    acts.extend(layers(view));
    acts.extend(kept.acts);
    // A tree that is all there is stays open as a whole.
    let whole = Path::new("/");
    if kept.places.remove(whole).is_none() {
        acts.push(Act::CloseAll);
    }
    let mut covered = outermost(&view.hidden);
    // The check's own folder covers it.
    covered.retain(|path| !temps.iter().any(|temp| path.starts_with(temp)));
    acts.extend(covered.iter().map(|path| Act::Cover((*path).to_owned())));
    if root {
        acts.push(Act::Cover("/dev".into()));
    }
    // A parent comes before what is below it: paths are ordered by their parts.
    for (place, number) in kept.places {
        let below = covered.iter().chain(&temps).copied();
        let below = below.chain(root.then_some(Path::new("/dev")));
        let above = below.filter(|top| place.starts_with(top) && place != *top);
        if let Some(top) = above.max_by_key(|top| top.components().count()) {
            acts.extend(folders_between(top, &place).map(Act::Folder));
            acts.push(if ground.is_folder(&place) {
                Act::Folder(place.clone())
            } else {
                Act::File(place.clone())
            });
        }
        acts.push(Act::Put(number, place));
    }
    acts.extend(view.frozen.iter().cloned().map(Act::Freeze));
    if root {
        for (target, place) in LINKS {
            acts.push(Act::Link(target.into(), place.into()));
        }
        acts.extend(["/dev/pts", "/dev/shm"].map(|path| Act::Folder(path.into())));
    }
    for (path, act) in [
        ("/dev/pts", Act::Terminals as fn(PathBuf) -> Act),
        ("/dev/shm", Act::Cover),
    ] {
        if root || ground.is_folder(Path::new(path)) {
            acts.push(act(path.into()));
        }
    }
    if root {
        acts.push(Act::Close("/dev".into()));
    }
    acts
}

/// What is written to them is with the check's temporary files, and goes when those go.
fn layers(view: &View) -> Vec<Act> {
    let mut acts = Vec::new();
    if view.layered.is_empty() {
        return acts;
    }
    let all = view.temp.join(LAYERS);
    acts.push(Act::Folder(all.clone()));
    for (number, path) in view.layered.iter().enumerate() {
        let own = all.join(number.to_string());
        let (upper, work) = (own.join("upper"), own.join("work"));
        acts.extend([&own, &upper, &work].map(|path| Act::Folder(path.clone())));
        let path = path.clone();
        acts.push(Act::Layer { path, upper, work });
    }
    acts
}

/// The steps that the check's own process takes before it becomes its program, where it has a PID
/// namespace. `root`: see [`outer`].
pub fn inner(root: bool) -> Vec<Act> {
    let mut acts = vec![Act::Processes];
    if root {
        acts.extend(MASKED.map(|path| Act::Freeze(path.into())));
    }
    acts
}

/// What is taken up, and where it is put: the last that is said of a place holds.
#[derive(Default)]
struct Kept {
    acts: Vec<Act>,
    places: BTreeMap<PathBuf, usize>,
}

impl Kept {
    fn keep(&mut self, path: &Path, place: &Path, read_only: bool) {
        self.places.insert(place.to_owned(), self.acts.len());
        self.acts.push(Act::Keep {
            path: path.to_owned(),
            read_only,
        });
    }
}

/// Those that are below none of the others.
fn outermost(paths: &[PathBuf]) -> Vec<&Path> {
    let is_below = |path: &Path| {
        let mut others = paths.iter().filter(|other| *other != path);
        others.any(|other| path.starts_with(other))
    };
    let mut tops: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    tops.retain(|path| !is_below(path));
    tops.sort_unstable();
    tops.dedup();
    tops
}

/// The folders that lie between, from the top down.
fn folders_between(top: &Path, place: &Path) -> impl Iterator<Item = PathBuf> {
    let above: Vec<PathBuf> = place
        .ancestors()
        .skip(1)
        .take_while(|folder| *folder != top)
        .map(Path::to_owned)
        .collect();
    above.into_iter().rev()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Act, Ground, inner, outer};
    use crate::model::View;

    /// Everything is there; what has a dot in its name is a file.
    struct All;

    impl Ground for All {
        fn is_folder(&self, path: &Path) -> bool {
            !path.to_string_lossy().contains('.') && self.exists(path)
        }

        fn exists(&self, path: &Path) -> bool {
            path != Path::new("/var/tmp")
        }
    }

    fn view() -> View {
        View {
            hidden: vec!["/home".into(), "/home/ada".into(), "/run".into()],
            shown: vec!["/home/ada/.cargo/bin".into(), "/srv/harness".into()],
            layered: Vec::new(),
            writable: vec!["/home/ada/src".into(), "/tmp/check-1/ab/test".into()],
            frozen: vec!["/home/ada/src/harness.json".into()],
            temp: "/tmp/check-1/ab/test~tmp".into(),
            holds_home: false,
        }
    }

    fn keep(path: &str, read_only: bool) -> Act {
        Act::Keep {
            path: path.into(),
            read_only,
        }
    }

    fn folder(path: &str) -> Act {
        Act::Folder(path.into())
    }

    fn put(number: usize, path: &str) -> Act {
        Act::Put(number, path.into())
    }

    #[test]
    fn what_is_kept_is_taken_up_before_anything_is_closed_and_put_back_parents_first() {
        let path = PathBuf::from;
        assert_eq!(
            outer(&view(), false, &All),
            [
                Act::Part,
                keep("/tmp/check-1/ab/test~tmp", false),
                keep("/home/ada/.cargo/bin", true),
                keep("/srv/harness", true),
                keep("/home/ada/src", false),
                keep("/tmp/check-1/ab/test", false),
                Act::CloseAll,
                Act::Cover(path("/home")),
                Act::Cover(path("/run")),
                folder("/home/ada"),
                folder("/home/ada/.cargo"),
                Act::File(path("/home/ada/.cargo/bin")),
                put(1, "/home/ada/.cargo/bin"),
                folder("/home/ada"),
                folder("/home/ada/src"),
                put(3, "/home/ada/src"),
                put(2, "/srv/harness"),
                put(0, "/tmp"),
                folder("/tmp/check-1"),
                folder("/tmp/check-1/ab"),
                folder("/tmp/check-1/ab/test"),
                put(4, "/tmp/check-1/ab/test"),
                Act::Freeze(path("/home/ada/src/harness.json")),
                Act::Terminals(path("/dev/pts")),
                Act::Cover(path("/dev/shm")),
            ]
        );
    }

    #[test]
    fn root_is_left_no_disk_and_no_setting_of_the_kernel() {
        let acts = outer(&view(), true, &All);
        assert!(acts.contains(&Act::Cover("/dev".into())));
        assert!(
            acts.contains(&Act::File("/dev/null".into())) || acts.contains(&folder("/dev/null"))
        );
        let last_put = acts.iter().rposition(|act| matches!(act, Act::Put(..)));
        let closed = acts
            .iter()
            .position(|act| *act == Act::Close("/dev".into()));
        assert!(last_put < closed);
        assert!(inner(true).contains(&Act::Freeze("/proc/sys".into())));
        assert_eq!(inner(false), [Act::Processes]);
    }
}
