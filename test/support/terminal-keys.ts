const named = {
  'enter': '\r',
  'esc': '\x1b',
  'tab': '\t',
  'shift-tab': '\x1b[Z',
  'space': ' ',
  'backspace': '\x7f',
  'delete': '\x1b[3~',
  'insert': '\x1b[2~',
  'up': '\x1b[A',
  'down': '\x1b[B',
  'right': '\x1b[C',
  'left': '\x1b[D',
  'home': '\x1b[H',
  'end': '\x1b[F',
  'page-up': '\x1b[5~',
  'page-down': '\x1b[6~',
} as const;

/** A key by its name, `ctrl-` and one letter, or one character. */
export type Key = keyof typeof named | `ctrl-${string}` | (string & {});

/**
 * Returns what a terminal sends for a key.
 * @throws RangeError for an unknown name: typed letter by letter it would do something else.
 */
export function keyBytes(key: Key): string {
  if (Object.hasOwn(named, key)) return named[key as keyof typeof named];
  const control = /^ctrl-([a-z[\\\]^_])$/.exec(key)?.[1];
  if (control !== undefined) return String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f);
  if ([...key].length === 1) return key;
  throw new RangeError(`No key is called "${key}".`);
}
