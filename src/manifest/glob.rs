//! Globs over the files of the root.

use globset::GlobBuilder;

use super::problems::Problems;
use super::raw::Texts;
use super::syntax::cited;

/// The globs in `given` (the field `name`), each from the root, with `/`. `*` stays within one
/// folder, `**` does not.
pub(super) fn globs(
    name: &str,
    given: Option<&Texts<'_>>,
    problems: &mut Problems<'_>,
) -> Vec<String> {
    let mut globs = Vec::new();
    let given = given.map_or(&[][..], |list| &list.value);
    for (i, glob) in given.iter().enumerate() {
        match check(glob.value, "the root") {
            Ok(()) => globs.push(glob.value.to_owned()),
            Err((why, hint)) => {
                let message = format!("{name}[{i}] {} {why}", cited(glob.value));
                problems.advise(&glob.span, message, hint);
            }
        }
    }
    globs
}

/// Why `text`, which starts from `base`, is none, and what to do.
pub(super) fn check(text: &str, base: &str) -> Result<(), (String, &'static str)> {
    let refuse = |why: &str, hint| Err((why.to_owned(), hint));
    let drive = matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if text.trim().is_empty() {
        return refuse("is empty", "name files, as in src/**/*.go");
    }
    if text.contains('\0') {
        return refuse("holds a NUL character", "no file's name has one");
    }
    if text.contains('\\') {
        return refuse("holds a backslash", "write / between folders");
    }
    if text.starts_with('/') || drive {
        return refuse(&format!("must be relative to {base}"), "as in src/**/*.go");
    }
    if text.split('/').any(|part| part == "..") {
        return refuse("leaves the root", "only files of the root are looked at");
    }
    match GlobBuilder::new(text).literal_separator(true).build() {
        Ok(_) => Ok(()),
        Err(error) => Err((
            format!("is no glob: {}", error.kind()),
            "as in src/**/*.go or {a,b}/*.ts",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_glob_names_files_of_the_root() {
        for good in ["*.go", "src/**/*.{ts,tsx}", "a/[bc]/?", "**", "go.mod"] {
            assert_eq!(check(good, "the root"), Ok(()), "{good}");
        }
        let why = |text: &str| check(text, "the root").unwrap_err().0;
        assert_eq!(why(" "), "is empty");
        assert_eq!(why("/etc/*"), "must be relative to the root");
        assert_eq!(why("C:/x"), "must be relative to the root");
        assert_eq!(why("a/../../b"), "leaves the root");
        assert_eq!(why("a\\b"), "holds a backslash");
        assert!(why("[z-a]").starts_with("is no glob: "), "{}", why("[z-a]"));
        assert!(why("{a,").starts_with("is no glob: "));
    }
}
