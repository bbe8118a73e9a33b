/** Reports of keys that a terminal sends because an earlier program asked for them, or always. */

/** `ESC [ 27 ; modifiers ; code ~`: xterm's modifyOtherKeys. */
// oxlint-disable-next-line no-control-regex
const otherKey = /^\u001B\[27;(\d+);(\d+)~$/u;
/** `ESC [ code : shifted : base ; modifiers : event ; text u`: kitty's protocol. xterm sends fewer of the parts. */
// oxlint-disable-next-line no-control-regex
const kittyKey = /^\u001B\[(\d+)(?::\d*(?::(\d+))?)?(?:;(\d*)(?::(\d+))?(?:;[\d:]*)?)?u$/u;

const shift = 1;
const control = 4;
/** The modifier bits of Caps Lock and Num Lock. */
const locks = 64 + 128;
const release = 3;

/**
 * The letters of a keyboard, in the order of the keys in `layouts`: Ctrl with a key of another layout means the Latin
 * letter.
 */
const latinKeys = 'qwertyuiopasdfghjklzxcvbnm';
const layouts: readonly string[] = [
  'йцукенгшщзфывапролдячсмить',
  'йцукенгшщзфівапролдячсмить',
  ';ςερτυθιοπασδφγηξκλζχψωβνμ',
  "/'קראטוןםפשדגכעיחלךזסבהנמצ",
  'ضصثقفغعهخحشسيبلاتنمئءؤر\u0000ىة',
  'ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ',
  'ქწერტყუიოპასდფგჰჯკლზხცვბნმ',
];
const latinOf = new Map(
  layouts
    .flatMap((letters) => Array.from(letters, (letter, at): [string, string] => [letter, latinKeys[at] ?? '']))
    .filter(([letter]) => letter > '\u007F'),
);

/** Letters that Ctrl turns into what Enter, Tab, Esc and Backspace send. They stay letters. */
const namedControls: ReadonlySet<string> = new Set(['h', 'i', 'j', 'm', '[']);

const asBytes = (text: string): string => Buffer.from(text).toString('latin1');

/**
 * Returns what terminals send for the key without such reports, as `latin1` text. Other sequences, and keys without an
 * older form, stay as they are.
 */
export function plainKey(sequence: string): string {
  const other = otherKey.exec(sequence);
  const kitty = other === null ? kittyKey.exec(sequence) : null;
  const code = Number(other?.[2] ?? kitty?.[1] ?? Number.NaN);
  if (!(code >= 0 && code <= 0x10_ff_ff)) return sequence;
  const modifiers = Number(other?.[1] ?? kitty?.[3] ?? '') || 1;
  const held = (modifiers - 1) & ~locks;
  if (Number(kitty?.[4] ?? '') === release) return sequence;
  const typed = String.fromCodePoint(code);
  if ((held & control) === 0)
    return other === null || code < 0x20 || code === 0x7f
      ? asKitty(sequence, other)
      : (held & ~shift) === 0
        ? asBytes(typed)
        : asKitty(sequence, other);
  const base = Number(kitty?.[2] ?? '');
  const letter = (base > 0 ? String.fromCodePoint(base) : (latinOf.get(typed.toLowerCase()) ?? typed)).toLowerCase();
  if ((held & ~(control | shift)) === 0 && /^[a-z\\\]^_]$/u.test(letter) && !namedControls.has(letter))
    return String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 0x1f);
  return asKitty(sequence, other);
}

const asKitty = (sequence: string, other: RegExpExecArray | null): string =>
  other === null ? sequence : `\u001B[${other[2]};${other[1]}u`;
