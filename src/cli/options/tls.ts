import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { UsageError } from '../errors.ts';
import { readPrivateFile, readTextFile } from '../files/private-file.ts';
import type { TlsConfig } from './config.ts';

const maxBytes = 2 ** 20;

/**
 * Reads and checks the TLS files before the first request.
 *
 * @returns the configuration with the files' PEM content in place of their paths
 * @throws UsageError that names the flag and the file, never its content
 */
export async function readTlsFiles(config: TlsConfig): Promise<TlsConfig> {
  const { ca, cert, key } = config;
  const read = { ...config };
  if (ca !== undefined) {
    read.ca = await readTextFile({ path: ca, name: 'The --ca file', maxBytes, content: 'certificates' });
    readCertificates(read.ca, `The --ca file ${JSON.stringify(ca)}`);
  }
  if (cert === undefined || key === undefined) return read;
  read.cert = await readTextFile({ path: cert, name: 'The --cert file', maxBytes, content: 'certificates' });
  const [certificate] = readCertificates(read.cert, `The --cert file ${JSON.stringify(cert)}`);
  read.key = await readPrivateFile({ path: key, name: 'The --key file', maxBytes, content: 'a key' });
  if (!certificate.checkPrivateKey(readKey(read.key, `The --key file ${JSON.stringify(key)}`))) {
    throw new UsageError(`The key in ${JSON.stringify(key)} does not fit the first certificate in ${JSON.stringify(cert)}.`);
  }
  return read;
}

function readCertificates(text: string, source: string): readonly [X509Certificate, ...X509Certificate[]] {
  const blocks = text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^]*?-----END [^-\n]*-----/gu) ?? [];
  const [first, ...rest] = blocks.map((block) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new UsageError(`${source} has a certificate that cannot be read.`);
    }
  });
  if (first === undefined) throw new UsageError(`${source} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).`);
  return [first, ...rest];
}

/** Hides OpenSSL's message, which may quote part of the key. */
function readKey(text: string, source: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/mu.test(text)) {
    throw new UsageError(`${source} is locked with a passphrase, which is not supported; make one without (umask 077; openssl pkey -in FILE -out NEW) and keep it to yourself.`);
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw new UsageError(`${source} holds no private key in PEM form (-----BEGIN PRIVATE KEY-----).`);
  }
}
