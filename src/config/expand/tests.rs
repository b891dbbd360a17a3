use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn variables(ignores_case: bool) -> Variables {
    let environment = [
        ("A", "a value"),
        ("B", "b"),
        ("EMPTY", ""),
        ("HOSTILE", "\"quotes\" \\ back\nline ${B} $<B> %B% $B"),
        ("Mixed", "m"),
        ("ProgramFiles(x86)", "pf"),
        ("CLAUDE_PLUGIN_ROOT", "/plugin"),
        ("workspaceFolder", "not this"),
    ];
    let environment = environment
        .map(|(n, v)| (n.to_owned(), v.to_owned()))
        .into();
    Variables::new(&environment, ignores_case, "/work", "/home/u")
}

/// The pieces as one text: `‹name=value›` was brought in, `«name=folder»` is ours; then the reads
/// and the forms that stayed.
fn show(expansion: &Expansion) -> String {
    let pieces = expansion.expanded.pieces.iter().map(|piece| match piece {
        Piece::Written { text } => text.clone(),
        Piece::Folder { name, text } => format!("«{name}={text}»"),
        Piece::Brought { name, text } => format!("‹{name}={text}›"),
    });
    let mut shown: String = pieces.collect();
    for read in &expansion.reads {
        let found = match read.found {
            Found::Set => "set",
            Found::Default => "default",
            Found::Unset => "unset",
        };
        shown.extend([" | ", &read.name, " ", found]);
    }
    for literal in &expansion.literals {
        let (kind, form) = match literal {
            Literal::Unset { name } => ("!unset ", name),
            Literal::Foreign { form } => ("!foreign ", form),
            Literal::Malformed { form } => ("!malformed ", form),
        };
        shown.extend([" | ", kind, form]);
    }
    shown
}

fn check(template: &str, expected: &str) {
    let found = expand(template, &variables(false));
    assert_eq!(show(&found), expected, "{template}");
    assert_eq!(found.expanded.template, template);
}

#[test]
fn the_forms() {
    check("", "");
    check("plain", "plain");
    check("${A}", "‹A=a value› | A set");
    check("x${A}y", "x‹A=a value›y | A set");
    check("${env:A}", "‹A=a value› | A set");
    check("$<A>", "‹A=a value› | A set");
    check("$<env:A>", "‹A=a value› | A set");
    check(
        "${workspaceFolder}/x",
        "«workspaceFolder=/work»/x | workspaceFolder set",
    );
    check("${userHome}", "«userHome=/home/u» | userHome set");
    check(
        "${env:workspaceFolder}",
        "‹workspaceFolder=not this› | workspaceFolder set",
    );
    check(
        "${ProgramFiles(x86)}",
        "‹ProgramFiles(x86)=pf› | ProgramFiles(x86) set",
    );
    check("${A}${B}", "‹A=a value›‹B=b› | A set | B set");
}

#[test]
fn defaults_are_for_unset_variables() {
    check("${A:-x}", "‹A=a value› | A set");
    check("${N:-x}", "x | N default");
    check("${N:-}", " | N default");
    check("${EMPTY:-x}", " | EMPTY set");
    check("${EMPTY}", " | EMPTY set");
    check("$<N:-x>", "x | N default");
    check("$<N:-a}b>", "a}b | N default");
    check("${N:-a>b}", "a>b | N default");
    check("${N:-a:-b}", "a:-b | N default");
    check("${env:N:-x}", "x | N default");
    check("a ${N:-b} c", "a b c | N default");
    check("${N:-{\"a\":1}}", "{\"a\":1} | N default");
}

#[test]
fn a_default_holds_variables_one_level_deep() {
    check("${N:-${B}}", "‹B=b› | N default | B set");
    check("${N:-x${B}y}", "x‹B=b›y | N default | B set");
    check("${N:-$<B>}", "‹B=b› | N default | B set");
    check("$<N:-${B}>", "‹B=b› | N default | B set");
    check("${N:-${M:-x}}", "x | N default | M default");
    check("${N:-${M}}", "${M} | N default | M unset | !unset M");
    check(
        "${N:-${M:-${B}}}",
        "${B} | N default | M default | !malformed ${B}",
    );
    check("${N:-cost $<5}", "cost $<5 | N default");
}

#[test]
fn what_stays_as_it_stands() {
    check("$A %A% $ $$", "$A %A% $ $$");
    check("$${A}", "$‹A=a value› | A set");
    check("${N}", "${N} | N unset | !unset N");
    check("$<N>", "$<N> | N unset | !unset N");
    check("${A%x}", "${A%x} | !malformed ${A%x}");
    check("${A:=x}", "${A:=x} | !malformed ${A:=x}");
    check("${}", "${} | !malformed ${}");
    check("${1}", "${1} | !malformed ${1}");
    check("${ A }", "${ A } | !malformed ${ A }");
    check("${A", "${A | !malformed ${A");
    check("${A ${B}", "${A ${B} | !malformed ${A ${B}");
    check("${A}${B", "‹A=a value›${B | A set | !malformed ${B");
    check("a < b $< c $<a b> $<", "a < b $< c $<a b> $<");
    check("$<A:-x", "$<A:-x | !malformed $<A:-x");
    check("${input:key}", "${input:key} | !foreign ${input:key}");
    check(
        "${input:my-key}",
        "${input:my-key} | !foreign ${input:my-key}",
    );
    check(
        "${CLAUDE_PLUGIN_ROOT}/x",
        "${CLAUDE_PLUGIN_ROOT}/x | !foreign ${CLAUDE_PLUGIN_ROOT}",
    );
    check("${CLAUDE_PLUGIN_ROOT:-d}", "d | CLAUDE_PLUGIN_ROOT default");
    check(
        "${env:CLAUDE_PLUGIN_ROOT}",
        "‹CLAUDE_PLUGIN_ROOT=/plugin› | CLAUDE_PLUGIN_ROOT set",
    );
}

#[test]
fn one_pass_and_values_arrive_unchanged() {
    check(
        "<${HOSTILE}>",
        "<‹HOSTILE=\"quotes\" \\ back\nline ${B} $<B> %B% $B›> | HOSTILE set",
    );
    // What follows a value does not close a form that the value began.
    let environment = [("OPEN".to_owned(), "${".to_owned())].into();
    let variables = Variables::new(&environment, false, "", "");
    assert_eq!(
        show(&expand("${OPEN}B}", &variables)),
        "‹OPEN=${›B} | OPEN set"
    );
}

#[test]
fn case_counts_where_the_platform_says_so() {
    let find = |name: &str, ignores_case| show(&expand(name, &variables(ignores_case)));
    assert_eq!(find("${MIXED}", true), "‹MIXED=m› | MIXED set");
    assert_eq!(find("${mixed:-d}", true), "‹mixed=m› | mixed set");
    assert_eq!(find("${mixed:-d}", false), "d | mixed default");
}

#[test]
fn no_folder_is_no_value() {
    let variables = Variables::new(&BTreeMap::new(), false, "", "");
    assert_eq!(
        show(&expand("${workspaceFolder}", &variables)),
        "${workspaceFolder} | workspaceFolder unset | !unset workspaceFolder"
    );
    let within = variables.within("/other");
    assert_eq!(
        expand("${workspaceFolder}", &within).expanded.text(),
        "/other"
    );
}

/// A part of a generated template: what is written, and what must come out.
#[derive(Clone, Debug)]
enum Part {
    Plain(String),
    Variable {
        name: &'static str,
        angles: bool,
        default: Option<Vec<Part>>,
    },
}

const NAMES: [(&str, Option<&str>); 4] = [
    ("A", Some("va ${B}")),
    ("B", Some("")),
    ("C_1", Some("v\"\\\n")),
    ("N", None),
];

fn template(parts: &[Part]) -> String {
    parts
        .iter()
        .map(|part| match part {
            Part::Plain(text) => text.clone(),
            Part::Variable {
                name,
                angles,
                default,
            } => {
                let default = default
                    .as_ref()
                    .map_or(String::new(), |d| format!(":-{}", template(d)));
                if *angles {
                    format!("$<{name}{default}>")
                } else {
                    format!("${{{name}{default}}}")
                }
            }
        })
        .collect()
}

fn expected(parts: &[Part]) -> String {
    parts
        .iter()
        .map(|part| match part {
            Part::Plain(text) => text.clone(),
            Part::Variable { name, default, .. } => {
                let value = NAMES.iter().find(|(n, _)| n == name).unwrap().1;
                match (value, default) {
                    (Some(value), _) => value.to_owned(),
                    (None, Some(default)) => expected(default),
                    (None, None) => template(std::slice::from_ref(part)),
                }
            }
        })
        .collect()
}

fn part(
    default: impl Strategy<Value = Option<Vec<Part>>> + 'static,
) -> impl Strategy<Value = Part> {
    let variable = (0..NAMES.len(), any::<bool>(), default).prop_map(|(index, angles, default)| {
        Part::Variable {
            name: NAMES[index].0,
            angles,
            default,
        }
    });
    prop_oneof!["[a-z%:\\-/\"\\\\ ]{0,4}".prop_map(Part::Plain), variable]
}

proptest! {
    #[test]
    fn templates_mean_what_they_were_made_from(
        parts in prop::collection::vec(part(prop::option::of(prop::collection::vec(
            part(prop::option::of("[a-z:\\-]{0,3}".prop_map(|text| vec![Part::Plain(text)]))), 0..3,
        ))), 0..6),
    ) {
        let environment = NAMES.iter().filter_map(|(n, v)| Some(((*n).to_owned(), (*v)?.to_owned()))).collect();
        let variables = Variables::new(&environment, false, "", "");
        let found = expand(&template(&parts), &variables);
        prop_assert_eq!(found.expanded.text(), expected(&parts));
        prop_assert!(found.expanded.pieces.iter().all(|piece| !piece.text().is_empty()));
    }

    /// Whatever stands in a text: without variables to find, what is no default stays.
    #[test]
    fn any_text_is_expanded(text in any::<String>(), marks in r"[$<>{}:A\-e n v]{0,40}") {
        for text in [text, marks] {
            let found = expand(&text, &Variables::new(&BTreeMap::new(), false, "", ""));
            if found.reads.iter().all(|read| read.found == Found::Unset) {
                prop_assert_eq!(found.expanded.text(), text);
            }
        }
    }
}

/// A hundred thousand half-open forms would take hours, were each read to the end of the text.
#[test]
fn hostile_texts_are_read_in_linear_time() {
    for mark in [
        "$",
        "$<",
        "${",
        "$<A:-",
        "${A:-",
        "$<A",
        "${A}",
        "${N:-${M:-${",
        "$<env:",
        "}>",
    ] {
        let found = expand(&mark.repeat(300_000), &variables(false));
        assert!(!found.expanded.template.is_empty());
    }
}
