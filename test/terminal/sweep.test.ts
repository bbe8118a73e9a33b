import { Terminal } from '@xterm/headless';
import { expect, test } from 'vitest';
import { escapeText, type SafeText } from '../../src/terminal/safe-text.ts';
import { widthOf } from '../../src/terminal/text-width.ts';

// Far wider than real ones: a write costs a turn of the event loop.
const columns = 8000;

/** A terminal that keeps account of everything but printing. */
const createJudge = () => {
  const terminal = new Terminal({ cols: columns, rows: 4, scrollback: 0, allowProposedApi: true });
  const acts: string[] = [];
  terminal.onTitleChange((title) => acts.push(`title ${title}`));
  terminal.onData((data) => acts.push(`reply ${JSON.stringify(data)}`));
  terminal.onBinary(() => acts.push('binary reply'));
  terminal.onBell(() => acts.push('bell'));
  terminal.onLineFeed(() => acts.push('line feed'));
  terminal.onResize(() => acts.push('resize'));
  terminal.parser.registerOscHandler(52, () => {
    acts.push('clipboard');
    return true;
  });
  const write = async (text: string): Promise<void> => new Promise((resolve) => { terminal.write(text, resolve); });
  return { terminal, acts, write };
};

/** Where the cursor ends up after a text printed at the start of a line, and what the line then says. */
const printed = async (judge: ReturnType<typeof createJudge>, text: SafeText): Promise<readonly [number, string]> => {
  await judge.write(`\u001B[1;1H\u001B[2K${text}`);
  const { active } = judge.terminal.buffer;
  return [active.cursorX, active.getLine(0)?.translateToString(true) ?? ''];
};

test('no code point acts on a terminal, and each takes up the columns that are claimed', { timeout: 120_000 }, async () => {
  const judge = createJudge();
  const wrong: string[] = [];
  const check = async (raws: readonly string[]): Promise<void> => {
    const texts = raws.map((raw) => escapeText(raw));
    const line = texts.join('') as SafeText;
    const [cursor, shown] = await printed(judge, line);
    const claimed = texts.reduce((sum, text) => sum + widthOf(text), 0);
    if (cursor === claimed && shown === line.trimEnd() && judge.acts.length === 0) {
      return;
    }
    if (raws.length > 1) {
      judge.acts.length = 0;
      for (const raw of raws) {
        await check([raw]);
      }
    } else {
      wrong.push(`U+${raws[0]?.codePointAt(1)?.toString(16)}: ${cursor} of ${claimed} ${judge.acts.join()}`);
    }
  };
  let batch: string[] = [];
  let used = 0;
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
    // On a letter, so that a combining mark has something to join, and before one, so that a joiner has.
    const raw = `a${String.fromCodePoint(codePoint)}z`;
    const width = widthOf(escapeText(raw));
    if (used + width > columns - 1) {
      await check(batch);
      batch = [];
      used = 0;
    }
    batch.push(raw);
    used += width;
  }
  await check(batch);
  expect(wrong).toEqual([]);
  judge.terminal.dispose();
});

test('the judge sees what it is asked to see', async () => {
  const judge = createJudge();
  await judge.write('\u001B]0;title\u0007\u001B]52;c;aGk=\u0007\u001B[c\n\u0007');
  expect(judge.acts).toEqual(['title title', 'clipboard', 'reply "\\u001b[?1;2c"', 'line feed', 'bell']);
  judge.terminal.dispose();
});

test.each([
  '\u001B]52;c;aGk=\u0007', '\u009D0;title\u009C', '\u001BP$q"p\u001B\\', '\u001B[6n', '\u001B[2J\u001B[H', 'a\rb\nc\bd', '\u001B]8;;http://x\u0007link',
  '\u001B[?1049l', '\u0085\u0084', '\u001Bc', '👩‍👩‍👧‍👦', '🇩🇪🇫🇷', '1️⃣', 'க்ஷி', 'กำ', '각', 'Z\u0351\u0343\u0302\u0334',
])('a hostile id %j only prints', async (raw) => {
  const judge = createJudge();
  const text = escapeText(raw);
  expect(await printed(judge, text)).toEqual([widthOf(text), text]);
  expect(judge.acts).toEqual([]);
  judge.terminal.dispose();
});
