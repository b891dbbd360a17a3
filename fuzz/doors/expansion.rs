//! A template and values → a text. Parts: the template, then the value of `A`, then that of `B`.

use super::parts;
use gbs_agent_core::config::expand::{Piece, Variables, expand};
use std::collections::BTreeMap;

pub fn run(data: &[u8]) {
    let parts = parts(data);
    let template = &parts[0];
    let environment: BTreeMap<String, String> = ["A", "B"]
        .iter()
        .zip(&parts[1..])
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let variables = Variables::new(&environment, false, "/w", "/u");
    let expansion = expand(template, &variables);
    assert_eq!(expansion, expand(template, &variables));
    let expanded = &expansion.expanded;
    assert_eq!(&expanded.template, template);
    assert!(expanded.pieces.iter().all(|piece| !piece.text().is_empty()));
    for piece in &expanded.pieces {
        match piece {
            // What a value brings in arrives unchanged.
            Piece::Brought { name, text } => assert_eq!(environment.get(name), Some(text)),
            Piece::Folder { name, text } => match name.as_str() {
                "workspaceFolder" => assert_eq!(text, "/w"),
                _ => assert_eq!((name.as_str(), text.as_str()), ("userHome", "/u")),
            },
            // What is written stands in the template; a default of a default does, too.
            Piece::Written { text } => assert!(text.len() <= template.len()),
        }
    }
    if !template.contains('$') {
        assert_eq!(&expanded.text(), template);
        assert!(expansion.reads.is_empty() && expansion.literals.is_empty());
    }
}
