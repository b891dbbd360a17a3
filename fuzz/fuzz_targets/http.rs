#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| doors::run("http", data));
