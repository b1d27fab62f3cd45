//! White space that carries no meaning.

/// Every run of white space as one space, none at the ends.
pub fn fold_white_space(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}
