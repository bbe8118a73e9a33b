import type { PartlyDone } from '../../actions/bulk.ts';
import { createHttpApi, type HttpApi, type HttpApiOptions } from '../../api/dialects/index.ts';
import type { TlsOptions } from '../../api/transport/pool.ts';
import { escapeText } from '../../terminal/safe-text.ts';

/** The cluster to monitor, and how to reach it. */
export interface MonitorSession {
  /** Shown before the URL, e.g. `demo`. */
  readonly context?: string | undefined;
  readonly url: string;
  /** Further addresses of the same cluster. */
  readonly otherUrls?: readonly string[] | undefined;
  readonly user: string;
  readonly password: string;
  /** Reads the password again after a 401. Without it, the operator types it. */
  readonly rereadPassword?: { readonly source: 'file' | 'command'; readonly read: () => Promise<string> } | undefined;
  readonly variant: 'auto' | 'a' | 'b';
  readonly intervalSeconds: number;
  readonly maxRows?: number | undefined;
  readonly isReadOnly: boolean;
  /** Actions are recorded in the audit file; one that cannot be recorded is not sent. */
  readonly hasAudit: boolean;
  /** Drawn by Ink only, without the painter. */
  readonly isPlainRender?: boolean | undefined;
  /** `http://` to another machine is allowed. */
  readonly isInsecure: boolean;
  /** For `https://`. */
  readonly tls?: TlsOptions | undefined;
  readonly proxyFor?: HttpApiOptions['proxyFor'];
}

/** Opens the management API of a session. The caller closes it. @throws UnreachableError when a URL is not http(s) */
export function openApi({ url, otherUrls, user, password, variant, tls, proxyFor, isInsecure }: MonitorSession): HttpApi {
  return createHttpApi({ url, otherUrls, user, password, variant, tls, proxyFor, isPlainRemoteAllowed: isInsecure });
}

/** The first line is repeated below a list longer than this, which scrolls it out of sight. */
const maxLinesWithoutRepeat = 10;

/** Exit code when an action was done in part, or its outcome is unknown. */
export const partlyDoneCode = 3;

/**
 * The message, printed at exit, about actions that were done in part, with their failures, or whose outcome is unknown.
 * `undefined` when there are none.
 */
export function partlyDoneReport(all: readonly PartlyDone[]): string | undefined {
  if (all.length === 0) return undefined;
  return all.map(({ text, failures, moreFailures }) => {
    const listed = failures.map((failure) => `  ${escapeText(failure)}`);
    const more = moreFailures === 0 ? [] : [`  and ${moreFailures} more`];
    const head = `brokertop: ${escapeText(text)}`;
    return [head, ...listed, ...more, ...(listed.length > maxLinesWithoutRepeat ? [head] : []), ''].join('\n');
  }).join('');
}
