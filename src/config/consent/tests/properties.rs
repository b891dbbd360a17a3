//! What holds for every entry: the order of keys never matters, any meaningful change always does.

use super::*;
use proptest::prelude::*;

/// An entry as data, so that it can be written in any order and changed at one point.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    command: String,
    args: Vec<String>,
    env: Vec<(String, Option<String>)>,
    cwd: Option<String>,
}

impl Entry {
    fn text(&self, turned: bool) -> String {
        let env: Vec<(String, serde_json::Value)> = self
            .env
            .iter()
            .map(|(name, value)| (name.clone(), serde_json::json!(value)))
            .collect();
        let map = |pairs: Vec<(String, serde_json::Value)>| {
            let pairs: serde_json::Map<String, serde_json::Value> = if turned {
                pairs.into_iter().rev().collect()
            } else {
                pairs.into_iter().collect()
            };
            serde_json::Value::from(pairs)
        };
        let mut fields = vec![
            ("command".to_owned(), serde_json::json!(self.command)),
            ("args".to_owned(), serde_json::json!(self.args)),
            ("env".to_owned(), map(env)),
        ];
        fields.extend(
            self.cwd
                .iter()
                .map(|cwd| ("cwd".to_owned(), serde_json::json!(cwd))),
        );
        map(fields).to_string()
    }
}

fn entry() -> impl Strategy<Value = Entry> {
    let text = "[a${}K:\",\\[\\]é ]{0,5}";
    (
        "[a-c/]{1,3}",
        prop::collection::vec(text, 0..4),
        prop::collection::btree_map("[A-C]{1,2}", prop::option::of(text), 0..4),
        prop::option::of("[a-c/.]{1,3}"),
    )
        .prop_map(|(command, args, env, cwd)| Entry {
            command,
            args,
            env: env.into_iter().collect(),
            cwd,
        })
}

proptest! {
    #[test]
    fn equal_entries_and_only_those_have_equal_fingerprints(one in entry(), other in entry()) {
        let form = |entry: &Entry, turned: bool| {
            consent(&repository(&entry.text(turned), &[("K", "v")]), &facts())
        };
        prop_assert_eq!(form(&one, false), form(&one, true));
        let (first, second) = (form(&one, false), form(&other, false));
        prop_assert_eq!(first.fingerprint == second.fingerprint, one == other);
        prop_assert_eq!(compare(&first, &second).changed.is_empty(), one == other);
    }

    /// One point of an entry changed: the fingerprint is another, and the field says so.
    #[test]
    fn any_change_counts(one in entry(), point in 0..12_usize, at in 0..4_usize) {
        let mut other = one.clone();
        let arg = other.args.get_mut(at);
        let pair = other.env.get_mut(at);
        let field = match (point, arg, pair) {
            (0, ..) => { other.command.push('x'); "command" }
            (1, ..) => { other.args.push(String::new()); "args" }
            (2, ..) => { other.args.insert(0, "x".into()); "args" }
            (3, Some(arg), _) => { arg.push(' '); "args" }
            (4, Some(arg), _) => { arg.insert(0, '\u{200b}'); "args" }
            (5, Some(_), _) => { other.args.remove(at); "args" }
            (6, _, Some((name, _))) => { name.push('Z'); "env" }
            (7, _, Some((_, value))) => { *value = value.take().map_or(Some(String::new()), |_| None); "env" }
            (8, _, Some(_)) => { other.env.remove(at); "env" }
            (9, ..) => { other.env.push(("ZZ".into(), None)); "env" }
            (10, ..) if one.cwd.is_some() => { other.cwd = None; "cwd" }
            _ => { other.cwd = Some(one.cwd.clone().unwrap_or_default() + "x"); "cwd" }
        };
        let form = |entry: &Entry| consent(&repository(&entry.text(false), &[]), &facts());
        let (before, now) = (form(&one), form(&other));
        prop_assert_ne!(&before.fingerprint, &now.fingerprint);
        let found = compare(&before, &now);
        prop_assert!(found.changed.iter().any(|change| change.field == field));
        // Nothing else of the entry is said to have changed; what follows from it may be.
        let fields = ["command", "args", "env", "cwd"];
        let others = found.changed.iter().filter(|change| change.field != field);
        prop_assert!(others.into_iter().all(|change| !fields.contains(&change.field.as_str())));
    }

    /// Addresses: the order of headers and fields makes no difference; every letter of the address and
    /// of a header does, its case too.
    #[test]
    fn any_change_of_an_address_counts(
        url in r"https://[a-c.]{1,6}/(a|b|\$\{K\}){0,3}",
        headers in prop::collection::btree_map("[A-C]{1,2}", r"(a|b|\$\{K\}){0,3}", 0..4),
        point in 0..6_usize,
    ) {
        let form = |url: &str, headers: &[(String, String)], kind: &str, turned: bool| {
            let mut pairs: Vec<String> = headers
                .iter()
                .map(|(name, value)| format!("{}:{}", json(name), json(value)))
                .collect();
            if turned {
                pairs.reverse();
            }
            let headers = format!("\"headers\": {{{}}}", pairs.join(", "));
            let mut fields = [format!("\"url\":{}", json(url)), headers, format!("\"type\": {}", json(kind))];
            if turned {
                fields.reverse();
            }
            consent(&repository(&format!("{{{} /* … */}}", fields.join(",\n")), &[("K", "v")]), &facts())
        };
        let list: Vec<(String, String)> = headers.into_iter().collect();
        let before = form(&url, &list, "http", false);
        prop_assert_eq!(&before, &form(&url, &list, "http", true));
        let mut other = list.clone();
        let (now, field) = match (point, other.first_mut()) {
            (0, _) => (form(&format!("{url}/"), &list, "http", false), "url"),
            (1, _) => (form(&url.replace("https", "HTTPS"), &list, "http", false), "url"),
            (2, _) => (form(&url, &list, "sse", false), "type"),
            (3, Some((_, value))) => { value.push('x'); (form(&url, &other, "http", false), "headers") }
            (4, Some((name, _))) => { *name = name.to_lowercase(); (form(&url, &other, "http", false), "headers") }
            _ => { other.push(("Z".into(), String::new())); (form(&url, &other, "http", false), "headers") }
        };
        prop_assert_ne!(&before.fingerprint, &now.fingerprint);
        prop_assert!(compare(&before, &now).changed.iter().any(|change| change.field == field));
    }

    /// What the shell found decides too: program, folder, each file, its real place and its bytes;
    /// the order in which files are told does not, nor does a secret that only `env` holds.
    #[test]
    fn any_other_finding_counts(
        paths in prop::collection::btree_set("[a-c]{1,3}", 1..5),
        point in 0..7_usize,
        at in 0..4_usize,
    ) {
        let entry = r#"{"command": "node", "args": ["${K}"], "env": {"S": "${SECRET}"}}"#;
        let known = facts();
        let digests: Vec<CoveredFile> = paths.iter().map(|path| file(path, "00")).collect();
        let with = |digests: Vec<CoveredFile>| ConsentFacts { digests, ..known.clone() };
        let form = |facts: &ConsentFacts, key: &str, secret: &str| {
            consent(&repository(entry, &[("K", key), ("SECRET", secret)]), facts)
        };
        let before = form(&with(digests.clone()), "v", "s");
        let turned: Vec<CoveredFile> = digests.iter().rev().cloned().collect();
        prop_assert_eq!(&before, &form(&with(turned), "v", "another"));
        let mut other = with(digests.clone());
        let index = at % digests.len();
        let mut key = "v";
        match point {
            0 => other.resolved.push('x'),
            1 => other.real_folder.push('x'),
            2 => other.digests[index].sha256 = Some("01".into()),
            3 => other.digests[index].sha256 = None,
            4 => other.digests[index].real.push_str("/elsewhere"),
            5 => { other.digests.remove(index); }
            _ => key = "w",
        }
        prop_assert_ne!(before.fingerprint, form(&other, key, "s").fingerprint);
    }

    /// Rows turn what was into what is.
    #[test]
    fn rows_are_the_difference(before in prop::collection::vec("[ab]", 0..6), now in prop::collection::vec("[ab]", 0..6)) {
        let lines = |texts: &[String]| -> Vec<ConsentLine> { texts.iter().map(|text| plain(text.clone())).collect() };
        let found = rows(&lines(&before), &lines(&now));
        let mut removed = before.clone();
        let mut added = now.clone();
        for row in &found {
            let list = if row.added { &mut added } else { &mut removed };
            let at = list.iter().position(|text| *text == row.text);
            prop_assert!(at.is_some());
            list.remove(at.unwrap());
        }
        removed.sort();
        added.sort();
        prop_assert_eq!(removed, added, "the lines in common");
    }
}
