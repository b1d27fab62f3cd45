//! Limits as a manifest writes them.

use std::time::Duration;

/// `10m`, `1h30m`, `1.5s`, `300ms`.
pub(super) fn limit(limit: Duration) -> String {
    let seconds = limit.as_secs();
    let millis = limit.subsec_millis();
    if seconds == 0 {
        return format!("{millis}ms");
    }
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = match millis {
        0 => String::new(),
        millis => format!(".{millis:03}").trim_end_matches('0').to_owned(),
    };
    let part = |count: u64, unit: &str| match count {
        0 => String::new(),
        count => format!("{count}{unit}"),
    };
    let last = if rest > 0 || millis > 0 {
        format!("{rest}{fraction}s")
    } else {
        String::new()
    };
    format!("{}{}{last}", part(hours, "h"), part(minutes, "m"))
}

/// `4 GiB`, `64 MiB`; in bytes where no unit divides it.
pub(super) fn bytes(bytes: u64) -> String {
    for (size, unit) in [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
        if bytes >= size && bytes.is_multiple_of(size) {
            return format!("{} {unit}", bytes / size);
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{bytes, limit};

    #[test]
    fn limits_read_as_they_are_written() {
        for (millis, text) in [
            (600_000, "10m"),
            (5_400_000, "1h30m"),
            (3_605_000, "1h5s"),
            (1_500, "1.5s"),
            (61_050, "1m1.05s"),
            (300, "300ms"),
        ] {
            assert_eq!(limit(Duration::from_millis(millis)), text);
        }
        assert_eq!(bytes(4 << 30), "4 GiB");
        assert_eq!(bytes(96 << 20), "96 MiB");
        assert_eq!(bytes(1025), "1025 bytes");
    }
}
