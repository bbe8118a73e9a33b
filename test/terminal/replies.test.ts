import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeKey, ReplyFilter } from '../../src/terminal/replies.ts';

const escape = '\u001B';
const bell = '\u0007';
const end = `${escape}\\`;
const paste = (text: string): string => `${escape}[200~${text}${escape}[201~`;

const bytes = (text: string): string => Buffer.from(text).toString('latin1');

const replies: readonly string[] = [
  `${escape}]11;rgb:3030/3434/4646${bell}`,
  `${escape}]10;rgb:ffff/ffff/ffff${end}`,
  `${escape}]52;c;S3lxIAo=${end}`,
  `${escape}]4;1;rgb:aa/bb/cc${bell}`,
  `${escape}]lKyq title${end}`,
  `${escape}P>|xterm(390)${end}`,
  `${escape}P1$r0m${end}`,
  `${escape}P!|7E565445${end}`,
  `${escape}P1+r544e=787465726d${end}`,
  `${escape}_Gi=31;OK${end}`,
  `${escape}^Kyq${end}`,
  `${escape}XKyq${end}`,
  `${escape}[?62;4;22c`,
  `${escape}[>41;390;0c`,
  `${escape}[0n`,
  `${escape}[24;80R`,
  `${escape}[?24;80;1R`,
  `${escape}[?2026;2$y`,
  `${escape}[4;2$y`,
  `${escape}[8;24;80t`,
  `${escape}[?997;1n`,
  `${escape}[?0u`,
  `${escape}[I`,
  `${escape}[O`,
  `${escape}[<35;20;5M`,
  `${escape}[<0;20;5m`,
  `${escape}[35;20;5M`,
  `${escape}[M qK`,
  `${escape}[M#\u00C3\u00A9`,
  `${escape}[201~`,
];

/** Keys that are not prefixes of other sequences. */
const plainKeys: readonly string[] = [
  'j',
  'K',
  'y',
  'q',
  ']',
  '[',
  'P',
  'O',
  '\\',
  '0',
  ';',
  ' ',
  '\r',
  '\t',
  '\u007F',
  '\u0003',
  '\u001A',
  bell,
  bytes('é'),
  bytes('漢'),
  bytes('😀'),
  `${escape}[A`,
  `${escape}[1;5D`,
  `${escape}[5~`,
  `${escape}[Z`,
  `${escape}OA`,
  `${escape}OP`,
  `${escape}[[A`,
  `${escape}[2$`,
  `${escape}[15;2~`,
  `${escape}[9;2u`,
  paste('Kyq\r'),
  paste(`a${escape}]11;b`),
  paste(bytes('漢字\n')),
  paste(''),
];

type Item = { readonly text: string; readonly kind: 'key' | 'reply' | 'esc' };

const item: fc.Arbitrary<Item> = fc.oneof(
  fc.constantFrom(...plainKeys).map((text) => ({ text, kind: 'key' as const })),
  fc.constantFrom(...replies).map((text) => ({ text, kind: 'reply' as const })),
  fc
    .tuple(
      fc.constantFrom(']', 'P', 'X', '^', '_'),
      fc.string({ unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)), maxLength: 30 }),
    )
    .map(([introducer, payload]) => ({ text: escape + introducer + payload + end, kind: 'reply' as const })),
  fc.constant({ text: escape, kind: 'esc' as const }),
);

describe('keys between replies', () => {
  test('are the same whatever is between them and however input is split', () => {
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 25 }),
        fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 40 }),
        (items, sizes) => {
          const filter = new ReplyFilter();
          let nowMs = 0;
          let received = '';
          let turn = 0;
          const send = (text: string): void => {
            for (let rest = text; rest !== '';) {
              const size = 1 + (sizes[turn % sizes.length] ?? 0);
              turn += 1;
              received += filter.push(rest.slice(0, size), nowMs);
              rest = rest.slice(size);
            }
          };
          let together = '';
          for (const [index, { text, kind }] of items.entries()) {
            together += text;
            // A key comes some time after Esc; a reply may come at any time.
            if (kind === 'esc' && items[index + 1]?.kind !== 'reply') {
              send(together);
              together = '';
              nowMs += 20;
              received += filter.expire(nowMs);
              nowMs += 500;
            }
          }
          send(together);
          const typed = items.map(({ text, kind }) => ({ key: text, reply: '', esc: escapeKey })[kind]).join('');
          expect(received).toBe(typed);
          expect(filter.dueMs).toBeUndefined();
        },
      ),
      { numRuns: 3_000 },
    );
  });

  /** Replies without PM and SOS, which terminals do not send: their rest after a late chunk looks like typing. */
  const sent = replies.filter((text) => !/^\u001B[\^X]/u.test(text));

  /** Returns what is received of chunks with these gaps. */
  const receive = (chunks: readonly string[], gaps: readonly number[]): string => {
    const filter = new ReplyFilter();
    let nowMs = 0;
    let received = '';
    for (const [index, chunk] of chunks.entries()) {
      received += filter.push(chunk, nowMs);
      const nextMs = nowMs + (gaps[index % gaps.length] ?? 0);
      for (let { dueMs } = filter; dueMs !== undefined && dueMs <= nextMs; { dueMs } = filter)
        received += filter.expire(dueMs);
      nowMs = nextMs;
    }
    return received + filter.push('~', nowMs);
  };

  test('are not made from replies split into chunks up to half a second apart', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...sent),
        fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat({ max: 499 }), { minLength: 1, maxLength: 8 }),
        (text, sizes, gaps) => {
          const chunks: string[] = [];
          // Esc alone is tested below.
          for (let at = 0; at < text.length;) {
            const size = (at === 0 ? 2 : 1) + (sizes[chunks.length % sizes.length] ?? 0);
            chunks.push(text.slice(at, at + size));
            at += size;
          }
          // Strings are waited for 2 s in all.
          const maxGapMs = Math.floor(2_000 / Math.max(4, chunks.length - 1));
          expect(
            receive(
              chunks,
              gaps.map((gap) => gap % maxGapMs),
            ),
          ).toBe('~');
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('are not made from the rest of a reply that comes after a pause of seconds, and keys typed in the pause are none of it', () => {
    const long = sent.filter((text) => text.length > 6 && !text.startsWith(`${escape}[M`));
    for (const text of long) {
      for (const gapMs of [501, 1_900, 9_000]) expect(receive([text.slice(0, 4), text.slice(4)], [gapMs])).toBe('~');
    }
    for (const text of [`${escape}[24;80R`, `${escape}]11;rgb:3030/3434/4646${bell}`, `${escape}[?62;4;22c`]) {
      expect(receive([text.slice(0, 4), ...text.slice(4)], [1_500])).toBe('~');
      expect(receive([escape, text.slice(1)], [3_000])).toBe(`${escapeKey}~`);
      expect(receive([text.slice(0, 4), 'j', 'K', '\r'], [700])).toBe('jK\r~');
      expect(receive([text.slice(0, 4), text.slice(4)], [11_000])).toBe(`${text.slice(4)}~`);
    }
  });

  test('are not made from the rest of a reply after its Esc was passed on, in one chunk or byte by byte', () => {
    for (const text of sent) {
      for (const gapMs of [20, 100, 499]) expect(receive([escape, text.slice(1)], [gapMs])).toBe(`${escapeKey}~`);
    }
    for (const text of sent) expect(receive([...text], [30])).toBe(`${escapeKey}~`);
  });

  test('are not made from 8-bit replies, and multibyte characters stay whole', () => {
    const eightBit = [
      '\u009B?62;22c',
      '\u009D11;rgb:0/0/0\u009C',
      `\u009D11;rgb:0/0/0${bell}`,
      '\u0090>|xterm(390)\u009C',
      `\u009FGi=31;OK${end}`,
      '\u009B24;80R',
    ];
    for (const text of eightBit) {
      expect(receive([text], [0])).toBe('~');
      expect(receive([...text], [30])).toBe('~');
      expect(receive([text.slice(0, 1), text.slice(1)], [499])).toBe('~');
    }
    for (const text of ['\u00DB', '\u00D0', '\u00DD?', '\u6F1B\u901B', '\u{1F41B}\u{1F490}']) {
      expect(receive([...bytes(text)], [30])).toBe(`${bytes(text)}~`);
      expect(receive([bytes(text)], [0])).toBe(`${bytes(text)}~`);
    }
  });

  test('are passed on at once when nothing begins with Esc', () => {
    const filter = new ReplyFilter();
    expect(filter.push('jjk', 0)).toBe('jjk');
    expect(filter.push(`${escape}[B`, 0)).toBe(`${escape}[B`);
    expect(filter.dueMs).toBeUndefined();
  });
});

describe('replies', () => {
  /** A string without its Esc and its end. */
  const contentOf = (text: string): string =>
    /^\u001B[\]P_X^]/u.test(text) ? text.slice(1).replace(/(?:\u0007|\u001B\\)$/u, '') : text;
  /** Mouse reports with raw bytes are dropped. */
  const isHandedOver = (text: string): boolean => !text.startsWith(`${escape}[M`);

  test('are handed over whole and once, after the keys before them, however input is split', () => {
    fc.assert(
      fc.property(
        fc.array(
          item.filter(({ kind }) => kind !== 'esc'),
          { maxLength: 25 },
        ),
        fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 40 }),
        (items, sizes) => {
          const received: string[] = [];
          const typed = (keys: string): void => {
            if (keys !== '') received.push(keys);
          };
          const filter = new ReplyFilter((reply, keysBefore) => {
            typed(keysBefore);
            received.push(`<${reply}>`);
          });
          let rest = items.map(({ text }) => text).join('');
          for (let turn = 0; rest !== ''; turn += 1) {
            const size = 1 + (sizes[turn % sizes.length] ?? 0);
            typed(filter.push(rest.slice(0, size), 0));
            rest = rest.slice(size);
          }
          expect(received.join('')).toBe(
            items
              .map(({ text, kind }) => (kind === 'key' ? text : isHandedOver(text) ? `<${contentOf(text)}>` : ''))
              .join(''),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['incomplete', `${escape}]11;rgb:ffff/ff`],
    ['interrupted', `${escape}]11;rgb:ffff/ffff/ffff\u0003`],
    ['a sequence without its end', `${escape}[<0;1;1`],
    ['pasted', paste(`${escape}[<0;1;1M${escape}]11;rgb:0/0/0${bell}`)],
    ['a key', `${escape}[A`],
  ])('are not handed over: %s', (_name, text) => {
    const received: string[] = [];
    const filter = new ReplyFilter((reply) => {
      received.push(reply);
    });
    filter.push(text, 0);
    filter.expire(60_000);
    expect(received).toEqual([]);
  });

  test('with 8-bit controls or a late Esc are handed over as others', () => {
    const received: string[] = [];
    const filter = new ReplyFilter((reply, keysBefore) => {
      received.push(keysBefore, reply);
    });
    filter.push('j\u009D11;rgb:0/0/0\u009C\u009B<0;1;1M', 0);
    filter.push(escape, 0);
    expect(filter.expire(20)).toBe(escapeKey);
    filter.push('[<0;2;2M', 60);
    expect(received).toEqual(['j', ']11;rgb:0/0/0', '', `${escape}[<0;1;1M`, '', `${escape}[<0;2;2M`]);
  });
});

describe('Esc', () => {
  const filterAfter = (...chunks: readonly string[]): { filter: ReplyFilter; received: string } => {
    const filter = new ReplyFilter();
    return { filter, received: chunks.map((chunk) => filter.push(chunk, 0)).join('') };
  };

  test('alone is a key after 20 ms, and twice two keys', () => {
    const { filter, received } = filterAfter(escape);
    expect([received, filter.dueMs, filter.expire(19), filter.expire(20), filter.dueMs]).toEqual([
      '',
      20,
      '',
      escapeKey,
      undefined,
    ]);
    const twice = filterAfter(escape, escape);
    expect([twice.received, twice.filter.expire(20)]).toEqual(['', escapeKey + escapeKey]);
  });

  test.each<[string, readonly string[], string]>([
    ['and a key in the next chunk are two keys', [escape, 'j'], `${escapeKey}j`],
    ['and a multibyte key in the next chunk are two keys', [escape, bytes('é')], escapeKey + bytes('é')],
    ['and a key in the same chunk are Alt and that key', [`${escape}j`], `${escape}j`],
    ['and Enter are Alt-Enter, also in two chunks', [escape, '\r'], `${escape}\r`],
    ['and an arrow in one chunk stay together', [`${escape}${escape}[A`], `${escape}${escape}[A`],
    [
      'and a reply right after it is a key',
      [`${escape}${escape}[24;80R`, `${escape}${escape}]11;rgb:0/0/0${bell}`],
      escapeKey + escapeKey,
    ],
  ])('%s', (_name, chunks, keys) => {
    const { filter, received } = filterAfter(...chunks);
    expect([received, filter.dueMs]).toEqual([keys, undefined]);
  });

  test.each<[string, readonly string[], string]>([
    ['[', [escape, '['], `${escapeKey}[`],
    ['P', [escape, 'P'], `${escapeKey}P`],
    [']', [escape, ']'], `${escapeKey}]`],
    ['O', [escape, 'O'], `${escapeKey}O`],
    ['P and a topic', [escape, 'P', 'abc'], `${escapeKey}Pabc`],
    ['P and a topic in one chunk', [`${escape}Pabc`], `${escape}Pabc`],
  ])('and then %s, which may begin a sequence, are keys when nothing follows', (name, chunks, keys) => {
    const { filter, received } = filterAfter(...chunks);
    const dueMs = name.length > 1 ? 100 : 500;
    expect([received, filter.dueMs]).toEqual(['', dueMs]);
    expect([filter.expire(dueMs - 1), filter.expire(dueMs), filter.dueMs]).toEqual(['', keys, undefined]);
  });

  test.each<[string, number, string, string]>([
    ['[ is back', 150, '[', '['],
    ['P and Enter', 60, 'P\r', 'P\r'],
    ['[ and j, in one chunk', 60, '[j', '[j'],
    ['what looks like the rest of a reply, long after', 11_000, '[?62c', '[?62c'],
  ])('passed on, and then %s', (_name, gapMs, chunk, keys) => {
    const { filter } = filterAfter(escape);
    expect([filter.expire(20), filter.push(chunk, gapMs), filter.dueMs]).toEqual([escapeKey, keys, undefined]);
  });

  test('passed on, and then keys that a slow line joins, are those keys', () => {
    const changed: string[] = [];
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
    const pairs = printable.flatMap((first) => ['', ...printable].map((second) => first + second));
    for (const keys of [...'[]P_'].flatMap((first) => pairs.map((pair) => first + pair))) {
      const { filter } = filterAfter(escape);
      const received = [filter.expire(20), filter.push(keys, 520)];
      if (received.join('') !== escapeKey + keys || filter.dueMs !== undefined) changed.push(keys);
    }
    // Whole reports and keys, and how the version of a terminal begins.
    const numbers = [...'123456789'];
    expect(changed.toSorted()).toEqual(
      [
        '[0n',
        '[3n',
        'P>|',
        'P!|',
        ...numbers.flatMap((number) => [`[${number}~`, `[${number}^`, `[${number}@`]),
      ].toSorted(),
    );
  });

  test.each(['[;j', 'P0', ']0;', '_Gq', '[>1;y', '[1;5q'])(
    'passed on, and then %s, even seconds later, are those keys',
    (keys) => {
      for (const gapMs of [520, 9_000]) {
        const { filter } = filterAfter(escape);
        expect([filter.expire(20), filter.push(keys, gapMs), filter.dueMs]).toEqual([escapeKey, keys, undefined]);
      }
    },
  );

  test.each(['[1j', '[5q', '[2;K', '[0y'])('passed on, and then %s, which no key sends, are those keys', (keys) => {
    const { filter } = filterAfter(escape);
    expect([filter.expire(20), filter.push(keys, 200), filter.dueMs]).toEqual([escapeKey, keys, undefined]);
  });

  test.each(['[1;5D', '[15;2~', '[9;2u', '[97;5:1u'])('passed on, and then %s, seconds later, is one key', (rest) => {
    const { filter } = filterAfter(escape);
    const [, late, dueMs] = [filter.expire(20), filter.push(rest, 9_000), filter.dueMs];
    expect([late, dueMs]).toEqual([new ReplyFilter().push(escape + rest, 0), undefined]);
  });

  test('passed on, and [ right after it, is completed late', () => {
    const { filter } = filterAfter(escape);
    expect([filter.expire(20), filter.push('[', 60), filter.dueMs, filter.expire(560), filter.push('[', 570)]).toEqual([
      escapeKey,
      '',
      560,
      '[',
      '[',
    ]);
  });

  test('passed on, and an arrow whose rest came late', () => {
    const { filter } = filterAfter(escape);
    expect([filter.expire(20), filter.push('[A', 220)]).toEqual([escapeKey, `${escape}[A`]);
  });

  test('and P and text typed ahead are passed on at Enter', () => {
    expect(filterAfter(escape, 'Pabc', '\r').received).toBe(`${escapeKey}Pabc\r`);
  });
});

describe('input that never ends', () => {
  test('a reply is waited for briefly, and Ctrl-C, Enter, Esc and arrows end it at once', () => {
    const begun = `${escape}]11;rgb:30`;
    for (const key of ['\u0003', '\r', `${escape}[A`]) expect(new ReplyFilter().push(begun + key, 0)).toBe(key);
    const filter = new ReplyFilter();
    expect([
      filter.push(begun, 0),
      filter.dueMs,
      filter.push('30', 400),
      filter.dueMs,
      filter.expire(900),
      filter.push('j', 901),
    ]).toEqual(['', 500, '', 900, '', 'j']);
    // A key held down does not extend the wait for ever.
    filter.push(begun, 1_000);
    for (let nowMs = 1_000; nowMs < 3_000; nowMs += 50) filter.push('j', nowMs);
    expect([filter.dueMs, filter.expire(3_000), filter.push('j', 3_001)]).toEqual([3_000, '', 'j']);
    filter.push(begun + escape, 4_000);
    expect([filter.expire(4_500), filter.dueMs]).toEqual([escapeKey, undefined]);
  });

  test('an incomplete sequence is dropped', () => {
    for (const begun of [
      `${escape}[`,
      `${escape}[1;`,
      `${escape}[M!`,
      `${escape}O1`,
      `${escape}[${'1;'.repeat(5_000)}`,
    ]) {
      const filter = new ReplyFilter();
      expect([filter.push(begun, 0), filter.dueMs, filter.expire(500), filter.push('j', 501)]).toEqual([
        '',
        500,
        '',
        'j',
      ]);
      expect(new ReplyFilter().push(`${begun}\u0003`, 0)).toBe('\u0003');
    }
  });

  test('a paste is ended by Ctrl-C or Esc alone', () => {
    const filter = new ReplyFilter();
    expect(filter.push(`${escape}[200~Ky`, 0) + filter.push('q', 60_000) + filter.expire(60_000)).toBe('');
    expect(filter.dueMs).toBeUndefined();
    expect(filter.push('\u0003', 61_000)).toBe(`${paste('Kyq')}\u0003`);
    expect(filter.push(`${escape}[200~Ky`, 0) + filter.push(escape, 1)).toBe('');
    expect([filter.dueMs, filter.expire(301), filter.push('j', 302)]).toEqual([301, paste('Ky'), 'j']);
    // The Esc of the end mark is not alone.
    expect(filter.push(`${escape}[200~Ky`, 200) + filter.push(escape, 200) + filter.push('[201~j', 250)).toBe(
      `${paste('Ky')}j`,
    );
  });

  test('a paste of many megabytes is truncated, and its end is found', () => {
    const filter = new ReplyFilter();
    const chunk = 'x'.repeat(65_536);
    let received = filter.push(`${escape}[200~`, 0);
    for (let count = 0; count < 160; count += 1) received += filter.push(chunk, 0);
    expect(received).toBe('');
    received = filter.push(`xx${escape}[20`, 0) + filter.push('1~j', 0);
    expect(received.endsWith(`${escape}[201~j`)).toBe(true);
    expect(received.length).toBeLessThan(5 * 1024 * 1024);
  });
});
