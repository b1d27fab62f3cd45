//! What makes a finding the same finding tomorrow: never its line number.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::fingerprint::Fingerprint;
use super::fold::fold;
use super::places::Places;
use crate::model::{CheckId, Failure};
use crate::text::{fold_white_space, sha256_hex};

/// The version of the record format. It is part of every fingerprint, so a change of identity
/// can never be taken for a change of the tree.
pub const FORMAT: u32 = 1;

/// Longer source lines are kept as their front and a hash.
const MAX_SOURCE: usize = 200;

/// What is kept of a longer one, in bytes.
const SOURCE_FRONT: usize = 160;

/// What a finding is, wherever it stands now. A named test is its name: its message and its
/// line say how it failed this time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity<'a> {
    /// From the root, or folded where it lies outside.
    pub path: Option<Cow<'a, str>>,
    /// As the tool names it.
    pub rule: Option<Cow<'a, str>>,
    /// The whole name.
    pub test: Option<Cow<'a, str>>,
    /// Folded; absent for a named test.
    pub message: Option<Cow<'a, str>>,
    /// The source line, white space folded; absent for a named test and where there is no line.
    pub source: Option<Cow<'a, str>>,
}

impl<'a> Identity<'a> {
    /// The identity of `row`, whose line in the tree reads `source`.
    pub fn new(row: &'a Failure, source: Option<&str>, places: &Places) -> Self {
        let path = row.path.as_deref().map(|path| {
            let portable = row.outside.then(|| places.portable(path)).flatten();
            portable.map_or(Cow::Borrowed(path), Cow::Owned)
        });
        let named = row.test.is_some();
        Self {
            path,
            rule: row.rule.as_deref().map(Cow::Borrowed),
            test: row.test.as_deref().map(Cow::Borrowed),
            message: (!named).then(|| fold(&row.message, places)),
            source: source
                .filter(|_| !named)
                .map(|line| Cow::Owned(source_key(line))),
        }
    }

    /// SHA-256 over format version, check and fields, each with its length before it.
    pub fn fingerprint(&self, check: &CheckId) -> Fingerprint {
        self.digest(check, Field::of(self.path.as_deref()))
    }

    /// As [`Identity::fingerprint`], with any path: what a finding keeps when its file moves.
    pub(super) fn shape(&self, check: &CheckId) -> Fingerprint {
        self.digest(check, Field::Any)
    }

    fn digest(&self, check: &CheckId, path: Field<'_>) -> Fingerprint {
        let mut hash = Sha256::new();
        hash.update(FORMAT.to_le_bytes());
        let others = [&self.rule, &self.test, &self.message, &self.source];
        let others = others.into_iter().map(|field| Field::of(field.as_deref()));
        for field in [Field::Text(check.as_str()), path]
            .into_iter()
            .chain(others)
        {
            field.add_to(&mut hash);
        }
        Fingerprint::of_digest(&hash.finalize())
    }
}

/// One field of a digest. An absent one differs from an empty one.
enum Field<'a> {
    Absent,
    Text(&'a str),
    Any,
}

impl<'a> Field<'a> {
    fn of(text: Option<&'a str>) -> Self {
        text.map_or(Self::Absent, Self::Text)
    }

    fn add_to(&self, hash: &mut Sha256) {
        match self {
            Self::Absent => hash.update([0]),
            Self::Text(text) => {
                hash.update([1]);
                hash.update((text.len() as u64).to_le_bytes());
                hash.update(text.as_bytes());
            }
            Self::Any => hash.update([2]),
        }
    }
}

/// A source line as identity has it: white space folded; a long one as its front and a hash.
pub fn source_key(line: &str) -> String {
    let folded = fold_white_space(line);
    if folded.len() <= MAX_SOURCE {
        return folded;
    }
    let hash = sha256_hex(folded.as_bytes());
    let front = &folded[..folded.floor_char_boundary(SOURCE_FRONT)];
    format!("{front} #{}", &hash[..16])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Identity, Places, source_key};
    use crate::model::{CheckId, Failure};

    fn row(path: &str, line: u32, message: &str) -> Failure {
        let mut row = Failure::new("golangci-lint", message);
        row.path = Some(path.to_owned());
        row.line = Some(line);
        row.rule = Some("errcheck".to_owned());
        row
    }

    fn print(row: &Failure, source: Option<&str>) -> String {
        let places = Places::new(Path::new("/src/tern")).home(Path::new("/home/ann"));
        let identity = Identity::new(row, source, &places);
        identity
            .fingerprint(&CheckId::new("lint").unwrap())
            .to_string()
    }

    #[test]
    fn the_format_is_frozen() {
        let row = row("a/b.go", 7, "unchecked error");
        assert_eq!(
            print(&row, Some("  f.Close() ")),
            "205299a6f3bb0bc1e91edaaea595307f"
        );
    }

    #[test]
    fn lines_inserted_above_and_reformatting_change_nothing() {
        let base = print(&row("a.go", 7, "unchecked"), Some("\tdefer f.Close()"));
        assert_eq!(
            base,
            print(&row("a.go", 43, "unchecked"), Some("  defer  f.Close()\r"))
        );
        let mut elsewhere = row("a.go", 7, "unchecked");
        elsewhere.column = Some(9);
        elsewhere.tool = "other";
        assert_eq!(base, print(&elsewhere, Some("defer f.Close()")));
    }

    #[test]
    fn what_says_another_thing_is_another_finding() {
        let base = print(&row("a.go", 7, "unchecked"), Some("f.Close()"));
        let mut ruled = row("a.go", 7, "unchecked");
        ruled.rule = Some("errorlint".to_owned());
        for other in [
            print(&row("b.go", 7, "unchecked"), Some("f.Close()")),
            print(&row("a.go", 7, "unused"), Some("f.Close()")),
            print(&row("a.go", 7, "unchecked"), Some("g.Close()")),
            print(&row("a.go", 7, "unchecked"), Some("")),
            print(&row("a.go", 7, "unchecked"), None),
            print(&ruled, Some("f.Close()")),
        ] {
            assert_ne!(base, other);
        }
        for (one, other) in [
            ("TS2322: bad", "TS2345: bad"),
            ("complexity 31", "complexity 90"),
            ("GO-2024-2687", "GO-2024-2688"),
            ("needs v1.2.3", "needs v1.2.4"),
        ] {
            assert_ne!(
                print(&row("a.go", 7, one), None),
                print(&row("a.go", 7, other), None)
            );
        }
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        let mut one = row("a", 1, "m");
        one.rule = Some("bc".to_owned());
        let mut other = row("ab", 1, "m");
        other.rule = Some("c".to_owned());
        assert_ne!(print(&one, None), print(&other, None));
    }

    #[test]
    fn a_named_test_is_its_name() {
        let mut test = row("a_test.go", 7, "got 3, want 2");
        test.test = Some("TestEvict/ttl=1s".to_owned());
        let mut later = row("a_test.go", 9, "got 4, want 2");
        later.test.clone_from(&test.test);
        assert_eq!(print(&test, Some("x")), print(&later, Some("y")));
        later.test = Some("TestEvict/ttl=2s".to_owned());
        assert_ne!(print(&test, None), print(&later, None));
    }

    #[test]
    fn a_path_outside_the_root_is_the_same_for_everyone() {
        let mut ann = row("/home/ann/.cargo/x.rs", 7, "m");
        ann.outside = true;
        let mut folded = row("<home>/.cargo/x.rs", 7, "m");
        folded.outside = true;
        assert_eq!(print(&ann, None), print(&folded, None));
    }

    #[test]
    fn a_long_source_line_is_its_front_and_a_hash() {
        let line = format!("x{}", "é".repeat(200));
        let key = source_key(&line);
        assert_eq!(key.len(), 159 + 18);
        assert_ne!(key, source_key(&format!("{line}é")));
        assert_eq!(source_key(&"y".repeat(200)).len(), 200);
    }
}
