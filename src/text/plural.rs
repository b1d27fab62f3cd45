//! Counts in words.

/// `1 failure`, `2 failures`, `1,388 failures`; `noun` takes a plain `s`.
pub fn plural(count: u64, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {noun}{s}", thousands(count))
}

/// The number with a comma each three digits.
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{plural, thousands};

    #[test]
    fn counts_read_as_people_write_them() {
        assert_eq!(plural(1, "failure"), "1 failure");
        assert_eq!(plural(0, "failure"), "0 failures");
        assert_eq!(plural(1388, "failure"), "1,388 failures");
        assert_eq!(thousands(1_000_000), "1,000,000");
        assert_eq!(thousands(999), "999");
    }
}
