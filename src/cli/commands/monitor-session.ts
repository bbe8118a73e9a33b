import type { PartlyDone } from '../../actions/bulk.ts';
import { type HttpApi, type HttpApiOptions, openHttpApi } from '../../api/dialects/index.ts';
import type { ApiChoice, VariantName } from '../../api/dialects/registry.ts';
import type { TlsOptions } from '../../api/transport/pool.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import type { ThemeName } from '../../terminal/theme-name.ts';
import type { Role } from '../../terminal/theme.ts';
import type { ExtraKeys } from '../../tui/keys/keymap.ts';
import type { Preferences } from '../../tui/list/list-state.ts';
import type { ContextColor } from '../config/context-colors.ts';
import type { RecordingConfig } from '../record/cluster-recorder.ts';
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
  /** The default is `overview`. */
  readonly firstScreen?: StartScreen | undefined;
  readonly extraKeys?: ExtraKeys | undefined;
  /** Columns and sorts from the configuration. */
  readonly lists?: Preferences['tables'] | undefined;
  readonly otherContexts?: OtherContexts | undefined;
  readonly url: string;
  readonly otherUrls?: readonly string[] | undefined;
  readonly user: string;
  readonly password: string;
  /** The log and the help show the login. Only for the demo, whose password is random and ends with it. */
  readonly isLoginShown?: boolean | undefined;
  /** Reads the password again after a 401. Without it, the operator is prompted. */
  readonly rereadPassword?: { readonly source: 'file' | 'command'; readonly read: () => Promise<string> } | undefined;
  /** The default is `auto`. */
  readonly api?: ApiChoice | undefined;
  readonly variant: 'auto' | VariantName;
  readonly intervalSeconds: number;
  readonly maxRows?: number | undefined;
  readonly isReadOnly: boolean;
  /** Actions are recorded; one that cannot be recorded is not sent. */
  readonly hasAudit: boolean;
  readonly isPlainRender?: boolean | undefined;
  /** Prints lines of text instead of a screen. */
  readonly isScreenReader?: boolean | undefined;
  /** The default is `auto`. */
  readonly themeName?: ThemeName | undefined;
  readonly hasMouse?: boolean | undefined;
  readonly alerts?: AlertConfig | undefined;
  /** The default is a recording in memory. */
  readonly recording?: RecordingConfig | undefined;
  /** Allows `http://` to another machine. */
  readonly isInsecure: boolean;
  readonly tls?: TlsOptions | undefined;
  readonly proxyFor?: HttpApiOptions['proxyFor'];
}

/** Chooses the clusters of all contexts at once. */
export const allContexts = Symbol('all contexts');

/** Opens what has the screen next. Called once the terminal is free: it may ask for a password. */
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

/** A context as one of several clusters. */
export interface ContextSource {
  readonly name: string;
  readonly url: string;
  readonly color: ContextColor | undefined;
  /** Opens the session without asking for anything. @throws UsageError, also if the password has to be typed */
  readonly open: () => Promise<MonitorSession>;
}

/** Opens the API of a session. The caller closes it. @throws UnreachableError if a URL is not http(s) */
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

/** The title of a longer list is repeated below, because it has scrolled out of sight. */
const maxLinesWithoutRepeat = 10;

/** The exit code when an action was done in part, or its outcome is unknown. */
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
