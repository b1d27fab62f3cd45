//! A regular expression of a manifest: known to be one, and compiled where it is used.

use std::sync::Arc;

use regex::bytes::Regex;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// What a compiled pattern may take, a quarter of what the compiler itself allows.
const MAX: usize = 10 * 1024 * 1024 / 4;

/// What one step of a pattern takes at most once it is compiled, and what one range of a class of
/// characters does, which may be ten sequences of four bytes.
const STEP: usize = 64;
const RANGE: usize = 40 * STEP;

/// A pattern over bytes. A manifest may have thousands of them, and a compiled one takes a hundred
/// times the time and memory of its text: so each is compiled by the check that looks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(Arc<str>);

impl Pattern {
    /// `text`, if it is one that can be compiled.
    pub fn new(text: &str) -> Result<Self, regex::Error> {
        if !compiles(text) {
            Regex::new(text)?;
        }
        Ok(Self(text.into()))
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The compiled form.
    pub fn compile(&self) -> Result<Regex, regex::Error> {
        Regex::new(&self.0)
    }
}

/// Whether `text` is certain to compile; where it is not, only trying can tell.
fn compiles(text: &str) -> bool {
    // As the compiler reads it.
    let parsed = ParserBuilder::new().utf8(false).build().parse(text);
    parsed.is_ok_and(|parsed| size(&parsed) <= MAX)
}

/// A bound of what `hir` takes once it is compiled.
fn size(hir: &Hir) -> usize {
    let inner = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => literal.0.len().saturating_mul(STEP),
        HirKind::Class(Class::Unicode(class)) => class.ranges().len().saturating_mul(RANGE),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len().saturating_mul(STEP),
        HirKind::Repetition(repetition) => {
            // Each time that is counted is compiled anew.
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            let times = usize::try_from(times).unwrap_or(usize::MAX);
            (size(&repetition.sub).saturating_add(STEP)).saturating_mul(times)
        }
        HirKind::Capture(capture) => size(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(size).fold(0, usize::saturating_add)
        }
    };
    inner.saturating_add(2 * STEP)
}

#[cfg(test)]
mod tests {
    use regex::bytes::Regex;

    use super::{Pattern, compiles};

    #[test]
    fn what_the_compiler_takes_is_a_pattern_and_nothing_else() {
        for text in [
            "",
            "^ERR",
            r"\berror\b|(?i)warn(ing)?",
            r"^src/[^:]+:\d{1,5}: \w+$",
            r"(?-u)\xff\x00[^\n]",
            r"\w{20}",
            r"\w{500}",
            "(",
            "a{2,1}",
            "[z-a]",
            r"\8",
            "(?P<n>a)(?P<n>b)",
            "(a{1000}){1000}",
            r"(\pL{50}){50}",
            &"(".repeat(300),
            &"a".repeat(100_000),
        ] {
            let compiled = Regex::new(text);
            assert_eq!(Pattern::new(text).is_ok(), compiled.is_ok(), "{text}");
            assert!(!compiles(text) || compiled.is_ok(), "{text}");
        }
        assert!(
            compiles(r"^src/[^:]+:\d{1,5}: \S+ (error|warning)$"),
            "as most are"
        );
        let compiled = Pattern::new("^b").unwrap().compile().unwrap();
        assert!(compiled.is_match(b"bar") && !compiled.is_match(b"abc"));
    }

    #[test]
    fn no_class_is_larger_than_it_is_held_to_be() {
        for class in [
            r"\w", r"\W", r"\d", r"\pL", r"\PL", r"\s", ".", "[^a]", "(?i)k", "[à-ý]",
        ] {
            for times in [1, 2, 4, 8, 16, 64, 256, 1024, 4096] {
                let text = class.repeat(times);
                assert!(
                    !compiles(&text) || Regex::new(&text).is_ok(),
                    "{times} of {class}"
                );
            }
        }
    }
}
