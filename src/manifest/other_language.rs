//! A file that is no JSON because it is something else.

/// What `text` looks like, and what to do about it; `None` for JSON, however broken.
pub(super) fn other_language(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.find(|line| !line.starts_with('#'))?;
    let word = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || "_-.$".contains(c))
    };
    let header = first.trim_matches(['[', ']']);
    let is_header = first.starts_with('[') && first.ends_with(']') && word(header);
    let is_pair = |by: char| {
        first
            .split_once(by)
            .is_some_and(|(key, _)| word(key.trim()))
    };
    let known = ["true", "false", "null"].contains(&header) || header.parse::<f64>().is_ok();
    if (is_header && !known) || is_pair('=') {
        return Some("this looks like TOML: name the file harness.toml".to_owned());
    }
    if first == "---" || is_pair(':') {
        return Some("this looks like YAML: a manifest is JSON or TOML".to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::other_language;

    #[test]
    fn other_languages_are_known_by_how_they_begin() {
        let names =
            |text: &str, name: &str| other_language(text).is_some_and(|hint| hint.contains(name));
        for toml in [
            "[[checks]]\n",
            "# x\n\n[checks.env]",
            "checks_jobs = 2",
            "a.b=1",
        ] {
            assert!(names(toml, "TOML"), "{toml}");
        }
        for yaml in ["---\nchecks:\n", "checks:\n  - id: x"] {
            assert!(names(yaml, "YAML"), "{yaml}");
        }
        for json in [
            "",
            "{\"checks\": [",
            "[",
            "[1]",
            "[null]",
            "{checks: []}",
            "\"a\": 1",
            "// x",
        ] {
            assert_eq!(other_language(json), None, "{json}");
        }
    }
}
