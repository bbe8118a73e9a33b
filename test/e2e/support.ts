import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type MqttClient } from 'mqtt';
import { afterAll, afterEach, expect } from 'vitest';
import { builtProgram } from '../support/built-cluster.ts';
import { untouchedModes } from '../support/terminal-screen.ts';
import { type Exit, openTerminal, type TerminalOptions, type TerminalSession } from '../support/terminal.ts';

/** How a monitor is pointed at a cluster, as `startBuiltCluster` gives it. */
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

/** For files whose tests run side by side: the end of one must not close the terminals of the others. */
export function closeTerminalsAtEnd(): void {
  isClosedAtEnd = true;
}

/** A program in a terminal that is closed after the test. */
export function open(options: TerminalOptions): TerminalSession {
  const terminal = openTerminal(options);
  opened.push(terminal);
  return terminal;
}

let stateAt: string | undefined;

/** Where monitors of this file keep their audit log: not in the home of whoever runs the tests. */
function stateFolder(): string {
  stateAt ??= mkdtempSync(path.join(tmpdir(), 'brokertop-state-'));
  return stateAt;
}

afterAll(() => {
  if (stateAt !== undefined) rmSync(stateAt, { recursive: true, force: true });
});

/** The built monitor on a cluster; refreshes every half second unless `args` says otherwise. */
export function openMonitor(target: Target, { args = ['--interval', '0.5'], env, ...options }: MonitorOptions = {}): TerminalSession {
  return open({ command: process.execPath, args: [...target.args, ...args], env: { XDG_STATE_HOME: stateFolder(), ...target.env, ...env }, ...options });
}

/** Points the built monitor at a URL. */
export function targetOf(url: string, password: string): Target {
  return { args: [builtProgram, '--url', url], env: { BROKERTOP_PASSWORD: password } };
}

/** A monitor that has read everything its header shows. */
export async function openReadyMonitor(target: Target, options?: MonitorOptions): Promise<TerminalSession> {
  const terminal = openMonitor(target, options);
  await terminal.waitFor(headerIsRead, { timeoutMs: 20_000 });
  return terminal;
}

const headerIsRead = (terminal: TerminalSession): boolean => {
  const [place = '', figures = '···'] = terminal.lines();
  return /nodes \d+\/\d+/.test(place) && /clients [\d,]+/.test(figures) && !/(clients|sessions) ···/.test(figures);
};

/** How a program without a terminal ended, and what it printed. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built program with pipes, as a script would. */
export async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const { BROKERTOP_PASSWORD: _, ...outer } = process.env;
  const child = spawn(process.execPath, [builtProgram, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...outer, ...env } });
  const code = new Promise<number | null>((resolve) => { child.once('exit', resolve); });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

/** Lines above and below the body of every screen. */
export const headerRows = 4;
export const footerRows = 2;

/** The rows without blanks at their ends, drawn or not. */
export function rowsOf(terminal: TerminalSession): string[] {
  return terminal.lines().map((line) => line.trimEnd());
}

export function bodyOf(terminal: TerminalSession): string[] {
  return rowsOf(terminal).slice(headerRows, -footerRows);
}

export function hintsOf(terminal: TerminalSession): string {
  return rowsOf(terminal).at(-1) ?? '';
}

/**
 * What is wrong with the frame on the screen; empty when header, tabs, rule and hints are each once
 * and in their places. A line too wide or too many would have moved them.
 */
export function frameFaults(terminal: TerminalSession): string[] {
  const lines = rowsOf(terminal);
  const { cols, rows } = terminal.screen;
  const rule = lines[3] ?? '';
  const isHints = (line: string): boolean => /(^| )(\? help|Esc close|Esc cancel)$/.test(line);
  const rules = lines.filter((line) => line.length === cols && new Set(line).size === 1);
  return [
    ...(/nodes (···|–|\d+\/\d+)/.test(lines[0] ?? '') ? [] : ['no place in row 0']),
    ...(lines[1]?.startsWith(' clients ') === true ? [] : ['no figures in row 1']),
    ...(/1.*Overview.*9/.test(lines[2] ?? '') || /1.*4.*9/.test(lines[2] ?? '') ? [] : ['no tabs in row 2']),
    ...(/^(─+|-+)$/.test(rule) && rule.length === cols ? [] : ['no rule in row 3']),
    ...(rules.length === 1 ? [] : [`${rules.length} rules`]),
    ...(/ requests?\/min$/u.test(lines[rows - 2] ?? '') ? [] : [`no message line in row ${rows - 2}`]),
    ...(isHints(lines[rows - 1] ?? '') ? [] : [`no hints in row ${rows - 1}`]),
    ...(lines.filter(isHints).length === 1 ? [] : ['hints more than once']),
    ...(lines.some((line) => line.length > cols) ? ['a line wider than the screen'] : []),
  ];
}

/** Waits until the frame is whole and `isThere` holds; says what is not when the time is over. */
export async function waitForFrame(terminal: TerminalSession, isThere: (terminal: TerminalSession) => boolean = () => true): Promise<void> {
  try {
    await terminal.waitFor((session) => frameFaults(session).length === 0 && isThere(session));
  } catch (error) {
    throw new Error(`${frameFaults(terminal).join(', ')}. ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** The active tab: the only one that is drawn inverse. */
export function activeTab(terminal: TerminalSession): string {
  return terminal.screen.row(2).filter(({ inverse }) => inverse).map(({ char }) => char).join('').trim();
}

/** The line with the cursor of a list, without its sign; `undefined` when there is none. */
export function cursorLine(terminal: TerminalSession): string | undefined {
  return bodyOf(terminal).find((line) => line.startsWith('▸'))?.replace(/^▸[◆ ]?/u, '');
}

/** Waits until the cursor of a list is on the row that begins with `text`. */
export async function waitForCursor(terminal: TerminalSession, text: string): Promise<void> {
  try {
    await terminal.waitFor((session) => cursorLine(session)?.startsWith(`${text} `) === true);
  } catch (error) {
    throw new Error(`The cursor is not on ${text}. ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Opens the clients and waits until all of them are read. */
export async function showClients(terminal: TerminalSession, count: number): Promise<void> {
  terminal.press('4');
  await waitForFrame(terminal, (session) => session.text().includes(`showing ${count} of ${count}`));
}

/** The terminal is as it was before the program: modes, and with `checkTty` the settings too. */
export function expectRestored(terminal: TerminalSession, exit?: Exit): void {
  expect(terminal.modes()).toEqual(untouchedModes);
  if (exit !== undefined) {
    expect(exit.ttyBefore).toContain('icanon');
    expect(exit.ttyAfter).toBe(exit.ttyBefore);
  }
}

/** Quiet MQTT clients that stay connected. */
export interface QuietClients {
  add(clientId: string): Promise<void>;
  /** Those that have not lost their connection, in order. */
  connected(): readonly string[];
  /** Ends one as a client does. */
  remove(clientId: string): Promise<void>;
  end(): Promise<void>;
}

/** Connects clients to the nodes in turn, each with one subscription, `quiet/` and its id. */
export async function connectQuietClients(mqttPorts: readonly number[], clientIds: readonly string[]): Promise<QuietClients> {
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
    connected: () => [...clients].filter(([, client]) => client.connected).map(([clientId]) => clientId).toSorted(),
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
