//! A child with nothing of ours in it but what it was given.

use std::ffi::{OsString, c_int, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::AtomicI32;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl, openat};
use nix::libc;
use nix::sys::stat::Mode;
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::{Pid, pipe2};

use crate::model::{Confinement, Limits, Network, Streams, View};

use super::clone::{Cloned, Stack};
use super::enclose::{self, Enclosure, Init, Part};
use super::fenced::Fenced;
use super::image::{Image, Step, Texts, enter, enter_enclosed};
use super::networks;
use super::obstacle::Obstacle;
use super::rooms::{Room, Rooms};
use super::ruleset::Held;
use super::seen::{Seen, Watched};
use super::signal;
use super::spaces::Spaces;
use super::{Launch, Leader, Pipe, StartError};

/// A process that runs, and the reading ends of its output.
pub struct Spawned {
    pub leader: Leader,
    pub stdout: Pipe,
    pub stderr: Option<Pipe>,
    /// As in [`Born`].
    pub init: Option<Init>,
    /// As in [`Born`].
    pub seen: Seen,
}

/// A process that runs. It is a child of ours that nobody waits for yet.
pub struct Born {
    pub pid: Pid,
    pub pidfd: OwnedFd,
    /// The first process of its PID namespace, where it has one.
    pub init: Option<Init>,
    /// What it was seen to have.
    pub seen: Seen,
}

/// What every start of a run shares.
pub struct Starter {
    stack: Stack,
    null: OwnedFd,
    /// Signals that our own caller made us ignore, or the runtime did.
    ignored: Vec<c_int>,
    /// The kernel, or a filter, knows no clone3 that does what is needed.
    by_clone2: bool,
    own_pid: libc::pid_t,
    rooms: Rooms,
}

impl Starter {
    /// Opens and asks what is the same for every child.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            stack: Stack::new()?,
            null: File::open("/dev/null")?.into(),
            ignored: ignored_signals(),
            by_clone2: false,
            own_pid: std::process::id().cast_signed(),
            rooms: Rooms::new()?,
        })
    }

    /// Starts `launch` in a session of its own: standard input is the null device, descriptors
    /// above 2 are closed, signal actions and mask are the default, umask is 022, no core is
    /// dumped.
    ///
    /// It is in the cgroup of the folder `cgroup`, where there is one, and writes its id at `noted`.
    ///
    /// The program is run by execve(2) itself: execvp(3) hands a file without a known format to
    /// `/bin/sh`.
    pub fn spawn(
        &mut self,
        launch: &Launch,
        cgroup: Option<BorrowedFd<'_>>,
        noted: Option<&AtomicI32>,
    ) -> Result<Spawned, StartError> {
        let (stdout, out_end) = pipe()?;
        let (stderr, err_end) = match launch.streams {
            Streams::Split => {
                let (reading, writing) = pipe()?;
                (Some(reading), Some(writing))
            }
            Streams::Joined => (None, None),
        };
        let err_end = err_end.as_ref().unwrap_or(&out_end);
        let Born {
            pid,
            pidfd,
            init,
            seen,
        } = self.bear(launch, [out_end.as_fd(), err_end.as_fd()], cgroup, noted)?;
        let leader = Leader::new(pid, pidfd).map_err(|error| unwatched(pid, error))?;
        Ok(Spawned {
            leader,
            stdout,
            stderr,
            init,
            seen,
        })
    }

    /// As [`Starter::spawn`], with standard output and error given.
    pub fn bear(
        &mut self,
        launch: &Launch,
        [out_end, err_end]: [BorrowedFd<'_>; 2],
        cgroup: Option<BorrowedFd<'_>>,
        noted: Option<&AtomicI32>,
    ) -> Result<Born, StartError> {
        let means = Means { cgroup, noted };
        let mut asked = Asked::Nothing;
        if let Some(confinement) = &launch.confinement {
            let network = confinement.network == Network::None;
            if confinement.required {
                asked = Asked::Required { network };
            }
            if let Some(born) = self.bear_in_a_room(launch, [out_end, err_end], means, asked)? {
                return Ok(born);
            }
            if confinement.required {
                return Err(StartError::NotContained(self.missing()));
            }
        }
        self.bear_beside_us(launch, [out_end, err_end], means, asked)
    }

    /// As [`Starter::bear`], in our own namespaces, its files held by Landlock where the kernel has
    /// it.
    fn bear_beside_us(
        &mut self,
        launch: &Launch,
        [out_end, err_end]: [BorrowedFd<'_>; 2],
        Means { cgroup, noted }: Means<'_>,
        asked: Asked,
    ) -> Result<Born, StartError> {
        let fence = match &launch.confinement {
            Some(Confinement { view, .. }) => {
                Held::to(view)?.map(|held| Ok((held, Watched::new(view)?)))
            }
            None => None,
        };
        let fence = fence.transpose()?;
        let mut fenced = fence
            .as_ref()
            .map(|(held, watched)| Fenced::new(held, watched));
        let texts = Texts::new(launch)?;
        let streams = [self.null.as_fd(), out_end, err_end].map(|end| end.as_raw_fd());
        let mut image = Image::new(&texts, streams, &self.ignored, self.own_pid);
        if let Some(fenced) = &mut fenced {
            image.is_fenced(fenced);
        }
        if matches!(asked, Asked::Trial) {
            image.is_trial();
        }
        if cgroup.is_some() {
            // A second line beside the watchdog. Without a cgroup it would take from the watchdog
            // what it goes by: the children of one that has died are nobody's.
            image.dies_with_parent();
        }
        if let Some(noted) = noted {
            image.is_noted(noted);
        }
        let started = start(&mut self.stack, &mut self.by_clone2, &mut image, cgroup);
        let Cloned { pid, pidfd } =
            started.map_err(|errno| system("start the process")(errno.into()))?;
        if cgroup.is_some() && !image.has_begun() {
            // Where our own cgroup was ever killed, newer kernels kill at its birth what we start in
            // another one; see `Slot::was_killed`.
            let _ = waitid(Id::PIDFd(pidfd.as_fd()), WaitPidFlag::WEXITED);
            return Err(StartError::NotInCgroup);
        }
        if let Some((step, errno)) = image.failure() {
            // Nobody else waits for it.
            let _ = waitid(Id::PIDFd(pidfd.as_fd()), WaitPidFlag::WEXITED);
            return Err(start_error(launch, step, errno));
        }
        Ok(Born {
            pid,
            pidfd,
            init: None,
            seen: image.fenced().unwrap_or_default(),
        })
    }

    /// What a check that sees `view` would be seen to have, where that can be tried: nothing is run.
    pub fn trial(&mut self, view: View, limits: Limits) -> Result<Seen, StartError> {
        let launch = Launch {
            program: PathBuf::new(),
            argv: Vec::new(),
            env: Vec::new(),
            cwd: PathBuf::new(),
            streams: Streams::Joined,
            mark: OsString::new(),
            confinement: Some(Confinement {
                view,
                network: Network::None,
                limits,
                required: false,
            }),
        };
        let nowhere = self.null.try_clone().map_err(system("make a pipe"))?;
        let ends = [nowhere.as_fd(), nowhere.as_fd()];
        let means = Means {
            cgroup: None,
            noted: None,
        };
        let born = match self.bear_in_a_room(&launch, ends, means, Asked::Trial)? {
            Some(born) => born,
            None => self.bear_beside_us(&launch, ends, means, Asked::Trial)?,
        };
        let _ = waitid(Id::PIDFd(born.pidfd.as_fd()), WaitPidFlag::WEXITED);
        Ok(born.seen)
    }

    /// Nobody is in this network any more.
    pub fn give_back(&mut self, network: OwnedFd) {
        self.rooms.networks.give_back(network);
    }

    /// What stands in the way of namespaces; `None` where nothing is known to.
    pub fn obstacle(&self) -> Option<Obstacle> {
        self.rooms.obstacle()
    }

    fn missing(&self) -> String {
        let obstacle = self.obstacle();
        obstacle.map_or_else(
            || "nothing here contains them".to_owned(),
            |found| found.words(),
        )
    }

    /// As [`Starter::bear`], in namespaces of its own; `None` where this host gives none. What it
    /// does not give is learnt on the way.
    fn bear_in_a_room(
        &mut self,
        launch: &Launch,
        ends: [BorrowedFd<'_>; 2],
        means: Means<'_>,
        asked: Asked,
    ) -> Result<Option<Born>, StartError> {
        let Some(confinement) = &launch.confinement else {
            return Ok(None);
        };
        while let Some(spaces) = self.rooms.offered(confinement) {
            let mut room = self.rooms.lay_out(spaces, &confinement.view)?;
            match self.bear_enclosed(launch, ends, means, asked, &mut room) {
                Err(Unborn::NotHere(part, why)) if !self.rooms.are_proven(spaces) => {
                    self.rooms.without(part, why);
                }
                Err(Unborn::NotHere(_, why) | Unborn::Failed(why)) => return Err(why),
                Ok(born) => {
                    self.rooms.prove(spaces);
                    return Ok(Some(born));
                }
            }
        }
        Ok(None)
    }

    /// As [`Starter::bear`], in this room.
    fn bear_enclosed(
        &mut self,
        launch: &Launch,
        [out_end, err_end]: [BorrowedFd<'_>; 2],
        Means { cgroup, noted }: Means<'_>,
        asked: Asked,
        room: &mut Room,
    ) -> Result<Born, Unborn> {
        let texts = Texts::new(launch)?;
        let streams = [self.null.as_fd(), out_end, err_end].map(|end| end.as_raw_fd());
        let mut image = Image::new(&texts, streams, &self.ignored, self.own_pid);
        image.dies_with_parent();
        if let Some(noted) = noted {
            image.is_noted(noted);
        }
        let procs = cgroup
            .filter(|_| self.by_clone2)
            .map(joining)
            .transpose()
            .map_err(|_| StartError::NotInCgroup)?;
        if let Some(procs) = &procs {
            image.joins(procs.as_fd());
        }
        // Who is not root cannot enter what is another user namespace's.
        let shares = room.spaces.network && !room.spaces.user;
        let offered = if shares {
            self.rooms.networks.take()
        } else {
            None
        };
        let mut enclosure = Enclosure::new(
            room.spaces,
            &self.rooms.users,
            [&mut room.outer, &mut room.inner],
            &room.watched,
            self.rooms.alive(),
            self.stack.inner(),
        );
        if let Some(cgroup) = cgroup.filter(|_| !self.by_clone2) {
            enclosure.is_in(cgroup);
        }
        if let Some(network) = &offered {
            enclosure.may_use(network.as_fd());
        }
        match asked {
            Asked::Trial => enclosure.is_trial(),
            Asked::Required { network } => enclosure.is_required(network),
            Asked::Nothing => {}
        }
        image.is_enclosed(&mut enclosure);
        let made = Spaces {
            network: room.spaces.network && offered.is_none(),
            ..room.spaces
        };
        let builder = build(&mut self.stack, &mut self.by_clone2, made, &mut image);
        let builder = builder.map_err(Unborn::without_builder)?;
        let _ = waitid(Id::PIDFd(builder.pidfd.as_fd()), WaitPidFlag::WEXITED);
        let (begun, failure) = (image.has_begun(), image.failure());
        let enclosed = image.enclosed();
        let enclosed = enclosed.ok_or(StartError::Unsupported("this host"))?;
        // Whatever it was that failed, it takes the init along, and nobody else waits for either.
        let init = (enclosed.init > 0).then(|| Init::new(enclosed.init));
        let mut init = init.transpose().map_err(system("watch the init"))?;
        if let Some(init) = init.as_mut().filter(|_| shares) {
            let offered = offered.filter(|_| enclosed.used);
            init.has_network(offered.or_else(|| networks::of(init.pid())));
        }
        let main = (enclosed.main > 0).then(|| Pid::from_raw(enclosed.main));
        let failed = |why: Unborn| {
            if let Some(main) = main {
                let _ = waitid(Id::Pid(main), WaitPidFlag::WEXITED);
            }
            Err(why)
        };
        if let Some((part, step, errno)) = enclosed.failure {
            let why = if part == Part::Required {
                StartError::NotContained(self.missing())
            } else {
                enclose::error(part, step, errno, [&room.outer, &room.inner])
            };
            return failed(
                if part == Part::Main && cgroup.is_some() && errno != Errno::EAGAIN {
                    StartError::NotInCgroup.into()
                } else if room.is_the_hosts_refusal(part, step) {
                    Unborn::NotHere(Some(part), why)
                } else {
                    why.into()
                },
            );
        }
        if !begun && cgroup.is_some() {
            return failed(StartError::NotInCgroup.into());
        }
        if let Some((step, errno)) = failure {
            return failed(start_error(launch, step, errno).into());
        }
        let (Some(pid), Some(seen)) = (main, enclosed.seen) else {
            let gone = io::Error::other("it was gone before it began");
            return failed(system("start the process")(gone).into());
        };
        Ok(Born {
            pid,
            pidfd: signal::pidfd(pid).map_err(|error| unwatched(pid, error))?,
            init,
            seen,
        })
    }
}

/// What cannot be watched must not live. `pid`: it was not waited for, so that its id is its own.
fn unwatched(pid: Pid, error: io::Error) -> StartError {
    let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
    let _ = waitid(Id::Pid(pid), WaitPidFlag::WEXITED);
    system("watch the process")(error)
}

/// Where a check is to be born, beside its namespaces.
#[derive(Clone, Copy)]
struct Means<'a> {
    /// The folder of its cgroup.
    cgroup: Option<BorrowedFd<'a>>,
    /// Where it writes its id.
    noted: Option<&'a AtomicI32>,
}

/// What is asked of a start.
#[derive(Clone, Copy)]
enum Asked {
    /// To say what it was seen to have.
    Nothing,
    /// And to start nothing that has less than all.
    Required { network: bool },
    /// To start nothing at all.
    Trial,
}

/// Why a check was not born.
enum Unborn {
    /// This host gives no such namespaces: what of them, where it came so far.
    NotHere(Option<Part>, StartError),
    /// Something is wrong that is nothing about the host.
    Failed(StartError),
}

impl Unborn {
    /// Nobody could be started who makes its namespaces.
    fn without_builder(errno: Errno) -> Self {
        let why = system("make namespaces for it")(errno.into());
        let full = [Errno::EAGAIN, Errno::ENOMEM, Errno::EMFILE, Errno::ENFILE];
        if full.contains(&errno) {
            Self::Failed(why)
        } else {
            Self::NotHere(None, why)
        }
    }
}

impl From<StartError> for Unborn {
    fn from(error: StartError) -> Self {
        Self::Failed(error)
    }
}

/// Starts the builder of `image`. `by_clone2`: as in [`start`].
fn build(
    stack: &mut Stack,
    by_clone2: &mut bool,
    spaces: Spaces,
    image: &mut Image<'_>,
) -> Result<Cloned, Errno> {
    let argument = ptr::from_mut(image).cast::<c_void>();
    if !*by_clone2 {
        // SAFETY: the builder keeps to its rules, and this is the image that it takes.
        let cloned = unsafe { stack.start(spaces.flags(), None, enter_enclosed, argument) };
        match cloned {
            Err(Errno::ENOSYS | Errno::E2BIG) => *by_clone2 = true,
            cloned => return cloned,
        }
    }
    image.has_handlers();
    let argument = ptr::from_mut(image).cast::<c_void>();
    // SAFETY: as above.
    unsafe { stack.start_by_clone2(spaces.flags(), enter_enclosed, argument) }
}

/// What a child joins a cgroup by that it was not born in.
fn joining(folder: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    let flags = OFlag::O_WRONLY | OFlag::O_CLOEXEC;
    openat(folder, "cgroup.procs", flags, Mode::empty())
}

/// Starts the child of `image`. `cgroup`: the folder of the one that it is to be in. `by_clone2`:
/// learnt once, that the newer call is not to be had.
fn start(
    stack: &mut Stack,
    by_clone2: &mut bool,
    image: &mut Image<'_>,
    cgroup: Option<BorrowedFd<'_>>,
) -> Result<Cloned, Errno> {
    let argument = ptr::from_mut(image).cast::<c_void>();
    if !*by_clone2 {
        // SAFETY: `enter` keeps to its rules, and this is the image that it takes.
        let cloned = unsafe { stack.start(0, cgroup, enter, argument) };
        match cloned {
            // The older call would fare no better.
            Err(Errno::EAGAIN | Errno::ENOMEM | Errno::EMFILE | Errno::ENFILE) | Ok(_) => {
                return cloned;
            }
            Err(_) => *by_clone2 = true,
        }
    }
    image.has_handlers();
    let procs = cgroup.map(joining).transpose()?;
    if let Some(procs) = &procs {
        image.joins(procs.as_fd());
    }
    let argument = ptr::from_mut(image).cast::<c_void>();
    // SAFETY: as above.
    unsafe { stack.start_by_clone2(0, enter, argument) }
}

/// The numbers of the signals that we ignore. One that the C library keeps to itself is asked of
/// the kernel like any other.
fn ignored_signals() -> Vec<c_int> {
    let is_ignored = |&signal: &c_int| {
        let mut action = [0_usize; 4];
        // SAFETY: the kernel writes its `struct sigaction`, 32 bytes or less, and reads nothing.
        let asked = unsafe {
            libc::syscall(
                libc::SYS_rt_sigaction,
                signal,
                ptr::null::<usize>(),
                action.as_mut_ptr(),
                8,
            )
        };
        asked == 0 && action[0] == libc::SIG_IGN
    };
    (1..=64).filter(is_ignored).collect()
}

fn pipe() -> Result<(Pipe, OwnedFd), StartError> {
    let errno = |errno: Errno| system("make a pipe")(errno.into());
    let (reading, writing) = pipe2(OFlag::O_CLOEXEC).map_err(errno)?;
    fcntl(reading.as_fd(), FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(errno)?;
    Ok((Pipe::new(reading).map_err(system("watch a pipe"))?, writing))
}

fn system(what: &'static str) -> impl Fn(io::Error) -> StartError {
    move |source| StartError::System { what, source }
}

fn start_error(launch: &Launch, step: Step, errno: Errno) -> StartError {
    let program = launch.program.display().to_string();
    let what = match step {
        Step::Join => return StartError::NotInCgroup,
        Step::Fence => "hold its files by Landlock",
        Step::Prepare => "prepare the process",
        Step::EnterFolder => "enter the folder that it runs in",
        Step::Become => "start the process",
    };
    match (step, errno) {
        (Step::Become, Errno::ENOEXEC) => StartError::NoInterpreter(program),
        // The program was found before, so it is what it names that is missing.
        (Step::Become, Errno::ENOENT) => StartError::MissingInterpreter(program),
        (Step::Become, Errno::EACCES) => StartError::Denied(program),
        (Step::Become, Errno::E2BIG) => StartError::TooLong,
        _ => system(what)(errno.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::fd::AsRawFd as _;
    use std::path::Path;

    use super::{Launch, Spawned, StartError, Starter, Streams};
    use crate::contain::Read;
    use crate::contain::cgroup::Place;
    use crate::contain::processes;
    use crate::model::Exit;

    fn launch(program: &str, script: &str, cwd: &str) -> Launch {
        Launch {
            program: program.into(),
            argv: ["sh", "-c", script].map(OsString::from).into(),
            env: vec![("ONLY".into(), "this".into())],
            cwd: cwd.into(),
            streams: Streams::Joined,
            mark: "/nonexistent".into(),
            confinement: None,
        }
    }

    fn on_a_runtime<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .unwrap()
            .block_on(work)
    }

    /// What it printed, and how it ended.
    async fn outcome(spawned: Spawned) -> (String, Exit) {
        let mut text = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            spawned.stdout.readable().await.unwrap();
            match spawned.stdout.read(&mut buffer).unwrap() {
                Read::Bytes(count) => text.extend_from_slice(&buffer[..count]),
                Read::Empty => {}
                Read::End => break,
            }
        }
        let exit = spawned.leader.ended().await.unwrap();
        spawned.leader.reap();
        (String::from_utf8(text).unwrap(), exit)
    }

    /// A starter that goes the newer or the older way, whatever the kernel has.
    fn starter(by_clone2: bool) -> Starter {
        Starter {
            by_clone2,
            ..Starter::new().unwrap()
        }
    }

    #[test]
    fn a_child_is_sterile_and_in_its_cgroup_either_way() {
        // As a shell may hand on: a descriptor that is not close-on-exec, and an ignored signal.
        let inherited = std::fs::File::open("/dev/null").unwrap();
        // SAFETY: both calls take integers.
        unsafe {
            nix::libc::dup2(inherited.as_raw_fd(), 199);
            nix::libc::signal(nix::libc::SIGUSR2, nix::libc::SIG_IGN);
        }
        let script = "echo $$; ls /proc/$$/fd; env | sort; umask; pwd; ulimit -c; \
                      cat /proc/$$/cgroup; exec grep -E '^Sig(Blk|Ign)' /proc/self/status";
        for by_clone2 in [false, true] {
            let mut place = Place::new(processes::own().unwrap());
            let slot = place.as_mut().map(|place| place.take().unwrap());
            let mut starter = starter(by_clone2);
            let (text, exit) = on_a_runtime(async {
                let launch = launch("/bin/sh", script, "/");
                let cgroup = slot.as_ref().map(crate::contain::cgroup::Slot::folder);
                outcome(starter.spawn(&launch, cgroup, None).unwrap()).await
            });
            assert_eq!(exit, Exit::Code(0), "{text}");
            let (pid, rest) = text.split_once('\n').unwrap();
            let none = "0000000000000000";
            let expected = format!(
                "0\n1\n2\nONLY=this\nPWD=/\n0022\n/\n0\n\
                 SigBlk:\t{none}\nSigIgn:\t{none}\n"
            );
            let sterile: String = rest
                .lines()
                .filter(|line| !line.starts_with("_=") && !line.starts_with("OLDPWD"))
                .filter(|line| !line.contains(":/") && !line.contains("::"))
                .flat_map(|line| [line, "\n"])
                .collect();
            assert_eq!(sterile, expected, "{text}");
            if let (Some(slot), Some(place)) = (slot, &mut place) {
                assert!(text.contains(slot.name()), "{text}");
                place.give_back(slot);
            }
            assert!(!Path::new("/proc").join(pid).exists(), "it was waited for");
        }
    }

    #[test]
    fn what_cannot_be_started_says_why_and_leaves_no_child() {
        for by_clone2 in [false, true] {
            let mut starter = starter(by_clone2);
            on_a_runtime(async {
                let mut refused =
                    |program, cwd| starter.spawn(&launch(program, "", cwd), None, None);
                assert!(matches!(
                    refused("/nonexistent/sh", "/"),
                    Err(StartError::MissingInterpreter(_))
                ));
                assert!(matches!(
                    refused("/dev/null", "/"),
                    Err(StartError::Denied(_))
                ));
                let Err(error) = refused("/bin/sh", "/nonexistent") else {
                    panic!("it was started");
                };
                let text = error.to_string();
                assert!(
                    text.starts_with("enter the folder that it runs in: "),
                    "{text}"
                );
            });
        }
    }
}
