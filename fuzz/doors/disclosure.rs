//! A skill's body and resources → parts. Parts: a path, a folder, a target, then the body.

use super::{byte_parts, parts};
use gbs_agent_core::skills::catalogue::SkillOrigin;
use gbs_agent_core::skills::containment::{PathStyle, is_within, resource_path};
use gbs_agent_core::skills::disclosure::{
    BodyRequest, BundledFile, Disclosed, FolderRequest, InstructionsFile, PartRequest,
    ResourceRequest, list_resources, load_body, load_resource, project_instructions,
};

/// A window in which a part has the fewest characters.
const SMALL_WINDOW: u32 = 1_000;

pub fn run(data: &[u8]) {
    let texts = parts(data);
    let part = |index: usize| texts.get(index).map_or("", String::as_str);
    let (path, folder, target, body) = (part(0), part(1), part(2), part(3));
    inside(path, folder, target);
    all_parts(body, path);
    let bytes = byte_parts(data).get(3).copied().unwrap_or_default();
    let request = ResourceRequest {
        of: of(1),
        resource: path.to_owned(),
    };
    let refused = matches!(load_resource(&request, bytes), Disclosed::Refused { .. });
    assert_eq!(refused, resource_path(path).is_err());
    let _list = list_resources(&FolderRequest {
        of: of(1),
        folder: folder.to_owned(),
        files: files(path),
    });
    let instructions = [body, target].map(|text| InstructionsFile {
        path: path.to_owned(),
        text: text.to_owned(),
    });
    let kept = project_instructions(&instructions, Some(SMALL_WINDOW));
    assert!(kept.len() <= instructions.len());
}

fn inside(path: &str, folder: &str, target: &str) {
    if let Ok(clean) = resource_path(path) {
        assert!(!clean.starts_with('/') && !clean.contains('\0') && !clean.contains('\\'));
        assert!(clean.split('/').all(|part| part != ".." && part != "."));
        // Empty is the skill's own folder, which nobody writes so.
        let again = if clean.is_empty() { "." } else { &clean };
        assert_eq!(resource_path(again).as_deref().ok(), Some(clean.as_str()));
    }
    for style in [PathStyle::Posix, PathStyle::Windows] {
        let within = is_within(folder, target, style);
        if within && style == PathStyle::Posix && !folder.is_empty() {
            assert!(target.starts_with(folder.trim_end_matches('/')));
        }
    }
}

/// Nothing of a body is ever unreachable: every part up to the last is there, and no other.
fn all_parts(body: &str, path: &str) {
    let request = |part| BodyRequest {
        of: of(part),
        body: body.to_owned(),
        files: files(path),
    };
    let Disclosed::Text { parts, .. } = load_body(&request(1)) else {
        panic!("the first part is always there");
    };
    for part in 1..=parts {
        let Disclosed::Text { part: given, .. } = load_body(&request(part)) else {
            panic!("part {part} of {parts} is there");
        };
        assert_eq!(given, part);
    }
    let after = load_body(&request(parts + 1));
    assert!(matches!(after, Disclosed::Refused { .. }));
}

fn of(part: u32) -> PartRequest {
    PartRequest {
        name: "skill".to_owned(),
        origin: SkillOrigin::Project,
        part: Some(part),
        context_window: Some(SMALL_WINDOW),
    }
}

fn files(path: &str) -> Vec<BundledFile> {
    vec![BundledFile {
        path: path.to_owned(),
        size: 1,
    }]
}
