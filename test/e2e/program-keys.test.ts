import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts';
import { activeTab, bodyOf, frameFaults, hintsOf, openReadyMonitor, targetOf, waitForFrame } from './support.ts';

let cluster: BuiltCluster;
let proxy: CountingProxy;
let terminal: TerminalSession;

beforeAll(async () => {
  cluster = await startBuiltCluster();
}, 60_000);

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
    await waitForFrame(terminal, (session) => session.text().includes('Esc closes the help'));
    expect(bodyOf(terminal)[0]).toContain('── Here: Overview ──');
    expect(hintsOf(terminal)).toMatch(/Esc close$/);
    terminal.press('j');
    await terminal.waitFor('lines 2–');
    const total = Number(/of (\d+) *$/m.exec(bodyOf(terminal).at(-1) ?? '')?.[1]);
    expect(terminal.text()).toContain('── Signs ──');
    terminal.type(' '.repeat(20));
    await terminal.waitFor(new RegExp(`–${total} of ${total}`));
    await waitForFrame(terminal);
    expect(terminal.text()).toContain('A terminal that is too small');
    terminal.press('k');
    await terminal.waitFor(`–${total - 1} of ${total}`);
    // Keys of the screen below are not heard: q closes the help and does not quit.
    terminal.press('q');
    await waitForFrame(terminal, (session) => !session.text().includes('Esc closes the help'));
    expect(activeTab(terminal)).toBe('1 Overview');
  });

  test(': runs any command by a part of its name', async () => {
    terminal.press(':');
    await waitForFrame(terminal, (session) => bodyOf(session)[0]?.startsWith(':') === true);
    terminal.type('metr');
    await terminal.waitFor((session) => (bodyOf(session)[1] ?? '').startsWith('▸ Metrics'));
    terminal.press('enter');
    await waitForFrame(terminal, (session) => activeTab(session) === '9 Metrics');
    terminal.press(':');
    await waitForFrame(terminal, (session) => bodyOf(session)[0]?.startsWith(':') === true);
    terminal.type('no such thing');
    await terminal.waitFor('no command has these words');
    terminal.press('esc');
    await waitForFrame(terminal, (session) => !session.text().includes('no command') && bodyOf(session)[0]?.includes('Metrics of the cluster') === true);
  });

  test(': offers what the screen can do, not only what is everywhere', async () => {
    terminal.press('2');
    await waitForFrame(terminal, (session) => activeTab(session) === '2 Nodes');
    terminal.type(':filter');
    await terminal.waitFor((session) => (bodyOf(session)[1] ?? '').startsWith('▸ Filter the list'));
    terminal.press('enter');
    await waitForFrame(terminal, (session) => hintsOf(session).includes('Enter take'));
    terminal.press('esc');
    await waitForFrame(terminal, (session) => hintsOf(session).includes('/ filter'));
  });

  test(': and a name and Enter typed in one go arrive where they mean to', async () => {
    terminal.type(':listen\r');
    await waitForFrame(terminal, (session) => activeTab(session) === '3 Listeners');
    terminal.type(':quit\r');
    expect(await terminal.exited).toMatchObject({ code: 0 });
  });

  test('v on Metrics goes from the cluster through each node and back', async () => {
    terminal.press('9');
    await waitForFrame(terminal, (session) => bodyOf(session)[0]?.includes('Metrics of the cluster') === true);
    for (const node of ['broker1@127', 'broker2@127', 'broker3@127']) {
      terminal.press('v');
      await waitForFrame(terminal, (session) => bodyOf(session)[0]?.includes(node) === true && /bytes\.received +[\d,]+/.test(session.text()));
    }
    terminal.press('V');
    await waitForFrame(terminal, (session) => bodyOf(session)[0]?.includes('broker2@127') === true);
    terminal.press('v', 'v');
    await waitForFrame(terminal, (session) => bodyOf(session)[0]?.includes('Metrics of the cluster') === true);
  });
});

describe('fetching', () => {
  test('p stops all requests and says so; p again goes on', async () => {
    await start('0.5');
    terminal.press('p');
    await terminal.waitFor((session) => session.lines()[0]?.includes('FROZEN') === true);
    await terminal.waitFor((session) => / 1 s ago/.test(session.lines()[0] ?? ''));
    const count = proxy.paths.length;
    // The age goes on past several intervals, and keys still move: the screen is not dead.
    terminal.press('2');
    await waitForFrame(terminal, (session) => activeTab(session) === '2 Nodes' && / 3 s ago/.test(session.lines()[0] ?? ''));
    expect(proxy.paths.length).toBe(count);
    terminal.press('p');
    await proxy.waitForRequests(count + 6);
    await waitForFrame(terminal, (session) => !(session.lines()[0] ?? '').includes('FROZEN') && / 0 s ago/.test(session.lines()[0] ?? ''));
  });

  test('Ctrl-R fetches now, + and - change the interval', async () => {
    await start('60');
    // Some are postponed so that they do not come all at once.
    await waitForFrame(terminal, (session) => session.text().includes('every 60 s'));
    const count = proxy.paths.length;
    terminal.press('ctrl-r');
    await terminal.waitFor('fetching now');
    await proxy.waitForRequests(count + 3);
    terminal.press('-');
    await waitForFrame(terminal, () => place().includes('every 30 s'));
    terminal.type('-'.repeat(20));
    await waitForFrame(terminal, () => place().includes('every 0.5 s'));
    await proxy.waitForRequests(proxy.paths.length + 9);
    terminal.press('+');
    await waitForFrame(terminal, () => place().includes('every 1 s'));
  });

  test('what nobody looks at is not fetched', async () => {
    await start('0.5');
    expect(proxy.paths.filter((path) => path.includes('/clients'))).toEqual([]);
    terminal.press('4');
    await terminal.waitFor('No client is connected');
    terminal.press('1');
    await waitForFrame(terminal, (session) => activeTab(session) === '1 Overview');
    const count = proxy.paths.length;
    await proxy.waitForRequests(count + 10);
    expect(proxy.paths.slice(count + 3).filter((path) => path.includes('/clients'))).toEqual([]);
  });
});

test('Ctrl-L paints everything anew after something else wrote on the screen', async () => {
  await start('0.5');
  terminal.press('?');
  await waitForFrame(terminal, (session) => session.text().includes('Esc closes the help'));
  const before = bodyOf(terminal);
  await terminal.screen.write('\x1b[1;1Hwall: the machine goes down\x1b[9;1H\x1b[2Kgarbage\x1b[20;1H\x1b[J');
  expect(frameFaults(terminal)).not.toEqual([]);
  terminal.press('ctrl-l');
  await waitForFrame(terminal, (session) => !/wall:|garbage/.test(session.text()));
  expect(bodyOf(terminal)).toEqual(before);
  expect(terminal.modes()).toMatchObject({ isAlternateScreen: true, isCursorVisible: false });
});
