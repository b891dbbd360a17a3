//! A server's question to the user: parameters of `elicitation/create` → a form or an address → a card.
//!
//! In: the JSON text that the server wrote. Out: [`Elicitation`], or why it cannot be asked; the card
//! that asks it. What is filled in is read by [`crate::form`]. Deliberately not here: when a server
//! may ask, and how it is answered; that is the session's.

mod address;
mod card;
mod schema;

use crate::card::Card;
use crate::form::Field;
use crate::limits::MAX_ASK_BYTES;
use crate::mcp::message::Fields;
use crate::tagged::tagged;
use serde::{Deserialize, Serialize};
use tsify::Tsify;

/// What a server wants of the user.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Tsify)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Wish {
    /// Answers, which the server gets.
    Form {
        /// None: it only wants a yes.
        fields: Vec<Field>,
    },
    /// That an address is opened in a browser. What happens there does not pass through us.
    Address {
        /// The whole address as the server wrote it: `https` or `http`.
        url: String,
        /// The host in it, with its port.
        host: String,
    },
}

tagged! {
    Wish { fields: Vec<Field>, url: String, host: String }
    "form" => Form { fields },
    "address" => Address { url, host },
}

/// A question of a server to the user.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Elicitation {
    /// The server's words.
    pub message: String,
    /// What it wants.
    pub wish: Wish,
}

/// Who asks.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct ElicitationFrom {
    /// The server's name in the configuration.
    pub server: String,
    /// What it works on meanwhile: the name of a tool, a prompt, an address of a resource; may be empty.
    pub during: String,
}

/// Reads the parameters of `elicitation/create`; or says why they cannot be asked, for the server.
pub fn read(params: &str) -> Result<Elicitation, String> {
    if params.len() > MAX_ASK_BYTES {
        return Err(format!("The question is over {MAX_ASK_BYTES} bytes."));
    }
    let fields: Fields<'_> =
        serde_json::from_str(params).map_err(|_| "The question is not an object.".to_owned())?;
    let text = |key| {
        let json = fields.get(key)?;
        serde_json::from_str::<String>(json).ok()
    };
    let message = text("message").ok_or("The question has no text \"message\".")?;
    let wish = match text("mode").as_deref() {
        None | Some("form") => {
            let schema = fields.get("requestedSchema");
            Wish::Form {
                fields: schema::fields(schema.ok_or("It has no \"requestedSchema\".")?)?,
            }
        }
        Some("url") => {
            let url = text("url").ok_or("It has no text \"url\".")?;
            let host = address::host(&url)?.to_owned();
            Wish::Address { url, host }
        }
        Some(_) => return Err("Its \"mode\" is not one that this client knows.".to_owned()),
    };
    Ok(Elicitation { message, wish })
}

/// The card that asks it.
pub fn elicitation_card(elicitation: &Elicitation, from: &ElicitationFrom) -> Card {
    card::card(elicitation, from)
}

#[cfg(test)]
mod tests;
