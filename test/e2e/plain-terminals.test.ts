import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { bodyOf, closeTerminalsAtEnd, connectQuietClients, expectRestored, openMonitor, openReadyMonitor, type QuietClients, waitForFrame } from './support.ts';

closeTerminalsAtEnd();

let cluster: BuiltCluster;
let quiet: QuietClients;

beforeAll(async () => {
  cluster = await startBuiltCluster({ nodes: 2 });
  quiet = await connectQuietClients(cluster.mqttPorts, ['plain', 'größe-日本', 'two']);
}, 60_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
});

/** Goes through all screens and quits; all bytes that the program wrote. */
async function tour(env: Readonly<Record<string, string | undefined>>): Promise<{ readonly bytes: Buffer; readonly clients: string }> {
  const output: Uint8Array[] = [];
  const terminal: TerminalSession = await openReadyMonitor(cluster.monitor, { env, checkTty: true, onOutput: (bytes) => output.push(bytes) });
  for (const [key, text] of [['2', 'showing 2 of 2'], ['3', 'mqtt:tcp'], ['9', 'bytes.received'], ['4', 'showing 3 of 3']] as const) {
    terminal.press(key);
    await waitForFrame(terminal, (session) => session.text().includes(text));
  }
  const clients = bodyOf(terminal).join('\n');
  terminal.press('j', 'enter');
  await waitForFrame(terminal, (session) => session.text().includes('quiet/'));
  terminal.press('1', '?');
  await waitForFrame(terminal, (session) => session.text().includes('Esc closes the help'));
  // Not in one go: a terminal sends the same for Alt-q.
  terminal.press('esc');
  await waitForFrame(terminal, (session) => !session.text().includes('Esc closes the help'));
  terminal.press('q');
  const exit = await terminal.exited;
  expect(exit.code).toBe(0);
  expectRestored(terminal, exit);
  return { bytes: Buffer.concat(output), clients };
}

/** The parameters of all codes that set colours and attributes. */
const attributes = (bytes: Buffer): number[] =>
  [...bytes.toString('latin1').matchAll(/\u001b\[([\d;:]*)m/g)].flatMap(([, list = '']) => list.split(/[;:]/).map(Number));

/** What the painter begins a frame with: synchronized, which Ink does too, and without wrapping, which Ink leaves on. */
const isPainted = (bytes: Buffer): boolean => bytes.includes('\u001b[?2026h\u001b[?7l');

const isColour = (parameter: number): boolean => parameter >= 30 && parameter <= 49 || parameter >= 90 && parameter <= 107;

describe.concurrent('what reaches the terminal', () => {
  test('usually: sixteen colours and signs beyond ASCII', async () => {
    const { bytes, clients } = await tour({});
    expect(attributes(bytes).filter(isColour)).not.toEqual([]);
    expect(attributes(bytes).filter((parameter) => parameter === 38 || parameter === 48)).toEqual([]);
    expect(clients).toContain('größe-日本');
    expect(isPainted(bytes)).toBe(true);
  });

  test('with NO_COLOR: attributes and no colour', async () => {
    const { bytes } = await tour({ NO_COLOR: '1' });
    expect(attributes(bytes)).toContain(7);
    expect(attributes(bytes).filter(isColour)).toEqual([]);
  });

  test('on a dumb terminal: neither colours nor attributes, and ASCII alone', async () => {
    const output: Uint8Array[] = [];
    const terminal = openMonitor(cluster.monitor, { env: { TERM: 'dumb' }, onOutput: (bytes) => output.push(bytes) });
    await waitForFrame(terminal, (session) => session.text().includes('clients 3 '));
    expect(terminal.lines()[2]).toContain('[1 Overview]');
    terminal.press('4');
    await waitForFrame(terminal, (session) => session.text().includes('showing 3 of 3'));
    expect(bodyOf(terminal).some((line) => line.startsWith('>'))).toBe(true);
    terminal.press('q');
    await terminal.exited;
    expect(isPainted(Buffer.concat(output))).toBe(false);
    expect(Buffer.concat(output).includes('\u001b[?7l')).toBe(false);
    expect(attributes(Buffer.concat(output))).toEqual([]);
    expect(Buffer.concat(output).filter((byte) => byte > 0x7f)).toHaveLength(0);
  });

  test.each([{ LANG: 'C' }, { LANG: undefined }, { LANG: 'de_DE.UTF-8', LC_ALL: 'C' }])('in the locale %j: ASCII alone, and no two ids look the same', async (env) => {
    const { bytes, clients } = await tour(env);
    expect(bytes.filter((byte) => byte > 0x7f)).toHaveLength(0);
    expect(clients).toContain(String.raw`gr\xf6\xdfe-`);
    expect(clients).toMatch(/^>/m);
  });
});
