//! The YAML block below a test line: only the keys that say what went wrong and where.

use super::super::clip::Gathered;
use super::super::location::{Place, exact_place, indent, text};
use super::super::node::{is_own, own_frame};

/// What a block said.
#[derive(Debug, Default)]
pub(super) struct Diagnosis {
    pub message: Gathered,
    /// `at`, as text or as a map.
    pub at: Option<Place>,
    /// The topmost own frame of `stack`.
    pub frame: Option<Place>,
    /// `file` and `line` at the top.
    pub file: Option<Place>,
    /// Where Node says the test is declared.
    pub location: Option<Place>,
    pub failure_type: Option<String>,
    pub exit_code: Option<String>,
    pub signal: Option<String>,
}

#[derive(Debug)]
enum Text {
    /// `key: |`: deeper lines are text.
    Block {
        path: String,
        indent: usize,
        content: Option<usize>,
    },
    /// An open quote.
    Quoted {
        path: String,
        quote: char,
        value: String,
    },
}

/// Reads one block line by line.
#[derive(Debug)]
pub(super) struct Yaml {
    base: usize,
    /// Keys that are open, with their indentation.
    keys: Vec<(usize, String)>,
    text: Option<Text>,
    pub found: Diagnosis,
}

impl Yaml {
    /// A block whose `---` stands at `base`.
    pub(super) fn new(base: usize) -> Self {
        Self {
            base,
            keys: Vec::new(),
            text: None,
            found: Diagnosis::default(),
        }
    }

    /// Reads one line; true where it was the last one.
    pub(super) fn line(&mut self, line: &[u8]) -> bool {
        let depth = indent(line);
        if let Some(Text::Quoted { path, quote, value }) = &mut self.text {
            let more = text(line);
            let closed = closes(&more, *quote);
            if value.len() < 4096 {
                value.push('\n');
                value.push_str(&more);
            }
            if closed {
                let (path, value) = (std::mem::take(path), std::mem::take(value));
                let quote = *quote;
                self.text = None;
                self.scalar(&path, &unquote(&value, quote));
            }
            return false;
        }
        let blank = line.trim_ascii().is_empty();
        if let Some(Text::Block {
            path,
            indent,
            content,
        }) = &mut self.text
        {
            if blank || depth > *indent {
                let from = *content.get_or_insert(if blank { *indent + 2 } else { depth });
                let path = path.clone();
                self.block(&path, line.get(from.min(line.len())..).unwrap_or_default());
                return false;
            }
            self.text = None;
        }
        if line.trim_ascii() == b"..." && depth <= self.base {
            return true;
        }
        if !blank {
            self.entry(&text(&line[depth..]), depth);
        }
        false
    }

    /// Whether a quoted text is open, in which a line may look like anything.
    pub(super) fn in_quotes(&self) -> bool {
        matches!(self.text, Some(Text::Quoted { .. }))
    }

    fn entry(&mut self, entry: &str, depth: usize) {
        self.keys.retain(|(at, _)| *at < depth);
        let Some((key, value)) = entry.split_once(':') else {
            return;
        };
        if !(value.is_empty() || value.starts_with(' ')) || key.len() > 64 {
            return;
        }
        let key = key.trim().trim_matches(['"', '\'']).to_owned();
        let value = value.trim();
        let mut path = String::new();
        for (_, open) in &self.keys {
            path.push_str(open);
            path.push('.');
        }
        path.push_str(&key);
        if self.keys.len() < 32 {
            self.keys.push((depth, key));
        }
        match value.chars().next() {
            None => {}
            Some('|' | '>') => {
                self.text = Some(Text::Block {
                    path,
                    indent: depth,
                    content: None,
                });
            }
            Some(quote @ ('"' | '\'')) => {
                let inner = &value[1..];
                if closes(inner, quote) {
                    self.scalar(&path, &unquote(inner, quote));
                } else {
                    self.text = Some(Text::Quoted {
                        path,
                        quote,
                        value: inner.to_owned(),
                    });
                }
            }
            Some(_) => self.scalar(&path, value),
        }
    }

    /// One line of a block of text.
    fn block(&mut self, path: &str, line: &[u8]) {
        match path {
            "error" | "message" => self.found.message.push(line),
            "stack" | "error.stack" if self.found.frame.is_none() => {
                self.found.frame = own_frame(line);
            }
            _ => {}
        }
    }

    fn scalar(&mut self, path: &str, value: &str) {
        match path {
            "error" | "message" | "error.message" => {
                self.found.message = Gathered::default();
                for line in value.split('\n') {
                    self.found.message.push(line.as_bytes());
                }
            }
            "failureType" => self.found.failure_type = Some(value.to_owned()),
            "exitCode" => self.found.exit_code = Some(value.to_owned()),
            "signal" => self.found.signal = Some(value.to_owned()),
            "location" => self.found.location = exact_place(value.as_bytes()),
            "at" => self.found.at = own_frame(value.as_bytes()),
            "stack" | "error.stack" => {
                self.found.frame = value
                    .split('\n')
                    .find_map(|line| own_frame(line.as_bytes()));
            }
            "at.file" | "at.fileName" => self.put_file(true, value),
            "at.line" | "at.lineNumber" => self.put_number(true, false, value),
            "at.column" | "at.columnNumber" => self.put_number(true, true, value),
            "file" => self.put_file(false, value),
            "line" => self.put_number(false, false, value),
            "column" => self.put_number(false, true, value),
            _ => {}
        }
    }

    fn place(&mut self, at: bool) -> &mut Place {
        let place = if at {
            &mut self.found.at
        } else {
            &mut self.found.file
        };
        place.get_or_insert_with(|| Place {
            path: String::new(),
            line: None,
            column: None,
        })
    }

    fn put_file(&mut self, at: bool, value: &str) {
        value.clone_into(&mut self.place(at).path);
    }

    fn put_number(&mut self, at: bool, column: bool, value: &str) {
        let value = value.parse().ok().filter(|value| *value > 0);
        let place = self.place(at);
        if column {
            place.column = value;
        } else {
            place.line = value;
        }
    }
}

impl Diagnosis {
    /// Where it went wrong, the most telling place first.
    pub(super) fn place(&mut self) -> Option<Place> {
        let named = |place: Place| (!place.path.is_empty() && is_own(&place.path)).then_some(place);
        let at = self.at.take().and_then(named);
        let file = self.file.take().and_then(named);
        at.or(self.frame.take()).or(file).or(self.location.take())
    }
}

/// Whether `text` has the closing quote at its end.
fn closes(text: &str, quote: char) -> bool {
    let text = text.trim_end();
    let Some(inner) = text.strip_suffix(quote) else {
        return false;
    };
    if quote == '\'' {
        // A doubled quote is one of the text.
        return inner.bytes().rev().take_while(|&b| b == b'\'').count() % 2 == 0;
    }
    inner.bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 0
}

/// The text of a quoted scalar whose opening quote is gone.
fn unquote(value: &str, quote: char) -> String {
    let value = value.trim_end();
    let inner = value.strip_suffix(quote).unwrap_or(value);
    if quote == '\'' {
        inner.replace("''", "'")
    } else {
        inner
            .replace("\\n", "\n")
            .replace("\\\"", "\"")
            .replace("\\\\", "\\")
    }
}

#[cfg(test)]
mod tests {
    use super::Yaml;

    #[test]
    fn blocks_maps_and_quotes_are_read() {
        let lines = [
            "    error: |-",
            "      first",
            "",
            "        second: \"x\"",
            "    code: 'E'",
            "    actual: \"{",
            "  \\\"a\\\": 1,",
            "}\"",
            "    at:",
            "      fileName: tests/a.mjs",
            "      lineNumber: 5",
            "      columnNumber: 7",
            "    stack: |-",
            "      Test.run (node:internal/x:1:2)",
            "      f (tests/b.mjs:9:1)",
            "    failureType: 'testCodeFailure'",
        ];
        let mut yaml = Yaml::new(4);
        for line in lines {
            assert!(!yaml.line(line.as_bytes()), "{line}");
        }
        assert!(yaml.line(b"    ..."));
        assert_eq!(yaml.found.message.text(), "first\n\n  second: \"x\"");
        assert_eq!(yaml.found.frame.as_ref().unwrap().path, "tests/b.mjs");
        assert_eq!(yaml.found.failure_type.as_deref(), Some("testCodeFailure"));
        let place = yaml.found.place().unwrap();
        assert_eq!(
            (place.path.as_str(), place.line, place.column),
            ("tests/a.mjs", Some(5), Some(7))
        );
    }

    #[test]
    fn a_text_that_holds_yaml_is_only_text() {
        let mut yaml = Yaml::new(2);
        for line in [
            "  source: |2",
            "      message: 'no'",
            "      ...",
            "      file: x.js",
            "  message: 'it''s'",
        ] {
            assert!(!yaml.line(line.as_bytes()), "{line}");
        }
        assert!(yaml.line(b"  ..."));
        assert_eq!(yaml.found.message.text(), "it's");
        assert!(yaml.found.place().is_none());
    }
}
