/** Which ids of skills and names of files are valid. Others are not there, and nothing is touched. */
import type { Core } from '../core.ts';
import { errorCode } from '../error-code.ts';

/**
 * One segment of a path that is not hidden: not empty, no `/`, `\`, `:` or NUL, neither `.` nor `..`,
 * and nothing that the core refuses in a path, such as the name of a device.
 */
export function isSegment(core: Pick<Core, 'resourcePath'>, name: string): boolean {
  if (name === '' || name.startsWith('.') || /[/\\:\0]/.test(name)) return false;
  try {
    return core.resourcePath(name) === name;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return false;
  }
}
