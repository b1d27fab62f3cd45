//! Why a host contains less than it could, in words, and the one step that would change it.

use std::io;

/// Something that stands between a check and being contained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// No service manager answers; `why` in words.
    NoManager(String),
    /// Everything that limits need is in cgroups of version 1.
    OldCgroups,
    /// These limits were asked for and do not hold.
    NotEnforced(Vec<&'static str>),
    /// A setting of Debian's kernel: `kernel.unprivileged_userns_clone`.
    UsersSwitchedOff,
    /// A setting of Ubuntu's kernel: `kernel.apparmor_restrict_unprivileged_userns`.
    UsersRestrictedByAppArmor,
    /// `user.max_user_namespaces` is zero.
    NoUsersAllowed,
    /// `user.max_net_namespaces` is zero.
    NoNetworksAllowed,
    /// Linux before 5.12.
    OldKernel,
    /// Something else refuses namespaces: the sandbox that we are in, most likely.
    Refused(String),
    /// The tree that is judged has the real home in it.
    RootHoldsHome,
}

/// The settings that decide over namespaces, as the kernel shows them; `None` where it has none
/// such. See `/proc/sys/user` in namespaces(7).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// `/proc/sys/kernel/unprivileged_userns_clone`
    pub users_on: Option<String>,
    /// `/proc/sys/kernel/apparmor_restrict_unprivileged_userns`
    pub restricted: Option<String>,
    /// `/proc/sys/user/max_user_namespaces`
    pub most_users: Option<String>,
    /// `/proc/sys/user/max_net_namespaces`
    pub most_networks: Option<String>,
}

impl Settings {
    /// As they are now.
    pub fn read() -> Self {
        let read = |path: &str| {
            let text = std::fs::read_to_string(path).ok()?;
            Some(text.trim().to_owned())
        };
        Self {
            users_on: read("/proc/sys/kernel/unprivileged_userns_clone"),
            restricted: read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
            most_users: read("/proc/sys/user/max_user_namespaces"),
            most_networks: read("/proc/sys/user/max_net_namespaces"),
        }
    }

    /// What stands behind the refusal of namespaces. `root`: it was asked for without a user
    /// namespace.
    pub fn behind(&self, error: &io::Error, root: bool) -> Obstacle {
        let is = |setting: &Option<String>, value: &str| setting.as_deref() == Some(value);
        if error.raw_os_error() == Some(nix::libc::ENOSYS) {
            return Obstacle::OldKernel;
        }
        if is(&self.most_networks, "0") {
            return Obstacle::NoNetworksAllowed;
        }
        if is(&self.most_users, "0") {
            return Obstacle::NoUsersAllowed;
        }
        if !root && is(&self.users_on, "0") {
            return Obstacle::UsersSwitchedOff;
        }
        if !root && is(&self.restricted, "1") {
            return Obstacle::UsersRestrictedByAppArmor;
        }
        Obstacle::Refused(error.to_string())
    }
}

impl Obstacle {
    /// Completes `checks ran uncontained: …`.
    pub fn words(&self) -> String {
        match self {
            Self::NoManager(why) => why.clone(),
            Self::NotEnforced(limits) => format!("{} not limited", list(limits)),
            Self::OldCgroups => "this host has cgroups of version 1".to_owned(),
            Self::UsersSwitchedOff | Self::NoUsersAllowed => {
                "user namespaces are switched off".to_owned()
            }
            Self::UsersRestrictedByAppArmor => "AppArmor blocks namespaces".to_owned(),
            Self::NoNetworksAllowed => "network namespaces are switched off".to_owned(),
            Self::OldKernel => "this kernel is older than Linux 5.12".to_owned(),
            Self::Refused(why) => format!("namespaces are refused here ({why})"),
            Self::RootHoldsHome => "the tree holds the home".to_owned(),
        }
    }

    /// What a person can do about it, where one thing does it.
    pub fn step(&self) -> Option<&'static str> {
        match self {
            Self::NoManager(_) => {
                Some("run it where systemd manages your session (loginctl enable-linger)")
            }
            Self::UsersSwitchedOff => Some("sudo sysctl -w kernel.unprivileged_userns_clone=1"),
            Self::UsersRestrictedByAppArmor => {
                Some("sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0")
            }
            Self::NoUsersAllowed => Some("sudo sysctl -w user.max_user_namespaces=15000"),
            Self::NoNetworksAllowed => Some("sudo sysctl -w user.max_net_namespaces=15000"),
            Self::OldCgroups => Some("boot with cgroup v2 (systemd.unified_cgroup_hierarchy=1)"),
            Self::RootHoldsHome => Some("check a folder below the home, not the home itself"),
            Self::NotEnforced(_) => {
                Some("give the service manager those controllers (Delegate=yes for user@.service)")
            }
            Self::OldKernel | Self::Refused(_) => None,
        }
    }
}

/// All of them in one sentence, and the step to take first; `None` where there is none.
pub fn tell(obstacles: &[Obstacle]) -> Option<(String, Option<&'static str>)> {
    let words: Vec<String> = obstacles.iter().map(Obstacle::words).collect();
    let (last, others) = words.split_last()?;
    let sentence = if others.is_empty() {
        last.clone()
    } else {
        format!("{}, and {last}", others.join(", "))
    };
    // What is about namespaces is mended by one line; what is about limits needs another session.
    let step = obstacles.iter().rev().find_map(Obstacle::step);
    Some((sentence, step))
}

fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::{Obstacle, Settings, tell};

    fn settings(name: &str, value: &str) -> Settings {
        let value = Some(value.to_owned());
        let mut settings = Settings {
            users_on: Some("1".to_owned()),
            most_users: Some("15000".to_owned()),
            most_networks: Some("15000".to_owned()),
            restricted: None,
        };
        match name {
            "users_on" => settings.users_on = value,
            "restricted" => settings.restricted = value,
            "most_users" => settings.most_users = value,
            _ => settings.most_networks = value,
        }
        settings
    }

    #[test]
    fn the_setting_that_refuses_is_found() {
        let refused = io::Error::from_raw_os_error(nix::libc::EPERM);
        for (name, value, expected) in [
            ("users_on", "0", Obstacle::UsersSwitchedOff),
            ("restricted", "1", Obstacle::UsersRestrictedByAppArmor),
            ("most_users", "0", Obstacle::NoUsersAllowed),
            ("most_networks", "0", Obstacle::NoNetworksAllowed),
        ] {
            assert_eq!(settings(name, value).behind(&refused, false), expected);
        }
        let other = settings("users_on", "1").behind(&refused, false);
        assert!(matches!(other, Obstacle::Refused(_)));
        // They are about who is not root.
        let root = settings("users_on", "0").behind(&refused, true);
        assert!(matches!(root, Obstacle::Refused(_)));
        let old = io::Error::from_raw_os_error(nix::libc::ENOSYS);
        assert_eq!(Settings::default().behind(&old, true), Obstacle::OldKernel);
    }

    #[test]
    fn several_are_one_sentence_with_one_step() {
        let obstacles = [
            Obstacle::NoManager("no systemd user manager".to_owned()),
            Obstacle::UsersRestrictedByAppArmor,
        ];
        let (sentence, step) = tell(&obstacles).unwrap();
        assert_eq!(
            sentence,
            "no systemd user manager, and AppArmor blocks namespaces"
        );
        assert_eq!(
            step,
            Some("sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0")
        );
        assert_eq!(tell(&[]), None);
        let (sentence, _) = tell(&[Obstacle::NotEnforced(vec!["memory", "processes"])]).unwrap();
        assert_eq!(sentence, "memory and processes not limited");
    }
}
