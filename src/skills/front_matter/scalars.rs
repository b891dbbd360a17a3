//! Plain and quoted scalars, folded over lines as YAML folds them.

use super::findings::{Code, Remedy};
use super::reader::{Reader, Trouble, is_blank, is_flow_mark, is_space_or_end};
use super::repairs::KeyLike;
use super::tape::{Kind, Style};
use super::words::in_quotes_until;

/// What ends a plain scalar on its line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Stop {
    /// The line's end.
    Line,
    /// A comment.
    Comment,
    /// A colon that makes it a key.
    Colon(usize),
    /// A bracket or comma of the flow collection around it.
    Flow,
}

/// The next line of a scalar that goes on.
#[derive(Clone, Copy, Debug)]
struct Fold {
    /// Where its text begins.
    at: usize,
    /// Where the line begins.
    start: usize,
    /// Its indentation.
    column: usize,
    /// There is a tab in its indentation.
    tabs: bool,
    /// Blank lines before it.
    blank_lines: usize,
}

impl Reader<'_> {
    /// Where the text of a plain scalar at `at` ends on this line, and what ends it.
    #[inline]
    pub fn plain_line(&self, at: usize, flow: bool) -> (usize, Stop) {
        let mut here = at;
        let mut end = at;
        loop {
            let byte = self.byte(here);
            // Letters, and nearly all else that text is made of, come after all that counts in a block.
            if byte > b':' && !flow {
                here += 1;
                end = here;
                continue;
            }
            match byte {
                b' ' | b'\t' => {
                    here += 1;
                    continue;
                }
                b'\n' | 0 => return (end, Stop::Line),
                b'#' if here > end => return (end, Stop::Comment),
                b':' => {
                    let next = self.byte(here + 1);
                    if is_space_or_end(next) || (flow && is_flow_mark(next)) {
                        return (end, Stop::Colon(here));
                    }
                }
                b',' | b'[' | b']' | b'{' | b'}' if flow => return (end, Stop::Flow),
                _ => {}
            }
            here += 1;
            end = here;
        }
    }

    /// Looks over blank lines from the line feed at `at` to the next line with something on it.
    fn fold(&self, at: usize) -> Fold {
        let mut fold = Fold {
            at,
            start: at,
            column: 0,
            tabs: false,
            blank_lines: 0,
        };
        while self.byte(fold.at) == b'\n' {
            if fold.at > at {
                fold.blank_lines += 1;
            }
            fold.start = fold.at + 1;
            fold.at = fold.start;
            fold.column = 0;
            fold.tabs = false;
            loop {
                match self.byte(fold.at) {
                    b' ' => fold.column += 1,
                    b'\t' => {
                        fold.tabs = true;
                        fold.column = fold.column / 4 * 4 + 4;
                    }
                    _ => break,
                }
                fold.at += 1;
            }
        }
        fold
    }

    /// Adds the line break of a fold: a blank, or the blank lines as they are.
    fn add_break(&mut self, blank_lines: usize) {
        if blank_lines == 0 {
            self.tape.made.push(' ');
        }
        for _ in 0..blank_lines {
            self.tape.made.push('\n');
        }
    }

    /// Notes a tab where only spaces count as indentation, if the spaces before it are too few.
    pub fn note_tabs(&mut self, start: usize, at: usize, floor: usize) {
        let spaces = self
            .slice(start, at)
            .bytes()
            .take_while(|b| *b == b' ')
            .count();
        if spaces < floor {
            let text = "  ".repeat(self.slice(start, at).matches('\t').count());
            self.note(
                Code::TabIndentation,
                start,
                at,
                Remedy::Replace {
                    title: "Indent with spaces",
                    start,
                    end: at,
                    text: format!("{}{text}", " ".repeat(spaces)),
                },
            );
        }
    }

    /// Reads a plain scalar at `at`. It goes on over lines that are indented by `floor` or more.
    /// Gives the end of its text.
    pub fn plain(&mut self, at: usize, floor: usize, flow: bool) -> Result<usize, Trouble> {
        let style = if flow { Style::Flow } else { Style::Block };
        let (mut end, mut stop) = self.plain_line(at, flow);
        let mut made = None;
        loop {
            match stop {
                Stop::Colon(colon) if !flow => {
                    return Err(Trouble::new(Code::UnquotedColon, colon));
                }
                // A key goes over lines only in a flow map; who asked for it knows.
                Stop::Colon(_) | Stop::Comment | Stop::Flow => break,
                Stop::Line => {}
            }
            let fold = self.fold(self.skip_blanks(end));
            let byte = self.byte(fold.at);
            if byte == 0 || byte == b'#' || fold.column < floor {
                break;
            }
            if flow && (is_flow_mark(byte) || (byte == b':' && self.colon_in_flow(fold.at))) {
                break;
            }
            if !flow
                && (self.indicates(fold.at, b':')
                    || floor == 1 && self.key_like(fold.at) == KeyLike::Known)
            {
                break;
            }
            if fold.tabs {
                self.note_tabs(fold.start, fold.at, floor);
            }
            if made.is_none() {
                made = Some(self.tape.made.len());
                let first = self.slice(at, end);
                self.tape.made.push_str(first);
            }
            self.add_break(fold.blank_lines);
            (end, stop) = self.plain_line(fold.at, flow);
            let text = self.slice(fold.at, end);
            self.tape.made.push_str(text);
        }
        match made {
            None => self.add_slice(Kind::Plain, style, at, end, at, end),
            Some(start) => self.add_made(Kind::Plain, style, start, at, end),
        }
        Ok(end)
    }

    /// True when the colon at `at` separates key and value in a flow collection.
    pub fn colon_in_flow(&self, at: usize) -> bool {
        let next = self.byte(at + 1);
        self.byte(at) == b':' && (is_space_or_end(next) || is_flow_mark(next))
    }

    /// Reads a quoted scalar at `at`. Its lines are to be indented by `floor` or more; others are
    /// taken too, with a problem, as long as they do not look like another key.
    /// Gives the place after the closing quote.
    pub fn quoted(&mut self, at: usize, floor: usize, flow: bool) -> Result<usize, Trouble> {
        let style = if flow { Style::Flow } else { Style::Block };
        let quote = self.byte(at);
        let rest = self.header.as_bytes().get(at + 1..).unwrap_or_default();
        let length = in_quotes_until(rest, quote);
        let here = at + 1 + length.unwrap_or(rest.len());
        self.count(here - at);
        match self.byte(here) {
            0 => return Err(Trouble::new(Code::UnclosedQuote, at)),
            byte if byte == quote && (quote == b'"' || self.byte(here + 1) != quote) => {
                self.add_slice(Kind::Text, style, at + 1, here, at, here + 1);
                return Ok(here + 1);
            }
            _ => {}
        }
        let start = self.tape.made.len();
        let end = self.quoted_slowly(at, here, floor)?;
        self.add_made(Kind::Text, style, start, at, end);
        Ok(end)
    }

    /// The rest of a quoted scalar whose text has to be made; `here` is the first place that is not
    /// simply text.
    fn quoted_slowly(
        &mut self,
        at: usize,
        mut here: usize,
        floor: usize,
    ) -> Result<usize, Trouble> {
        let quote = self.byte(at);
        // What was made up to `firm` stays, whatever blanks it ends with.
        let mut firm = self.tape.made.len();
        let mut from = at + 1;
        let mut outdented = false;
        loop {
            match self.byte(here) {
                0 => return Err(Trouble::new(Code::UnclosedQuote, at)),
                byte if byte == quote => {
                    if quote == b'\'' && self.byte(here + 1) == b'\'' {
                        self.add_run(from, here + 1);
                        here += 2;
                        from = here;
                        continue;
                    }
                    self.add_run(from, here);
                    return Ok(here + 1);
                }
                b'\\' if quote == b'"' => {
                    self.add_run(from, here);
                    firm = self.tape.made.len();
                    if self.byte(here + 1) == b'\n' {
                        let fold = self.fold(here + 1);
                        self.check_fold(&fold, floor, at, &mut outdented)?;
                        for _ in 0..fold.blank_lines {
                            self.tape.made.push('\n');
                        }
                        here = fold.at;
                    } else {
                        here = self.escape(here);
                    }
                    firm = firm.max(self.tape.made.len());
                    from = here;
                }
                b'\n' => {
                    self.add_run(from, here);
                    let made = self.tape.made.get(firm..).unwrap_or_default();
                    let length = firm + made.trim_end_matches([' ', '\t']).len();
                    self.tape.made.truncate(length);
                    let fold = self.fold(here);
                    self.check_fold(&fold, floor, at, &mut outdented)?;
                    self.add_break(fold.blank_lines);
                    firm = self.tape.made.len();
                    here = fold.at;
                    from = here;
                }
                _ => here += 1,
            }
        }
    }

    fn add_run(&mut self, from: usize, to: usize) {
        let run = self.slice(from, to);
        self.tape.made.push_str(run);
    }

    /// Decides whether a quoted scalar that opened at `at` goes on with this line.
    fn check_fold(
        &mut self,
        fold: &Fold,
        floor: usize,
        at: usize,
        outdented: &mut bool,
    ) -> Result<(), Trouble> {
        if self.byte(fold.at) == 0 {
            return Err(Trouble::new(Code::UnclosedQuote, at));
        }
        if fold.tabs {
            self.note_tabs(fold.start, fold.at, floor);
        }
        if fold.column >= floor {
            return Ok(());
        }
        // In the top map prose like `Note: this` may stand at column 0 of a value; deeper it is
        // a sibling.
        let another = match self.key_like(fold.at) {
            KeyLike::Known => true,
            KeyLike::Word => floor > 1,
            KeyLike::No => false,
        };
        if another {
            return Err(Trouble::new(Code::UnclosedQuote, at));
        }
        if !*outdented {
            *outdented = true;
            let end = self.line_end(fold.at);
            let index = self.tape.len();
            self.note(Code::OutdentedLine, fold.at, end, Remedy::Quote(index));
        }
        Ok(())
    }

    /// Reads the escape at `at` and gives the place after it.
    fn escape(&mut self, at: usize) -> usize {
        let simple = match self.byte(at + 1) {
            b'0' => '\0',
            b'a' => '\u{7}',
            b'b' => '\u{8}',
            b't' | b'\t' => '\t',
            b'n' => '\n',
            b'v' => '\u{b}',
            b'f' => '\u{c}',
            b'r' => '\r',
            b'e' => '\u{1b}',
            b' ' => ' ',
            b'"' => '"',
            b'/' => '/',
            b'\\' => '\\',
            b'N' => '\u{85}',
            b'_' => '\u{a0}',
            b'L' => '\u{2028}',
            b'P' => '\u{2029}',
            b'x' => return self.code_escape(at, 2),
            b'u' => return self.code_escape(at, 4),
            b'U' => return self.code_escape(at, 8),
            _ => return self.bad_escape(at, at + 1),
        };
        self.tape.made.push(simple);
        at + 2
    }

    /// Reads `\x..`, `\u....` (with its second half, where it is half of a pair) or `\U........`.
    fn code_escape(&mut self, at: usize, digits: usize) -> usize {
        let end = at + 2 + digits;
        let Some(code) = self.hex(at + 2, digits) else {
            return self.bad_escape(at, at + 1);
        };
        if let Some(c) = char::from_u32(code) {
            self.tape.made.push(c);
            return end;
        }
        let pair = digits == 4
            && (0xd800..0xdc00).contains(&code)
            && self.byte(end) == b'\\'
            && self.byte(end + 1) == b'u';
        if pair
            && let Some(low) = self.hex(end + 2, 4)
            && (0xdc00..0xe000).contains(&low)
            && let Some(c) = char::from_u32(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00))
        {
            self.tape.made.push(c);
            return end + 6;
        }
        self.bad_escape(at, at + 1)
    }

    fn hex(&self, at: usize, digits: usize) -> Option<u32> {
        let text = self.slice(at, at + digits);
        let all = text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit());
        all.then(|| u32::from_str_radix(text, 16).ok()).flatten()
    }

    /// Keeps the backslash of an escape that is none.
    fn bad_escape(&mut self, at: usize, next: usize) -> usize {
        self.tape.made.push('\\');
        self.note(
            Code::BadEscape,
            at,
            next + 1,
            Remedy::Replace {
                title: "Write two backslashes",
                start: at,
                end: next,
                text: "\\\\".to_owned(),
            },
        );
        next
    }

    /// The closing quote of a quoted scalar at `at`, if it stands on the same line.
    pub fn closing_quote(&self, at: usize) -> Option<usize> {
        let quote = self.byte(at);
        let mut here = at + 1;
        loop {
            match self.byte(here) {
                b'\n' | 0 => return None,
                b'\\' if quote == b'"' && self.byte(here + 1) != b'\n' => here += 2,
                byte if byte == quote => {
                    if quote == b'\'' && self.byte(here + 1) == b'\'' {
                        here += 2;
                    } else {
                        return Some(here);
                    }
                }
                _ => here += 1,
            }
        }
    }

    /// True when a plain scalar can begin at `at`.
    pub fn plain_can_begin(&self, at: usize, flow: bool) -> bool {
        match self.byte(at) {
            b'-' | b'?' | b':' => {
                let next = self.byte(at + 1);
                !(is_space_or_end(next) || (flow && is_flow_mark(next)))
            }
            b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\''
            | b'"' | b'%' | b'@' | b'`' | 0 => false,
            byte => !is_blank(byte) && byte != b'\n',
        }
    }
}
