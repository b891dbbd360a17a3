/** Every number of this room, with who counts it and what happens beyond it. */

/** Bytes of a SKILL.md; a larger one is unusable. */
export const SKILL_FILE_BYTES = 256 * 1024;
/** Files of a skill; one with more is unusable. */
export const SKILL_FILES = 512;
/** Bytes of all files of a skill; one with more is unusable. */
export const SKILL_BYTES = 16 * 1024 * 1024;
/** Folders inside a skill, and how deep they nest; beyond either it is unusable. */
export const SKILL_FOLDERS = 512;
export const SKILL_DEPTH = 16;
/** Skills that are used; the others are listed as over the limit. */
export const SKILLS_USED = 64;
/** Folders between a workspace folder and the open file in which skills are looked for. */
export const NESTED_LEVELS = 6;
/** Folders in which skills folders are looked for, in all; beyond it the rest is reported. */
export const FOLDERS_LOOKED_INTO = 2_000;
/** Paths in a package's `gbsSkills`; those after them are reported. */
export const PACKAGE_PATHS = 10;
/** Bytes of a package.json; a larger one counts as broken. */
export const PACKAGE_FILE_BYTES = 1024 * 1024;
/** Bytes of an instructions file; a larger one is not used. */
export const INSTRUCTIONS_BYTES = 256 * 1024;
/** Files that are read at the same time. */
export const READ_AT_ONCE = 16;
/** Bytes of a text of which a copy is kept, so that a later change can be shown. */
export const COPY_BYTES = 256 * 1024;
/** Edits that a diff may have; beyond it the old and the new text stand whole. */
export const DIFF_EDITS = 2_000;
/** Milliseconds without a change after which a burst of changes counts as over. */
export const SETTLE_MS = 250;
/** Milliseconds after which a burst that does not end is taken up all the same. */
export const SETTLE_AT_MOST_MS = 2_000;
/** Names given to a model that asked for a skill which is not there. */
export const SUGGESTIONS = 8;
