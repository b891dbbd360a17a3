/** Starting a skill: its folder, a SKILL.md that is valid at once, and the three folders of the format. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Core } from '../core.ts';

/** The name cannot be used, or is taken. */
export class NewSkillRefusal extends Error {
  override readonly name = 'NewSkillRefusal';
}

/** Writes the skill below `skillsFolder` and gives the path of its SKILL.md. */
export async function writeNewSkill(
  core: Pick<Core, 'parseSkill'>,
  skillsFolder: string,
  name: string,
  description: string,
): Promise<string> {
  const text = skillTemplate(name, description);
  const { usable, problems } = core.parseSkill(new TextEncoder().encode(text), name);
  if (!usable) {
    const wrong = problems.find(({ severity }) => severity === 'error');
    // That a skill cannot be used is said of one that is there.
    const why = wrong?.message.replace(/ This skill cannot be used\.$/, '') ?? '';
    throw new NewSkillRefusal(
      `${JSON.stringify(name)} cannot be the name of a skill.${why === '' ? '' : ` ${why}`}`,
    );
  }
  const folder = join(skillsFolder, name);
  await mkdir(skillsFolder, { recursive: true });
  try {
    await mkdir(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new NewSkillRefusal(`${folder} is already there. Choose another name.`);
  }
  for (const inside of ['references', 'scripts', 'assets']) await mkdir(join(folder, inside));
  const file = join(folder, 'SKILL.md');
  await writeFile(file, text, { flag: 'wx' });
  return file;
}

/** A SKILL.md to begin with. Quoted as JSON, any description is one line of YAML. */
export function skillTemplate(name: string, description: string): string {
  const title = name.replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase());
  return `---
name: ${name}
description: ${JSON.stringify(description.replaceAll(/\s+/g, ' ').trim())}
---

# ${title}

1. First step.
2. Next step. For details see \`references/\`; tell which file to read when.
`;
}
