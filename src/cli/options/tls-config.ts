import { UsageError } from './usage-error.ts';

/** How TLS was asked for on the command line; files by their paths. */
export interface TlsConfig {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly servername: string | undefined;
  /** No certificate is checked; the header says so. */
  readonly isInsecure: boolean;
}

/**
 * Refuses flags that contradict each other or have no meaning.
 *
 * @throws UsageError that names the flags.
 */
export function checkTlsConfig({ ca, cert, key, servername, isInsecure }: TlsConfig, hasHttpsUrl: boolean): void {
  const [flag] = Object.entries({ ca, cert, key, servername, 'insecure-tls': isInsecure || undefined }).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined && !hasHttpsUrl) throw new UsageError(`--${flag} needs a --url that begins with https://.`);
  if ((cert === undefined) !== (key === undefined)) throw new UsageError('--cert and --key go together.');
  if (isInsecure && ca !== undefined) throw new UsageError('--insecure-tls trusts every certificate, so --ca has no meaning beside it; leave one of them out.');
}
