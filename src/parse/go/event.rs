//! What `go test -v` says about who prints next: `=== RUN   TestX`.

/// One such line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Event<'a> {
    pub kind: Kind,
    /// The test.
    pub name: &'a [u8],
}

/// What happens to the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It begins.
    Run,
    /// It waits for others: what follows is not its.
    Pause,
    /// `CONT`, `NAME`: what follows is its.
    Continue,
}

impl<'a> Event<'a> {
    /// `=== RUN   TestX`, `=== PAUSE`, `=== CONT`, `=== NAME`.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        let (kind, name) = match line.strip_prefix(b"=== ")? {
            [b'R', b'U', b'N', b' ', name @ ..] => (Kind::Run, name),
            [b'P', b'A', b'U', b'S', b'E', b' ', name @ ..] => (Kind::Pause, name),
            [b'C', b'O', b'N', b'T', b' ', name @ ..]
            | [b'N', b'A', b'M', b'E', b' ', name @ ..] => (Kind::Continue, name),
            _ => return None,
        };
        let name = name.trim_ascii();
        (!name.is_empty()).then_some(Self { kind, name })
    }

    /// The test of `=== RUN   TestX`, as `go test` has always printed it.
    #[inline]
    pub(super) fn plain_run(line: &'a [u8]) -> Option<&'a [u8]> {
        match line.split_first_chunk::<10>()? {
            (b"=== RUN   ", name @ [first, .., last]) if *first > b' ' && *last > b' ' => {
                Some(name)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Kind};

    #[test]
    fn only_the_runners_words_are_events() {
        let read = |line: &'static str| {
            Event::read(line.as_bytes())
                .map(|event| (event.kind, std::str::from_utf8(event.name).unwrap()))
        };
        assert_eq!(read("=== RUN   TestA/b"), Some((Kind::Run, "TestA/b")));
        assert_eq!(read("=== PAUSE TestA"), Some((Kind::Pause, "TestA")));
        assert_eq!(read("=== NAME  TestA"), Some((Kind::Continue, "TestA")));
        assert_eq!(read("=== RUN T"), Some((Kind::Run, "T")));
        for line in ["=== RUN   TestA", "=== RUN   TestA/b c"] {
            let plain = Event::plain_run(line.as_bytes()).unwrap();
            assert_eq!(
                read(line),
                Some((Kind::Run, std::str::from_utf8(plain).unwrap()))
            );
        }
        for other in [
            "=== RUN    TestA",
            "=== RUN   TestA ",
            "=== RUN   ",
            "=== CONT  TestA",
        ] {
            assert_eq!(Event::plain_run(other.as_bytes()), None, "{other}");
        }
        for none in ["=== RUN", "=== ", "=== START TestA", "== RUN TestA"] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
