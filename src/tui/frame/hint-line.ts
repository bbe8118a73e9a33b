import type { MonitorState } from '../../monitor/state.ts';
import { formatBytes, formatCount } from '../../terminal/format.ts';
import { composeEnds, composeLine, type Line, type Span, spanAt, spansWidth } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { widestFitting } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { formatKey, type Keymap } from '../keys/keymap.ts';
import { messageTexts } from './texts.ts';
import type { CommandId } from '../keys/bindings.ts';

const widthOfHint = (hint: readonly Span[]): number => spansWidth(hint) + 2;

/** The width from which on hints leave room for the load. */
const minWidthWithLoad = 100;

/** Returns the room for the load, which is fixed, so that a longer number drops no hint. */
const reservedForLoad = (width: number): number =>
  width < minWidthWithLoad ? 0 : width < minWidthWithConnections ? 20 : 34;

const minWidthWithConnections = 130;

/** So many hints at the end of a dialog's are never dropped. */
const minKept = 2;

/** Columns between the hints and the load, and behind it. */
const loadGap = 3;

export interface HintLineOptions {
  /** The number of rows that a command acts on, shown behind its name. */
  readonly counts?: ReadonlyMap<CommandId, number> | undefined;
  /** Polling is paused, so that its key resumes it. */
  readonly isFrozen?: boolean | undefined;
  readonly load?: MonitorState['causedLoad'] | undefined;
  /** Stands before the hints. */
  readonly lead?: SafeText | undefined;
}

/**
 * Draws hints in one line: ` / filter  Enter open  ? help`, and the load at its end. Hints that do not fit are dropped
 * from the end, except the last ones.
 */
export const hintLine = (
  theme: Theme,
  width: number,
  keymap: Keymap,
  commands: readonly CommandId[],
  options: HintLineOptions = {},
): Line => {
  const { load } = options;
  const spans = hintSpans(theme, width, keymap, commands, options);
  const text = load === undefined ? safe`` : loadText(load, width - spansWidth(spans) - loadGap);
  return text === ''
    ? composeLine(theme, width, spans)
    : composeEnds(theme, width, spans, [{ text: safe`${text} `, role: 'dim' }]);
};

/** Returns the command whose hint is at a column. */
export const hintAt = (
  theme: Theme,
  width: number,
  keymap: Keymap,
  commands: readonly CommandId[],
  column: number,
  options: HintLineOptions = {},
): CommandId | undefined => spanAt(hintSpans(theme, width, keymap, commands, options), column)?.id;

interface HintSpan extends Span {
  /** `undefined` between hints. */
  readonly id: CommandId | undefined;
}

const hintSpans = (
  theme: Theme,
  width: number,
  keymap: Keymap,
  commands: readonly CommandId[],
  { counts, isFrozen, load, lead }: HintLineOptions,
): readonly HintSpan[] => {
  const labels: string[] = [];
  const hints: HintSpan[][] = [];
  for (const id of commands) {
    const binding = keymap.bindings.find((candidate) => candidate.id === id);
    const key = binding?.keys[0];
    const count = counts?.get(id);
    if (binding === undefined || key === undefined) continue;
    // Two keys with one label, such as ← and →, are one hint.
    const before = labels.at(-1) === binding.label ? hints.pop()?.slice(0, 1) : undefined;
    labels.push(binding.label);
    hints.push([
      ...(before === undefined ? [] : [...before, { id, text: safe` ` }]),
      { id, text: formatKey(key, theme.charset), role: 'key' },
      {
        id,
        text: safe` ${id === 'freeze' && isFrozen === true ? messageTexts.resume : trusted(binding.label)}`,
        role: 'dim',
      },
      ...(count === undefined ? [] : [{ id, text: safe` ${formatCount(count)}`, role: 'warning' } as const]),
    ]);
  }
  const keptCount = Math.max(minKept, commands.length - 1 - commands.findLastIndex((id) => !keptHints.has(id)));
  const kept = hints.slice(-keptCount);
  const shown: HintSpan[][] = [];
  let room =
    width -
    1 -
    (lead === undefined ? 0 : lead.length + 2) -
    Math.max(1, load === undefined ? 0 : reservedForLoad(width)) -
    kept.reduce((sum, hint) => sum + widthOfHint(hint), -2);
  for (const hint of hints.slice(0, -keptCount)) {
    if (widthOfHint(hint) > room) {
      break;
    }
    room -= widthOfHint(hint);
    shown.push(hint);
  }
  shown.push(...kept);
  const before: readonly HintSpan[] =
    lead === undefined ? [] : [{ id: undefined, text: safe` ${lead} `, role: 'accent' }];
  return [
    ...before,
    ...shown.flatMap((hint, index) => [{ id: undefined, text: index === 0 ? safe` ` : safe`  ` }, ...hint]),
  ];
};

/**
 * Writes open connections, and requests and bytes of the last minute, in the longest wording that fits; empty where
 * none does.
 */
const loadText = ({ requests, answerBytes, connections }: MonitorState['causedLoad'], room: number): SafeText => {
  const count = messageTexts.requests(formatCount(requests), requests === 1);
  const whole = answerBytes === undefined ? [] : [messageTexts.load(count, formatBytes(answerBytes))];
  const open =
    connections === undefined ? undefined : messageTexts.connections(formatCount(connections), connections === 1);
  const withOpen = open === undefined ? [] : [...whole, count].map((text) => safe`${open} · ${text}`);
  return widestFitting([...withOpen, ...(open === undefined ? whole : []), count], room) ?? safe``;
};

/** Hints at the end that are never dropped: the palette, how to leave or quit, and the help. */
export const keptHints: ReadonlySet<string> = new Set(['palette', 'close', 'quit', 'help']);
