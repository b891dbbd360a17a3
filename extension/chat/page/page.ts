/** Where the page starts: one view, one element; then the host is told that it may speak. */
import '@vscode/codicons/dist/codicon.css';
import './look/base.css';
import './look/transcript.css';
import './look/card.css';
import './look/form.css';
import './look/dock.css';
import './look/over.css';
import { ChatPart } from './chat.ts';
import { View, type Editor } from './view.ts';

declare function acquireVsCodeApi(): Editor;

/** One region speaks, politely; the same words twice are spoken twice. */
function speaker(): (text: string) => void {
  const region = document.createElement('div');
  region.className = 'sr';
  region.setAttribute('role', 'status');
  document.body.append(region);
  return (text) => {
    const line = document.createElement('p');
    line.textContent = text;
    region.replaceChildren(line);
  };
}

function start(): void {
  const view = new View(acquireVsCodeApi(), /Mac|iP/.test(navigator.platform), speaker());
  const chat = new ChatPart();
  chat.view = view;
  document.body.prepend(chat);
  window.addEventListener('error', (event) => {
    view.post({ type: 'problem', message: event.message });
  });
  window.addEventListener('unhandledrejection', (event) => {
    const { reason } = event as PromiseRejectionEvent & { reason: unknown };
    view.post({
      type: 'problem',
      message: reason instanceof Error ? reason.message : String(reason),
    });
  });
  view.post({ type: 'ready' });
}

start();
