import type { ReactNode } from 'react';
import { clockText } from '../../domain/text.ts';
import type { MonitorState, Past, PastEvent, ReadableStore } from '../../monitor/state.ts';
import { formatCount } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeLine, type Line, type Span } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { Rows, useTheme } from '../components/drawing.tsx';
import { useStore } from '../hooks/use-store.ts';

/** How much time the bar shows at least, where less is recorded, and at most. */
const minBarMs = 600_000;
const maxBarMs = 3_600_000;
const severities = ['critical', 'warning', 'info'] as const satisfies readonly PastEvent['severity'][];

/** Signs of events, so that severity is no matter of colour alone. */
export const eventSigns: Readonly<Record<PastEvent['severity'], { readonly sign: SafeText; readonly role: Role }>> = {
  critical: { sign: safe`!`, role: 'error' },
  warning: { sign: safe`+`, role: 'warning' },
  info: { sign: glyphs.dot, role: 'normal' },
};

/** Returns the time that the bar shows: around the moment, within what is recorded as far as possible, never after it. */
export function barRange({ at: { wallMs }, range: { fromMs, toMs } }: Pick<Past, 'at' | 'range'>): Past['range'] {
  const lengthMs = Math.min(maxBarMs, Math.max(minBarMs, toMs - fromMs));
  const endMs = Math.min(toMs, Math.max(wallMs + lengthMs / 2, fromMs + lengthMs));
  return { fromMs: endMs - lengthMs, toMs: endMs };
}

/** Returns which of `count` equal parts of a time have something recorded. */
export function recordedParts(
  { range: { fromMs, toMs }, gaps }: Pick<Past, 'range' | 'gaps'>,
  bar: Past['range'],
  count: number,
): readonly boolean[] {
  const partMs = (bar.toMs - bar.fromMs) / count;
  return Array.from({ length: count }, (_, index) => {
    const startMs = bar.fromMs + index * partMs;
    const endMs = startMs + partMs;
    return endMs >= fromMs && startMs <= toMs && !gaps.some((gap) => gap.fromMs <= startMs && endMs <= gap.toMs);
  });
}

/**
 * Draws the time around the moment: events by severity, the moment, the one it is compared with, where nothing was recorded,
 * and how fast time passes.
 */
export function timeBarLine(theme: Theme, width: number, past: Past, markMs?: number): Line {
  const range = barRange(past);
  const from = safe` ${trusted(clockText(range.fromMs))} `;
  const to = safe` ${trusted(clockText(range.toMs))} `;
  const speed = past.speed === undefined ? safe`` : safe`${glyphs.cursor}${formatCount(past.speed)}× `;
  const count = Math.max(1, width - from.length - to.length - speed.length);
  const recorded = recordedParts(past, range, count);
  const cellOf = (atMs: number): number =>
    Math.min(count - 1, Math.floor(((atMs - range.fromMs) / (range.toMs - range.fromMs)) * count));
  const events = new Map<number, PastEvent['severity']>();
  for (const severity of severities.toReversed())
    for (const event of past.events)
      if (event.severity === severity && event.atMs >= range.fromMs && event.atMs <= range.toMs)
        events.set(cellOf(event.atMs), severity);
  const momentCell = cellOf(past.at.wallMs);
  const markCell = markMs === undefined || markMs < range.fromMs || markMs > range.toMs ? undefined : cellOf(markMs);
  const cells = recorded.map((isRecorded, cell): Span => {
    const severity = events.get(cell);
    if (cell === momentCell) return { text: safe`│`, role: 'accent' };
    if (cell === markCell) return { text: safe`=`, role: 'accent' };
    if (severity !== undefined) {
      const { sign, role } = eventSigns[severity];
      return { text: sign, role };
    }
    return isRecorded ? { text: glyphs.rule, role: 'dim' } : { text: safe` ` };
  });
  return composeLine(theme, width, [
    { text: from, role: 'dim' },
    ...cells,
    { text: to, role: 'dim' },
    { text: speed, role: 'accent' },
  ]);
}

const selectPast = (state: MonitorState): Past | undefined => state.past;

export interface TimeBarProps {
  readonly store: ReadableStore<MonitorState>;
  readonly width: number;
  /** The moment that a comparison is with. */
  readonly markMs?: number | undefined;
}

/** Shows where in the recording the moment is, one line high. */
export const TimeBar = ({ store, width, markMs }: TimeBarProps): ReactNode => {
  const theme = useTheme();
  const past = useStore(store, selectPast);
  return past === undefined ? null : <Rows lines={[timeBarLine(theme, width, past, markMs)]} />;
};
