import type { ReadableStore } from '../monitor/state.ts';
import type { Role } from '../terminal/theme.ts';
import type { ExtraKeys } from '../tui/keys/keymap.ts';
import type { SaveFile } from '../tui/list/export-list.ts';
import type { WriteReport } from './report-form.ts';
import type { PlainScreenId } from '../tui/registered.ts';
import type { Exposure, ShownLogin } from '../tui/frame/screen.ts';

/** What the header shows about the connection and the mode. */
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
  /**
   * The other clusters of the configuration. `switchTo` resolves when the program may leave the screen for one, or for
   * the list of all without a name, and rejects with one sentence.
   */
  readonly contexts?:
    | { readonly names: readonly string[]; readonly switchTo: (name: string | undefined) => Promise<void> }
    | undefined;
  readonly recording?: RecordingView | undefined;
  /** Writes a report of what was recorded, or of what memory holds. */
  readonly writeReport?: WriteReport | undefined;
  /** The login of the demo's broker, for the help; never another one. */
  readonly shownLogin?: ShownLogin | undefined;
}

/** Whether the cluster is recorded to a folder. `failing`: nothing can be written, and it is tried again. */
export type RecordingStatus =
  | { readonly kind: 'off' }
  | { readonly kind: 'on'; readonly folder: string }
  | { readonly kind: 'failing'; readonly folder: string; readonly reason: string };

export interface RecordingView {
  readonly status: ReadableStore<RecordingStatus>;
  /** Rejects with one sentence. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}
