//! Exports of `crate::config`.
