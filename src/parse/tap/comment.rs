//! Places that producers without YAML put into comments.

use super::super::location::{Place, number, text};

/// What one comment line below a failing test says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Comment {
    /// Where it failed.
    At(Place),
    /// Where it failed, and why.
    Says(Place, String),
    /// The test's name again, or nothing.
    Nothing,
    /// More words.
    Words(String),
}

/// Reads a comment without its `#`.
pub(super) fn read(comment: &[u8]) -> Comment {
    let body = comment.trim_ascii();
    if let Some(place) = perl(body).or_else(|| bats(body)) {
        return Comment::At(place);
    }
    if let Some((place, words)) = shell(body) {
        return Comment::Says(place, words);
    }
    let again = body.is_empty()
        || body.starts_with(b"Failed test")
        || body.starts_with(b"Failed (TODO)")
        || body.starts_with(b"(from function ");
    if again {
        Comment::Nothing
    } else {
        Comment::Words(text(body))
    }
}

/// `at t/basic.t line 5.`, `Failed test at t/basic.t line 9.`
fn perl(body: &[u8]) -> Option<Place> {
    let rest = body
        .strip_prefix(b"at ")
        .or_else(|| body.strip_prefix(b"Failed test at "))?;
    let middle = memchr::memmem::rfind(rest, b" line ")?;
    let (line, after) = number(&rest[middle + 6..])?;
    (after == b"." || after.is_empty()).then(|| Place {
        path: text(&rest[..middle]),
        line: Some(line),
        column: None,
    })
}

/// `(in test file x.bats, line 19)`, and of several lines the last: `in test file x.bats, line 23)`.
fn bats(body: &[u8]) -> Option<Place> {
    let start = memchr::memmem::find(body, b"in test file ")? + 13;
    let middle = memchr::memmem::rfind(body, b", line ").filter(|middle| *middle > start)?;
    let (line, after) = number(&body[middle + 7..])?;
    (after == b")").then(|| Place {
        path: text(&body[start..middle]),
        line: Some(line),
        column: None,
    })
}

/// `/a/b.bats: line 3: syntax error near …`, a shell's own words.
fn shell(body: &[u8]) -> Option<(Place, String)> {
    let middle = memchr::memmem::find(body, b": line ")?;
    let path = &body[..middle];
    let (line, after) = number(&body[middle + 7..])?;
    let words = after.strip_prefix(b": ")?;
    let plain = !path.is_empty() && !path.contains(&b' ') && path.contains(&b'.');
    plain.then(|| {
        (
            Place {
                path: text(path),
                line: Some(line),
                column: None,
            },
            text(words),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{Comment, read};

    #[test]
    fn each_producer_has_its_own_words() {
        let at = |comment: &str| match read(comment.as_bytes()) {
            Comment::At(place) | Comment::Says(place, _) => {
                format!("{}:{}", place.path, place.line.unwrap_or(0))
            }
            other @ (Comment::Nothing | Comment::Words(_)) => format!("{other:?}"),
        };
        assert_eq!(at("  at t/basic.t line 5."), "t/basic.t:5");
        assert_eq!(at("  Failed test at t/basic.t line 9."), "t/basic.t:9");
        assert_eq!(
            at("(in test file bats/math.bats, line 19)"),
            "bats/math.bats:19"
        );
        assert_eq!(
            at("(from function `setup' in test file a.bats, line 2)"),
            "a.bats:2"
        );
        assert_eq!(
            at("/s/syntax.bats: line 3: syntax error"),
            "/s/syntax.bats:3"
        );
        assert_eq!(read(b"  Failed test 'x'"), Comment::Nothing);
        assert_eq!(
            read(b"     got: '2'"),
            Comment::Words("got: '2'".to_owned())
        );
    }
}
