/**
 * What quick fixes are called, the core's and the shell's: so that translators find them, as the core
 * knows no language. A fix that is not here keeps its English title; a test holds that none is missing.
 */

/** `{0}` is a name that only the fix knows. */
export const fixTitles: readonly string[] = [
  'Add a description to fill in',
  'Add a header',
  'Add the colon',
  'Add the comma',
  "Add the folder's name",
  'Close the header with ---',
  'Close this bracket',
  'Correct the name',
  'Correct the name of the field',
  "Describe it by the text's first sentence",
  'Indent like the lines beside it',
  'Indent this line',
  'Indent with spaces',
  'Make it a comment',
  'Move the end of the text to {0}',
  'Move what is too long into the text below',
  'Put this value in quotes',
  'Read it as Windows-1252 and save as UTF-8',
  'Remove it',
  'Remove the anchor',
  'Remove the blanks of this line',
  'Remove the comma',
  'Remove the globs that are not understood',
  'Remove this key',
  'Remove what stands before the header',
  'Rename the file to SKILL.md',
  "Rename the folder to the skill's name",
  'Save as UTF-8',
  'Use - for this item',
  'Use a blank',
  'Use double quotes',
  "Use the folder's name",
  'Write --- on the first line',
  'Write a colon and a blank',
  'Write false',
  'Write it as one text',
  'Write it on one line',
  'Write the backslash twice',
  'Write the keys as a list',
  'Write the values as a list',
  'Write this field as it was read',
  'Write true',
  'Write two backslashes',
];

/** The title as it is translated, and the name in it, where it has one. */
export function titleParts(title: string): readonly [string, ...string[]] {
  if (fixTitles.includes(title)) return [title];
  for (const known of fixTitles) {
    const [start = '', end] = known.split('{0}');
    if (end === undefined || !title.startsWith(start) || !title.endsWith(end)) continue;
    return [known, title.slice(start.length, title.length - end.length)];
  }
  return [title];
}
