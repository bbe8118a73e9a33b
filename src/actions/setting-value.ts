/** How values of one type are typed, and how the broker writes them back (field notes, "Actions"). */
interface ValueType {
  /** What it takes, as the rest of "It takes …". */
  readonly takes: string;
  readonly pattern: RegExp;
  /** All that it takes, where that is few. */
  readonly choices?: readonly string[];
  /** The same number for all spellings of a value, typed or read; `undefined` for what is none. */
  readonly amountOf?: (value: string) => number | undefined;
  /** A value that was read, as it is typed; the value itself where it is none of the type. */
  readonly typedOf?: (value: string) => string;
}

type Units = readonly (readonly [unit: string, size: number])[];

/** Largest first. */
const durations: Units = [['w', 604_800_000], ['d', 86_400_000], ['h', 3_600_000], ['m', 60_000], ['s', 1_000], ['ms', 1]];
const sizes: Units = [['GB', 1_073_741_824], ['MB', 1_048_576], ['KB', 1_024], ['', 1]];

const wholePattern = /^(?:0|[1-9]\d*)$/u;
const decimalPattern = /^-?\d+(?:\.\d+)?$/u;

/** A sum such as `1h30m`; a number without a unit counts as the smallest one, which is how the broker writes it. */
function amountIn(units: Units, value: string): number | undefined {
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)([a-z]*)/giu)];
  // One pass: a pattern over the whole value would take exponential time for a long row of digits.
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== value) return undefined;
  const amounts = parts.map(([, amount, unit = '']) => {
    const size = unit === '' ? 1 : units.find(([name]) => name.toLowerCase() === unit.toLowerCase())?.[1];
    return size === undefined ? undefined : Number(amount) * size;
  });
  return amounts.reduce((sum, amount) => (sum === undefined || amount === undefined ? undefined : sum + amount), 0);
}

/** In the largest unit that leaves no fraction. */
function typedIn(units: Units, value: string, zero: string): string {
  if (!wholePattern.test(value) || !Number.isSafeInteger(Number(value))) return value;
  if (value === '0') return zero;
  const [unit, size] = units.find((each) => Number(value) % each[1] === 0) ?? ['', 1];
  return `${Number(value) / size}${unit}`;
}

/** The broker rounds to four decimals. */
const inTenThousandths = (value: string): number | undefined => (decimalPattern.test(value) ? Math.round(Number(value) * 10_000) : undefined);

const flagWords: ReadonlyMap<string, boolean> = new Map([['on', true], ['true', true], ['off', false], ['false', false]]);

/** By the word that the broker has for it (§2.12): those of the specification, and those of real brokers. */
const types: Readonly<Record<string, ValueType>> = {
  integer: { takes: 'a whole number', pattern: wholePattern },
  duration: {
    takes: 'a duration with its unit (ms, s, m, h, d or w), such as 30s',
    pattern: /^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/u,
    amountOf: (value) => amountIn(durations, value),
    typedOf: (value) => typedIn(durations, value, '0s'),
  },
  bytesize: {
    takes: 'a size in bytes, or with KB, MB or GB, such as 64KB',
    pattern: /^\d+(?:[KMG]B|[kmg]b)?$/u,
    amountOf: (value) => amountIn(sizes, value),
    typedOf: (value) => typedIn(sizes, value, '0'),
  },
  percent: {
    takes: 'a percentage, such as 60%',
    pattern: /^(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)%$/u,
    amountOf: (value) => {
      const amount = inTenThousandths(value.replace(/%$/u, ''));
      return amount === undefined || !value.endsWith('%') ? amount : Math.round(amount / 100);
    },
    typedOf: (value) => (/^[01](?:\.\d+)?$/u.test(value) ? `${Number((Number(value) * 100).toFixed(6))}%` : value),
  },
  float: {
    takes: 'a number, such as 0.75',
    pattern: decimalPattern,
    amountOf: inTenThousandths,
    typedOf: (value) => value.replace(/(\.\d+?)0+$/u, '$1'),
  },
  flag: {
    takes: 'on or off',
    pattern: /^(?:on|off)$/u,
    choices: ['on', 'off'],
    amountOf: (value) => (flagWords.has(value) ? Number(flagWords.get(value)) : undefined),
    typedOf: (value) => (flagWords.has(value) ? (flagWords.get(value) === true ? 'on' : 'off') : value),
  },
  enum: { takes: 'one of a few words; the broker does not say which, and may refuse others', pattern: /^/u },
  atom: { takes: 'a word', pattern: /^/u },
  string: { takes: 'a text', pattern: /^/u },
};

/** What is known of the values of one setting. */
export interface SettingType {
  /** As the rest of "It takes …"; `undefined` where nothing is known. Raw where the broker's word is not known here. */
  readonly takes: string | undefined;
  /** All that it takes, where that is known and few. */
  readonly choices: readonly string[] | undefined;
  /** Why the broker could not take a value, as a sentence; `undefined` where it may. */
  problemOf(value: string): string | undefined;
  /** A value that was read, in the unit in which it is typed. */
  typed<T extends string | undefined>(value: T): T | string;
  /** Whether two values are the same, however each is written. */
  isSame(a: string | undefined, b: string | undefined): boolean;
}

const booleans = ['true', 'false'];

/** `dataType`: the broker's own word, or several as in `integer, duration`. `present`: what it has, on each node; its form tells what the word does not. */
export function settingTypeOf(dataType: string | undefined, present: readonly (string | undefined)[]): SettingType {
  const words = dataType?.split(',').map((word) => word.trim()) ?? [];
  const known = words.flatMap((word) => (Object.hasOwn(types, word) ? types[word] ?? [] : []));
  const [first] = known;
  const isBoolean = first?.choices === undefined && present.length > 0 && present.every((value) => value !== undefined && booleans.includes(value));
  const choices = isBoolean ? booleans : known.length === 1 ? first?.choices : undefined;
  const takes = isBoolean ? 'true or false' : (known.map((type) => type.takes).join(', or ') || dataType);
  // A specified broker has no word for a number with a fraction: it is a text then.
  const isDecimal = present.some((value) => value !== undefined && value.includes('.') && decimalPattern.test(value));
  const amounts = [...known.flatMap(({ amountOf }) => amountOf ?? []), ...(isDecimal ? [inTenThousandths] : [])];
  return {
    takes,
    choices,
    problemOf: (value) => (known.length < words.length || known.length === 0 || known.some(({ pattern }) => pattern.test(value)) ? undefined : `It takes ${takes}.`),
    typed: (value) => (value === undefined || known.length !== 1 ? value : (first?.typedOf?.(value) ?? value)),
    isSame: (a, b) => a === b || (a !== undefined && b !== undefined && amounts.some((amountOf) => {
      const amount = amountOf(a);
      return amount !== undefined && amount === amountOf(b);
    })),
  };
}

/** Settings that take effect and go on reading as before (field notes, "Actions"). */
const neverReadBack: ReadonlySet<string> = new Set(['log.console.level']);

/** Whether a setting may read back as it was, although it has changed. */
export const mayReadAsBefore = (key: string): boolean => neverReadBack.has(key);

const keepingSessions = /^mqtt\.(?:session|mqueue)\./u;
const keepingConnections = /^mqtt\.(?:client\.|conn\.|keepalive_backoff$|max_(?:clientid_len|packet_size)$)/u;

/** For whom a changed setting holds, as a sentence; `undefined` where that is not known. By the application: `broker` is the embedded one. */
export function whomItHoldsFor(app: string, key: string): string | undefined {
  if (app === 'broker') return 'It holds at once, also for connected clients.';
  if (keepingSessions.test(key)) return 'It holds for sessions that begin from now on; the others keep the old value.';
  if (keepingConnections.test(key)) return 'It holds for clients that connect from now on; connected ones may keep the old value.';
  return undefined;
}
