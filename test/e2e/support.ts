import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { connect, type MqttClient } from 'mqtt';
import { afterAll, afterEach, expect } from 'vitest';
import { builtProgram } from '../support/built-cluster.ts';
import { type Cell, untouchedModes } from '../support/terminal-screen.ts';
import {
  type Exit,
  openTerminal,
  type TerminalOptions,
  type TerminalSession,
  type WaitOptions,
} from '../support/terminal.ts';

/** Arguments and environment that point a monitor at a cluster. */
export interface Target {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export type MonitorOptions = Pick<Partial<TerminalOptions>, 'cols' | 'rows' | 'env' | 'checkTty' | 'onOutput'> & {
  readonly args?: readonly string[] | undefined;
};

const opened: TerminalSession[] = [];
let isClosedAtEnd = false;

const closeAll = async (): Promise<void> => {
  await Promise.all(opened.splice(0).map((terminal) => terminal.close()));
};

afterEach(async () => {
  if (!isClosedAtEnd) await closeAll();
});
afterAll(closeAll);

/**
 * Keeps terminals open until all tests of a file have ended: the end of a concurrent test must not close those of the
 * others.
 */
export function closeTerminalsAtEnd(): void {
  isClosedAtEnd = true;
}

/** A program in a terminal that is closed after the test. */
export function open(options: TerminalOptions): TerminalSession {
  const terminal = openTerminal(options);
  opened.push(terminal);
  return terminal;
}

/** Opens the built monitor. It refreshes every half second unless `args` says otherwise. */
export function openMonitor(
  target: Target,
  { args = ['--interval', '0.5'], env, ...options }: MonitorOptions = {},
): TerminalSession {
  return open({
    command: process.execPath,
    args: [...target.args, ...args],
    env: { ...target.env, ...env },
    ...options,
  });
}

/** Points the built monitor at a URL. */
export function targetOf(url: string, password: string): Target {
  return { args: [builtProgram, '--url', url], env: { BROKERTOP_PASSWORD: password } };
}

/** Opens a monitor and waits until its header and its nodes are read. */
export async function openReadyMonitor(target: Target, options?: MonitorOptions): Promise<TerminalSession> {
  const terminal = openMonitor(target, options);
  await terminal.waitFor((session) => headerIsRead(session) && clientCount(session) !== undefined, {
    timeoutMs: 60_000,
  });
  return terminal;
}

const headerIsRead = (terminal: TerminalSession): boolean => /\d+\/\d+ nodes/.test(terminal.lines()[0] ?? '');

/** Clients of the running nodes on the Overview; `undefined` while a number is missing. */
export function clientCount(terminal: TerminalSession): number | undefined {
  const counts = [...terminal.text().matchAll(/[●*] broker\d\S* +(?:running +)?(\S+) /gu)].map(([, count = '']) =>
    Number(count.replaceAll(',', '')),
  );
  const sum = counts.reduce((total, count) => total + count, 0);
  return counts.length === 0 || Number.isNaN(sum) ? undefined : sum;
}

/** How a program without a terminal ended, and what it printed. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built program with pipes, as a script would. */
export async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const { BROKERTOP_PASSWORD: _, ...outer } = process.env;
  const child = spawn(process.execPath, [builtProgram, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...outer, ...env },
  });
  const code = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

/** Lines above and below the body of every screen. */
export const headerRows = 2;
export const footerRows = 2;

/** The rows without trailing blanks. */
export function rowsOf(terminal: TerminalSession): string[] {
  return terminal.lines().map((line) => line.trimEnd());
}

export function bodyOf(terminal: TerminalSession): string[] {
  return rowsOf(terminal).slice(headerRows, -footerRows);
}

/** Returns what the palette shows: its prompt, then the commands; empty while it is closed. */
export function paletteOf(terminal: TerminalSession): string[] {
  const lines = bodyOf(terminal);
  const top = lines.findIndex((line) => line.includes(`╭ Commands `));
  const from = lines[top]?.indexOf('╭') ?? 0;
  return top === -1 ? [] : lines.slice(top + 1).map((line) => /│(.*?)│/u.exec(line.slice(from))?.[1]?.trim() ?? '');
}

/** The status line. */
export function messageOf(terminal: TerminalSession): string {
  return (rowsOf(terminal).at(-2) ?? '').trim();
}

/** The hints, without the load behind them. */
export function hintsOf(terminal: TerminalSession): string {
  return withoutLoad(rowsOf(terminal).at(-1) ?? '');
}

const withoutLoad = (line: string): string =>
  line.replace(/ {2,}(?:[\d,]+ connections? · )?[\d,]+ requests?\/min(?: · \S+ [kM]?B\/min)?$/u, '');

/** The faults of the frame: header, tabs and hints must be in their place, once. Extra or too wide lines would move them. */
export function frameFaults(terminal: TerminalSession): string[] {
  const lines = rowsOf(terminal);
  const { cols, rows } = terminal.screen;
  const isTabs = (line: string): boolean => /^[ []1\D.*[ [│|]4.*[ [│|]9/.test(line);
  const isHints = (line: string): boolean => /(^| )(\? help|Esc close|Esc cancel)$/.test(withoutLoad(line));
  // A dialog says its keys itself.
  const hasHints =
    isHints(lines[rows - 1] ?? '') ||
    lines.some((line) => / (?:n\/|Enter\/)?Esc (?:Cancel|Close|Leave|Later)/u.test(line));
  return [
    ...(/(···|–|\d+\/\d+) nodes/.test(lines[0] ?? '') ? [] : ['no status in row 0']),
    ...(lines.filter(isTabs).length === 1 && isTabs(lines[1] ?? '') ? [] : ['no tabs in row 1, or more than once']),
    ...(/ requests?\/min$/u.test(lines[rows - 2] ?? '') ? ['hints in the message line'] : []),
    ...(hasHints ? [] : [`no hints in row ${rows - 1}`]),
    ...(lines.filter(isHints).length <= 1 ? [] : ['hints more than once']),
    ...(lines.some((line) => line.length > cols) ? ['a line wider than the screen'] : []),
  ];
}

/** Waits for the password prompt that opens by itself, and opens it by its key: the other one ignores what is typed at first. */
export async function openPasswordPrompt(terminal: TerminalSession): Promise<void> {
  await waitForFrame(terminal, (session) => session.text().includes('Password of admin:'));
  terminal.press('esc');
  await waitForFrame(terminal, (session) => !session.text().includes('Password of admin:'));
  terminal.press('A');
  await waitForFrame(terminal, (session) => session.text().includes('Password of admin:'));
}

/**
 * Waits until the frame is complete and `isThere` holds.
 * @throws Error that names the faults of the frame
 */
export async function waitForFrame(
  terminal: TerminalSession,
  isThere: (terminal: TerminalSession) => boolean = () => true,
  options?: WaitOptions,
): Promise<void> {
  try {
    await terminal.waitFor((session) => frameFaults(session).length === 0 && isThere(session), options);
  } catch (error) {
    throw new Error(`${frameFaults(terminal).join(', ')}. ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

export const isOnGround = ({ inverse, background }: Pick<Cell, 'inverse' | 'background'>): boolean =>
  inverse || background !== 'default';

/** The active tab, the only one on a ground of its own: its key and name, with a space between them at every width. */
export function activeTab(terminal: TerminalSession): string {
  return terminal.screen
    .row(1)
    .filter(isOnGround)
    .map(({ char }) => char)
    .join('')
    .trim()
    .replace(/^(\S)(?=\S)/u, '$1 ');
}

/** The line under the cursor of a list, without the cursor; `undefined` if there is none. */
export function cursorLine(terminal: TerminalSession): string | undefined {
  return bodyOf(terminal)
    .find((line) => /^│?▸/u.test(line))
    ?.replace(/^│?▸[◆ ]?/u, '');
}

/** Waits until the cursor of a list is on the row that begins with `text`. */
export async function waitForCursor(terminal: TerminalSession, text: string): Promise<void> {
  try {
    await terminal.waitFor((session) => cursorLine(session)?.startsWith(`${text} `) === true);
  } catch (error) {
    throw new Error(`The cursor is not on ${text}. ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Opens the clients and waits until all of them are read. */
export async function showClients(terminal: TerminalSession, count: number): Promise<void> {
  terminal.press('4');
  await waitForFrame(terminal, (session) => session.text().includes(`showing ${count} of ${count}`));
}

/** Checks that the modes of the terminal are restored, and with `exit` the stty settings. */
export function expectRestored(terminal: TerminalSession, exit?: Exit): void {
  expect(terminal.modes()).toEqual(untouchedModes);
  if (exit !== undefined) {
    expect(exit.ttyBefore).toContain('icanon');
    expect(exit.ttyAfter).toBe(exit.ttyBefore);
  }
}

/** MQTT clients that stay connected and publish nothing. */
export interface QuietClients {
  add(clientId: string): Promise<void>;
  /** Ids that are still connected, sorted. */
  connected(): readonly string[];
  /** Disconnects one as a client does. */
  remove(clientId: string): Promise<void>;
  end(): Promise<void>;
}

/** Connects clients to the nodes in turn, each with one subscription, `quiet/` and its id. */
export async function connectQuietClients(
  mqttPorts: readonly number[],
  clientIds: readonly string[],
): Promise<QuietClients> {
  const clients = new Map<string, MqttClient>();
  let turn = 0;
  const add = async (clientId: string): Promise<void> => {
    const port = mqttPorts[turn % mqttPorts.length] ?? 0;
    turn += 1;
    const client = connect({ host: '127.0.0.1', port, clientId, reconnectPeriod: 0 });
    clients.set(clientId, client);
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve());
      client.once('error', reject);
    });
    await client.subscribeAsync(`quiet/${encodeURIComponent(clientId)}`, { qos: 1 });
  };
  await Promise.all(clientIds.map(add));
  return {
    add,
    connected: () =>
      [...clients]
        .filter(([, client]) => client.connected)
        .map(([clientId]) => clientId)
        .toSorted(),
    remove: async (clientId) => {
      await clients.get(clientId)?.endAsync();
      clients.delete(clientId);
    },
    end: async () => {
      await Promise.all([...clients.values()].map((client) => client.endAsync(true)));
    },
  };
}

/** `prefix-01`, `prefix-02`, … */
export function numberedIds(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(2, '0')}`);
}

/** Signals that end the program, and its exit code then. */
export const signalEndings = (
  [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGQUIT', 131],
  ] as const
).map(([signal, code]): [name: string, end: (terminal: TerminalSession) => void, code: number] => {
  const end = (terminal: TerminalSession): void => terminal.signal(signal);
  return [signal, end, code];
});
