//! What varies from run to run in a message and says nothing of the finding.
//!
//! Exactly the folds of `docs/ratchet.md` and nothing else: each is a way for two findings to be
//! taken for one, so a bare number, a version and a rule's name stay. One pass by hand over bytes,
//! since a linter may print a million messages.

use std::borrow::Cow;

use super::places::Places;
use super::volatile::{self, is_word};

/// `message` with what is volatile replaced by a sign such as `<addr>`; borrowed where nothing is.
pub fn fold<'a>(message: &'a str, places: &Places) -> Cow<'a, str> {
    let text = message.as_bytes();
    let mut folded = Folded {
        message,
        copied: 0,
        out: String::new(),
    };
    // Behind a folded place, both separators are one: `<root>\a.go` is `<root>/a.go`.
    let mut in_place = false;
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        let absolute = byte == b'/' || byte == b'\\' || text.get(at + 1) == Some(&b':');
        if absolute && let Some(place) = places.at(text, at) {
            at = folded.put(at, place.length, place.sign);
            in_place = true;
            continue;
        }
        if is_word(byte) {
            let end = at + text[at..].iter().take_while(|byte| is_word(**byte)).count();
            at = match volatile::word(text, at, end) {
                Some((length, sign)) => folded.put(at, length, sign),
                None => end,
            };
            continue;
        }
        at = match byte {
            b':' => match volatile::behind_colon(text, at) {
                Some((length, sign)) => folded.put(at, length, sign),
                None => at + 1,
            },
            b'\r' if text.get(at + 1) == Some(&b'\n') => folded.put(at, 2, "\n"),
            b'\\' if in_place => folded.put(at, 1, "/"),
            _ => at + 1,
        };
        in_place = in_place && matches!(byte, b'/' | b'\\' | b'.' | b'-' | b'+' | b'~' | b'@');
    }
    folded.finish()
}

/// The message so far: what is unchanged is copied in runs.
struct Folded<'a> {
    message: &'a str,
    copied: usize,
    out: String,
}

impl<'a> Folded<'a> {
    /// Puts `sign` for the `length` bytes at `at` and gives where to go on. Both ends stand
    /// beside ASCII, so that no character is cut.
    fn put(&mut self, at: usize, length: usize, sign: &str) -> usize {
        self.out.push_str(&self.message[self.copied..at]);
        self.out.push_str(sign);
        self.copied = at + length;
        self.copied
    }

    fn finish(mut self) -> Cow<'a, str> {
        if self.copied == 0 {
            return Cow::Borrowed(self.message);
        }
        self.out.push_str(&self.message[self.copied..]);
        Cow::Owned(self.out)
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::path::Path;

    use super::{Places, fold};

    fn places() -> Places {
        Places::new(Path::new("/home/ann/src/tern"))
            .home(Path::new("/home/ann"))
            .temp(Path::new("/tmp"))
    }

    fn folded(message: &str) -> String {
        fold(message, &places()).into_owned()
    }

    /// Each fold: two messages that must be one, and one that must stay another.
    #[test]
    fn each_fold_joins_its_pair_and_nothing_beside_it() {
        for (one, same, other) in [
            ("nil at 0xc0000a6018", "nil at 0xC0DE", "nil at 0x"),
            ("nil at 0xff", "nil at 0x1", "nil at 0xfg"),
            (
                "job 123e4567-e89b-12d3-a456-426614174000 lost",
                "job deadbeef-e89b-12d3-a456-426614174fff lost",
                "job deadbeef-e89b-12d3-a456-42661417 lost",
            ),
            (
                "commit a1b2c3d gone",
                "commit 99ffee1 gone",
                "commit facade gone",
            ),
            (
                "commit a1b2c3d gone",
                "commit 99ffee1 gone",
                "commit 1234567 gone",
            ),
            (
                "commit a1b2c3d gone",
                "commit 0a0a0a gone",
                "commit a1b2c gone",
            ),
            ("took 12.5ms", "took 3s", "took 3"),
            ("took 1m30.5s", "took 300 ms", "took 300 mails"),
            ("waited 5 seconds", "waited 12 minutes", "waited 12 turns"),
            ("waited 7µs", "waited 7μs", "waited 7 metres"),
            ("limit 1,200ms", "limit 90ms", "limit 1,200"),
            ("at 2026-11-30", "at 2025-01-02", "at 2026-13-30"),
            (
                "at 2026-11-30T10:42:01.5Z",
                "at 2026-01-01T00:00+02:00",
                "at 2026-11-30",
            ),
            ("at 10:42:01", "at 9:41:59.123", "at 10:42:61"),
            ("at 10:42", "at 23:59", "at 24:10"),
            ("see evict.go:12:3", "see evict.go:99", "see evict.go:x"),
            ("see evict.go:12:3", "see evict.go:12", "see other.go:12"),
            (
                "see bin/Makefile:3",
                "see bin/Makefile:4",
                "see bin/Other:4",
            ),
            (
                "in /home/ann/src/tern/a b",
                "in /home/ann/src/tern/a b",
                "in /home/ann/src/ternary/a b",
            ),
            (
                "in /home/ann/.cache/x",
                "in /home/ann/.cache/x",
                "in /home/bob/.cache/x",
            ),
            (
                "in /tmp/go-build12/b001",
                "in /tmp/go-build99/b001",
                "in /tmp/go-build99/b002",
            ),
            (
                "dial 127.0.0.1:4711: refused",
                "dial 127.0.0.1:9: refused",
                "dial 10.0.0.1:9: refused",
            ),
            (
                "dial localhost:4711",
                "dial localhost:80",
                "dial notlocalhost:80",
            ),
            ("dial [::1]:4711", "dial [::1]:80", "dial [::2]:80"),
            (
                "goroutine 18 [running]",
                "goroutine 7 [running]",
                "goroutines 7 [running]",
            ),
            ("Thread-3 died", "Thread-12 died", "Spread-12 died"),
            ("pid=41 died", "pid=4711 died", "grid=4711 died"),
            ("a\r\nb", "a\nb", "a\rb"),
        ] {
            assert_eq!(folded(one), folded(same), "{one:?} and {same:?} are one");
            assert_ne!(folded(one), folded(other), "{one:?} and {other:?} are two");
        }
    }

    #[test]
    fn numbers_versions_and_names_stay() {
        for message in [
            "TS2322: not assignable",
            "GO-2024-2687 in net/http@v0.21.0",
            "CVE-2024-24790 fixed in 1.21.11",
            "cyclomatic complexity 31 of func `Evict` is high (> 30)",
            "E0308 SA1019 F401 rule-12",
            "redis:7.2 and example.com:443 and db.internal:5432",
            "exit status 3, 12 of 40, port 8080, HTTP/1.1 404",
            "version 1.2.3 build 20261130 v1.5s 2d",
            "ratio 4:3, std::vec::Vec, a ? b : c, fe80::1:22:33",
            "été 12 ÀÉ",
        ] {
            assert!(
                matches!(fold(message, &places()), Cow::Borrowed(_)),
                "{message}: {}",
                folded(message)
            );
        }
    }

    #[test]
    fn paths_are_one_on_every_system() {
        let windows = Places::new(Path::new(r"C:\src\tern"));
        assert_eq!(
            fold(r"open C:\src\tern\in\a.go:12: no", &windows),
            fold("open /home/ann/src/tern/in/a.go:7: no", &places()),
        );
        assert_eq!(
            folded(r"a\d+ /tmp/x/y z\w"),
            r"a\d+ <temp>/y z\w",
            "only behind a place"
        );
        assert_eq!(
            folded("file:///home/ann/src/tern/a.mjs:3"),
            "file://<root>/a.mjs:<line>"
        );
    }

    #[test]
    fn any_text_is_folded_without_a_panic_and_folding_again_changes_nothing() {
        let text =
            "é0x1é:12 1µ 1µs \u{3bc} 0 :1 a.b:1é 127.0.0.1:1é 2026-11-30é 10:42é /tmp/é/x\r\r\n";
        for (from, _) in text.char_indices() {
            for (to, _) in text.char_indices().filter(|(to, _)| *to >= from) {
                let once = folded(&text[from..to]);
                assert_eq!(folded(&once), once);
            }
        }
    }
}
