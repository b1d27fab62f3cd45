//! Children that misbehave, the ways in which a check ends, and whether anything outlived it.
//!
//! A [`cell::Cell`] is one shape of child brought to one end under one mechanism. The matrix plays
//! every cell once, the stress program plays cells at random until its time is over.

pub mod cell;
pub mod dice;
pub mod ends;
pub mod fault;
pub mod hold;
pub mod killed_runs;
pub mod pool;
pub mod processes;
pub mod running;
pub mod scene;
pub mod shapes;
pub mod surroundings;
