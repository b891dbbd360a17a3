//! Reading enums that name their variant in `kind`.
//!
//! What serde generates for them holds every value in a form of its own first, and then reads each
//! type a second time from there: forty kilobytes of WebAssembly for the four that come in. Here
//! the fields of all variants are read as those of one struct, once.

use serde::de;

/// A field that the variant needs.
pub(crate) fn needed<T, E: de::Error>(value: Option<T>, name: &'static str) -> Result<T, E> {
    value.ok_or_else(|| missing(name))
}

#[inline(never)]
fn missing<E: de::Error>(name: &'static str) -> E {
    E::custom(format_args!("{name} is missing"))
}

/// `Deserialize` for an enum: the fields of all variants, and which of them each variant takes. One
/// that is in brackets may be missing.
macro_rules! tagged {
    ($name:ident { $($field:ident: $type:ty),* }
        $($kind:literal => $variant:ident { $($needed:ident),* $([$($may:ident),*])? }),* $(,)?) => {
        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                #[derive(::serde::Deserialize)]
                #[serde(rename_all = "camelCase")]
                struct Fields {
                    kind: String,
                    $($field: Option<$type>,)*
                }
                let fields = Fields::deserialize(from)?;
                match fields.kind.as_str() {
                    $($kind => Ok(Self::$variant {
                        $($needed: $crate::tagged::needed(fields.$needed, stringify!($needed))?,)*
                        $($($may: fields.$may,)*)?
                    }),)*
                    other => Err(::serde::de::Error::unknown_variant(other, &[$($kind),*])),
                }
            }
        }
    };
}
pub(crate) use tagged;
