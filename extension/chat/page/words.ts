/**
 * Every word the page shows that is ours, in English. The host may hand over translations by key;
 * `{0}`, `{1}` are filled in. Text of others never passes through here but as such a filling.
 */
export const english = {
  // Names for those who hear the page.
  conversation: 'Conversation',
  message: 'Message',
  yourMessage: 'Your message',
  answer: 'Answer',
  plan: 'Plan',
  queue: 'Waiting messages',
  // Composer.
  askHint: 'Ask, or type / for skills and @ for files',
  addHint: 'Add to this turn',
  noModelHint: 'Choose a model to start',
  noFolderHint: 'Open a folder to start',
  send: 'Send',
  queueThis: 'Queue this message',
  mode: 'Permission mode',
  modeIs: 'Permission mode: {0}',
  model: 'Model',
  modelIs: 'Model: {0}',
  noModel: 'No model',
  modeAsk: 'Ask first',
  modeAskMeans: 'Asks before every edit, command and call.',
  modeAcceptEdits: 'Auto-edit',
  modeAcceptEditsMeans: 'Edits files. Asks before commands and MCP calls.',
  modeAuto: 'Full auto',
  modeAutoMeans: 'Asks only for protected files, new servers and changed tools.',
  thisComputerOnly: 'This computer only',
  autoWarning: 'Commands and MCP calls run without asking.',
  anotherServer: 'Another server…',
  noModels: 'No models found',
  slashMenu: 'Skills and commands',
  atMenu: 'Files',
  useKey: '{0} use',
  completeKey: 'Tab complete',
  closeKey: 'Esc close',
  // Chips and their lists.
  skillOne: '{0} skill',
  skillMany: '{0} skills',
  serverOne: '{0} server',
  serverMany: '{0} servers',
  waitsOne: '{0} waits',
  waitsMany: '{0} wait',
  skills: 'Skills',
  servers: 'Servers',
  noSkills: 'No skills. A skill is a folder with a SKILL.md in .gbs/skills.',
  noServers: 'No servers. Servers are written in .mcp.json or your settings.',
  skillWaits: 'waits for you',
  skillHidden: 'hidden',
  skillUnusable: 'unusable',
  serverStopped: 'stopped',
  serverStarting: 'starting',
  serverRunning: 'running',
  serverFailed: 'failed',
  serverWaits: 'waits for you',
  serverOff: 'turned off',
  withheldOne: '{0} tool waits',
  withheldMany: '{0} tools wait',
  toolOne: '{0} tool',
  toolMany: '{0} tools',
  showSkills: 'Show in the Skills view',
  showServers: 'Show in the Servers view',
  openSkill: 'Open',
  review: 'Review',
  start: 'Start',
  stopServer: 'Stop',
  restart: 'Restart',
  log: 'Show log',
  actionFor: '{0} {1}',
  // Context.
  context: 'Context',
  noWindow: 'no window yet',
  ofWindow: '{0} of {1}',
  tokensOf: '{0} of {1} tokens',
  costSystem: 'System prompt',
  costSkills: 'Skills',
  costTools: 'Tools',
  costHistory: 'History',
  costMessage: 'Your message',
  countedByServer: 'The server counted {0} tokens in the last prompt.',
  countedByUs: 'Estimated; the server has not counted yet.',
  // Phase.
  preparing: 'Preparing',
  startingServers: 'Starting',
  waitingForModel: 'Reading the prompt',
  thinking: 'Thinking',
  writing: 'Writing',
  runningToolOne: 'Running {0} tool',
  runningToolMany: 'Running {0} tools',
  retrying: 'Trying again in {0} s',
  waitsForYou: 'Waits for you:',
  seconds: '{0} s',
  minutes: '{0} m {1} s',
  rate: '{0} tok/s',
  stop: 'Stop',
  show: 'Show',
  toEnd: 'Go to the end',
  aCall: 'a call',
  anEdit: 'an edit',
  aCommand: 'a command',
  aRead: 'a read',
  aServer: 'a server',
  aSkill: 'a skill',
  aDrift: 'a changed tool',
  aHost: 'a model server',
  aRepeat: 'a repeated call',
  aForm: 'your answers',
  anAddress: 'an address',
  questions: '{0} questions',
  // Plan and queue.
  planDone: 'done',
  planDoing: 'now',
  planOpen: 'open',
  progressOf: '{0} of {1}',
  editQueued: 'Edit queued message',
  removeQueued: 'Remove queued message',
  // Messages.
  editResend: 'Edit and resend',
  copy: 'Copy',
  copied: 'Copied',
  copyAnswer: 'Copy answer',
  answerAgain: 'Answer again',
  goBack: 'Go back to before this message',
  // Chats.
  chats: 'Chats',
  newChat: 'New chat',
  closeChats: 'Close the list of chats',
  searchChats: 'Search chats',
  noChats: 'No chats in this workspace yet. What you send is kept here.',
  noChatHas: 'No chat has “{0}”.',
  untitled: 'No title',
  openNow: 'open',
  onlyDraft: 'not sent yet',
  justNow: 'just now',
  messageOne: '{0} message',
  messageMany: '{0} messages',
  renameChat: 'Rename',
  deleteChat: 'Delete',
  deleteThis: 'Delete this chat?',
  deleteThisWhy: 'It cannot be brought back. Files stay as they are.',
  keepChat: 'Keep it',
  brokenChatOne: '{0} chat cannot be read',
  brokenChatMany: '{0} chats cannot be read',
  brokenChatWhy: 'The files stay as they are.',
  // Going back.
  goBackThis: 'Go back to before this message?',
  sendAgainThis: 'Send this again?',
  laterOne: '{0} later message leaves this chat.',
  laterMany: '{0} later messages leave this chat.',
  staysInChats: 'The chat as it is now stays in Chats.',
  noFilesChanged: 'No file was changed since.',
  goBackNow: 'Go back',
  goBackOne: 'Put {0} file back and go back',
  goBackMany: 'Put {0} files back and go back',
  goBackKeep: 'Go back, keep the files',
  sendNow: 'Send again',
  sendOne: 'Put {0} file back and send',
  sendMany: 'Put {0} files back and send',
  sendKeep: 'Send, keep the files',
  cancel: 'Cancel',
  // Find.
  find: 'Find in this chat',
  found: '{0} of {1}',
  foundNone: 'No results',
  findNext: 'Next result',
  findBefore: 'Result before',
  closeFind: 'Close find',
  // Images.
  attach: 'Attach an image',
  removeImage: 'Remove image {0}',
  imageNumber: 'Image {0}',
  noImages: '{0} takes no images. Remove them, or choose another model.',
  imageTooLarge: 'An image of more than {0} MB was left out.',
  imageTooMany: 'A message takes {0} images.',
  imageUnreadable: 'An image could not be read: {0}.',
  // Lines.
  thoughtFor: 'Thought for {0}',
  thought: 'Thought',
  lookedAt: 'Looked at {0} files and folders',
  readOne: 'Read {0} file',
  readMany: 'Read {0} files',
  searchedOnce: 'searched once',
  searchedTwice: 'searched twice',
  searchedTimes: 'searched {0} times',
  nowThought: 'Thinking',
  nowSkill: 'Loading',
  nowRead: 'Reading',
  nowSearch: 'Searching',
  nowEdit: 'Editing',
  nowCommand: 'Running',
  nowServer: 'Calling',
  nowTask: 'Working on',
  nowPlan: 'Planning',
  notThought: 'Denied:',
  notSkill: 'Not loaded:',
  notRead: 'Not read:',
  notSearch: 'Not searched:',
  notEdit: 'Not changed:',
  notCommand: 'Not run:',
  notServer: 'Not called:',
  notTask: 'Not started:',
  notPlan: 'Not planned:',
  denied: 'denied',
  stopped: 'stopped',
  failed: 'failed',
  running: 'running',
  showAllLines: 'Show all {0} lines',
  showLess: 'Show less',
  readingOutput: 'Reading the output',
  outputGone: 'The output is no longer kept.',
  noOutput: 'No output.',
  // Code.
  copyCode: 'Copy code',
  insertCode: 'Insert at the cursor',
  wrapCode: 'Wrap lines',
  imageText: 'Image: {0}',
  // Cards.
  reveal: 'Reveal',
  hide: 'Hide',
  copyThis: 'Copy {0}',
  editable: '{0}, editable',
  theText: 'the text',
  editThis: 'Edit {0}',
  youChanged: 'You changed this.',
  reset: 'Reset',
  notJson: 'This is not JSON yet, so it cannot be sent.',
  hiddenWhileEditing: 'Hidden characters are not marked while you edit.',
  openDiff: 'Open in the diff editor',
  tellWhy: 'Tell the model why (optional)',
  denyWithReason: 'Deny with this reason',
  denyWithout: 'Deny',
  back: 'Back',
  unchangedOne: '{0} unchanged line',
  unchangedMany: '{0} unchanged lines',
  added: 'added',
  removed: 'removed',
  allowed: 'Allowed',
  allowedSession: 'Allowed for this session',
  allowedKeptForUser: 'Allowed and kept for you',
  allowedKeptInProject: 'Allowed and kept in the project',
  deniedByYou: 'Denied',
  notNow: 'Not now',
  reasonGiven: 'You said: {0}',
  flag: 'Look at this:',
  // Hidden characters.
  hiddenDirection: 'text direction',
  hiddenZeroWidth: 'zero-width',
  hiddenSoftHyphen: 'soft hyphen',
  hiddenControl: 'control',
  hiddenTag: 'tag',
  hiddenVariation: 'variation selector',
  hiddenFiller: 'blank filler',
  hiddenSeparator: 'line separator',
  hiddenReturn: 'carriage return',
  hiddenOther: 'invisible',
  hiddenMarked: 'Hidden: {0}',
  // Ends of a turn.
  changesOne: '{0} file changed',
  changesMany: '{0} files changed',
  changesOfTurn: 'Changes of this turn',
  changedBy: 'changed by {0}',
  undoTurn: 'Undo turn',
  undoThis: 'Undo this turn?',
  undoNothing: 'There is nothing to put back.',
  putBackOne: '{0} file goes back to before your message.',
  putBackMany: '{0} files go back to before your message.',
  removeOne: '{0} new file is removed; a copy is kept.',
  removeMany: '{0} new files are removed; copies are kept.',
  keepOne: '{0} file stays as you left it.',
  keepMany: '{0} files stay as you left them.',
  undoOne: 'Undo {0} file',
  undoMany: 'Undo {0} files',
  keepThem: 'Keep them',
  putBack: 'put back',
  removedFile: 'new file, removed',
  keptFile: 'kept, you changed it since',
  stepOne: '{0} step',
  stepMany: '{0} steps',
  stoppedByYou: 'Stopped by you',
  stepLimit: 'Stopped after {0} steps',
  stepLimitWhy: 'That is the limit of one turn. What was done so far stays.',
  goOn: 'Go on',
  goOnText: 'Go on.',
  // Notices.
  dismiss: 'Dismiss',
  brokenMessage: 'A message could not be drawn',
  brokenMessageWhy: 'This is what came:',
  // Forms.
  mayStayEmpty: 'may stay empty',
  chooseOne: 'Choose…',
  wantsEmail: 'An e-mail address.',
  wantsUri: 'A whole address, such as https://example.org/',
  wantsMoment: 'A date and a time with its zone, such as 2026-12-01T14:30:00Z',
  wantsWhole: 'A whole number.',
  charactersOfBoth: 'Length {0} to {1}.',
  charactersOfMin: 'Length {0} or more.',
  charactersOfMax: 'Length {0} or less.',
  numberOfBoth: '{0} to {1}.',
  numberOfMin: '{0} or more.',
  numberOfMax: '{0} or less.',
  choicesOfBoth: '{0} to {1} of them.',
  choicesOfMin: '{0} of them or more.',
  choicesOfMax: '{0} of them or fewer.',
  lookAgainOne: '{0} answer needs another look.',
  lookAgainMany: '{0} answers need another look.',
  answeredForm: 'Answered',
  openedAddress: 'Opened',
  declined: 'Declined',
  dismissed: 'Dismissed',
  // First run.
  looking: 'Looking for a model server',
  lookingWhere: 'On this computer, at the usual ports.',
  ready: 'Ready',
  readyLocal: 'The model runs on this computer. Prompts go nowhere else.',
  readyThere: 'The model runs on the machine that this window works on. Prompts go nowhere else.',
  readyRemote: 'The model runs on {0}. Prompts go there.',
  readyEditor: 'Another extension brings the model to {0} and decides where prompts go.',
  noModelYet: 'No model chosen',
  serverAt: '{0} on {1}',
  window: '{0} window',
  change: 'Change',
  skillsFrom: '{0} of this project, {1} of yours',
  skillsFromPackages: '{0} of this project, {1} of yours, {2} from packages',
  serverWaitsOne: '{0} server waits for you',
  serverWaitsMany: '{0} servers wait for you',
  skillWaitsOne: '{0} skill waits for you',
  skillWaitsMany: '{0} skills wait for you',
  reviewWhy: 'Nothing of it runs or is read before you allow it.',
  startWith: 'Start with',
  tryExplain: 'Explain what {0} does',
  tryExplainWhy: 'The file you have open',
  tryProject: 'Explain how this project is laid out',
  tryProjectWhy: 'Reads files, changes nothing',
  tryTest: 'Find the failing test and fix it',
  tryTestWhy: 'Runs your tests, asks first',
  tryTestAutoWhy: 'Runs your tests',
  trySkill: 'Turn our release steps into a skill',
  trySkillWhy: 'Writes .gbs/skills/release/SKILL.md',
  noServerFound: 'No model server found',
  lookedIn: 'Looked at {0}.',
  lookAgain: 'Look again',
  wayStartOllama: 'Ollama',
  wayStartOllamaWhy: 'Not running. Start runs',
  wayGetOllama: 'Ollama',
  wayGetOllamaWhy: 'Not installed here. A small model needs 3 GB.',
  wayGetOllamaDo: 'Get it',
  wayLmStudio: 'LM Studio',
  wayLmStudioWhy: 'Open it, then turn on Developer › Local server.',
  wayLmStudioDo: 'Show how',
  wayAddress: 'Another address',
  wayAddressWhy: 'Any server with an OpenAI-style API',
  wayAddressDo: 'Enter…',
  wayRemoteDo: 'Reach your computer’s server',
  inContainer: 'You work in a container: localhost is the container’s.',
  inWsl: 'You work in WSL: localhost is the Linux side’s.',
  inSsh: 'You work over SSH: localhost is the other machine’s.',
  inOther: 'You work on another machine: localhost is that machine’s.',
  notTrusted: 'This folder is not trusted',
  notTrustedWhy: 'Its skills, servers and instructions are not used.',
  manageTrust: 'Manage',
  // Spoken.
  saidWaits: 'Waits for you: {0}',
  saidDone: 'Answer finished',
  saidStopped: 'Stopped',
  saidMode: 'Permission mode: {0}',
} as const;

export type Word = keyof typeof english;

export class Words {
  readonly #own: Readonly<Record<string, string>>;

  constructor(translated: Readonly<Record<string, string>> = {}) {
    this.#own = translated;
  }

  say(word: Word, ...fillings: readonly (string | number)[]): string {
    const text = this.#own[word] ?? english[word];
    return text.replace(/\{(\d)\}/g, (_, index: string) => String(fillings[Number(index)] ?? ''));
  }

  /** The word for one, or for any other number; `{0}` is the number. */
  count(number: number, one: Word, many: Word): string {
    return this.say(number === 1 ? one : many, number.toLocaleString('en'));
  }

  /** What lies between two bounds; empty where there is none. */
  bounds(
    min: string | number | null,
    max: string | number | null,
    of: 'charactersOf' | 'numberOf' | 'choicesOf',
  ): string {
    if (min !== null && max !== null) return this.say(`${of}Both`, min, max);
    if (min !== null) return this.say(`${of}Min`, min);
    return max === null ? '' : this.say(`${of}Max`, max);
  }

  /** "12 s", "1 m 12 s". */
  duration(seconds: number): string {
    const whole = Math.max(0, Math.round(seconds));
    return whole < 60
      ? this.say('seconds', whole)
      : this.say('minutes', Math.floor(whole / 60), whole % 60);
  }
}

/** 950, 2.1k, 32k: tokens where room is short. A window of 32,768 is known as 32k. */
export function shortTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  if (tokens % 1024 === 0) return `${tokens / 1024}k`;
  return tokens < 100_000
    ? `${(tokens / 1000).toFixed(1).replace(/\.0$/, '')}k`
    : `${Math.round(tokens / 1000)}k`;
}

const units = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
] as const;

/** "5 minutes ago", "yesterday", and a date for what is older than a week; both in milliseconds. */
export function ago(
  then: number,
  now: number,
  { say, language }: { readonly say: (word: Word) => string; readonly language: string },
): string {
  const seconds = Math.max(0, (now - then) / 1000);
  if (seconds < 60) return say('justNow');
  if (seconds >= 7 * 86_400) {
    return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(then);
  }
  const [unit, size] = units.findLast(([, each]) => seconds >= each) ?? (['minute', 60] as const);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  return format.format(-Math.floor(seconds / size), unit);
}
