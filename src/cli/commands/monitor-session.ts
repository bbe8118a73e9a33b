import type { PartlyDone } from '../../actions/bulk.ts';
import { createHttpApi, type HttpApi, type HttpApiOptions } from '../../api/dialects/index.ts';
import type { TlsOptions } from '../../api/transport/pool.ts';
import { escapeText } from '../../terminal/safe-text.ts';

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

/** More lines than this push what stands above them out of sight. */
const longList = 10;

/** The exit code of a program in whose run something was only partly done, or of which that is not known. */
export const partlyDoneCode = 3;

/**
 * What is said at the end of a program for each bulk, and each action on several nodes, that did not
 * come about in all its parts, with the parts that failed; and for each action of which it is not known.
 * What came of it as a whole stands below a long list once more. `undefined` when there is nothing to say.
 */
export function partlyDoneReport(all: readonly PartlyDone[]): string | undefined {
  if (all.length === 0) return undefined;
  return all.map(({ text, failures, moreFailures }) => {
    const listed = failures.map((failure) => `  ${escapeText(failure)}`);
    const more = moreFailures === 0 ? [] : [`  and ${moreFailures} more`];
    const head = `brokertop: ${escapeText(text)}`;
    return [head, ...listed, ...more, ...(listed.length > longList ? [head] : []), ''].join('\n');
  }).join('');
}
