//! SKILL.md bytes → fields and body.

use gbs_agent_core::skills::front_matter::{ParsedSkill, parse_batch, parse_skill};
use serde_json::Value;

pub fn run(data: &[u8]) {
    let skill = parse_skill(data, "folder");
    assert_eq!(skill, parse_skill(data, "folder"));
    let header: Value = serde_json::from_str(&skill.front_matter).expect("the header is JSON");
    assert!(header.is_object());
    if let Some(metadata) = &skill.fields.metadata {
        let metadata: Value = serde_json::from_str(metadata).expect("metadata is JSON");
        assert_eq!(Some(&metadata), header.get("metadata"));
    }
    let lines = skill.problems.iter().map(|problem| problem.start);
    assert!(lines.is_sorted());
    for problem in &skill.problems {
        assert!(problem.start.line >= 1 && problem.start.column >= 1);
        assert!(problem.start <= problem.end, "{problem:?}");
    }
    if skill.usable {
        assert!(skill.name.is_some() && skill.description.is_some());
    }
    in_one_call(data, &skill);
}

/// Two in one call are what they are alone.
fn in_one_call(data: &[u8], alone: &ParsedSkill) {
    let length = u32::try_from(data.len()).expect("a short input");
    let twice = [data, data].concat();
    let batch = parse_batch(&twice, &[length, length], &["folder", "folder"]);
    let batch = batch.expect("lengths that add up");
    assert!(batch.text.contains(&alone.front_matter));
    let none = parse_batch(&twice, &[length, length + 1], &["folder", "folder"]);
    assert!(none.is_none());
}
