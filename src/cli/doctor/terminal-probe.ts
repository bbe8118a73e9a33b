import { stopReading } from '../../terminal/input.ts';
import { askBackground, parseReport } from '../../terminal/reports.ts';
import { widthOf } from '../../terminal/text-width.ts';
import { trusted } from '../../terminal/safe-text.ts';

/** Characters that the program draws, and two of broker text that are two columns wide. */
export const sampleCharacters = ['│', '╭', '▰', '⣿', '⠶', '●', '○', '▸', '▲', '…', '≥', 'é', '中', '😀'] as const;

export interface TerminalAnswers {
  /** The width in columns of each sample; `undefined` if the terminal did not say. */
  readonly widths: readonly (number | undefined)[];
  /** `undefined` if the terminal did not say. */
  readonly background: 'dark' | 'light' | undefined;
  readonly hasAnswered: boolean;
}

export interface ProbedInput extends NodeJS.EventEmitter {
  setRawMode(isRaw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Asks for the cursor's position (DSR 6), which terminals answer as `ESC [ row ; column R`. */
const askPosition = '\u001B[6n';
/** Asks who the terminal is (DA1). Nearly all answer, and earlier answers have come by then. */
const askIdentity = '\u001B[c';
const eraseLine = '\r\u001B[K';

const identity = /\u001B\[\?[\d;]*c/u;

const parseProbe = (answers: string): TerminalAnswers => {
  const columns = [...answers.matchAll(/\u001B\[\d+;(\d+)R/gu)].map(([, column]) => Number(column) - 1);
  const told = /(\]11;[^\u0007\u001B]*)/u.exec(answers)?.[1];
  const report = told === undefined ? undefined : parseReport(told);
  return {
    // Without one answer for each it is not known whose it is.
    widths: sampleCharacters.map((_, index) =>
      columns.length === sampleCharacters.length ? columns[index] : undefined,
    ),
    background: report?.kind === 'background' ? (report.isLight ? 'light' : 'dark') : undefined,
    hasAnswered: identity.test(answers) || columns.length > 0,
  };
};

/** Returns the width that the program counts with. */
export const expectedWidth = (character: string): number => widthOf(trusted(character));

/**
 * Draws the samples on one line, which it clears, and asks where the cursor is. Waits at most `maxMs`; keys pressed
 * meanwhile are lost.
 */
export async function probeTerminal(
  stdin: ProbedInput,
  stdout: { write(text: string): unknown },
  maxMs = 1_000,
): Promise<TerminalAnswers> {
  let answers = '';
  let onData: (chunk: Buffer) => void = () => {};
  stdin.setRawMode(true);
  try {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, maxMs);
      onData = (chunk) => {
        answers += chunk.toString('latin1');
        if (!identity.test(answers)) return;
        clearTimeout(timer);
        resolve();
      };
      stdin.on('data', onData);
      stdin.resume();
      stdout.write(
        sampleCharacters.map((character) => `\r${character}${askPosition}`).join('') + askBackground + askIdentity,
      );
    });
  } finally {
    stdin.off('data', onData);
    stdin.setRawMode(false);
    await stopReading(stdin);
    stdout.write(eraseLine);
  }
  return parseProbe(answers);
}
