//! The seeds of the fuzz targets, and what is near them, through the doors they are for. So the
//! targets stay built, and what the fuzzer once found stays found: its inputs are seeds.
#![cfg(not(target_arch = "wasm32"))]
// A test reads files and fails by panicking, and so do the doors.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

#[path = "../fuzz/doors/mod.rs"]
mod doors;

use std::path::{Path, PathBuf};

/// Places at which a seed is cut and at which a byte of it is left out.
const PLACES: usize = 40;

/// The same where globs are compiled, which takes its time in a build that is not optimised.
const PLACES_WITH_GLOBS: usize = 2;

fn seeds(door: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(door);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_door_takes_its_seeds_and_what_is_near_them() {
    for (door, _) in doors::DOORS {
        let seeds = seeds(door);
        assert!(!seeds.is_empty(), "{door} has no seeds");
        for file in seeds {
            // Printed by the test where a door fails.
            println!("{}", file.display());
            let seed = std::fs::read(&file).unwrap();
            doors::run(door, &seed);
            let places = if door == "catalogue" {
                PLACES_WITH_GLOBS
            } else {
                PLACES
            };
            let step = seed.len().div_ceil(places).max(1);
            for at in (0..seed.len()).step_by(step) {
                doors::run(door, &seed[..at]);
                doors::run(door, &[&seed[..at], &seed[at + 1..]].concat());
            }
        }
    }
}
