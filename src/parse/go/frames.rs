//! Goroutine stacks: the frame that a person would open.

use super::super::location::{Place, number, text};
use super::super::paths::Paths;

/// The frames of one goroutine, read line by line: of each pair, function and then place.
#[derive(Debug, Default)]
pub(super) struct Stack {
    function: String,
    /// The place that follows is of no frame to be shown.
    skip: bool,
    /// The best frame of the tree's own code, and of code that is neither Go's nor a dependency's.
    inside: Option<Place>,
    own: Option<Place>,
    /// Some frame's function is the test that was asked for.
    pub has_test: bool,
}

impl Stack {
    /// Reads one line; `test` is the function whose goroutine is looked for.
    pub(super) fn line(&mut self, line: &[u8], test: Option<&str>, paths: &Paths) {
        let trimmed = line.trim_ascii_start();
        if trimmed.starts_with(b"created by ") {
            // Where a goroutine was started is not where it is.
            self.skip = true;
            return;
        }
        if !line.starts_with(b"\t") && !trimmed.starts_with(b"/") {
            self.function = text(trimmed);
            self.skip = false;
            self.has_test |= test.is_some_and(|test| calls(&self.function, test));
            // What comes above a panic is Go's own unwinding.
            if self.function.starts_with("panic(") {
                self.inside = None;
                self.own = None;
                self.skip = true;
            }
            return;
        }
        if self.skip {
            return;
        }
        let Some(place) = frame_place(trimmed) else {
            return;
        };
        if self.inside.is_none()
            && paths.resolve(&place.path).is_some()
            && !is_dependency(&place.path)
        {
            self.inside = Some(place.clone());
        }
        if self.own.is_none()
            && !is_go_own(&self.function, &place.path)
            && !is_dependency(&place.path)
        {
            self.own = Some(place);
        }
    }

    /// The topmost frame inside the tree, else the topmost that is neither Go's own nor a
    /// dependency's.
    pub(super) fn best(&self) -> Option<&Place> {
        self.inside.as_ref().or(self.own.as_ref())
    }
}

/// Whether `function` is the test or stands in it: `example.com/shop.TestNth.func2(0x1)`.
fn calls(function: &str, test: &str) -> bool {
    // A longer name, which any line could be held against, is not in it.
    test.len() < function.len()
        && function
            .split_once(&format!(".{test}"))
            .is_some_and(|(_, after)| after.starts_with(['(', '.']))
}

/// `/a/b.go:12 +0x1f` or `/a/b.go:12`.
pub(super) fn frame_place(line: &[u8]) -> Option<Place> {
    let line = line.split(|&b| b == b' ').next()?;
    let colon = memchr::memrchr(b':', line)?;
    let (value, rest) = number(&line[colon + 1..])?;
    let path = text(&line[..colon]);
    (rest.is_empty() && path.contains(".go")).then_some(Place {
        path,
        line: Some(value),
        column: None,
    })
}

fn is_dependency(path: &str) -> bool {
    path.contains("/pkg/mod/") || path.contains("/vendor/") || path.contains("/gocode/src/")
}

/// A function of the standard library: its import path has no dot in the first element, and its
/// file lies below `src/` and that import path.
fn is_go_own(function: &str, path: &str) -> bool {
    let import_end = function.rfind('/').map_or(0, |at| at + 1);
    let end = import_end + function[import_end..].find('.').unwrap_or(0);
    let import = &function[..end];
    let first = import.split('/').next().unwrap_or_default();
    path == "_testmain.go"
        || (!first.contains('.') && !import.is_empty() && path.contains(&format!("/src/{import}/")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::super::paths::Paths;
    use super::Stack;

    #[test]
    fn the_frame_below_the_panic_in_our_own_code_is_the_place() {
        let lines = [
            "testing.tRunner.func1.2({0x6cacd0, 0x199c02db0168})",
            "\t/usr/local/go/src/testing/testing.go:2125 +0x232",
            "panic({0x6cacd0?, 0x199c02db0168?})",
            "\t/usr/local/go/src/runtime/panic.go:859 +0x125",
            "github.com/x/dep.Do(...)",
            "\t/root/go/pkg/mod/github.com/x/dep@v1/d.go:3",
            "example.com/shop/price.Nth(...)",
            "\t/srv/app/shop/price/price.go:7",
            "example.com/shop/price.TestNth.func2(0x1)",
            "\t/srv/app/shop/price/price_test.go:18 +0xa",
            "created by testing.(*T).Run in goroutine 8",
            "\t/srv/app/shop/x.go:1 +0x4d4",
        ];
        for root in ["/srv/app/shop", "/elsewhere"] {
            let paths = Paths::new(Path::new(root), ".");
            let mut stack = Stack::default();
            for line in lines {
                stack.line(line.as_bytes(), Some("TestNth"), &paths);
            }
            let place = stack.best().unwrap();
            assert_eq!(
                (place.path.as_str(), place.line),
                ("/srv/app/shop/price/price.go", Some(7))
            );
            assert!(stack.has_test);
        }
    }
}
