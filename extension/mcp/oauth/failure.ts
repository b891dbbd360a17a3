/** Why somebody could not be signed in to a server. */

export type SignInCode =
  /** The server names no authorization server. */
  | 'not-offered'
  /** An address that is neither https nor on this machine, or malformed. */
  | 'unsafe-address'
  /** A public server that leads into a private network or to this machine. */
  | 'private-address'
  | 'unreachable'
  | 'too-slow'
  | 'too-large'
  /** A redirect where none is followed, or too many. */
  | 'redirected'
  /** A document that is not what it must be. */
  | 'broken-metadata'
  /** Metadata about another resource than this server. */
  | 'wrong-resource'
  /** Metadata, or an answer in the browser, of another issuer than the one that was asked. */
  | 'wrong-issuer'
  /** The authorization server does not say that it knows PKCE with S256. */
  | 'no-pkce'
  /** It lets nobody register, and no client id is known for it. */
  | 'needs-client'
  | 'registration-refused'
  /** The answer in the browser is not one to our question. */
  | 'wrong-answer'
  /** The authorization server or the user said no in the browser. */
  | 'refused'
  /** It gave no token. */
  | 'no-token'
  /** The user did not want to go there. */
  | 'declined'
  /** Nobody came back from the browser. */
  | 'no-answer';

export class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
  constructor(
    readonly code: SignInCode,
    /** The fact and its cause. */
    message: string,
    /** What to do; empty where nothing helps. */
    readonly remedy = '',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
