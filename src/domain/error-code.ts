export function errorCodeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

const systemReasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EADDRINUSE', 'already in use'],
  ['EADDRNOTAVAIL', 'not an address of this machine'],
  ['EAI_AGAIN', 'DNS lookup failed'],
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EDQUOT', 'disk quota exceeded'],
  ['EFBIG', 'file too large'],
  ['EHOSTUNREACH', 'no route to host'],
  ['EIO', 'I/O error'],
  ['EISDIR', 'is a folder'],
  ['EMFILE', 'too many open files'],
  ['ENETUNREACH', 'network unreachable'],
  ['ENOENT', 'no such file or folder'],
  ['ENOSPC', 'disk full'],
  ['ENOTDIR', 'part of the path is not a folder'],
  ['ENOTFOUND', 'unknown host'],
  ['EPERM', 'operation not permitted'],
  ['EPIPE', 'connection closed'],
  ['EROFS', 'read-only file system'],
  ['ETIMEDOUT', 'connection timed out'],
]);

/** Words for a system error code; other text stays as it is. */
export const reasonText = (code: string): string => systemReasons.get(code) ?? code;
