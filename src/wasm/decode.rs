//! A JavaScript value → one of our types.
//!
//! Small on purpose: what reads a value stands here once, and what serde generates for a type is
//! only the order of its fields. Every property is asked for by its name, in that order, so what a
//! caller adds to an object is not even looked at; `undefined` counts as missing. Fields that are
//! not given must be `Option` or have a default.

mod fault;

use fault::{Fault, Step};
use js_sys::{Array, Object};
use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, Visitor};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// A value, looked at once.
enum Value {
    Missing,
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Array),
    Object(JsValue),
    /// A function, a symbol, a big integer.
    Other,
}

impl Value {
    #[inline(never)]
    fn of(js: JsValue) -> Self {
        // Each question is a call to JavaScript: the frequent answers first.
        if let Some(text) = js.as_string() {
            return Self::Text(text);
        }
        if js.is_object() {
            return if Array::is_array(&js) {
                Self::List(js.unchecked_into())
            } else {
                Self::Object(js)
            };
        }
        if let Some(number) = js.as_f64() {
            return Self::Number(number);
        }
        if let Some(truth) = js.as_bool() {
            return Self::Bool(truth);
        }
        if js.is_undefined() {
            return Self::Missing;
        }
        if js.is_null() {
            return Self::Null;
        }
        Self::Other
    }

    #[inline(never)]
    fn refused(&self, expected: &dyn de::Expected) -> Fault {
        let what = match self {
            Self::Missing => return Fault::missing(),
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
            Self::Other => "something else",
        };
        Fault::expected(what, expected)
    }
}

/// A number that JavaScript holds exactly, and is whole.
fn whole(number: f64) -> Option<i64> {
    const SAFE: f64 = 9_007_199_254_740_991.0;
    // Within these bounds nothing is cut.
    #[allow(clippy::cast_possible_truncation)]
    (number.fract() == 0.0 && number.abs() <= SAFE).then_some(number as i64)
}

thread_local! {
    /// Names of fields as JavaScript strings, made once: by where a name stands in the module.
    static NAMES: RefCell<Vec<(usize, usize, JsValue)>> = const { RefCell::new(Vec::new()) };
}

#[wasm_bindgen]
extern "C" {
    type Properties;

    /// Not by `Reflect`: what catches errors there costs more than all the rest.
    #[wasm_bindgen(method, structural, indexing_getter)]
    fn called(this: &Properties, name: &JsValue) -> JsValue;
}

/// The property `name` of an object; `undefined` where there is none.
#[inline(never)]
fn property(object: &JsValue, name: &'static str) -> JsValue {
    let key = (name.as_ptr() as usize, name.len());
    let object: &Properties = object.unchecked_ref();
    NAMES.with_borrow_mut(|names| {
        let found = names.binary_search_by(|(at, length, _)| (*at, *length).cmp(&key));
        let at = found.unwrap_or_else(|at| {
            names.insert(at, (key.0, key.1, JsValue::from_str(name)));
            at
        });
        names
            .get(at)
            .map_or(JsValue::UNDEFINED, |(_, _, name)| object.called(name))
    })
}

/// The fields of an object, in the order of a type's own.
struct Fields {
    object: JsValue,
    names: std::slice::Iter<'static, &'static str>,
    missing: Option<&'static str>,
}

impl<'de> de::SeqAccess<'de> for &mut Fields {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let Some(name) = self.names.next() else {
            return Ok(None);
        };
        match seed.deserialize(Value::of(property(&self.object, name))) {
            Ok(value) => Ok(Some(value)),
            Err(fault) if fault.is_missing() => {
                self.missing = Some(name);
                Ok(None)
            }
            Err(fault) => Err(fault.within(Step::Name(name))),
        }
    }
}

/// The items of a list.
struct Items {
    list: Array,
    next: u32,
}

impl Items {
    #[inline(never)]
    fn take(&mut self) -> Option<Value> {
        if self.next >= self.list.length() {
            return None;
        }
        let item = Value::of(self.list.get(self.next));
        self.next += 1;
        Some(match item {
            Value::Missing => Value::Null,
            item => item,
        })
    }
}

impl<'de> de::SeqAccess<'de> for Items {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let Some(item) = self.take() else {
            return Ok(None);
        };
        let index = self.next - 1;
        match seed.deserialize(item) {
            Ok(value) => Ok(Some(value)),
            Err(fault) => Err(fault.within(Step::Index(index))),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        usize::try_from(self.list.length() - self.next).ok()
    }
}

/// The entries of an object whose names are data.
struct Entries {
    entries: Items,
    value: Value,
}

impl<'de> de::MapAccess<'de> for Entries {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let Some(Value::List(pair)) = self.entries.take() else {
            return Ok(None);
        };
        self.value = match Value::of(pair.get(1)) {
            Value::Missing => Value::Null,
            value => value,
        };
        seed.deserialize(Value::of(pair.get(0))).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(std::mem::replace(&mut self.value, Value::Missing))
    }
}

/// The name of a variant without fields.
struct Variant(String);

impl<'de> de::EnumAccess<'de> for Variant {
    type Error = Fault;
    type Variant = NoFields;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, NoFields), Fault> {
        let name: StrDeserializer<'_, Fault> = StrDeserializer::new(&self.0);
        seed.deserialize(name).map(|variant| (variant, NoFields))
    }
}

struct NoFields;

impl<'de> de::VariantAccess<'de> for NoFields {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value, Fault> {
        Err(Fault::missing())
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Fault> {
        Err(Fault::missing())
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Fault> {
        Err(Fault::missing())
    }
}

/// Every kind of whole number is read alike; its visitor knows the bounds.
macro_rules! whole_numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            let Value::Number(number) = self else {
                return Err(self.refused(&visitor));
            };
            match whole(number) {
                Some(whole) => visitor.visit_i64(whole),
                None => Err(self.refused(&visitor)),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Value {
    type Error = Fault;

    whole_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(truth) => visitor.visit_bool(truth),
            Self::Number(number) => match whole(number) {
                Some(whole) => visitor.visit_i64(whole),
                None => visitor.visit_f64(number),
            },
            Self::Text(text) => visitor.visit_string(text),
            Self::List(list) => visitor.visit_seq(Items { list, next: 0 }),
            Self::Object(_) => self.deserialize_map(visitor),
            Self::Missing | Self::Other => Err(self.refused(&visitor)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Bool(truth) => visitor.visit_bool(truth),
            _ => Err(self.refused(&visitor)),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Number(number) => visitor.visit_f64(number),
            _ => Err(self.refused(&visitor)),
        }
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_string(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Text(text) => visitor.visit_string(text),
            _ => Err(self.refused(&visitor)),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        Err(self.refused(&visitor))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        Err(self.refused(&visitor))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Missing | Self::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::Null => visitor.visit_unit(),
            _ => Err(self.refused(&visitor)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Self::List(list) => visitor.visit_seq(Items { list, next: 0 }),
            _ => Err(self.refused(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Self::Object(object) = self else {
            return Err(self.refused(&visitor));
        };
        let list = Object::entries(object.unchecked_ref());
        visitor.visit_map(Entries {
            entries: Items { list, next: 0 },
            value: Self::Missing,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let Self::Object(object) = self else {
            return Err(self.refused(&visitor));
        };
        let mut fields = Fields {
            object,
            names: names.iter(),
            missing: None,
        };
        visitor
            .visit_seq(&mut fields)
            .map_err(|fault| fault.of_missing(fields.missing))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self {
            Self::Text(name) => visitor.visit_enum(Variant(name)),
            _ => Err(self.refused(&visitor)),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_string(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }
}

/// `js` as a `T`.
pub(super) fn from_js<T: DeserializeOwned>(js: JsValue) -> Result<T, Fault> {
    T::deserialize(Value::of(js))
}
