//! Regular expressions: which lines or rows of a check's output count.

use std::collections::HashMap;

use super::fields::At;
use super::problems::Problems;
use crate::model::Pattern;

/// The patterns of one manifest, each looked at once: one mostly serves many checks.
#[derive(Default)]
pub(super) struct Patterns<'a>(HashMap<&'a str, Pattern>);

impl<'a> Patterns<'a> {
    /// The value of `output.match`; an empty text is absent.
    pub fn read(
        &mut self,
        given: Option<&At<&'a str>>,
        problems: &mut Problems<'_>,
    ) -> Option<Pattern> {
        let given = given.filter(|given| !given.value.is_empty())?;
        if let Some(known) = self.0.get(given.value) {
            return Some(known.clone());
        }
        match Pattern::new(given.value) {
            Ok(pattern) => {
                self.0.insert(given.value, pattern.clone());
                Some(pattern)
            }
            Err(regex::Error::CompiledTooBig(_)) => {
                problems.say(&given.span, "output.match is too large a pattern");
                None
            }
            Err(error) => {
                // The crate draws a picture of several lines; its last says what is wrong.
                let text = error.to_string();
                let reason = text.lines().last().unwrap_or_default();
                let reason = reason.strip_prefix("error: ").unwrap_or(reason);
                problems.say(&given.span, format!("output.match is no pattern: {reason}"));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Patterns;
    use crate::manifest::fields::At;
    use crate::manifest::problems::Problems;
    use crate::text::Lines;

    #[test]
    fn a_pattern_that_was_seen_is_the_same_one_and_a_wrong_one_is_told_each_time() {
        let lines = Lines::new("");
        let mut problems = Problems::new(&lines);
        let mut patterns = Patterns::default();
        let mut read = |value| patterns.read(Some(&At { value, span: 0..0 }), &mut problems);
        let [a, b, again] = ["^a", "^b", "^a"].map(|text| read(text).unwrap());
        assert_eq!([a.as_str(), b.as_str()], ["^a", "^b"]);
        assert!(std::ptr::eq(a.as_str(), again.as_str()));
        assert!(read("").is_none() && read("(").is_none() && read("(").is_none());
        assert_eq!(problems.into_diagnostics("t").len(), 2);
    }
}
