/**
 * Every number of the shell, with who counts it and what happens beyond it; the core's stand in
 * `src/limits.rs`. The numbers of one room stand together.
 */

// --- agent: the context window ---

/** Characters of a token as far as nobody counted: about what code and English take. */
export const CHARACTERS_PER_TOKEN = 3.5;

/** Tokens that a window is taken to hold where neither the settings nor the server say. */
export const DEFAULT_CONTEXT_WINDOW = 32_768;
/** Of the window, kept free for the answer at most (`maxOutputTokens` when that is less). */
export const OUTPUT_RESERVE_SHARE = 0.25;
/** Of the budget (window less reserve): from here on the history is compacted. */
export const COMPACT_AT = 0.85;
/** Of the budget: as far as compaction shortens, so that it does not come at every step. */
export const COMPACT_TO = 0.55;
/** Of the budget: loaded skill bodies that compaction leaves, newest first. */
export const KEPT_SKILLS_SHARE = 0.25;
/** Of the budget: the newest part of the history that a summary leaves word for word. */
export const KEPT_TAIL_SHARE = 0.3;
/** Of the window: one result in the history at most. */
export const RESULT_SHARE = 0.25;
/** Characters of a call's arguments that older history keeps; longer texts in them are cut. */
export const OLD_ARGUMENT_CHARS = 400;
/** Tokens of a summary of older history. */
export const SUMMARY_TOKENS = 700;
/** Below so many estimated tokens the server's own count is too coarse to conclude anything from. */
export const CALIBRATION_LEAST_TOKENS = 600;
/** The server counted less than this share of the estimate: it did not see the whole prompt. */
export const PROMPT_CUT_SHARE = 0.6;
/** Bounds of the correction: outside, the count is not that of this prompt. */
export const CALIBRATION_BOUNDS = { least: 0.6, most: 2.5 } as const;

// --- agent: the loop ---

/** The same call with the same result gets a note the third time… */
export const REPEATS_NOTED = 3;
/** …and the user is asked the fifth. */
export const REPEATS_ASKED = 5;
/** Answers in a row that hold neither text nor a call, or only a call cut off: then the turn fails. */
export const EMPTY_ANSWERS = 3;
/** Milliseconds that a stopped turn waits for its tools, so that its summary has what they changed. */
export const STOPPED_WAIT_MS = 60;
/** Milliseconds that the next turn waits for what a stopped one left running. */
export const LEFT_RUNNING_MS = 3_000;
/** Calls of one answer that are carried out; a model that writes more has lost its thread. */
export const CALLS_AT_ONCE = 32;
/** Requests that the search for one refused tool may cost: halving 200 tools takes 16. */
export const HALVING_REQUESTS = 24;
/** Milliseconds between two words of a call about how it goes. */
export const PROGRESS_EVERY_MS = 100;
/** How often a prompt that did not fit is shortened for one answer. */
export const SHORTER_TRIES = 3;
/** Characters of an old result below which it is not worth taking out. */
export const WORTH_TAKING_OUT_CHARS = 200;
/** Characters of a fence or of JSON that are looked at before it is plain that it is no call. */
export const HELD_LOOK_CHARS = 300;
/** Milliseconds between two figures of the rate while it streams. */
export const RATE_EVERY_MS = 500;
/** Characters of results in which quoted calls are looked for; the oldest leave beyond it. */
export const QUOTE_MEMORY_CHARS = 8_000_000;
/** Characters around the arguments of a quoted call in which it names its tool. */
export const QUOTE_NEAR_CHARS = 200;
/** Nesting of a call's arguments; deeper ones are refused: no tool means them, and each level costs stack. */
export const ARGUMENT_DEPTH = 64;
/** Characters that a message, and a call in it, cost beside their own text. */
export const AROUND_MESSAGE_CHARS = 16;
export const AROUND_CALL_CHARS = 40;
/** Characters of the beginning of cut-off JSON in which a call would name its tool. */
export const CUT_NAME_CHARS = 400;
/** Characters of what is said of an old part of the chat where no model sums it up. */
export const PLAIN_SUMMARY_CHARS = 4_000;
/** Characters of a call below which standing word for word somewhere says nothing. */
export const QUOTE_LEAST_CHARS = 8;
/** Places in an answer at which a call in the text is looked for, the last ones first. */
export const TEXT_CALL_STARTS = 200;
/** Nesting of a JSON Schema that is followed; deeper parts become `{}`. */
export const SCHEMA_DEPTH = 24;
/** Schema nodes that inlining `$ref` may make; beyond it a reference becomes `{}`. */
export const SCHEMA_NODES = 5_000;
/** `maxLength` and `maxItems` above this are dropped: grammars unroll them. */
export const SCHEMA_HUGE = 1_000;

// --- agent: subagents ---

/** Side by side: a local server answers few requests at once. */
export const SUBAGENTS_AT_ONCE = 4;
/** For one message of the user; further ones are refused. */
export const SUBAGENTS_A_MESSAGE = 12;
/** Steps of one subagent. */
export const SUBAGENT_STEPS = 40;

// --- agent: files ---

/** Bytes of a file that our own search looks into. */
export const SEARCHED_FILE_BYTES = 4 * 1024 * 1024;
/** Characters of a file that are shown where an edit differs from it by white space alone. */
export const NEAREST_CHARS = 2_000;
/** Bytes of a file that is read or edited as text; larger ones are refused with their size. */
export const TEXT_FILE_BYTES = 32 * 1024 * 1024;
/** Bytes looked at to tell text from binary. */
export const BINARY_PROBE_BYTES = 8_192;
/** Entries of a folder, paths of a glob, hits of a search that one result names. */
export const LISTED_ENTRIES = 300;
/** Characters of one hit's line. */
export const HIT_CHARS = 240;
/** Files that a walk through the workspace looks at; beyond it the result says so. */
export const WALKED_FILES = 50_000;
/** Folders deep. */
export const WALK_DEPTH = 40;
/** Bytes of a `.gitignore`; a larger one is not honoured: no hand wrote it. */
export const IGNORE_FILE_BYTES = 256 * 1024;
/** Milliseconds for a search. */
export const SEARCH_MS = 20_000;
/** Characters that are kept of what ripgrep says of an error. */
export const SEARCH_ERROR_CHARS = 2_000;
/** Bytes of ripgrep's output that are read. */
export const SEARCH_OUTPUT_BYTES = 4 * 1024 * 1024;
/** Lines that differ at which a diff gives up and shows the whole text as replaced: its time grows with their square. */
export const DIFF_EDITS = 1_500;

// --- agent: commands ---

/** Milliseconds between asking a process tree to end and killing it. */
export const KILL_AFTER_MS = 1_500;
/** The same when the user stops: everything is over within 100 ms. */
export const STOP_KILL_AFTER_MS = 40;
/** Milliseconds between two looks whether a process tree is gone. */
export const KILL_POLL_MS = 10;
/** Milliseconds to wait for the output's end after the shell ended; what still writes is ended. */
export const DRAIN_MS = 250;
/** Characters of a command's last line that show how it goes. */
export const PROGRESS_CHARS = 200;
/** Bytes of a command's output that are kept on disk when the result had to be cut. */
export const SAVED_OUTPUT_BYTES = 32 * 1024 * 1024;
/** Seconds that a model may ask for at most. */
export const COMMAND_SECONDS = 3_600;

/** Milliseconds and bytes that Git may take to say its settings; beyond, a command of it asks. */
export const GIT_SETTINGS_MS = 3_000;
export const GIT_SETTINGS_BYTES = 4 * 1024 * 1024;

// --- agent: snapshots ---

/** Bytes of one file of which a copy is kept before commands and MCP calls run. */
export const COPIED_FILE_BYTES = 512 * 1024;
/** Bytes of all such copies of a session; files beyond it are watched by size and time alone. */
export const COPIED_BYTES = 64 * 1024 * 1024;
/** Files looked at or copied side by side. */
export const COPIED_AT_ONCE = 32;
/** Turns whose changes can be undone; older ones are forgotten. */
export const UNDOABLE_TURNS = 50;
/**
 * Days for which a copy is kept that no turn names any more, such as that of a file that undo
 * removed; and what a session leaves that was killed.
 */
export const LEFTOVER_DAYS = 30;

// --- state ---

/** Milliseconds after which a lock counts as left behind by a process that was killed. */
export const LOCK_STALE_MS = 5_000;
/** Tries to get a lock, each after a wait that doubles: together longer than a stale one lasts. */
export const LOCK_TRIES = 40;
/** Milliseconds before the second try, and the longest between two. */
export const LOCK_FIRST_WAIT_MS = 20;
export const LOCK_LONGEST_WAIT_MS = 200;

// --- cli ---

/** Milliseconds in which a card takes no answer: nobody can have read it. */
export const ARMING_MS = 500;

/** Choices of one answer that are all shown; more stand in a list that opens. */
export const FORM_LIST_OPTIONS = 6;

/** Milliseconds between two phase lines where nothing can be rewritten in place. */
export const PROGRESS_MS = 10_000;

/** Milliseconds between two frames of the spinner. */
export const SPINNER_MS = 100;

/** Lines of a call's result that `gbs run` shows under its line; the rest is counted. */
export const OUTPUT_LINES = 3;

// --- models ---

/** How often a request is repeated after a 429, a gateway error or a connection that broke at once. */
export const MODEL_RETRIES = 3;

/** Milliseconds before the first repetition; doubled each time, unless the server names a time. */
export const MODEL_FIRST_RETRY_MS = 1000;

/** Milliseconds; a server that wants a longer wait is reported instead of waited for. */
export const MODEL_LONGEST_RETRY_MS = 120_000;

/**
 * Milliseconds for a connection to stand. The answer itself has no limit: a cold model on a slow
 * disk may take minutes before its first byte.
 */
export const MODEL_CONNECT_MS = 10_000;

/** Milliseconds between the probes of a silent connection, so that a dead host is noticed. */
export const MODEL_KEEP_ALIVE_MS = 30_000;

/** Bytes of one event of a stream, or of a whole answer; beyond them the server is at fault. */
export const MODEL_EVENT_BYTES = 16 * 1024 * 1024;

/** Characters of a server's own error message that are passed on. */
export const MODEL_MESSAGE_CHARS = 400;

/** Tokens that an answer of a probe may take. */
export const PROBE_TOKENS = 160;

/** Characters of a secret value at least, for it to be looked for in what a server writes. */
export const LEAST_SECRET_CHARACTERS = 6;

/** Milliseconds for one question of the discovery: a server on this machine answers in far less. */
export const DISCOVERY_MS = 1500;

/** Models of one Ollama that are asked for their details; more have no known window. */
export const OLLAMA_DETAILS = 32;

/**
 * Tokens of Ollama's window for a model that is not loaded and whose file sets none: the least of
 * its documented defaults. It cuts a longer prompt silently, so a guess must not be above it.
 */
export const OLLAMA_WINDOW = 4096;

// --- mcp: configuration and consent ---

/** Bytes of one configuration file that are read; a larger one is reported. The core's limit too. */
export const CONFIG_FILE_BYTES = 1024 * 1024;
/** Bytes of a file that an approval can cover; a server that names a larger one asks every time. */
export const COVERED_FILE_BYTES = 64 * 1024 * 1024;
/** Bytes digested for all servers of a workspace at a time; those after it count as too large. */
export const COVERED_BYTES_IN_ALL = 512 * 1024 * 1024;
/** Paths looked at for all servers of a workspace at a time; a server beyond it asks every time. */
export const LOOKS_IN_ALL = 30_000;
/** Paths looked at side by side: more would only queue in Node's own pool. */
export const LOOKS_AT_ONCE = 16;
/** Times that one server is asked about when its files change while the card stands there. */
export const CONSENT_ROUNDS = 3;

// --- mcp: processes and servers (the protocol's own are in src/limits.rs) ---

/**
 * Milliseconds a server has after its stdin was closed. Most end at once; some write a file first. All
 * waits of a stop together stay under the five seconds that an editor gives at its own end.
 */
export const STOP_STDIN_MS = 1_500;
/** Milliseconds it has after SIGTERM. */
export const STOP_TERMINATE_MS = 1_500;
/** The same two where somebody pressed Ctrl-C and waits for the prompt. */
export const STOP_HURRIED_STDIN_MS = 250;
export const STOP_HURRIED_TERMINATE_MS = 500;
/** Milliseconds until a process that was killed is taken for gone: longer only where nobody reaps it. */
export const STOP_KILL_MS = 500;
/** Milliseconds between two looks whether a process group is gone. */
export const STOP_POLL_MS = 15;
/** Milliseconds after a server's exit in which its last output may still come through the pipe. */
export const EXIT_DRAIN_MS = 250;
/** Bytes that may wait for a server that does not read; then its output is not read either. */
export const MAX_UNWRITTEN_BYTES = 8 * 1024 * 1024;
/** Characters of the end of stderr that a failure shows. */
export const STDERR_TAIL_CHARACTERS = 4_000;
/** Characters of one line of stderr; a longer one is cut. */
export const STDERR_LINE_CHARACTERS = 2_000;
/** Characters of the one line that a message quotes. */
export const TELLING_LINE_CHARACTERS = 300;
/** Bytes of one answer or event of a server over HTTP; a larger one is dropped. The core's limit of a message too. */
export const HTTP_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Milliseconds until a connection to a server stands; its answer may take longer. */
export const HTTP_CONNECT_MS = 10_000;
/** Milliseconds between the probes of a silent connection, so that a dead host is noticed. */
export const HTTP_KEEP_ALIVE_MS = 30_000;
/** Milliseconds that a stream may stay open after its answer came; then it is closed from here. */
export const HTTP_LINGER_MS = 2_000;
/** Milliseconds for the end of a session to reach its server. */
export const HTTP_FAREWELL_MS = 1_000;
/** Bytes of a refusal that are read: enough for its words. */
export const HTTP_REFUSAL_BYTES = 16 * 1024;
/** Bytes of an answer that nobody wants which are read so that its connection can be used again. */
export const HTTP_UNWANTED_BYTES = 64 * 1024;
/** Times that a request that never left is sent; each time over another connection. */
export const HTTP_STALE_TRIES = 3;
/** Values under secret names that a recording masks wherever they are said again. */
export const RECORDED_SECRETS = 1_000;
/** Lines of one event: each costs far more than the letter that may stand in it. */
export const HTTP_EVENT_LINES = 1_000_000;
/** Lines of a server's log that are kept; older ones are forgotten. */
export const MAX_LOG_LINES = 1_000;
/** Milliseconds between two drawings of a log that is open: a server may write faster than anyone reads. */
export const LOG_EVERY_MS = 150;
/** Exits in `RESTART_WINDOW_MS` after which a server counts as failed. */
export const MAX_EXITS = 3;
export const RESTART_WINDOW_MS = 5 * 60_000;
/** Milliseconds without a change after which a server's first list of tools counts as settled. */
export const SETTLED_MS = 1_000;
/** Milliseconds after which it counts as settled whatever comes. */
export const SETTLED_AT_MOST_MS = 5_000;
/** Of the model's context window, the percentage that tool definitions may take before they wait. */
export const TOOLS_WINDOW_PERCENT = 10;
/** Tools that one `mcp_search` shows. */
export const SEARCH_RESULTS = 8;
/** Pins that are kept for one workspace, each for a version of a server; the oldest go. */
export const MAX_PINS = 64;

/** Milliseconds in which servers list their skills; a request goes on without those that do not. */
export const OFFERED_LIST_MS = 30_000;
/** Characters of such a list: 2,000 skills of a few files; the rest is left out and said. */
export const OFFERED_LIST_BYTES = 16 * 1024 * 1024;
/** Skills beyond a server's list that are kept of it: somebody asked for each by its address. */
export const OFFERED_ASKED_FOR = 32;
/** Bytes of servers' skill files that are kept, so that the next part needs no request. */
export const OFFERED_CACHE_BYTES = 4 * 1024 * 1024;
/** Milliseconds for which a list of resources or prompts holds where its server tells no change. */
export const LISTED_FOR_MS = 10_000;
/** Pages of such a list, and what is kept of it; a list that goes on ends there with a problem. */
export const MAX_OFFER_PAGES = 100;
export const MAX_OFFERED = 2_000;
/** Resources that one message brings along; the names of further ones stay words. */
export const MAX_MENTIONS = 8;
/** Milliseconds that a list may take while the user types; what comes later is there the next time. */
export const COMPLETION_MS = 3_000;

/** Bytes of another program's file that servers are imported from; they hold histories, too. */
export const IMPORT_FILE_BYTES = 16 * 1024 * 1024;

// --- mcp: signing in to servers ---

/** Bytes of one answer of an authorization server; metadata and tokens take a few thousand. */
export const SIGN_IN_ANSWER_BYTES = 256 * 1024;
/** Milliseconds that one request of a sign-in may take, redirects included. */
export const SIGN_IN_REQUEST_MS = 15_000;
/** Milliseconds in which it must be found out who signs users in: a few requests, one after the other. */
export const SIGN_IN_DISCOVERY_MS = 45_000;
/** Redirects that are followed to a metadata document; requests that carry something follow none. */
export const SIGN_IN_REDIRECTS = 3;
/** Characters of an address in metadata or of an answer in the browser's address bar. */
export const SIGN_IN_ADDRESS_CHARACTERS = 8_192;
/** Characters of a `WWW-Authenticate` header that are looked at. */
export const CHALLENGE_CHARACTERS = 16_384;
/** Scopes that are asked for at once, and characters of one; more is no list that anybody reads. */
export const SIGN_IN_SCOPES = 100;
export const SCOPE_CHARACTERS = 256;
/** Characters of a client id, a secret or a token. */
export const TOKEN_CHARACTERS = 64 * 1024;
/** Authorization servers that a server may name. */
export const AUTHORIZATION_SERVERS = 10;
/** Characters of a server's own words in a message. */
export const SERVER_WORDS_CHARACTERS = 300;
/** Milliseconds before its end at which a token is renewed: a request under way must still fit. */
export const RENEW_BEFORE_MS = 30_000;
/** Milliseconds in which a token that was just renewed and is refused is not renewed once more. */
export const RENEWED_AGAIN_MS = 30_000;
/** Milliseconds that the user has in the browser. */
export const SIGN_IN_WAIT_MS = 10 * 60_000;
/** Milliseconds until connections of the listener for a sign-in are cut; the answer is written by then. */
export const SIGN_IN_FAREWELL_MS = 500;
/** The port of an address that nobody listens at, of a client that was never registered with another. */
export const SIGN_IN_PORT = 33_418;
/** Tries to get the lock of a server's tokens: longer than whoever holds it may take for a request. */
export const TOKEN_LOCK_TRIES = 120;
/** Clients that are remembered for one server, each of an issuer and a way back; the oldest go. */
export const CLIENTS_KEPT = 8;

// --- skills (what a model gets is in src/limits.rs) ---

/** Unusable skills that are told one by one; more are one message. */
export const SKILL_NOTICES = 3;
/** Skills that a ranking for a person shows. */
export const WHICH_SHOWN = 10;
/** Characters of an answer that names no skill, as it is shown. */
export const WHICH_ANSWER_CHARS = 200;
/** Tokens of a model's pick: a name; room for one that thinks first. */
export const WHICH_ANSWER_TOKENS = 1_024;
/** Bytes of a SKILL.md; a larger one is unusable. */
export const SKILL_FILE_BYTES = 256 * 1024;
/** Files of a skill; one with more is unusable. */
export const SKILL_FILES = 512;
/** Bytes of all files of a skill; one with more is unusable. */
export const SKILL_BYTES = 16 * 1024 * 1024;
/** Folders inside a skill, and how deep they nest; beyond either it is unusable. */
export const SKILL_FOLDERS = 512;
export const SKILL_DEPTH = 16;
/** How often a skill is read anew because its folder changed meanwhile; then it is not there. */
export const SKILL_LOOKED_AGAIN = 3;
/** Lines of a body that a split leaves free, for what says where the rest is. */
export const SKILL_SPLIT_LEAVES_LINES = 10;
/** Characters of a sentence of the body that becomes a description: what the catalogue shows. */
export const SKILL_SENTENCE_CHARS = 240;
/** Skills that are used; the others are listed as over the limit. */
export const SKILLS_USED = 64;
/** Folders between a workspace folder and the open file in which skills are looked for. */
export const NESTED_LEVELS = 6;
/** Folders below those in which skills that are left out are still told of. */
export const NESTED_LEVELS_TOLD = 16;
/** Folders in which skills folders are looked for, in all; beyond it the rest is reported. */
export const FOLDERS_LOOKED_INTO = 2_000;
/** Paths in a package's `gbsSkills`; those after them are reported. */
export const PACKAGE_PATHS = 10;
/** Bytes of a package.json; a larger one counts as broken. */
export const PACKAGE_FILE_BYTES = 1024 * 1024;
/** Bytes of an instructions file; a larger one is not used. */
export const INSTRUCTIONS_BYTES = 256 * 1024;
/** Milliseconds for which skills are read before others have their turn: half a frame. */
export const SKILLS_SLICE_MS = 8;
/** Bytes of memory that small files of skills are read into together. Who keeps one file keeps so much. */
export const READ_ROOM_BYTES = 128 * 1024;

/** Bytes of SKILL.md that are parsed in one call. */
export const SKILLS_BATCH_BYTES = 2 * 1024 * 1024;
/**
 * Milliseconds after a change in which a file's times say nothing about another one: FAT counts in two
 * seconds, and no file system finer than a tick.
 */
export const SKILL_STAMP_SETTLES_MS = 2_000;
/** Bytes of a text of which a copy is kept, so that a later change can be shown. */
export const ALLOWED_COPY_BYTES = 256 * 1024;
/** Milliseconds without a change after which a burst of changes counts as over. */
export const SKILLS_SETTLE_MS = 250;
/** Milliseconds after which a burst that does not end is taken up all the same. */
export const SKILLS_SETTLE_AT_MOST_MS = 2_000;
/** Skills that one message loads by name; further ones are the model's to load. */
export const SKILLS_ASKED_FOR = 4;
/** Skills that `@` offers in the chat's box, before files. */
export const SKILLS_MENTIONED = 6;
/** Names given to a model that asked for a skill which is not there. */
export const SKILL_SUGGESTIONS = 8;

// --- catalogue: the skills MCP server ---

/** Bodies of skills that are kept; the one asked for longest ago goes first. */
export const CATALOGUE_BODIES = 256;
/** Skills on one page of `list_skills`, and hits of one search. */
export const CATALOGUE_PAGE = 500;
/** Skills on one page of `skills/list`: each file of them is read for its digest. */
export const CATALOGUE_PUBLISHED_PAGE = 100;
/** Hits of a search that names no number. */
export const CATALOGUE_HITS = 20;
/** Bytes of a binary file that are handed out; of a larger one its type and size. */
export const CATALOGUE_BINARY_BYTES = 64 * 1024;
/** Bytes of a file that is read at all; of a larger one its type and size. */
export const CATALOGUE_FILE_BYTES = 4 * 1024 * 1024;
/** Resources that one client of an older era may subscribe to; further ones are refused. */
export const CATALOGUE_SUBSCRIPTIONS = 1_024;
/** Bytes of a request over HTTP; ours are a few hundred. A longer one is refused unread. */
export const CATALOGUE_REQUEST_BYTES = 256 * 1024;
/** Connections over HTTP at once; further ones wait in the system's queue. */
export const CATALOGUE_CONNECTIONS = 1_024;
/** Milliseconds a client may take to send its headers, and its whole request. */
export const CATALOGUE_HEADERS_MS = 10_000;
export const CATALOGUE_REQUEST_MS = 30_000;
/** Milliseconds that requests which run at a stop may still take. */
export const CATALOGUE_STOP_MS = 5_000;
/** Milliseconds between two looks at the remote of a git repository. */
export const CATALOGUE_REFRESH_MS = 5 * 60_000;
/** Milliseconds that one run of git may take. */
export const CATALOGUE_GIT_MS = 5 * 60_000;
/** Characters that are kept of what git says of an error. */
export const CATALOGUE_GIT_SAID = 4_000;
/** Milliseconds after its last use that an old checkout is kept, for who may still read it. */
export const CATALOGUE_CHECKOUT_MS = 24 * 60 * 60_000;
/** Skills whose embeddings are asked for in one request. */
export const CATALOGUE_EMBEDDED_AT_ONCE = 64;
/** Milliseconds for which one request for embeddings is waited for. */
export const CATALOGUE_EMBEDDING_MS = 60_000;
/** Folders of skills that are asked about at once. */
export const CATALOGUE_LOOKS_AT_ONCE = 64;
/** Milliseconds for which a look through all skills holds; calls in a burst share one. */
export const CATALOGUE_FRESH_MS = 100;
/** Skills up to which a call waits for that look; beyond it the next call sees what changed. */
export const CATALOGUE_LOOK_AWAITED = 2_000;
/** Folders of skills whose changes are told by the system; further ones are seen when asked for. */
export const CATALOGUE_WATCHED = 1_000;

// --- editor ---

/** Milliseconds for which the host gathers events for the page: one frame. */
export const FRAME_MS = 16;
/** Milliseconds without a key before a document of ours is looked at again. */
export const TYPING_REST_MS = 200;
/** Milliseconds that language servers get for their first word after an edit… */
export const ERRORS_FIRST_MS = 1500;
/** …and without another word after it, before their errors are read. */
export const ERRORS_QUIET_MS = 300;
/** Rows that `@` offers; the best ones. */
export const COMPLETIONS = 50;
/** Milliseconds in which a model server must list its models to count as there. */
export const MODELS_LIST_MS = 10_000;

/** Names that are told where a flag names something that is not there. */
export const NAMES_TOLD = 12;

/** Models of a server that are named where the one that was asked for is not among them. */
export const MODELS_NAMED = 8;

/** Servers of a workspace whose protocol era is remembered; the one that spoke longest ago goes first. */
export const ERAS_KEPT = 500;

// --- chat: the page ---

/** UTF-16 units of an output that travels with its line; a longer one is asked for when it is opened. */
export const OUTPUT_INLINE_UNITS = 2000;
/** Lines of an output shown before "Show all"… */
export const OUTPUT_FIRST_LINES = 12;
/** …unless so few more follow that the link would take their room. */
export const OUTPUT_SPARE_LINES = 3;
/** UTF-16 units of a line's object that fit most views; a longer one stands whole when it is opened. */
export const LONG_OBJECT_UNITS = 40;
/** Milliseconds after which a card whose answer the host did not take can be answered again. */
export const UNANSWERED_MS = 2000;
/** Milliseconds between a change and its being kept by the page; leaving the page keeps it at once. */
export const PAGE_KEEP_MS = 150;
/** Turns drawn at first, enough to fill the view; the ones above follow when the page has time. */
export const TURNS_AT_FIRST = 8;
/** Turns drawn at a time after that: few, so that a key pressed meanwhile is not held up. */
export const TURNS_MORE = 10;
/** Turns that are compared together when something was drawn. */
export const TURNS_IN_CHUNK = 20;
/** Pixels left above the first line of an answer that fills the view. */
export const FOLLOW_MARGIN_PX = 12;
/** UTF-16 units of code beyond which it stays plain: colouring it would hold up the page. */
export const COLOURED_UNITS = 30_000;
/** The same while it still grows and is coloured anew with every frame. */
export const COLOURED_GROWING_UNITS = 6000;
/** UTF-16 units of a growing paragraph beyond which its open marks are left as they are. */
export const CLOSED_PARAGRAPH_UNITS = 4000;
/** UTF-16 units of a line of a diff beyond which nobody looks for the part that differs. */
export const COMPARED_LINE_UNITS = 2000;

// --- chat: sessions ---

/** Code points of a title that is made from a message. */
export const TITLE_CHARS = 60;
/** Code points of a title that the user gives. */
export const TITLE_MOST_CHARS = 120;
/** Bytes of a session's file in which its first line ends: the list reads no more of it. */
export const SESSION_HEAD_BYTES = 8_192;
/** Files of sessions that are read side by side. */
export const SESSIONS_AT_ONCE = 16;
/** Milliseconds after which a change of the chat is on disk… */
export const SESSION_SAVE_MS = 1_000;
/** …or so many times as long as the last write took: a large chat does not keep the disk busy. */
export const SESSION_SAVE_TIMES = 20;
/** UTF-16 units of an image's URL below which it stands in its place instead of once in the file. */
export const IMAGE_APART_UNITS = 256;

/** Chats that `gbs chat --resume` offers by number; the newest ones. */
export const CHATS_OFFERED = 20;

// --- chat: find and images ---

/** Hits that are marked and counted; a chat with more wants another word. */
export const FOUND_MOST = 2_000;
/** Long outputs that hold the words and are brought to the page; the count says when there are more. */
export const FOUND_OUTPUTS = 100;
/** Milliseconds between two searches while the chat grows. */
export const FIND_AGAIN_MS = 300;
/** Images of one message. */
export const IMAGES_A_MESSAGE = 8;
/** Bytes of an image's file beyond which it is not read. */
export const IMAGE_FILE_BYTES = 20 * 1024 * 1024;
/** Pixels of an image's longer side; models look at no more, and larger ones are made smaller. */
export const IMAGE_MOST_PX = 1_568;
/** Bytes that an image is sent with as it is, or as PNG; a larger one becomes a JPEG… */
export const IMAGE_SENT_BYTES = 1024 * 1024;
/** …of this quality. */
export const IMAGE_JPEG_QUALITY = 0.85;
/** Characters that an image is counted as: about what models take for one, 1,000 tokens. */
export const IMAGE_CHARACTERS = 3_500;

/** Between two words of the demo, milliseconds: as fast as a model that people can follow. */
export const DEMO_WORD_MS = 30;

/** Tokens that the demo's model would have: what most local servers are started with. */
export const DEMO_WINDOW = 32_768;
