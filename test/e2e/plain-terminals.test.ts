import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askBackground } from '../../src/terminal/reports.ts';
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import {
  bodyOf,
  clientCount,
  closeTerminalsAtEnd,
  connectQuietClients,
  expectRestored,
  openMonitor,
  openReadyMonitor,
  type QuietClients,
  waitForFrame,
} from './support.ts';

closeTerminalsAtEnd();

let cluster: BuiltCluster;
let quiet: QuietClients;

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 2 });
  quiet = await connectQuietClients(cluster.mqttPorts, ['plain', 'größe-日本', 'two']);
}, 180_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
});

/** Goes through all screens and quits. Returns all output. */
async function tour(
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly bytes: Buffer; readonly clients: string }> {
  const output: Uint8Array[] = [];
  const terminal: TerminalSession = await openReadyMonitor(cluster.monitor, {
    env,
    checkTty: true,
    onOutput: (bytes) => output.push(bytes),
  });
  for (const [key, text] of [
    ['2', 'showing 2 of 2'],
    ['3', 'mqtt:tcp'],
    ['9', 'bytes.received'],
    ['4', 'showing 3 of 3'],
  ] as const) {
    terminal.press(key);
    await waitForFrame(terminal, (session) => session.text().includes(text));
  }
  const clients = bodyOf(terminal).join('\n');
  terminal.press('j', 'enter');
  await waitForFrame(terminal, (session) => session.text().includes('quiet/'));
  terminal.press('1', '?');
  await waitForFrame(terminal, (session) => session.text().includes('Esc close help'));
  // Not in one write: a terminal sends the same for Alt-q.
  terminal.press('esc');
  await waitForFrame(terminal, (session) => !session.text().includes('Esc close help'));
  terminal.press('q');
  const exit = await terminal.exited;
  expect(exit.code).toBe(0);
  expectRestored(terminal, exit);
  return { bytes: Buffer.concat(output), clients };
}

/** The parameters of all SGR sequences. */
const attributes = (bytes: Buffer): number[] =>
  [...bytes.toString('latin1').matchAll(/\u001b\[([\d;:]*)m/g)].flatMap(([, list = '']) =>
    list.split(/[;:]/).map(Number),
  );

/** Colours beyond the sixteen, as they are written: `38;5;75`. */
const extendedColours = (bytes: Buffer): string[] =>
  [...bytes.toString('latin1').matchAll(/\u001b\[([\d;:]*)m/g)].flatMap(
    ([, list = '']) => list.match(/(?<!\d)[34]8[;:](?:5;\d{1,3}|2(?:;\d{1,3}){3}|.*)/gu) ?? [],
  );

/** Whether the painter began a frame: synchronized like Ink, and without wrapping, unlike Ink. */
const isPainted = (bytes: Buffer): boolean => bytes.includes('\u001b[?2026h\u001b[?7l');

const isColour = (parameter: number): boolean =>
  (parameter >= 30 && parameter <= 49) || (parameter >= 90 && parameter <= 107);

describe.concurrent('output to the terminal', () => {
  test.each([
    ['', /^[34]8;5;\d{1,3}$/u],
    ['truecolor', /^(?:[34]8;(?:5;\d{1,3}|2(?:;\d{1,3}){3}))$/u],
  ])('with COLORTERM=%s: its colours, and Unicode', async (COLORTERM, possible) => {
    const { bytes, clients } = await tour({ TERM: 'xterm-256color', COLORTERM });
    const colours = extendedColours(bytes);
    expect(colours.some((colour) => colour.startsWith('38;2;'))).toBe(COLORTERM !== '');
    expect(colours.filter((colour) => !possible.test(colour))).toEqual([]);
    expect(clients).toContain('größe-日本');
    expect(isPainted(bytes)).toBe(true);
  });

  test.each([
    { TERM: 'xterm', COLORTERM: '' },
    { TERM: 'linux', COLORTERM: '' },
  ])('on %j: sixteen colours, and no question for the background', async (env) => {
    const { bytes } = await tour(env);
    expect(attributes(bytes).filter(isColour)).not.toEqual([]);
    expect(extendedColours(bytes)).toEqual([]);
    expect(bytes.includes(askBackground)).toBe(false);
  });

  test('with NO_COLOR: attributes, no colours', async () => {
    const { bytes } = await tour({ NO_COLOR: '1' });
    expect(attributes(bytes)).toContain(7);
    expect(attributes(bytes).filter(isColour)).toEqual([]);
  });

  test('on a dumb terminal: ASCII without colours and attributes', async () => {
    const output: Uint8Array[] = [];
    const terminal = openMonitor(cluster.monitor, { env: { TERM: 'dumb' }, onOutput: (bytes) => output.push(bytes) });
    await waitForFrame(terminal, (session) => clientCount(session) === 3);
    expect(terminal.lines()[1]).toContain('[1Overview]');
    terminal.press('4');
    await waitForFrame(terminal, (session) => session.text().includes('showing 3 of 3'));
    expect(bodyOf(terminal).some((line) => line.startsWith('>'))).toBe(true);
    terminal.press('q');
    await terminal.exited;
    expect(isPainted(Buffer.concat(output))).toBe(false);
    for (const code of ['\u001b[?7l', askBackground, '\u001b[?1000h'])
      expect(Buffer.concat(output).includes(code)).toBe(false);
    expect(attributes(Buffer.concat(output))).toEqual([]);
    expect(Buffer.concat(output).filter((byte) => byte > 0x7f)).toHaveLength(0);
  });

  test.each([{ LANG: 'C' }, { LANG: undefined }, { LANG: 'de_DE.UTF-8', LC_ALL: 'C' }])(
    'in the locale %j: ASCII only, and no two ids look the same',
    async (env) => {
      const { bytes, clients } = await tour(env);
      expect(bytes.filter((byte) => byte > 0x7f)).toHaveLength(0);
      expect(clients).toContain(String.raw`gr\xf6\xdfe-`);
      expect(clients).toMatch(/^>/m);
    },
  );
});
