//! Exports of `crate::skills`.
