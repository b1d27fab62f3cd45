//! An error of something that a test left running, which its runner reports as a diagnostic.

use super::super::location::{Place, exact_place};
use super::crash::Crashed;

/// More of one file's errors than this are not gathered.
const MAX: usize = 4096;

/// The errors that came after the tests of a file, until the line of that file.
#[derive(Debug, Default)]
pub(in super::super) struct Late {
    held: Option<Crashed>,
}

impl Late {
    /// Reads one diagnostic; true where it is of such an error.
    pub(in super::super) fn line(&mut self, line: &str) -> bool {
        let Some((message, place)) = read(line) else {
            return false;
        };
        match &mut self.held {
            None => self.held = Some(Crashed { message, place }),
            Some(held) if held.message.len() < MAX => {
                held.message.push('\n');
                held.message.push_str(&message);
            }
            Some(_) => {}
        }
        true
    }

    /// What was read since the last line of a test.
    pub(in super::super) fn take(&mut self) -> Option<Crashed> {
        self.held.take()
    }
}

/// `Error: Test "late" at a.test.js:1:34 generated asynchronous activity after the test ended. This
/// activity created the error "TypeError: x" and would have …`: the error, and the test's place.
fn read(line: &str) -> Option<(String, Option<Place>)> {
    let line = line
        .strip_prefix("Error: ")
        .or_else(|| line.strip_prefix("Warning: "))?;
    let (subject, rest) =
        line.split_once(" generated asynchronous activity after the test ended. ")?;
    let (_, error) = rest.split_once("created the error \"")?;
    let end = error
        .rfind("\" and would have")
        .or_else(|| error.rfind("\" which triggered"))
        .unwrap_or(error.len());
    let error = &error[..end];
    let located = subject.rsplit_once(" at ").and_then(|(subject, at)| {
        let place = exact_place(at.as_bytes())?;
        Some((subject, place))
    });
    let (subject, place) = match located {
        Some((subject, place)) => (subject, Some(place)),
        None => (subject, None),
    };
    // Where the test stands is the row's place; in the message it would change with every line.
    let message = match subject.strip_prefix("Test ") {
        Some(name) => format!("{error}\nafter the test {name} had ended"),
        None => format!("{error}\nafter the test had ended"),
    };
    Some((message, place))
}

#[cfg(test)]
mod tests {
    use super::{Late, exact_place};

    #[test]
    fn the_error_is_taken_out_of_the_diagnostic() {
        let mut late = Late::default();
        assert!(late.line(
            "Error: Test \"is \"late\" at noon\" at test/late.test.js:1:34 generated asynchronous activity after the test ended. This activity created the error \"TypeError: a \"b\"\" and would have caused the test to fail, but instead triggered an uncaughtException event."
        ));
        assert!(late.line(
            "Error: A resource generated asynchronous activity after the test ended. This activity created the error \"RangeError: c\" which triggered an uncaughtException event, caught by the test runner."
        ));
        let crashed = late.take().unwrap();
        assert_eq!(
            crashed.message,
            "TypeError: a \"b\"\nafter the test \"is \"late\" at noon\" had ended\nRangeError: c\nafter the test had ended"
        );
        assert_eq!(crashed.place, exact_place(b"test/late.test.js:1:34"));
        assert!(late.take().is_none());
        for other in ["a diagnostic about a.js:9:9", "Error: no", "tests 3"] {
            assert!(!late.line(other), "{other}");
        }
    }
}
