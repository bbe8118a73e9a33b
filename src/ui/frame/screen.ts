import type { WatchedMonitor } from '../../actions/state.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Place } from '../navigation.ts';

/** What every screen is given. */
export interface ScreenProps {
  readonly monitor: WatchedMonitor;
  /** Columns and lines that the screen fills exactly. */
  readonly width: number;
  readonly height: number;
  readonly go: (place: Place) => void;
  /** Shows a message in the status line for a few seconds. */
  readonly notify: (text: SafeText) => void;
}

/** What the header says about where and how the monitor runs. */
export interface SessionView extends Exposure {
  /** Name of the place, shown before the URL, e.g. `demo`. */
  readonly context?: string | undefined;
  readonly url: string;
  /** Whom the program signs in as. */
  readonly user?: string | undefined;
  readonly isReadOnly: boolean;
  /** Actions are not recorded, because the operator wanted it so. */
  readonly isUnrecorded?: boolean | undefined;
  /** Reads a file that is to be published; rejects with one sentence. */
  readonly readPayload: (path: string) => Promise<string>;
  /** The variant as far as it is known by now: `variant B`, `variant not known yet`. Asked when capabilities change. */
  readonly describeVariant: () => string;
}

/** Who besides the broker may learn the password. */
export interface Exposure {
  /** The password may go unencrypted to another machine. */
  readonly isInsecure: boolean;
  /** It is encrypted for whoever answers: no certificate is checked. */
  readonly isTlsUnchecked?: boolean | undefined;
}

/** What has to be said of it for as long as it holds, in a few words each. */
export function exposureTexts({ isInsecure, isTlsUnchecked }: Exposure): readonly SafeText[] {
  return [...(isInsecure ? [safe`UNENCRYPTED`] : []), ...(isTlsUnchecked === true ? [safe`TLS NOT VERIFIED`] : [])];
}
