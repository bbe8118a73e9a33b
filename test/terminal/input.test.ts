import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { withoutReplies } from '../../src/terminal/input.ts';

const answer = '\u001B]11;rgb:3030/3434/4646\u001B\\';

const createKeyboard = () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, modes: [] as boolean[], setRawMode(isRaw: boolean) { this.modes.push(isRaw); } });
  const keyboard = withoutReplies(stdin);
  let heard = '';
  const read = (): void => {
    for (let chunk: unknown = keyboard.read(); chunk !== null; chunk = keyboard.read()) heard += String(chunk);
  };
  return { stdin, keyboard, read, heard: () => heard };
};

test('keys go through, answers do not, characters are put together', async () => {
  const { stdin, keyboard, read, heard } = createKeyboard();
  keyboard.setEncoding('utf8');
  keyboard.addListener('readable', read);
  keyboard.setRawMode(true);
  expect([keyboard.isTTY, stdin.modes]).toEqual([true, [true]]);
  const umlaut = Buffer.from('ä');
  for (const piece of ['j', answer.slice(0, 8), answer.slice(8), umlaut.subarray(0, 1), umlaut.subarray(1), 'k']) {
    stdin.write(piece);
    await new Promise(setImmediate);
  }
  expect(heard()).toBe('jäk');
});

test('Esc is heard without another key after it', async () => {
  const { stdin, keyboard, read, heard } = createKeyboard();
  keyboard.addListener('readable', read);
  const isHeard = new Promise<void>((resolve) => { keyboard.addListener('readable', resolve); });
  stdin.write('\u001B');
  await isHeard;
  expect(heard()).toBe('\u001B[27u');
});

test('who stops listening leaves nothing for who listens next', async () => {
  const { stdin, keyboard, read, heard } = createKeyboard();
  keyboard.addListener('readable', read);
  stdin.write('a\u001B]11;rgb');
  await new Promise(setImmediate);
  keyboard.removeListener('readable', read);
  expect(stdin.listenerCount('readable')).toBe(0);
  keyboard.addListener('readable', read);
  stdin.write('b');
  await new Promise(setImmediate);
  expect(heard()).toBe('ab');
});

test('a key that gives the terminal away leaves what follows it unread', async () => {
  const { stdin, keyboard, heard } = createKeyboard();
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
  expect([first, heard(), keyboard.read()]).toEqual(['z', '', null]);
  expect(String(stdin.read())).toBe('typed for the shell');
});
