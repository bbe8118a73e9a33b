import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../../src/cli/errors.ts';
import type { TlsConfig } from '../../../src/cli/options/config.ts';
import { readTlsFiles } from '../../../src/cli/options/tls.ts';
import { certificate, privateKey, tlsFile } from '../../support/tls-front.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'brokertop-tls-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

const nothing: TlsConfig = { ca: undefined, cert: undefined, key: undefined, servername: undefined, isInsecure: false };

/** A copy of a key with the mode that keys have; the repository cannot keep it. */
async function key(name: string, mode = 0o600): Promise<string> {
  const file = path.join(folder, `${mode.toString(8)}-${name}`);
  await copyFile(tlsFile(name), file);
  await chmod(file, mode);
  return file;
}

async function text(name: string, content: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, content, { mode: 0o600 });
  return file;
}

async function refusal(config: Partial<TlsConfig>): Promise<string> {
  const error: unknown = await readTlsFiles({ ...nothing, ...config }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  // Whatever is wrong with a key, nothing of it is repeated.
  for (const line of `${privateKey('client')}${privateKey('server')}`.split('\n').filter((each) => each.length > 30)) {
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(line);
  }
  return error instanceof Error ? error.message : '';
}

const sourceOf = (flag: string, file: string): string => `The --${flag} file "${file}"`;

describe('readTlsFiles', () => {
  it('returns their content', async () => {
    const read = await readTlsFiles({
      ...nothing,
      ca: tlsFile('ca.pem'),
      cert: tlsFile('client.pem'),
      key: await key('client.key'),
      servername: 'broker.test',
    });
    expect(read).toEqual({
      ca: certificate('ca'),
      cert: certificate('client'),
      key: privateKey('client'),
      servername: 'broker.test',
      isInsecure: false,
    });
  });

  it('accepts several CA certificates in one file, and a certificate chain', async () => {
    const authorities = await text('both.pem', `# ours\n${certificate('ca')}\n${certificate('other-ca')}`);
    const chain = await text('chain.pem', certificate('client') + certificate('ca'));
    expect(
      await readTlsFiles({ ...nothing, ca: authorities, cert: chain, key: await key('client.key') }),
    ).toMatchObject({ ca: expect.stringContaining(certificate('other-ca')) });
  });

  it('rejects a missing file, a folder, and a file without a certificate', async () => {
    const absent = path.join(folder, 'absent');
    expect(await refusal({ ca: absent })).toBe(`${sourceOf('ca', absent)} cannot be opened (no such file or folder).`);
    expect(await refusal({ ca: folder })).toBe(`${sourceOf('ca', folder)} is not a regular file.`);
    for (const [name, content, textOf] of [
      ['words', 'hello', (source: string) => `${source} contains no PEM certificate (-----BEGIN CERTIFICATE-----).`],
      [
        'broken',
        certificate('ca').replace('MII', 'MIJ'),
        (source: string) => `${source} contains an invalid certificate.`,
      ],
      [
        'second-broken',
        certificate('ca') + certificate('ca').replace('MII', 'MIJ'),
        (source: string) => `${source} contains an invalid certificate.`,
      ],
      ['huge', 'x'.repeat(2 ** 20 + 1), (source: string) => `${source} is too large for certificates.`],
    ] as const) {
      const ca = await text(name, content);
      expect(await refusal({ ca })).toBe(textOf(sourceOf('ca', ca)));
    }
    const cert = await key('client.key');
    expect(await refusal({ cert, key: cert })).toBe(
      `${sourceOf('cert', cert)} contains no PEM certificate (-----BEGIN CERTIFICATE-----).`,
    );
  });

  it('rejects an invalid key, one with a passphrase, and one of another certificate', async () => {
    const cert = tlsFile('client.pem');
    for (const [file, textOf] of [
      [
        await text('not-a-key', 'hello'),
        (source: string) => `${source} contains no PEM private key (-----BEGIN PRIVATE KEY-----).`,
      ],
      [
        await text('broken.key', privateKey('client').replace('MI', 'NI')),
        (source: string) => `${source} contains no PEM private key (-----BEGIN PRIVATE KEY-----).`,
      ],
      [
        await key('client-locked.key'),
        (source: string) =>
          `${source} has a passphrase, which is not supported. Remove it: (umask 077; openssl pkey -in FILE -out NEW).`,
      ],
    ] as const)
      expect(await refusal({ cert, key: file })).toBe(textOf(sourceOf('key', file)));
    const other = await key('server.key');
    expect(await refusal({ cert, key: other })).toBe(
      `The key in "${other}" does not match the first certificate in "${cert}".`,
    );
  });

  it.each([0o604, 0o640, 0o666])('rejects a key with mode %o, and names the chmod', async (mode) => {
    const file = await key('client.key', mode);
    expect(await refusal({ cert: tlsFile('client.pem'), key: file })).toBe(
      `${sourceOf('key', file)} is accessible to other users. Run: chmod 600 "${file}"`,
    );
  });

  it('rejects a key of another user', async () => {
    const file = await key('client.key');
    vi.spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + 1);
    expect(await refusal({ cert: tlsFile('client.pem'), key: file })).toBe(
      `${sourceOf('key', file)} belongs to another user. Use your own copy with mode 600.`,
    );
  });
});
