import type { Monitor } from '../../monitor/state.ts';
import type { Place } from '../navigation.ts';
import type { SafeText } from '../../terminal/safe-text.ts';

/** What every screen is given. */
export interface ScreenProps {
  readonly monitor: Monitor;
  /** Columns and lines that the screen fills exactly. */
  readonly width: number;
  readonly height: number;
  readonly go: (place: Place) => void;
  /** Shows a message in the status line for a few seconds. */
  readonly notify: (text: SafeText) => void;
}
