//! A test's whole name: the names of its parents and its own, `a > works`.

use crate::model::Failure;
use crate::text::sha256_hex;

use super::super::location::Place;
use super::super::parser::Out;
use super::super::paths::without_scheme;
use super::file_failure::exact_file;

/// Longer names are kept as their front and a hash, so that they stay apart.
const MAX: usize = 1024;

/// What is kept of a longer one, in bytes.
const FRONT: usize = 960;

/// `name` within the bound.
pub(in super::super) fn clip(name: String) -> String {
    if name.len() <= MAX {
        return name;
    }
    let hash = sha256_hex(name.as_bytes());
    format!(
        "{} #{}",
        &name[..name.floor_char_boundary(FRONT)],
        &hash[..16]
    )
}

/// Puts `parent` before the name of `row`. A parent that is only the file of the row says nothing.
pub(in super::super) fn put_parent(row: &mut Failure, parent: &str, out: &Out<'_>) {
    match exact_file(parent) {
        Some(file) => put_file(row, &file, out),
        None => prefix(row, parent),
    }
}

/// Puts the file that a test stands in before its name, where the row is of another file: a helper
/// that fails for two tests of one name fails twice.
pub(in super::super) fn put_file(row: &mut Failure, file: &Place, out: &Out<'_>) {
    let file = portable(file, out);
    if row.path.as_deref() != Some(&file) {
        prefix(row, &file);
    }
}

/// The path of `place` as a row has it.
pub(super) fn portable(place: &Place, out: &Out<'_>) -> String {
    let printed = without_scheme(&place.path);
    let inside = out.paths.resolve(&printed);
    inside.filter(|path| !path.is_empty()).unwrap_or(printed)
}

fn prefix(row: &mut Failure, parent: &str) {
    if let Some(name) = row.test.take() {
        row.test = Some(clip(format!("{parent} > {name}")));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::super::location::Place;
    use super::super::super::parser::Out;
    use super::super::super::paths::Paths;
    use super::{clip, put_file, put_parent};
    use crate::model::Failure;

    #[test]
    fn long_names_stay_apart_within_the_bound() {
        let name = |end: &str| clip(format!("{}{end}", "é".repeat(4000)));
        assert!(name("a").len() <= 1024);
        assert_ne!(name("a"), name("b"));
        assert_eq!(clip("short".to_owned()), "short");
    }

    #[test]
    fn a_file_is_named_only_where_the_row_is_elsewhere() {
        let paths = Paths::new(Path::new("/srv/app"), ".");
        let out = Out {
            paths: &paths,
            rows: &mut |_| {},
        };
        let file = |path: &str| Place {
            path: path.to_owned(),
            line: Some(1),
            column: None,
        };
        let mut row = Failure::new("tap", "m");
        row.path = Some("test/a.test.js".to_owned());
        row.test = Some("works".to_owned());
        put_parent(&mut row, "a", &out);
        put_parent(&mut row, "test/a.test.js", &out);
        put_file(&mut row, &file("file:///srv/app/test/a.test.js"), &out);
        assert_eq!(row.test.as_deref(), Some("a > works"));
        put_file(&mut row, &file("/srv/app/test/b.test.js"), &out);
        assert_eq!(row.test.as_deref(), Some("test/b.test.js > a > works"));
        row.test = None;
        put_parent(&mut row, "a", &out);
        assert_eq!(row.test, None, "what has no name gets none");
    }
}
