//! Durations as Go's `time.ParseDuration` reads them: what it accepts, what it refuses, and what
//! each means to the nanosecond, its rounding and its limits included.
//!
//! Source: <https://pkg.go.dev/time#ParseDuration>; `tests/go_duration.rs` compares with real Go.

/// The smallest duration is minus this many nanoseconds, the largest one less.
const LIMIT: u64 = 1 << 63;

/// Why a text is no duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GoDurationError {
    /// Not of the form number and unit, number and unit, ….
    #[error("is no duration")]
    Invalid,
    /// A number that no unit follows.
    #[error("has no unit")]
    MissingUnit,
    /// Some other word after a number.
    #[error("has the unknown unit \"{0}\"")]
    UnknownUnit(String),
    /// More than about 292 years.
    #[error("is longer than a duration can be")]
    Overflow,
}

/// The nanoseconds that `text` says.
pub fn parse_go_duration(text: &str) -> Result<i64, GoDurationError> {
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    // The one number that needs no unit.
    if unsigned == "0" {
        return Ok(0);
    }
    if unsigned.is_empty() {
        return Err(GoDurationError::Invalid);
    }
    let mut total: u64 = 0;
    let mut rest = unsigned;
    while !rest.is_empty() {
        let (nanoseconds, behind) = term(rest)?;
        // Go adds in 64 bits and looks only at the sum: twice the limit is nothing.
        total = total.wrapping_add(nanoseconds);
        if total > LIMIT {
            return Err(GoDurationError::Overflow);
        }
        rest = behind;
    }
    if negative {
        return Ok(0_i64.wrapping_sub_unsigned(total));
    }
    i64::try_from(total).map_err(|_| GoDurationError::Overflow)
}

/// One number with its unit at the start of `text`, in nanoseconds, and what follows it.
fn term(text: &str) -> Result<(u64, &str), GoDurationError> {
    let whole_len = digits(text);
    let whole = number(&text[..whole_len])?;
    let mut rest = &text[whole_len..];
    let mut fraction = Fraction::default();
    let mut fraction_len = 0;
    if let Some(behind_point) = rest.strip_prefix('.') {
        fraction_len = digits(behind_point);
        fraction = Fraction::new(&behind_point[..fraction_len]);
        rest = &behind_point[fraction_len..];
    }
    if whole_len == 0 && fraction_len == 0 {
        return Err(GoDurationError::Invalid);
    }
    let unit_len = rest
        .find(|c: char| c == '.' || c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(unit_len);
    if name.is_empty() {
        return Err(GoDurationError::MissingUnit);
    }
    let unit = unit(name).ok_or_else(|| GoDurationError::UnknownUnit(name.to_owned()))?;
    if whole > LIMIT / unit {
        return Err(GoDurationError::Overflow);
    }
    let nanoseconds = whole * unit + fraction.of(unit);
    if nanoseconds > LIMIT {
        return Err(GoDurationError::Overflow);
    }
    Ok((nanoseconds, rest))
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn unit(name: &str) -> Option<u64> {
    Some(match name {
        "ns" => 1,
        // The micro sign and the Greek letter.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// A whole number up to the limit itself.
fn number(digits: &str) -> Result<u64, GoDurationError> {
    let mut value: u64 = 0;
    for digit in digits.bytes() {
        value = value
            .checked_mul(10)
            .and_then(|v| v.checked_add(u64::from(digit - b'0')))
            .filter(|v| *v <= LIMIT)
            .ok_or(GoDurationError::Overflow)?;
    }
    Ok(value)
}

/// The digits behind a point, as `digits / scale`; those that do not fit count for nothing.
#[derive(Default)]
struct Fraction {
    digits: u64,
    scale: f64,
}

impl Fraction {
    fn new(text: &str) -> Self {
        let mut fraction = Self {
            digits: 0,
            scale: 1.0,
        };
        for digit in text.bytes() {
            if fraction.digits > (LIMIT - 1) / 10 {
                break;
            }
            let longer = fraction.digits * 10 + u64::from(digit - b'0');
            if longer > LIMIT {
                break;
            }
            fraction.digits = longer;
            fraction.scale *= 10.0;
        }
        fraction
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "Go computes in 64-bit floating point and truncates, and so must this"
    )]
    fn of(&self, unit: u64) -> u64 {
        if self.digits == 0 {
            return 0;
        }
        (self.digits as f64 * (unit as f64 / self.scale)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::{GoDurationError as E, parse_go_duration};

    #[test]
    fn what_go_accepts() {
        for (text, nanoseconds) in [
            ("0", 0),
            ("-0", 0),
            ("1h30m", 5_400_000_000_000),
            ("1.5h", 5_400_000_000_000),
            (".5s", 500_000_000),
            ("5.s", 5_000_000_000),
            ("300ms", 300_000_000),
            ("2µs", 2_000),
            ("2\u{3bc}s", 2_000),
            ("+5s", 5_000_000_000),
            ("-1.5h", -5_400_000_000_000),
            ("0.3333333333333333333h", 1_200_000_000_000),
            ("0.100000000000000000000h", 360_000_000_000),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
            ("-9223372036854775808ns9223372036854775808ns", 0),
        ] {
            assert_eq!(parse_go_duration(text), Ok(nanoseconds), "{text}");
        }
    }

    #[test]
    fn what_go_refuses() {
        for (text, error) in [
            ("", E::Invalid),
            ("+", E::Invalid),
            ("s", E::Invalid),
            (".s", E::Invalid),
            ("--1s", E::Invalid),
            (" 1s", E::Invalid),
            ("90", E::MissingUnit),
            ("1h30", E::MissingUnit),
            ("1.2.3s", E::MissingUnit),
            ("1d", E::UnknownUnit("d".to_owned())),
            ("1h 30m", E::UnknownUnit("h ".to_owned())),
            ("9223372036854775808ns", E::Overflow),
            ("2562047h47m16.854775808s", E::Overflow),
            ("99999999999999999999s", E::Overflow),
        ] {
            assert_eq!(parse_go_duration(text), Err(error), "{text}");
        }
    }
}
