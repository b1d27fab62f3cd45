//! What cargo leaves out after a target that failed.

use super::super::location::text;
use super::super::parser::Out;

/// What is known of the targets that cargo leaves out after a failing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Later {
    /// The command runs every target, or one of one package.
    None,
    /// It runs one target of each package.
    Packages,
    /// A failing target ends the run.
    Unknown,
}

/// Where cargo said that it stopped.
#[derive(Debug)]
pub(super) struct Stop {
    later: Later,
    /// The target, as cargo would have it run again.
    target: Option<String>,
    /// `--no-fail-fast` was given: cargo lists the failed targets at the end.
    went_on: bool,
}

impl Stop {
    pub(super) fn new(later: Later) -> Self {
        Self {
            later,
            target: None,
            went_on: false,
        }
    }

    /// Reads what stands after `error: `; true where cargo says which target failed.
    pub(super) fn line(&mut self, rest: &[u8]) -> bool {
        self.went_on |= rest.ends_with(b" targets failed:") || rest.ends_with(b" target failed:");
        let target = rest
            .strip_prefix(b"test failed, to rerun pass `")
            .or_else(|| rest.strip_prefix(b"doctest failed, to rerun pass `"));
        let Some(target) = target else {
            return false;
        };
        self.target = Some(text(target.strip_suffix(b"`").unwrap_or(target)));
        true
    }

    /// A note for people, where targets were left out.
    pub(super) fn note(&self, out: &Out<'_>) -> Option<String> {
        let target = self.target.as_deref().filter(|_| !self.went_on)?;
        leaves_out(target, self.later, out).then(|| {
            format!(
                "cargo test stopped at the first failing target ({target}); with --no-fail-fast it runs them all"
            )
        })
    }
}

/// Whether targets follow `target`: documentation tests are last, and a package whose folder shows
/// neither integration tests nor a library has nothing after its program.
fn leaves_out(target: &str, later: Later, out: &Out<'_>) -> bool {
    // cargo names the package only where there are several.
    let several = target.contains("-p ");
    match later {
        Later::None => return false,
        Later::Packages => return several,
        Later::Unknown if target.contains("--doc") => return several,
        Later::Unknown => {}
    }
    let base = out.paths.base();
    let below = |name: &str| {
        if base.is_empty() {
            name.to_owned()
        } else {
            format!("{base}/{name}")
        }
    };
    let plain = out.paths.is_file(&below("Cargo.toml")) && !several;
    let program = plain && target.starts_with("--bin ");
    !program
        || out.paths.is_folder(&below("tests"))
        || out.paths.is_file(&below("src/lib.rs"))
        || out.paths.is_folder(&below("src/bin"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::super::parser::Out;
    use super::super::super::paths::Paths;
    use super::{Later, Stop};

    #[test]
    fn the_last_target_leaves_nothing_out() {
        let paths = Paths::new(Path::new("/nowhere/at/all"), ".");
        let out = Out {
            paths: &paths,
            rows: &mut |_| {},
        };
        let note = |later: Later, lines: &[&str]| {
            let mut stop = Stop::new(later);
            for line in lines {
                stop.line(line.as_bytes());
            }
            stop.note(&out).is_some()
        };
        let library = "test failed, to rerun pass `--lib`";
        assert!(note(Later::Unknown, &[library]));
        assert!(!note(Later::None, &[library]));
        assert!(!note(Later::Packages, &[library]));
        assert!(!note(Later::Unknown, &[library, "2 targets failed:"]));
        assert!(!note(
            Later::Unknown,
            &["doctest failed, to rerun pass `--doc`"]
        ));
        let one_of_several = "test failed, to rerun pass `-p a --doc`";
        assert!(note(Later::Packages, &[one_of_several]));
        assert!(note(Later::Unknown, &[one_of_several]));
    }
}
