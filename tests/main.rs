//! The end-to-end tests: the real binary on real tools.
