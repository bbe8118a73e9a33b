import { afterEach, expect, test } from 'vitest';
import type { Client } from '../../src/domain/client.ts';
import { BrokerError } from '../../src/api/errors.ts';
import type { Page, PageRequest } from '../../src/api/management-api.ts';
import { createReports } from '../../src/terminal/reports.ts';
import { Mouse } from '../../src/screens/app.tsx';
import { Frame } from '../../src/screens/frame.tsx';
import { ListMemoryProvider } from '../../src/tui/list/list-state.ts';
import { checkOf } from '../../src/checks/words.ts';
import { createTriagedMonitor } from '../../src/timeline/triaged-monitor.ts';
import { client, createFakeApi, nodeStats } from '../monitor/fake-api.ts';
import { hint } from '../support/texts.ts';
import { createRig, endRigs, type Rig } from '../tui/support/rig.tsx';

const ending: (() => void)[] = [];
afterEach(() => {
  endRigs();
  for (const end of ending.splice(0)) end();
});

interface Shown {
  readonly rig: Rig;
  /** Clicks the first occurrence of a text. */
  readonly click: (text: string | RegExp) => void;
  readonly clickHint: (text: string) => void;
  readonly roll: (action: 'up' | 'down') => void;
}

const clients = ['dev-3', 'dev-1', 'dev-2', ...Array.from({ length: 40 }, (_, at) => `dev-${at + 10}`)].map((id) =>
  client(id, 'a'),
);

function show(columns = 120): Shown {
  const listClients = (_: string, request: PageRequest): Promise<Page<Client>> =>
    Promise.resolve({ ...request, items: clients, totalItems: clients.length, totalPages: 1 });
  const monitor = createTriagedMonitor({
    api: createFakeApi({
      listNodeStats: async () => [nodeStats('a'), nodeStats('b')],
      listStats: () => Promise.reject(new BrokerError('failed')),
      listClients,
    }),
    intervalSeconds: 60,
  });
  ending.push(() => {
    monitor.stop();
  });
  const session = {
    url: 'http://127.0.0.1:1',
    user: 'admin',
    isReadOnly: false,
    isInsecure: false,
    readPayload: async () => '',
    describeApi: () => '',
  };
  const signIn = { source: undefined, readAgain: async () => '', takePassword: () => {} };
  const reports = createReports();
  const rig = createRig(
    <Mouse reports={reports}>
      <ListMemoryProvider>
        <Frame monitor={monitor} session={session} signIn={signIn} />
      </ListMemoryProvider>
    </Mouse>,
    { columns, rows: 30 },
  );
  return {
    rig,
    click: (text) => {
      const lines = rig.lines();
      const row = lines.findIndex((line) => line.search(text) !== -1);
      if (row === -1) throw new Error(`No line has ${String(text)}.`);
      reports.emit({ kind: 'mouse', action: 'press', button: 'left', row, column: lines[row]?.search(text) ?? 0 });
    },
    clickHint: (text) => {
      const lines = rig.lines();
      reports.emit({
        kind: 'mouse',
        action: 'press',
        button: 'left',
        row: lines.length - 1,
        column: lines.at(-1)?.indexOf(text) ?? 0,
      });
    },
    roll: (action) => {
      reports.emit({ kind: 'mouse', action, button: undefined, row: 10, column: 5 });
    },
  };
}

const ready = async ({ rig }: Shown): Promise<void> => {
  await rig.until((text) => text.includes('2/2 nodes'));
};

test('a click on a header sorts by its column, another one reverses', async () => {
  const shown = show();
  await ready(shown);
  shown.rig.type('4');
  await shown.rig.until((text) => text.includes('dev-3'));
  shown.click('USER');
  await shown.rig.until((text) => /USER\w* ▲/u.test(text));
  shown.click('CLIENT ID');
  await shown.rig.until((text) => text.includes('CLIENT ID ▲') && /^.?▸ ?dev-1 /mu.test(text));
  shown.click('CLIENT ID');
  const lines = await shown.rig.until((text) => text.includes('CLIENT ID ▼'));
  expect(lines.join('\n')).not.toMatch(/USER\w* [▲▼]/u);
});

test('in the panel of a wide list, clicks on a header sort, and one on a row moves the cursor there', async () => {
  const shown = show(160);
  await ready(shown);
  shown.rig.type('4');
  await shown.rig.until((text) => /^│▸ ?dev-1 /mu.test(text));
  shown.click(/ dev-11 /u);
  await shown.rig.until((text) => /^│▸ ?dev-11 /mu.test(text));
  shown.click('CLIENT ID');
  const lines = await shown.rig.until((text) => text.includes('CLIENT ID ▼'));
  expect(lines.filter((line) => line.startsWith('╭ Clients ─'))).toHaveLength(1);
  expect(lines.filter((line) => /^╰─ showing 43 of 43 .* sorted by client ID/u.test(line))).toHaveLength(1);
});

test('on the Overview two clicks open a problem', async () => {
  const shown = show();
  await ready(shown);
  await shown.rig.until((text) => text.includes('CRITICAL'));
  shown.click('CRITICAL');
  shown.click('CRITICAL');
  const lines = await shown.rig.until((text) => /^ Timeline/mu.test(text) && text.includes(hint('close')));
  expect(lines.join('\n')).not.toContain('Problems');
});

test('on the Overview a click opens a node', async () => {
  const shown = show();
  await ready(shown);
  const lines = await shown.rig.until((text) => /[●○?] b /u.test(text));
  expect(lines.join('\n')).not.toContain('q back');
  shown.click(/b +(?:running|up|\d|–)/u);
  await shown.rig.until((text) => text.includes('Node b') && text.includes(hint('close')));
});

test('in Triage a click moves the cursor, a second one opens', async () => {
  const shown = show();
  await ready(shown);
  shown.rig.type('T');
  const title = checkOf('balance').title;
  // The failed reads are repeated, then their problem moves the other rows.
  await shown.rig.until((text) => text.includes(title) && text.includes('Failed to read statistics'));
  expect(shown.rig.lines().join('\n')).not.toMatch(new RegExp(`█ [\\w/ ]+ ${title}`, 'u'));
  shown.click(title);
  await shown.rig.until((text) => new RegExp(`█ [\\w/ ]+ ${title}`, 'u').test(text));
  shown.click(title);
  await shown.rig.until((text) => text.includes('NODE, worst first'));
});

test('in Metrics a click moves the cursor, and the wheel scrolls', async () => {
  const shown = show();
  await ready(shown);
  shown.rig.type('9');
  await shown.rig.until((text) => text.includes('bytes.sent'));
  shown.click('bytes.sent');
  await shown.rig.until((text) => /▸ *bytes\.sent/u.test(text));
  shown.roll('down');
  const lines = await shown.rig.until((text) => /▸.*messages\./u.test(text));
  expect(lines.join('\n')).not.toMatch(/▸ *bytes\.sent/u);
});

test('the wheel scrolls the help, also while a search is typed, and a list behind its filter', async () => {
  const shown = show();
  await ready(shown);
  shown.rig.type('?');
  await shown.rig.until((text) => text.includes('lines 1–'));
  shown.roll('down');
  await shown.rig.until((text) => text.includes('lines 4–'));
  shown.clickHint(hint('helpSearch'));
  await shown.rig.until((text) => text.includes(hint('promptAccept')));
  shown.roll('down');
  await shown.rig.until((text) => text.includes('lines 7–'));
  shown.clickHint(hint('promptAccept'));
  await shown.rig.until((text) => text.includes('Esc close help'));
  shown.clickHint(hint('helpClose'));
  await shown.rig.until((text) => !text.includes('Esc close help'));
  shown.rig.type('4');
  await shown.rig.until((text) => text.includes('dev-3'));
  shown.clickHint(hint('filter'));
  await shown.rig.until((text) => text.includes(hint('promptAccept')));
  const [first = ''] = shown.rig.lines().flatMap((line) => /▸ ?(dev-\d+) /u.exec(line)?.[1] ?? []);
  expect(first).not.toBe('');
  shown.roll('down');
  await shown.rig.until((text) => text.includes('▸') && !new RegExp(`▸ ?${first} `, 'u').test(text));
});
