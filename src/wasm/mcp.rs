//! Exports of `crate::mcp`.
//!
//! [`Session`] has two faces: the documented one, and the hot door that `pkg/framing.mjs` uses to
//! give it `request`, `feed` and `end`. There JavaScript keeps the chunks, and only numbers cross:
//! where to write a chunk, and one list of records of what was found in it. A request's line crosses
//! as it is, since text within JSON is written and read once more.

use super::{decode, encode, thrown};
use crate::card::Card;
use crate::form::{self, FormFields, FormReading};
use crate::mcp::drift::{self, Drift, PinnedTools};
use crate::mcp::effect::{AskAction, Effects, Roots, SessionOptions};
use crate::mcp::elicitation::{self, Elicitation, ElicitationFrom};
use crate::mcp::framing::Cursor;
use crate::mcp::http::{HttpEnd, HttpPlace, HttpResponse};
use crate::mcp::output::{self, OutputLimits, ToolOutput};
use crate::mcp::prompt_card;
use crate::mcp::session::{self, Requested, Step};
use crate::mcp::tool;
use tsify::Ts;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const SESSION_FEED: &str = r"
export interface Session {
  /** Sends a request once the server is ready; `settled` names the id it gives. `paramsJson` is the text of a JSON object, or empty. */
  request(method: string, paramsJson: string): Requested;
  /** Takes bytes of the server's stdout in, cut anywhere. They are copied where they are kept. */
  feed(bytes: Uint8Array): Effects;
  /** Takes one whole message in, as HTTP carries it: line breaks between its parts are no ends. */
  message(whole: Uint8Array): Effects;
  /** The server's stdout is over. */
  end(): Effects;
}
";

/// Numbers before the records: how many there are, whether the chunk is used up, from where on bytes
/// must be kept, whether the chunk is ASCII.
const HEADER: usize = 4;
/// Numbers of a record: its kind, the call or the method, where its payload begins and ends. Places count from
/// what JavaScript keeps.
const RECORD: usize = 4;
/// Records that are handed out together.
const RECORDS: usize = 512;

const ANSWER: u32 = 0;
const WANTED: u32 = 1;
const MADE: u32 = 2;
const NOTIFIED: u32 = 3;

/// A conversation with one MCP server: what happens goes in, what to do comes out. It has no pipe
/// and no clock.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Session {
    inner: session::Session,
    chunk: Vec<u8>,
    used: usize,
    /// The chunk is ASCII.
    ascii: bool,
    cursor: Cursor,
    /// Where what JavaScript keeps begins in the stream.
    base: u64,
    /// Room for the numbers before the records and for all records that are handed out together.
    records: Vec<u32>,
    /// How many records there are.
    count: usize,
    /// The id of the last request.
    asked: u32,
}

#[wasm_bindgen]
impl Session {
    /// A session that has not begun.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &Ts<SessionOptions>) -> Result<Session, JsValue> {
        let inner = session::Session::new(decode("options", options)?).map_err(|e| thrown(&e))?;
        Ok(Session {
            inner,
            chunk: Vec::new(),
            used: 0,
            ascii: false,
            cursor: Cursor::default(),
            base: 0,
            records: vec![0; HEADER + RECORDS * RECORD],
            count: 0,
            asked: 0,
        })
    }

    /// Begins the handshake.
    pub fn start(&mut self) -> Result<Ts<Effects>, JsValue> {
        let effects = self.inner.start().map_err(|e| thrown(&e))?;
        encode(&Effects(effects))
    }

    /// A request of a session over HTTP.
    #[wasm_bindgen(skip_typescript, js_name = requestOverHttp)]
    pub fn request_over_http(
        &mut self,
        method: &str,
        params: &str,
    ) -> Result<Ts<Requested>, JsValue> {
        let requested = self.inner.request(method, params);
        encode(&requested.map_err(|e| thrown(&e))?)
    }

    /// It was made with `http`.
    #[wasm_bindgen(skip_typescript, js_name = overHttp)]
    pub fn over_http(&self) -> bool {
        self.inner.over_http()
    }

    /// The head of a response is there.
    pub fn responded(
        &mut self,
        exchange: u32,
        response: &Ts<HttpResponse>,
    ) -> Result<Ts<Effects>, JsValue> {
        let response: HttpResponse = decode("response", response)?;
        encode(&Effects(self.inner.responded(exchange, &response)))
    }

    /// The beginning of what the server says with a status that says no.
    pub fn refused(&mut self, exchange: u32, text: &str) -> Result<Ts<Effects>, JsValue> {
        encode(&Effects(self.inner.refused(exchange, text)))
    }

    /// A stream of the older transport says where messages go.
    pub fn endpoint(
        &mut self,
        exchange: u32,
        place: &Ts<HttpPlace>,
    ) -> Result<Ts<Effects>, JsValue> {
        let place: HttpPlace = decode("place", place)?;
        encode(&Effects(self.inner.endpoint(exchange, &place)))
    }

    /// An exchange came to its end, or something kept it from that.
    pub fn ended(&mut self, exchange: u32, end: &Ts<HttpEnd>) -> Result<Ts<Effects>, JsValue> {
        let end: HttpEnd = decode("end", end)?;
        encode(&Effects(self.inner.ended(exchange, end)))
    }

    /// The request of this exchange has its answer, or it asked for none: its stream is of no use.
    #[wasm_bindgen(js_name = hasAnswer)]
    pub fn has_answer(&self, exchange: u32) -> bool {
        self.inner.has_answer(exchange)
    }

    /// Takes leave of a server over HTTP; `end` comes next.
    pub fn close(&mut self) -> Result<Ts<Effects>, JsValue> {
        encode(&Effects(self.inner.close()))
    }

    /// The line of a request, which is open from now on as `asked`.
    #[wasm_bindgen(skip_typescript)]
    pub fn ask(&mut self, method: &str, params: &str) -> Result<String, JsValue> {
        let (id, line) = self.inner.ask(method, params).map_err(|e| thrown(&e))?;
        self.asked = id;
        Ok(line)
    }

    /// The id of the last request.
    #[wasm_bindgen(skip_typescript)]
    pub fn asked(&self) -> u32 {
        self.asked
    }

    /// Milliseconds for a request, and those that progress may extend it to.
    #[wasm_bindgen(skip_typescript, js_name = callLimits)]
    pub fn call_limits(&self) -> Vec<u32> {
        self.inner.call_limits().to_vec()
    }

    /// Sends a notification once the server is ready.
    pub fn notify(
        &mut self,
        method: &str,
        #[wasm_bindgen(js_name = paramsJson)] params_json: &str,
    ) -> Result<Ts<Effects>, JsValue> {
        let effects = self.inner.notify(method, params_json);
        encode(&Effects(effects.map_err(|e| thrown(&e))?))
    }

    /// The folders are these from now on. Nothing is told to a server that was given none at the start,
    /// nor where `capabilities` has a `roots` of its own: what that promises, its caller sends.
    #[wasm_bindgen(js_name = setRoots)]
    pub fn set_roots(&mut self, roots: &Ts<Roots>) -> Result<Ts<Effects>, JsValue> {
        let Roots(roots) = decode("roots", roots)?;
        encode(&Effects(self.inner.set_roots(roots)))
    }

    /// Answers what an `asked` wants to know; `contentJson` is the text of a JSON object, for a form that
    /// was accepted, else empty. Nothing happens when it was withdrawn meanwhile.
    pub fn answer(
        &mut self,
        ask: u32,
        action: &Ts<AskAction>,
        #[wasm_bindgen(js_name = contentJson)] content_json: &str,
    ) -> Result<Ts<Effects>, JsValue> {
        let action: AskAction = decode("action", action)?;
        let effects = self.inner.answer(ask, action, content_json);
        encode(&Effects(effects.map_err(|e| thrown(&e))?))
    }

    /// Gives up a call. Nothing happens when it is over already.
    pub fn cancel(&mut self, id: u32) -> Result<Ts<Effects>, JsValue> {
        encode(&Effects(self.inner.cancel(id)))
    }

    /// The timer of a `wait` fired.
    pub fn expire(&mut self, id: u32) -> Result<Ts<Effects>, JsValue> {
        encode(&Effects(self.inner.expire(id)))
    }

    /// Where to write the next chunk, `bytes` long, in the module's memory.
    #[wasm_bindgen(skip_typescript)]
    pub fn reserve(&mut self, bytes: usize) -> usize {
        if self.chunk.len() < bytes {
            self.chunk.resize(bytes, 0);
        }
        self.chunk.as_ptr() as usize
    }

    /// Reads the chunk that was written. Where the records stand in the module's memory.
    #[wasm_bindgen(skip_typescript)]
    pub fn scan(&mut self, bytes: usize) -> usize {
        self.used = bytes;
        let chunk = self.chunk.get(..bytes).unwrap_or_default();
        self.ascii = is_ascii(chunk);
        self.cursor = Cursor::default();
        self.more()
    }

    /// Goes on after the last records were dealt with.
    #[wasm_bindgen(skip_typescript)]
    pub fn more(&mut self) -> usize {
        let chunk = self.chunk.get(..self.used).unwrap_or_default();
        self.count = 0;
        let (records, _) = self
            .records
            .get_mut(HEADER..)
            .unwrap_or_default()
            .as_chunks_mut::<RECORD>();
        let mut done = false;
        for record in records {
            let Some(step) = self.inner.step(chunk, &mut self.cursor) else {
                done = true;
                break;
            };
            *record = record_of(self.base, step);
            self.count += 1;
            if matches!(step, Step::Wanted { .. } | Step::Made) {
                break;
            }
        }
        self.hand_out(done, self.ascii)
    }

    /// The output is over: what its last line holds.
    #[wasm_bindgen(skip_typescript, js_name = lastLine)]
    pub fn last_line(&mut self) -> usize {
        self.count = 0;
        if let Some(step) = self.inner.last_line()
            && let Some(record) = self.records.get_mut(HEADER..HEADER + RECORD)
        {
            record.copy_from_slice(&record_of(self.base, step));
            self.count = 1;
        }
        self.hand_out(true, false)
    }

    fn hand_out(&mut self, done: bool, ascii: bool) -> usize {
        let kept_from = self.inner.kept_from();
        if let Some(header) = self.records.get_mut(..HEADER) {
            header.copy_from_slice(&[
                low(self.count as u64),
                u32::from(done),
                low(kept_from - self.base),
                u32::from(ascii),
            ]);
        }
        if done {
            self.base = kept_from;
        }
        self.records.as_ptr() as usize
    }

    /// The method of a notification, by the number in its record.
    #[wasm_bindgen(skip_typescript, js_name = methodName)]
    pub fn method_name(&self, number: u32) -> String {
        self.inner.method_name(number).to_owned()
    }

    /// The text of a wanted payload.
    #[wasm_bindgen(skip_typescript)]
    pub fn accept(&mut self, text: &str) -> Result<Ts<Effects>, JsValue> {
        encode(&Effects(self.inner.accept(text)))
    }

    /// The effects that are ready.
    #[wasm_bindgen(skip_typescript)]
    pub fn take(&mut self) -> Result<Ts<Effects>, JsValue> {
        encode(&Effects(self.inner.take()))
    }

    /// Bytes of the last payload were not UTF-8.
    #[wasm_bindgen(skip_typescript)]
    pub fn replaced(&mut self) -> Result<Ts<Effects>, JsValue> {
        encode(&Effects(self.inner.replaced()))
    }

    /// Nothing will be answered any more.
    #[wasm_bindgen(skip_typescript)]
    pub fn finish(&mut self) -> Result<Ts<Effects>, JsValue> {
        encode(&Effects(self.inner.end()))
    }
}

/// Eight bytes at a time, without an early end.
fn is_ascii(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    let all = words
        .iter()
        .fold(0, |all, word| all | u64::from_le_bytes(*word));
    all & 0x8080_8080_8080_8080 == 0 && rest.is_ascii()
}

#[inline]
fn record_of(base: u64, step: Step) -> [u32; RECORD] {
    let (kind, id, span) = match step {
        Step::Answer { id, payload } => (ANSWER, id, payload),
        Step::Wanted { payload } => (WANTED, 0, payload),
        Step::Notified { method, params } => (NOTIFIED, method, params),
        Step::Made => (MADE, 0, crate::mcp::framing::Span::default()),
    };
    [
        kind,
        id,
        low(span.start.saturating_sub(base)),
        low(span.end.saturating_sub(base)),
    ]
}

/// A place within what is kept. That is at most a message and a chunk, and a message has a `u32` of
/// bytes at most; a stretch beyond it comes out empty.
fn low(place: u64) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// The module's memory, for the hot doors; its buffer is another one after it grew.
#[allow(clippy::unnecessary_wraps)] // A bare return of a JavaScript value can abort Node.
#[wasm_bindgen(js_name = wasmMemory, skip_typescript)]
pub fn wasm_memory() -> Result<JsValue, JsValue> {
    Ok(wasm_bindgen::memory())
}

/// What the model gets of a `tools/call` result: limited text, marked as data, and what goes beside
/// it. `resultJson` is a result as `settled` gives it.
///
/// ```js
/// core.toolOutput('{"content":[{"type":"text","text":"hi"}]}', { server: 's', tool: 't' }).shown; // 'hi'
/// ```
#[wasm_bindgen(js_name = toolOutput)]
pub fn tool_output(
    #[wasm_bindgen(js_name = resultJson)] result_json: &str,
    limits: &Ts<OutputLimits>,
) -> Result<Ts<ToolOutput>, JsValue> {
    let limits: OutputLimits = decode("limits", limits)?;
    encode(&output::tool_output(result_json, &limits))
}

/// The same of an error of the protocol. `dataJson` is more of it as JSON text, or empty.
#[wasm_bindgen(js_name = toolError)]
pub fn tool_error(
    message: &str,
    #[wasm_bindgen(js_name = dataJson)] data_json: &str,
    limits: &Ts<OutputLimits>,
) -> Result<Ts<ToolOutput>, JsValue> {
    let limits: OutputLimits = decode("limits", limits)?;
    let data = (!data_json.is_empty()).then_some(data_json);
    encode(&output::tool_error(message, data, &limits))
}

/// The JSON Schema of a tool's arguments as it goes to the model: as it stands, minus `$schema`.
#[wasm_bindgen(js_name = toolParameters)]
pub fn tool_parameters(#[wasm_bindgen(js_name = inputSchema)] input_schema: &str) -> String {
    tool::parameters(input_schema)
}

/// What changed on a server since its tools were pinned, with the card that asks.
#[wasm_bindgen(js_name = compareTools)]
pub fn compare_tools(
    pinned: &Ts<PinnedTools>,
    now: &Ts<PinnedTools>,
) -> Result<Ts<Drift>, JsValue> {
    let pinned: PinnedTools = decode("pinned", pinned)?;
    encode(&drift::compare_tools(&pinned, &decode("now", now)?))
}

/// The card that asks the user what a server wants to know. `elicitation` is that of an `asked`.
///
/// ```js
/// const wish = { kind: 'form', fields: [] };
/// core.elicitationCard({ message: 'Go on?', wish }, { server: 's', during: 't' }).kind; // 'form'
/// ```
#[wasm_bindgen(js_name = elicitationCard)]
pub fn elicitation_card(
    elicitation: &Ts<Elicitation>,
    from: &Ts<ElicitationFrom>,
) -> Result<Ts<Card>, JsValue> {
    let elicitation: Elicitation = decode("elicitation", elicitation)?;
    encode(&elicitation::elicitation_card(
        &elicitation,
        &decode("from", from)?,
    ))
}

/// Reads what was filled in for the fields of a card: the content to be sent, or what is wrong with
/// which field. `valuesJson` is the text of an object: for each field by its name a text (numbers
/// too), a boolean, or a list of texts.
///
/// ```js
/// core.readForm([], '{}'); // { content: '{}', problems: [] }
/// ```
#[wasm_bindgen(js_name = readForm)]
pub fn read_form(
    fields: &Ts<FormFields>,
    #[wasm_bindgen(js_name = valuesJson)] values_json: &str,
) -> Result<Ts<FormReading>, JsValue> {
    let FormFields(fields) = decode("fields", fields)?;
    encode(&form::read_form(&fields, values_json).map_err(|e| thrown(&e))?)
}

/// The card that asks for the arguments of a server's prompt; without fields there is nothing to ask.
/// `promptJson` is the text of one item of `prompts/list`.
///
/// ```js
/// core.promptCard('s', '{"name":"p"}').form; // []
/// ```
#[wasm_bindgen(js_name = promptCard)]
pub fn prompt_card(
    server: &str,
    #[wasm_bindgen(js_name = promptJson)] prompt_json: &str,
) -> Result<Ts<Card>, JsValue> {
    encode(&prompt_card::prompt_card(server, prompt_json).map_err(|e| thrown(&e))?)
}
