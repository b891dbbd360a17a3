//! What to look at before answering. A danger says what it does.

use super::super::consent::{ConsentFacts, within};
use super::super::environment::{Danger, danger};
use super::super::expand::Expanded;
use super::super::paths::program_name;
use super::super::pinned::unpinned;
use super::super::plan::{ConfiguredServer, NamedValue, ServerReach};
use super::{path_shown, texts_of_others};
use crate::card::{Flag, Span, quoted, strong, words};
use crate::skills::containment::PathStyle;
use crate::text::is_hidden;

pub(super) fn flags(
    server: &ConfiguredServer,
    facts: &ConsentFacts,
    style: PathStyle,
) -> Vec<Flag> {
    let mut flags = Vec::new();
    if let ServerReach::Program {
        command, args, env, ..
    } = &server.reach
    {
        flags.extend(env.iter().filter_map(|pair| dangerous(pair, server, facts)));
        let args: Vec<String> = args.iter().map(Expanded::text).collect();
        flags.extend(unpinned_packages(&command.text(), &args, style));
        flags.extend(script_in_itself(&command.text(), &args, style));
        flags.extend(inside(server, facts));
    }
    flags.extend(hidden(server));
    flags.extend(uncovered(server, facts));
    flags
}

fn flag(code: &str, text: Vec<Span>) -> Flag {
    Flag {
        code: code.to_owned(),
        text,
    }
}

fn dangerous(pair: &NamedValue, server: &ConfiguredServer, facts: &ConsentFacts) -> Option<Flag> {
    let danger = danger(&pair.name)?;
    let (code, does) = match danger {
        Danger::LoadsCode => ("loads-code", " loads code before the server starts"),
        Danger::FindsPrograms => (
            "finds-programs",
            " decides which programs the server finds and runs",
        ),
        Danger::FetchesPackages => (
            "fetches-packages",
            " decides where packages are fetched from",
        ),
        Danger::TrustsHosts => (
            "trusts-hosts",
            " decides whom connections go through or trust",
        ),
    };
    let mut text = vec![quoted(&pair.name)];
    let Some(value) = &pair.value else {
        text.push(strong(does));
        text.push(words("; this entry takes it away."));
        return Some(flag(code, text));
    };
    text.push(strong(format!("{does}: ")));
    text.push(quoted(&value.template));
    let field = format!("env.{}", pair.name);
    if let Some(file) = facts.digests.iter().find(|file| file.field == field) {
        text.push(words(", with a file of this repository. "));
        text.push(if file.secret {
            path_shown(&file.path, true)
        } else {
            Span::Place {
                text: within(&file.path, &server.workspace_folder).to_owned(),
                path: file.path.clone(),
                line: 1,
            }
        });
    }
    Some(flag(code, text))
}

fn unpinned_packages(command: &str, args: &[String], style: PathStyle) -> Vec<Flag> {
    unpinned(command, args, style)
        .into_iter()
        .map(|open| {
            let mut text = vec![
                strong("No pinned version."),
                words(format!(" {} may run ", open.runner)),
            ];
            if open.package.is_empty() {
                text.push(words("something else tomorrow."));
            } else {
                text.extend([words("another "), quoted(open.package), words(" tomorrow.")]);
            }
            flag("unpinned", text)
        })
        .collect()
}

/// An interpreter that is given its program as text.
fn script_in_itself(command: &str, args: &[String], style: PathStyle) -> Option<Flag> {
    let program = program_name(command, style);
    let switches: &[&str] = match program.as_str() {
        "sh" | "bash" | "zsh" | "dash" | "fish" | "ksh" | "csh" | "tcsh" => {
            &["-c", "-lc", "-ic", "-ec", "-xc"]
        }
        "cmd" => &["/c", "/C", "/k", "/K"],
        "powershell" | "pwsh" => &[
            "-c",
            "-C",
            "-Command",
            "-command",
            "-EncodedCommand",
            "-encodedcommand",
            "-e",
            "-enc",
            "-ec",
        ],
        "node" | "nodejs" | "bun" => &["-e", "--eval", "-p", "--print", "-pe"],
        "deno" => &["eval"],
        "perl" | "ruby" | "lua" | "php" | "osascript" => &["-e", "-E", "-r"],
        name if name.starts_with("python") || name.starts_with("pypy") => &["-c"],
        _ => &[],
    };
    let found = args.iter().find(|arg| {
        switches.contains(&arg.as_str())
            || switches.iter().any(|switch| {
                switch.starts_with("--")
                    && arg
                        .strip_prefix(switch)
                        .is_some_and(|rest| rest.starts_with('='))
            })
    })?;
    Some(flag(
        "script-in-itself",
        vec![
            strong("The command is a script in itself."),
            words(" "),
            quoted(program),
            words(" runs the text after "),
            quoted(found.split('=').next().unwrap_or(found)),
            words("."),
        ],
    ))
}

fn inside(server: &ConfiguredServer, facts: &ConsentFacts) -> Option<Flag> {
    if facts.inside.is_empty() {
        return None;
    }
    Some(flag(
        "program-inside",
        vec![
            strong("The program is a file of this repository:"),
            words(" "),
            quoted(within(&facts.inside, &server.workspace_folder)),
            words("."),
        ],
    ))
}

fn hidden(server: &ConfiguredServer) -> Option<Flag> {
    let mut fields: Vec<String> = Vec::new();
    for (field, text) in texts_of_others(server) {
        if text.chars().any(is_hidden) && !fields.contains(&field) {
            fields.push(field);
        }
    }
    if fields.is_empty() {
        return None;
    }
    let mut text = vec![strong("Hidden characters"), words(" stand in ")];
    for (index, field) in fields.into_iter().enumerate() {
        if index > 0 {
            text.push(words(", "));
        }
        text.push(quoted(field));
    }
    text.push(words(". They are drawn as marks."));
    Some(flag("hidden-characters", text))
}

fn uncovered(server: &ConfiguredServer, facts: &ConsentFacts) -> Vec<Flag> {
    let mut flags: Vec<Flag> = facts
        .digests
        .iter()
        .filter(|file| file.sha256.is_none())
        .map(|file| {
            flag(
                "uncovered",
                vec![
                    path_shown(within(&file.path, &server.workspace_folder), file.secret),
                    strong(" is not covered:"),
                    words(" it cannot be read, or is over 64 MiB. So this asks every time."),
                ],
            )
        })
        .collect();
    if !server.coverable {
        flags.push(flag(
            "uncovered",
            vec![
                strong("The files it names are not covered:"),
                words(" there are too many. So this asks every time."),
            ],
        ));
    }
    flags
}
