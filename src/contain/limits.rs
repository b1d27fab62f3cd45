//! What a check may use up as a whole, as the files of a cgroup v2 folder say it; see
//! `Documentation/admin-guide/cgroup-v2.rst` of the kernel.

use crate::model::Limits;

/// The controllers that are needed, as `cgroup.subtree_control` names them.
pub const CONTROLLERS: [&str; 3] = ["memory", "pids", "cpu"];
/// Of `cpu.max`, in microseconds; the kernel's own default.
const PERIOD: u64 = 100_000;

/// What is enforced where the files say this: their names and what is written to them. `beside`:
/// processes of ours that live in the same folder.
pub fn files(limits: &Limits, beside: u64) -> [(&'static str, String); 5] {
    let quota = limits.cpu_percent.saturating_mul(PERIOD) / 100;
    [
        ("memory.max", limits.memory_bytes.to_string()),
        ("memory.swap.max", "0".to_owned()),
        // One process that is killed for memory would leave the others to say what they like.
        ("memory.oom.group", "1".to_owned()),
        (
            "pids.max",
            limits.processes.saturating_add(beside).to_string(),
        ),
        ("cpu.max", format!("{quota} {PERIOD}")),
    ]
}

/// Which limits do not hold, in words, by what the files say now. A host without swap, or one that
/// does not count it, has no such file.
pub fn missing(
    limits: &Limits,
    beside: u64,
    read: impl Fn(&str) -> Option<String>,
) -> Vec<&'static str> {
    let holds = |name: &str, asked: &str| match (name, read(name)) {
        ("memory.swap.max", None) => true,
        (_, None) => false,
        (name, Some(found)) => is_at_most(name, found.trim(), asked),
    };
    let mut missing: Vec<&'static str> = files(limits, beside)
        .iter()
        .filter(|(name, asked)| !holds(name, asked))
        .map(|(name, _)| match name.split_once('.') {
            Some(("memory", _)) => "memory",
            Some(("pids", _)) => "processes",
            _ => "cpu",
        })
        .collect();
    missing.dedup();
    missing
}

/// Whether what was found is no wider than what was asked. The kernel rounds memory down to pages.
fn is_at_most(name: &str, found: &str, asked: &str) -> bool {
    let number = |text: &str| text.parse::<u64>().ok();
    match name {
        "memory.oom.group" => found == asked,
        "cpu.max" => {
            let share = |text: &str| {
                let (quota, period) = text.split_once(' ')?;
                Some((u128::from(number(quota)?), u128::from(number(period)?)))
            };
            match (share(found), share(asked)) {
                (Some((quota, period)), Some((most, of))) => quota * of <= most * period,
                _ => false,
            }
        }
        _ => number(found)
            .zip(number(asked))
            .is_some_and(|(found, asked)| found <= asked),
    }
}

#[cfg(test)]
mod tests {
    use super::{files, missing};
    use crate::model::Limits;

    fn limits() -> Limits {
        Limits {
            cpu_percent: 250,
            memory_bytes: 4_294_967_296,
            processes: 4096,
            output_bytes: None,
        }
    }

    /// A folder in which the files say what was asked, but for some.
    fn folder<'a>(but: &'a [(&'a str, Option<&'a str>)]) -> impl Fn(&str) -> Option<String> + 'a {
        move |name| {
            if let Some((_, text)) = but.iter().find(|(other, _)| *other == name) {
                return text.map(str::to_owned);
            }
            let asked = files(&limits(), 2)
                .into_iter()
                .find(|(other, _)| *other == name);
            asked.map(|(_, text)| format!("{text}\n"))
        }
    }

    #[test]
    fn each_limit_has_its_file() {
        let asked = files(&limits(), 2).map(|(name, text)| format!("{name} {text}"));
        assert_eq!(
            asked,
            [
                "memory.max 4294967296",
                "memory.swap.max 0",
                "memory.oom.group 1",
                "pids.max 4098",
                "cpu.max 250000 100000",
            ]
        );
    }

    #[test]
    fn a_limit_holds_only_where_its_file_says_so() {
        let none: [&str; 0] = [];
        assert_eq!(missing(&limits(), 2, folder(&[])), none);
        assert_eq!(
            missing(&limits(), 2, |_| None),
            ["memory", "processes", "cpu"]
        );
        for (file, text, lacks) in [
            ("memory.max", Some("max"), "memory"),
            ("memory.max", None, "memory"),
            ("memory.max", Some("4294967297"), "memory"),
            ("memory.swap.max", Some("max"), "memory"),
            ("memory.oom.group", Some("0"), "memory"),
            ("pids.max", Some("4099"), "processes"),
            ("cpu.max", Some("max 100000"), "cpu"),
            ("cpu.max", Some("260000 100000"), "cpu"),
            ("cpu.max", None, "cpu"),
        ] {
            assert_eq!(
                missing(&limits(), 2, folder(&[(file, text)])),
                [lacks],
                "{file}"
            );
        }
    }

    #[test]
    fn a_tighter_limit_holds_too() {
        let none: [&str; 0] = [];
        for (file, text) in [
            ("memory.max", Some("4294963200")),
            ("memory.swap.max", None),
            ("cpu.max", Some("25000 10000")),
            ("pids.max", Some("100")),
        ] {
            assert_eq!(
                missing(&limits(), 2, folder(&[(file, text)])),
                none,
                "{file}"
            );
        }
    }
}
