//! Names that a reader would take for one.

use super::*;

#[test]
fn hostile_names_share_a_spelling_where_a_reader_would_take_them_for_one() {
    for (one, other) in [
        ("fs", "FS"),
        ("fs", " fs\u{200b}"),
        ("file system", "file-system".replace('-', "_").as_str()),
        ("a.b", "a_b"),
        ("caf\u{e9}", "cafe\u{301}"),
        ("STRASSE", "stra\u{df}e"),
        ("task", "ta\u{17f}k"),
        ("kit", "\u{212a}it"),
        ("a\u{202e}b", "ab"),
        ("caf\u{e9}", "cafe\u{200b}\u{301}"),
        ("\u{fb01}le", "FILE"),
    ] {
        assert_eq!(spelling(one), spelling(other), "{one:?} {other:?}");
    }
    assert_ne!(spelling("fs"), spelling("fs2"));
    assert_ne!(spelling("a-b"), spelling("a_b"));
}
