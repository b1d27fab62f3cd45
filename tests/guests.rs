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

/// The service managers there take every limit that they are asked for, say that it is set, and enforce
/// none of a user's.
#[test]
fn a_host_with_cgroups_of_version_1() {
    match Guest::boot_here("bookworm") {
        Some(guest) => verdicts::assert_unlimited(&guest),
        None => println!("not tested: this host has no cgroups of version 1"),
    }
}

#[test]
fn debian_13_with_systemd_257() {
    verdicts::assert_held(&Guest::boot("trixie"));
}
