/**
 * The marks by which model servers tell turns apart, such as `<|im_start|>`. Servers read them in
 * any text, so a file that holds one could pose as the user. In results they are shown with a
 * backslash; an edit that quotes such a result finds the file's own text again.
 */

const MARKS = /<(?=\|[A-Za-z0-9_ -]{1,40}\|>|｜[^｜>\n]{1,40}｜>|(?:start|end)_of_turn>)/gu;
const SHOWN = /<\\(?=\|[A-Za-z0-9_ -]{1,40}\|>|｜[^｜>\n]{1,40}｜>|(?:start|end)_of_turn>)/gu;

export function withoutMarks(text: string): string {
  return text.replace(MARKS, '<\\');
}

export function restoreMarks(text: string): string {
  return text.replace(SHOWN, '<');
}
