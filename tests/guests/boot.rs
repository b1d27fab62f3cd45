//! A guest that was booted, and what it left.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use serde_json::Value;

use super::harness;

/// One at a time: two cores, and no accelerator.
static ONE: Mutex<()> = Mutex::new(());
/// Beyond it a boot hangs.
const SECONDS: &str = "420";

/// What a guest left behind.
pub struct Guest {
    suite: String,
    out: tempfile::TempDir,
}

impl Guest {
    /// Boots `suite` with the built binary and waits until it is done.
    pub fn boot(suite: &str) -> Self {
        Self::by("boot", suite, &[])
    }

    /// As [`Guest::boot`], on this host's own kernel with its cgroups of version 1; `None` where it has
    /// none.
    pub fn boot_here(suite: &str) -> Option<Self> {
        let memory = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let is_version_1 = memory.lines().any(|line| line.contains(":memory:"));
        is_version_1.then(|| Self::by("boot-here", suite, &["unlimited"]))
    }

    /// `script`: what boots it. `marks`: empty files beside what it runs.
    fn by(script: &str, suite: &str, marks: &[&str]) -> Self {
        let _one = ONE
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let images =
            std::env::var_os("CHECK_GUESTS").expect("CHECK_GUESTS names the images' folder");
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        let payload = tempfile::tempdir().unwrap();
        let program = payload.path().join("breakout");
        let built = Command::new("gcc")
            .args(["-O1", "-static", "-o"])
            .arg(&program)
            .arg(project.join("fixtures/breakouts/breakout.c"))
            .status()
            .unwrap();
        assert!(built.success());
        fs::copy(env!("CARGO_BIN_EXE_check"), payload.path().join("check")).unwrap();
        fs::copy(
            project.join("tests/guests/run.sh"),
            payload.path().join("run.sh"),
        )
        .unwrap();
        fs::write(payload.path().join("harness.json"), harness::manifest()).unwrap();
        for mark in marks {
            fs::write(payload.path().join(mark), "").unwrap();
        }
        let out = tempfile::tempdir().unwrap();
        let boot = Command::new(project.join(".ci/guest").join(script))
            .arg(Path::new(&images).join(suite))
            .args([payload.path(), out.path()])
            .arg(SECONDS)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&boot.stdout);
        println!("{said}");
        assert!(
            boot.status.success(),
            "{}",
            String::from_utf8_lossy(&boot.stderr)
        );
        Self {
            suite: suite.to_owned(),
            out,
        }
    }

    /// `bookworm` or `trixie`.
    pub fn suite(&self) -> &str {
        &self.suite
    }

    /// The text that a run left as `name`.
    pub fn text(&self, name: &str) -> String {
        let path: PathBuf = self.out.path().join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The verdict of the run `name`.
    pub fn verdict(&self, name: &str) -> Value {
        let text = self.text(&format!("{name}.json"));
        serde_json::from_str(&text).unwrap_or_else(|error| {
            let said = self.text(&format!("{name}.err"));
            panic!("{name}: {error}\n{text}\n{said}")
        })
    }

    /// The exit code of the run `name`.
    pub fn code(&self, name: &str) -> i32 {
        self.text(&format!("{name}.code")).trim().parse().unwrap()
    }
}
