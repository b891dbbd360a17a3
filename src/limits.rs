//! Every number of the core, with who counts it and what happens beyond it.
//!
//! A character is a Unicode scalar value everywhere. The numbers of one room stand together under
//! its heading.

// --- text for a model ---

/// Characters a token is taken to be, times two (3.5), until the server's own count corrects it.
pub const CHARACTERS_PER_TWO_TOKENS: usize = 7;

// --- approval ---

/// Characters of a server's own words about a tool on a card. What is approved, the arguments, is
/// never cut; the words are only the server's claim.
pub const CARD_DESCRIPTION_CHARACTERS: usize = 240;

// --- places in a text ---

/// Bytes between two marks of [`crate::places::Places`]: a place is counted from at most this far
/// away, and marks cost at most a sixteenth of the text beside those at line starts.
pub const PLACE_MARK_BYTES: usize = 256;

// --- config: MCP configuration files ---

/// Levels of nesting that a configuration file may have. Real ones have 5 at most; a reader that
/// follows each level on the stack must end somewhere. Deeper is a syntax error at that bracket.
pub const MAX_JSON_DEPTH: usize = 64;

/// Paths that one entry may name, each looked at once before a start. An entry that names more
/// cannot be covered, so it asks every time.
pub const MAX_NAMED_FILES: usize = 3_000;

/// Characters of a path that an entry may name; longer ones no file system here opens.
pub const MAX_PATH_CHARACTERS: usize = 4_096;

/// UTF-16 units of a command line that Windows gives to a process, its closing NUL included.
pub const MAX_WINDOWS_COMMAND_LINE: usize = 32_767;

/// UTF-16 units of a command line that `cmd.exe` reads.
pub const MAX_CMD_COMMAND_LINE: usize = 8_191;

/// Lines of one part of a consent, times those of the part before, that are compared one by one; a
/// larger pair is shown as replaced whole.
pub const MAX_CONSENT_COMPARISONS: usize = 1_000_000;

/// UTF-8 bytes of one configuration file. The largest public one seen has 12,000. A larger one is
/// reported and gives no servers.
pub const MAX_CONFIG_BYTES: usize = 1024 * 1024;

/// Entries of one file that are read; the names of the rest still count, so that they shadow.
pub const MAX_SERVERS_PER_FILE: usize = 200;

/// Characters of a server's name. It stands on cards, in lists and in tool names, never cut; an
/// entry with a longer one is broken.
pub const MAX_SERVER_NAME_CHARACTERS: usize = 128;

/// Arguments, variables and headers of one server, each. An entry with more is broken: nobody could
/// read its card.
pub const MAX_SERVER_VALUES: usize = 500;

/// Problems told about one file; then one more says how many were left out.
pub const MAX_PROBLEMS_PER_FILE: usize = 100;

/// Milliseconds that an entry's `timeout` may ask for. The hard limit of a call is ten minutes.
pub const MAX_CALL_TIMEOUT_MS: u32 = 10 * 60 * 1000;

/// Characters of somebody's name or value that a problem quotes. The squiggle shows the rest; cards
/// show everything and do not use this.
pub const PROBLEM_QUOTE_CHARACTERS: usize = 100;

// --- front matter ---

/// Containers inside each other in a header. Deeper values are left out with a problem: readers of
/// JSON stop at about this depth, and the reader's own recursion is bounded by it.
pub const FRONT_MATTER_DEPTH: usize = 100;
/// Brackets that may be open where a line in brackets is not indented. Such lines are real, but a line
/// like them may also be the next entry, and each is looked at once for each bracket it would be in.
pub const FRONT_MATTER_OUTDENTED_DEPTH: usize = 8;
/// Characters of a key, counted from its start to its colon, as YAML 1.2 has it for a key on one
/// line. A longer one is prose with a colon in it.
pub const FRONT_MATTER_KEY: usize = 1024;
/// Problems listed for one header; one more says how many were not listed.
pub const FRONT_MATTER_PROBLEMS: usize = 100;
/// Bytes of JSON that the aliases of one header may repeat: as much as a SKILL.md may have. A
/// further alias is left out with a problem.
pub const FRONT_MATTER_ALIAS_BYTES: usize = 256 * 1024;
/// Characters of a description that the Agent Skills format allows; a longer one is a warning.
pub const SKILL_DESCRIPTION_CHARACTERS: usize = 1_024;
/// Lines of a body that the Agent Skills format advises; a longer one is a warning.
pub const SKILL_BODY_LINES: usize = 500;

// --- skills ---

/// Tokens of a context window that nobody told: what `gbsAgent.contextWindow` falls back to.
pub const DEFAULT_CONTEXT_WINDOW: u32 = 32_768;
/// Lines of the catalogue. Small models choose badly from longer lists; a closing line counts the
/// rest.
pub const CATALOGUE_LINES: usize = 12;
/// Characters of a description in the catalogue; a longer one is cut there and whole elsewhere.
pub const CATALOGUE_DESCRIPTION: usize = 240;
/// Characters that a description keeps when all are shortened evenly; then lines drop instead.
pub const CATALOGUE_DESCRIPTION_FLOOR: usize = 80;
/// Percent of the context window that the catalogue may cost.
pub const CATALOGUE_BUDGET_PERCENT: usize = 2;
/// Tokens that the catalogue may cost in any window: below this it could not name twelve skills.
pub const CATALOGUE_BUDGET_FLOOR: usize = 300;
/// Names in the hint line, which is to cost about 15 tokens.
pub const HINT_NAMES: usize = 3;
/// Skills that one server's list gives; what follows is left out and said. Far more than are ever used.
pub const OFFERED_SKILLS: usize = 2_000;
/// Files of a skill that a server offers (SEP-2640's limit); one with more is unusable, as a folder is.
pub const OFFERED_FILES: usize = 512;
/// Bytes of all of them (SEP-2640's limit), likewise.
pub const OFFERED_BYTES: u64 = 16 * 1024 * 1024;
/// Bytes of its SKILL.md, likewise.
pub const OFFERED_MANIFEST_BYTES: u64 = 256 * 1024;
/// Characters of the address of a skill or a file: longer ones are nobody's.
pub const OFFERED_URI_CHARACTERS: usize = 2_048;
/// Characters of a server's skill's name behind the server's: a path, where two have one name.
pub const OFFERED_NAME_CHARACTERS: usize = 128;
/// Entries of one list that are named one by one where they cannot be read; then they are counted.
pub const OFFERED_PROBLEMS: usize = 8;
/// Characters of a skill's name (Agent Skills format).
pub const SKILL_NAME_CHARACTERS: usize = 64;
/// Characters of one part of a skill's body, wrapper and notes included.
pub const BODY_PART_CHARACTERS: usize = 6_000;
/// Characters of one part of a resource, wrapper and notes included.
pub const RESOURCE_PART_CHARACTERS: usize = 12_000;
/// A part is at most this share of the context window: one in four.
pub const PART_WINDOW_SHARE: usize = 4;
/// Characters of a part in any window: less would be wrapper alone.
pub const PART_FLOOR_CHARACTERS: usize = 1_000;
/// The list of bundled files takes at most this share of a part: one in four.
pub const FILE_LIST_SHARE: usize = 4;
/// Characters of all project instructions together.
pub const INSTRUCTIONS_CHARACTERS: usize = 6_000;
/// Project instructions take at most this share of the context window: one in ten, so that a
/// window of 4,096 tokens keeps a system prompt under 1,500.
pub const INSTRUCTIONS_WINDOW_SHARE: usize = 10;
/// Characters of a resource's path; a longer one is refused. No file system here has longer names.
pub const RESOURCE_PATH_CHARACTERS: usize = 1_024;
/// Characters of a path that a wrapper's tag repeats; of a longer one the end. The model knows which
/// file it asked for.
pub const ATTRIBUTE_CHARACTERS: usize = 120;
/// Characters of one glob; a longer one is ignored with a warning.
pub const GLOB_CHARACTERS: usize = 256;
/// States of a glob that are remembered while it meets many paths, a kilobyte each; after that many,
/// they are forgotten. Globs that people write have a few dozen.
pub const GLOB_STATES: usize = 256;
/// Globs of one skill; those after them are ignored with a warning.
pub const GLOBS_PER_SKILL: usize = 32;
/// Braces and commas of one glob; one with more is ignored with a warning.
pub const GLOB_BRACES: usize = 64;
/// Lines that a flag about hidden text names; it counts the others.
pub const HIDDEN_LINES_NAMED: usize = 5;
/// Search: the query's word is the skill's id.
pub const SEARCH_ID_EQUAL: u32 = 10;
/// Search: the word is the name.
pub const SEARCH_NAME_EQUAL: u32 = 10;
/// Search: the name contains the word.
pub const SEARCH_NAME_CONTAINS: u32 = 5;
/// Search: the word is a tag.
pub const SEARCH_TAG_EQUAL: u32 = 4;
/// Search: the id contains the word.
pub const SEARCH_ID_CONTAINS: u32 = 3;
/// Search: a tag contains the word.
pub const SEARCH_TAG_CONTAINS: u32 = 2;
/// Search: the description contains the word.
pub const SEARCH_DESCRIPTION_CONTAINS: u32 = 2;
/// Words of a query; those after them are ignored. A query is typed, so nobody reaches this.
pub const SEARCH_WORDS: usize = 64;

// --- protocol ---

/// Bytes of a key, an id or a method that are kept while a message is scanned. Longer ones are
/// nobody's: our ids have ten digits, and no method is a thousand letters long.
pub const CAPTURED_BYTES: usize = 1024;

/// Bytes of a line that is not a message which are kept to be shown in the server's log.
pub const NOISE_BYTES: u64 = 4096;

/// Bytes of one message of a server; a longer one is dropped and its call fails. A result of 30 MB
/// is real (a page with its pictures), and twice that still fits into memory thrice over.
pub const MAX_MESSAGE_BYTES: u32 = 64 * 1024 * 1024;

/// Milliseconds from a server's start to the end of the handshake. `npx` may download first.
pub const START_MS: u32 = 30_000;

/// Milliseconds a call may take without progress, as in the official clients.
pub const CALL_MS: u32 = 60_000;

/// Milliseconds a call may take whatever its progress.
pub const CALL_AT_MOST_MS: u32 = 600_000;

/// Milliseconds of silence after a probe until the older handshake is sent too.
pub const PROBE_SILENCE_MS: u32 = 5_000;

/// Milliseconds after a server said that its tools changed until they are listed again. Servers that
/// register tools one by one say it once for each.
pub const RELIST_MS: u32 = 200;

/// Milliseconds after a list within which a further change is part of the same unrest: the pause before
/// the next list is then twice the last one. Some servers say that their tools changed whenever they
/// list them, which would go on without an end.
pub const RELIST_CALM_MS: u32 = 10_000;

/// Milliseconds that a changed list waits at most, whatever the unrest; said once in the server's log.
pub const RELIST_MOST_MS: u32 = 30_000;
/// So many changes without rest before the log says so, where the pauses cannot grow as long.
pub const RELIST_RESTLESS: u32 = 4;

/// Pages of one list; a list that goes on ends here with a problem.
pub const MAX_PAGES: usize = 1_000;

/// Tools of one server; more are left out with a problem. The largest public ones have some hundreds.
pub const MAX_TOOLS: usize = 4_096;

/// Bytes of definitions of one server's tools together; what comes after is left out with a problem.
pub const MAX_TOOL_BYTES: usize = 16 * 1024 * 1024;

/// Bytes of a cursor that is sent back; a longer one ends the list with a problem.
pub const MAX_CURSOR_BYTES: usize = 64 * 1024;

/// Problems of one list that are named; further ones are counted.
pub const MAX_LIST_PROBLEMS: usize = 20;

/// Characters of a server's name for something in a sentence of ours.
pub const SHOWN_NAME_CHARACTERS: usize = 80;

/// Characters of a line of a server's log.
pub const LOG_LINE_CHARACTERS: usize = 2_000;

/// Methods of notifications that a session gives numbers to; further ones are handed on more slowly.
pub const MAX_METHODS: usize = 64;

/// Times that a modern server may answer one call with a wish for more input; then the call fails.
pub const MAX_INPUT_ROUNDS: usize = 8;

/// Bytes of one question of a server to the user. It is shown whole, so it must be one that somebody
/// reads; a longer one is refused.
pub const MAX_ASK_BYTES: usize = 64 * 1024;

/// Answers that one form may ask for; a longer one is refused, since nobody could read its card.
pub const MAX_FORM_FIELDS: usize = 50;

/// Choices of all answers of one form together; one with more is refused.
pub const MAX_FORM_OPTIONS: usize = 500;

/// Questions of one server that wait for the user at one time; what it asks beyond is put away.
pub const MAX_OPEN_ASKS: usize = 4;

/// Questions that a server may ask while it works on what is open; further ones are put away, so that
/// a flood of them ends without the user.
pub const MAX_ASKS_PER_CALL: usize = 16;

/// Milliseconds that a notification over HTTP may wait for its response; then it counts as sent. What
/// waits for `initialized` waits no longer.
pub const NOTICE_MS: u32 = 10_000;

/// Milliseconds that calls wait until the stream on which a server speaks of its own accord is open: what
/// it asks before that is lost with many servers. Some send no head before their first word.
pub const LISTEN_MS: u32 = 5_000;

/// Messages over HTTP that want no answer and are under way at one time; further ones wait. Each has a
/// connection of its own, and a server that sends requests without an end makes as many answers.
pub const MAX_OPEN_NOTICES: usize = 16;

/// Messages over HTTP that wait for those; what the server asks beyond is not answered.
pub const MAX_WAITING_NOTICES: usize = 1_000;

/// Redirections within its origin that one request follows.
pub const MAX_REDIRECTS: u32 = 5;

/// Times in a row that a stream which broke off is taken up again without an event; then its call
/// fails.
pub const MAX_RESUMES: u32 = 5;

/// Milliseconds until a stream that ended is taken up again where the server does not say; they double
/// with each time in a row that brings no event.
pub const RESUME_MS: u32 = 1_000;

/// Milliseconds until a stream is taken up again at least, whatever the server says: one that ends each
/// stream with a new event and wants to be asked again at once would be asked without a pause.
pub const RESUME_LEAST_MS: u32 = 100;

/// Milliseconds until a stream is taken up again at most, whatever the server says.
pub const RESUME_AT_MOST_MS: u32 = 60_000;

/// Characters of a session's id; a longer one is none.
pub const SESSION_ID_CHARACTERS: usize = 1_024;

/// Characters of an id of an event, which is sent back; a longer one is none.
pub const EVENT_ID_CHARACTERS: usize = 4_096;

/// Characters of the words with which a server refuses a request.
pub const REFUSAL_CHARACTERS: usize = 300;

/// Characters of a tool's result that the model gets; the whole is saved.
pub const OUTPUT_CHARACTERS: u32 = 20_000;

/// Of a result that is cut, the percentage of the kept characters that come from its beginning.
pub const OUTPUT_HEAD_PERCENT: usize = 66;

/// Cells of the table that finds common lines of two texts on a card; a larger change is shown as all
/// lines gone and all lines new, which is just as whole.
pub const MAX_DIFF_CELLS: usize = 1_000_000;

// --- names of tools ---

/// Characters of a model-visible tool name: what OpenAI-compatible endpoints accept.
pub const MAX_TOOL_NAME: usize = 64;

/// Characters kept of a name that gets a hash: with `_` and its eight digits it has
/// [`MAX_TOOL_NAME`].
pub const TOOL_NAME_KEPT: usize = 55;

// --- prompt ---

/// Hundredths of the context window that the system prompt and the built-in tools may take; project
/// instructions are cut first, then optional tools leave.
pub const PROMPT_SHARE_PERCENT: usize = 36;

/// The window the share is taken of at least: with 4,096 tokens the prompt stays under 1,500.
pub const SMALLEST_WINDOW: usize = 4_096;

/// Below so many characters a cut file of instructions is left out instead: a stump misleads.
pub const INSTRUCTIONS_STUMP_CHARACTERS: usize = 400;

/// Characters of one server's instructions.
pub const SERVER_INSTRUCTIONS_CHARACTERS: usize = 2_000;
