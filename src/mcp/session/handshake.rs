//! From the start to `ready`, in both eras.
//!
//! A server whose era is not known is asked `server/discover` first. A result, or an error that only
//! modern servers know, means modern; any other error, and a result that says nothing of what a modern
//! one says, means `initialize`; silence means that `initialize` is sent too, and whichever is answered
//! first decides. One timer bounds it all.

use super::roots::RootsDeclared;
use super::{LEGACY_VERSION, LEGACY_VERSIONS, MODERN_VERSION, Phase, Session};
use crate::error::CoreError;
use crate::mcp::effect::{Effect, Era, Failure, Peer};
use crate::mcp::message::{self, Fields, PeerError};
use crate::mcp::tool::{shown, words};

/// JSON-RPC's codes that only modern servers send: a header that does not match, a capability that
/// is missing, a version that is not spoken.
pub(super) const MODERN_ERRORS: [i64; 3] = [-32020, -32021, UNSUPPORTED_VERSION];
const UNSUPPORTED_VERSION: i64 = -32022;

/// What is open between the start and `ready`.
#[derive(Debug, Default)]
pub(super) struct Handshake {
    /// The timer that bounds it.
    timer: u32,
    /// The open probe.
    pub(super) discover: Option<u32>,
    /// The open handshake of the older era.
    pub(super) initialize: Option<u32>,
    /// `initialize` was sent once, answered or not.
    tried_initialize: bool,
    /// The server is modern for certain, and was asked once more.
    certain: bool,
    /// It refused our modern version while it names it among its own, and was asked once more.
    asked_again: bool,
}

impl Session {
    /// Begins. Bytes may be fed from now on.
    pub fn start(&mut self) -> Result<Vec<Effect>, CoreError> {
        if !matches!(self.phase, Phase::New) {
            return Err(CoreError::new(
                "ALREADY_STARTED",
                "a session starts once; make a new one",
            ));
        }
        let timer = self.fresh_id();
        self.phase = Phase::Starting(Handshake {
            timer,
            ..Handshake::default()
        });
        let ms = self.numbers.start_ms;
        self.wait(timer, ms, ms);
        match self.options.era {
            Some(Era::Legacy) => self.send_initialize(),
            // The older transport is older than the probe.
            _ if self.by_old_stream() => self.send_initialize(),
            Some(Era::Modern) | None => self.send_discover(),
        }
        Ok(self.take())
    }

    pub(super) fn handshake(&mut self) -> Option<&mut Handshake> {
        match &mut self.phase {
            Phase::Starting(handshake) => Some(handshake),
            Phase::New | Phase::Ready(_) | Phase::Over => None,
        }
    }

    fn send_discover(&mut self) {
        let id = self.fresh_id();
        if let Some(handshake) = self.handshake() {
            handshake.discover = Some(id);
        }
        let params = message::object(&[("_meta".to_owned(), self.modern_meta(&[]))]);
        self.made.push(Effect::Send {
            line: message::request_line(id, "server/discover", &params),
        });
        let ms = self.numbers.probe_ms;
        self.wait(id, ms, ms);
    }

    fn send_initialize(&mut self) {
        let id = self.fresh_id();
        if let Some(handshake) = self.handshake() {
            handshake.initialize = Some(id);
            handshake.tried_initialize = true;
        }
        let line = self.initialize_line(id);
        self.made.push(Effect::Send { line });
    }

    pub(super) fn initialize_line(&self, id: u32) -> String {
        let params = message::object(&[
            ("protocolVersion".to_owned(), message::quote(LEGACY_VERSION)),
            ("capabilities".to_owned(), self.handshake_capabilities()),
            ("clientInfo".to_owned(), self.client_info()),
        ]);
        message::request_line(id, "initialize", &params)
    }

    /// What we can do, as the older era has it: it knows a notification of changed roots.
    fn handshake_capabilities(&self) -> String {
        let all = &self.options.capabilities;
        let told = message::with_members(all, |members| {
            for (key, value) in members {
                if self.declared == RootsDeclared::ByUs && key == "roots" {
                    "{\"listChanged\":true}".clone_into(value);
                }
            }
        });
        told.unwrap_or_else(|_| all.clone())
    }

    fn client_info(&self) -> String {
        let info = &self.options.client_info;
        message::object(&[
            ("name".to_owned(), message::quote(&info.name)),
            ("version".to_owned(), message::quote(&info.version)),
        ])
    }

    /// What every request of the modern era says of itself, after `first`.
    pub(super) fn modern_meta(&self, first: &[(String, String)]) -> String {
        let mut members = first.to_vec();
        for (key, value) in [
            ("protocolVersion", message::quote(MODERN_VERSION)),
            ("clientCapabilities", self.options.capabilities.clone()),
            ("clientInfo", self.client_info()),
        ] {
            members.push((format!("io.modelcontextprotocol/{key}"), value));
        }
        message::object(&members)
    }

    /// The probe was answered.
    pub(super) fn discovered(&mut self, ok: bool, text: &str) {
        let Some(handshake) = self.handshake() else {
            return;
        };
        let (probe, certain) = (handshake.discover.take(), handshake.certain);
        let waits = handshake.initialize.is_some();
        if let Some(id) = probe {
            self.made.push(Effect::StopWaiting { id });
        }
        if ok {
            match serde_json::from_str::<Fields<'_>>(text) {
                // Some servers answer every method that they do not know with an empty result.
                Ok(fields) if !certain && !says_anything(&fields) => {
                    if !waits {
                        self.send_initialize();
                    }
                }
                Ok(fields) => self.discover_result(&fields),
                Err(_) => self.fail(Failure::BrokenHandshake),
            }
            return;
        }
        let error = message::peer_error(text);
        if error.code == UNSUPPORTED_VERSION {
            let versions = supported(&error);
            let ours = versions.iter().any(|v| v == MODERN_VERSION);
            match self.handshake() {
                Some(handshake) if ours && !handshake.asked_again => {
                    handshake.asked_again = true;
                    self.send_discover();
                }
                _ => self.settle_version(&versions),
            }
        } else if certain || MODERN_ERRORS.contains(&error.code) {
            self.refused_by_peer(error);
        } else if !waits {
            self.send_initialize();
        }
    }

    fn discover_result(&mut self, fields: &Fields<'_>) {
        let versions: Option<Vec<String>> = fields
            .get("supportedVersions")
            .and_then(|json| serde_json::from_str(json).ok());
        match versions {
            Some(versions) if !versions.iter().any(|v| v == MODERN_VERSION) => {
                self.settle_version(&versions);
            }
            _ => {
                let peer = peer(Era::Modern, MODERN_VERSION, fields);
                self.ready(peer);
            }
        }
    }

    /// The server speaks `versions`, and not our modern one: an older one that we share, or none.
    fn settle_version(&mut self, versions: &[String]) {
        let shared = versions
            .iter()
            .any(|v| LEGACY_VERSIONS.contains(&v.as_str()));
        let Some(handshake) = self.handshake() else {
            return;
        };
        if shared && !handshake.tried_initialize {
            self.send_initialize();
        } else if !(shared && handshake.initialize.is_some()) {
            let version = words(&versions.join(", "));
            self.fail(Failure::UnknownVersion { version });
        }
    }

    /// `initialize` was answered.
    pub(super) fn initialized(&mut self, ok: bool, text: &str) {
        let Some(handshake) = self.handshake() else {
            return;
        };
        handshake.initialize = None;
        let probing = handshake.discover.is_some();
        let certain = handshake.certain;
        if !ok {
            let error = message::peer_error(text);
            if error.code == UNSUPPORTED_VERSION && !certain {
                // Modern after all. Its answer to the probe is still to come, or is asked for again.
                handshake.certain = true;
                if !probing {
                    self.send_discover();
                }
            } else if !probing {
                self.refused_by_peer(error);
            }
            return;
        }
        let Ok(fields) = serde_json::from_str::<Fields<'_>>(text) else {
            return self.fail(Failure::BrokenHandshake);
        };
        let version = text_of(&fields, "protocolVersion");
        if !LEGACY_VERSIONS.contains(&version.as_str()) {
            let version = words(&version);
            return self.fail(Failure::UnknownVersion { version });
        }
        self.made.push(Effect::Send {
            line: message::notification_line("notifications/initialized", ""),
        });
        let peer = peer(Era::Legacy, &version, &fields);
        self.agreed(version);
        self.ready(peer);
    }

    fn ready(&mut self, peer: Peer) {
        self.leave_handshake(Phase::Ready(peer.era));
        let offers = |name| has_member(&peer.capabilities, name);
        let (tools, subscribes) = (
            offers("tools"),
            peer.era == Era::Modern && peer.tells_changes,
        );
        self.made.push(Effect::Ready { peer });
        if subscribes {
            self.subscribe();
        }
        if tools {
            self.list();
        } else {
            self.made.push(Effect::ToolsChanged {
                tools: Vec::new(),
                problems: Vec::new(),
            });
        }
    }

    fn refused_by_peer(&mut self, error: PeerError) {
        self.fail(Failure::Refused {
            code: error.code,
            message: words(&error.message),
        });
    }

    pub(super) fn fail(&mut self, failure: Failure) {
        self.leave_handshake(Phase::Over);
        self.made.push(Effect::Failed { failure });
    }

    fn leave_handshake(&mut self, next: Phase) {
        if let Phase::Starting(handshake) = std::mem::replace(&mut self.phase, next) {
            self.stop_handshake(&handshake);
        }
    }

    pub(super) fn stop_handshake(&mut self, handshake: &Handshake) {
        let timers = [Some(handshake.timer), handshake.discover];
        for id in timers.into_iter().flatten() {
            self.made.push(Effect::StopWaiting { id });
        }
        for id in [handshake.discover, handshake.initialize]
            .into_iter()
            .flatten()
        {
            self.abandon(id);
        }
    }

    /// The probe's silence, or the start's time, is over.
    pub(super) fn start_expired(&mut self, id: u32) {
        let (ms, content_length) = (self.numbers.start_ms, self.content_length);
        let Some(handshake) = self.handshake() else {
            return;
        };
        if handshake.timer == id {
            self.fail(if content_length {
                Failure::ContentLength
            } else {
                Failure::StartTimedOut { ms }
            });
        } else if handshake.discover == Some(id) && !handshake.tried_initialize {
            self.send_initialize();
        }
    }
}

/// Is this what a modern server says of itself, and not an answer to anything?
fn says_anything(fields: &Fields<'_>) -> bool {
    ["supportedVersions", "capabilities", "serverInfo"]
        .iter()
        .any(|key| fields.get(key).is_some())
}

/// The versions that an error about versions names.
fn supported(error: &PeerError) -> Vec<String> {
    let data = error.data.as_deref().unwrap_or("{}");
    let fields = serde_json::from_str::<Fields<'_>>(data).ok();
    let list = fields.and_then(|fields| fields.get("supported").map(str::to_owned));
    list.and_then(|list| serde_json::from_str(&list).ok())
        .unwrap_or_default()
}

pub(super) fn text_of(fields: &Fields<'_>, key: &str) -> String {
    let json = fields.get(key).unwrap_or("\"\"");
    serde_json::from_str(json).unwrap_or_default()
}

fn has_member(json: &str, key: &str) -> bool {
    serde_json::from_str::<Fields<'_>>(json).is_ok_and(|fields| fields.get(key).is_some())
}

fn peer(era: Era, version: &str, fields: &Fields<'_>) -> Peer {
    // The modern era has it in `_meta` of every result.
    let meta = fields.get("_meta").unwrap_or("{}");
    let meta: Fields<'_> = serde_json::from_str(meta).unwrap_or(Fields(Vec::new()));
    let info = fields
        .get("serverInfo")
        .or_else(|| meta.get("io.modelcontextprotocol/serverInfo"))
        .unwrap_or("{}");
    let info: Fields<'_> = serde_json::from_str(info).unwrap_or(Fields(Vec::new()));
    let capabilities = fields.get("capabilities").unwrap_or("{}");
    let tools = serde_json::from_str::<Fields<'_>>(capabilities)
        .ok()
        .and_then(|all| all.get("tools").map(str::to_owned));
    let tells = tools.is_some_and(|tools| {
        serde_json::from_str::<Fields<'_>>(&tools)
            .is_ok_and(|tools| tools.get("listChanged") == Some("true"))
    });
    Peer {
        era,
        protocol_version: version.to_owned(),
        name: words(&text_of(&info, "name")),
        version: words(&text_of(&info, "version")),
        instructions: shown(&text_of(fields, "instructions")),
        capabilities: capabilities.to_owned(),
        tells_changes: tells,
    }
}
