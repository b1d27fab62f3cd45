//! What a failing check's output says of the walls around it: a network that refused, a home that is not
//! there. Sentences for whoever wonders why it works in a shell.

use std::path::Path;

use crate::model::Isolation;
use crate::parse::says_network_refused;

/// A line that has one says that something is not there.
const MISSING: [&str; 6] = [
    "No such file or directory",
    "no such file or directory",
    "ENOENT",
    "not found",
    "cannot find",
    "does not exist",
];

/// And one of these, where what is hidden is refused.
const REFUSED: [&str; 3] = ["Permission denied", "permission denied", "EACCES"];

/// Sentences about `output`. `home`: the real one.
pub fn walled(output: &[&str], isolation: &Isolation, home: Option<&Path>) -> Vec<String> {
    let lines = || output.iter().flat_map(|text| text.lines());
    let mut notes = Vec::new();
    if isolation.network && lines().any(|line| says_network_refused(line.as_bytes())) {
        let note = "it was refused the network, which checks do not have; \"network\": \"host\" \
                    lets a check have the host's";
        notes.push(note.to_owned());
    }
    let home = home.and_then(Path::to_str).filter(|home| home.len() > 1);
    if let Some(home) = home.filter(|_| isolation.home)
        && let Some(path) = lines()
            .filter(|line| is_missing(line, isolation))
            .find_map(|line| path_in(line, home))
    {
        notes.push(format!(
            "{path} is in your home, which checks do not see but for the tools in it"
        ));
    }
    notes
}

/// Whether `line` says that something is not there.
fn is_missing(line: &str, isolation: &Isolation) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    has(&MISSING) || (isolation.mechanism == "landlock" && has(&REFUSED))
}

/// The first path in `home` that `line` names.
fn path_in<'l>(line: &'l str, home: &str) -> Option<&'l str> {
    line.match_indices(home).find_map(|(at, _)| {
        let path = &line[at..];
        let end = path.find(|c: char| c.is_whitespace() || "'\"`),;:".contains(c));
        let path = &path[..end.unwrap_or(path.len())];
        let begins = line[..at]
            .chars()
            .next_back()
            .is_none_or(|c| !is_of_a_path(c));
        (begins && path[home.len()..].starts_with('/')).then_some(path)
    })
}

fn is_of_a_path(c: char) -> bool {
    c.is_alphanumeric() || "/._-".contains(c)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Isolation, walled};

    fn notes(output: &str, network: bool, home: bool) -> Vec<String> {
        let isolation = Isolation {
            network,
            home,
            ..Isolation::default()
        };
        walled(&["", output], &isolation, Some(Path::new("/home/ann")))
    }

    #[test]
    fn a_refused_network_is_told_where_there_is_none() {
        for line in [
            "dial tcp 10.0.0.1:80: connect: network is unreachable",
            "Error: getaddrinfo EAI_AGAIN api.example.com",
            "requests: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution",
            "java.net.UnknownHostException: api.example.com",
            "curl: (6) Could not resolve host: example.com",
        ] {
            assert_eq!(notes(line, true, true).len(), 1, "{line}");
            assert_eq!(notes(line, false, true).len(), 0, "{line}");
        }
        for line in [
            "connect ECONNREFUSED 127.0.0.1:5432",
            "dial tcp [::1]:80: connect: connection refused",
            "could not reach localhost: connection refused",
            "nothing of that kind",
        ] {
            assert_eq!(notes(line, true, true).len(), 0, "{line}");
        }
    }

    #[test]
    fn what_is_missing_of_the_home_is_named() {
        for (line, path) in [
            (
                "cat: /home/ann/.aws/config: No such file or directory",
                "/home/ann/.aws/config",
            ),
            ("open '/home/ann/x y': ENOENT", "/home/ann/x"),
            ("fatal: \"/home/ann/.npmrc\" not found", "/home/ann/.npmrc"),
        ] {
            let said = notes(line, true, true);
            assert_eq!(said.len(), 1, "{line}");
            assert!(
                said[0].starts_with(&format!("{path} is in your home")),
                "{said:?}"
            );
            assert_eq!(notes(line, true, false).len(), 0, "{line}");
        }
        for line in [
            "/home/anna/x: No such file or directory",
            "/mnt/home/ann/x: No such file or directory",
            "/home/ann/x: permission denied",
            "/home/ann: not found",
        ] {
            assert_eq!(notes(line, true, true).len(), 0, "{line}");
        }
        let by_landlock = Isolation {
            mechanism: "landlock".to_owned(),
            home: true,
            ..Isolation::default()
        };
        let refused = "cat: /home/ann/x: Permission denied";
        let said = walled(&[refused], &by_landlock, Some(Path::new("/home/ann")));
        assert_eq!(said.len(), 1);
    }
}
