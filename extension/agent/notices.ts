/** What the loop tells people beside the answer: the fact, its cause, what to do. */
import type { ModelError } from '../models/provider.ts';
import type { Notice, NoticeAction } from './events.ts';

function notice(
  code: string,
  severity: Notice['severity'],
  words: { readonly fact: string; readonly cause?: string; readonly remedy?: string },
  actions: Notice['actions'] = [],
  lasting = false,
): Notice {
  const { fact, cause = '', remedy = '' } = words;
  return { code, severity, fact, cause, remedy, lasting, actions };
}

const RETRY = { id: 'retry', label: 'Try again' } as const;
const CHOOSE = { id: 'chooseServer', label: 'Choose a server' } as const;
const SETTINGS = { id: 'openSettings', label: 'Open settings' } as const;
const LOG = { id: 'showLog', label: 'Show log' } as const;

export function modelFailed(error: ModelError): Notice {
  const actions: Record<ModelError['code'], readonly { id: NoticeAction; label: string }[]> = {
    unreachable: [RETRY, CHOOSE],
    broken: [RETRY, LOG],
    contextFull: [SETTINGS],
    unauthorized: [CHOOSE, SETTINGS],
    notFound: [CHOOSE],
    badRequest: [RETRY, LOG],
    overloaded: [RETRY],
    server: [RETRY, LOG],
    protocol: [RETRY, LOG],
  };
  return notice(
    `model-${error.code}`,
    'error',
    { fact: error.message, remedy: error.remedy },
    actions[error.code],
  );
}

export function unexpected(error: unknown): Notice {
  const message = error instanceof Error ? error.message : String(error);
  return notice(
    'unexpected',
    'error',
    { fact: `The turn ended: ${message}`, remedy: 'The log has the details.' },
    [RETRY, LOG],
  );
}

/** A turn that was open when its chat was kept for the last time. */
export function interrupted(): Notice {
  return notice(
    'interrupted',
    'warning',
    {
      fact: 'The editor ended while this turn ran.',
      cause: 'What it had done by then stays.',
    },
    [RETRY],
  );
}

export function noModel(host: string): Notice {
  return notice(
    'no-model',
    'error',
    { fact: `${host} offers no model.`, remedy: 'Load one there, or set gbsAgent.model.' },
    [CHOOSE, SETTINGS],
  );
}

export function hostRefused(host: string): Notice {
  return notice(
    'host-refused',
    'info',
    {
      fact: `Nothing was sent to ${host}.`,
      remedy: 'Choose another server, or send again and allow it.',
    },
    [CHOOSE],
  );
}

export function emptyAnswers(): Notice {
  return notice(
    'empty-answer',
    'error',
    {
      fact: 'The model gave no answer, several times.',
      cause: 'It wrote nothing, or calls that were cut off.',
      remedy: 'Ask again in other words, or choose another model.',
    },
    [RETRY, CHOOSE],
  );
}

export function answerCut(tokens: number): Notice {
  return notice(
    'answer-cut',
    'warning',
    {
      fact: `The answer was cut after about ${tokens.toLocaleString('en')} tokens.`,
      remedy: 'Ask it to go on, or raise gbsAgent.maxOutputTokens.',
    },
    [SETTINGS],
  );
}

export function promptCut(reported: number, estimated: number): Notice {
  return notice(
    'prompt-cut',
    'warning',
    {
      fact: 'The server cut your prompt.',
      cause: `It read ${reported.toLocaleString('en')} of about ${estimated.toLocaleString('en')} tokens, so the model did not see the start of this chat.`,
      remedy:
        'Load the model with a larger window (Ollama: OLLAMA_CONTEXT_LENGTH, llama.cpp: --ctx-size), or set gbsAgent.contextWindow to what it has.',
    },
    [SETTINGS],
    true,
  );
}

export function toolsRefused(names: readonly string[]): Notice {
  return notice(
    'tool-left-out',
    'warning',
    {
      fact: `Left out of this request: ${names.join(', ')}.`,
      cause: 'The server refused the input schema.',
    },
    [LOG],
  );
}

export function toolsAsText(model: string): Notice {
  return notice('tools-as-text', 'info', {
    fact: `${model} takes no tools, so it calls them in its text.`,
    cause: 'The server refused every one of them.',
  });
}

export function partsLeftOut(what: readonly string[]): Notice {
  return notice('prompt-left-out', 'info', {
    fact: `Left out for want of room: ${what.join(', ')}.`,
    cause: 'The context window of this model is small.',
    remedy: 'Load the model with a larger window.',
  });
}

export function shortened(what: 'results' | 'summary'): Notice {
  return notice('compacted', 'info', {
    fact:
      what === 'results'
        ? 'Old results were taken out of what the model sees.'
        : 'The older part of this chat was summed up for the model.',
    cause: 'The context window is nearly full.',
  });
}

export function contributorFailed(error: unknown): Notice {
  const message = error instanceof Error ? error.message : String(error);
  return notice(
    'contribution-failed',
    'warning',
    {
      fact: `Skills or servers could not be prepared: ${message}`,
      remedy: 'The turn goes on without them. The log has the details.',
    },
    [LOG],
  );
}

export function stepLimit(steps: number): Notice {
  return notice(
    'step-limit',
    'warning',
    {
      fact: `Stopped after ${steps} steps.`,
      remedy: 'Send a message to go on, or raise gbsAgent.maxSteps.',
    },
    [SETTINGS],
  );
}
