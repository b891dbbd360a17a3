//! A server's command and a platform → exactly what to spawn, or a refusal.
//!
//! In: a planned server and the path its program was found at. Out: a file and the arguments as the
//! process must get them. Everywhere but for batch files on Windows that is the list itself: Node
//! hands it to the kernel, or quotes it as `CommandLineToArgvW` reads it. A batch file is run by
//! `cmd.exe`, which reads the line before the program does, and again where the batch file passes
//! its arguments on by `%*`. No escape holds through both readings, so none is used: every argument
//! stands in quotes, and a line in which `cmd.exe` could still interpret anything is refused.
//!
//! Sources: Microsoft's "`CommandLineToArgvW` function", "Parsing C command-line arguments" and "cmd";
//! CVE-2024-27980 (batch files started as programs). Deliberately not here: finding the program.

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod windows;

use super::expand::{Expanded, Piece};
use super::paths::{last_part, program_name, style_of};
use super::plan::{ConfiguredServer, ServerReach};
use crate::error::CoreError;
use crate::limits::{MAX_CMD_COMMAND_LINE, MAX_WINDOWS_COMMAND_LINE};
use crate::skills::containment::PathStyle;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// Where a server is to be started.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct LaunchOptions {
    /// As Node's `process.platform` names it.
    pub platform: String,
    /// The absolute path at which the program was found.
    pub resolved: String,
    /// The `SystemRoot` of the machine, never of the entry; `C:\Windows` without it.
    #[serde(default)]
    #[tsify(optional)]
    pub system_root: String,
}

/// What to spawn.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum CommandLine {
    /// Spawn this, without a shell.
    Run {
        /// Absolute path of the file to start.
        file: String,
        /// Its arguments.
        argv: Vec<String>,
        /// True where the arguments are already as the process must get them
        /// (`windowsVerbatimArguments`).
        windows_verbatim: bool,
    },
    /// It cannot be started without something being interpreted.
    Refused {
        /// Stable, in kebab case.
        code: String,
        /// The fact and its cause.
        message: String,
        /// What to do.
        remedy: String,
    },
}

/// The command line of a server that is a program.
pub fn command_line(
    server: &ConfiguredServer,
    options: &LaunchOptions,
) -> Result<CommandLine, CoreError> {
    let ServerReach::Program { args, folder, .. } = &server.reach else {
        return Err(CoreError::invalid_argument(
            "server",
            "it is reached by an address, so there is nothing to start",
        ));
    };
    let style = style_of(&options.platform);
    if !leads_to_one_place(&options.resolved, style) {
        return Err(CoreError::invalid_argument(
            "options",
            "`resolved` must be the absolute path at which the program was found",
        ));
    }
    let texts: Vec<String> = args.iter().map(Expanded::text).collect();
    Ok(match style {
        PathStyle::Posix => posix(&options.resolved, texts),
        PathStyle::Windows => match value_for_cmd(&options.resolved, args) {
            Some(refusal) => refusal,
            None => windows(options, texts, folder),
        },
    })
}

/// False for a path that would be looked up once more where the process starts: on Windows that begins
/// in the working folder, and a path without its drive lies on the drive of that folder.
fn leads_to_one_place(path: &str, style: PathStyle) -> bool {
    let separator = |byte: &u8| matches!(byte, b'\\' | b'/');
    match (style, path.as_bytes()) {
        (PathStyle::Posix, path) => path.starts_with(b"/"),
        (PathStyle::Windows, [drive, b':', third, ..]) => {
            drive.is_ascii_alphabetic() && separator(third)
        }
        (PathStyle::Windows, [first, second, ..]) => separator(first) && separator(second),
        (PathStyle::Windows, _) => false,
    }
}

/// An entry that names `cmd.exe` itself wrote a line for it, and the card shows that line. A value of
/// the environment in it is masked there, so it must not be able to mean more than text.
fn value_for_cmd(resolved: &str, args: &[Expanded]) -> Option<CommandLine> {
    if program_name(resolved, PathStyle::Windows) != "cmd" {
        return None;
    }
    let values = args
        .iter()
        .flat_map(|arg| &arg.pieces)
        .filter_map(|piece| match piece {
            Piece::Brought { name, text } => Some((name, text)),
            Piece::Written { .. } | Piece::Folder { .. } => None,
        });
    let special = |c: char| {
        c == '"'
            || CmdReader::default()
                .interpreted(c.encode_utf8(&mut [0; 4]))
                .is_some()
    };
    let (name, _) = values
        .into_iter()
        .find(|(_, text)| text.contains(special))?;
    Some(refused(
        "unquotable-argument",
        format!("The value of {name} holds a character that cmd.exe would interpret."),
        "Name the program itself as \"command\", without cmd, or pass the value by \"env\".",
    ))
}

fn refused(code: &str, message: impl Into<String>, remedy: &str) -> CommandLine {
    CommandLine::Refused {
        code: code.to_owned(),
        message: message.into(),
        remedy: remedy.to_owned(),
    }
}

fn run(file: &str, argv: Vec<String>) -> CommandLine {
    CommandLine::Run {
        file: file.to_owned(),
        argv,
        windows_verbatim: false,
    }
}

fn posix(resolved: &str, args: Vec<String>) -> CommandLine {
    if resolved.contains('\0') || args.iter().any(|arg| arg.contains('\0')) {
        return nul();
    }
    run(resolved, args)
}

fn nul() -> CommandLine {
    refused(
        "nul-character",
        "The command line holds a NUL character, which no program can be given.",
        "Remove it.",
    )
}

fn windows(options: &LaunchOptions, args: Vec<String>, folder: &str) -> CommandLine {
    let resolved = &options.resolved;
    if resolved.contains('\0') || args.iter().any(|arg| arg.contains('\0')) {
        return nul();
    }
    // What Windows would read as another name: a stream of a file, or dots and blanks at the end,
    // which it drops, so that `x.bat.` runs as `x.bat`.
    let beyond_drive = resolved.get(2..).unwrap_or("");
    let odd = beyond_drive.contains([':', '"', '<', '>', '|', '?', '*'])
        || resolved.contains(char::is_control)
        || resolved.ends_with(['.', ' ']);
    if odd {
        return refused(
            "bad-program-name",
            "Windows would read the program's name as another one.",
            "Name the program by a path without such characters.",
        );
    }
    let name = last_part(resolved, PathStyle::Windows).to_ascii_lowercase();
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("exe" | "com") => program(resolved, args),
        Some("cmd" | "bat") => batch(options, &args, folder),
        _ => refused(
            "not-a-program",
            "Windows cannot start this file by itself; it starts .exe, .com, .cmd and .bat files.",
            "Name the program that runs it as \"command\", such as node or python, and the file as an argument.",
        ),
    }
}

/// Node quotes the list as `CommandLineToArgvW` reads it; only its length can be wrong.
fn program(resolved: &str, args: Vec<String>) -> CommandLine {
    let mut line = quoted(resolved);
    for arg in &args {
        line.push(' ');
        line.push_str(&quoted(arg));
    }
    if units(&line) >= MAX_WINDOWS_COMMAND_LINE {
        return too_long(MAX_WINDOWS_COMMAND_LINE);
    }
    run(resolved, args)
}

fn batch(options: &LaunchOptions, args: &[String], folder: &str) -> CommandLine {
    if folder.starts_with("\\\\") {
        return refused(
            "network-folder",
            "The working folder is on a network path, where cmd.exe cannot run a batch file.",
            "Set \"cwd\" to a folder with a drive letter, or name an .exe as \"command\".",
        );
    }
    // One reader for the whole line: an odd number of quotes in one argument turns the next inside out.
    let mut reader = CmdReader::default();
    let mut line = quoted(&options.resolved);
    if let Some(found) = reader.interpreted(&line) {
        return unquotable("The program's path", found);
    }
    for (index, arg) in args.iter().enumerate() {
        let arg = quoted(arg);
        if let Some(found) = reader.interpreted(&arg) {
            return unquotable(&format!("Argument {}", index + 1), found);
        }
        line.push(' ');
        line.push_str(&arg);
    }
    let file = format!("{}\\System32\\cmd.exe", system_root(&options.system_root));
    let line = format!("\"{line}\"");
    if units(&file) + units(&line) + " /d /s /c ".len() >= MAX_CMD_COMMAND_LINE {
        return too_long(MAX_CMD_COMMAND_LINE);
    }
    CommandLine::Run {
        file,
        argv: ["/d", "/s", "/c"]
            .map(str::to_owned)
            .into_iter()
            .chain([line])
            .collect(),
        windows_verbatim: true,
    }
}

fn unquotable(what: &str, found: char) -> CommandLine {
    let shown = match found {
        '\n' | '\r' => "a line break".to_owned(),
        control if control.is_control() => "a control character".to_owned(),
        other => other.to_string(),
    };
    refused(
        "unquotable-argument",
        format!(
            "{what} holds {shown} where cmd.exe, which runs .cmd and .bat files, would interpret it."
        ),
        "Pass it in an environment variable, or name an .exe as \"command\".",
    )
}

fn too_long(limit: usize) -> CommandLine {
    refused(
        "command-line-too-long",
        format!("The command line is longer than the {limit} characters that Windows takes."),
        "Move arguments into a file or into environment variables.",
    )
}

/// Where Windows lies, unless what is told is no plain path.
fn system_root(told: &str) -> &str {
    let drive =
        told.get(1..3) == Some(":\\") && told.starts_with(|c: char| c.is_ascii_alphabetic());
    let plain = told.get(3..).is_some_and(|rest| {
        !rest.is_empty()
            && rest
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '\\' | '_' | '-'))
    });
    if drive && plain {
        told.trim_end_matches('\\')
    } else {
        "C:\\Windows"
    }
}

/// An argument as `CommandLineToArgvW` reads it back: in quotes, quotes within escaped by a backslash,
/// and backslashes doubled where a quote follows.
fn quoted(arg: &str) -> String {
    let mut line = String::with_capacity(arg.len() + 2);
    let mut backslashes = 0;
    line.push('"');
    for c in arg.chars() {
        if c == '"' {
            // Those before it once more, and one for the quote.
            line.extend(std::iter::repeat_n('\\', backslashes + 1));
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        line.push(c);
    }
    line.extend(std::iter::repeat_n('\\', backslashes));
    line.push('"');
    line
}

/// How far `cmd.exe` has read a line.
#[derive(Default)]
struct CmdReader {
    in_quotes: bool,
}

impl CmdReader {
    /// Reads on: the first character of `text` that `cmd.exe` would interpret. It knows no backslash:
    /// every quote turns quoting on or off. `%` counts even in quotes, as does `!` where a batch file
    /// has delayed expansion on; and so do control characters, of which some end the line (line
    /// breaks, 1A) and the others stand in nobody's arguments.
    fn interpreted(&mut self, text: &str) -> Option<char> {
        text.chars().find(|c| match c {
            '"' => {
                self.in_quotes = !self.in_quotes;
                false
            }
            '\t' => false,
            '%' | '!' => true,
            '&' | '|' | '<' | '>' | '^' | '(' | ')' => !self.in_quotes,
            c => c.is_control(),
        })
    }
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}
