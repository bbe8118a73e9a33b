import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import {
  expectedWidth,
  type ProbedInput,
  probeTerminal,
  sampleCharacters,
} from '../../../src/cli/doctor/terminal-probe.ts';

/** A terminal that answers with `answer` once it is asked. */
function terminalOf(answer: string): {
  readonly stdin: ProbedInput;
  readonly stdout: { write(text: string): void };
  readonly written: string[];
  readonly raw: boolean[];
} {
  const [written, raw]: [string[], boolean[]] = [[], []];
  const stdin = Object.assign(new EventEmitter(), {
    setRawMode: (isRaw: boolean) => {
      raw.push(isRaw);
    },
    resume: () => {},
    pause: () => {},
  });
  return {
    stdin,
    written,
    raw,
    stdout: {
      write(text) {
        written.push(text);
        if (written.length === 1 && answer !== '')
          setImmediate(() => {
            for (const part of [answer.slice(0, 7), answer.slice(7)]) stdin.emit('data', Buffer.from(part, 'latin1'));
          });
      },
    },
  };
}

const position = (width: number): string => `\u001B[5;${width + 1}R`;
const identity = '\u001B[?62;c';

test('reads widths and background, up to the answer that all terminals give, and clears the line', async () => {
  const { stdin, stdout, written, raw } = terminalOf(
    `${sampleCharacters.map((character) => position(expectedWidth(character))).join('')}\u001B]11;rgb:ffff/ffff/ffff\u001B\\${identity}`,
  );
  expect(await probeTerminal(stdin, stdout, 60_000)).toEqual({
    widths: sampleCharacters.map(expectedWidth),
    background: 'light',
    hasAnswered: true,
  });
  expect([raw, written.at(-1), stdin.listenerCount('data')]).toEqual([[true, false], '\r\u001B[K', 0]);
});

test('does not guess whose a missing answer is', async () => {
  const { stdin, stdout } = terminalOf(`${position(1)}${position(2)}${identity}`);
  expect(await probeTerminal(stdin, stdout, 60_000)).toEqual({
    widths: sampleCharacters.map(() => undefined),
    background: undefined,
    hasAnswered: true,
  });
});

test('ends after a while if nothing comes, with the terminal as it was', async () => {
  const { stdin, stdout, raw } = terminalOf('');
  expect(await probeTerminal(stdin, stdout, 5)).toMatchObject({ background: undefined, hasAnswered: false });
  expect(raw).toEqual([true, false]);
});
