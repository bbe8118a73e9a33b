import { expect, test, type TestContext } from 'vitest';
import { createManagementServer, type ManagementServer } from '../../src/api/dialects/emq-v2/server/server.ts';
import { type BrokerCluster, startCluster } from '../../src/broker/cluster.ts';
import { createBrokerApi } from '../../src/broker/management/broker-api.ts';
import { createAdminUsers } from '../../src/broker/management/users.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { bodyOf, closeTerminalsAtEnd, connectQuietClients, openMonitor, openReadyMonitor, type QuietClients, showClients, targetOf, waitForFrame } from './support.ts';

const password = 'only for tests';
const host = '127.0.0.1';

closeTerminalsAtEnd();

/** A cluster in this process, so that a node can be stopped from outside, as an administrator of the broker would. */
interface Watched {
  readonly cluster: BrokerCluster;
  readonly quiet: QuietClients;
  readonly url: string;
  /** Ends the management interface alone. */
  hide(): Promise<void>;
  /** Serves it again, on the same port. */
  serve(): Promise<void>;
  /** Requests that came, with a right or a wrong password. */
  requests(): number;
}

async function startWatched({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<Watched> {
  let requests = 0;
  const cluster = await startCluster({ version: '1.2.3', nodes: 3, host, mqttPort: 0, wsPort: 0 });
  const { authenticate, ...users } = await createAdminUsers({ username: 'admin', password, tags: 'administrator' });
  const serve = (port: number): Promise<ManagementServer> => createManagementServer({
    api: { ...createBrokerApi(cluster), ...users },
    variant: 'b',
    host,
    port,
    authenticate: (name, given) => {
      requests += 1;
      return authenticate(name, given);
    },
  });
  let server = await serve(0);
  const quiet = await connectQuietClients(cluster.nodes.map(({ ports }) => ports.tcp), ['one', 'two', 'three', 'four', 'five', 'six']);
  onTestFinished(async () => {
    await quiet.end();
    await server.close();
    await cluster.close();
  });
  return {
    cluster,
    quiet,
    url: server.url,
    hide: () => server.close(),
    serve: async () => {
      server = await serve(server.port);
    },
    requests: () => requests,
  };
}

const place = (session: TerminalSession): string => session.lines()[0] ?? '';

test.concurrent('a node that stops is said first, the others stay, and its return is seen', async (context) => {
  const watched = await startWatched(context);
  const terminal = await openReadyMonitor(targetOf(watched.url, password), { cols: 100, rows: 30 });
  await waitForFrame(terminal, (session) => place(session).includes('nodes 3/3 ●') && session.text().includes(' fine: readings, nodes, listeners, limits'));
  await watched.cluster.stopNode('broker2@127.0.0.1');
  await waitForFrame(terminal, (session) => place(session).includes('nodes 2/3 ▲') && (bodyOf(session)[1] ?? '').includes('Node broker2@127.0.0.1 is stopped; it had'));
  await waitForFrame(terminal, (session) => session.lines()[1]?.includes('clients 4 ') === true);
  expect(bodyOf(terminal)[0]).toContain('1 error');
  expect(bodyOf(terminal).filter((line) => /● broker[13]@.*running/.test(line))).toHaveLength(2);
  expect(terminal.text()).toMatch(/○ broker2@\S* +stopped/);

  terminal.press('2');
  await waitForFrame(terminal, (session) => session.text().includes('showing 3 of 3') && /broker2@\S+ +○ stopped/.test(session.text()));
  await showClients(terminal, 4);
  expect(terminal.text()).not.toContain('! ');

  terminal.press('1');
  await watched.cluster.startNode('broker2@127.0.0.1');
  await waitForFrame(terminal, (session) => place(session).includes('nodes 3/3 ●') && session.text().includes(' fine: readings, nodes, listeners, limits'));
  expect(bodyOf(terminal).filter((line) => /● broker[123]@.*running/.test(line))).toHaveLength(3);
});

test.concurrent('when the interface is gone, the last figures stay with their age and the reason, and they live again after it is back', async (context) => {
  const watched = await startWatched(context);
  const terminal = await openReadyMonitor(targetOf(watched.url, password), { cols: 120, rows: 30 });
  await showClients(terminal, 6);
  terminal.press('1');
  await waitForFrame(terminal, (session) => session.text().includes(' fine: readings, nodes, listeners, limits'));
  await watched.hide();
  await waitForFrame(terminal, (session) => /cannot be reached \(ECONN\w+\)|without an answer/.test(session.text()) && session.lines()[1]?.includes('clients 6 ') === true);
  // What is old is called old: three intervals and five seconds after it was read.
  await terminal.waitFor((session) => /\d+ s ago STALE/.test(place(session)), { timeoutMs: 20_000 });
  expect(terminal.lines()[1]).toContain('clients 6 ');
  expect(bodyOf(terminal)[1]).toMatch(/! All readings: The management interface cannot be reached \(ECONNREFUSED\).* for \d+ s$/);
  expect(terminal.lines().at(-2)).toMatch(/: not reached \(ECONNREFUSED\) \(L: log\)\. Again in \d+ s\. Shown: \d+ s old\./);
  // Yesterday's rate is no rate, and yesterday's counts are dim.
  await terminal.waitFor((session) => {
    const figures = session.lines()[1] ?? '';
    return / in – .* out – .* nosub –/.test(figures) && session.cell(figures.indexOf(' 6 ') + 1, 1).dim;
  });
  expect(bodyOf(terminal).join('\n')).not.toContain('fine: readings');
  terminal.press('4');
  await waitForFrame(terminal, (session) => session.text().includes('showing 6 of 6') && session.text().includes('three')
    && /rows are OLD|last tried/.test(bodyOf(session).join('\n')));

  await watched.serve();
  await watched.quiet.add('seven');
  terminal.press('1', 'ctrl-r');
  await terminal.waitFor((session) => !place(session).includes('STALE') && session.lines()[1]?.includes('clients 7 ') === true, { timeoutMs: 40_000 });
  await waitForFrame(terminal, (session) => session.text().includes(' fine: readings, nodes, listeners, limits'));
}, 90_000);

test.concurrent('starts while the interface is down, says why, and shows it when it comes up', async (context) => {
  const watched = await startWatched(context);
  await watched.hide();
  const terminal = openMonitor(targetOf(watched.url, password), { cols: 120, rows: 30 });
  await waitForFrame(terminal, (session) => session.text().includes('cannot be reached (ECONNREFUSED)'));
  await waitForFrame(terminal, (session) => place(session).includes('nodes – ')
    && /clients – +sessions – +subs – +routes – .* in – .* out – .* nosub –/.test(session.lines()[1] ?? ''));
  await watched.serve();
  await terminal.waitFor((session) => place(session).includes('nodes 3/3'), { timeoutMs: 40_000 });
  await waitForFrame(terminal, (session) => session.lines()[1]?.includes('clients 6 ') === true);
}, 90_000);

test.concurrent('a wrong password is said, nothing is asked any more, and the right one is taken in the running program', async (context) => {
  const watched = await startWatched(context);
  const terminal = openMonitor(targetOf(watched.url, 'not this one'));
  await waitForFrame(terminal, (session) => session.text().includes('! the broker rejected the user name or password'));
  await waitForFrame(terminal, (session) => session.text().includes('Password of admin:'));
  terminal.press('esc');
  await waitForFrame(terminal, (session) => !session.text().includes('Password of admin:'));
  expect(terminal.lines()[1]).not.toMatch(/(clients|sessions) \d/);
  // What was under way has been counted when the screens below have been drawn.
  for (const key of ['2', '3', '4', '9']) {
    terminal.press(key);
    await waitForFrame(terminal, (session) => session.screen.row(2).some(({ char, inverse }) => inverse && char === key));
  }
  const count = watched.requests();
  expect(count).toBeLessThanOrEqual(10);
  // Three wall seconds, six intervals, as the screen's own clock counts them.
  terminal.press('1');
  await waitForFrame(terminal, (session) => /rejected .* for [3-9] s$/.test(bodyOf(session)[1] ?? ''));
  terminal.press('ctrl-r');
  terminal.press('4');
  await waitForFrame(terminal, (session) => session.text().includes('Not read: the login was rejected.'));
  // The reason stays where it is said, whatever is pressed.
  expect(terminal.text()).toContain('! the broker rejected the user name or password');
  expect(terminal.lines()[1]).toContain('clients – ');
  expect(watched.requests()).toBe(count);

  terminal.press('A');
  await waitForFrame(terminal, (session) => session.text().includes('Password of admin:'));
  terminal.type(password);
  await waitForFrame(terminal, (session) => session.text().includes('Password of admin: ********'));
  expect(terminal.text()).not.toContain(password);
  terminal.press('enter');
  await waitForFrame(terminal, (session) => session.text().includes('showing 6 of 6'));
});
