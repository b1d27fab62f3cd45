//! From what one launch was found to have to what is said of it.

use crate::model::{Isolation, Network};

use super::obstacle::{Obstacle, tell};
use super::seen::Seen;

/// What was found of one launch, or of a trial.
pub struct Found<'a> {
    /// `namespaces`, `landlock`, …
    pub mechanism: &'static str,
    /// The transient unit.
    pub unit: Option<String>,
    /// What its process saw.
    pub seen: Seen,
    /// Its limits all hold.
    pub limits: bool,
    /// What it asked of the network.
    pub network: Network,
    /// What stood in the way.
    pub obstacles: &'a [Obstacle],
}

impl Found<'_> {
    /// What is said. A check that asks for the host's network is contained all the same.
    pub fn isolation(self) -> Isolation {
        let seen = self.seen;
        let network = seen.network || self.network == Network::Host;
        let contained = self.limits && network && seen.home && seen.read_only;
        let told = tell(self.obstacles).filter(|_| !contained);
        let (note, step) = told.map_or((None, None), |(note, step)| (Some(note), step));
        Isolation {
            mechanism: self.mechanism.to_owned(),
            contained,
            limits: self.limits,
            network: seen.network,
            home: seen.home,
            read_only: seen.read_only,
            note,
            step: step.map(str::to_owned),
            unit: self.unit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Found;
    use crate::contain::obstacle::Obstacle;
    use crate::contain::seen::Seen;
    use crate::model::Network;

    const ALL: Seen = Seen {
        network: true,
        home: true,
        read_only: true,
        processes: true,
        landlock: false,
    };

    fn found(seen: Seen, limits: bool, network: Network) -> Found<'static> {
        Found {
            mechanism: "namespaces",
            unit: None,
            seen,
            limits,
            network,
            obstacles: &[Obstacle::OldKernel],
        }
    }

    #[test]
    fn contained_is_all_of_it_and_the_network_only_where_it_was_asked_for() {
        let contained = found(ALL, true, Network::None).isolation();
        assert!(contained.contained && contained.note.is_none());
        for (seen, limits) in [
            (ALL, false),
            (
                Seen {
                    network: false,
                    ..ALL
                },
                true,
            ),
            (Seen { home: false, ..ALL }, true),
            (
                Seen {
                    read_only: false,
                    ..ALL
                },
                true,
            ),
        ] {
            let less = found(seen, limits, Network::None).isolation();
            assert!(!less.contained, "{less:?}");
            assert_eq!(
                less.note.as_deref(),
                Some("this kernel is older than Linux 5.12")
            );
        }
        let open = Seen {
            network: false,
            ..ALL
        };
        let host = found(open, true, Network::Host).isolation();
        assert!(host.contained && !host.network);
    }
}
