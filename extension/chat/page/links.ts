/** Links of an answer go to the host: files open in the editor, the web in the browser, after its question. */
import type { View } from './view.ts';

export function followLink(event: MouseEvent, view: View): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const url = link?.getAttribute('href');
  if (url == null) return;
  event.preventDefault();
  event.stopPropagation();
  if (/^https?:/i.test(url)) view.post({ type: 'openLink', url });
  else {
    if (url.startsWith('#')) return;
    const [, path = url, line] = /^(.*?)(?:#L?|:)(\d+)$/.exec(url) ?? [];
    view.post({
      type: 'open',
      path: decoded(path),
      line: line === undefined ? null : Number(line),
    });
  }
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}
