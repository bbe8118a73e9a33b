import type { WatchedMonitor } from '../../actions/state.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Place } from '../navigation.ts';

/** Props of every screen. */
export interface ScreenProps {
  readonly monitor: WatchedMonitor;
  /** Columns and lines that the screen fills exactly. */
  readonly width: number;
  readonly height: number;
  readonly go: (place: Place) => void;
  /** Shows a message in the status line for a few seconds. */
  readonly notify: (text: SafeText) => void;
}

/** What the header shows about the connection and the mode. */
export interface SessionView extends Exposure {
  /** A name shown before the URL, e.g. `demo`. */
  readonly context?: string | undefined;
  readonly url: string;
  /** The user that the program signs in as. */
  readonly user?: string | undefined;
  readonly isReadOnly: boolean;
  /** The operator turned the audit off. */
  readonly isUnrecorded?: boolean | undefined;
  /** Reads a file to publish; rejects with one sentence. */
  readonly readPayload: (path: string) => Promise<string>;
  /** The API variant: `variant B`, `variant not known yet`. Read when capabilities change. */
  readonly describeVariant: () => string;
}

/** Ways in which the password may leak. */
export interface Exposure {
  /** It may be sent unencrypted to another machine. */
  readonly isInsecure: boolean;
  /** No certificate is checked. */
  readonly isTlsUnchecked?: boolean | undefined;
}

/** Warnings that stay in the header. */
export function exposureTexts({ isInsecure, isTlsUnchecked }: Exposure): readonly SafeText[] {
  return [...(isInsecure ? [safe`UNENCRYPTED`] : []), ...(isTlsUnchecked === true ? [safe`TLS NOT VERIFIED`] : [])];
}
