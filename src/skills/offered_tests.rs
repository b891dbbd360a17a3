//! What servers list, hostile lists too, as tables.

use super::catalogue::{CatalogueOptions, CatalogueSkill, CatalogueSource, SkillOrigin, build};
use super::offered::{OfferedSkill, OfferedSkills, read, same_header};
use super::offered_names::is_offered_name;
use super::report::SkillState;
use crate::limits::{
    OFFERED_BYTES, OFFERED_FILES, OFFERED_MANIFEST_BYTES, OFFERED_PROBLEMS, OFFERED_SKILLS,
    OFFERED_URI_CHARACTERS,
};
use serde_json::{Value, json};

fn file(uri: &str) -> Value {
    json!({ "uri": uri, "digest": format!("sha256:{}", "0a".repeat(32)), "size": 20 })
}

/// A right entry for a folder's address.
fn entry(root: &str) -> Value {
    let name = root.rsplit('/').next().unwrap();
    let uri = format!("{root}/SKILL.md");
    json!({
        "uri": uri,
        "frontmatter": { "name": name, "description": format!("Does {name}.") },
        "resources": [file(&uri)],
    })
}

fn with(mut entry: Value, key: &str, value: Value) -> Value {
    entry[key] = value;
    entry
}

fn listed(entries: &[Value]) -> OfferedSkills {
    read("docs", &[json!({ "skills": entries }).to_string()])
}

/// The one skill of an entry.
fn one(entry: Value) -> OfferedSkill {
    let OfferedSkills {
        mut skills,
        problems,
        ..
    } = listed(&[entry]);
    assert_eq!(problems, Vec::<String>::new());
    skills.pop().unwrap()
}

#[test]
fn a_right_entry() {
    let uri = "skill://acme/billing/refunds/SKILL.md";
    let form = "skill://acme/billing/refunds/references/a%20b.md";
    let mut given = entry("skill://acme/billing/refunds");
    given["resources"] = json!([file(form), file(uri)]);
    given["frontmatter"]["tags"] = json!(["money"]);
    given["frontmatter"]["metadata"] = json!({ "a": { "b": [1, null, "ü\u{2028}\"\\"] } });
    given["frontmatter"]["disable-model-invocation"] = json!(true);
    let skill = one(given.clone());
    assert!(skill.usable, "{:?}", skill.problems);
    assert_eq!(skill.name, "docs:refunds");
    assert_eq!(skill.root, "skill://acme/billing/refunds");
    assert_eq!(skill.description.as_deref(), Some("Does refunds."));
    assert_eq!(skill.fields.tags, ["money"]);
    assert!(skill.fields.disable_model_invocation);
    assert_eq!(skill.problems, []);
    let paths: Vec<(&str, &str)> = skill
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.uri.as_str()))
        .collect();
    assert_eq!(paths, [("SKILL.md", uri), ("references/a b.md", form)]);
    let header: Value = serde_json::from_str(&skill.front_matter).unwrap();
    assert_eq!(header, given["frontmatter"]);
}

/// Why an entry's skill cannot be used: the code of its first error.
#[track_caller]
fn unusable(entry: Value, code: &str) {
    let skill = one(entry);
    assert!(!skill.usable);
    assert_eq!(skill.problems[0].code, code, "{:?}", skill.problems);
}

#[test]
fn entries_that_cannot_be_used() {
    let right = || entry("skill://refunds");
    let uri = "skill://refunds/SKILL.md";
    let resources = |list: Value| with(right(), "resources", list);
    unusable(
        with(right(), "frontmatter", Value::Null),
        "offered-no-header",
    );
    unusable(
        with(right(), "frontmatter", json!(["name"])),
        "offered-no-header",
    );
    unusable(
        with(right(), "frontmatter", json!({ "name": "refunds" })),
        "missing-description",
    );
    unusable(
        with(
            right(),
            "frontmatter",
            json!({ "name": "pay", "description": "x" }),
        ),
        "offered-other-name",
    );
    unusable(entry("skill://acme/Bad_Name"), "invalid-name");
    unusable(resources(json!("dynamic")), "offered-dynamic");
    for broken in [
        Value::Null,
        json!("static"),
        json!({}),
        json!([]),
        json!([null]),
        json!([{}]),
        json!([file("skill://refunds/other.md")]),
        json!([file(uri), file(uri)]),
        json!([
            file(uri),
            file("skill://refunds/a.md"),
            file("skill://refunds/A.md")
        ]),
        json!([file(uri), file("skill://refunds/../b/c.md")]),
        json!([file(uri), file("skill://refunds/%2e%2e/c.md")]),
        json!([file(uri), file("skill://refunds/a%2fb.md")]),
        json!([file(uri), file("skill://refunds/a%5cb.md")]),
        json!([file(uri), file("skill://refunds/a%00.md")]),
        json!([file(uri), file("skill://refunds/a%ff.md")]),
        json!([file(uri), file("skill://refunds/a%2")]),
        json!([file(uri), file("skill://refunds//a.md")]),
        json!([file(uri), file("skill://refunds/./a.md")]),
        json!([file(uri), file("skill://refunds/a.md?x")]),
        json!([file(uri), file("skill://refunds-of-others/a.md")]),
        json!([file(uri), file("file:///etc/passwd")]),
        json!([file(uri), file("skill://refunds")]),
        json!([with(file(uri), "digest", json!("sha256:00"))]),
        json!([with(
            file(uri),
            "digest",
            json!(format!("sha256:{}", "0A".repeat(32)))
        )]),
        json!([with(
            file(uri),
            "digest",
            json!(format!("md5:{}", "0a".repeat(32)))
        )]),
        json!([with(file(uri), "size", json!(-1))]),
        json!([with(file(uri), "size", json!("20"))]),
        json!([with(file(uri), "size", json!(1.5))]),
        json!([with(file(uri), "size", Value::Null)]),
    ] {
        unusable(resources(broken), "offered-files-broken");
    }
    let many = |n: usize| {
        let names = (1..n).map(|n| file(&format!("skill://refunds/{n}.md")));
        json!(std::iter::once(file(uri)).chain(names).collect::<Vec<_>>())
    };
    assert!(one(resources(many(OFFERED_FILES))).usable);
    unusable(resources(many(OFFERED_FILES + 1)), "offered-too-many-files");
    let sized = |size: u64| with(file(uri), "size", json!(size));
    let rest = |size: u64| with(file("skill://refunds/a.bin"), "size", json!(size));
    assert!(one(resources(json!([file(uri), rest(OFFERED_BYTES - 20)]))).usable);
    unusable(
        resources(json!([file(uri), rest(OFFERED_BYTES - 19)])),
        "offered-too-large",
    );
    assert!(one(resources(json!([sized(OFFERED_MANIFEST_BYTES)]))).usable);
    unusable(
        resources(json!([sized(OFFERED_MANIFEST_BYTES + 1)])),
        "offered-too-large",
    );
}

#[test]
fn entries_that_are_no_skill() {
    let long = format!("skill://{}/SKILL.md", "a".repeat(OFFERED_URI_CHARACTERS));
    let uris = [
        json!(null),
        json!(7),
        json!(""),
        json!("SKILL.md"),
        json!("skill://SKILL.md"),
        json!("skill://a/skill.md"),
        json!("skill://a/../b/SKILL.md"),
        json!("skill://a/%2E%2E/SKILL.md"),
        json!("skill://../SKILL.md"),
        json!("skill:///SKILL.md"),
        json!("://a/SKILL.md"),
        json!("sk ill://a/SKILL.md"),
        json!("skill://a\u{200b}/SKILL.md"),
        json!("skill://a\n/SKILL.md"),
        json!("skill://a?b/SKILL.md"),
        json!("skill://a\\b/SKILL.md"),
        json!(long),
    ];
    for uri in uris {
        let OfferedSkills {
            skills, problems, ..
        } = listed(&[
            with(entry("skill://a"), "uri", uri.clone()),
            entry("skill://b"),
        ]);
        assert_eq!(skills.len(), 1, "{uri}");
        assert_eq!(skills[0].name, "docs:b");
        assert_eq!(problems.len(), 1, "{uri}");
        assert!(
            problems[0].starts_with("Entry 1 of its list is left out: "),
            "{problems:?}"
        );
    }
    let repeated = listed(&[entry("skill://a"), entry("skill://a")]);
    assert_eq!(repeated.skills.len(), 1);
    assert_eq!(repeated.problems.len(), 1);
    let nothing = listed(&[
        json!(null),
        json!(1),
        json!("skill://a/SKILL.md"),
        json!([]),
    ]);
    assert_eq!((nothing.skills.len(), nothing.problems.len()), (0, 4));
    let many = listed(&vec![Value::Null; 100]);
    assert_eq!(many.problems.len(), OFFERED_PROBLEMS + 1);
}

#[test]
fn pages() {
    let page = |root: &str| json!({ "skills": [entry(root)] }).to_string();
    let deep = format!(
        "{{\"skills\":{}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let broken = [
        "",
        "null",
        "{}",
        "{\"skills\":{}}",
        "[]",
        "{\"skills\":[",
        deep.as_str(),
    ];
    for broken in broken {
        let offered = read(
            "docs",
            &[page("skill://a"), broken.to_owned(), page("skill://b")],
        );
        assert_eq!(
            offered.skills.len(),
            2,
            "{}",
            broken.get(..20).unwrap_or(broken)
        );
        assert_eq!(offered.problems.len(), 1);
    }
    let huge: Vec<Value> = (0..=OFFERED_SKILLS)
        .map(|n| entry(&format!("skill://s{n}")))
        .collect();
    let offered = listed(&huge);
    assert_eq!(
        (offered.skills.len(), offered.problems.len()),
        (OFFERED_SKILLS, 1)
    );
    assert_eq!(listed(&huge[1..]).problems.len(), 0);
}

/// Server, folders, the names they get.
#[track_caller]
fn names(server: &str, roots: &[&str], expected: &[&str]) {
    let entries: Vec<Value> = roots.iter().map(|root| entry(root)).collect();
    let offered = read(server, &[json!({ "skills": entries }).to_string()]);
    let found: Vec<&str> = offered
        .skills
        .iter()
        .map(|skill| skill.name.as_str())
        .collect();
    assert_eq!(found, expected);
    for name in found {
        assert!(is_offered_name(name), "{name}");
    }
}

#[test]
fn names_tell_servers_and_paths_apart() {
    names("docs", &["skill://a", "skill://x/b"], &["docs:a", "docs:b"]);
    names(
        "docs",
        &[
            "skill://acme/billing/refunds",
            "skill://acme/support/refunds",
            "skill://refunds",
        ],
        &[
            "docs:acme/billing/refunds",
            "docs:acme/support/refunds",
            "docs:refunds",
        ],
    );
    names(
        "docs",
        &["skill://a", "github://a", "skill://x%20y/a"],
        &["docs:a_097777f1", "docs:a_476687a5", "docs:a_f9dbf86a"],
    );
    names("a b", &["skill://a"], &["a_b_dfa58307:a"]);
    names("", &["skill://a"], &["_6e340b9c:a"]);
    for name in [
        "a",
        ":a",
        "a:",
        "a b:c",
        "a:b c",
        "a:b:c",
        "a:\u{200b}b",
        "ä:b",
    ] {
        assert!(!is_offered_name(name), "{name}");
    }
}

#[test]
fn nothing_of_a_server_stands_in_for_anothers() {
    let plain = |origin: SkillOrigin, label: &str, name: &str| CatalogueSource {
        origin,
        label: label.to_owned(),
        skills: vec![CatalogueSkill {
            path: format!("{label}/{name}"),
            usable: true,
            name: Some(name.to_owned()),
            description: Some("Does it.".to_owned()),
            ..CatalogueSkill::default()
        }],
    };
    let built = build(
        vec![
            plain(SkillOrigin::User, "~/.gbs/skills", "refunds"),
            plain(SkillOrigin::Server, "docs", "docs:refunds"),
            plain(SkillOrigin::Server, "shop", "shop:refunds"),
            // A source that says it is a server's does not come by another name.
            plain(SkillOrigin::Server, "evil", "deploy"),
            plain(SkillOrigin::Project, ".gbs/skills", "docs:refunds"),
        ],
        &CatalogueOptions::default(),
    );
    let states: Vec<SkillState> = built.skills.iter().map(|skill| skill.state).collect();
    let (full, unusable) = (SkillState::Full, SkillState::Unusable);
    assert_eq!(states, [full, full, full, unusable, unusable]);
    assert!(
        built
            .block
            .contains("\n- docs:refunds: Does it.\n- refunds: Does it.\n- shop:refunds:")
    );
}

#[test]
fn a_header_is_compared_field_by_field() {
    let entry =
        r#"{"name":"a","description":"x: y","n":1,"list":[1.0,true,null],"map":{"a":"1","b":[]}}"#;
    let check = |header: &str, expected: bool| {
        let file = format!("---\n{header}\n---\nBody");
        assert_eq!(same_header(entry, file.as_bytes()), expected, "{header}");
    };
    let right =
        "map: { b: [], a: '1' }\nname: a\ndescription: \"x: y\"\nn: 1.0\nlist: [1, true, ~]";
    check(right, true);
    check(&right.replace("x: y", "x:  y"), false);
    check(&right.replace("name: a", "name: b"), false);
    check(&right.replace("n: 1.0", "n: '1'"), false);
    check(&right.replace("[1, true", "[true, 1"), false);
    check(&format!("{right}\nallowed-tools: run_command"), false);
    check(&right.replace("n: 1.0\n", ""), false);
    check("", false);
    assert!(!same_header("not json", b"---\nname: a\n---\n"));
}
