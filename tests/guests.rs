//! Containment in real machines: Debian 12 (systemd 252) and Debian 13 (systemd 257) under qemu,
//! with a pure cgroup v2 tree. Run by `.ci/guests`, which makes the images:
//!
//! `CHECK_GUESTS=FOLDER cargo test --test guests`, FOLDER having one folder for each suite.
//!
//! One boot of each does everything and leaves a verdict for each run; what is asserted is read
//! from those.

#[path = "guests/boot.rs"]
mod boot;
#[path = "guests/harness.rs"]
mod harness;
#[path = "guests/verdicts.rs"]
mod verdicts;

use boot::Guest;

#[test]
fn debian_12_with_systemd_252() {
    verdicts::assert_held(&Guest::boot("bookworm"));
}

#[test]
fn debian_13_with_systemd_257() {
    verdicts::assert_held(&Guest::boot("trixie"));
}
