import { EventEmitter, once } from 'node:events';
import { createServer, request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { hint } from '../support/texts.ts';
import {
  activeTab,
  bodyOf,
  frameFaults,
  hintsOf,
  openReadyMonitor,
  paletteOf,
  targetOf,
  waitForFrame,
} from './support.ts';

let cluster: BuiltCluster;
let proxy: CountingProxy;
let terminal: TerminalSession;

beforeAll(async () => {
  cluster = await startBuiltCluster();
}, 180_000);

afterAll(async () => {
  await cluster?.stop();
});

beforeEach(async () => {
  proxy = await startCountingProxy(cluster.url);
});

afterEach(async () => {
  await proxy.close();
});

const start = async (interval: string): Promise<void> => {
  terminal = await openReadyMonitor(targetOf(proxy.url, cluster.password), { args: ['--interval', interval] });
};

const place = (): string => terminal.lines()[0] ?? '';

describe('help and palette', () => {
  beforeEach(() => start('0.5'));

  test('? shows the keys, scrolls to its end and closes again', async () => {
    terminal.press('?');
    await waitForFrame(terminal, (session) => session.text().includes('Esc close help'));
    expect(bodyOf(terminal)[0]).toContain('── This screen: Overview ──');
    expect(hintsOf(terminal)).toMatch(/Esc close$/);
    terminal.press('j');
    await terminal.waitFor('lines 2–');
    const total = Number(/of (\d+) *$/m.exec(bodyOf(terminal).at(-1) ?? '')?.[1]);
    expect(terminal.text()).toContain(`── Symbols ──`);
    terminal.type(' '.repeat(20));
    await terminal.waitFor(new RegExp(`–${total} of ${total}`));
    await waitForFrame(terminal);
    expect(terminal.text().replaceAll(/\s+/gu, ' ')).toContain(
      'Search all keys, including those of other screens and dialogs',
    );
    terminal.press('k');
    await terminal.waitFor(`–${total - 1} of ${total}`);
    // q closes the help: keys do not reach the screen below.
    terminal.press('q');
    await waitForFrame(terminal, (session) => !session.text().includes('Esc close help'));
    expect(activeTab(terminal)).toBe('1 Overview');
  });

  test(': finds a command by part of its name and runs it', async () => {
    terminal.press(':');
    await waitForFrame(terminal, (session) => paletteOf(session)[0]?.startsWith(':') === true);
    terminal.type('metr');
    await terminal.waitFor((session) => (paletteOf(session)[1] ?? '').startsWith('▸ Metrics'));
    terminal.press('enter');
    await waitForFrame(terminal, (session) => activeTab(session) === '9 Metrics');
    terminal.press(':');
    await waitForFrame(terminal, (session) => paletteOf(session)[0]?.startsWith(':') === true);
    terminal.type('no such thing');
    await terminal.waitFor('No command matches');
    terminal.press('esc');
    await waitForFrame(
      terminal,
      (session) =>
        !session.text().includes('No command matches') && bodyOf(session)[0]?.includes('Cluster metrics') === true,
    );
  });

  test(': offers the commands of the screen besides the global ones', async () => {
    terminal.press('2');
    await waitForFrame(terminal, (session) => activeTab(session) === '2 Nodes');
    terminal.type(':filter');
    await terminal.waitFor((session) => (paletteOf(session)[1] ?? '').startsWith('▸ Filter the list'));
    terminal.press('enter');
    await waitForFrame(terminal, (session) => hintsOf(session).includes(hint('promptAccept')));
    terminal.press('esc');
    await waitForFrame(terminal, (session) => hintsOf(session).includes('/ filter'));
  });

  test(': with a name and Enter in one write runs the command', async () => {
    terminal.type(':listen\r');
    await waitForFrame(terminal, (session) => activeTab(session) === '3 Listen');
    terminal.type(':quit\r');
    expect(await terminal.exited).toMatchObject({ code: 0 });
  });

  test('v on Metrics cycles through the cluster and each node', async () => {
    terminal.press('9');
    await waitForFrame(terminal, (session) => bodyOf(session)[0]?.includes('Cluster metrics') === true);
    for (const node of ['broker1@127', 'broker2@127', 'broker3@127']) {
      terminal.press('v');
      await waitForFrame(
        terminal,
        (session) => bodyOf(session)[0]?.includes(node) === true && /bytes\.received +[\d,]+/.test(session.text()),
      );
    }
    terminal.press('V');
    await waitForFrame(terminal, (session) => bodyOf(session)[0]?.includes('broker2@127') === true);
    terminal.press('v', 'v');
    await waitForFrame(terminal, (session) => bodyOf(session)[0]?.includes('Cluster metrics') === true);
  });
});

describe('fetching', () => {
  test('p pauses all requests and shows PAUSED; p again resumes', async () => {
    await start('0.5');
    terminal.press('p');
    await terminal.waitFor((session) => session.lines()[0]?.includes('PAUSED') === true);
    await terminal.waitFor((session) => / 1 s ago/.test(session.lines()[0] ?? ''));
    const count = proxy.paths.length;
    // The age grows past several intervals, and keys still work.
    terminal.press('2');
    await waitForFrame(
      terminal,
      (session) => activeTab(session) === '2 Nodes' && / 3 s ago/.test(session.lines()[0] ?? ''),
    );
    expect(proxy.paths.length).toBe(count);
    terminal.press('p');
    await proxy.waitForRequests(count + 6);
    await waitForFrame(
      terminal,
      (session) =>
        !(session.lines()[0] ?? '').includes('PAUSED') && / ▸ \d\d:\d\d:\d\d *$/u.test(session.lines()[0] ?? ''),
    );
  });

  test('Ctrl-R refreshes, + and - change the interval', async () => {
    await start('60');
    // Some requests are postponed to spread the load.
    await waitForFrame(terminal, (session) => session.text().includes('60 s ▸'));
    const count = proxy.paths.length;
    terminal.press('ctrl-r');
    await terminal.waitFor('Refreshing');
    await proxy.waitForRequests(count + 3);
    terminal.press('+');
    await waitForFrame(terminal, () => place().includes('30 s ▸'));
    terminal.type('+'.repeat(20));
    await waitForFrame(terminal, () => place().includes('0.5 s ▸'));
    await proxy.waitForRequests(proxy.paths.length + 9);
    terminal.press('-');
    await waitForFrame(terminal, () => place().includes('1 s ▸'));
  });

  test('resources that no screen shows are not fetched', async () => {
    await start('0.5');
    expect(proxy.paths.filter((path) => path.includes('/clients'))).toEqual([]);
    terminal.press('4');
    await terminal.waitFor('No clients are connected.');
    terminal.press('1');
    await waitForFrame(terminal, (session) => activeTab(session) === '1 Overview');
    const count = proxy.paths.length;
    await proxy.waitForRequests(count + 10);
    expect(proxy.paths.slice(count + 3).filter((path) => path.includes('/clients'))).toEqual([]);
  });
});

test('Ctrl-L repaints after another program wrote to the screen', async () => {
  // Without a refresh in between, which may change what is possible.
  await start('60');
  terminal.press('?');
  // The API, which has no queued messages, is known.
  await waitForFrame(
    terminal,
    (session) => session.text().includes('Esc close help') && !session.text().includes('Queued and inflight messages'),
  );
  const before = bodyOf(terminal);
  await terminal.screen.write('\x1b[1;1Hwall: the machine goes down\x1b[9;1H\x1b[2Kgarbage\x1b[20;1H\x1b[J');
  expect(frameFaults(terminal)).not.toEqual([]);
  terminal.press('ctrl-l');
  await waitForFrame(terminal, (session) => !/wall:|garbage/.test(session.text()));
  expect(bodyOf(terminal)).toEqual(before);
  expect(terminal.modes()).toMatchObject({ isAlternateScreen: true, isCursorVisible: false });
});

/** A proxy before the management API that records each request. */
export interface CountingProxy {
  readonly url: string;
  /** Requested paths so far, in order. */
  readonly paths: readonly string[];
  /** Resolves after this many requests in total. Rejects after 10 s. */
  waitForRequests(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  const paths: string[] = [];
  const events = new EventEmitter();
  const server = createServer((incoming, outgoing) => {
    paths.push(incoming.url ?? '');
    events.emit('request');
    const { method, url: path, headers } = incoming;
    const forwarded = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    paths,
    waitForRequests: async (count) => {
      const deadline = AbortSignal.timeout(10_000);
      while (paths.length < count) await once(events, 'request', { signal: deadline });
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
