import { Skills } from '../skills/skills.ts';
import type { CliParts } from './parts.ts';

/** The skills of the workspace, with the settings and the state of the command line. */
export function skillsOf(parts: CliParts): Skills {
  return new Skills({
    core: parts.core,
    settings: () => parts.settings(),
    state: parts.state,
    log: parts.log,
    platform: parts.platform,
    userHome: parts.userHome,
  });
}
