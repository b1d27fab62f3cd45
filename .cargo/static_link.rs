//! Links `check` with the C library inside it: one file that runs on any Linux of its architecture,
//! and that starts without a dynamic loader.
//!
//! `-C target-feature=+crt-static` says the same, but only where `--target` is given: without it
//! procedural macros are built with it too, and a macro must be a shared library. So the binary
//! alone is told to be static here. The linker is still asked for the shared `libc` and `libgcc_s`
//! by the standard library; linker scripts of those names hand it the archives instead.

#![expect(clippy::print_stdout, reason = "a build script speaks to cargo so")]

use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

/// The shared libraries that the standard library names, and what stands in for each.
const STAND_INS: [(&str, &str); 7] = [
    ("libc.so", "INPUT(libc.a)"),
    ("libgcc_s.so", "GROUP(libgcc_eh.a libgcc.a)"),
    ("libm.so", "INPUT(libm.a)"),
    ("librt.so", "INPUT(librt.a)"),
    ("libpthread.so", "INPUT(libpthread.a)"),
    ("libutil.so", "INPUT(libutil.a)"),
    ("libdl.so", "INPUT(libdl.a)"),
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=.cargo/static_link.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let by_rustc = target("FEATURE").split(',').any(|it| it == "crt-static");
    if target("OS") != "linux" || target("ENV") != "gnu" || by_rustc {
        return Ok(());
    }
    if !has_archives() {
        println!(
            "cargo::warning=no static C library (libc.a) was found, so check needs the shared one \
             where it runs; Debian has it in libc6-dev, Fedora in glibc-static"
        );
        return Ok(());
    }
    let folder = env::var("OUT_DIR").map_err(io::Error::other)?;
    for (name, script) in STAND_INS {
        fs::write(Path::new(&folder).join(name), format!("{script}\n"))?;
    }
    for argument in [&format!("-L{folder}"), "-no-pie", "-static"] {
        println!("cargo::rustc-link-arg-bin=check={argument}");
    }
    Ok(())
}

/// Whether the linker's driver knows the archives: it answers with a path where it does.
fn has_archives() -> bool {
    let driver = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned());
    ["libc.a", "libgcc_eh.a"].iter().all(|archive| {
        let asked = Command::new(&driver)
            .arg(format!("-print-file-name={archive}"))
            .output();
        asked.is_ok_and(|answer| {
            let path = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
            path != *archive && Path::new(&path).is_file()
        })
    })
}
