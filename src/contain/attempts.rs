//! What a contained process cannot do, found out by trying, from inside: `check host` starts one that
//! does nothing else.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// What is made where nothing may be made, and removed where it could be.
const MADE: &str = ".check-host-attempt";

/// What there is to be reached, laid out beforehand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Targets {
    /// A port of the host's own loopback that answers.
    pub port: Option<u16>,
    /// The name of an abstract socket of the host that answers; see unix(7).
    pub abstract_socket: Option<String>,
    /// A file in the real home.
    pub canary: Option<PathBuf>,
    /// Sockets by which the host can be asked to do something.
    pub buses: Vec<PathBuf>,
}

/// What came of one attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attempt {
    /// It could be done.
    Done,
    /// It could not; in the system's words.
    Refused(String),
    /// There was nothing to try it on.
    NotTried,
}

impl Attempt {
    fn of<T>(result: io::Result<T>) -> Self {
        match result {
            Ok(_) => Self::Done,
            Err(error) => Self::Refused(words(&error)),
        }
    }

    fn on<T, R>(target: Option<&T>, attempt: impl FnOnce(&T) -> io::Result<R>) -> Self
    where
        T: ?Sized,
    {
        target.map_or(Self::NotTried, |target| Self::of(attempt(target)))
    }

    /// It was tried and refused.
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

/// What came of all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempts {
    /// To reach itself over loopback.
    pub loopback: Attempt,
    /// To reach [`Targets::port`].
    pub port: Attempt,
    /// To reach [`Targets::abstract_socket`].
    pub abstract_socket: Attempt,
    /// Network interfaces that it sees; `None` where it cannot tell.
    pub interfaces: Option<Vec<String>>,
    /// To read [`Targets::canary`].
    pub canary: Attempt,
    /// To make a file in `/usr`.
    pub system: Attempt,
    /// To reach each of [`Targets::buses`].
    pub buses: Vec<(PathBuf, Attempt)>,
    /// To leave its cgroup for the one above.
    pub cgroup: Attempt,
    /// Files of its own cgroup that set a limit, as it reads them.
    pub limits: Vec<(String, String)>,
}

impl Attempts {
    /// Tries everything, from where we are.
    pub fn make(targets: &Targets) -> Self {
        let cgroup = own_cgroup();
        Self {
            loopback: Attempt::of(reach_ourselves()),
            port: reach_port(targets),
            abstract_socket: Attempt::on(targets.abstract_socket.as_deref(), connect_abstract),
            interfaces: interfaces(),
            canary: see_canary(targets),
            system: Attempt::on(Some(Path::new("/usr")), make_in),
            buses: targets
                .buses
                .iter()
                .map(|path| (path.clone(), Attempt::of(connect(path))))
                .collect(),
            cgroup: Attempt::on(cgroup.as_deref().and_then(Path::parent), move_to),
            limits: cgroup.as_deref().map(limits).unwrap_or_default(),
        }
    }
}

fn words(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

fn reach_port(targets: &Targets) -> Attempt {
    Attempt::on(targets.port.as_ref(), |&port| {
        TcpStream::connect_timeout(&([127, 0, 0, 1], port).into(), PATIENCE)
    })
}

fn see_canary(targets: &Targets) -> Attempt {
    Attempt::on(targets.canary.as_deref(), |path: &Path| {
        fs::File::open(path)
    })
}

/// A server and its client, both ours.
fn reach_ourselves() -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let mut client = TcpStream::connect_timeout(&listener.local_addr()?, PATIENCE)?;
    let (mut server, _) = listener.accept()?;
    server.set_read_timeout(Some(PATIENCE))?;
    client.write_all(b"?")?;
    server.read_exact(&mut [0])
}

fn make_in(folder: &Path) -> io::Result<()> {
    let made = folder.join(MADE);
    fs::File::create_new(&made)?;
    fs::remove_file(&made)
}

#[cfg(target_os = "linux")]
mod platform {
    use std::fs;
    use std::io::{self, Write as _};
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixStream};
    use std::path::{Path, PathBuf};

    use super::super::cgroup::own_folder;

    pub fn connect(path: &Path) -> io::Result<()> {
        UnixStream::connect(path).map(drop)
    }

    pub fn connect_abstract(name: &str) -> io::Result<()> {
        let address = SocketAddr::from_abstract_name(name)?;
        UnixStream::connect_addr(&address).map(drop)
    }

    /// As `/proc/net/dev` has them; see proc(5).
    pub fn interfaces() -> Option<Vec<String>> {
        let text = fs::read_to_string("/proc/net/dev").ok()?;
        let names = text.lines().filter_map(|line| line.split_once(':'));
        Some(names.map(|(name, _)| name.trim().to_owned()).collect())
    }

    pub fn own_cgroup() -> Option<PathBuf> {
        own_folder()
    }

    pub fn move_to(folder: &Path) -> io::Result<()> {
        let procs = fs::OpenOptions::new()
            .write(true)
            .open(folder.join("cgroup.procs"));
        procs?.write_all(b"0")
    }

    pub fn limits(folder: &Path) -> Vec<(String, String)> {
        let read = |name: &str| {
            let text = fs::read_to_string(folder.join(name)).ok()?;
            Some((name.to_owned(), text.trim().to_owned()))
        };
        ["memory.max", "pids.max", "cpu.max"]
            .into_iter()
            .filter_map(read)
            .collect()
    }
}

#[cfg(windows)]
mod platform {
    use std::io;
    use std::path::{Path, PathBuf};

    pub fn connect(_path: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn connect_abstract(_name: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn interfaces() -> Option<Vec<String>> {
        None
    }

    pub fn own_cgroup() -> Option<PathBuf> {
        None
    }

    pub fn move_to(_folder: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn limits(_folder: &Path) -> Vec<(String, String)> {
        Vec::new()
    }
}

use platform::{connect, connect_abstract, interfaces, limits, move_to, own_cgroup};

/// Everything that [`Targets`] are, answering as long as this lives.
#[cfg(target_os = "linux")]
pub struct Bait {
    targets: Targets,
    _port: Option<TcpListener>,
    _abstract_socket: Option<std::os::unix::net::UnixListener>,
    _canary: Option<tempfile::NamedTempFile>,
}

#[cfg(target_os = "linux")]
impl Bait {
    /// Lays it out. `home`: the real one; `runtime`: what `XDG_RUNTIME_DIR` says. What cannot be laid
    /// out is not there to be tried.
    pub fn lay_out(home: Option<&Path>, runtime: Option<&Path>) -> Self {
        use std::os::linux::net::SocketAddrExt as _;
        use std::os::unix::net::{SocketAddr, UnixListener};

        let port = TcpListener::bind(("127.0.0.1", 0)).ok();
        let number = port.as_ref().and_then(|port| port.local_addr().ok());
        let unlike = number.map_or(0, |address| address.port());
        let name = format!("check-host-{}-{unlike}", std::process::id());
        let socket = SocketAddr::from_abstract_name(&name)
            .and_then(|address| UnixListener::bind_addr(&address))
            .ok();
        let canary = home.and_then(|home| {
            let named = tempfile::Builder::new()
                .prefix(".check-canary-")
                .tempfile_in(home);
            named.ok()
        });
        let users = runtime.map(|runtime| runtime.join("bus"));
        let buses = ["/run/dbus/system_bus_socket", "/run/systemd/private"]
            .into_iter()
            .map(PathBuf::from)
            .chain(users)
            // What we cannot reach ourselves proves nothing.
            .filter(|path| connect(path).is_ok())
            .collect();
        Self {
            targets: Targets {
                port: number.map(|address| address.port()),
                abstract_socket: socket.is_some().then_some(name),
                canary: canary.as_ref().map(|file| file.path().to_owned()),
                buses,
            },
            _port: port,
            _abstract_socket: socket,
            _canary: canary,
        }
    }

    /// What there is.
    pub fn targets(&self) -> &Targets {
        &self.targets
    }
}

/// Nothing is laid out where nothing is isolated.
#[cfg(windows)]
pub struct Bait {
    targets: Targets,
}

#[cfg(windows)]
impl Bait {
    /// Lays nothing out.
    pub fn lay_out(_home: Option<&Path>, _runtime: Option<&Path>) -> Self {
        Self {
            targets: Targets {
                port: None,
                abstract_socket: None,
                canary: None,
                buses: Vec::new(),
            },
        }
    }

    /// What there is.
    pub fn targets(&self) -> &Targets {
        &self.targets
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::{
        Attempt, Bait, Targets, connect_abstract, interfaces, reach_ourselves, reach_port,
        see_canary,
    };

    /// Without the cgroup: this process is to stay in its own.
    fn attempts(targets: &Targets) -> [Attempt; 3] {
        let abstract_socket = targets.abstract_socket.as_deref();
        [
            reach_port(targets),
            Attempt::on(abstract_socket, connect_abstract),
            see_canary(targets),
        ]
    }

    /// From where nothing is refused, everything is done: a refusal elsewhere is one.
    #[test]
    fn what_is_laid_out_can_be_reached() {
        let home = tempfile::tempdir().unwrap();
        let bait = Bait::lay_out(Some(home.path()), None);
        let made = attempts(bait.targets());
        assert_eq!(made, [Attempt::Done, Attempt::Done, Attempt::Done]);
        assert!(reach_ourselves().is_ok());
        assert!(interfaces().is_some_and(|names| names.contains(&"lo".to_owned())));
        drop(bait);
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_refusal_is_told_in_the_systems_words() {
        let home = tempfile::tempdir().unwrap();
        let bait = Bait::lay_out(Some(home.path()), None);
        let targets = bait.targets().clone();
        drop(bait);
        let refused = |words: &str| Attempt::Refused(words.to_owned());
        let expected = [
            refused("connection refused"),
            refused("connection refused"),
            refused("no such file or directory"),
        ];
        assert_eq!(attempts(&targets), expected);
    }
}
