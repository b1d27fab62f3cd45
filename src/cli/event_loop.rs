//! The loop that a run is driven by, and the signals that are heard in it.

use anyhow::Context as _;
use tokio::runtime::{Builder, Runtime};

use crate::run::signals::Signals;

/// From when it is made on, signals that would end this process are heard instead. There is one a
/// run: what is heard by one and not answered is lost to the next.
pub struct EventLoop {
    runtime: Runtime,
    signals: Signals,
}

impl EventLoop {
    /// On this thread.
    pub fn new() -> anyhow::Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .context("cannot watch processes")?;
        let signals = {
            let _inside = runtime.enter();
            Signals::listen().context("cannot hear signals")?
        };
        Ok(Self { runtime, signals })
    }

    /// Does `what` to its end.
    pub fn run<T>(&mut self, what: impl AsyncFnOnce(&mut Signals) -> T) -> T {
        self.runtime.block_on(what(&mut self.signals))
    }
}
