//! What a hostile header cannot do.

use crate::{marks, read};
use gbs_agent_core::limits::{FRONT_MATTER_ALIAS_BYTES, FRONT_MATTER_DEPTH, FRONT_MATTER_PROBLEMS};

#[test]
fn a_header_cannot_grow() {
    let bomb: String = (1..40).fold(
        "name: a\ndescription: b\na0: &a0 [x, x]\n".to_owned(),
        |text, n| {
            let last = n - 1;
            text + &format!("a{n}: &a{n} [*a{last}, *a{last}, *a{last}, *a{last}]\n")
        },
    );
    let found = read(&bomb);
    assert!(found.usable);
    assert!(found.front_matter.len() < 2 * FRONT_MATTER_ALIAS_BYTES);
    assert!(
        found
            .problems
            .iter()
            .any(|problem| problem.code == "alias-bound")
    );

    let chain: String = (1..400).fold("a0: &a0 [x]\n".to_owned(), |text, n| {
        text + &format!("a{n}: &a{n} [*a{}]\n", n - 1)
    });
    let found = read(&chain);
    let deepest = found.front_matter.matches('[').count();
    assert!(deepest > FRONT_MATTER_DEPTH);
    let json: serde_json::Value = serde_json::from_str(&found.front_matter).unwrap();
    assert!(json.is_object());
    assert!(
        found
            .problems
            .iter()
            .any(|problem| problem.code == "alias-bound")
    );
}

#[test]
fn nesting_is_bounded() {
    let deep = 100_000;
    for value in [
        "[".repeat(deep),
        "{a: ".repeat(deep),
        format!("{}{}", "[".repeat(deep), "]".repeat(deep)),
        format!("\n  {}x", "- ".repeat(deep)),
        format!("\n  {}x", "? ".repeat(deep)),
    ] {
        let found = read(&format!("x: {value}\nname: a\ndescription: b"));
        assert_eq!((found.name.as_deref(), found.usable), (Some("a"), true));
        assert!(
            found
                .problems
                .iter()
                .any(|problem| problem.code == "too-deep")
        );
        assert!(serde_json::from_str::<serde_json::Value>(&found.front_matter).is_ok());
    }
    let within = FRONT_MATTER_DEPTH / 2;
    let found = read(&format!(
        "name: a\ndescription: b\nx: {}{}",
        "[".repeat(within),
        "]".repeat(within)
    ));
    assert_eq!(marks(&found.problems), Vec::<String>::new());
    let lines: Vec<String> = (0..deep / 100)
        .map(|n| format!("{}k:", " ".repeat(n)))
        .collect();
    let lines = lines.join("\n");
    let found = read(&format!("name: a\ndescription: b\nx:\n{lines}"));
    assert!(found.usable);
    assert!(
        found
            .problems
            .iter()
            .any(|problem| problem.code == "too-deep")
    );
}

#[test]
fn problems_are_bounded() {
    let found = read(&format!(
        "name: a\ndescription: b\n{}",
        "x: *y\n".repeat(1000)
    ));
    assert_eq!(found.problems.len(), FRONT_MATTER_PROBLEMS + 1);
    assert_eq!(found.problems.last().unwrap().code, "more-problems");
    assert!(found.usable);
}
