//! Whether a command's two streams are one text.

use super::launcher::{base_name, layers};

/// Whether a command prints one story on both streams, so that they are read as one.
pub(in super::super) fn joins_streams(argv: &[String]) -> bool {
    layers(argv).any(|words| tells_one_story(&words))
}

/// Whether the outermost program does, whatever it launches.
fn tells_one_story(words: &[String]) -> bool {
    let Some(program) = words.first() else {
        return false;
    };
    let first = words.get(1).map(String::as_str);
    match base_name(program).as_str() {
        "sh" | "bash" | "dash" | "zsh" | "make" | "gmake" | "ninja" | "just" | "ctest"
        | "cargo" | "cargo-nextest" | "task" | "concurrently" | "turbo" | "nx" | "prove"
        | "perl" => true,
        "npm" | "pnpm" | "yarn" | "bun" => !matches!(first, Some("exec" | "x" | "dlx")),
        _ => false,
    }
}
