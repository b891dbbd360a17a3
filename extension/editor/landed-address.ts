/** The parts of an address that an editor hands to an extension. */
export interface LandedUri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
}

/**
 * The address as the authorization server wrote it. An editor of the desktop has undone the escapes of
 * the whole query, so that each value gets its own again; a workbench in a browser hands the query over
 * as it writes forms, escapes and all. There no character stands bare that a form would escape, while
 * an answer of the desktop has at least the `:` and `/` of its issuer.
 */
export function landedAddress({ scheme, authority, path, query }: LandedUri): string {
  const address = new URL(`${scheme}://${authority}${path}`);
  const asForm = query.includes('%') && /^(?:[\w.*+=&-]|%[0-9a-f]{2})*$/iu.test(query);
  if (asForm) {
    for (const [name, value] of new URLSearchParams(query))
      address.searchParams.append(name, value);
    return address.href;
  }
  for (const pair of query.split('&')) {
    const [name = '', ...value] = pair.split('=');
    address.searchParams.append(name, value.join('='));
  }
  return address.href;
}
