//! Somebody else's text → text that is shown to a person or a model.

use gbs_agent_core::skills::guidance::defused;
use gbs_agent_core::skills::hidden::find_hidden;
use gbs_agent_core::text::{clean, is_hidden, one_line, tokens, visible, wrapped};

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let shown = visible(&text);
    assert!(!shown.contains(is_hidden));
    assert_eq!(visible(&shown), shown);
    let line = one_line(&text);
    assert!(!line.contains(is_hidden) && !line.contains(['\n', '\t', '\r']));
    assert_eq!(one_line(&line), line);
    let cleaned = clean(&text);
    assert!(!cleaned.contains(is_hidden) && !cleaned.contains('\r'));
    let harmless = defused(&text);
    assert_eq!(defused(&harmless), harmless);
    let data = wrapped("data", &text, &text);
    assert!(data.ends_with("\n</data>"));
    assert_eq!(data.to_ascii_lowercase().matches("</data").count(), 1);
    assert!(tokens(&text) <= text.chars().count());
    let hidden = find_hidden(&text);
    assert!(
        hidden
            .iter()
            .all(|found| found.lines.iter().all(|line| *line >= 1))
    );
}
