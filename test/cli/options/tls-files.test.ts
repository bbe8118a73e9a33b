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

describe('readTlsFiles', () => {
  it('gives what is in them', async () => {
    const read = await readTlsFiles({ ...nothing, ca: tlsFile('ca.pem'), cert: tlsFile('client.pem'), key: await key('client.key'), servername: 'broker.test' });
    expect(read).toEqual({ ca: certificate('ca'), cert: certificate('client'), key: privateKey('client'), servername: 'broker.test', isInsecure: false });
  });

  it('takes several authorities in one file, and a chain behind the own certificate', async () => {
    const authorities = await text('both.pem', `# ours\n${certificate('ca')}\n${certificate('other-ca')}`);
    const chain = await text('chain.pem', certificate('client') + certificate('ca'));
    expect(await readTlsFiles({ ...nothing, ca: authorities, cert: chain, key: await key('client.key') })).toMatchObject({ ca: expect.stringContaining(certificate('other-ca')) });
  });

  it('refuses a file that is not there, no file, or no certificate', async () => {
    expect(await refusal({ ca: path.join(folder, 'absent') })).toMatch(/^The --ca file ".*absent" cannot be opened \(ENOENT\)\.$/u);
    expect(await refusal({ ca: folder })).toMatch(/is not a plain file\.$/u);
    expect(await refusal({ ca: await text('words', 'hello') })).toContain('holds no certificate in PEM form');
    expect(await refusal({ ca: await text('broken', certificate('ca').replace('MII', 'MIJ')) })).toContain('has a certificate that cannot be read');
    expect(await refusal({ ca: await text('second-broken', certificate('ca') + certificate('ca').replace('MII', 'MIJ')) })).toContain('has a certificate that cannot be read');
    expect(await refusal({ ca: await text('huge', 'x'.repeat(2 ** 20 + 1)) })).toContain('is too large to hold certificates');
    expect(await refusal({ cert: await key('client.key'), key: await key('client.key') })).toMatch(/^The --cert file .* holds no certificate/u);
  });

  it('refuses a key that is none, is locked, or is of another certificate', async () => {
    const cert = tlsFile('client.pem');
    expect(await refusal({ cert, key: await text('not-a-key', 'hello') })).toContain('holds no private key in PEM form');
    expect(await refusal({ cert, key: await text('broken.key', privateKey('client').replace('MI', 'NI')) })).toContain('holds no private key in PEM form');
    expect(await refusal({ cert, key: await key('client-locked.key') })).toContain('locked with a passphrase, which is not supported; make one without');
    expect(await refusal({ cert, key: await key('server.key') })).toMatch(/^The key in ".*server\.key" does not fit the first certificate in ".*client\.pem"\.$/u);
  });

  it.each([0o604, 0o640, 0o666])('refuses a key with mode %o, and names the chmod', async (mode) => {
    const file = await key('client.key', mode);
    expect(await refusal({ cert: tlsFile('client.pem'), key: file })).toBe(`The --key file ${JSON.stringify(file)} can be read by others; run: chmod 600 ${JSON.stringify(file)}`);
  });

  it('refuses a key of another user', async () => {
    const file = await key('client.key');
    vi.spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + 1);
    expect(await refusal({ cert: tlsFile('client.pem'), key: file })).toContain('belongs to another user; use a copy of your own with chmod 600.');
  });
});
