//! The known word that an unknown one was probably meant to be.

/// Of `known`, the word nearest to `word`: at most a third of its letters wrong, missing, added or
/// swapped, and never more than three; letter case counts for nothing. The first of equals.
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    // A longer one is no slip of the fingers, and the comparison takes the product of lengths.
    if word.len() > 64 {
        return None;
    }
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let most = (word.len() / 3).clamp(1, 3);
    known
        .iter()
        .map(|candidate| {
            let letters: Vec<char> = candidate.to_lowercase().chars().collect();
            (distance(&word, &letters), *candidate)
        })
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters to add, drop, change or swap with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            let change = last[j] + usize::from(x != y);
            row[j + 1] = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                row[j + 1] = row[j + 1].min(before_last[j - 1] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        let known = ["id", "timeout", "tolerance", "env", "args"];
        assert_eq!(nearest("tiemout", &known), Some("timeout"));
        assert_eq!(nearest("Timeout", &known), Some("timeout"));
        assert_eq!(nearest("tolerence", &known), Some("tolerance"));
        assert_eq!(nearest("arg", &known), Some("args"));
        assert_eq!(nearest("di", &known), Some("id"));
        assert_eq!(nearest("command", &known), None);
        assert_eq!(nearest("", &known), None);
        assert_eq!(nearest(&"x".repeat(10_000), &known), None);
    }
}
