//! Fields that are almost spelled as the format has them.
//!
//! In: the key of a field nobody knows. Out: the field that its author surely meant, if there is one.

use super::fields::{OTHER_FIELDS, TEXT_FIELDS};
use crate::spelling::{self, Known};

/// Made while this is compiled: most headers have fields that only others know.
#[allow(clippy::indexing_slicing)] // What is out of bounds does not compile here.
static FIELDS: [Known; TEXT_FIELDS.len() + OTHER_FIELDS.len()] = {
    let mut all = [const { Known::new("") }; TEXT_FIELDS.len() + OTHER_FIELDS.len()];
    let mut n = 0;
    while n < all.len() {
        all[n] = Known::new(if n < TEXT_FIELDS.len() {
            TEXT_FIELDS[n]
        } else {
            OTHER_FIELDS[n - TEXT_FIELDS.len()]
        });
        n += 1;
    }
    all
};

/// The field that `key` surely means; nothing for a field of the format itself.
pub(super) fn meant(key: &str) -> Option<&'static str> {
    // Whom "authors" names is more than one: that is no slip.
    if key == "authors" {
        return None;
    }
    spelling::meant(key, &FIELDS)
}

#[cfg(test)]
mod tests {
    use super::meant;

    #[track_caller]
    fn check(key: &str, expected: Option<&str>) {
        assert_eq!(meant(key), expected, "{key}");
    }

    #[test]
    fn slips_of_the_hand() {
        check("descripton", Some("description"));
        check("desciption", Some("description"));
        check("descritpion", Some("description"));
        check("discripton", Some("description"));
        check("Description", Some("description"));
        check("NAME", Some("name"));
        check("licence", Some("license"));
        check("allowed_tools", Some("allowed-tools"));
        check("allowedTools", Some("allowed-tools"));
        check("alowed-tools", Some("allowed-tools"));
        check("argument_hint", Some("argument-hint"));
        check("auto-attach", Some("autoAttach"));
        check("disableModelInvocation", Some("disable-model-invocation"));
        check("user-invokeable", Some("user-invokable"));
        check("verison", Some("version"));
        check("metdata", Some("metadata"));
    }

    #[test]
    fn fields_of_the_format_and_of_others() {
        for key in [
            "name",
            "description",
            "auto_attach",
            "user-invokable",
            "tags",
            "paths",
            "model",
            "context",
            "agent",
            "hooks",
            "tools",
            "tag",
            "path",
            "nam",
            "title",
            "authors",
            "when_to_use",
            "category",
            "requires",
            "trigger",
            "triggers",
            "",
            "---",
            "größe",
            "a-key-that-is-longer-than-any-field-of-the-format",
        ] {
            check(key, None);
        }
    }
}
