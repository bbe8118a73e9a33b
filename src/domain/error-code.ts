/** The code that the system, OpenSSL or a library gave an error, such as `ENOENT`; `undefined` when it gave none. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}
