//! The tape as JSON text, keys in the order of the file.

use super::core_schema::{self, Scalar};
use super::findings::{Code, Remedy};
use super::reader::Reader;
use super::tape::{Kind, Node, Style};
use super::words::to_escape;
use crate::limits::{FRONT_MATTER_ALIAS_BYTES, FRONT_MATTER_DEPTH};
use crate::order::sort;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

/// Keys up to which each is compared with each; more are sorted.
const FEW_KEYS: usize = 8;

/// The JSON of an anchored node, for its aliases.
#[derive(Clone, Debug)]
struct Written {
    /// Where it was written.
    range: Range<usize>,
    /// What it would be as a value, where it was written as a key.
    value: Option<String>,
    /// Containers from here to its deepest value.
    height: usize,
}

/// Writes the JSON of one header.
struct Writer {
    json: String,
    anchored: BTreeMap<usize, Written>,
    /// Bytes that aliases have repeated.
    repeated: usize,
}

impl Reader<'_> {
    /// The whole header as a JSON object, and where in it each value of the top map stands: pairs
    /// of the index of the value and its range.
    pub fn json(&mut self) -> (String, Vec<(usize, Range<usize>)>) {
        let mut writer = Writer {
            json: String::with_capacity(self.header.len() + 16),
            anchored: BTreeMap::new(),
            repeated: 0,
        };
        // More than most headers have.
        let mut ranges = Vec::with_capacity(16);
        let is_map = self.tape.get(0).is_some_and(|node| node.kind == Kind::Map);
        if is_map {
            self.write_map(&mut writer, 0, 1, Some(&mut ranges));
        } else {
            writer.json.push_str("{}");
        }
        (writer.json, ranges)
    }

    /// Writes the node at `index`, which has `depth` containers around it, and gives its height.
    fn write(&mut self, writer: &mut Writer, index: usize, depth: usize) -> usize {
        let Some(node) = self.tape.get(index).copied() else {
            return 0;
        };
        let start = writer.json.len();
        let height = match node.kind {
            Kind::Map => self.write_map(writer, index, depth + 1, None),
            Kind::Seq => self.write_list(writer, index, depth + 1),
            Kind::Alias(target) => self.write_alias(writer, node, target, depth),
            Kind::Plain => {
                write_plain(&mut writer.json, self.tape.text(node.text, self.header));
                0
            }
            Kind::Text => {
                write_text(&mut writer.json, self.tape.text(node.text, self.header));
                0
            }
        };
        if node.anchor > 0 {
            let range = start..writer.json.len();
            let written = Written {
                range,
                value: None,
                height,
            };
            writer.anchored.insert(index, written);
        }
        height
    }

    fn write_list(&mut self, writer: &mut Writer, index: usize, depth: usize) -> usize {
        let end = self.tape.get(index).map_or(0, |node| node.next);
        let mut height = 0;
        let mut at = index + 1;
        writer.json.push('[');
        while at < end {
            if at > index + 1 {
                writer.json.push(',');
            }
            height = height.max(self.write(writer, at, depth));
            at = self.tape.get(at).map_or(end, |node| node.next);
        }
        writer.json.push(']');
        height + 1
    }

    fn write_map(
        &mut self,
        writer: &mut Writer,
        index: usize,
        depth: usize,
        mut ranges: Option<&mut Vec<(usize, Range<usize>)>>,
    ) -> usize {
        let end = self.tape.get(index).map_or(0, |node| node.next);
        let mut height = 0;
        let mut at = index + 1;
        let mut first = true;
        writer.json.push('{');
        while at < end {
            let Some(key) = self.tape.get(at).copied() else {
                break;
            };
            let value = key.next;
            let next = self.tape.get(value).map_or(end, |node| node.next);
            if !key.dropped {
                if !first {
                    writer.json.push(',');
                }
                first = false;
                write_text(&mut writer.json, &self.key_text(at));
                if key.anchor > 0 {
                    let mut value = String::new();
                    let text = self.tape.text(key.text, self.header);
                    if key.kind == Kind::Plain {
                        write_plain(&mut value, text);
                    } else {
                        write_text(&mut value, text);
                    }
                    let written = Written {
                        range: 0..value.len(),
                        value: Some(value),
                        height: 0,
                    };
                    writer.anchored.insert(at, written);
                }
                writer.json.push(':');
                let start = writer.json.len();
                height = height.max(self.write(writer, value, depth));
                if let Some(ranges) = &mut ranges {
                    ranges.push((value, start..writer.json.len()));
                }
            }
            at = next;
        }
        writer.json.push('}');
        height + 1
    }

    /// Repeats what an alias stands for, within the bound.
    fn write_alias(
        &mut self,
        writer: &mut Writer,
        alias: Node,
        target: usize,
        depth: usize,
    ) -> usize {
        if let Some(written) = writer.anchored.get(&target) {
            let height = written.height;
            writer.repeated += written.range.len();
            if writer.repeated <= FRONT_MATTER_ALIAS_BYTES && depth + height <= FRONT_MATTER_DEPTH {
                match &written.value {
                    Some(value) => writer.json.push_str(value),
                    None => writer.json.extend_from_within(written.range.clone()),
                }
                return height;
            }
            self.note(Code::AliasBound, alias.from, alias.to, Remedy::None);
        } else {
            self.note(Code::UnknownAlias, alias.from, alias.to, Remedy::None);
        }
        writer.json.push_str("null");
        0
    }

    /// The text of the key at `index` as JSON has it.
    pub fn key_text(&self, index: usize) -> Cow<'_, str> {
        let Some(node) = self.tape.resolved(index) else {
            return Cow::Borrowed("");
        };
        let text = self.tape.text(node.text, self.header);
        self.count(text.len());
        match node.kind {
            Kind::Plain => core_schema::key(text),
            Kind::Text | Kind::Map | Kind::Seq | Kind::Alias(_) => Cow::Borrowed(text),
        }
    }

    /// Marks the keys of the map at `index` that an earlier key has already named.
    pub fn mark_duplicates(&mut self, index: usize) {
        let mut doubles = Vec::new();
        {
            let keys = || self.tape.children(index).step_by(2);
            if keys().nth(FEW_KEYS).is_none() {
                let mut texts = [const { Cow::Borrowed("") }; FEW_KEYS];
                for (count, key) in keys().enumerate() {
                    let text = self.key_text(key);
                    if texts.iter().take(count).any(|earlier| *earlier == text) {
                        doubles.push(key);
                    }
                    if let Some(place) = texts.get_mut(count) {
                        *place = text;
                    }
                }
            } else {
                let mut keys: Vec<_> = keys().map(|key| (self.key_text(key), key)).collect();
                // Of equal ones, the first in the file comes first.
                sort(&mut keys);
                for pair in keys.windows(2) {
                    if let [(first, _), (second, key)] = pair
                        && first == second
                    {
                        doubles.push(*key);
                    }
                }
                sort(&mut doubles);
            }
        }
        for key in doubles {
            if let Some(node) = self.tape.get_mut(key) {
                node.dropped = true;
                let (from, to) = (node.from, node.to);
                let remedy = self.removal(index, key);
                self.note(Code::DuplicateKey, from, to, remedy);
            }
        }
    }
}

impl Reader<'_> {
    /// Removes the entry of the key at `key`, if it has its lines for itself.
    fn removal(&self, map: usize, key: usize) -> Remedy {
        let block = self
            .tape
            .get(map)
            .is_some_and(|node| node.style == Style::Block);
        let (Some(key), Some(value)) = (self.tape.get(key), self.tape.get(key + 1)) else {
            return Remedy::None;
        };
        // In a flow map the line may be endless, and of many doubles most are only counted.
        if !block || self.findings.is_full() {
            return Remedy::None;
        }
        let before = self.header.get(..key.from).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |feed| feed + 1);
        self.count(key.from - start);
        let indentation = self.slice(start, key.from);
        if !indentation.bytes().all(|byte| byte == b' ') {
            return Remedy::None;
        }
        let end = (self.line_end(value.to) + 1).min(self.header.len());
        Remedy::Replace {
            title: "Remove this key",
            start,
            end,
            text: String::new(),
        }
    }
}

fn write_plain(json: &mut String, text: &str) {
    match core_schema::scalar(text) {
        Scalar::Text => write_text(json, text),
        Scalar::Null | Scalar::NoNumber(_) => json.push_str("null"),
        Scalar::Bool(value) => json.push_str(if value { "true" } else { "false" }),
        Scalar::Number(number) => json.push_str(&number),
    }
}

/// Writes `text` as a JSON string.
pub(super) fn write_text(json: &mut String, text: &str) {
    json.push('"');
    let mut from = 0;
    loop {
        let rest = text.get(from..).unwrap_or_default();
        let Some(at) = to_escape(rest.as_bytes()) else {
            json.push_str(rest);
            break;
        };
        json.push_str(rest.get(..at).unwrap_or_default());
        let byte = rest.as_bytes().get(at).copied().unwrap_or_default();
        match byte {
            b'"' => json.push_str("\\\""),
            b'\\' => json.push_str("\\\\"),
            b'\n' => json.push_str("\\n"),
            b'\r' => json.push_str("\\r"),
            b'\t' => json.push_str("\\t"),
            // Writing to a string cannot fail.
            _ => {
                let _ = write!(json, "\\u{byte:04x}");
            }
        }
        from += at + 1;
    }
    json.push('"');
}
