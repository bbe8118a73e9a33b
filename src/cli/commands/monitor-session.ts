import { createHttpApi } from '../../api/dialects/emq-v2/client.ts';
import type { HttpApi, HttpApiOptions } from '../../api/dialects/emq-v2/client.ts';
import type { TlsOptions } from '../../api/transport/pool.ts';

/** What is to be watched or read, and how. */
export interface MonitorSession {
  /** Name of the place, shown before the URL, e.g. `demo`. */
  readonly context?: string | undefined;
  readonly url: string;
  /** Further addresses of the same cluster. */
  readonly otherUrls?: readonly string[] | undefined;
  readonly user: string;
  readonly password: string;
  /** Where the password can be had once more after a 401; without it the operator types it. */
  readonly passwordAgain?: { readonly source: 'file' | 'command'; readonly read: () => Promise<string> } | undefined;
  readonly variant: 'auto' | 'a' | 'b';
  readonly intervalSeconds: number;
  readonly maxRows?: number | undefined;
  readonly isReadOnly: boolean;
  /** Actions are recorded; one that cannot be recorded is not done. */
  readonly hasAudit: boolean;
  /** Drawn by Ink alone, as on terminals that cannot do better. */
  readonly isPlainRender?: boolean | undefined;
  /** `http://` may go to another machine. */
  readonly isInsecure: boolean;
  /** Whom to trust over `https://`. */
  readonly tls?: TlsOptions | undefined;
  readonly proxyFor?: HttpApiOptions['proxyFor'];
}

/** The way to the broker of a session; whoever opens it closes it. @throws UnreachableError when a URL is no http(s) URL */
export function openApi({ url, otherUrls, user, password, variant, tls, proxyFor, isInsecure }: MonitorSession): HttpApi {
  return createHttpApi({ url, otherUrls, user, password, variant, tls, proxyFor, isPlainRemoteAllowed: isInsecure });
}
