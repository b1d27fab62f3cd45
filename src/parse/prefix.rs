//! What log collectors put before each line.

const SHAPE: &[u8; 19] = b"dddd-dd-ddTdd:dd:dd";
const GO_SHAPE: &[u8; 20] = b"dddd/dd/dd dd:dd:dd ";

fn is_shaped(line: &[u8], shape: &[u8]) -> bool {
    line.len() >= shape.len()
        && shape.iter().zip(line).all(|(shape, byte)| match shape {
            b'd' => byte.is_ascii_digit(),
            other => other == byte,
        })
}

/// `line` without the time that Go's own logger puts first: it differs in every run.
pub(super) fn strip_go_time(line: &[u8]) -> &[u8] {
    if is_shaped(line, GO_SHAPE) {
        &line[GO_SHAPE.len()..]
    } else {
        line
    }
}

/// `line` without a leading `2026-11-30T18:20:00.0000000Z ` (GitHub Actions and others).
pub(super) fn strip_timestamp(line: &[u8]) -> &[u8] {
    if line.first() != Some(&b'2') || line.len() < 21 {
        return line;
    }
    if !is_shaped(line, SHAPE) {
        return line;
    }
    let rest = &line[SHAPE.len()..];
    let fraction = match rest.first() {
        Some(b'.') => 1 + rest[1..].iter().take_while(|b| b.is_ascii_digit()).count(),
        _ => 0,
    };
    match &rest[fraction..] {
        b"Z" => b"",
        zone => zone.strip_prefix(b"Z ").unwrap_or(line),
    }
}

#[cfg(test)]
mod tests {
    use super::{strip_go_time, strip_timestamp};

    #[test]
    fn only_a_whole_timestamp_goes() {
        assert_eq!(
            strip_timestamp(b"2026-11-30T18:20:00.0000000Z     a.go:1"),
            b"    a.go:1"
        );
        assert_eq!(strip_timestamp(b"2026-11-30T18:20:00Z ok"), b"ok");
        assert_eq!(strip_go_time(b"2026/11/30 18:20:00 no"), b"no");
        assert_eq!(strip_timestamp(b"2026-11-30T18:20:00.1Z"), b"");
        for kept in [
            &b"2026/11/30 18:20:00 INFO x"[..],
            b"2026-11-30T18:20:00+02:00 x",
            b"2 tests",
        ] {
            assert_eq!(strip_timestamp(kept), kept);
        }
    }
}
