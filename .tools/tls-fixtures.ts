/**
 * Regenerates the certificates and keys in test/fixtures/tls with `openssl`.
 *
 *   node .tools/tls-fixtures.ts
 *
 * They are kept in the repository because a machine that runs the tests need not have `openssl`. None is
 * used for anything else. They last until 2125, except those that are not valid now on purpose.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const out = path.join(import.meta.dirname, '..', 'test', 'fixtures', 'tls');
const work = mkdtempSync(path.join(tmpdir(), 'tls-fixtures-'));

const long = { from: '20250101000000Z', to: '21250101000000Z' };
const past = { from: '20200101000000Z', to: '20210101000000Z' };
const future = { from: '21200101000000Z', to: '21250101000000Z' };
const serverNames = 'subjectAltName=DNS:broker.test,IP:127.0.0.1,IP:::1\nextendedKeyUsage=serverAuth';
const forClients = 'extendedKeyUsage=clientAuth';
const forAuthorities = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign';

interface Certificate {
  readonly name: string;
  /** The issuer; self-signed when absent. */
  readonly issuer?: string;
  readonly extensions: string;
  readonly validity: { readonly from: string; readonly to: string };
}

const certificates: readonly Certificate[] = [
  { name: 'ca', extensions: forAuthorities, validity: long },
  { name: 'other-ca', extensions: forAuthorities, validity: long },
  { name: 'server', issuer: 'ca', extensions: serverNames, validity: long },
  { name: 'expired', issuer: 'ca', extensions: serverNames, validity: past },
  { name: 'not-yet', issuer: 'ca', extensions: serverNames, validity: future },
  { name: 'self-signed', extensions: serverNames, validity: long },
  { name: 'client', issuer: 'ca', extensions: forClients, validity: long },
  { name: 'stranger', issuer: 'other-ca', extensions: forClients, validity: long },
  { name: 'other-authority', issuer: 'other-ca', extensions: serverNames, validity: long },
  {
    name: 'other-name',
    issuer: 'ca',
    extensions: 'subjectAltName=DNS:elsewhere.test\nextendedKeyUsage=serverAuth',
    validity: long,
  },
];

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { cwd: work, stdio: ['ignore', 'ignore', 'pipe'] });
}

function make({ name, issuer = name, extensions, validity }: Certificate): void {
  openssl(
    'req',
    '-new',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    `/CN=brokertop test ${name}`,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.csr`,
  );
  writeFileSync(path.join(work, 'extensions'), extensions);
  // Only `openssl ca` accepts a start date in all versions.
  openssl(
    'ca',
    '-batch',
    '-notext',
    '-config',
    'config',
    '-in',
    `${name}.csr`,
    '-out',
    `${name}.pem`,
    '-keyfile',
    `${issuer}.key`,
    ...(issuer === name ? ['-selfsign'] : ['-cert', `${issuer}.pem`]),
    '-startdate',
    validity.from,
    '-enddate',
    validity.to,
    '-extfile',
    'extensions',
  );
}

try {
  writeFileSync(
    path.join(work, 'config'),
    [
      '[ca]',
      'default_ca=x',
      '[x]',
      'database=index',
      'new_certs_dir=.',
      'rand_serial=yes',
      'default_md=sha256',
      'policy=p',
      'unique_subject=no',
      '[p]',
      'commonName=supplied',
      '',
    ].join('\n'),
  );
  writeFileSync(path.join(work, 'index'), '');
  for (const certificate of certificates) make(certificate);
  // For the test of an encrypted key.
  openssl(
    'pkcs8',
    '-topk8',
    '-in',
    'client.key',
    '-out',
    'client-locked.key',
    '-passout',
    'pass:passphrase',
    '-v2',
    'aes-256-cbc',
  );
  mkdirSync(out, { recursive: true });
  for (const { name } of certificates) {
    copyFileSync(path.join(work, `${name}.pem`), path.join(out, `${name}.pem`));
    if (!name.endsWith('ca')) copyFileSync(path.join(work, `${name}.key`), path.join(out, `${name}.key`));
  }
  copyFileSync(path.join(work, 'client-locked.key'), path.join(out, 'client-locked.key'));
} finally {
  rmSync(work, { recursive: true, force: true });
}
