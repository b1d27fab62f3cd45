//! The sections of an ini file, as pytest reads them.

/// Whether `text` has the section `name`: its header begins a line; a comment may follow it.
pub(super) fn has_section(text: &str, name: &str) -> bool {
    text.lines().any(|line| header(line) == Some(name))
}

fn header(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('[')?;
    let inner = inner.split(['#', ';']).next()?;
    inner.trim_end().strip_suffix(']')
}

#[cfg(test)]
mod tests {
    use super::has_section;

    #[test]
    fn only_a_header_at_the_beginning_of_a_line_is_a_section() {
        for text in ["[pytest]", "a = 1\r\n[pytest] # x\r\nb = 2", "[pytest]  ;"] {
            assert!(has_section(text, "pytest"), "{text}");
        }
        for text in [
            "# [pytest]",
            "envlist =\n  [pytest]",
            "[tool:pytest]",
            "[pytest",
            "[pytest]x",
            "[testenv]\ncommands = pytest",
        ] {
            assert!(!has_section(text, "pytest"), "{text}");
        }
    }
}
