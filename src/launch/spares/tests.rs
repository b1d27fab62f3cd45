use super::{Returned, Spares};
use crate::launch::Folder;
use crate::launch::layout::Layout;
use std::fs;
use std::path::Path;

/// Spares in `spares/` and the place of one home, `homes/a`.
fn place(base: &Path) -> (Spares, Folder) {
    let base = Folder::open(base).unwrap();
    let mut layout = Layout::default();
    layout.file("file", b"text".to_vec());
    layout.link(Path::new("deep/link"), "/opt".into());
    let homes = base.enter("homes").unwrap();
    homes.enter("a").unwrap();
    let uid = nix::unistd::getuid().as_raw();
    (
        Spares::new(base.enter("spares").unwrap(), layout, uid),
        homes,
    )
}

#[test]
fn one_that_comes_back_as_it_went_is_ready_for_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let (spares, homes) = place(dir.path());
    for _ in 0..3 {
        let spare = spares.put(&homes, "a").unwrap();
        assert_eq!(spare.number, 0);
        let home = dir.path().join("homes/a");
        assert_eq!(fs::read(home.join("file")).unwrap(), b"text");
        let back = spares.take_back(spare, &homes, "a".as_ref());
        assert!(matches!(back, Returned::Ready));
        assert_eq!(fs::read_dir(home).unwrap().count(), 0);
    }
}

#[test]
fn one_that_was_changed_is_not_used_until_it_is_restored() {
    let dir = tempfile::tempdir().unwrap();
    let (spares, homes) = place(dir.path());
    let spare = spares.put(&homes, "a").unwrap();
    fs::write(dir.path().join("homes/a/deep/more"), "x").unwrap();
    let Returned::Changed(changed) = spares.take_back(spare, &homes, "a".as_ref()) else {
        panic!("the change was not seen");
    };
    let other = spares.put(&homes, "a").unwrap();
    assert_eq!((changed.number, other.number), (0, 1));
    changed.restore().unwrap();
    assert!(matches!(
        spares.take_back(other, &homes, "a".as_ref()),
        Returned::Ready
    ));
    let numbers = [0, 1].map(|_| spares.ready().unwrap());
    assert_eq!(numbers, [1, 0]);
    assert!(!dir.path().join("spares/0/deep/more").exists());
}

#[test]
fn what_the_run_before_left_is_made_good_or_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let spares = dir.path().join("spares");
    fs::create_dir_all(spares.join("0/junk")).unwrap();
    fs::write(spares.join("1"), "a file").unwrap();
    std::os::unix::fs::symlink("/etc", spares.join("2")).unwrap();
    let (spares, _homes) = place(dir.path());
    for number in 0..3 {
        assert_eq!(spares.ready().unwrap(), number);
        let spare = dir.path().join("spares").join(number.to_string());
        assert_eq!(fs::read_dir(spare).unwrap().count(), 2);
    }
}

#[test]
fn one_that_cannot_be_put_in_place_stays_ready() {
    let dir = tempfile::tempdir().unwrap();
    let (spares, homes) = place(dir.path());
    assert!(spares.put(&homes, "none").is_err());
    assert_eq!(spares.ready().unwrap(), 0);
}
