/** The texts and fields that forms and confirmations of several nouns share. */
import type { NodeName } from '../domain/node.ts';
import { durationText, parseDuration } from '../domain/text.ts';
import { formatCount, formatText } from '../terminal/format.ts';
import { safe, type SafeText, trusted } from '../terminal/safe-text.ts';
import { cutText } from '../terminal/text-width.ts';
import type { Theme } from '../terminal/theme.ts';
import type { FormField } from './requests.ts';

export const askTexts = {
  /** @param node `undefined` stands for all of them */
  on: (node: SafeText | undefined): SafeText => (node === undefined ? safe`on all nodes` : safe`on ${node}`),
  continue: safe`Continue`,
  review: safe`review`,
  empty: safe`(empty)`,
  stopped: (node: SafeText) => safe`${node}: not running, not changed`,
  stoppedNode: (node: SafeText) => safe`${node} is not running`,
  unread: (count: number) => safe`${formatCount(count)} more ${count === 1 ? safe`node` : safe`nodes`} not read.`,
  onNodes: (verb: SafeText, count: number) =>
    safe`${verb} on ${formatCount(count)} ${count === 1 ? safe`node` : safe`nodes`}`,
};

export const durationTexts = {
  help: safe`such as 30m, 1h, 7d, 1d12h, or never`,
  invalid: safe`Enter a duration such as 30m, 1h or 7d, or never.`,
  never: safe`never ends`,
  lasts: (duration: SafeText) => safe`lasts ${duration}`,
};

const maxDetailColumns = 300;

/** Text of others as a detail of a confirmation, escaped and cut; `–` if it is unknown. */
export const detailText = (theme: Theme, raw: string | undefined, maxColumns = maxDetailColumns): SafeText =>
  formatText(raw, (value) => cutText(theme.escape(value, maxColumns), maxColumns));

const never = 'never';

export const durationField = (label: SafeText, initial: string): FormField => ({
  id: 'duration',
  label,
  initial,
  help: durationTexts.help,
});

/** Reads a duration; `seconds` is `undefined` for `never`. */
export const readDuration = (
  typed: string,
): { readonly seconds: number | undefined } | { readonly error: SafeText } => {
  if (typed.trim().toLowerCase() === never) return { seconds: undefined };
  const seconds = parseDuration(typed);
  return seconds === undefined ? { error: durationTexts.invalid } : { seconds };
};

/** Returns `lasts 7d 0h`; the end is computed by the broker's clock when the request is sent. */
export const durationLine = (seconds: number | undefined): SafeText =>
  seconds === undefined ? durationTexts.never : durationTexts.lasts(safe`${trusted(durationText(seconds))}`);

export const escapeIndented = (theme: Theme, line: string, width?: number): SafeText => {
  const text = line.trimStart() === '' ? line : line.replace(/^ +/u, '');
  return text === '' ? safe`` : safe`${trusted(line.slice(0, line.length - text.length))}${theme.escape(text, width)}`;
};

/** Says of nodes that were shown stopped that they stay unchanged. */
export const stoppedLines = (theme: Theme, stopped: readonly NodeName[]): readonly SafeText[] =>
  stopped.map((each) => askTexts.stopped(theme.escape(each)));
