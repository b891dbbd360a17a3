//! A model of the readers of a command line on Windows, for tests, apart from what is tested.
//!
//! Sources: Microsoft's "cmd" (its switches, and how it reads a line), "`CommandLineToArgvW`
//! function" and "Parsing C command-line arguments" (how programs read theirs), "Naming Files, Paths,
//! and Namespaces" (blanks and dots at a name's end, streams, characters that no name holds).

/// `cmd.exe /d /s /c REST`: with /s the first quote and the last one of the rest go, and the line
/// between them is run.
pub fn cmd_arguments(argv: &[String]) -> String {
    let rest = argv.join(" ");
    let rest = rest.strip_prefix("/d /s /c ").expect("the switches");
    let rest = rest.strip_prefix('"').expect("a first quote");
    let last = rest.rfind('"').expect("a last quote");
    format!("{}{}", &rest[..last], &rest[last + 1..])
}

/// How cmd reads a line: percents first, then quotes, carets and special characters, then, with
/// delayed expansion, exclamation marks. None where anything but plain text came of it.
pub fn cmd_reads(line: &str) -> Option<String> {
    if line.contains(|c: char| matches!(c, '%' | '!') || c.is_control() && c != '\t') {
        // Some variable of some environment has that name.
        return None;
    }
    let mut read = String::new();
    let mut quoting = false;
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match c {
            '"' => {
                quoting = !quoting;
                read.push(c);
            }
            '^' if !quoting => read.push(characters.next()?),
            '&' | '|' | '<' | '>' | '(' | ')' if !quoting => return None,
            _ => read.push(c),
        }
    }
    Some(read)
}

/// What a batch file sees as `%*`: the line after its own name, as it stands.
pub fn batch_arguments(line: &str) -> &str {
    let name = line.strip_prefix('"').expect("a quoted name");
    let end = name.find('"').expect("the name's end");
    name[end + 1..].trim_start_matches(' ')
}

/// `CommandLineToArgvW`, but for the program's own name: blanks and tabs separate outside of quotes;
/// 2n backslashes and a quote are n backslashes and a quote that turns quoting; 2n+1 are n
/// backslashes and the quote itself; other backslashes are themselves.
pub fn arguments(line: &str) -> Vec<String> {
    let line: Vec<char> = line.chars().collect();
    let mut arguments = Vec::new();
    let mut at = 0;
    loop {
        while at < line.len() && matches!(line[at], ' ' | '\t') {
            at += 1;
        }
        if at == line.len() {
            return arguments;
        }
        let mut argument = String::new();
        let mut quoting = false;
        while at < line.len() && (quoting || !matches!(line[at], ' ' | '\t')) {
            let backslashes = line[at..].iter().take_while(|c| **c == '\\').count();
            at += backslashes;
            if line.get(at) == Some(&'"') {
                argument.extend(std::iter::repeat_n('\\', backslashes / 2));
                if backslashes % 2 == 1 {
                    argument.push('"');
                } else {
                    quoting = !quoting;
                }
                at += 1;
            } else {
                argument.extend(std::iter::repeat_n('\\', backslashes));
                if backslashes == 0 {
                    argument.push(line[at]);
                    at += 1;
                }
            }
        }
        arguments.push(argument);
    }
}

/// What Node (libuv) makes of a list where the arguments are not verbatim.
pub fn node_quotes(args: &[String]) -> String {
    let quoted = args.iter().map(|arg| {
        if !arg.is_empty() && !arg.contains([' ', '\t', '"']) {
            return arg.clone();
        }
        let mut reversed = vec!['"'];
        let mut hit = true;
        for c in arg.chars().rev() {
            reversed.push(c);
            if hit && c == '\\' {
                reversed.push('\\');
            } else if c == '"' {
                hit = true;
                reversed.push('\\');
            } else {
                hit = false;
            }
        }
        reversed.push('"');
        reversed.iter().rev().collect()
    });
    quoted.collect::<Vec<String>>().join(" ")
}

/// Asserts that `cmd.exe`, started with `spawned`, runs one batch file which sees `args`, as does the
/// program that it passes `%*` on to, and interprets nothing on the way.
pub fn assert_batch_file_reads(spawned: &[String], args: &[String]) {
    let given = cmd_arguments(spawned);
    let read = cmd_reads(&given).expect("cmd interprets nothing");
    assert_eq!(read, given);
    let passed = batch_arguments(&read);
    assert_eq!(arguments(passed), args);
    // `"%_prog%" "%dp0%\x.js" %*`, perhaps inside a block in parentheses.
    let again = format!("\"C:\\node.exe\" \"C:\\x.js\" {passed}");
    let read = cmd_reads(&again).expect("cmd interprets nothing the second time");
    let mut expected = vec!["C:\\node.exe".to_owned(), "C:\\x.js".to_owned()];
    expected.extend_from_slice(args);
    assert_eq!(arguments(&read), expected);
}

/// What Windows does with a file that it is told to start.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// It is a program: it gets the command line.
    Program,
    /// It is given to `cmd.exe`, by `CreateProcess` itself where nobody else does it.
    Batch,
    /// It cannot be started, or nobody can say what would be.
    Neither,
}

/// The kind of the file at `path`, as Windows opens it: without the blanks and dots at its end.
pub fn kind_of(path: &str) -> Kind {
    let opened = path.trim_end_matches(['.', ' ']);
    let name = opened.rsplit(['\\', '/']).next().unwrap_or_default();
    let odd = |c: char| c < ' ' || matches!(c, '"' | '<' | '>' | '|' | '?' | '*' | ':');
    let name = name.to_ascii_lowercase();
    let ends = |ending: &str| name.ends_with(ending);
    if opened.get(2..).unwrap_or_default().contains(odd) {
        Kind::Neither
    } else if ends(".bat") || ends(".cmd") {
        Kind::Batch
    } else if ends(".exe") || ends(".com") {
        Kind::Program
    } else {
        Kind::Neither
    }
}

/// Asserts that what is started for `path` is what Windows would make of it: no batch file goes
/// anywhere but through a quoted line for `cmd.exe`.
pub fn assert_started_as_meant(path: &str, spawned: &[String], args: &[String]) {
    match kind_of(path) {
        Kind::Program => assert_eq!(arguments(&node_quotes(spawned)), args),
        Kind::Batch => {
            assert_batch_file_reads(spawned, args);
            let line = cmd_arguments(spawned);
            assert!(line.starts_with(&format!("\"{path}\"")), "{line}");
        }
        Kind::Neither => panic!("{path:?} cannot be started and was not refused"),
    }
}
