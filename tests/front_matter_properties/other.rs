//! What another parser makes of a header.

use saphyr::{LoadableYamlNode, Scalar, Yaml};
use serde_json::{Map, Value};

/// A key or value of the other parser as JSON; nothing for what JSON cannot say.
fn json(node: &Yaml<'_>) -> Option<Value> {
    Some(match node {
        Yaml::Value(Scalar::Null) => Value::Null,
        Yaml::Value(Scalar::Boolean(value)) => Value::Bool(*value),
        Yaml::Value(Scalar::Integer(value)) => Value::from(*value),
        Yaml::Value(Scalar::FloatingPoint(value)) => {
            serde_json::Number::from_f64(value.0).map_or(Value::Null, Value::Number)
        }
        Yaml::Value(Scalar::String(value)) => Value::String(value.to_string()),
        Yaml::Sequence(items) => Value::Array(items.iter().map(json).collect::<Option<_>>()?),
        Yaml::Mapping(entries) => {
            let mut map = Map::new();
            for (key, value) in entries {
                let key = match json(key)? {
                    Value::Null => String::new(),
                    Value::Bool(value) => value.to_string(),
                    Value::Number(value) => value.to_string(),
                    Value::String(value) => value,
                    Value::Array(_) | Value::Object(_) => return None,
                };
                // Two keys of different types may be one in JSON.
                if map.insert(key, json(value)?).is_some() {
                    return None;
                }
            }
            Value::Object(map)
        }
        Yaml::Tagged(_, inner) => json(inner)?,
        Yaml::Representation(..) | Yaml::Alias(_) | Yaml::BadValue => return None,
    })
}

/// What the other parser makes of a header, if it takes it for one map that JSON can say.
pub fn other(header: &str) -> Option<Value> {
    // The line feed before the closing fence belongs to the header.
    let header = format!("{header}\n");
    let documents = Yaml::load_from_str(&header).ok()?;
    let [document] = documents.as_slice() else {
        return None;
    };
    json(document).filter(Value::is_object)
}
