import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Program, type ShownProgram, differenceTo, startShown, startWritten } from './programs.tsx';
import { chance } from './world.ts';

/** More of them by `npm run fuzz`. */
const steps = Number(process.env['FUZZ_STEPS'] ?? 40);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);

const escape = '\u001B[27u';
const [up, down, pageUp, pageDown, right, left] = ['\u001B[A', '\u001B[B', '\u001B[5~', '\u001B[6~', '\u001B[C', '\u001B[D'];
/** All that stays in the program; nothing that ends or suspends it. */
const keys = [
  ...'1234567890123456789055444', ...'jjjjkkkkgGG<>rs/ *UaKBPnevVctwihldpy?T,@L[]', '\r', '\r', '\t', '\u001B[Z', escape, escape, escape, escape,
  up, down, down, pageUp, pageDown, pageDown, right, left, 'j'.repeat(7), 'k'.repeat(9), ' j j j', '/sens\r', `/${escape}`, `:me${escape}`, '/node:two\r', '?jjj', '\u000C', '\u0012', '\u007F',
];

/** What is done in one step, the same to every program. */
function stepOf(number: number): { readonly name: string; readonly run: (program: Program) => void | Promise<void> } {
  const pick = (most: number, what: string): number => Math.floor(most * chance(seed, number, what));
  const kind = chance(seed, number, 'kind');
  if (kind < 0.3) {
    const isTiny = chance(seed, number, 'tiny') < 0.06;
    const [columns, rows] = isTiny ? [1 + pick(60, 'columns'), 1 + pick(15, 'rows')] : [60 + pick(141, 'columns'), 15 + pick(46, 'rows')];
    return { name: `${columns}×${rows}`, run: (program) => { program.resize(columns, rows); } };
  }
  if (kind < 0.42) {
    const ms = 1_000 * (1 + pick(6, 'ms'));
    return { name: `${ms} ms pass`, run: (program) => program.pass(ms, number) };
  }
  const key = keys[pick(keys.length, 'key')] ?? 'j';
  return { name: JSON.stringify(key), run: (program) => { program.press(key); } };
}

const programs: Program[] = [];
// Time is the same for all: ages, intervals and what waits for a question to be read.
beforeEach(() => { vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval', 'performance'], now: 1_000_000_000_000 }); });
afterEach(() => {
  for (const program of programs.splice(0)) program.close();
  vi.useRealTimers();
});

/** Turns of the loop in which keys arrive, what they ask for is answered, and it is drawn. */
async function settle(): Promise<void> {
  for (let count = 0; count < 12; count += 1) await turn();
}

/** Resolves when the screen shows the frame, or with what is wrong when the terminal draws no more. */
async function whenSame({ screen, drawn }: ShownProgram, frame: () => string): Promise<string | undefined> {
  let quiet = 0;
  for (;;) {
    const difference = await differenceTo(screen, frame());
    if (difference === undefined || quiet === 20) return difference;
    const before = frame();
    await drawn(100);
    quiet = frame() === before ? quiet + 1 : 0;
  }
}

test.each([['painted', false], ['plain', true]] as const)(`%s: every cell is as Ink writes it into an empty terminal, ${steps} steps`, async (_, isPlain) => {
  const written = startWritten(seed);
  const shown = startShown(seed, isPlain);
  programs.push(written, shown);
  const done: string[] = [];
  for (let number = 1; number <= steps; number += 1) {
    const step = stepOf(number);
    done.push(step.name);
    await Promise.all([written, shown].map((program) => step.run(program)));
    if (step.name.endsWith('pass')) vi.advanceTimersByTime(Number.parseInt(step.name, 10));
    await settle();
    // Something to draw in every step, so that what an earlier one left behind is seen.
    for (const program of [written, shown]) program.setInterval(1 + (number % 50));
    await settle();
    const difference = await whenSame(shown, written.frame);
    expect(difference, `FUZZ_SEED=${seed}, step ${number} after ${done.slice(-12).join(', ')}`).toBeUndefined();
  }
  expect(shown.screen.modes()).toMatchObject({ isAlternateScreen: true, isWraparound: true, isSynchronizedOutput: false, isOrigin: false });
}, 60_000 + steps * 1_000);
