//! What variables are.

use super::Piece;
use crate::text::upper;
use std::collections::BTreeMap;

/// A variable that another program fills in by itself; here it never has a value, whatever the
/// environment says.
pub(super) const FOREIGN: &str = "CLAUDE_PLUGIN_ROOT";

/// What variables are.
#[derive(Clone, Debug)]
pub struct Variables {
    environment: BTreeMap<String, String>,
    ignores_case: bool,
    workspace_folder: Option<String>,
    user_home: Option<String>,
}

impl Variables {
    /// `ignores_case`: names are the same in upper and lower case, as on Windows. An empty folder
    /// is one that there is not.
    pub fn new(
        environment: &BTreeMap<String, String>,
        ignores_case: bool,
        workspace_folder: &str,
        user_home: &str,
    ) -> Self {
        let folder = |path: &str| (!path.is_empty()).then(|| path.to_owned());
        // Not by collecting, which would bring another copy of the sort along.
        let mut by_key = BTreeMap::new();
        for (name, value) in environment {
            by_key.insert(key(name, ignores_case), value.clone());
        }
        Self {
            environment: by_key,
            ignores_case,
            workspace_folder: folder(workspace_folder),
            user_home: folder(user_home),
        }
    }

    /// The same, with another workspace folder.
    #[must_use]
    pub fn within(&self, workspace_folder: &str) -> Self {
        let mut other = self.clone();
        other.workspace_folder =
            (!workspace_folder.is_empty()).then(|| workspace_folder.to_owned());
        other
    }

    /// The value of a name without prefix.
    pub(super) fn value(&self, name: &str) -> Option<Piece> {
        let folder = match name {
            "workspaceFolder" => &self.workspace_folder,
            "userHome" => &self.user_home,
            FOREIGN => return None,
            _ => return self.of_environment(name),
        };
        folder.as_ref().map(|text| Piece::Folder {
            name: name.to_owned(),
            text: text.clone(),
        })
    }

    pub(super) fn of_environment(&self, name: &str) -> Option<Piece> {
        let text = self.environment.get(&key(name, self.ignores_case))?;
        Some(Piece::Brought {
            name: name.to_owned(),
            text: text.clone(),
        })
    }
}

fn key(name: &str, ignores_case: bool) -> String {
    if ignores_case {
        upper(name)
    } else {
        name.to_owned()
    }
}
