import { errorCodeOf } from '../../domain/error-code.ts';

/** The data folder is of no use, or could not be written. `message` is one sentence for the operator. */
export class DataError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DataError';
  }
}

/** The system's code of an error, such as `ENOSPC`. */
export function errorCode(error: unknown): string {
  return errorCodeOf(error) ?? 'unknown reason';
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'access is denied',
  EPERM: 'it is not permitted',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is no folder',
  EMFILE: 'too many files are open',
  EIO: 'the disk reports an error',
  EFBIG: 'it would become too large',
};

/** Why the system refused, in words where there are some. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error);
  return reasons[code] ?? code;
}

