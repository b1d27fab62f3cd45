//! `check`: one verdict on a source tree.
//!
//! Data runs one way, and each room below knows only the rooms before it:
//!
//! ```text
//! harness.json ─┐
//!               ├─ manifest / detect ─► CheckSpec ─► run ─► Outcome ─┐
//! go.mod … ─────┘                                    │               ├─► CheckResult ─► Verdict ─► report
//!                                          launch, contain           │
//!                                                    │               │
//!                        child bytes ─► parse ─► Failure ─► RowSink ─┘
//!                                                           (ratchet, handed in by cli)
//! ```
//!
//! `run` never sees a manifest, a baseline or a report: rows leave it through a
//! [`model::RowSink`], so that no cap ever stands between a tool and the ratchet.
//!
//! | room | may import |
//! |---|---|
//! | `text`, `model` | nothing |
//! | `parse`, `ratchet`, `manifest`, `detect`, `report` | `model`, `text` |
//! | `contain`, `launch` | `model` |
//! | `vcs` | `text` |
//! | `bar` | `model`, `manifest`, `ratchet`, `vcs`, `text` |
//! | `run` | `model`, `text`, `launch`, `contain`, `parse` |
//! | `exit` | `model` |
//! | `cli` | all |
//!
//! `tests/layers.rs` reads the imports of every file and holds this table.

#[cfg(not(any(target_os = "linux", windows)))]
compile_error!("check ends what it starts by means that only Linux and Windows have");

pub mod bar;
pub mod cli;
pub mod contain;
pub mod detect;
pub mod exit;
pub mod launch;
pub mod manifest;
pub mod model;
pub mod parse;
pub mod ratchet;
pub mod report;
pub mod run;
pub mod text;
pub mod vcs;
