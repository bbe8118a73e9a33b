/** The `code` of an error of the system, OpenSSL or a library, such as `ENOENT`; `undefined` when it has none. */
export function errorCodeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}
