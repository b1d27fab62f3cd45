//! Where we were called, as the cgroup that we are in says it: what holds for our caller there holds
//! for us too, if our scope is put beside it.

/// The units of our own manager that we are in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Caller {
    /// The slice, with the limits of whatever is in it.
    pub slice: Option<String>,
    /// The service, which takes along what was started in it when it is stopped.
    pub service: Option<String>,
}

impl Caller {
    /// `own`: what `/proc/self/cgroup` says; `uid`: who we are. A user's manager knows the units below
    /// its own service, the system's the others.
    pub fn of(own: &str, uid: u32) -> Self {
        let path = own.lines().find_map(|line| line.strip_prefix("0::"));
        let path = path.unwrap_or_default();
        let below = if uid == 0 {
            path
        } else {
            let manager = format!("/user@{uid}.service/");
            match path.split_once(&manager) {
                Some((_, below)) => below,
                None => return Self::default(),
            }
        };
        // What would be another's file in a cgroup's folder has a mark before it.
        let units = || {
            below
                .split('/')
                .map(|name| name.strip_prefix('_').unwrap_or(name))
                // Below a service or scope there are no units, whatever their names are.
                .scan(false, |over, name| {
                    let before = *over;
                    *over |= [".service", ".scope"].iter().any(|end| name.ends_with(end));
                    (!before).then_some(name)
                })
        };
        let last = |end| units().filter(|name| name.ends_with(end)).last();
        Self {
            slice: last(".slice").map(str::to_owned),
            service: last(".service").map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Caller;

    fn caller(slice: Option<&str>, service: Option<&str>) -> Caller {
        Caller {
            slice: slice.map(str::to_owned),
            service: service.map(str::to_owned),
        }
    }

    #[test]
    fn the_units_of_our_own_manager_are_found() {
        let terminal = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-x.scope\n";
        assert_eq!(Caller::of(terminal, 1000), caller(Some("app.slice"), None));
        let timer =
            "0::/user.slice/user-1000.slice/user@1000.service/ci.slice/ci-night.slice/n.service\n";
        let night = caller(Some("ci-night.slice"), Some("n.service"));
        assert_eq!(Caller::of(timer, 1000), night);
        // A login is the system's, not of the user's manager.
        let login = "0::/user.slice/user-1000.slice/session-3.scope\n";
        assert_eq!(Caller::of(login, 1000), Caller::default());
        assert_eq!(Caller::of(login, 0), caller(Some("user-1000.slice"), None));
        let runner = "3:memory:/x\n0::/system.slice/runner.service/inner/made.service\n";
        let runner_s = caller(Some("system.slice"), Some("runner.service"));
        assert_eq!(Caller::of(runner, 0), runner_s);
        let marked = "0::/system.slice/_cgroup.service\n";
        let marked_s = caller(Some("system.slice"), Some("cgroup.service"));
        assert_eq!(Caller::of(marked, 0), marked_s);
        assert_eq!(Caller::of("0::/\n", 0), Caller::default());
        assert_eq!(Caller::of("", 0), Caller::default());
    }
}
