// The scripted model server: a real HTTP server that speaks the OpenAI chat completions protocol, and
// where the script says so Ollama's own (/api/chat, /api/tags, /api/show, /api/ps), and answers by a script instead of a model. For tests, and the demo's last resort where no model runs.
//
//   node scripts/scripted-model.mjs [--port 0] [--script FILE] [--api-key KEY] [--watch-stdin]
//
// prints `READY http://127.0.0.1:PORT`; the base URL is that + /v1. With --watch-stdin it ends when
// its stdin closes, so that it never outlives who started it.
//
// A script is a list of rules, or an object { rules, models, modelsDelayMs, ollama, routes }:
//   rules   [{ "when": "regular expression on the last user message", "steps": [STEP, …] }], the first
//           rule that matches answers. Step k answers the k-th request after that message; the last
//           step also answers later ones. No rule: a text that says so.
//   STEP    an action or a list of actions, carried out in order in one reply:
//             { "text": "…" }                       streamed in pieces
//             { "thinking": "…" }                   the same as reasoning_content
//             { "toolCall": { "name", "arguments" } }   arguments: an object, or text sent as it is
//             { "delayMs": 100 }                    waits; at the start, before the headers
//             { "pieceMs": 20 }                     waits between the pieces that follow
//             { "forever": "…" }                    this text again and again, until the client leaves
//             { "status": 429, "headers": {}, "body": any }   an answer of HTTP, instead of a stream
//             { "raw": "…" }                        bytes of the stream as they are; its end, too, is then up to the script
//             { "cut": true }                       breaks the connection
//             { "finish": "length" }                the reason given at the end
//             { "usage": { "prompt_tokens", "completion_tokens" } }
//           or { "attempts": [STEP, …] }: the n-th time that this very step is asked for.
//           In strings, {{user}} is the last user message, {{result}} the last tool result,
//           {{tools}} the names of the tools offered, {{1}} … the groups of `when`.
//   models  what GET /v1/models lists, after modelsDelayMs
//   ollama  true: answers Ollama's own paths as well
//   routes  { "GET /props": any }: further answers, as JSON; a number is a status
//
// GET /__requests gives what was received so far: [{ method, path, headers, body }], body as text.
// DELETE /__requests forgets it. POST /__script replaces the script.
import { readFileSync, realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Characters of a streamed piece: small enough that a reader meets every kind of split. */
const PIECE = 7;

/** Understands one sentence, which is enough to show a tool at work. */
export const defaultScript = {
  rules: [
    {
      when: 'Use the (\\S+) tool with (\\w+) (.+?)\\.?$',
      steps: [
        { toolCall: { name: '{{1}}', arguments: { '{{2}}': '{{3}}' } } },
        { text: 'The {{1}} tool says: {{result}}' },
      ],
    },
  ],
};

/** Starts it; gives its address without /v1, and how to end it. */
export async function startScriptedModel({ port = 0, script = defaultScript, apiKey = '' } = {}) {
  const state = { script: checkScript(script), requests: [], attempts: new Map(), apiKey };
  const server = createServer((request, response) => {
    answer(state, request, response).catch((error) => {
      if (response.headersSent) response.destroy();
      else sendError(response, 500, error instanceof Error ? error.message : String(error));
    });
  });
  server.requestTimeout = 0;
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests: () => state.requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

function checkScript(script) {
  const { rules, models, modelsDelayMs, ollama, routes } = Array.isArray(script)
    ? { rules: script }
    : script;
  if (!Array.isArray(rules))
    throw new Error('a script is a list of rules, or an object with rules');
  return {
    rules: rules.map(({ when, steps }) => ({ when: new RegExp(when, 'm'), steps })),
    models: models ?? [{ id: 'scripted', object: 'model', owned_by: 'gbs-agent' }],
    modelsDelayMs: modelsDelayMs ?? 0,
    ollama: ollama ?? false,
    routes: routes ?? {},
  };
}

async function answer(state, request, response) {
  const { method, url: path, headers } = request;
  const body = await textOf(request);
  const route = `${method} ${path}`;
  if (route === 'GET /__requests') return sendJson(response, 200, state.requests);
  if (route === 'DELETE /__requests') {
    state.requests.length = 0;
    return sendJson(response, 200, {});
  }
  if (route === 'POST /__script') {
    state.script = checkScript(JSON.parse(body));
    state.attempts.clear();
    return sendJson(response, 200, {});
  }
  state.requests.push({ method, path, headers, body });
  if (state.apiKey !== '' && headers.authorization !== `Bearer ${state.apiKey}`) {
    return sendError(response, 401, 'Invalid API key');
  }
  if (route in state.script.routes) {
    const given = state.script.routes[route];
    return typeof given === 'number'
      ? sendError(response, given, `status ${given}`)
      : sendJson(response, 200, given);
  }
  if (route === 'GET /v1/models') {
    await sleep(state.script.modelsDelayMs);
    return sendJson(response, 200, { object: 'list', data: state.script.models });
  }
  if (route === 'POST /v1/chat/completions') return chat(state, body, response);
  if (state.script.ollama && path.startsWith('/api/')) {
    return ollamaAnswer(state, route, body, response);
  }
  return sendError(response, 404, `there is no ${route}`);
}

async function textOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function chat(state, body, response) {
  const request = parseRequest(body);
  if (typeof request === 'string') return sendError(response, 400, request);
  const { actions, fill } = choose(state, request);
  await perform(actions, fill, new Reply(request, response, state.requests.length));
}

async function ollamaAnswer(state, route, body, response) {
  if (route === 'POST /api/chat') return ollamaChat(state, body, response);
  if (route === 'GET /api/tags') {
    const models = state.script.models.map(({ id }) => ({ name: id, model: id }));
    return sendJson(response, 200, { models });
  }
  if (route === 'GET /api/ps') return sendJson(response, 200, { models: [] });
  if (route === 'POST /api/show') return sendJson(response, 200, { parameters: '' });
  return sendJson(response, 404, { error: 'not found' });
}

/** Ollama's protocol: checked and chosen like the other, answered as lines of JSON. */
async function ollamaChat(state, body, response) {
  const request = parseOllamaRequest(body);
  if (typeof request === 'string') return sendJson(response, 400, { error: request });
  const { actions, fill } = choose(state, request);
  await perform(actions, fill, new OllamaReply(request, response, state.requests.length));
}

function parseOllamaRequest(body) {
  let request;
  try {
    request = JSON.parse(body);
  } catch {
    return 'invalid character in the body';
  }
  const { model, messages, tools = [], options = {} } = request ?? {};
  if (typeof model !== 'string') return 'model is required';
  if (!Array.isArray(messages)) return 'messages is missing';
  for (const [
    index,
    { role, content, tool_calls: calls = [], images = [] },
  ] of messages.entries()) {
    if (!['system', 'user', 'assistant', 'tool'].includes(role)) return `invalid role: ${role}`;
    if (typeof content !== 'string') return `messages[${index}].content must be a string`;
    if (calls.some((call) => typeof call.function?.arguments !== 'object')) {
      return `messages[${index}].tool_calls: cannot unmarshal arguments into an object`;
    }
    if (images.some((image) => !/^[A-Za-z0-9+/]+={0,2}$/.test(image))) return 'illegal base64 data';
  }
  for (const [name, value] of Object.entries(options)) {
    if (typeof value !== 'number') return `option "${name}" must be of type number`;
  }
  if (tools.some((tool) => typeof tool.function?.parameters !== 'object')) {
    return 'cannot unmarshal tools';
  }
  return request;
}

/** The request, or what a strict server would say is wrong with it. */
function parseRequest(body) {
  let request;
  try {
    request = JSON.parse(body);
  } catch {
    return 'the body is not JSON';
  }
  const { model, messages, tools = [] } = request ?? {};
  if (typeof model !== 'string') return 'model is missing';
  if (!Array.isArray(messages) || messages.length === 0) return 'messages is missing';
  const called = new Set();
  for (const [index, message] of messages.entries()) {
    const { role, content, tool_calls: calls = [], tool_call_id: id } = message ?? {};
    if (!['system', 'user', 'assistant', 'tool'].includes(role)) {
      return `messages[${index}].role ${JSON.stringify(role)} is unknown`;
    }
    const isText = typeof content === 'string' || Array.isArray(content);
    if (!isText && !(role === 'assistant' && calls.length > 0)) {
      return `messages[${index}].content is missing`;
    }
    for (const call of calls) {
      try {
        JSON.parse(call.function.arguments);
      } catch {
        return `messages[${index}]: the arguments of a tool call are not JSON`;
      }
      called.add(call.id);
    }
    if (role === 'tool' && !called.has(id)) {
      return `messages[${index}].tool_call_id ${JSON.stringify(id)} answers no call`;
    }
  }
  if (!Array.isArray(tools)) return 'tools is not a list';
  for (const [index, tool] of tools.entries()) {
    if (tool?.type !== 'function' || !/^[a-zA-Z0-9_-]{1,64}$/.test(tool.function?.name)) {
      return `tools[${index}] has no usable name`;
    }
    if (typeof tool.function.parameters !== 'object' || tool.function.parameters === null) {
      return `tools[${index}].function.parameters is not an object`;
    }
  }
  return request;
}

/** The actions that answer this request, and what fills the places in their strings. */
function choose(state, { messages, tools = [] }) {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const user = textContent(messages[last]?.content);
  const result = textContent(messages.findLast(({ role }) => role === 'tool')?.content);
  const number = messages.slice(last + 1).filter(({ role }) => role === 'assistant').length;
  const names = tools.map((tool) => tool.function.name).join(', ');
  for (const [index, { when, steps }] of state.script.rules.entries()) {
    const groups = when.exec(user);
    if (!groups) continue;
    const values = { user, result, tools: names };
    groups.forEach((group, at) => (values[at] = group ?? ''));
    const fill = (text) => text.replace(/\{\{(\w+)\}\}/g, (all, name) => values[name] ?? all);
    const step = steps[Math.min(number, steps.length - 1)] ?? [];
    return { actions: attempt(state, `${index} ${number} ${user}`, step), fill };
  }
  return {
    actions: [{ text: `The scripted model server has no rule for: ${user}` }],
    fill: (text) => text,
  };
}

function attempt(state, key, step) {
  if (!step.attempts) return [step].flat();
  const before = state.attempts.get(key) ?? 0;
  state.attempts.set(key, before + 1);
  return [step.attempts[Math.min(before, step.attempts.length - 1)]].flat();
}

function textContent(content) {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('');
}

/** Replaces the places in every string of a value, keys too. */
function filled(value, fill) {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => filled(item, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [fill(key), filled(item, fill)]),
  );
}

async function perform(actions, fill, reply) {
  for (const action of actions) {
    if ('text' in action) await reply.text(fill(action.text));
    else if ('thinking' in action) await reply.thinking(fill(action.thinking));
    else if ('toolCall' in action) {
      const { name, arguments: given = {} } = action.toolCall;
      const text = typeof given === 'string' ? fill(given) : JSON.stringify(filled(given, fill));
      await reply.toolCall(fill(name), text);
    } else if ('delayMs' in action) await sleep(action.delayMs);
    else if ('status' in action) return reply.refuse(action);
    else if ('pieceMs' in action) reply.pieceMs = action.pieceMs;
    else if ('forever' in action) {
      while (!reply.left()) await reply.text(fill(action.forever));
    } else if ('raw' in action) await reply.raw(fill(action.raw));
    else if ('finish' in action) reply.finish = action.finish;
    else if ('usage' in action) reply.usage = action.usage;
    else if ('cut' in action) return reply.cut();
    else throw new Error(`the script has an unknown action: ${JSON.stringify(action)}`);
  }
  await reply.end();
}

/** One reply, streamed or whole as the request wants it. */
class Reply {
  type = 'text/event-stream';
  pieceMs = 0;
  finish = null;
  usage = null;
  #content = '';
  #reasoning = '';
  #calls = [];
  isRaw = false;
  #number;

  constructor(request, response, number) {
    this.request = request;
    this.response = response;
    this.#number = number;
  }

  refuse({ status, body, headers }) {
    const error = { error: { message: `status ${status}`, type: 'error' } };
    sendJson(this.response, status, body ?? error, headers);
  }

  left() {
    return this.response.destroyed;
  }

  async text(text) {
    this.#content += text;
    for (const piece of pieces(text)) await this.#delta({ content: piece });
  }

  async thinking(text) {
    this.#reasoning += text;
    for (const piece of pieces(text)) await this.#delta({ reasoning_content: piece });
  }

  async toolCall(name, text) {
    const index = this.#calls.length;
    const id = `call_${this.#number}_${index}`;
    this.#calls.push({ id, type: 'function', function: { name, arguments: text } });
    await this.#delta({
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
    });
    for (const piece of pieces(text)) {
      await this.#delta({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }

  async raw(text) {
    this.isRaw = true;
    await this.write(text);
  }

  cut() {
    this.response.destroy();
  }

  async end() {
    if (this.isRaw) return this.response.end();
    const finish = this.finish ?? (this.#calls.length > 0 ? 'tool_calls' : 'stop');
    const usage = this.usage ?? this.#counted();
    if (!this.request.stream) {
      const message = { role: 'assistant', content: this.#content };
      if (this.#reasoning !== '') message.reasoning_content = this.#reasoning;
      if (this.#calls.length > 0) message.tool_calls = this.#calls;
      const choices = [{ index: 0, message, finish_reason: finish }];
      return sendJson(this.response, 200, { ...this.#head('chat.completion'), choices, usage });
    }
    await this.#event({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
    if (this.request.stream_options?.include_usage) await this.#event({ choices: [], usage });
    await this.write('data: [DONE]\n\n');
    this.response.end();
  }

  /** Four characters count as one token. */
  #counted() {
    const { messages, tools = [] } = this.request;
    const prompt = Math.ceil(JSON.stringify([messages, tools]).length / 4);
    const written = this.#content + this.#reasoning + JSON.stringify(this.#calls);
    const completion = Math.ceil(written.length / 4);
    return {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    };
  }

  async #delta(delta) {
    if (!this.request.stream) return;
    await this.#event({ choices: [{ index: 0, delta, finish_reason: null }] });
    if (this.pieceMs > 0) await sleep(this.pieceMs);
  }

  async #event(fields) {
    const event = { ...this.#head('chat.completion.chunk'), ...fields };
    await this.write(`data: ${JSON.stringify(event)}\n\n`);
  }

  #head(object) {
    return { id: 'chatcmpl-scripted', object, created: 0, model: this.request.model };
  }

  /** Waits while the client does not read, and lets others run between pieces. */
  async write(text) {
    if (this.left()) return;
    if (!this.response.headersSent) {
      const headers = { 'content-type': this.type, 'cache-control': 'no-cache' };
      this.response.writeHead(200, headers);
    }
    if (this.response.write(text)) await new Promise(setImmediate);
    else {
      await new Promise((resolve) => {
        this.response.once('drain', resolve);
        this.response.once('close', resolve);
      });
    }
  }
}

/** One reply as Ollama streams it: a line for each piece, arguments as an object, the counts last. */
class OllamaReply extends Reply {
  type = 'application/x-ndjson';

  async text(text) {
    for (const piece of pieces(text)) await this.#line({ content: piece });
  }

  async thinking(text) {
    for (const piece of pieces(text)) await this.#line({ content: '', thinking: piece });
  }

  async toolCall(name, text) {
    await this.#line({
      content: '',
      tool_calls: [{ function: { name, arguments: JSON.parse(text) } }],
    });
  }

  refuse({ status, body, headers }) {
    sendJson(this.response, status, body ?? { error: `status ${status}` }, headers);
  }

  async end() {
    if (!this.isRaw) {
      const { prompt_tokens: prompt, completion_tokens: completion } = this.usage ?? {};
      await this.#write({
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: this.finish ?? 'stop',
        ...(prompt === undefined ? {} : { prompt_eval_count: prompt, eval_count: completion }),
      });
    }
    this.response.end();
  }

  async #line(message) {
    await this.#write({ message: { role: 'assistant', ...message }, done: false });
    if (this.pieceMs > 0) await sleep(this.pieceMs);
  }

  #write(fields) {
    const line = { model: this.request.model, created_at: '2026-01-01T00:00:00Z', ...fields };
    return this.write(`${JSON.stringify(line)}\n`);
  }
}

function pieces(text) {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / PIECE) }, (_, at) =>
    characters.slice(at * PIECE, (at + 1) * PIECE).join(''),
  );
}

function sendJson(response, status, value, headers = {}) {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

function sendError(response, status, message) {
  sendJson(response, status, { error: { message, type: 'invalid_request_error', code: status } });
}

async function serve() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      script: { type: 'string' },
      'api-key': { type: 'string', default: '' },
      'watch-stdin': { type: 'boolean', default: false },
    },
  });
  const server = await startScriptedModel({
    port: Number(values.port),
    ...(values.script === undefined
      ? {}
      : { script: JSON.parse(readFileSync(values.script, 'utf8')) }),
    apiKey: values['api-key'],
  });
  process.stdout.write(`READY ${server.url}\n`);
  const stop = () => void server.stop().then(() => process.exit(0));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (values['watch-stdin']) process.stdin.on('end', stop).resume();
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  serve().catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
