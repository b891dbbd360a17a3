/**
 * Values that a server was given and that are nobody's to read again: taken out of what it writes,
 * before that reaches a log, a message or a model. Known by the names of their variables; a value that
 * is short or common would be found in words that have nothing to do with it.
 */
import { LEAST_SECRET_CHARACTERS } from '../limits.ts';

/** Names that say that their value is secret. */
const SECRET =
  /(?:^|_)(?:token|pat|key|apikey|secret|pass|passwd|password|passphrase|pwd|auth|credentials?|cookie|session|dsn)(?:_|$)|(?:token|secret|password|apikey)$/iu;

/** Gives `text` without the secret values of this environment. */
export function maskerOf(environment: Readonly<Record<string, string>>): (text: string) => string {
  const secrets = Object.entries(environment)
    .filter(([name, value]) => SECRET.test(name) && value.length >= LEAST_SECRET_CHARACTERS)
    .map(([, value]) => value)
    // A value that holds another one goes first.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '••••'), text);
}
