//! The reading end of a check's output.

#[cfg(target_os = "linux")]
pub use linux::Pipe;
#[cfg(windows)]
pub use windows::Pipe;

/// What one read gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// So many bytes, at least 1.
    Bytes(usize),
    /// Nothing for now.
    Empty,
    /// Every writing end is closed.
    End,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;
    use std::os::fd::OwnedFd;

    use tokio::net::unix::pipe::Receiver;

    use super::Read;

    /// A pipe's reading end, never blocking.
    pub struct Pipe(Receiver);

    impl Pipe {
        /// `fd`: the reading end of a pipe, which does not block.
        pub(in crate::contain) fn new(fd: OwnedFd) -> io::Result<Self> {
            Receiver::from_owned_fd_unchecked(fd).map(Self)
        }

        /// Waits until a read would give something. Safe to cancel.
        pub async fn readable(&self) -> io::Result<()> {
            self.0.readable().await
        }

        /// Reads what is there.
        pub fn read(&self, buffer: &mut [u8]) -> io::Result<Read> {
            match self.0.try_read(buffer) {
                Ok(0) => Ok(Read::End),
                Ok(count) => Ok(Read::Bytes(count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Read::Empty),
                Err(error) => Err(error),
            }
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::convert::Infallible;
    use std::future::Ready;
    use std::io;

    use super::Read;

    /// A pipe's reading end; none can be had here.
    pub struct Pipe(Infallible);

    impl Pipe {
        /// Waits until a read would give something.
        pub fn readable(&self) -> Ready<io::Result<()>> {
            match self.0 {}
        }

        /// Reads what is there.
        pub fn read(&self, _buffer: &mut [u8]) -> io::Result<Read> {
            match self.0 {}
        }
    }
}
