/**
 * Values that a server was given and that are nobody's to read again: taken out of what it writes,
 * before that reaches a log, a message or a model. Known by the names of their variables; a value that
 * is short or common would be found in words that have nothing to do with it.
 */
import { LEAST_SECRET_CHARACTERS } from '../limits.ts';

/** Names that say that their value is secret. */
const SECRET =
  /(?:^|_)(?:token|pat|key|apikey|secret|pass|passwd|password|passphrase|pwd|auth|credentials?|cookie|session|dsn)(?:_|$)|(?:token|secret|password|apikey)$/iu;

/** True where an entry says itself who calls: nothing else is sent in its place. */
export function hasAuthorization(headers: readonly { readonly name: string }[]): boolean {
  return headers.some(({ name }) => name.toLowerCase() === 'authorization');
}

/** Names are written as `PRIVATE_KEY`, `private-key` and `privateKey`. */
function saysSecret(name: string): boolean {
  const plain = name.replaceAll(/[-.]/gu, '_');
  return SECRET.test(plain) || SECRET.test(plain.replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2'));
}

/** Is a header of this name one whose value is secret? */
export function isSecretHeader(name: string): boolean {
  return saysSecret(name) || /authorization/iu.test(name);
}

/** The secret values of this environment. */
export function secretsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => (saysSecret(name) ? [value] : []));
}

/** Gives `text` without these values, as far as they are long enough to be found in it. */
export function masked(text: string, values: Iterable<string>): string {
  return (
    [...values]
      .filter((value) => value.length >= LEAST_SECRET_CHARACTERS)
      // A value that holds another one goes first.
      .sort((a, b) => b.length - a.length)
      .reduce((rest, secret) => rest.replaceAll(secret, '••••'), text)
  );
}

/** Does the name of a variable, a flag or a parameter say that its value is secret? */
export function isSecretName(name: string): boolean {
  return saysSecret(name);
}

/** Gives `text` without the secret values of this environment. */
export function maskerOf(environment: Readonly<Record<string, string>>): (text: string) => string {
  const secrets = secretsOf(environment);
  return (text) => masked(text, secrets);
}
