import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { UsageError } from '../errors.ts';
import { readPrivateFile, readTextFile } from '../files/text-files.ts';
import { fileTexts } from '../texts.ts';
import type { TlsConfig } from './config.ts';

const maxBytes = 2 ** 20;

/** @throws UsageError that names the flag and the file, never its content */
export async function readTlsFiles(config: TlsConfig): Promise<TlsConfig> {
  const { ca, cert, key } = config;
  const read = { ...config };
  if (ca !== undefined) {
    read.ca = await readTextFile({
      path: ca,
      name: fileTexts.flagFile('ca'),
      maxBytes,
      content: fileTexts.certificates,
    });
    readCertificates(read.ca, fileTexts.source(fileTexts.flagFile('ca'), ca));
  }
  if (cert === undefined || key === undefined) return read;
  read.cert = await readTextFile({
    path: cert,
    name: fileTexts.flagFile('cert'),
    maxBytes,
    content: fileTexts.certificates,
  });
  const [certificate] = readCertificates(read.cert, fileTexts.source(fileTexts.flagFile('cert'), cert));
  read.key = await readPrivateFile({ path: key, name: fileTexts.flagFile('key'), maxBytes, content: fileTexts.key });
  if (!certificate.checkPrivateKey(readKey(read.key, fileTexts.source(fileTexts.flagFile('key'), key)))) {
    throw new UsageError(fileTexts.otherKey(key, cert));
  }
  return read;
}

function readCertificates(text: string, source: string): readonly [X509Certificate, ...X509Certificate[]] {
  const blocks = text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^]*?-----END [^-\n]*-----/gu) ?? [];
  const [first, ...rest] = blocks.map((block) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new UsageError(fileTexts.badCertificate(source));
    }
  });
  if (first === undefined) throw new UsageError(fileTexts.noCertificate(source));
  return [first, ...rest];
}

/** Reads a key without quoting OpenSSL's message, which may contain a part of it. */
function readKey(text: string, source: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/mu.test(text)) {
    throw new UsageError(fileTexts.lockedKey(source));
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw new UsageError(fileTexts.noKey(source));
  }
}
