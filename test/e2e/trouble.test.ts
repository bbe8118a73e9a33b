import { expect, test, type TestContext } from 'vitest';
import type { ManagementServer } from '../../src/api/dialect.ts';
import { createManagementServer } from '../../src/api/dialects/emq-v2/server/server.ts';
import { type BrokerCluster, startCluster } from '../../src/broker/cluster.ts';
import { createBrokerApi } from '../../src/broker/management/broker-api.ts';
import { createAdminUsers } from '../../src/broker/management/users.ts';
import { safe } from '../../src/terminal/safe-text.ts';
import { checkOf, problemParts, problemText } from '../../src/checks/words.ts';
import { plainText } from '../../src/domain/sentence.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { any, matching } from '../support/texts.ts';
import {
  activeTab,
  bodyOf,
  clientCount,
  closeTerminalsAtEnd,
  connectQuietClients,
  openMonitor,
  openReadyMonitor,
  type QuietClients,
  showClients,
  targetOf,
  waitForFrame,
} from './support.ts';
import { scanTexts } from '../../src/resources/view/texts.ts';

const noConnection =
  'Cannot connect to the management API (connection refused). Check the URL and that the broker is running.';
const ratesUnknown = matching(`in – ${any} out – `);

const password = 'only for tests';
const host = '127.0.0.1';

closeTerminalsAtEnd();

/** A cluster in this process, so that a node can be stopped. */
interface WatchedCluster {
  readonly cluster: BrokerCluster;
  readonly quiet: QuietClients;
  readonly url: string;
  /** Closes the management API only. */
  closeServer(): Promise<void>;
  /** Serves it again, on the same port. */
  startServer(): Promise<void>;
  /** Requests so far, whatever their password. */
  requests(): number;
}

async function startWatchedCluster({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<WatchedCluster> {
  let requests = 0;
  const cluster = await startCluster({ version: '1.2.3', nodes: 3, host, mqttPort: 0, wsPort: 0 });
  const { authenticate, ...users } = await createAdminUsers({ username: 'admin', password, tags: 'administrator' });
  const startServer = (port: number): Promise<ManagementServer> =>
    createManagementServer({
      api: { ...createBrokerApi(cluster), ...users },
      variant: 'b',
      host,
      port,
      authenticate: (name, given) => {
        requests += 1;
        return authenticate(name, given);
      },
    });
  let server = await startServer(0);
  const quiet = await connectQuietClients(
    cluster.nodes.map(({ ports }) => ports.tcp),
    ['one', 'two', 'three', 'four', 'five', 'six'],
  );
  onTestFinished(async () => {
    await quiet.end();
    await server.close();
    await cluster.close();
  });
  return {
    cluster,
    quiet,
    url: server.url,
    closeServer: () => server.close(),
    startServer: async () => {
      server = await startServer(server.port);
    },
    requests: () => requests,
  };
}

const place = (session: TerminalSession): string => session.lines()[0] ?? '';
const firstProblem = (session: TerminalSession): string => bodyOf(session)[1] ?? '';

test.concurrent('a stopped node is the first problem, the others stay, and its return is shown', async (context) => {
  const watched = await startWatchedCluster(context);
  const terminal = await openReadyMonitor(targetOf(watched.url, password), { cols: 100, rows: 30 });
  await waitForFrame(
    terminal,
    (session) =>
      place(session).includes('● 3/3 nodes') &&
      session
        .text()
        .includes(
          `: ${(['readings', 'nodes', 'listeners', 'limits'] as const).map((check) => checkOf(check).noun).join(', ')}`,
        ),
  );
  await watched.cluster.stopNode('broker2@127.0.0.1');
  await waitForFrame(
    terminal,
    (session) =>
      place(session).includes('! 2/3 nodes') &&
      (bodyOf(session)[1] ?? '').includes(
        plainText(
          problemText({ code: 'node-down', evidence: { node: 'broker2', status: 'stopped', clients: undefined } }),
        ),
      ),
  );
  await waitForFrame(terminal, (session) => clientCount(session) === 4);
  expect(place(terminal)).toContain('1 critical');
  expect(bodyOf(terminal).filter((line) => /● broker[13]\b.*running/.test(line))).toHaveLength(2);
  expect(terminal.text()).toMatch(/○ broker2\S* +stopped/);

  terminal.press('2');
  await waitForFrame(
    terminal,
    (session) => session.text().includes('showing 3 of 3') && /broker2 +○ stopped/.test(session.text()),
  );
  await showClients(terminal, 4);
  // A scan that ran while the node stopped says so until the next one.
  terminal.press('ctrl-r');
  await terminal.waitFor((session) => !bodyOf(session).join('\n').includes('! '));

  terminal.press('1');
  await watched.cluster.startNode('broker2@127.0.0.1');
  await waitForFrame(
    terminal,
    (session) =>
      place(session).includes('● 3/3 nodes') &&
      session
        .text()
        .includes(
          `: ${(['readings', 'nodes', 'listeners', 'limits'] as const).map((check) => checkOf(check).noun).join(', ')}`,
        ),
  );
  expect(bodyOf(terminal).filter((line) => /● broker[123]\b.*running/.test(line))).toHaveLength(3);
});

test.concurrent('while the API is down, the last values stay with their age and the reason, and are refreshed afterwards', async (context) => {
  const watched = await startWatchedCluster(context);
  const terminal = await openReadyMonitor(targetOf(watched.url, password), { cols: 120, rows: 30 });
  await showClients(terminal, 6);
  terminal.press('1');
  await waitForFrame(terminal, (session) =>
    session
      .text()
      .includes(
        `: ${(['readings', 'nodes', 'listeners', 'limits'] as const).map((check) => checkOf(check).noun).join(', ')}`,
      ),
  );
  await watched.closeServer();
  await waitForFrame(
    terminal,
    (session) => session.text().includes('API not reachable: ') && clientCount(session) === 6,
  );
  // What is old is called old: three intervals and five seconds after it was read.
  await terminal.waitFor((session) => /\d+ s ago STALE/.test(place(session)), { timeoutMs: 60_000 });
  expect(clientCount(terminal)).toBe(6);
  const failed = problemParts({
    code: 'read-failed',
    evidence: {
      resources: [],
      isAll: true,
      reason: noConnection,
      unreachable: { brief: 'connection refused', urls: [watched.url] },
    },
  });
  await terminal.waitFor((session) => firstProblem(session).includes(`CRITICAL ${plainText(failed.title)}`));
  expect(firstProblem(terminal)).toContain(plainText(failed.facts[0] ?? []).slice(0, 25));
  expect(firstProblem(terminal)).toMatch(/ \d+ s  │$/);
  const failing = /! .*: connection refused \(L: log\)\. Retry in .*\. Data is .* old\./u;
  await terminal.waitFor((session) => failing.test(session.lines().at(-2) ?? ''));
  // Yesterday's rate is no rate, and yesterday's counts are dim.
  await terminal.waitFor((session) => {
    const row = session.lines().findIndex((line) => /● broker\d/u.test(line));
    const line = session.lines()[row] ?? '';
    // A current node's sign has a colour of its own.
    const [sign, name] = [line.indexOf('●'), line.indexOf('broker')].map(
      (column) => session.cell(Math.max(0, column), Math.max(0, row)).foreground,
    );
    return ratesUnknown.test(session.text()) && row !== -1 && sign === name;
  });
  expect(bodyOf(terminal).join('\n')).not.toContain('fine: readings');
  terminal.press('4');
  await waitForFrame(
    terminal,
    (session) =>
      session.text().includes('showing 6 of 6') &&
      session.text().includes('three') &&
      [scanTexts.nodesFailed(any, any, any, any), scanTexts.staleFailed(safe`clients`, any, any, any)].some((text) =>
        matching(text).test(bodyOf(session).join('\n')),
      ),
  );

  await watched.startServer();
  await watched.quiet.add('seven');
  terminal.press('1', 'ctrl-r');
  await terminal.waitFor((session) => !place(session).includes('STALE') && clientCount(session) === 7, {
    timeoutMs: 60_000,
  });
  await waitForFrame(terminal, (session) =>
    session
      .text()
      .includes(
        `: ${(['readings', 'nodes', 'listeners', 'limits'] as const).map((check) => checkOf(check).noun).join(', ')}`,
      ),
  );
}, 180_000);

test.concurrent('starts while the API is down, says why, and shows it when it is up', async (context) => {
  const watched = await startWatchedCluster(context);
  await watched.closeServer();
  const terminal = openMonitor(targetOf(watched.url, password), { cols: 120, rows: 30 });
  await waitForFrame(terminal, (session) =>
    firstProblem(session).includes('CRITICAL API not reachable: connection refused'),
  );
  await waitForFrame(
    terminal,
    (session) =>
      place(session).includes('– nodes') && clientCount(session) === undefined && ratesUnknown.test(session.text()),
  );
  await watched.startServer();
  await terminal.waitFor((session) => place(session).includes('3/3 nodes'), { timeoutMs: 60_000 });
  await waitForFrame(terminal, (session) => clientCount(session) === 6);
}, 180_000);

test.concurrent('a wrong password is reported and stops all requests; the right one can be entered', async (context) => {
  const watched = await startWatchedCluster(context);
  const terminal = openMonitor(targetOf(watched.url, 'not this one'));
  await waitForFrame(terminal, (session) =>
    session.text().includes('! Login rejected: press A to sign in. Polling has stopped.'),
  );
  await waitForFrame(terminal, (session) => session.text().includes('Password of admin:'));
  terminal.press('esc');
  await waitForFrame(terminal, (session) => !session.text().includes('Password of admin:'));
  expect(clientCount(terminal)).toBeUndefined();
  // Requests under way have been counted once these screens are drawn.
  for (const key of ['2', '3', '4', '9']) {
    terminal.press(key);
    await waitForFrame(terminal, (session) => activeTab(session).startsWith(key));
  }
  const count = watched.requests();
  expect(count).toBeLessThanOrEqual(10);
  // Three seconds are six intervals.
  terminal.press('1');
  await waitForFrame(terminal, (session) => /rejected .* [3-9] s *$/.test(firstProblem(session)));
  terminal.press('ctrl-r');
  terminal.press('4');
  await waitForFrame(terminal, (session) => session.text().includes('Not loaded: login rejected.'));
  // The reason stays, whatever is pressed.
  expect(terminal.text()).toContain('! Login rejected: press A to sign in. Polling has stopped.');
  expect(terminal.lines()[0]).toContain('– nodes');
  expect(watched.requests()).toBe(count);

  terminal.press('A');
  await waitForFrame(terminal, (session) => session.text().includes('Password of admin:'));
  terminal.type(password);
  await waitForFrame(terminal, (session) => session.text().includes('Password of admin: ********'));
  expect(terminal.text()).not.toContain(password);
  terminal.press('enter');
  await waitForFrame(terminal, (session) => session.text().includes('showing 6 of 6'));
});
