import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdLongTimeouts } from '../support/long-timeouts.ts';
import { seed } from '../support/seed.ts';
import { differenceTo, type Program, type ShownProgram, startShown, startWritten } from './programs.tsx';
import { chance } from './world.ts';

/** Steps of each kind. `npm run fuzz` runs more. */
const ofEachKind = Number(process.env['FUZZ_STEPS'] ?? 12);

const escape = '\u001B[27u';
const [up, down, pageUp, pageDown, right, left] = [
  '\u001B[A',
  '\u001B[B',
  '\u001B[5~',
  '\u001B[6~',
  '\u001B[C',
  '\u001B[D',
];
/** Keys that open something over the screen. What was open before is closed first. */
const overlays = [...'?:/PaCKBSnewDWto', '\r', ':me', '/sens', '?jjj', '/node:two\r', `P\tx`];
/** Keys that neither end nor suspend the program. */
const keys = [
  ...'1234567890123456789055444',
  ...'jjjjkkkkgGG<>rs/ *UaKBPnevVctwihldpy?T,@L[]',
  '\r',
  '\r',
  '\t',
  '\u001B[Z',
  escape,
  escape,
  escape,
  escape,
  up,
  down,
  down,
  pageUp,
  pageDown,
  pageDown,
  right,
  left,
  'j'.repeat(7),
  'k'.repeat(9),
  ' j j j',
  '/sens\r',
  `/${escape}`,
  `:me${escape}`,
  '/node:two\r',
  '?jjj',
  '\u000C',
  '\u0012',
  '\u007F',
];

const kinds = ['resize', 'overlay', 'key', 'resize', 'overlay', 'key', 'resize', 'overlay', 'key', 'pass'] as const;
const steps = Math.ceil(ofEachKind / 3) * kinds.length;
const kindOf = (number: number): (typeof kinds)[number] => kinds[number % kinds.length] ?? 'key';
const pick = (max: number, ...of: readonly (number | string)[]): number => Math.floor(max * chance(seed, ...of));

interface Step {
  readonly name: string;
  readonly run: (program: Program) => void | Promise<void>;
}

/** Returns a step, the same for every program. */
function stepOf(number: number): Step {
  switch (kindOf(number)) {
    case 'resize': {
      const isTiny = chance(seed, number, 'tiny') < 0.06;
      const [columns, rows] = isTiny
        ? [1 + pick(60, number, 'columns'), 1 + pick(15, number, 'rows')]
        : [60 + pick(141, number, 'columns'), 15 + pick(46, number, 'rows')];
      return {
        name: `${columns}×${rows}`,
        run: (program) => {
          program.resize(columns, rows);
        },
      };
    }
    case 'pass': {
      const ms = 1_000 * (1 + pick(6, number, 'ms'));
      return { name: `${ms} ms pass`, run: (program) => program.pass(ms, number) };
    }
    case 'overlay': {
      const overlay = escape + escape + (overlays[pick(overlays.length, number, 'overlay')] ?? '?');
      return {
        name: JSON.stringify(overlay),
        run: (program) => {
          program.press(overlay);
        },
      };
    }
    case 'key': {
      const key = keys[pick(keys.length, number, 'key')] ?? 'j';
      return {
        name: JSON.stringify(key),
        run: (program) => {
          program.press(key);
        },
      };
    }
  }
}

/** Whether the next step starts before this one is drawn. Never before time passes, which would make the result random. */
const isHurried = (number: number): boolean =>
  kindOf(number) !== 'pass' && kindOf(number + 1) !== 'pass' && chance(seed, number, 'hurry') < 0.3;

const programs: Program[] = [];
// All programs share one time: ages, intervals and the delay of dialogs.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval', 'performance'], now: 1_000_000_000_000 });
});
afterEach(() => {
  for (const program of programs.splice(0)) program.close();
  vi.useRealTimers();
});

/** Waits until keys have arrived, their requests are answered, and the result is drawn. */
async function settle(): Promise<void> {
  for (let count = 0; count < 12; count += 1) await turn();
}

/** Resolves when the screen shows the frame, or with the difference once nothing more is drawn. */
async function whenSame(
  { screen, drawn }: ShownProgram,
  frame: () => string,
  isPlain: boolean,
): Promise<string | undefined> {
  let quiet = 0;
  for (;;) {
    const difference = await differenceTo(screen, frame(), isPlain);
    if (difference === undefined || quiet === 20) return difference;
    const before = frame();
    await drawn(100);
    quiet = frame() === before ? quiet + 1 : 0;
  }
}

test.each([
  ['painted', false],
  ['plain', true],
] as const)(
  `%s: every cell is as Ink writes it into an empty terminal, ${steps} steps`,
  async (_, isPlain) => {
    // A message may be shown for longer than several steps take.
    const timeouts = holdLongTimeouts();
    const written = startWritten(seed);
    const shown = startShown(seed, isPlain);
    programs.push(written, shown);
    const done: string[] = [];
    for (let number = 1; number <= steps; number += 1) {
      const step = stepOf(number);
      done.push(isHurried(number) ? `${step.name} at once` : step.name);
      await Promise.all([written, shown].map((program) => step.run(program)));
      if (step.name.endsWith('pass')) {
        const ms = Number.parseInt(step.name, 10);
        vi.advanceTimersByTime(ms);
        timeouts.pass(ms);
      }
      if (isHurried(number)) continue;
      await settle();
      // Every step draws something, so that leftovers of earlier steps are seen.
      for (const program of [written, shown]) program.setInterval(1 + (number % 50));
      await settle();
      const difference = await whenSame(shown, written.frame, isPlain);
      expect(difference, `BROKERTOP_SEED=${seed}, step ${number} after ${done.slice(-12).join(', ')}`).toBeUndefined();
    }
    expect(shown.screen.modes()).toMatchObject({
      isAlternateScreen: true,
      isWraparound: true,
      isSynchronizedOutput: false,
      isOrigin: false,
    });
  },
  180_000 + steps * 1_000,
);
