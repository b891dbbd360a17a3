//! Exports of `crate::approval`.
