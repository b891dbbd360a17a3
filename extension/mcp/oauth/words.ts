/** A foreign server's own words in a message of ours. */
import { SERVER_WORDS_CHARACTERS } from '../../limits.ts';

/** ` (invalid_request: …)`, or nothing: what an answer says of its error, short and in one line. */
export function serverWords(answer: Readonly<Record<string, unknown>>): string {
  const { error, error_description: description } = answer;
  const said = [error, description]
    .filter((each): each is string => typeof each === 'string' && each !== '')
    .join(': ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (said === '') return '';
  const short =
    said.length > SERVER_WORDS_CHARACTERS ? `${said.slice(0, SERVER_WORDS_CHARACTERS)}…` : said;
  return ` (it says ${JSON.stringify(short)})`;
}
