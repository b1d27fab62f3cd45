//! The shapes that `fold` replaces: each a small scanner over bytes that gives the length of what
//! it recognised and the sign that stands for it.

/// A length in bytes and a sign.
pub(super) type Volatile = Option<(usize, &'static str)>;

/// Whether `byte` is part of a word; a letter outside ASCII is.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// What the word `text[at..end]` begins, which may go on beyond the word.
pub(super) fn word(text: &[u8], at: usize, end: usize) -> Volatile {
    let word = &text[at..end];
    if word.len() == 8
        && is_hex(word)
        && let Some(found) = uuid(text, at)
    {
        return Some(found);
    }
    if !word.iter().any(u8::is_ascii_digit) {
        return None;
    }
    if word[0].is_ascii_digit() {
        let found = address(word)
            .or_else(|| date(text, at))
            .or_else(|| clock(text, at))
            .or_else(|| span(text, at))
            .or_else(|| number_of_a_thread(text, at, end));
        if found.is_some() {
            return found;
        }
    }
    let letters = word.iter().any(u8::is_ascii_alphabetic);
    (word.len() >= 6 && letters && is_hex(word)).then_some((word.len(), "<hex>"))
}

/// What the colon at `at` begins: the position in a file, or the port of a loopback address.
pub(super) fn behind_colon(text: &[u8], at: usize) -> Volatile {
    let end = digits(text, at + 1, 9)?;
    if is_loopback(&text[..at]) {
        return ends(text, end).then_some((end - at, ":<port>"));
    }
    if !is_file(&text[..at]) {
        return None;
    }
    let column = (text.get(end) == Some(&b':'))
        .then(|| digits(text, end + 1, 9))
        .flatten();
    let end = column.filter(|end| ends(text, *end)).unwrap_or(end);
    ends(text, end).then_some((end - at, ":<line>"))
}

fn is_hex(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_hexdigit)
}

/// A word does not go on at `end`.
fn ends(text: &[u8], end: usize) -> bool {
    text.get(end).is_none_or(|byte| !is_word(*byte))
}

/// Where the 1 to `most` digits at `at` end.
fn digits(text: &[u8], at: usize, most: usize) -> Option<usize> {
    let count = text
        .get(at..)?
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    (1..=most).contains(&count).then_some(at + count)
}

/// The value of the exactly `count` digits at `at`.
fn value(text: &[u8], at: usize, count: usize) -> Option<u32> {
    let found = text.get(at..at + count)?;
    let add = |sum: u32, byte: &u8| {
        byte.is_ascii_digit()
            .then(|| sum * 10 + u32::from(byte - b'0'))
    };
    found.iter().try_fold(0, add)
}

/// 8-4-4-4-12 hexadecimal digits.
fn uuid(text: &[u8], at: usize) -> Volatile {
    let found = text.get(at..at + 36)?;
    let shaped = found.iter().enumerate().all(|(i, byte)| match i {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    (shaped && ends(text, at + 36)).then_some((36, "<uuid>"))
}

/// `0x` and hexadecimal digits.
fn address(word: &[u8]) -> Volatile {
    let rest = word
        .strip_prefix(b"0x")
        .or_else(|| word.strip_prefix(b"0X"))?;
    (!rest.is_empty() && is_hex(rest)).then_some((word.len(), "<addr>"))
}

/// `2026-11-30`, with a `T` and a clock time behind it or alone.
fn date(text: &[u8], at: usize) -> Volatile {
    value(text, at, 4)?;
    let month = value(text, at + 5, 2)?;
    let day = value(text, at + 8, 2)?;
    let shaped = text.get(at + 4) == Some(&b'-') && text.get(at + 7) == Some(&b'-');
    if !shaped || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    if text.get(at + 10) == Some(&b'T') {
        let time = clock_end(text, at + 11)?;
        return Some((time - at, "<date>T<clock>"));
    }
    ends(text, at + 10).then_some((10, "<date>"))
}

/// A clock time that stands by itself. Without seconds it takes two digits, a space or bracket
/// before it, and none of the signs of a position or ratio.
fn clock(text: &[u8], at: usize) -> Volatile {
    let before = at.checked_sub(1).map(|before| text[before]);
    if matches!(before, Some(b':' | b'.')) {
        return None;
    }
    let end = clock_end(text, at)?;
    let seconds = text[at..end].splitn(3, |byte| *byte == b':').count() == 3;
    let apart = before.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'(' | b'['));
    (seconds || apart).then_some((end - at, "<clock>"))
}

/// Where `10:42`, `10:42:01.5`, `10:42:01+02:00` at `at` ends.
fn clock_end(text: &[u8], at: usize) -> Option<usize> {
    let hour_end = digits(text, at, 2)?;
    let hour = value(text, at, hour_end - at)?;
    let minute = value(text, hour_end + 1, 2)?;
    if text[hour_end..].first() != Some(&b':') || hour > 23 || minute > 59 {
        return None;
    }
    let mut end = hour_end + 3;
    if text.get(end) == Some(&b':') {
        // A leap second is the 61st.
        value(text, end + 1, 2).filter(|second| *second <= 60)?;
        end += 3;
        if matches!(text.get(end), Some(b'.' | b',')) {
            end = digits(text, end + 1, 9).unwrap_or(end);
        }
    } else if hour_end - at != 2 {
        return None;
    }
    end = zone_end(text, end);
    (ends(text, end) && text.get(end) != Some(&b':')).then_some(end)
}

fn zone_end(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        Some(b'Z') => at + 1,
        Some(b'+' | b'-') if value(text, at + 1, 4).is_some() => at + 5,
        Some(b'+' | b'-')
            if value(text, at + 1, 2).is_some()
                && text.get(at + 3) == Some(&b':')
                && value(text, at + 4, 2).is_some() =>
        {
            at + 6
        }
        _ => at,
    }
}

/// Units that stand right behind their number and may follow one another: `1m30s`.
const SHORT_UNITS: [&str; 8] = ["ns", "us", "µs", "μs", "ms", "s", "m", "h"];

/// Units that may have a space before them.
const WORD_UNITS: [&str; 29] = [
    "ns",
    "us",
    "µs",
    "μs",
    "ms",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "msec",
    "msecs",
    "millis",
    "millisecond",
    "milliseconds",
    "microsecond",
    "microseconds",
    "nanosecond",
    "nanoseconds",
    "min",
    "mins",
    "minute",
    "minutes",
    "hr",
    "hrs",
    "hour",
    "hours",
    "day",
    "days",
];

/// A number with a unit of time.
fn span(text: &[u8], at: usize) -> Volatile {
    // `1.2.3s` is no time, whatever it is.
    if at > 1 && matches!(text[at - 1], b'.' | b',') && text[at - 2].is_ascii_digit() {
        return None;
    }
    let mut end = at;
    loop {
        let number = decimal(text, end)?;
        let spaced = end == at && text.get(number) == Some(&b' ');
        let unit_at = number + usize::from(spaced);
        let unit_end = unit_at + unit_length(&text[unit_at..]);
        let unit = std::str::from_utf8(&text[unit_at..unit_end]).ok()?;
        let short = !spaced && SHORT_UNITS.contains(&unit);
        if !short && !WORD_UNITS.contains(&unit) {
            return None;
        }
        end = unit_end;
        if ends(text, end) {
            return Some((end - at, "<span>"));
        }
        if !short {
            return None;
        }
    }
}

/// The letters of a unit, the two signs for micro among them.
fn unit_length(text: &[u8]) -> usize {
    text.iter()
        .take_while(|byte| byte.is_ascii_alphabetic() || **byte >= 0x80)
        .count()
}

/// Where `12`, `1,200` or `12.5` ends.
fn decimal(text: &[u8], at: usize) -> Option<usize> {
    let mut end = digits(text, at, 18)?;
    while text.get(end) == Some(&b',') && digits(text, end + 1, 3) == Some(end + 4) {
        end += 4;
    }
    if text.get(end) == Some(&b'.') {
        end = digits(text, end + 1, 18).unwrap_or(end);
    }
    Some(end)
}

/// The number in `goroutine 18`, `Thread-3`, `pid=41`.
fn number_of_a_thread(text: &[u8], at: usize, end: usize) -> Volatile {
    if !text[at..end].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let joined = |byte: &&u8| matches!(**byte, b' ' | b'=' | b':' | b'#' | b'-');
    let gap = text[..at].iter().rev().take_while(joined).count();
    if !(1..=3).contains(&gap) {
        return None;
    }
    let before = &text[..at - gap];
    let length = before
        .iter()
        .rev()
        .take_while(|byte| is_word(**byte))
        .count();
    let word = &before[before.len() - length..];
    let named = ["goroutine", "thread", "pid"]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name.as_bytes()));
    named.then_some((end - at, "<n>"))
}

/// Whether `before` ends in a loopback address.
fn is_loopback(before: &[u8]) -> bool {
    if before.ends_with(b"[::1]") {
        return true;
    }
    let length = before
        .iter()
        .rev()
        .take_while(|byte| is_word(**byte) || matches!(**byte, b'.' | b'-'))
        .count();
    let host = &before[before.len() - length..];
    if host.eq_ignore_ascii_case(b"localhost") {
        return true;
    }
    let mut parts = host.split(|byte| *byte == b'.');
    parts.next() == Some(b"127")
        && parts.clone().count() == 3
        && parts.all(|part| digits(part, 0, 3) == Some(part.len()))
}

/// Endings of host names that are no file's.
const HOST_ENDINGS: [&str; 9] = [
    "com",
    "org",
    "net",
    "io",
    "internal",
    "local",
    "localdomain",
    "example",
    "svc",
];

/// Files that have no extension.
const BARE_FILES: [&str; 7] = [
    "Makefile",
    "makefile",
    "GNUmakefile",
    "Dockerfile",
    "Justfile",
    "justfile",
    "Gemfile",
];

/// Whether `before` ends in a file's name: a name with an extension that begins with a letter,
/// or one of the few that have none.
fn is_file(before: &[u8]) -> bool {
    let length = before
        .iter()
        .rev()
        .take_while(|byte| is_word(**byte))
        .count();
    let (rest, last) = before.split_at(before.len() - length);
    let is = |names: &[&str]| names.iter().any(|name| name.as_bytes() == last);
    if is(&BARE_FILES) {
        return true;
    }
    let extension = (1..=10).contains(&length)
        && last[0].is_ascii_alphabetic()
        && last.iter().all(u8::is_ascii_alphanumeric);
    let named =
        |byte: u8| is_word(byte) || matches!(byte, b')' | b']' | b'-' | b'+' | b'~' | b'/' | b'\\');
    match rest {
        [.., name, b'.'] => extension && named(*name) && !is(&HOST_ENDINGS),
        _ => false,
    }
}
