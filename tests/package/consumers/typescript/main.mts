import { createCore, type Core, type CoreOptions, type ParsedSkill } from 'gbs-agent-core';
import { use } from './use.mjs';

const options: CoreOptions = { onTrap: (error: Error) => console.error(error.message) };
const core: Core = createCore(options);
const skill: ParsedSkill = core.parseSkill(new Uint8Array(), 'a');
const name: string | null = skill.name;
// @ts-expect-error A door is called with what it asks for.
const call = (): string => core.toolName(1, name);
console.log(await use(core), typeof call);
