//! The target whose tests run, as cargo names it before them.

use super::super::location::{has_extension, text};

/// `Running tests/one.rs (target/debug/deps/one-108cc01eb939b7ce)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// The crate's name, without the hash of its file.
    name: String,
    /// Where it begins, from its package: `tests/one.rs`.
    source: String,
    /// The tests stand among a crate's own modules.
    unit: bool,
}

impl Target {
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let rest = text(line.trim_ascii().strip_prefix(b"Running ")?);
        let (source, file) = rest.strip_suffix(')')?.split_once(" (")?;
        let (source, unit) = match source.strip_prefix("unittests ") {
            Some(source) => (source, true),
            None => (source, false),
        };
        let file = file.rsplit(['/', '\\']).next()?;
        let (name, hash) = file.strip_suffix(".exe").unwrap_or(file).rsplit_once('-')?;
        let hashed = hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        (hashed && !name.is_empty() && has_extension(source, &["rs"])).then(|| Self {
            name: name.to_owned(),
            source: source.replace('\\', "/"),
            unit,
        })
    }

    /// The whole name of its test `name`, which failed in `path`: with the crate's where the path
    /// does not tell it from the same name in another target.
    pub(super) fn whole(&self, name: String, path: Option<&str>) -> String {
        let told = path.is_some_and(|path| {
            let path = path.replace('\\', "/");
            let rest = path.strip_suffix(self.source.as_str());
            self.unit || rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        });
        if told {
            return name;
        }
        format!("{}::{name}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn a_name_has_its_crate_where_the_path_does_not_tell_it() {
        let whole = |line: &str, path: Option<&str>| {
            Target::read(line.as_bytes()).map(|target| target.whole("works".to_owned(), path))
        };
        let named = |name: &str| Some(name.to_owned());
        let unit = "     Running unittests src/lib.rs (target/debug/deps/my_cart-00c7bae656f21f48)";
        assert_eq!(whole(unit, Some("a/src/cart.rs")), named("works"));
        assert_eq!(whole(unit, None), named("my_cart::works"));
        let one = "     Running tests/one.rs (target/debug/deps/one-108cc01eb939b7ce)";
        assert_eq!(whole(one, Some("a/tests/one.rs")), named("works"));
        assert_eq!(whole(one, Some("a/tests/done.rs")), named("one::works"));
        assert_eq!(whole(one, Some("a/mytests/one.rs")), named("one::works"));
        assert_eq!(whole(one, Some("src/lib.rs")), named("one::works"));
        let windows = r"     Running tests\one.rs (target\debug\deps\one-108cc01eb939b7ce.exe)";
        assert_eq!(whole(windows, Some(r"tests\one.rs")), named("works"));
        for none in [
            "Running `target/debug/x`",
            "Running late (for real)",
            "running 1 test",
        ] {
            assert_eq!(whole(none, None), None, "{none}");
        }
    }
}
