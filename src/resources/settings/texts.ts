import type { ActionWords } from '../../actions/action.ts';
import { askTexts } from '../../actions/asking.ts';
import { quoteIfNeeded } from '../../actions/texts.ts';
import type { SettingMeaning } from '../../domain/administration.ts';
import { pluralize } from '../../domain/text.ts';
import { formatAge, formatCount, unknownText } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';

/** A longer number may not be exact. */
const countPattern = /^\d{1,15}$/u;

/** Writes `5,000 messages`, `0 (no limit)`; `undefined` for a value that is no count. */
export const settingCountText = (counts: SettingMeaning['counts'], value: string): string | undefined => {
  if (counts === undefined || !countPattern.test(value)) return undefined;
  return counts === 'message' && Number(value) === 0 ? '0 (no limit)' : pluralize(Number(value), counts);
};

const valueText = (counts: SettingMeaning['counts'], value = 'unknown'): string =>
  settingCountText(counts, value) ?? quoteIfNeeded(value);

export const settingWords = {
  change: (key: string, value: string, where: string, counts?: SettingMeaning['counts']): ActionWords => ({
    title: `set ${key} to ${valueText(counts, value)} on ${where}`,
    past: `Set ${key} to ${valueText(counts, value)} on ${where}`,
    subject: key,
  }),
};

/** Sentences about why a setting is not changed, and what became of it. */
export const settingSentences = {
  gone: (node: string): string => `it is no longer listed on ${node}.`,
  changed: (node: string, value: string | undefined, counts: SettingMeaning['counts']): string =>
    `it is now ${valueText(counts, value)} on ${node}.`,
  already: 'it already has this value.',
  oneNodeOrAll: 'Choose one node or all nodes.',
  wrongType: (takes: string | undefined): string => `Must be ${takes}.`,
  was: (before: string | undefined, counts: SettingMeaning['counts']): string => `It was ${valueText(counts, before)}.`,
  isNow: (value: string | undefined, counts: SettingMeaning['counts']): string => `It is ${valueText(counts, value)}.`,
  notReadBack: (value: string | undefined, counts: SettingMeaning['counts']): string =>
    value === undefined
      ? 'Cannot be verified: this broker does not report this setting.'
      : `Cannot be verified: this broker still reports ${valueText(counts, value)}.`,
};

export const settingTexts = {
  unset: '(unset)',
  integer: 'a whole number',
  duration: 'a duration with a unit (ms, s, m, h, d, w), such as 30s',
  bytesize: 'a size in bytes, KB, MB or GB, such as 64KB',
  percent: 'a percentage, such as 60%',
  float: 'a number, such as 0.75',
  flag: 'on or off',
  enum: 'one of a fixed set of words (the broker does not list them)',
  atom: 'a word',
  string: 'text',
  boolean: 'true or false',
  or: ', or ',
  appliesTo: {
    all: 'Takes effect at once.',
    'new-sessions': 'Applies to new sessions. Existing sessions keep the old value.',
    'new-connections': 'Applies to new connections. Connected clients may keep the old value.',
  },
};

export const settingDialogTexts = {
  lowerQueueLimit: safe`Sessions with longer queues lose messages.`,
  title: (key: SafeText) => safe`Setting ${key}`,
  question: (node: SafeText | undefined) => safe`Change this setting ${askTexts.on(node)}?`,
  verb: safe`change`,
  valueLabel: safe`Value`,
  newValueLabel: safe`New value`,
  repeatLabel: safe`Repeat`,
  nodeLabel: safe`On`,
  now: (node: SafeText, value: SafeText) => safe`${node}: now ${value}`,
  notReadBack: safe`The value may be outdated: some brokers do not report changes of this setting.`,
  notReported: safe`This broker does not report the value of this setting.`,
  unverified: safe`The result cannot be verified.`,
  chooseNode: safe`Choose a node.`,
  empty: safe`The value is empty.`,
  differ: safe`The values do not match.`,
  same: safe`It already has this value.`,
  change: (before: SafeText, after: SafeText) => safe`${before} → ${after}`,
  onNode: (node: SafeText, change: SafeText) => safe`${node}: ${change}`,
  unread: (count: number) =>
    safe`${formatCount(count)} more ${count === 1 ? safe`node` : safe`nodes`} not read. ${count === 1 ? safe`Its value changes` : safe`Their values change`} too.`,
  /** @param node `undefined` for all nodes */
  verified: (node: SafeText | undefined) => safe`The result is verified on ${node ?? safe`every node`}.`,
  nowhere: safe`No node has this setting`,
  notOn: (node: SafeText) => safe`${node} does not list this setting`,
};

export const settingsTexts = {
  settingTitle: safe`Setting`,
  differ: safe`! differ`,
  empty: safe`No settings on any node.`,
  notOffered: safe`settings`,
  notFound: safe`settings`,
  /** @param known how many of `nodes` have the setting */
  sameness: (isDifferent: boolean, known: number, nodes: number) =>
    isDifferent ? safe`! differ` : known < 2 ? unknownText : known < nodes ? safe`${known} of ${nodes}` : safe`same`,
  appliesTo: {
    all: safe`at once`,
    'new-sessions': safe`for new sessions`,
    'new-connections': safe`for new connections`,
    unknown: unknownText,
  },
  aboutLabel: safe`about`,
  accepts: safe`Accepts`,
  values: safe`Values`,
  takesEffectTitle: safe`Takes effect`,
  type: safe`type`,
  takesEffect: safe`takes effect`,
  effects: {
    all: safe`at once`,
    'new-sessions': safe`for new sessions; existing ones keep the old value`,
    'new-connections': safe`for new connections; connected clients may keep the old value`,
  },
  application: safe`application`,
  fetched: (seconds: number) => safe`read ${formatAge(seconds)}`,
  different: (settings: number) => safe`! ${settings} ${settings === 1 ? safe`differs` : safe`differ`} between nodes`,
  nodeByNode: safe`read node by node`,
};

/** The text of the help for a broker without them. */
export const settingLacks = {
  all: (api: SafeText) => [safe`Settings`, safe`${api} does not offer broker or plugin settings`] as const,
} as const;
