import type { PartlyDone } from '../../actions/bulk.ts';
import { type HttpApi, type HttpApiOptions, openHttpApi } from '../../api/dialects/index.ts';
import type { ApiChoice, ApiVersion } from '../../api/dialects/versions.ts';
import type { TlsOptions } from '../../api/transport/pool.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import type { ThemeName } from '../../terminal/theme-name.ts';
import type { Role } from '../../terminal/theme.ts';
import type { ExtraKeys } from '../../ui/keys/keymap.ts';
import type { Preferences } from '../../ui/list/list-state.ts';
import type { ContextColor } from '../config/context-colors.ts';
import type { StartScreen } from '../options/start-screens.ts';
import type { AlertConfig } from '../process/alerts.ts';
import { endingTexts } from '../texts.ts';

export type ScreenSettings = Pick<
  MonitorSession,
  'isPlainRender' | 'isScreenReader' | 'themeName' | 'hasMouse' | 'extraKeys' | 'lists' | 'alerts'
>;

export interface MonitorSession {
  readonly context?: string | undefined;
  readonly contextColor?: ContextColor | undefined;
  /** Default: `overview`. */
  readonly firstScreen?: StartScreen | undefined;
  readonly extraKeys?: ExtraKeys | undefined;
  /** Columns and sorts of the configuration. */
  readonly lists?: Preferences['tables'] | undefined;
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
  /** Lines of text instead of a screen. */
  readonly isScreenReader?: boolean | undefined;
  /** Default: `auto`. */
  readonly themeName?: ThemeName | undefined;
  readonly hasMouse?: boolean | undefined;
  readonly alerts?: AlertConfig | undefined;
  /** Allow `http://` to another machine. */
  readonly isInsecure: boolean;
  readonly tls?: TlsOptions | undefined;
  readonly proxyFor?: HttpApiOptions['proxyFor'];
}

/** The clusters of all contexts at once. */
export const allContexts = Symbol('all contexts');

/** What has the screen next. Called once the terminal is free: it may ask for a password. */
export type OpenNext = () => Promise<MonitorSession | ClustersSession>;

export const colorRoles: Readonly<Record<ContextColor, Role>> = {
  red: 'error',
  yellow: 'warning',
  green: 'ok',
  blue: 'accent',
};

/** The other clusters of the configuration. */
export interface OtherContexts {
  readonly names: readonly string[];
  /** Prepares another context, or all of them at once, while the screen is shown. @throws UsageError */
  readonly prepare: (name: string | typeof allContexts) => Promise<OpenNext>;
}

export interface ClustersSession extends ScreenSettings {
  readonly contexts: readonly ContextSource[];
  readonly prepare: (name: string) => Promise<OpenNext>;
}

/** A context as a cluster among others. */
export interface ContextSource {
  readonly name: string;
  readonly url: string;
  readonly color: ContextColor | undefined;
  /** Asks for nothing. @throws UsageError, also if the password has to be typed */
  readonly open: () => Promise<MonitorSession>;
}

/** The caller closes the API. @throws UnreachableError if a URL is not http(s) */
export function openApi({
  url,
  otherUrls,
  user,
  password,
  api,
  variant,
  tls,
  proxyFor,
  isInsecure,
}: MonitorSession): HttpApi {
  return openHttpApi({ url, otherUrls, user, password, api, variant, tls, proxyFor, isPlainRemoteAllowed: isInsecure });
}

/** A longer list scrolls its title out of sight: it is repeated below. */
const maxLinesWithoutRepeat = 10;

/** Exit code when an action was done in part, or its outcome is unknown. */
export const partlyDoneCode = 3;

export function partlyDoneReport(all: readonly PartlyDone[]): string | undefined {
  if (all.length === 0) return undefined;
  return all
    .map(({ text, failures, moreFailures }) => {
      const listed = failures.map((failure) => `  ${escapeText(failure)}`);
      const more = moreFailures === 0 ? [] : [`  ${endingTexts.moreFailures(moreFailures)}`];
      const head = `brokertop: ${escapeText(text)}`;
      return [head, ...listed, ...more, ...(listed.length > maxLinesWithoutRepeat ? [head] : []), ''].join('\n');
    })
    .join('');
}
