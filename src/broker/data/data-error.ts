import { errorCodeOf } from '../../domain/error-code.ts';

/** The data folder cannot be used or written. `message` is a sentence for the operator. */
export class DataError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DataError';
  }
}

/** System error code, such as `ENOSPC`. */
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
  ENOTDIR: 'a part of the path is not a folder',
  EMFILE: 'too many files are open',
  EIO: 'the disk reports an error',
  EFBIG: 'it would become too large',
};

/** Describes a system error in words, or by its code. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error);
  return reasons[code] ?? code;
}

