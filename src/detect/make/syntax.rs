//! One logical line of a makefile: an assignment, a rule, or words. Nothing is expanded.

/// `name op value`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Assignment<'t> {
    pub name: &'t str,
    /// `=`, `:=`, `+=` and so on.
    pub operator: &'t str,
    /// As written, without the white space before it and without a comment.
    pub value: &'t str,
}

/// `targets: prerequisites ; recipe`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rule<'t> {
    pub targets: Vec<&'t str>,
    /// It has two colons: each such rule of a target stands for itself.
    pub double: bool,
    pub prerequisites: &'t str,
    /// What stands behind `;` on the line itself: with nothing there, a recipe that does nothing.
    pub recipe: Option<&'t str>,
}

/// Words that may stand before an assignment or a `define`.
const MODIFIERS: [&str; 3] = ["export", "override", "private"];

/// Longest first.
const OPERATORS: [&str; 7] = [":::=", "::=", ":=", "+=", "?=", "!=", "="];

/// The bytes of a line with their places, variable references and what a backslash escapes
/// left out.
fn outside(line: &str) -> impl Iterator<Item = (usize, u8)> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let byte = *bytes.get(at)?;
            let here = at;
            at = match byte {
                b'\\' => at + 2,
                b'$' => after_reference(bytes, at),
                _ => at + 1,
            };
            if !matches!(byte, b'\\' | b'$') {
                return Some((here, byte));
            }
        }
    })
}

/// Where the reference that begins at `at` ends: `$x`, `$(…)`, `${…}`.
fn after_reference(bytes: &[u8], at: usize) -> usize {
    let (open, close) = match bytes.get(at + 1) {
        Some(b'(') => (b'(', b')'),
        Some(b'{') => (b'{', b'}'),
        _ => return at + 2,
    };
    let mut depth = 0_usize;
    for (index, &byte) in bytes.iter().enumerate().skip(at + 1) {
        if byte == open {
            depth += 1;
        } else if byte == close {
            depth -= 1;
            if depth == 0 {
                return index + 1;
            }
        }
    }
    bytes.len()
}

/// Words between white space; one in parentheses belongs to what stands before them.
pub(super) fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    for (at, byte) in outside(line) {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b' ' | b'\t' if depth == 0 => {
                words.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    words.push(&line[start..]);
    words.retain(|word| !word.is_empty());
    words
}

/// The first word of a line and what follows it.
pub(super) fn first_word(line: &str) -> (&str, &str) {
    let line = line.trim_start();
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    (&line[..end], line[end..].trim_start())
}

/// Reads an assignment, modifiers before it or none.
pub(super) fn assignment(line: &str) -> Option<Assignment<'_>> {
    let mut line = line.trim_start();
    loop {
        if let Some(plain) = plain_assignment(line) {
            return Some(plain);
        }
        let (word, rest) = first_word(line);
        if !MODIFIERS.contains(&word) {
            return None;
        }
        line = rest;
    }
}

fn plain_assignment(line: &str) -> Option<Assignment<'_>> {
    let bytes = line.as_bytes();
    let ends_name = |at: usize, byte| match byte {
        b' ' | b'\t' | b':' | b'=' | b'#' | b';' => true,
        b'+' | b'?' | b'!' => bytes.get(at + 1) == Some(&b'='),
        _ => false,
    };
    let (end, _) = outside(line).find(|&(at, byte)| ends_name(at, byte))?;
    if end == 0 {
        return None;
    }
    let rest = line[end..].trim_start();
    let operator = operator(rest)?;
    Some(Assignment {
        name: &line[..end],
        operator,
        value: without_comment(rest[operator.len()..].trim_start()),
    })
}

fn operator(rest: &str) -> Option<&'static str> {
    OPERATORS.into_iter().find(|op| rest.starts_with(op))
}

/// A comment begins anywhere but behind a backslash, in a reference too.
fn without_comment(line: &str) -> &str {
    let bytes = line.as_bytes();
    let hash =
        (0..bytes.len()).find(|&at| bytes[at] == b'#' && (at == 0 || bytes[at - 1] != b'\\'));
    &line[..hash.unwrap_or(line.len())]
}

/// The variable whose value the lines up to `endef` are.
pub(super) fn opens_define(line: &str) -> Option<&str> {
    let (mut word, mut rest) = first_word(line);
    while MODIFIERS.contains(&word) {
        (word, rest) = first_word(rest);
    }
    (word == "define").then(|| first_word(rest).0)
}

/// Reads a rule; a variable's value for one target is none.
pub(super) fn rule(line: &str) -> Option<Rule<'_>> {
    let (colon, byte) = outside(line).find(|(_, byte)| matches!(byte, b':' | b'#'))?;
    if byte == b'#' {
        return None;
    }
    let after = &line[colon + 1..];
    let (double, after) = match after.strip_prefix(':') {
        Some(after) => (true, after),
        None => (false, after),
    };
    if assignment(after).is_some() {
        return None;
    }
    let end = outside(after).find(|(_, byte)| matches!(byte, b';' | b'#'));
    let (prerequisites, recipe) = match end {
        Some((at, b';')) => (&after[..at], Some(after[at + 1..].trim())),
        Some((at, _)) => (&after[..at], None),
        None => (after, None),
    };
    // In `targets: pattern: prerequisites` the pattern is none of them.
    let pattern = outside(prerequisites).find(|(_, byte)| *byte == b':');
    let prerequisites = pattern.map_or(prerequisites, |(at, _)| &prerequisites[at + 1..]);
    // `a b &:` makes both at once.
    let targets = line[..colon].trim_end();
    Some(Rule {
        targets: words(targets.strip_suffix('&').unwrap_or(targets)),
        double,
        prerequisites: prerequisites.trim(),
        recipe,
    })
}

#[cfg(test)]
mod tests {
    use super::{assignment, opens_define, rule, words};

    fn read(line: &str) -> Option<String> {
        rule(line).map(|rule| {
            let double = if rule.double { "::" } else { ":" };
            let recipe = rule
                .recipe
                .map_or(String::new(), |recipe| format!(";{recipe}"));
            let targets = rule.targets.join(",");
            format!("{targets}{double}{}{recipe}", rule.prerequisites)
        })
    }

    #[test]
    fn a_rule_has_targets_prerequisites_and_perhaps_a_recipe() {
        for (line, expected) in [
            ("test:", "test:"),
            ("test: ; ", "test:;"),
            ("test lint : a b # c", "test,lint:a b"),
            ("test:: ; go test ./... # all", "test::;go test ./... # all"),
            ("test:;X=1", "test:;X=1"),
            ("a test&: b", "a,test:b"),
            ("a b &:: c", "a,b::c"),
            ("a.o test: %.o: %.c", "a.o,test:%.c"),
            ("$(X:a=b) test: $(Y:%=%.o)", "$(X:a=b),test:$(Y:%=%.o)"),
            (r"a\:b: c\#d", r"a\:b:c\#d"),
            ("test: x | y=z", "test:x | y=z"),
        ] {
            assert_eq!(read(line).as_deref(), Some(expected), "{line}");
        }
        for none in [
            "test: X = 1",
            "test: export private X:=1",
            "test: a=b",
            "test#: x",
            "$(info test: x)",
            "test",
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn an_assignment_has_an_operator_behind_one_name() {
        for (line, name, operator, value) in [
            ("test = x: y", "test", "=", "x: y"),
            ("test:=x # c", "test", ":=", "x "),
            ("export override a ::= b\\#c", "a", "::=", "b\\#c"),
            ("test+=b", "test", "+=", "b"),
            ("else ?=", "else", "?=", ""),
            ("$(A)b != echo", "$(A)b", "!=", "echo"),
        ] {
            let read = assignment(line).unwrap();
            assert_eq!(
                (read.name, read.operator, read.value),
                (name, operator, value),
                "{line}"
            );
        }
        for none in [
            "test: x = y",
            "a b = c",
            "export a",
            "= x",
            "test:",
            "# a = b",
        ] {
            assert_eq!(assignment(none), None, "{none}");
        }
    }

    #[test]
    fn words_keep_references_and_archives_whole() {
        let line = " $(foreach a,b c,$(d e)) lib(x test) ${f g} \tend";
        assert_eq!(
            words(line),
            ["$(foreach a,b c,$(d e))", "lib(x test)", "${f g}", "end"]
        );
        assert_eq!(words("$(open a b"), ["$(open a b"]);
    }

    #[test]
    fn define_may_be_overridden_and_exported() {
        assert_eq!(opens_define("override define x ="), Some("x"));
        assert_eq!(opens_define("define test: x"), Some("test:"));
        assert_eq!(opens_define("defined x"), None);
    }
}
