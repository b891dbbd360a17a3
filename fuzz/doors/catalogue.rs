//! Many SKILL.md → the catalogue, and a search over it. Parts: a query, an open file, then skills.

use super::parts;
use gbs_agent_core::skills::catalogue::{
    CatalogueFields, CatalogueOptions, CatalogueSkill, CatalogueSource, SkillOrigin, build,
};
use gbs_agent_core::skills::front_matter::parse_skill;
use gbs_agent_core::skills::globs;
use gbs_agent_core::skills::search::{Index, SearchEntry};

const ORIGINS: [SkillOrigin; 3] = [
    SkillOrigin::Project,
    SkillOrigin::Package,
    SkillOrigin::User,
];

pub fn run(data: &[u8]) {
    let parts = parts(data);
    let [query, open_file, files @ ..] = parts.as_slice() else {
        return;
    };
    let mut sources: Vec<CatalogueSource> = ORIGINS
        .iter()
        .map(|origin| CatalogueSource {
            origin: *origin,
            label: "skills".to_owned(),
            skills: Vec::new(),
        })
        .collect();
    let mut entries = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let parsed = parse_skill(file.as_bytes(), "");
        let name = parsed.name.clone().unwrap_or_default();
        entries.push(SearchEntry {
            id: format!("{index}/{name}"),
            name,
            description: parsed.description.clone().unwrap_or_default(),
            tags: parsed.fields.tags,
        });
        sources[index % ORIGINS.len()].skills.push(CatalogueSkill {
            path: format!("folder/{index}"),
            usable: parsed.usable,
            name: parsed.name,
            description: parsed.description,
            fields: CatalogueFields {
                auto_attach: parsed.fields.auto_attach,
                disable_model_invocation: parsed.fields.disable_model_invocation,
            },
            problems: parsed.problems,
            held_back: None,
        });
    }
    let options = CatalogueOptions {
        open_file: Some(open_file.clone()),
        context_window: u32::try_from(query.len()).ok().map(|n| n * 1_000),
        limit: None,
    };
    let catalogue = build(sources, &options);
    assert_eq!(catalogue.skills.len(), files.len());
    // A description can never look like another line of the prompt.
    for line in catalogue.block.lines().skip(1) {
        assert!(!line.starts_with('#'), "{line}");
    }
    let found = Index::new(&entries).search(query, 5);
    assert!(found.len() <= 5);
    assert!(found.is_sorted_by(|one, other| one.score >= other.score));
    let paths = vec![open_file.clone(), query.clone()];
    let matched = globs::filter(query, &paths).matches;
    assert!(matched.iter().all(|index| *index < 2));
}
