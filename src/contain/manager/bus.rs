//! A connection to a D-Bus daemon, or to a service manager itself, of which every word has to come
//! in time: whoever is silent is as good as absent, and `check` never hangs on anybody.
//!
//! Calls block. They are few, and the manager answers within a scheduler's turn or two. See the
//! "D-Bus Specification", message protocol and authentication.

use std::io::{self, IoSlice, Read, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::socket::{
    AddressFamily, ControlMessage, MsgFlags, SockFlag, SockType, UnixAddr, connect, sendmsg,
    setsockopt, socket, sockopt,
};
use nix::sys::time::{TimeVal, TimeValLike as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use zbus::wire::serialized::{Context, Data};
use zbus::wire::{DynamicType, NATIVE_ENDIAN, Signature, Type, to_bytes};
use zbus::{OwnedVariant, Variant};

/// How long one call may take, from its first byte to the last of its answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// An answer longer than this is none that was asked for.
const LONGEST: usize = 16 * 1024 * 1024;
/// What every message begins with, up to the length of its fields.
const FIXED: usize = 16;

/// Numbers are written as this machine has them.
const ENDIAN: u8 = if cfg!(target_endian = "little") {
    b'l'
} else {
    b'B'
};
const CALL: u8 = 1;
const ANSWER: u8 = 2;
const ERROR: u8 = 3;
/// Nobody is to be started to answer it.
const NO_AUTO_START: u8 = 2;

const FIELD_PATH: u8 = 1;
const FIELD_INTERFACE: u8 = 2;
const FIELD_MEMBER: u8 = 3;
const FIELD_ERROR: u8 = 4;
const FIELD_ANSWERS: u8 = 5;
const FIELD_DESTINATION: u8 = 6;
const FIELD_SIGNATURE: u8 = 8;
const FIELD_DESCRIPTORS: u8 = 9;

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// The other side says so.
    #[error("{text} ({name})")]
    Refused {
        /// Such as `org.freedesktop.DBus.Error.AccessDenied`.
        name: String,
        /// In its words.
        text: String,
    },
    /// It says nothing.
    #[error("it does not answer")]
    Silent,
    /// Its process ids are not ours: what we say of a process would be said of another.
    #[error("it is outside of this container")]
    Elsewhere,
    /// Nothing whole came from the other side.
    #[error("{0}")]
    Broken(io::Error),
}

impl From<io::Error> for BusError {
    fn from(error: io::Error) -> Self {
        if [io::ErrorKind::TimedOut, io::ErrorKind::WouldBlock].contains(&error.kind()) {
            Self::Silent
        } else {
            Self::Broken(error)
        }
    }
}

impl From<zbus::Error> for BusError {
    fn from(error: zbus::Error) -> Self {
        Self::Broken(io::Error::new(io::ErrorKind::InvalidData, error))
    }
}

/// Whom to call, and what.
#[derive(Debug, Clone, Copy)]
pub struct Method<'a> {
    /// A name on the bus; whoever is at the other end where there is no bus.
    pub destination: &'a str,
    pub path: &'a str,
    pub interface: &'a str,
    pub member: &'a str,
}

/// A connection.
pub struct Bus {
    stream: UnixStream,
    serial: u32,
}

impl Bus {
    /// Connects and says who we are.
    pub fn connect(path: &Path) -> Result<Self, BusError> {
        let give_up = Instant::now() + PATIENCE;
        let flags = SockFlag::SOCK_CLOEXEC;
        let socket =
            socket(AddressFamily::Unix, SockType::Stream, flags, None).map_err(io::Error::from)?;
        // A listener that takes nobody in would hold us as well; see unix(7).
        let patience = TimeVal::seconds(i64::try_from(PATIENCE.as_secs()).unwrap_or(1));
        setsockopt(&socket, sockopt::SendTimeout, &patience).map_err(io::Error::from)?;
        let address = UnixAddr::new(path).map_err(io::Error::from)?;
        connect(socket.as_raw_fd(), &address).map_err(io::Error::from)?;
        let mut bus = Self {
            stream: socket.into(),
            serial: 0,
        };
        bus.introduce(give_up)?;
        Ok(bus)
    }

    /// We are who the socket says we are, and hand over descriptors.
    fn introduce(&mut self, give_up: Instant) -> io::Result<()> {
        let user = nix::unistd::geteuid().to_string();
        // Of decimal digits, whose numbers are 0x30 to 0x39.
        let hex: String = user.chars().flat_map(|digit| ['3', digit]).collect();
        let words = format!("\0AUTH EXTERNAL {hex}\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n");
        self.stream.write_all(words.as_bytes())?;
        for expected in ["OK ", "AGREE_UNIX_FD"] {
            let line = self.line(give_up)?;
            if !line.starts_with(expected) {
                let text = format!("it does not let us in: {}", line.trim_end());
                return Err(io::Error::other(text));
            }
        }
        Ok(())
    }

    /// What comes after it is not read: it may be a message.
    fn line(&mut self, give_up: Instant) -> io::Result<String> {
        let mut line = Vec::new();
        while !line.ends_with(b"\r\n") {
            if line.len() > 1024 {
                return Err(io::Error::other("it speaks no D-Bus"));
            }
            let mut byte = [0];
            self.fill(&mut byte, give_up)?;
            line.push(byte[0]);
        }
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    /// Asks the bus for a name of our own, without which it lets nothing through, and who we are:
    /// where it knows our process by another id, what we say of processes would be said of others.
    pub fn hello(&mut self) -> Result<(), BusError> {
        let method = |member| Method {
            destination: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            member,
        };
        let (name,): (String,) = self.call(method("Hello"), &())?;
        let (pid,): (u32,) = self.call(method("GetConnectionUnixProcessID"), &(name,))?;
        if pid == std::process::id() {
            Ok(())
        } else {
            Err(BusError::Elsewhere)
        }
    }

    /// Calls and waits for the answer.
    pub fn call<B, A>(&mut self, method: Method<'_>, body: &B) -> Result<A, BusError>
    where
        B: Serialize + DynamicType,
        A: DeserializeOwned + Type,
    {
        let give_up = Instant::now() + PATIENCE;
        let serial = self.send(method, NO_AUTO_START, body)?;
        loop {
            let message = self.receive(give_up)?;
            if message.answers == Some(serial) {
                return message.answer();
            }
        }
    }

    fn send<B>(&mut self, method: Method<'_>, flags: u8, body: &B) -> Result<u32, BusError>
    where
        B: Serialize + DynamicType,
    {
        self.serial += 1;
        let start = Context::new(NATIVE_ENDIAN, 0);
        let signature = body.signature();
        let body = to_bytes(start, body)?;
        let descriptors: Vec<RawFd> = body.fds().iter().map(|fd| fd.as_fd().as_raw_fd()).collect();
        let head = head(method, flags, self.serial, &signature, &body)?;
        let mut parts = [IoSlice::new(&head), IoSlice::new(body.bytes())];
        let rights = [ControlMessage::ScmRights(&descriptors)];
        let rights = if descriptors.is_empty() {
            &[]
        } else {
            &rights[..]
        };
        let socket = self.stream.as_raw_fd();
        let flags = MsgFlags::MSG_NOSIGNAL;
        let mut sent =
            sendmsg::<()>(socket, &parts, rights, flags, None).map_err(io::Error::from)?;
        let mut rest = &mut parts[..];
        IoSlice::advance_slices(&mut rest, sent);
        while !rest.is_empty() {
            sent = sendmsg::<()>(socket, rest, &[], flags, None).map_err(io::Error::from)?;
            IoSlice::advance_slices(&mut rest, sent);
        }
        Ok(self.serial)
    }

    fn receive(&mut self, give_up: Instant) -> Result<Message, BusError> {
        let mut head = vec![0; FIXED];
        self.fill(&mut head, give_up)?;
        let number = |at: usize| {
            let bytes = [head[at], head[at + 1], head[at + 2], head[at + 3]];
            u32::from_ne_bytes(bytes) as usize
        };
        let (body, fields) = (number(4), number(12));
        if head[0] != ENDIAN || body > LONGEST || fields > LONGEST {
            return Err(io::Error::other("it speaks no D-Bus that is known here").into());
        }
        head.resize((FIXED + fields).next_multiple_of(8), 0);
        self.fill(&mut head[FIXED..], give_up)?;
        let mut message = Message::new(head[1], &head)?;
        message.body.resize(body, 0);
        self.fill(&mut message.body, give_up)?;
        Ok(message)
    }

    fn fill(&mut self, mut buffer: &mut [u8], give_up: Instant) -> io::Result<()> {
        while !buffer.is_empty() {
            let left = give_up.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.stream.set_read_timeout(Some(left))?;
            match self.stream.read(buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => buffer = &mut buffer[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// All of a call but its body.
fn head(
    method: Method<'_>,
    flags: u8,
    serial: u32,
    signature: &Signature,
    body: &Data<'_, '_>,
) -> Result<Vec<u8>, BusError> {
    let too_long = |_| io::Error::from_raw_os_error(libc::E2BIG);
    let length = u32::try_from(body.bytes().len()).map_err(too_long)?;
    let path = zbus::ObjectPath::try_from(method.path)?;
    let mut fields = vec![
        (FIELD_PATH, Variant::from(path)),
        (FIELD_INTERFACE, Variant::from(method.interface)),
        (FIELD_MEMBER, Variant::from(method.member)),
        (FIELD_DESTINATION, Variant::from(method.destination)),
    ];
    if !body.fds().is_empty() {
        let count = u32::try_from(body.fds().len()).map_err(too_long)?;
        fields.push((FIELD_DESCRIPTORS, Variant::from(count)));
    }
    let head = (ENDIAN, CALL, flags, 1_u8, length, serial, fields);
    let mut head = to_bytes(Context::new(NATIVE_ENDIAN, 0), &head)?.to_vec();
    sign(&mut head, signature);
    head.resize(head.len().next_multiple_of(8), 0);
    Ok(head)
}

/// Adds what the body's parts are to the fields of `head`, by hand: they stand side by side, which
/// no type of theirs says.
fn sign(head: &mut Vec<u8>, signature: &Signature) {
    let parts = signature.to_string_no_parens();
    let Ok(length) = u8::try_from(parts.len()) else {
        return;
    };
    if parts.is_empty() {
        return;
    }
    head.resize(head.len().next_multiple_of(8), 0);
    head.extend([FIELD_SIGNATURE, 1, b'g', 0, length]);
    head.extend(parts.bytes());
    head.push(0);
    let fields = u32::try_from(head.len() - FIXED).unwrap_or(u32::MAX);
    head[FIXED - 4..FIXED].copy_from_slice(&fields.to_ne_bytes());
}

/// What came.
#[derive(Default)]
struct Message {
    kind: u8,
    /// The call that this is the answer to.
    answers: Option<u32>,
    error: Option<String>,
    body: Vec<u8>,
}

/// All that stands before the body.
type Head = (u8, u8, u8, u8, u32, u32, Vec<(u8, OwnedVariant)>);

impl Message {
    /// Without its body.
    fn new(kind: u8, head: &[u8]) -> Result<Self, BusError> {
        let data = Data::new(head, Context::new(NATIVE_ENDIAN, 0));
        let (head, _): (Head, _) = data.deserialize()?;
        let mut message = Self {
            kind,
            ..Self::default()
        };
        for (field, value) in head.6 {
            match field {
                FIELD_ANSWERS => message.answers = u32::try_from(value).ok(),
                FIELD_ERROR => message.error = String::try_from(value).ok(),
                _ => {}
            }
        }
        Ok(message)
    }

    fn answer<A: DeserializeOwned + Type>(&self) -> Result<A, BusError> {
        let data = Data::new(&self.body[..], Context::new(NATIVE_ENDIAN, 0));
        match self.kind {
            ANSWER => Ok(data.deserialize::<A>()?.0),
            ERROR => {
                let text = data.deserialize::<(String,)>();
                let text = text.map_or_else(|_| "refused".to_owned(), |((text,), _)| text);
                let name = self.error.clone().unwrap_or_default();
                Err(BusError::Refused { name, text })
            }
            _ => Err(io::Error::other("an answer that is none").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::{Child, Command, Stdio};

    use super::{Bus, BusError, Method};

    /// A bus of our own.
    struct Daemon {
        child: Child,
        folder: tempfile::TempDir,
    }

    impl Daemon {
        fn start() -> Option<Self> {
            let folder = tempfile::tempdir().unwrap();
            let address = format!("--address=unix:path={}/bus", folder.path().display());
            let daemon = Command::new("dbus-daemon")
                .args(["--session", "--nofork", "--print-address", &address])
                .stdout(Stdio::piped())
                .spawn();
            let Ok(mut child) = daemon else {
                assert!(
                    std::env::var_os("CI").is_none(),
                    "dbus-daemon is not installed"
                );
                return None;
            };
            // It says where it listens once it does.
            let mut byte = [0];
            let said = child.stdout.as_mut().unwrap();
            std::io::Read::read_exact(said, &mut byte).unwrap();
            Some(Self { child, folder })
        }

        fn socket(&self) -> std::path::PathBuf {
            self.folder.path().join("bus")
        }
    }

    impl Drop for Daemon {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    fn method(member: &str) -> Method<'_> {
        Method {
            destination: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            member,
        }
    }

    #[test]
    fn a_real_bus_answers_what_it_is_asked() {
        let Some(daemon) = Daemon::start() else {
            return;
        };
        let mut bus = Bus::connect(&daemon.socket()).unwrap();
        bus.hello().unwrap();
        let (owned,): (bool,) = bus
            .call(method("NameHasOwner"), &("org.freedesktop.DBus",))
            .unwrap();
        assert!(owned);
        let (got,): (u32,) = bus
            .call(method("RequestName"), &("org.example.Check", 4_u32))
            .unwrap();
        assert_eq!(got, 1);
        let refused = bus.call::<_, (String,)>(method("GetNameOwner"), &("org.example.Nobody",));
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("NameHasNoOwner"), "{error}");
    }

    #[test]
    fn who_is_not_there_is_an_error() {
        let error = Bus::connect(Path::new("/nonexistent/bus")).map(drop);
        assert!(matches!(error, Err(BusError::Broken(_))), "{error:?}");
    }

    #[test]
    fn who_speaks_something_else_or_hangs_up_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bus");
        let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        for words in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b""] {
            let answer = std::thread::scope(|threads| {
                threads.spawn(|| {
                    let (mut stream, _) = listener.accept().unwrap();
                    std::io::Write::write_all(&mut stream, words).unwrap();
                });
                Bus::connect(&path).map(drop)
            });
            assert!(matches!(answer, Err(BusError::Broken(_))), "{answer:?}");
        }
    }

    /// Asked from a PID namespace of our own, the bus knows us by another id.
    #[test]
    fn a_bus_outside_of_our_container_is_told_apart() {
        let Some(daemon) = Daemon::start() else {
            return;
        };
        let socket = daemon.socket();
        let this = std::env::current_exe().unwrap();
        let asked = Command::new("unshare")
            .args(["--pid", "--fork", "--"])
            .arg(this)
            .args(["--ignored", "--exact", "--nocapture"])
            .arg("contain::manager::bus::tests::says_whether_the_bus_is_elsewhere")
            .env("CHECK_TEST_BUS", &socket)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&asked.stdout);
        if !nix::unistd::geteuid().is_root() && !asked.status.success() {
            return;
        }
        assert!(said.contains("it is outside of this container"), "{said}");
    }

    #[test]
    #[ignore = "the part of `a_bus_outside_of_our_container_is_told_apart` that is inside"]
    fn says_whether_the_bus_is_elsewhere() {
        let Some(socket) = std::env::var_os("CHECK_TEST_BUS") else {
            return;
        };
        let mut bus = Bus::connect(Path::new(&socket)).unwrap();
        println!("{}", bus.hello().unwrap_err());
    }
}
