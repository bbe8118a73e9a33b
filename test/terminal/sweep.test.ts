import { Terminal } from '@xterm/headless';
import { expect, test } from 'vitest';
import { escapeText, type SafeText } from '../../src/terminal/safe-text.ts';
import { widthOf } from '../../src/terminal/text-width.ts';

// Very wide, because each write takes a turn of the event loop.
const columns = 8000;

/** A terminal that records everything but printing. */
const createRecorder = () => {
  const terminal = new Terminal({ cols: columns, rows: 4, scrollback: 0, allowProposedApi: true });
  const effects: string[] = [];
  terminal.onTitleChange((title) => effects.push(`title ${title}`));
  terminal.onData((data) => effects.push(`reply ${JSON.stringify(data)}`));
  terminal.onBinary(() => effects.push('binary reply'));
  terminal.onBell(() => effects.push('bell'));
  terminal.onLineFeed(() => effects.push('line feed'));
  terminal.onResize(() => effects.push('resize'));
  terminal.parser.registerOscHandler(52, () => {
    effects.push('clipboard');
    return true;
  });
  const write = async (text: string): Promise<void> =>
    new Promise((resolve) => {
      terminal.write(text, resolve);
    });
  return { terminal, effects, write };
};

/** The cursor column after a text printed at the start of a line, and the text of that line. */
const printed = async (
  recorder: ReturnType<typeof createRecorder>,
  text: SafeText,
): Promise<readonly [number, string]> => {
  await recorder.write(`\u001B[1;1H\u001B[2K${text}`);
  const { active } = recorder.terminal.buffer;
  return [active.cursorX, active.getLine(0)?.translateToString(true) ?? ''];
};

test(
  'no code point has an effect on a terminal, and each is as wide as widthOf says',
  { timeout: 120_000 },
  async () => {
    const recorder = createRecorder();
    const wrong: string[] = [];
    const check = async (raws: readonly string[]): Promise<void> => {
      const texts = raws.map((raw) => escapeText(raw));
      const line = texts.join('') as SafeText;
      const [cursor, shown] = await printed(recorder, line);
      const claimed = texts.reduce((sum, text) => sum + widthOf(text), 0);
      if (cursor === claimed && shown === line.trimEnd() && recorder.effects.length === 0) {
        return;
      }
      if (raws.length > 1) {
        recorder.effects.length = 0;
        for (const raw of raws) {
          await check([raw]);
        }
      } else {
        wrong.push(`U+${raws[0]?.codePointAt(1)?.toString(16)}: ${cursor} of ${claimed} ${recorder.effects.join()}`);
      }
    };
    let batch: string[] = [];
    let used = 0;
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
      // Between letters, so that combining marks and joiners have something to join.
      const raw = `a${String.fromCodePoint(codePoint)}z`;
      const text = escapeText(raw);
      const width = widthOf(text);
      // Most are escaped: printed ASCII has no effect.
      if (width === text.length && /^[ -~]+$/u.test(text)) continue;
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
    recorder.terminal.dispose();
  },
);

test('the recorder sees effects', async () => {
  const recorder = createRecorder();
  await recorder.write('\u001B]0;title\u0007\u001B]52;c;aGk=\u0007\u001B[c\n\u0007');
  expect(recorder.effects).toEqual(['title title', 'clipboard', 'reply "\\u001b[?1;2c"', 'line feed', 'bell']);
  recorder.terminal.dispose();
});

test.each([
  '\u001B]52;c;aGk=\u0007',
  '\u009D0;title\u009C',
  '\u001BP$q"p\u001B\\',
  '\u001B[6n',
  '\u001B[2J\u001B[H',
  'a\rb\nc\bd',
  '\u001B]8;;http://x\u0007link',
  '\u001B[?1049l',
  '\u0085\u0084',
  '\u001Bc',
  '👩‍👩‍👧‍👦',
  '🇩🇪🇫🇷',
  '1️⃣',
  'க்ஷி',
  'กำ',
  '각',
  'Z\u0351\u0343\u0302\u0334',
])('a hostile id %j only prints', async (raw) => {
  const recorder = createRecorder();
  const text = escapeText(raw);
  expect(await printed(recorder, text)).toEqual([widthOf(text), text]);
  expect(recorder.effects).toEqual([]);
  recorder.terminal.dispose();
});
