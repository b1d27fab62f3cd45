//! A span of time as a person reads it.

use std::fmt;
use std::time::Duration;

/// Displays a duration in one to two units: `8ms`, `297ms`, `3.1s`, `48s`, `2m10s`, `10m00s`,
/// `1h02m`.
#[derive(Debug, Clone, Copy)]
pub struct Span(pub Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.as_millis();
        let seconds = self.0.as_secs();
        let text = if ms < 1000 {
            format!("{ms}ms")
        } else if ms < 10_000 {
            format!("{}.{}s", ms / 1000, ms % 1000 / 100)
        } else if seconds < 60 {
            format!("{seconds}s")
        } else if seconds < 3600 {
            format!("{}m{:02}s", seconds / 60, seconds % 60)
        } else {
            format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60)
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Span};

    #[test]
    fn each_size_has_its_unit() {
        let shown = |ms| Span(Duration::from_millis(ms)).to_string();
        assert_eq!(shown(0), "0ms");
        assert_eq!(shown(297), "297ms");
        assert_eq!(shown(3_149), "3.1s");
        assert_eq!(shown(48_900), "48s");
        assert_eq!(shown(130_000), "2m10s");
        assert_eq!(shown(600_000), "10m00s");
        assert_eq!(shown(3_720_000), "1h02m");
    }
}
