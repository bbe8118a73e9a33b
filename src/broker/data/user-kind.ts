import { Fields } from './fields.ts';
import type { RecordKind } from './record-kind.ts';
import type { UserState } from '../management/users.ts';

/** Administrators. Version 2 is scrypt with N = 2^14, r = 8, p = 1 of the password's SHA-512; version 1 was of the password. */
export const userKind: RecordKind<UserState> = {
  name: 'users',
  version: 2,
  keyOf: ({ username }) => username,
  encode: ({ username, tags, salt, hash }) => ({ username, tags, salt: salt.toString('base64'), hash: hash.toString('base64') }),
  decode: (value) => {
    const fields = new Fields(value);
    return {
      username: fields.text('username'),
      tags: fields.text('tags'),
      salt: fields.bytes('salt', 16),
      hash: fields.bytes('hash', 32),
    };
  },
};
