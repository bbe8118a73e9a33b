import type { PartlyDone } from '../../actions/bulk.ts';
import { type HttpApi, type HttpApiOptions, openHttpApi } from '../../api/dialects/index.ts';
import type { ApiChoice, ApiVersion } from '../../api/dialects/versions.ts';
import type { TlsOptions } from '../../api/transport/pool.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import type { ThemeName } from '../../terminal/theme-name.ts';
import type { ExtraKeys } from '../../ui/keys/keymap.ts';
import type { ContextColor } from '../config/context-colors.ts';
import { endingTexts } from '../texts.ts';

export interface MonitorSession {
  readonly context?: string | undefined;
  readonly contextColor?: ContextColor | undefined;
  readonly extraKeys?: ExtraKeys | undefined;
  readonly otherContexts?: OtherContexts | undefined;
  readonly url: string;
  readonly otherUrls?: readonly string[] | undefined;
  readonly user: string;
  readonly password: string;
  /** The log and the help show the login. Only for the demo, whose password is random and ends with it. */
  readonly isLoginShown?: boolean | undefined;
  /** Reads the password again after a 401. If absent, the operator is prompted. */
  readonly rereadPassword?: { readonly source: 'file' | 'command'; readonly read: () => Promise<string> } | undefined;
  /** Default: `auto`. */
  readonly api?: ApiChoice | undefined;
  readonly variant: 'auto' | ApiVersion;
  readonly intervalSeconds: number;
  readonly maxRows?: number | undefined;
  readonly isReadOnly: boolean;
  /** Actions are recorded; one that cannot be recorded is not sent. */
  readonly hasAudit: boolean;
  readonly isPlainRender?: boolean | undefined;
  /** Default: `auto`. */
  readonly themeName?: ThemeName | undefined;
  readonly hasMouse?: boolean | undefined;
  /** Allow `http://` to another machine. */
  readonly isInsecure: boolean;
  readonly tls?: TlsOptions | undefined;
  readonly proxyFor?: HttpApiOptions['proxyFor'];
}

/** The other clusters of the configuration. */
export interface OtherContexts {
  readonly names: readonly string[];
  /**
   * Prepares the session of another context while the screen is shown. What it returns is called once the terminal is free:
   * it may ask for the password.
   *
   * @throws UsageError
   */
  readonly prepare: (name: string) => Promise<() => Promise<MonitorSession>>;
}

/** The caller closes the API. @throws UnreachableError if a URL is not http(s) */
export function openApi({ url, otherUrls, user, password, api, variant, tls, proxyFor, isInsecure }: MonitorSession): HttpApi {
  return openHttpApi({ url, otherUrls, user, password, api, variant, tls, proxyFor, isPlainRemoteAllowed: isInsecure });
}

/** A longer list scrolls its title out of sight: it is repeated below. */
const maxLinesWithoutRepeat = 10;

/** Exit code when an action was done in part, or its outcome is unknown. */
export const partlyDoneCode = 3;

export function partlyDoneReport(all: readonly PartlyDone[]): string | undefined {
  if (all.length === 0) return undefined;
  return all.map(({ text, failures, moreFailures }) => {
    const listed = failures.map((failure) => `  ${escapeText(failure)}`);
    const more = moreFailures === 0 ? [] : [`  ${endingTexts.moreFailures(moreFailures)}`];
    const head = `brokertop: ${escapeText(text)}`;
    return [head, ...listed, ...more, ...(listed.length > maxLinesWithoutRepeat ? [head] : []), ''].join('\n');
  }).join('');
}
