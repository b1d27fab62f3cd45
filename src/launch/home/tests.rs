use super::{Caller, Home, HomePlace, is_home_of};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

fn caller(temp: &Path) -> Caller {
    let vars = BTreeMap::from([(OsString::from("TMPDIR"), temp.as_os_str().to_owned())]);
    Caller::new(
        vars,
        Some("/nonexistent".into()),
        nix::unistd::getuid().as_raw(),
    )
}

fn place(temp: &Path) -> HomePlace {
    let root = Path::new("/src/tern");
    HomePlace::new(&caller(temp), root, true, &[root])
}

/// What is in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Ends a check.
fn over(place: &HomePlace, home: Home) {
    if let Some(remains) = place.take_back(home) {
        remains.remove().unwrap();
    }
}

#[test]
fn the_same_root_has_the_same_empty_home_in_every_run() {
    let temp = tempfile::tempdir().unwrap();
    let first = place(temp.path());
    let home = first.make("test").unwrap();
    let path = home.path().to_owned();
    assert_eq!(path.parent(), Some(first.path()));
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o700);
    let config = fs::read_to_string(path.join(".gitconfig")).unwrap();
    assert_eq!(config, "[safe]\n\tdirectory = \"/src/tern\"\n");
    // As where the run is killed.
    fs::write(path.join("left"), "x").unwrap();
    drop(home);

    let again = place(temp.path());
    let home = again.make("test").unwrap();
    assert_eq!(home.path(), path);
    assert_eq!(names(&path), [".gitconfig"]);
    over(&again, home);
    assert_eq!(names(&path), [""; 0]);
    let other = HomePlace::new(&caller(temp.path()), Path::new("/src/other"), true, &[]);
    assert_ne!(other.make("test").unwrap().path(), path);
}

/// What a check does to its home.
type Deed = fn(&Path);

#[test]
fn whatever_a_check_does_to_its_home_the_next_one_is_new() {
    let deeds: [Deed; 7] = [
        |home| fs::create_dir_all(home.join("a/b/c")).unwrap(),
        |home| fs::write(home.join(".gitconfig"), "[user]\n\tname = x\n").unwrap(),
        |home| fs::set_permissions(home, fs::Permissions::from_mode(0o000)).unwrap(),
        |home| fs::remove_dir_all(home).unwrap(),
        |home| {
            fs::rename(home, home.with_file_name("moved")).unwrap();
            fs::remove_dir_all(home.with_file_name("moved")).unwrap();
            symlink("/etc", home).unwrap();
        },
        |home| {
            fs::remove_dir_all(home).unwrap();
            fs::write(home, "a file").unwrap();
        },
        |home| {
            // Kept open for later, as it were: it is another file by then.
            fs::hard_link(home.join(".gitconfig"), home.with_file_name("second")).unwrap();
        },
    ];
    let temp = tempfile::tempdir().unwrap();
    let place = place(temp.path());
    for (number, deed) in deeds.into_iter().enumerate() {
        let home = place.make("test").unwrap();
        let path = home.path().to_owned();
        deed(&path);
        over(&place, home);
        let meta = fs::symlink_metadata(&path).unwrap();
        assert!(meta.is_dir() && meta.mode() & 0o7777 == 0o700, "{number}");
        assert_eq!(names(&path), [""; 0], "{number}");
        let home = place.make("test").unwrap();
        assert_eq!(
            (home.path(), &home.note),
            (path.as_path(), &None),
            "{number}"
        );
        let config = home.path().join(".gitconfig");
        assert_eq!(names(home.path()), [".gitconfig"], "{number}");
        let meta = fs::metadata(&config).unwrap();
        assert_eq!((meta.nlink(), meta.mode() & 0o7777), (1, 0o600), "{number}");
        let text = fs::read_to_string(config).unwrap();
        assert_eq!(text, "[safe]\n\tdirectory = \"/src/tern\"\n", "{number}");
        over(&place, home);
    }
}

#[test]
fn checks_at_once_have_a_home_each_and_the_next_has_one_of_theirs() {
    let temp = tempfile::tempdir().unwrap();
    let place = place(temp.path());
    let inode = |home: &Home| fs::metadata(home.path()).unwrap().ino();
    let (a, b) = (place.make("a").unwrap(), place.make("b").unwrap());
    assert_ne!(a.path(), b.path());
    let inodes = [inode(&a), inode(&b)];
    over(&place, a);
    fs::write(b.path().join("left"), "x").unwrap();
    over(&place, b);
    let (c, d) = (place.make("c").unwrap(), place.make("d").unwrap());
    assert!(inodes.contains(&inode(&c)) && inodes.contains(&inode(&d)));
    assert_eq!(
        (names(c.path()), names(d.path())),
        (vec![".gitconfig".to_owned()], vec![".gitconfig".to_owned()])
    );
}

#[test]
fn a_level_that_is_not_ours_alone_is_not_used_and_that_is_said() {
    let temp = tempfile::tempdir().unwrap();
    let victim = temp.path().join("victim");
    fs::create_dir(&victim).unwrap();
    fs::write(victim.join("keep"), "x").unwrap();
    let stable = {
        let place = place(temp.path());
        over(&place, place.make("test").unwrap());
        place.path().join("test")
    };
    let levels: Vec<PathBuf> = stable.ancestors().take(3).map(Path::to_owned).collect();
    let aside = temp.path().join("aside");
    for level in &levels {
        let open = |mode| fs::set_permissions(level, fs::Permissions::from_mode(mode)).unwrap();
        let refused = || {
            let place = place(temp.path());
            let home = place.make("test").unwrap();
            let note = place.note.iter().chain(&home.note).next().unwrap();
            assert!(note.contains("fresh folder"), "{note}");
            assert!(
                note.contains("is not a private folder of this user"),
                "{note}"
            );
            assert!(note.contains(level.to_str().unwrap()), "{note}");
            assert!(!home.path().starts_with(&levels[2]) && !home.path().starts_with(&victim));
            assert_eq!(names(home.path()), [".gitconfig"]);
            assert_eq!(fs::metadata(home.path()).unwrap().mode() & 0o7777, 0o700);
            let path = home.path().to_owned();
            over(&place, home);
            assert!(!path.exists());
        };
        open(0o755);
        refused();
        open(0o700);
        fs::rename(level, &aside).unwrap();
        symlink(&victim, level).unwrap();
        refused();
        fs::remove_file(level).unwrap();
        fs::write(level, "a file").unwrap();
        refused();
        fs::remove_file(level).unwrap();
        if nix::unistd::getuid().is_root() {
            fs::create_dir(level).unwrap();
            open(0o700);
            std::os::unix::fs::chown(level, Some(12345), None).unwrap();
            refused();
            fs::remove_dir(level).unwrap();
        }
        fs::rename(&aside, level).unwrap();
        let place = place(temp.path());
        assert_eq!(place.make("test").unwrap().path(), stable);
    }
    assert!(victim.join("keep").exists());
}

#[test]
fn a_root_that_could_not_be_locked_has_fresh_homes() {
    let temp = tempfile::tempdir().unwrap();
    let root = Path::new("/r");
    let unlocked = HomePlace::new(&caller(temp.path()), root, false, &[]);
    let note = unlocked.note.as_deref().unwrap();
    assert!(note.contains("could not be locked"), "{note}");
    let homes = [
        unlocked.make("test").unwrap(),
        unlocked.make("test").unwrap(),
    ];
    assert_ne!(homes[0].path(), homes[1].path());
    drop(homes);
    assert_eq!(names(temp.path()), [""; 0]);
}

#[test]
fn a_temp_folder_that_hands_its_group_on_is_one_too() {
    let temp = tempfile::tempdir().unwrap();
    fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o2777)).unwrap();
    let place = place(temp.path());
    let home = place.make("test").unwrap();
    assert_eq!((&place.note, &home.note), (&None, &None));
    over(&place, home);
}

#[test]
fn every_home_tells_which_root_it_is_of() {
    let temp = tempfile::tempdir().unwrap();
    let caller = caller(temp.path());
    let root = Path::new("/src/tern");
    for locked in [true, false] {
        let place = HomePlace::new(&caller, root, locked, &[]);
        let home = place.make("test").unwrap();
        assert!(is_home_of(home.path(), root), "{home:?}");
        assert!(!is_home_of(home.path(), Path::new("/src/other")));
        over(&place, home);
    }
    for other in ["/home/somebody", "/", "", "/tmp/check-home-x"] {
        assert!(!is_home_of(Path::new(other), root), "{other}");
    }
}
