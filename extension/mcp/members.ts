/** Members of what a server answered, which may be anything. */

/** The members of a JSON object; none where it is something else. */
export function objectOf(json: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(JSON.parse(json));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Its own members; none where it is no object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
