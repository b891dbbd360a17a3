/**
 * What a command wrote for a terminal → the text that stands there at the end. Linear in its length:
 * an output may be one line of many megabytes.
 */

/** CSI, OSC and two-character sequences. */
const SEQUENCES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/gu;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/gu;

/** Without escape sequences; a line that was drawn over and over is what stood there last. */
export function terminalText(text: string): string {
  return text.replace(SEQUENCES, '').split('\n').map(lastDrawn).join('\n').replace(CONTROLS, '');
}

/** What stands behind the last return of a line; returns at its very end draw nothing over it. */
function lastDrawn(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end--;
  return line.slice(end === 0 ? 0 : line.lastIndexOf('\r', end - 1) + 1, end);
}
