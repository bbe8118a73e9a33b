import type { Read, Undoing } from '../../actions/action.ts';
import { askTexts, stoppedLines } from '../../actions/asking.ts';
import { defineAction } from '../../actions/define-action.ts';
import type { DialogOrRefusal, FormField } from '../../actions/requests.ts';
import { allNodesText, listNodes, skipTexts, undoTexts } from '../../actions/texts.ts';
import { defineUndo, keepValue, valueOfKept } from '../../actions/undo.ts';
import {
  changedNodes,
  readEachNode,
  recheckStopped,
  runningBesides,
  verifyEachNode,
} from '../../actions/verification.ts';
import type { Setting, SettingMeaning } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import { disclose, isSecretSetting } from '../../domain/secret-keys.ts';
import { watchOf } from '../../monitor/query/part.ts';
import type { Effects } from '../../monitor/state.ts';
import { formatCount, unknownText } from '../../terminal/format.ts';
import { escapeText, joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { widestFitting } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { nodeSettings, settings } from '../settings/resource.ts';
import { settingSentences, settingTexts, settingWords } from '../settings/texts.ts';
import { meaningOf } from './fields.ts';
import type { SettingRow } from './select.ts';
import { settingCountText, settingDialogTexts } from './texts.ts';

/** The row that the action of the screen Settings acts on. */
export interface ShownSettings extends Omit<SettingRequestOptions, 'row'> {
  readonly row: SettingRow | undefined;
}

export interface ShownSetting {
  readonly node: NodeName;
  readonly value: string | undefined;
}

export interface SettingChange {
  readonly app: string;
  readonly key: string;
  readonly value: string;
  readonly nodes: readonly ShownSetting[];
  readonly meaning?: SettingMeaning | undefined;
  /** The change is one request that names no node and acts on all of `nodes`. Otherwise `nodes` has one. */
  readonly isForAll: boolean;
  readonly stopped?: readonly NodeName[] | undefined;
}

const shownAs = (key: string, dataType: string | undefined, value: string | undefined): string | undefined =>
  disclose(key, settingTypeOf(dataType, [value]).typed(value));

/** Says what changed, except for a hidden value, which looks the same before and after. */
const changeText = (
  counts: SettingMeaning['counts'],
  before: string | undefined,
  after: string | undefined,
): string | undefined => (before === after ? undefined : settingSentences.was(before, counts));

const readSetting = async (
  read: Read,
  node: NodeName,
  { app, key }: Pick<Setting, 'app' | 'key'>,
): Promise<Setting | undefined> =>
  (await read((api, options) => api.getSettings(node, options))).find(
    (setting) => setting.key === key && setting.app === app,
  );

const isSetTo = (setting: Setting | undefined, value: string): boolean =>
  setting !== undefined && settingTypeOf(setting.dataType, [setting.value]).isSame(setting.value, value);

const undoSetting = defineUndo(
  (kept) => ({
    app: kept.text('app'),
    key: kept.text('key'),
    after: kept.value('after'),
    isForAll: kept.flag('isForAll'),
    nodes: kept.list('nodes', (each) => ({ node: each.text('node'), before: each.value('before') })),
    /** The number of nodes that were not changed. */
    others: kept.number('others'),
  }),
  async ({ nodes, others, isForAll, ...setting }, read): Promise<Undoing> => {
    const { key } = setting;
    if (isForAll && others > 0) return { refused: undoTexts.notAll(nodes.map(({ node }) => node)) };
    const [after, ...before] = [setting.after, ...nodes.map((each) => each.before)].map(valueOfKept);
    if (after === undefined || after === 'secret' || before.includes('secret'))
      return { refused: undoTexts.secretNotKept(key) };
    const more = isForAll
      ? await runningBesides(
          read,
          nodes.map(({ node }) => node),
        )
      : [];
    if (more.length > 0) return { refused: undoTexts.moreNodes(more) };
    const left: ShownSetting[] = [];
    let meaning: SettingMeaning | undefined;
    for (const { node } of nodes) {
      const now = await readSetting(read, node, setting);
      meaning = now?.meaning;
      if (now === undefined || !isSetTo(now, after.value ?? ''))
        return {
          refused: undoTexts.changedSince(
            now === undefined
              ? settingSentences.gone(node)
              : settingSentences.changed(node, shownAs(key, now.dataType, now.value), now.meaning?.counts),
          ),
        };
      left.push({ node, value: now.value });
    }
    const [earlier, ...different] = new Set(before.map((kept) => (kept === 'secret' ? undefined : kept.value)));
    if (earlier === undefined || different.length > 0) return { refused: undoTexts.differed };
    return { action: changeSetting.create({ ...setting, value: earlier, nodes: left, isForAll, meaning }) };
  },
);

/** Changes a hot setting. A success answer may be wrong, so every node is read. */
export const changeSetting = defineAction({
  id: 'change-setting',
  label: 'change a hot setting on a node or on all',
  danger: 'changes',
  capability: 'settings',
  where: 'Settings',
  key: {
    id: 'editSetting',
    keys: ['e'],
    label: 'change',
    aliases: ['edit'],
    help: 'Change the setting on the chosen node or all nodes; asks first',
    scope: 'settings',
  },
  ask: (theme, { row, ...shown }: ShownSettings) => row && (() => settingRequest(theme, { ...shown, row })),
  operations: ['changeSetting'],
  confirmation: 'form, before → after, y/N; for all nodes type the key',
  auditFields: ['app', 'key', 'nodes', 'all'],
  undo: undoSetting.plan,
  create(change: SettingChange) {
    const { app, key, value, isForAll } = change;
    const counts = change.meaning?.counts;
    const stopped = Object.freeze([...(change.stopped ?? [])]);
    const shown = Object.freeze(change.nodes.map((each) => Object.freeze({ ...each })));
    const names = shown.map(({ node }) => node);
    let before: ReadonlyMap<NodeName, Setting> = new Map();
    const isWanted = (setting: Setting | undefined): boolean => isSetTo(setting, value);
    const valueOn = (read: Read, node: NodeName): Promise<Setting | undefined> => readSetting(read, node, change);
    return {
      target: { app, key, nodes: listNodes(names), all: isForAll },
      ...settingWords.change(
        key,
        disclose(key, value) ?? '',
        isForAll ? allNodesText(names, stopped.length > 0) : listNodes(names),
        counts,
      ),
      invalid: names.length === 0 || (!isForAll && names.length > 1) ? settingSentences.oneNodeOrAll : undefined,
      async recheck(read) {
        const runningAgain = await recheckStopped(read, stopped);
        if (runningAgain !== undefined) return { changed: runningAgain };
        const readings = await readEachNode(names, (node) => valueOn(read, node));
        for (const reading of readings) {
          if ('error' in reading) return { changed: skipTexts.nodesUnread([reading.node], reading.error.message) };
          if (reading.value === undefined) return { changed: settingSentences.gone(reading.node) };
          if (reading.value.value !== shown.find(({ node }) => node === reading.node)?.value) {
            return {
              changed: settingSentences.changed(
                reading.node,
                shownAs(key, reading.value.dataType, reading.value.value),
                counts,
              ),
            };
          }
        }
        before = new Map(
          readings.flatMap((reading) =>
            'value' in reading && reading.value !== undefined ? [[reading.node, reading.value]] : [],
          ),
        );
        if (
          ![...before.values()].some((each) => each.mayReadBackUnchanged === true) &&
          names.every((node) => isWanted(before.get(node)))
        )
          return { changed: settingSentences.already };
        return {
          plan: {
            stopped,
            before: Object.fromEntries(
              shown.map((each) => [each.node, shownAs(key, before.get(each.node)?.dataType, each.value)]),
            ),
            after: Object.fromEntries(names.map((node) => [node, disclose(key, value)])),
            requests: [
              {
                node: isForAll ? undefined : names[0],
                send: (api, options) =>
                  api.changeSetting(isForAll ? undefined : names[0], { app, key, value }, options),
              },
            ],
            verify: (readAgain, answers) =>
              verifyEachNode(
                names,
                async (node) => ({ node, now: await valueOn(readAgain, node) }),
                ({ node, now }) => {
                  const shownNow = shownAs(key, now?.dataType, now?.value);
                  if (now?.mayReadBackUnchanged !== true || now.value !== before.get(node)?.value)
                    return isWanted(now)
                      ? {
                          state: 'as-wanted',
                          text: changeText(
                            counts,
                            shownAs(key, before.get(node)?.dataType, before.get(node)?.value),
                            shownNow,
                          ),
                        }
                      : { state: 'not-as-wanted', text: settingSentences.isNow(shownNow, counts) };
                  if (answers.some(({ kind }) => kind !== 'accepted')) return { state: 'unreadable' };
                  // Waiting longer would not help: it keeps reading as before.
                  return {
                    state: 'as-wanted',
                    outcome: 'accepted',
                    text: settingSentences.notReadBack(shownNow, counts),
                  };
                },
              ),
          },
        };
      },
      changed: (result) =>
        undoSetting.changed({
          app,
          key,
          after: keepValue(key, value),
          isForAll,
          nodes: changedNodes(result).map((node) => ({
            node,
            before: keepValue(key, settingTypeOf(before.get(node)?.dataType, []).typed(before.get(node)?.value)),
          })),
          others: names.length - changedNodes(result).length,
        }),
      effects: (): Effects => ({
        refresh: [settings, ...names.map((node) => watchOf(nodeSettings, node))],
      }),
    };
  },
});

interface ValueType {
  readonly takes: string;
  readonly pattern: RegExp;
  readonly choices?: readonly string[];
  readonly amountOf?: (value: string) => number | undefined;
  readonly typedOf?: (value: string) => string;
}

type Units = readonly (readonly [unit: string, size: number])[];

const durations: Units = [
  ['w', 604_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];
const sizes: Units = [
  ['GB', 1_073_741_824],
  ['MB', 1_048_576],
  ['KB', 1_024],
  ['', 1],
];

const wholePattern = /^(?:0|[1-9]\d*)$/u;
const decimalPattern = /^-?\d+(?:\.\d+)?$/u;

function amountIn(units: Units, value: string): number | undefined {
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)([a-z]*)/giu)];
  // Not one pattern for the whole value: it would take exponential time on a long row of digits.
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== value) return undefined;
  const amounts = parts.map(([, amount, unit = '']) => {
    const size = unit === '' ? 1 : units.find(([name]) => name.toLowerCase() === unit.toLowerCase())?.[1];
    return size === undefined ? undefined : Number(amount) * size;
  });
  return amounts.reduce((sum, amount) => (sum === undefined || amount === undefined ? undefined : sum + amount), 0);
}

function typedIn(units: Units, value: string, zero: string): string {
  if (!wholePattern.test(value) || !Number.isSafeInteger(Number(value))) return value;
  if (value === '0') return zero;
  const [unit, size] = units.find((each) => Number(value) % each[1] === 0) ?? ['', 1];
  return `${Number(value) / size}${unit}`;
}

/** Parses a decimal: the broker rounds to four. */
const inTenThousandths = (value: string): number | undefined =>
  decimalPattern.test(value) ? Math.round(Number(value) * 10_000) : undefined;

const flagWords: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['true', true],
  ['off', false],
  ['false', false],
]);

const types: Readonly<Record<string, ValueType>> = {
  integer: { takes: settingTexts.integer, pattern: wholePattern },
  duration: {
    takes: settingTexts.duration,
    pattern: /^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/u,
    amountOf: (value) => amountIn(durations, value),
    typedOf: (value) => typedIn(durations, value, '0s'),
  },
  bytesize: {
    takes: settingTexts.bytesize,
    pattern: /^\d+(?:[KMG]B|[kmg]b)?$/u,
    amountOf: (value) => amountIn(sizes, value),
    typedOf: (value) => typedIn(sizes, value, '0'),
  },
  percent: {
    takes: settingTexts.percent,
    pattern: /^(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)%$/u,
    amountOf: (value) => {
      const amount = inTenThousandths(value.replace(/%$/u, ''));
      return amount === undefined || !value.endsWith('%') ? amount : Math.round(amount / 100);
    },
    typedOf: (value) => (/^[01](?:\.\d+)?$/u.test(value) ? `${Number((Number(value) * 100).toFixed(6))}%` : value),
  },
  float: {
    takes: settingTexts.float,
    pattern: decimalPattern,
    amountOf: inTenThousandths,
    typedOf: (value) => value.replace(/(\.\d+?)0+$/u, '$1'),
  },
  flag: {
    takes: settingTexts.flag,
    pattern: /^(?:on|off)$/u,
    choices: ['on', 'off'],
    amountOf: (value) => (flagWords.has(value) ? Number(flagWords.get(value)) : undefined),
    typedOf: (value) => (flagWords.has(value) ? (flagWords.get(value) === true ? 'on' : 'off') : value),
  },
  enum: { takes: settingTexts.enum, pattern: /^/u },
  atom: { takes: settingTexts.atom, pattern: /^/u },
  string: { takes: settingTexts.string, pattern: /^/u },
};

export interface SettingType {
  /** The values that the setting takes, such as `a whole number`; `undefined` where nothing is known. Raw. */
  readonly takes: string | undefined;
  readonly choices: readonly string[] | undefined;
  problemOf(value: string): string | undefined;
  typed<T extends string | undefined>(value: T): T | string;
  isSame(a: string | undefined, b: string | undefined): boolean;
}

const booleans = ['true', 'false'];

/** @param dataType the broker's word, or several: `integer, duration` */
export function settingTypeOf(dataType: string | undefined, present: readonly (string | undefined)[]): SettingType {
  const words = dataType?.split(',').map((word) => word.trim()) ?? [];
  const known = words.flatMap((word) => (Object.hasOwn(types, word) ? (types[word] ?? []) : []));
  const [first] = known;
  const isBoolean =
    first?.choices === undefined &&
    present.length > 0 &&
    present.every((value) => value !== undefined && booleans.includes(value));
  const choices = isBoolean ? booleans : known.length === 1 ? first?.choices : undefined;
  // The specification has no word for fractions: they are texts.
  const isDecimal = present.some((value) => value !== undefined && value.includes('.') && decimalPattern.test(value));
  // Any text may be a text: there is nothing to say.
  const takes = isBoolean
    ? settingTexts.boolean
    : dataType === 'string'
      ? undefined
      : known.map((type) => type.takes).join(settingTexts.or) || dataType;
  const amounts = [...known.flatMap(({ amountOf }) => amountOf ?? []), ...(isDecimal ? [inTenThousandths] : [])];
  return {
    takes,
    choices,
    problemOf: (value) =>
      known.length < words.length || known.length === 0 || known.some(({ pattern }) => pattern.test(value))
        ? undefined
        : settingSentences.wrongType(takes),
    typed: (value) => (value === undefined || known.length !== 1 ? value : (first?.typedOf?.(value) ?? value)),
    isSame: (a, b) =>
      a === b ||
      (a !== undefined &&
        b !== undefined &&
        amounts.some((amountOf) => {
          const amount = amountOf(a);
          return amount !== undefined && amount === amountOf(b);
        })),
  };
}

export interface SettingRequestOptions {
  readonly row: SettingRow;
  readonly node: NodeName | undefined;
  readonly unread: readonly NodeName[];
  readonly stopped: readonly NodeName[];
}

/** A choice that no node is called: node names contain no space. */
const allNodes = 'all nodes';

/** Returns what a setting can be set to: its words, or what its type takes; `undefined` where nothing is known. */
export const acceptedValues = (theme: Theme, row: SettingRow): SafeText | undefined => {
  const { choices, takes } = settingTypeOf(
    row.dataType,
    [...row.byNode.values()].map(({ value }) => value),
  );
  const words = meaningOf(row)?.choices ?? choices;
  if (words === undefined) return takes === undefined ? undefined : theme.escape(takes);
  return joinSafe(
    words.map((word) => theme.escape(word)),
    safe`, `,
  );
};

export const settingRequest = (
  theme: Theme,
  { row, node, unread, stopped }: SettingRequestOptions,
): DialogOrRefusal => {
  const { app, key } = row;
  const nodes = [...row.byNode].map(([name, { value }]) => ({ node: name, value }));
  if (node !== undefined && stopped.includes(node)) {
    return { refused: askTexts.stoppedNode(theme.escape(node, 40)) };
  }
  if (nodes.length === 0 || (node !== undefined && !row.byNode.has(node))) {
    return {
      refused: node === undefined ? settingDialogTexts.nowhere : settingDialogTexts.notOn(theme.escape(node, 40)),
    };
  }
  const isSecret = nodes.some(({ value }) => isSecretSetting(key, value));
  const type = settingTypeOf(
    row.dataType,
    nodes.map(({ value }) => value),
  );
  const first = type.typed((node === undefined ? nodes[0] : nodes.find((each) => each.node === node))?.value);
  const settings = [...row.byNode.values()];
  const appliesTo = settings.find((each) => each.appliesTo !== undefined)?.appliesTo;
  const appliesToNotes = appliesTo === undefined ? [] : [escapeText(settingTexts.appliesTo[appliesTo])];
  const mayReadBackUnchanged = settings.some((each) => each.mayReadBackUnchanged === true);
  const meaning = meaningOf(row);
  const choices = meaning?.choices ?? type.choices;
  const help = type.takes === undefined ? undefined : theme.escape(type.takes);
  const value: readonly FormField[] = isSecret
    ? [
        { id: 'value', label: settingDialogTexts.newValueLabel, kind: 'hidden', help },
        { id: 'again', label: settingDialogTexts.repeatLabel, kind: 'hidden' },
      ]
    : [
        choices !== undefined && first !== undefined && choices.includes(first)
          ? { id: 'value', label: settingDialogTexts.valueLabel, kind: 'choice', choices, initial: first }
          : { id: 'value', label: settingDialogTexts.valueLabel, initial: first, help },
      ];
  return {
    request: {
      kind: 'form',
      title: settingDialogTexts.title(theme.escape(key)),
      fields: [
        ...value,
        {
          id: 'where',
          label: settingDialogTexts.nodeLabel,
          kind: 'choice',
          choices: [allNodes, ...nodes.map((each) => each.node)],
          initial: node ?? allNodes,
        },
      ],
      verb: askTexts.review,
      notes: [
        ...(meaning === undefined ? [] : [trusted(meaning.about)]),
        ...nodes.map((each) =>
          settingDialogTexts.now(theme.escape(each.node), settingText(theme, { key, meaning }, type.typed(each.value))),
        ),
        ...appliesToNotes,
        ...(mayReadBackUnchanged
          ? [
              settings.every(({ value: reported }) => reported === undefined)
                ? settingDialogTexts.notReported
                : settingDialogTexts.notReadBack,
            ]
          : []),
      ],
      build: (values) => {
        const wanted = values['value'] ?? '';
        const where = values['where'] ?? '';
        const isForAll = where === allNodes;
        const targets = isForAll ? nodes : nodes.filter((each) => each.node === where);
        if (targets.length === 0) return { error: settingDialogTexts.chooseNode, field: 'where' };
        if (wanted === '' && (isSecret || row.dataType !== 'string'))
          return { error: settingDialogTexts.empty, field: 'value' };
        if (isSecret && wanted !== values['again']) return { error: settingDialogTexts.differ, field: 'again' };
        const problem = type.problemOf(wanted);
        if (problem !== undefined) return { error: theme.escape(problem), field: 'value' };
        if (!mayReadBackUnchanged && targets.every((each) => type.isSame(each.value, wanted)))
          return { error: settingDialogTexts.same, field: 'value' };
        return {
          next: {
            kind: 'confirm',
            question: settingDialogTexts.question(isForAll ? undefined : theme.escape(where)),
            target: key,
            details: [
              ...targets.map((each) =>
                settingDialogTexts.onNode(
                  theme.escape(each.node),
                  settingDialogTexts.change(
                    settingText(theme, { key, meaning }, type.typed(each.value)),
                    settingText(theme, { key, meaning }, wanted),
                  ),
                ),
              ),
              ...(isForAll ? stoppedLines(theme, stopped) : []),
              ...(isForAll && unread.length > 0 ? [settingDialogTexts.unread(unread.length)] : []),
              ...appliesToNotes,
              mayReadBackUnchanged
                ? settingDialogTexts.unverified
                : settingDialogTexts.verified(isForAll ? undefined : theme.escape(where)),
            ],
            warning:
              meaning?.limitsQueue === true && targets.some((each) => queueLimitOf(wanted) < queueLimitOf(each.value))
                ? settingDialogTexts.lowerQueueLimit
                : undefined,
            verb: settingDialogTexts.verb,
            button:
              isForAll && unread.length === 0 ? askTexts.onNodes(settingDialogTexts.verb, targets.length) : undefined,
            action: changeSetting.create({
              app,
              key,
              value: wanted,
              meaning,
              nodes: targets,
              isForAll,
              stopped: isForAll ? stopped : [],
            }),
            mustType: isForAll ? key : undefined,
          },
        };
      },
    },
  };
};

/** Reads a limit, of which 0 is none. */
const queueLimitOf = (value: string | undefined): number =>
  value === undefined || Number(value) === 0 ? Number.POSITIVE_INFINITY : Number(value);

export const shownValue = (theme: Theme, key: string, value: string | undefined, width?: number): SafeText => {
  const disclosed = disclose(key, value);
  return disclosed === undefined ? unknownText : theme.escape(disclosed, width);
};

/** Writes the value of a setting; a count with its unit, or without where that does not fit. */
export const settingText = (
  theme: Theme,
  { key, meaning }: Pick<Setting, 'key' | 'meaning'>,
  value: string | undefined,
  width?: number,
): SafeText => {
  const count =
    value === undefined || isSecretSetting(key, value) ? undefined : settingCountText(meaning?.counts, value);
  if (count === undefined) return shownValue(theme, key, value, width);
  const text = escapeText(count);
  return width === undefined
    ? text
    : (widestFitting([text, formatCount(Number(value))], width) ?? shownValue(theme, key, value, width));
};

export const settingActions = [changeSetting] as const;
