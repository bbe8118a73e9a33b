import type { NodeRow } from '../../../monitor/select/memo.ts';
import { formatAge, formatDuration } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { type SafeText, safe } from '../../../terminal/safe-text.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import type { Span } from '../../../terminal/line.ts';

/** The sign of a node's status; the word beside it says the same. */
export const statusSign = ({ status }: NodeRow): Span => {
  switch (status) {
    case 'running':
      return { text: glyphs.running, role: 'ok' };
    case 'other':
      return { text: safe`?`, role: 'warning' };
    case 'stopped':
    case 'unknown':
      return { text: glyphs.stopped, role: 'error' };
  }
};

/** The status in a word; any status that is not understood in the broker's own. */
export const statusWord = (theme: Theme, { status, statusText }: NodeRow, width?: number): SafeText => {
  switch (status) {
    case 'running':
      return safe`running`;
    case 'stopped':
      return safe`stopped`;
    case 'unknown':
      return safe`gone`;
    case 'other':
      return theme.escape(statusText, width);
  }
};

export const statusRole = ({ status }: NodeRow): Role => (status === 'running' ? 'normal' : status === 'other' ? 'warning' : 'error');

/**
 * How long the status has been so: `for 2m 05s`, or that it was so when the monitor first looked. With `seenMs`, as
 * `selectLastReadMs` says, how long it had been then, and when that was.
 */
export const statusDuration = ({ sinceMs }: NodeRow, nowMs: number, seenMs: number | undefined): SafeText => {
  const lasted = sinceMs === undefined
    ? safe`since before the monitor started`
    : safe`for ${formatDuration(Math.max(0, (seenMs ?? nowMs) - sinceMs) / 1000)}`;
  return seenMs === undefined ? lasted : safe`${lasted}, seen ${formatAge(Math.max(0, nowMs - seenMs) / 1000)}`;
};

/** `true` when the node has no figures because it does not run. */
export const isDown = ({ status }: NodeRow): boolean => status === 'stopped' || status === 'unknown';
