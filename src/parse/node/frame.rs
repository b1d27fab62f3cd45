//! Stack frames of JavaScript.

use super::super::location::{Place, exact_place};

/// The place of a frame in code that is neither Node's own nor a dependency's:
/// `at name (file:///a.js:1:2)`, `at /a.js:1:2`, `name (tests/a.js:1:2)`, `tests/a.js:1:2`.
pub(in super::super) fn own_frame(line: &[u8]) -> Option<Place> {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"at ").unwrap_or(line);
    let line = line.strip_prefix(b"async ").unwrap_or(line);
    let line = line.strip_suffix(b" {").unwrap_or(line);
    let inner = match (line.strip_suffix(b")"), memchr::memrchr(b'(', line)) {
        (Some(line), Some(open)) => &line[open + 1..],
        _ => line,
    };
    let place = exact_place(inner)?;
    is_own(&place.path).then_some(place)
}

/// Whether `path` is a file of the program itself.
pub(in super::super) fn is_own(path: &str) -> bool {
    let foreign =
        path.starts_with("node:") || path.contains("node_modules") || path.starts_with("internal/");
    let file = path.contains('/') || path.contains('\\') || path.contains('.');
    !foreign && file && !path.contains(['<', ' ']) && !path.starts_with("http")
}

#[cfg(test)]
mod tests {
    use super::own_frame;

    #[test]
    fn own_code_is_told_from_nodes_and_dependencies() {
        let read = |line: &str| {
            own_frame(line.as_bytes()).map(|p| {
                format!(
                    "{}:{}:{}",
                    p.path,
                    p.line.unwrap_or(0),
                    p.column.unwrap_or(0)
                )
            })
        };
        assert_eq!(
            read("    at T.<anonymous> (file:///a/b.js:3:4)"),
            Some("file:///a/b.js:3:4".to_owned())
        );
        assert_eq!(
            read("at async file:///a/b.js:3:4"),
            Some("file:///a/b.js:3:4".to_owned())
        );
        assert_eq!(read("tests/a.mjs:3:3"), Some("tests/a.mjs:3:3".to_owned()));
        assert_eq!(
            read(r"at f (C:\w\a.js:1:2) {"),
            Some(r"C:\w\a.js:1:2".to_owned())
        );
        for none in [
            "at Test.run (node:internal/test_runner/test:796:25)",
            "at new Promise (<anonymous>)",
            "at x (/p/node_modules/tape/index.js:1:2)",
            "async Promise.all (index 0)",
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
