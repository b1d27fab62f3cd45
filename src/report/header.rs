//! The first two lines: what is judged, and in what isolation.

use std::io;
use std::path::Path;

use super::page::Page;
use crate::model::{CheckResult, Isolation, Network, Verdict};
use crate::text::{Colour, Printable};

/// The isolation's note where the caller asked for none of it.
pub const ASKED_FOR: &str = "asked for";

/// Line 1 and line 2.
pub(super) fn header(page: &mut Page, verdict: &Verdict) -> io::Result<()> {
    page.line(&first_line(page, verdict))?;
    isolation(page, &verdict.isolation, &host_network(&verdict.checks))
}

/// The checks that ran in the host's network, because they say so.
fn host_network(checks: &[CheckResult]) -> String {
    let named: Vec<&str> = checks
        .iter()
        .filter(|check| check.network == Network::Host && check.was_launched())
        .map(|check| check.id.as_str())
        .collect();
    if named.is_empty() {
        return String::new();
    }
    format!("; host network: {}", Printable::new(&named.join(", ")))
}

fn first_line(page: &Page, verdict: &Verdict) -> String {
    let root = verdict.root.as_deref().unwrap_or_default();
    let root = shown_path(root, page.style.home);
    let measured = match (&verdict.manifest.path, page.style.detected) {
        (Some(path), _) => format!("  {}", shown_path(path, page.style.home)),
        (None, Some(found)) => {
            format!(
                "  found {} (no harness.json)",
                Printable::new(&found.family)
            )
        }
        (None, None) => String::new(),
    };
    let bar = match verdict.bar.source.as_str() {
        "" | "tree" => String::new(),
        source => format!("  bar: {}", Printable::new(source)),
    };
    format!("{root}{measured}{bar}")
}

/// `path`, printable, with the home as `~`.
pub(super) fn shown_path(path: &str, home: Option<&Path>) -> String {
    let inside = home
        .filter(|home| home.components().count() > 1)
        .and_then(|home| Path::new(path).strip_prefix(home).ok());
    match inside {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", Printable::new(&rest.to_string_lossy())),
        None => Printable::new(path).to_string(),
    }
}

/// `also`: what ends the line.
fn isolation(page: &mut Page, isolation: &Isolation, also: &str) -> io::Result<()> {
    let note = isolation.note.as_deref();
    if isolation.contained {
        let line = format!("isolated: no network, private home, read-only system{also}");
        return page.line(&line);
    }
    if matches!(isolation.mechanism.as_str(), "" | "none") {
        // Nothing was launched, so there is nothing to say of how.
        return Ok(());
    }
    if note == Some(ASKED_FOR) {
        return page.line(&format!("not isolated: asked for{also}"));
    }
    let warning = page
        .style
        .palette
        .paint(Colour::Red, "checks ran uncontained");
    let why = note.map_or(String::new(), |note| format!(": {}", Printable::new(note)));
    page.line(&format!("{warning}{why}{also}"))?;
    page.line(&still_true(isolation))?;
    match &isolation.step {
        Some(step) => page.line(&format!("  to contain:  {}", Printable::new(step))),
        None => Ok(()),
    }
}

/// What holds all the same, and what does not.
fn still_true(isolation: &Isolation) -> String {
    // A check that sees the real home can change what the next program reads anyway: a writable
    // system is worth its own word only where the home is private.
    let system_matters = isolation.home || isolation.read_only;
    let properties = [
        (isolation.limits, "memory", true),
        (isolation.network, "network", true),
        (isolation.home, "home", true),
        (isolation.read_only, "system", system_matters),
    ];
    let named = |held: bool| -> Vec<&str> {
        let of_kind = properties
            .iter()
            .filter(|(is, _, matters)| *matters && *is == held);
        of_kind.map(|(_, name, _)| *name).collect()
    };
    let held = named(true);
    let also = if held.is_empty() {
        String::new()
    } else {
        format!("; {}", held.join(", "))
    };
    format!(
        "  still true: time limits, and every process ended{also}. Not: {}",
        named(false).join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::{shown_path, still_true};
    use crate::model::Isolation;
    use std::path::Path;

    #[test]
    fn the_home_is_a_tilde_and_nothing_else_is() {
        let home = Some(Path::new("/home/ann"));
        assert_eq!(shown_path("/home/ann/src/tern", home), "~/src/tern");
        assert_eq!(shown_path("/home/ann", home), "~");
        assert_eq!(shown_path("/home/anna/x", home), "/home/anna/x");
        assert_eq!(shown_path("/srv/x", Some(Path::new("/"))), "/srv/x");
        assert_eq!(shown_path("/srv/x\x1b", None), "/srv/x\\x1B");
    }

    #[test]
    fn what_is_missing_is_what_was_not_verified() {
        let nothing = Isolation::default();
        assert_eq!(
            still_true(&nothing),
            "  still true: time limits, and every process ended. Not: memory, network, home"
        );
        let mut most = Isolation {
            network: true,
            home: true,
            ..Isolation::default()
        };
        assert_eq!(
            still_true(&most),
            "  still true: time limits, and every process ended; network, home. Not: memory, system"
        );
        most.limits = true;
        assert!(still_true(&most).ends_with("Not: system"));
    }
}
