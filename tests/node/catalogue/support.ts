/** A catalogue of skills in a temporary folder, the server's command, and a provider that counts. */
import { join } from 'node:path';
import { Catalogue, type CatalogueWarning } from '../../../extension/catalogue/catalogue.ts';
import { FolderProvider } from '../../../extension/catalogue/folder-provider.ts';
import type { SkillProvider } from '../../../extension/catalogue/provider.ts';
import { core } from '../skills/tree.ts';

export const serverMain = join(import.meta.dirname, '../../../extension/cli/skills-mcp.ts');
export const tsx = join(import.meta.dirname, '../../../node_modules/tsx/dist/loader.mjs');

/** How `gbs-skills-mcp` is started in tests. */
export function serverCommand(...args: readonly string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: ['--import', tsx, serverMain, ...args] };
}

/** The skill of seed 3. */
export const incident = `---
name: Incident Response
version: 1.2.0
description: Runbooks for on-call incident handling
tags: [ops, sre, on-call]
author: SRE Team
license: Apache-2.0
---

# Incident Response

Follow the runbook for your incident severity...
`;

export const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]);

/** Two skills that the tools serve; only the second keeps to SEP-2640. */
export const twoSkills = {
  'incident-response/SKILL.md': incident,
  'incident-response/references/checklist.md': '# Checklist\n',
  'incident-response/scripts/run.py': 'print("on call")\n',
  'incident-response/assets/logo.png': picture,
  'review-sql/SKILL.md':
    '---\nname: review-sql\ndescription: Check a migration before it runs.\ntags: [sql]\n---\n\nRead `references/rules.md`.\n',
  'review-sql/references/rules.md': '1. No table locks.\n',
  'review-sql/assets/deep/er.svg': '<svg/>\n',
  'review-sql/LICENSE.txt': 'MIT\n',
};

export interface Counted extends SkillProvider {
  /** Ids of SKILL.md that were read, in order. */
  readonly reads: string[];
  /** Everything else that was asked. */
  readonly asked: string[];
}

/** Counts what a provider is asked. */
export function counted(provider: SkillProvider): Counted {
  const reads: string[] = [];
  const asked: string[] = [];
  return {
    reads,
    asked,
    list: () => {
      asked.push('list');
      return provider.list();
    },
    stat: (id) => {
      asked.push(`stat ${id}`);
      return provider.stat(id);
    },
    read: (id, limit) => {
      reads.push(id);
      return provider.read(id, limit);
    },
    listSubdir: (id, folder) => {
      asked.push(`listSubdir ${id}/${folder}`);
      return provider.listSubdir(id, folder);
    },
    readSubfile: (id, folder, name, limit) => {
      asked.push(`readSubfile ${id}/${folder}/${name}`);
      return provider.readSubfile(id, folder, name, limit);
    },
  };
}

export interface Bench {
  readonly catalogue: Catalogue;
  readonly providers: readonly Counted[];
  readonly warnings: CatalogueWarning[];
  /** From now on what was seen counts as old. */
  later(): void;
}

/** A catalogue over folders, or providers, whose time stands still. */
export function catalogueOf(...places: readonly (string | SkillProvider)[]): Bench {
  const warnings: CatalogueWarning[] = [];
  const clock = { now: 0 };
  const providers = places.map((place) =>
    counted(typeof place === 'string' ? new FolderProvider(core, place) : place),
  );
  const catalogue = new Catalogue({
    core,
    providers,
    onWarning: (warning) => warnings.push(warning),
    now: () => clock.now,
  });
  return { catalogue, providers, warnings, later: () => (clock.now += 60_000) };
}
