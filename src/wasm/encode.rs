//! One of our types → JSON text, for JavaScript to read.
//!
//! Small and quick where it counts: what serde generates for a type calls a few functions that stand
//! here once, nothing can fail, and text is copied in stretches. Deliberately not here: numbers beyond
//! JSON (they become `null`), and maps whose keys are no text.

#[cfg(test)]
mod tests;

use serde::ser::{self, Serialize, Serializer};
use std::fmt::{self, Write};

/// What cannot be written: a map whose keys are no text.
#[derive(Debug)]
pub(super) struct Unwritable;

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a result cannot be written as JSON")
    }
}

impl std::error::Error for Unwritable {}

impl ser::Error for Unwritable {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// JSON text that grows.
pub(super) struct Writer {
    text: String,
}

/// `value` as JSON text.
pub(super) fn to_json<T: Serialize>(value: &T) -> Result<String, Unwritable> {
    let mut writer = Writer {
        text: String::new(),
    };
    value.serialize(&mut writer)?;
    Ok(writer.text)
}

impl Writer {
    #[inline(never)]
    fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A comma, unless something was just opened.
    #[inline(never)]
    fn next(&mut self) {
        if !self.text.ends_with(['[', '{']) {
            self.text.push(',');
        }
    }

    #[inline(never)]
    fn key(&mut self, key: &str) {
        self.next();
        self.quoted(key);
        self.text.push(':');
    }

    #[inline(never)]
    fn quoted(&mut self, text: &str) {
        self.text.reserve(text.len() + 2);
        self.text.push('"');
        let mut rest = text;
        loop {
            let plain = plain_length(rest.as_bytes());
            let (before, after) = rest.split_at_checked(plain).unwrap_or((rest, ""));
            self.text.push_str(before);
            let mut chars = after.chars();
            match chars.next() {
                None => break,
                Some('"') => self.text.push_str("\\\""),
                Some('\\') => self.text.push_str("\\\\"),
                Some('\n') => self.text.push_str("\\n"),
                // What is left is a control character; writing to a string cannot fail.
                Some(c) => {
                    let _ = write!(self.text, "\\u{:04x}", u32::from(c));
                }
            }
            rest = chars.as_str();
        }
        self.text.push('"');
    }

    #[inline(never)]
    fn integer(&mut self, value: i64) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{value}");
    }

    /// The one entry of an object that names a variant.
    #[inline(never)]
    fn variant(&mut self, name: &str, opening: &str) {
        self.text.push('{');
        self.key(name);
        self.text.push_str(opening);
    }
}

/// Bytes before the first one that JSON escapes. Eight are looked at together.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // A byte that is zero, or below 0x20, shows in its highest bit; one above 0x7f may not.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let (words, _) = bytes.as_chunks::<8>();
    let mut length = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let quote = below(word ^ (ONES * 0x22), 1);
        let backslash = below(word ^ (ONES * 0x5c), 1);
        if below(word, 0x20) | quote | backslash != 0 {
            break;
        }
        length += 8;
    }
    let rest = bytes.get(length..).unwrap_or_default();
    length
        + rest
            .iter()
            .take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20))
            .count()
}

/// An object or list that is being written, and what closes it.
pub(super) struct Open<'w> {
    writer: &'w mut Writer,
    closing: &'static str,
}

impl Open<'_> {
    fn close(self) {
        self.writer.raw(self.closing);
    }

    fn field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), Unwritable> {
        self.writer.key(key);
        value.serialize(&mut *self.writer)
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.writer.next();
        value.serialize(&mut *self.writer)
    }
}

/// Whole numbers, written alike.
macro_rules! integers {
    ($($method:ident $type:ty)*) => {
        $(fn $method(self, value: $type) -> Result<(), Unwritable> {
            self.integer(i64::from(value));
            Ok(())
        })*
    };
}

impl<'w> Serializer for &'w mut Writer {
    type Ok = ();
    type Error = Unwritable;
    type SerializeSeq = Open<'w>;
    type SerializeTuple = Open<'w>;
    type SerializeTupleStruct = Open<'w>;
    type SerializeTupleVariant = Open<'w>;
    type SerializeMap = Open<'w>;
    type SerializeStruct = Open<'w>;
    type SerializeStructVariant = Open<'w>;

    integers! {
        serialize_i8 i8
        serialize_i16 i16
        serialize_i32 i32
        serialize_i64 i64
        serialize_u8 u8
        serialize_u16 u16
        serialize_u32 u32
    }

    fn serialize_u64(self, value: u64) -> Result<(), Unwritable> {
        let _ = write!(self.text, "{value}");
        Ok(())
    }

    fn serialize_bool(self, value: bool) -> Result<(), Unwritable> {
        self.raw(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Unwritable> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Unwritable> {
        if value.is_finite() {
            let _ = write!(self.text, "{value:?}");
        } else {
            self.raw("null");
        }
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Unwritable> {
        self.quoted(value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), Unwritable> {
        self.quoted(value);
        Ok(())
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Unwritable> {
        Err(Unwritable)
    }

    fn serialize_none(self) -> Result<(), Unwritable> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unwritable> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Unwritable> {
        self.raw("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Unwritable> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Unwritable> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Unwritable> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Unwritable> {
        self.variant(variant, "");
        value.serialize(&mut *self)?;
        self.raw("}");
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'w>, Unwritable> {
        self.raw("[");
        Ok(Open {
            writer: self,
            closing: "]",
        })
    }

    fn serialize_tuple(self, length: usize) -> Result<Open<'w>, Unwritable> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<Open<'w>, Unwritable> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'w>, Unwritable> {
        self.variant(variant, "[");
        Ok(Open {
            writer: self,
            closing: "]}",
        })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'w>, Unwritable> {
        self.raw("{");
        Ok(Open {
            writer: self,
            closing: "}",
        })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open<'w>, Unwritable> {
        self.serialize_map(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'w>, Unwritable> {
        self.variant(variant, "{");
        Ok(Open {
            writer: self,
            closing: "}}",
        })
    }
}

/// Everything that holds items is written alike.
macro_rules! lists {
    ($($name:ident $method:ident)*) => {
        $(impl ser::$name for Open<'_> {
            type Ok = ();
            type Error = Unwritable;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
                self.item(value)
            }

            fn end(self) -> Result<(), Unwritable> {
                self.close();
                Ok(())
            }
        })*
    };
}

/// Everything that holds fields is written alike.
macro_rules! objects {
    ($($name:ident)*) => {
        $(impl ser::$name for Open<'_> {
            type Ok = ();
            type Error = Unwritable;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), Unwritable> {
                self.field(key, value)
            }

            fn end(self) -> Result<(), Unwritable> {
                self.close();
                Ok(())
            }
        })*
    };
}

lists! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

objects! { SerializeStruct SerializeStructVariant }

impl ser::SerializeMap for Open<'_> {
    type Ok = ();
    type Error = Unwritable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Unwritable> {
        self.writer.next();
        let start = self.writer.text.len();
        key.serialize(&mut *self.writer)?;
        let written = self.writer.text.get(start..).unwrap_or_default();
        if !written.starts_with('"') {
            return Err(Unwritable);
        }
        self.writer.raw(":");
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Unwritable> {
        self.close();
        Ok(())
    }
}
