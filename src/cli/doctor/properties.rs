//! From what a process could not do, and what was seen of its launch, to what holds a check. A pure
//! function: both have to say so.

use crate::contain::{Attempt, Attempts};
use crate::model::Isolation;
use crate::report::Property;

/// Each thing that holds a check, in the order of the page.
pub fn properties(isolation: &Isolation, attempts: &Attempts) -> Vec<Property> {
    let mut all = vec![
        limit("memory", "memory.max", isolation, attempts),
        limit("processes", "pids.max", isolation, attempts),
        limit("cpu", "cpu.max", isolation, attempts),
        network(isolation, attempts),
        home(isolation, attempts),
        refused(
            "system",
            isolation.read_only,
            &attempts.system,
            "a write to /usr",
        ),
        refused(
            "cgroups",
            isolation.read_only,
            &attempts.cgroup,
            "a move to the cgroup above",
        ),
    ];
    all.extend(attempts.buses.iter().map(|(path, attempt)| {
        let what = format!("a call to {}", path.display());
        refused("bus", isolation.home, attempt, &what)
    }));
    all
}

fn limit(name: &'static str, file: &str, isolation: &Isolation, attempts: &Attempts) -> Property {
    let read = attempts.limits.iter().find(|(other, _)| other == file);
    let value = read.map(|(_, value)| value.as_str());
    let set = value.is_some_and(|value| !value.starts_with("max"));
    let how = match value {
        Some(value) => format!("read {file} inside: {value}"),
        None if isolation.limits => format!("read {file} before the launch"),
        None => format!("there is no {file} to read"),
    };
    Property {
        name,
        enforced: set || (isolation.limits && value.is_none()),
        how,
    }
}

fn network(isolation: &Isolation, attempts: &Attempts) -> Property {
    let others: Vec<&str> = attempts
        .interfaces
        .iter()
        .flatten()
        .map(String::as_str)
        .filter(|name| *name != "lo")
        .collect();
    let reached: Vec<&str> = [
        (&attempts.port, "a port of the host's loopback"),
        (&attempts.abstract_socket, "an abstract socket of the host"),
    ]
    .into_iter()
    .filter(|(attempt, _)| **attempt == Attempt::Done)
    .map(|(_, what)| what)
    .collect();
    let closed = reached.is_empty() && others.is_empty();
    let how = match (&attempts.loopback, closed) {
        (Attempt::Refused(why), _) => format!("loopback does not answer: {why}"),
        (_, false) if reached.is_empty() => format!("it sees {}", others.join(", ")),
        (_, false) => format!("from inside, {} answered", reached.join(" and ")),
        (_, true) => {
            "the host's loopback and abstract sockets are out of reach; loopback answers".to_owned()
        }
    };
    Property {
        name: "network",
        enforced: isolation.network && closed && attempts.loopback == Attempt::Done,
        how,
    }
}

fn home(isolation: &Isolation, attempts: &Attempts) -> Property {
    let how = match &attempts.canary {
        Attempt::Done => "a canary in the real home was visible",
        // Landlock hides nothing, and refuses it.
        Attempt::Refused(_) if isolation.mechanism == "landlock" => {
            "a canary in the real home could not be read"
        }
        Attempt::Refused(_) => "a canary in the real home was not visible",
        Attempt::NotTried if isolation.home => "another folder stands in its place",
        Attempt::NotTried => "it is the real one",
    };
    Property {
        name: "home",
        enforced: isolation.home && attempts.canary != Attempt::Done,
        how: how.to_owned(),
    }
}

/// `what` completes `… was refused`.
fn refused(name: &'static str, seen: bool, attempt: &Attempt, what: &str) -> Property {
    let how = match attempt {
        Attempt::Done => format!("{what} was possible"),
        Attempt::Refused(why) => format!("{what} was refused: {why}"),
        Attempt::NotTried => format!("{what} could not be tried"),
    };
    Property {
        name,
        enforced: seen && *attempt != Attempt::Done,
        how,
    }
}

#[cfg(test)]
mod tests {
    use super::{Attempt, Attempts, Isolation, properties};

    fn all() -> (Isolation, Attempts) {
        let isolation = Isolation {
            contained: true,
            limits: true,
            network: true,
            home: true,
            read_only: true,
            ..Isolation::default()
        };
        let refused = || Attempt::Refused("no".to_owned());
        let limit = |name: &str| (name.to_owned(), "100".to_owned());
        let attempts = Attempts {
            loopback: Attempt::Done,
            port: refused(),
            abstract_socket: refused(),
            interfaces: Some(vec!["lo".to_owned()]),
            canary: refused(),
            system: refused(),
            buses: vec![("/run/bus".into(), refused())],
            cgroup: refused(),
            limits: ["memory.max", "pids.max", "cpu.max"].map(limit).to_vec(),
        };
        (isolation, attempts)
    }

    fn not_enforced(isolation: &Isolation, attempts: &Attempts) -> Vec<&'static str> {
        properties(isolation, attempts)
            .into_iter()
            .filter(|property| !property.enforced)
            .map(|property| property.name)
            .collect()
    }

    #[test]
    fn what_was_seen_and_tried_holds() {
        let (isolation, attempts) = all();
        let none: [&str; 0] = [];
        assert_eq!(not_enforced(&isolation, &attempts), none);
    }

    /// What is not held any more once this could be done.
    type Change = (&'static str, fn(&mut Attempts));

    #[test]
    fn what_could_be_done_holds_nothing_whatever_was_seen() {
        let (isolation, whole) = all();
        let changes: [Change; 10] = [
            ("memory", |it| it.limits[0].1 = "max".to_owned()),
            ("processes", |it| it.limits[1].1 = "max".to_owned()),
            ("cpu", |it| it.limits[2].1 = "max 100000".to_owned()),
            ("network", |it| it.port = Attempt::Done),
            ("network", |it| it.abstract_socket = Attempt::Done),
            ("network", |it| {
                it.loopback = Attempt::Refused(String::new());
            }),
            ("home", |it| it.canary = Attempt::Done),
            ("system", |it| it.system = Attempt::Done),
            ("cgroups", |it| it.cgroup = Attempt::Done),
            ("bus", |it| it.buses[0].1 = Attempt::Done),
        ];
        for (name, change) in changes {
            let mut attempts = whole.clone();
            change(&mut attempts);
            assert_eq!(not_enforced(&isolation, &attempts), [name]);
        }
        let mut attempts = whole;
        attempts.interfaces = Some(vec!["lo".to_owned(), "eth0".to_owned()]);
        assert_eq!(not_enforced(&isolation, &attempts), ["network"]);
    }

    #[test]
    fn a_refusal_alone_is_no_proof() {
        let (_, attempts) = all();
        let nothing = Isolation::default();
        assert_eq!(
            not_enforced(&nothing, &attempts),
            ["network", "home", "system", "cgroups", "bus"]
        );
        let mut unread = attempts;
        unread.limits.clear();
        assert_eq!(
            not_enforced(&nothing, &unread)[..3],
            ["memory", "processes", "cpu"]
        );
    }
}
