import type { WatchedMonitor } from '../actions/acting-monitor.ts';
import type { SafeText } from '../terminal/safe-text.ts';
import type { Role } from '../terminal/theme.ts';
import type { Place } from './registered.ts';

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
