//! The variables whose value is known without expanding anything.

use std::collections::HashMap;

use super::syntax::Assignment;

/// Values that the file itself sets, word by word.
#[derive(Debug, Default)]
pub(super) struct Variables {
    known: HashMap<String, String>,
}

impl Variables {
    /// `certain`: no condition decides whether make comes by here.
    pub(super) fn assign(&mut self, assignment: &Assignment<'_>, certain: bool) {
        let literal = !assignment.value.contains(['$', '\\']);
        if certain && literal && matches!(assignment.operator, "=" | ":=" | "::=") {
            let value = assignment.value.to_owned();
            self.known.insert(assignment.name.to_owned(), value);
        } else {
            self.forget(assignment.name);
        }
    }

    /// `name` has a value that is not known.
    pub(super) fn forget(&mut self, name: &str) {
        self.known.remove(name);
    }

    /// The value of `name`.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.known.get(name).map(String::as_str)
    }

    /// What `text` is: a literal, or a reference to a value that is known.
    pub(super) fn expand<'a>(&'a self, text: &'a str) -> Option<&'a str> {
        if !text.contains('$') {
            return Some(text);
        }
        let inner = text.strip_prefix('$')?;
        let name = inner
            .strip_prefix('(')
            .and_then(|name| name.strip_suffix(')'))
            .or_else(|| inner.strip_prefix('{')?.strip_suffix('}'))?;
        self.value(name)
    }
}
