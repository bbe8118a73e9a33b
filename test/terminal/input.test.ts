import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { withoutReplies } from '../../src/terminal/input.ts';

const reply = '\u001B]11;rgb:3030/3434/4646\u001B\\';

const createKeyboard = () => {
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    modes: [] as boolean[],
    setRawMode(isRaw: boolean) {
      this.modes.push(isRaw);
    },
  });
  const keyboard = withoutReplies(stdin);
  let received = '';
  const read = (): void => {
    for (let chunk: unknown = keyboard.read(); chunk !== null; chunk = keyboard.read()) received += String(chunk);
  };
  return { stdin, keyboard, read, received: () => received };
};

test('passes keys on but no replies, and joins the bytes of characters', async () => {
  const { stdin, keyboard, read, received } = createKeyboard();
  keyboard.setEncoding('utf8');
  keyboard.addListener('readable', read);
  keyboard.setRawMode(true);
  expect([keyboard.isTTY, stdin.modes]).toEqual([true, [true]]);
  const umlaut = Buffer.from('ä');
  for (const piece of ['j', reply.slice(0, 8), reply.slice(8), umlaut.subarray(0, 1), umlaut.subarray(1), 'k']) {
    stdin.write(piece);
    await new Promise(setImmediate);
  }
  expect(received()).toBe('jäk');
});

test('passes Esc on without another key after it', async () => {
  const { stdin, keyboard, read, received } = createKeyboard();
  keyboard.addListener('readable', read);
  const isHeard = new Promise<void>((resolve) => {
    keyboard.addListener('readable', resolve);
  });
  stdin.write('\u001B');
  await isHeard;
  expect(received()).toBe('\u001B[27u');
});

test('drops input held back when the last listener is removed', async () => {
  const { stdin, keyboard, read, received } = createKeyboard();
  keyboard.addListener('readable', read);
  stdin.write('a\u001B]11;rgb');
  await new Promise(setImmediate);
  keyboard.removeListener('readable', read);
  expect(stdin.listenerCount('readable')).toBe(0);
  keyboard.addListener('readable', read);
  stdin.write('b');
  await new Promise(setImmediate);
  expect(received()).toBe('ab');
});

test('hands reports over between the keys around them, and none without a listener', async () => {
  const stdin = new PassThrough();
  const events: unknown[] = [];
  const keyboard = withoutReplies(stdin, (report) => {
    events.push(report.kind === 'mouse' ? `${report.action} ${report.column}` : report.isLight);
  });
  const read = (): void => {
    events.push(keyboard.read());
  };
  const leave = (): void => {
    read();
    if (events.at(-1) === 'z') keyboard.removeListener('readable', leave);
  };
  keyboard.addListener('readable', leave);
  stdin.write(`j${reply}k\u001B[<0;5;1M\u001B[24;80Rl`);
  await new Promise(setImmediate);
  expect(events).toEqual(['j', false, 'k', 'press 4', 'l']);
  stdin.write(`z${reply}x\u001B`);
  await new Promise(setImmediate);
  keyboard.addListener('readable', read);
  stdin.write('a');
  await new Promise(setImmediate);
  expect(events.slice(5)).toEqual(['z', 'a']);
});

test('a key that removes the listener leaves what follows unread', async () => {
  const { stdin, keyboard, received } = createKeyboard();
  let first: unknown;
  const leave = (): void => {
    first = keyboard.read();
    keyboard.removeListener('readable', leave);
  };
  keyboard.addListener('readable', leave);
  stdin.write('z');
  await new Promise(setImmediate);
  stdin.write('typed for the shell');
  await new Promise(setImmediate);
  expect([first, received(), keyboard.read()]).toEqual(['z', '', null]);
  expect(String(stdin.read())).toBe('typed for the shell');
});
