//! A justfile's text as tokens, statement by statement, and its recipes' bodies.

/// How deep interpolations may stand in each other's strings.
const MAX_NESTED: usize = 32;

/// Longest first.
const QUOTES: [&str; 6] = ["'''", "\"\"\"", "```", "'", "\"", "`"];

/// As much of a token as its meaning needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A word.
    Name(&'t str),
    /// A string that is what is written: it has no escape and nothing to be filled in.
    Literal(&'t str),
    /// Any other string, or a command in backticks.
    Computed,
    /// `:`, `:=`, `(` and the like.
    Mark(&'t str),
    /// The end of a line.
    End,
}

impl Token<'_> {
    /// How many brackets are open after it, of `depth` before.
    pub(super) fn depth_after(self, depth: usize) -> usize {
        if matches!(self, Token::Mark("(" | "[" | "{")) {
            depth + 1
        } else if matches!(self, Token::Mark(")" | "]" | "}")) {
            depth.saturating_sub(1)
        } else {
            depth
        }
    }
}

/// Reads a text from its beginning. Whatever it is, the reading goes forward and ends.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    nested: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            nested: 0,
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Takes `mark` where it comes next.
    fn take(&mut self, mark: &str) -> bool {
        let here = self.rest().starts_with(mark);
        if here {
            self.at += mark.len();
        }
        here
    }

    /// Goes on to where `is_end` holds, or to the end.
    fn skip_to(&mut self, is_end: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// The tokens up to the end of a line that no open bracket goes beyond; `None` at the end of
    /// the text.
    pub(super) fn statement(&mut self) -> Option<Vec<Token<'t>>> {
        if self.rest().is_empty() {
            return None;
        }
        let mut tokens = Vec::new();
        let mut depth = 0;
        while let Some(token) = self.token() {
            if token != Token::End {
                depth = token.depth_after(depth);
                tokens.push(token);
            } else if depth == 0 {
                break;
            }
        }
        Some(tokens)
    }

    /// Passes over the indented lines that follow; whether there is one.
    pub(super) fn body(&mut self) -> bool {
        let mut any = false;
        loop {
            let rest = self.rest();
            let line = &rest[..rest.find('\n').map_or(rest.len(), |end| end + 1)];
            if line.trim().is_empty() {
                if line.is_empty() {
                    return any;
                }
                self.at += line.len();
            } else if line.starts_with([' ', '\t']) {
                any = true;
                self.body_line();
            } else {
                return any;
            }
        }
    }

    /// One line, and more where an interpolation goes over its end.
    fn body_line(&mut self) {
        loop {
            self.skip_to(|c| c == '\n' || c == '{');
            if self.take("{{{{") {
                continue;
            }
            if self.take("{{") {
                self.interpolation();
            } else if !self.take("{") {
                self.take("\n");
                return;
            }
        }
    }

    /// Up to the `}}` that closes it.
    fn interpolation(&mut self) {
        if self.nested == MAX_NESTED {
            self.at = self.text.len();
            return;
        }
        self.nested += 1;
        let mut depth = 0;
        loop {
            self.skip_blanks();
            if depth == 0 && self.take("}}") {
                break;
            }
            match self.token() {
                Some(token) => depth = token.depth_after(depth),
                None => break,
            }
        }
        self.nested -= 1;
    }

    /// White space, and a backslash that hides a line's end.
    fn skip_blanks(&mut self) {
        loop {
            self.skip_to(|c| !matches!(c, ' ' | '\t'));
            if !self.take("\\\n") && !self.take("\\\r\n") {
                return;
            }
        }
    }

    fn token(&mut self) -> Option<Token<'t>> {
        self.skip_blanks();
        if self.rest().starts_with('#') {
            self.skip_to(|c| c == '\n');
        }
        if self.take("\n") || self.take("\r\n") {
            return Some(Token::End);
        }
        let first = self.rest().chars().next()?;
        if first.is_ascii_alphabetic() || first == '_' {
            let name = self.skip_to(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')));
            if name == "f" && self.rest().starts_with(['"', '\'']) {
                return Some(self.string(true));
            }
            return Some(Token::Name(name));
        }
        if matches!(first, '"' | '\'' | '`') {
            return Some(self.string(false));
        }
        let mark = self.rest();
        let long = self.take(":=") || self.take("::");
        let length = if long { 2 } else { first.len_utf8() };
        if !long {
            self.at += length;
        }
        Some(Token::Mark(&mark[..length]))
    }

    /// From its quote to the one that closes it, over ends of lines too.
    fn string(&mut self, format: bool) -> Token<'t> {
        let quote = QUOTES.into_iter().find(|quote| self.take(quote));
        let quote = quote.unwrap_or("\"");
        let start = self.at;
        let escapes = quote.starts_with('"');
        let mut plain = !format && !quote.starts_with('`');
        let stops = ['\\', '{', quote.as_bytes()[0].into()];
        loop {
            self.skip_to(|c| stops.contains(&c));
            let end = self.at;
            if self.rest().is_empty() {
                return Token::Computed;
            }
            if self.take(quote) {
                let text = &self.text[start..end];
                return if plain {
                    Token::Literal(text)
                } else {
                    Token::Computed
                };
            }
            if escapes && self.take("\\") {
                plain = false;
                self.skip_char();
            } else if format && self.take("{{{{") {
            } else if format && self.take("{{") {
                self.interpolation();
            } else {
                self.skip_char();
            }
        }
    }

    fn skip_char(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }
}

#[cfg(test)]
mod tests {
    use super::Lexer;
    use super::Token::{self, Computed, Literal, Mark, Name};

    fn statement(text: &str) -> Vec<Token<'_>> {
        Lexer::new(text).statement().unwrap()
    }

    #[test]
    fn a_statement_ends_with_its_line_unless_something_is_open() {
        assert_eq!(
            statement("test x='a:b': dep # c: d\nnext"),
            [
                Name("test"),
                Name("x"),
                Mark("="),
                Literal("a:b"),
                Mark(":"),
                Name("dep")
            ]
        );
        let open = "a := (b +\n\"\"\"\nc:\n\\\"\"\" d \"\"\")\n";
        assert_eq!(
            statement(open),
            [
                Name("a"),
                Mark(":="),
                Mark("("),
                Name("b"),
                Mark("+"),
                Computed,
                Mark(")")
            ]
        );
        assert_eq!(
            statement("a: \\\n b\nc:"),
            [Name("a"), Mark(":"), Name("b")]
        );
        assert_eq!(
            statement("a := `x\ny` + f'{{ \"'\" }}z' + x'~'\r\nb"),
            [
                Name("a"),
                Mark(":="),
                Computed,
                Mark("+"),
                Computed,
                Mark("+"),
                Name("x"),
                Literal("~")
            ]
        );
    }

    #[test]
    fn a_body_is_indented_and_its_interpolations_may_be_long() {
        let mut lexer =
            Lexer::new("  a {{{{ 'b\n\n\tc {{ 'x\ny: {' + f'{{\"}}\"}}' }} {d\nnext: e\n");
        assert!(lexer.body());
        assert_eq!(
            lexer.statement().unwrap(),
            [Name("next"), Mark(":"), Name("e")]
        );
        assert!(!lexer.body());
        assert_eq!(lexer.statement(), None);
    }

    #[test]
    fn any_text_comes_to_its_end() {
        let nested = "f'{{".repeat(1000);
        for text in ["'", "f\"{{", "{{", "\\", "\r", "é: 'é\\", "[(", &nested] {
            let mut lexer = Lexer::new(text);
            while lexer.statement().is_some() {
                lexer.body();
            }
        }
    }
}
