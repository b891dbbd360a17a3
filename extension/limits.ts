/**
 * Every number of the shell, with who counts it and what happens beyond it; the core's stand in
 * `src/limits.rs`. The numbers of one room stand together.
 */

// --- cli ---

/** Milliseconds in which a card takes no answer: nobody can have read it. */
export const ARMING_MS = 500;

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

/** Milliseconds for one question of the discovery: a server on this machine answers in far less. */
export const DISCOVERY_MS = 1500;

/** Models of one Ollama that are asked for their details; more have no known window. */
export const OLLAMA_DETAILS = 32;

/**
 * Tokens of Ollama's window for a model that is not loaded and whose file sets none: the least of
 * its documented defaults. It cuts a longer prompt silently, so a guess must not be above it.
 */
export const OLLAMA_WINDOW = 4096;
