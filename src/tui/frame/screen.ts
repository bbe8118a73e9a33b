import type { WatchedMonitor } from '../../actions/acting-monitor.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { Role } from '../../terminal/theme.ts';
import type { BegunProblem } from '../../screens/status/problem-log.ts';
import type { ExtraKeys } from '../keys/keymap.ts';
import type { SaveFile } from '../list/export-list.ts';
import type { Place, PlainScreenId } from '../registered.ts';
import { exposureWords } from './texts.ts';

/** Shows a message in the status line for a few seconds; `undefined` removes it. @param role default: accent */
export type Notify = (text: SafeText | undefined, role?: Role) => void;

export interface ScreenProps {
  readonly monitor: WatchedMonitor;
  /** Columns and lines that the screen fills exactly. */
  readonly width: number;
  readonly height: number;
  readonly go: (place: Place) => void;
  readonly notify: Notify;
  /** The user that the program signs in as. */
  readonly ownUser?: string | undefined;
}

/** The facts that the header shows about the connection and the mode. */
export interface SessionView extends Exposure {
  readonly context?: string | undefined;
  /** The role of the context's name. */
  readonly contextRole?: Role | undefined;
  readonly url: string;
  readonly user?: string | undefined;
  readonly isReadOnly: boolean;
  /** The default is Overview. */
  readonly firstScreen?: PlainScreenId | undefined;
  /** Keys from the configuration. */
  readonly extraKeys?: ExtraKeys | undefined;
  readonly isUnrecorded?: boolean | undefined;
  /** Reads a file to publish; rejects with one sentence. */
  readonly readPayload: (path: string) => Promise<string>;
  /** Writes a list to a file; rejects with one sentence. */
  readonly saveFile?: SaveFile | undefined;
  /** Names the API: `API v2 B`, `API v5`. Read when capabilities change. */
  readonly describeApi: () => string;
  readonly onProblem?: ((problem: BegunProblem) => void) | undefined;
  /**
   * The other clusters of the configuration. `switchTo` resolves when the program may leave the screen for one, or for
   * the list of all without a name, and rejects with one sentence.
   */
  readonly contexts?:
    | { readonly names: readonly string[]; readonly switchTo: (name: string | undefined) => Promise<void> }
    | undefined;
  /** The login of the demo's broker, for the help; never another one. */
  readonly shownLogin?: ShownLogin | undefined;
}

export interface ShownLogin {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/** Ways in which the password may leak. */
export interface Exposure {
  /** The password may be sent unencrypted to another machine. */
  readonly isInsecure: boolean;
  /** No certificate is checked. */
  readonly isTlsUnchecked?: boolean | undefined;
}

/** Returns warnings that stay in the header. */
export function exposureTexts({ isInsecure, isTlsUnchecked }: Exposure): readonly SafeText[] {
  return [
    ...(isInsecure ? [exposureWords.unencrypted] : []),
    ...(isTlsUnchecked === true ? [exposureWords.tlsNotVerified] : []),
  ];
}
