/** What an editor offers to authors of configuration files, in one piece that is loaded when needed. */
export { variableAt, variablesAt } from './config-hints.ts';
export { configFixes } from './config-fixes.ts';
