//! Folders whose name differs between machines and runs: the root, homes, temporary folders.

use std::path::Path;

/// The folders that identity folds away, by value: nothing here asks the system for them.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Longest path first, so that a root below a home is told as the root.
    folders: Vec<Folder>,
}

#[derive(Debug, Clone)]
struct Folder {
    /// With `/` between names, whatever the system writes.
    path: String,
    sign: &'static str,
    /// The first name beneath it is made anew each run and is folded with it.
    beneath: bool,
}

/// What was found: how many bytes it takes up, and what stands for it.
pub(super) struct Place {
    pub(super) length: usize,
    pub(super) sign: &'static str,
}

impl Places {
    /// Knows the root of the tree under test and nothing else yet.
    pub fn new(root: &Path) -> Self {
        Self::default().with(root, "<root>", false)
    }

    /// A person's home.
    #[must_use]
    pub fn home(self, folder: &Path) -> Self {
        self.with(folder, "<home>", false)
    }

    /// A folder in which each check has a home of its own.
    #[must_use]
    pub fn homes_in(self, folder: &Path) -> Self {
        self.with(folder, "<home>", true)
    }

    /// A folder for temporary files: with it goes the first name beneath, which is made anew
    /// each time.
    #[must_use]
    pub fn temp(self, folder: &Path) -> Self {
        self.with(folder, "<temp>", true)
    }

    fn with(mut self, folder: &Path, sign: &'static str, beneath: bool) -> Self {
        let text = folder.to_string_lossy().replace('\\', "/");
        let text = text.strip_prefix("//?/").unwrap_or(&text);
        let path = text.trim_end_matches('/').to_owned();
        if !path.is_empty() {
            self.folders.push(Folder {
                path,
                sign,
                beneath,
            });
            self.folders
                .sort_by_key(|folder| std::cmp::Reverse(folder.path.len()));
        }
        self
    }

    /// The place whose path begins at `at` and ends where a name ends.
    pub(super) fn at(&self, text: &[u8], at: usize) -> Option<Place> {
        if at > 0 && (is_name(text[at - 1]) || text[at - 1] == b'.') {
            return None;
        }
        self.folders.iter().find_map(|folder| {
            let end = at + folder.path.len();
            let found = text.get(at..end)?;
            let same = |(a, b): (&u8, u8)| *a == b || (*a == b'\\' && b == b'/');
            if !found.iter().zip(folder.path.bytes()).all(same) || !name_ends(text, end) {
                return None;
            }
            let end = if folder.beneath {
                end + first_name(&text[end..])
            } else {
                end
            };
            Some(Place {
                length: end - at,
                sign: folder.sign,
            })
        })
    }

    /// `path`, an absolute one, without what differs between machines; `None` where it lies in
    /// none of these places.
    pub(super) fn portable(&self, path: &str) -> Option<String> {
        let place = self.at(path.as_bytes(), 0)?;
        Some(format!(
            "{}{}",
            place.sign,
            path.get(place.length..)?.replace('\\', "/")
        ))
    }
}

/// Whether `byte` can stand within a file's name without ending a path in running text.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'-')
}

fn name_ends(text: &[u8], end: usize) -> bool {
    match text.get(end) {
        // `/tmp/x.` may end a sentence; `/tmp/x.bak` is another name.
        Some(b'.') => text.get(end + 1).is_none_or(|next| !is_name(*next)),
        Some(byte) => !is_name(*byte),
        None => true,
    }
}

/// The bytes of a separator and the name behind it, a sentence's full stop left out.
fn first_name(rest: &[u8]) -> usize {
    if !matches!(rest.first(), Some(b'/' | b'\\')) {
        return 0;
    }
    let within = |byte: &&u8| is_name(**byte) || matches!(**byte, b'.' | b'+' | b'~' | b'@' | b'#');
    let name = &rest[1..];
    let mut length = name.iter().take_while(within).count();
    while length > 0 && name[length - 1] == b'.' {
        length -= 1;
    }
    if length == 0 { 0 } else { length + 1 }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Places;

    fn places() -> Places {
        Places::new(Path::new("/home/ann/src/tern"))
            .home(Path::new("/home/ann"))
            .homes_in(Path::new("/tmp/check-1000/00ff"))
            .temp(Path::new("/tmp/"))
    }

    #[test]
    fn the_innermost_place_is_the_one_told() {
        let portable = |path: &str| places().portable(path);
        assert_eq!(portable("/home/ann/src/tern/a.go").unwrap(), "<root>/a.go");
        assert_eq!(
            portable("/home/ann/.cargo/x.rs").unwrap(),
            "<home>/.cargo/x.rs"
        );
        assert_eq!(
            portable("/tmp/check-1000/00ff/lint/.cache/a").unwrap(),
            "<home>/.cache/a"
        );
        assert_eq!(
            portable("/tmp/go-build123/b001/x.go").unwrap(),
            "<temp>/b001/x.go"
        );
    }

    #[test]
    fn a_name_that_only_begins_alike_is_another_place() {
        assert_eq!(places().portable("/home/annette/x"), None);
        assert_eq!(places().portable("/home/ann.old/x"), None);
        assert_eq!(places().portable("/usr/include/stdio.h"), None);
        assert!(
            Places::new(Path::new("/")).portable("/usr/x").is_none(),
            "the root of all folds nothing"
        );
    }

    #[test]
    fn both_separators_are_one() {
        let places = Places::new(Path::new(r"\\?\C:\src\tern"));
        assert_eq!(
            places.portable(r"C:\src\tern\in\a.go").unwrap(),
            "<root>/in/a.go"
        );
        assert_eq!(
            places.portable("C:/src/tern/in/a.go").unwrap(),
            "<root>/in/a.go"
        );
    }
}
