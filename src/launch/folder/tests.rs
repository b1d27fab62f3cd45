use super::Folder;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;

#[test]
fn a_link_is_no_folder_and_no_file() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("real")).unwrap();
    fs::write(dir.path().join("victim"), "x").unwrap();
    symlink("real", dir.path().join("link")).unwrap();
    symlink("victim", dir.path().join("file")).unwrap();
    let folder = Folder::open(dir.path()).unwrap();
    assert!(folder.enter("link").is_err());
    assert!(folder.create("file").is_err());
    assert!(folder.read("file", 10).is_err());
    folder.replace("file", b"new").unwrap();
    assert_eq!(fs::read(dir.path().join("victim")).unwrap(), b"x");
    assert_eq!(folder.read("file", 10).unwrap(), b"new");
}

#[test]
fn a_file_is_held_only_as_it_was_made() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::open(dir.path()).unwrap();
    folder.replace("file", b"text").unwrap();
    assert!(folder.holds("file", b"text").unwrap());
    assert!(!folder.holds("file", b"test").unwrap());
    assert!(!folder.holds("file", b"texts").unwrap());
    fs::hard_link(dir.path().join("file"), dir.path().join("second")).unwrap();
    assert!(!folder.holds("file", b"text").unwrap());
    symlink("second", dir.path().join("link")).unwrap();
    assert!(folder.holds("link", b"text").is_err());
}

/// Both ways to swap.
type Swap = fn(&Folder, &str, &Folder, &str) -> io::Result<()>;

#[test]
fn what_is_swapped_changes_places_between_folders() {
    let ways: [Swap; 2] = [
        |here, name, there, other| here.swap(name, there, other),
        |here, name, there, other| here.swap_in_steps(name.as_ref(), there, other.as_ref()),
    ];
    for swap in ways {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        let (here, there) = (
            folder.enter("here").unwrap(),
            folder.enter("there").unwrap(),
        );
        here.enter("a").unwrap().replace("f", b"a").unwrap();
        there.enter("b").unwrap().replace("f", b"b").unwrap();
        let held = || {
            let text = |folder: &Folder, name| folder.enter(name).unwrap().read("f", 9).unwrap();
            [text(&here, "a"), text(&there, "b")]
        };
        swap(&here, "a", &there, "b").unwrap();
        assert_eq!(held(), [b"b", b"a"]);
        for (name, other) in [("none", "b"), ("a", "none")] {
            let error = swap(&here, name, &there, other).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
        assert_eq!(held(), [b"b", b"a"]);
        assert_eq!(
            (here.names().unwrap().len(), there.names().unwrap().len()),
            (1, 1)
        );
    }
}
