import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import {
  activeTab,
  bodyOf,
  connectQuietClients,
  cursorLine,
  numberedIds,
  openReadyMonitor,
  type QuietClients,
  showClients,
  waitForCursor,
  waitForFrame,
} from './support.ts';

/** Sorted last. Unescaped it would act on a terminal and change a path. */
const hostileId = 'z\u001b[m\u202e/é';
const shownHostileId = String.raw`z\x1b[m\u202e/é`;
const ids = [...numberedIds('pump', 20), ...numberedIds('valve', 19), hostileId];

let cluster: BuiltCluster;
let quiet: QuietClients;

beforeAll(async () => {
  cluster = await startBuiltCluster();
  quiet = await connectQuietClients(cluster.mqttPorts, ids);
}, 180_000);

afterAll(async () => {
  await quiet?.end();
  await cluster?.stop();
});

let terminal: TerminalSession;

/** The first word of each visible row. */
const shownIds = (session: TerminalSession): string[] =>
  bodyOf(session).flatMap((line) => /^[ ▸]((?:pump|valve|z)\S*)/.exec(line)?.[1] ?? []);

describe('the list of clients', () => {
  beforeEach(async () => {
    terminal = await openReadyMonitor(cluster.monitor);
    await showClients(terminal, ids.length);
  });

  test('the cursor moves by row, by page, and to both ends', async () => {
    await waitForCursor(terminal, 'pump-01');
    terminal.press('j', 'down', 'down');
    await waitForCursor(terminal, 'pump-04');
    terminal.press('k');
    await waitForCursor(terminal, 'pump-03');
    terminal.press('page-down');
    // 80×24 shows 18 rows; one stays visible.
    await waitForCursor(terminal, 'pump-20');
    expect(shownIds(terminal)[0]).toBe('pump-18');
    terminal.press('G');
    await waitForCursor(terminal, shownHostileId);
    expect(shownIds(terminal).at(-2)).toBe('valve-19');
    terminal.press('down', 'page-up');
    await waitForCursor(terminal, 'valve-03');
    terminal.press('g');
    await waitForCursor(terminal, 'pump-01');
    terminal.press('up', 'page-up');
    await waitForCursor(terminal, 'pump-01');
  });

  test('a held key and a burst of keys are all handled, in order', async () => {
    terminal.type('j'.repeat(25));
    await waitForCursor(terminal, 'valve-06');
    terminal.type('/valve-1\rGk');
    await waitForCursor(terminal, 'valve-18');
  });

  test('a filter narrows while it is typed; Enter keeps it, Esc clears it', async () => {
    terminal.press('/');
    await terminal.waitFor('text  /regex/  !not');
    terminal.type('valve-1');
    await terminal.waitFor('10 of 40');
    expect(new Set(shownIds(terminal))).toEqual(new Set(ids.filter((id) => id.startsWith('valve-1'))));
    terminal.press('enter');
    await terminal.waitFor('Esc clears');
    terminal.press('j');
    await waitForCursor(terminal, 'valve-11');
    terminal.press('esc');
    await waitForFrame(
      terminal,
      (session) => session.text().includes('showing 40 of 40') && !session.text().includes('Esc clears'),
    );
    await waitForCursor(terminal, 'valve-11');
    expect(activeTab(terminal)).toBe('4 Clients');
  });

  test('Esc while typing restores the list', async () => {
    terminal.press('j', 'j', '/');
    await terminal.waitFor('text  /regex/  !not');
    terminal.type('/[/');
    await terminal.waitFor(/regular expression|[Uu]nterminated/);
    terminal.press('ctrl-u');
    terminal.type('no such client');
    await terminal.waitFor('0 of 40');
    terminal.press('esc');
    await waitForCursor(terminal, 'pump-03');
    expect(terminal.text()).toContain('showing 40 of 40');
  });

  test('sorts by other columns and in reverse, each time from the first row', async () => {
    terminal.press('j');
    await waitForCursor(terminal, 'pump-02');
    terminal.press('r');
    await terminal.waitFor('CLIENT ID ▼');
    await waitForCursor(terminal, shownHostileId);
    terminal.press('j', '>');
    await terminal.waitFor(/sorted by node .*read /);
    await terminal.waitFor((session) => /broker1 /.test(cursorLine(session) ?? ''));
    expect(terminal.text()).toContain('row 1 · sorted by node');
    terminal.press('<');
    await terminal.waitFor(/sorted by client ID .*read /);
    await waitForCursor(terminal, 'pump-01');
  });

  test('the cursor stays on its client when others connect and disconnect above it', async () => {
    terminal.press('j', 'j', 'j');
    await waitForCursor(terminal, 'pump-04');
    await quiet.add('pump-02b');
    try {
      await terminal.waitFor(/pump-02b .* NEW/, { timeoutMs: 60_000 });
      await waitForCursor(terminal, 'pump-04');
      expect(terminal.text()).toContain('showing 41 of 41');
    } finally {
      await quiet.remove('pump-02b');
    }
    await terminal.waitFor(/pump-02b .* GONE/, { timeoutMs: 60_000 });
    await waitForFrame(terminal, (session) => session.text().includes('showing 40 of 40'));
    await waitForCursor(terminal, 'pump-04');
  });

  test('y copies the exact id, and nothing else reaches the terminal', async () => {
    terminal.press('G');
    await waitForCursor(terminal, shownHostileId);
    terminal.press('y');
    await terminal.waitFor("Sent to the terminal's clipboard: ");
    expect(terminal.effects()).toEqual({
      titles: [],
      clipboard: [hostileId],
      replies: terminal.effects().replies,
      commands: [expect.objectContaining({ id: 11, data: '?' })],
      bells: 0,
    });
    expect(terminal.lines().at(-2)).toContain(shownHostileId);
  });
});

describe('one client', () => {
  beforeEach(async () => {
    terminal = await openReadyMonitor(cluster.monitor);
    await showClients(terminal, ids.length);
  });

  const isOpen =
    (id: string) =>
    (session: TerminalSession): boolean =>
      bodyOf(session)[0]?.startsWith(` Client ${id} `) === true && /Session[^]*QoS 1 {2}quiet\//.test(session.text());

  test('opens with connection, session and subscriptions; Esc and [ go back, ] goes forward', async () => {
    terminal.press('j', 'j', 'enter');
    await waitForFrame(terminal, isOpen('pump-03'));
    const text = terminal.text();
    expect(text).toContain('● connected');
    expect(text).toMatch(/node +broker\d@127\.0\.0\.1/);
    expect(text).toMatch(/address +127\.0\.0\.1:\d+/);
    expect(text).toMatch(/Subscriptions [─ ]*1\b/);
    expect(text).toContain('QoS 1  quiet/pump-03');
    expect(activeTab(terminal)).toBe('4 Clients');

    terminal.press('esc');
    await waitForCursor(terminal, 'pump-03');
    terminal.press(']');
    await waitForFrame(terminal, isOpen('pump-03'));
    terminal.press('[');
    await waitForCursor(terminal, 'pump-03');
    terminal.press('[');
    await waitForFrame(terminal, (session) => activeTab(session) === '1 Overview');
    terminal.press(']');
    await waitForCursor(terminal, 'pump-03');
    terminal.press(']');
    await waitForFrame(terminal, isOpen('pump-03'));
  });

  test('an id with a slash, a control character and a direction override opens the right client', async () => {
    terminal.press('G', 'enter');
    await waitForFrame(terminal, isOpen(shownHostileId));
    expect(terminal.text()).toContain(`quiet/${encodeURIComponent(hostileId)}`);
    terminal.press('y');
    await terminal.waitFor("Sent to the terminal's clipboard: ");
    expect(terminal.effects().clipboard).toEqual([hostileId]);
  });

  test('an id that no row has opens from the filter and is shown as not connected', async () => {
    terminal.press('/');
    await terminal.waitFor('text  /regex/  !not');
    terminal.type('nobody-here');
    await terminal.waitFor('Press Enter twice to open client "nobody-here".');
    terminal.press('enter');
    await terminal.waitFor('Press Enter to open client "nobody-here".');
    terminal.press('enter');
    await waitForFrame(terminal, (session) => /Client nobody-here .*○/.test(bodyOf(session)[0] ?? ''));
  });

  test('a client that disconnects while it is shown is no longer shown as connected', async () => {
    await quiet.add('a-leaver');
    terminal.press('ctrl-r');
    await terminal.waitFor('showing 41 of 41');
    terminal.press('g', 'enter');
    await waitForFrame(terminal, isOpen('a-leaver'));
    await quiet.remove('a-leaver');
    await waitForFrame(terminal, (session) => /Client a-leaver .*○/.test(bodyOf(session)[0] ?? ''));
    expect(bodyOf(terminal)[0]).not.toContain('●');
  });
});

describe('the client beside the list', () => {
  /** The title of the panel. */
  const shownBeside = (session: TerminalSession): string | undefined =>
    bodyOf(session)
      .map((line) => /╭ (\S+) ─+ (\S+(?: \S+)*) ─╮/u.exec(line))
      .find((found) => found !== null)
      ?.slice(1)
      .join(' ');

  test('follows the cursor and the mouse, and Enter opens its page', async () => {
    terminal = await openReadyMonitor(cluster.monitor, { cols: 200, rows: 60, args: ['--interval', '0.5'] });
    await showClients(terminal, ids.length);
    await terminal.waitFor((session) => shownBeside(session) === `pump-01 live`);
    terminal.press('j', 'j');
    await terminal.waitFor(
      (session) => cursorLine(session)?.startsWith('pump-03 ') === true && shownBeside(session) === `pump-03 live`,
    );
    // Zero takes two refreshes of the broker's counters.
    await terminal.waitFor((session) =>
      new RegExp(`queue +0 [^]*delivered +(?:···|0/s) [^]*dropped +(?:···|0/s) `, 'u').test(session.text()),
    );
    const click = (column: number, line: number): void => {
      terminal.type(`\u001B[<0;${column + 1};${line + 1}M\u001B[<0;${column + 1};${line + 1}m`);
    };
    const lineOf = (id: string): number => terminal.lines().findIndex((line) => line.startsWith(`│ ${id} `));
    // A click on the panel is on no row.
    click(190, lineOf('pump-09'));
    terminal.press('j');
    await waitForCursor(terminal, 'pump-04');
    click(40, lineOf('pump-07'));
    await terminal.waitFor(
      (session) => cursorLine(session)?.startsWith('pump-07 ') === true && shownBeside(session) === `pump-07 live`,
    );
    terminal.press('enter');
    await terminal.waitFor((session) => bodyOf(session)[0]?.startsWith(' Client pump-07') === true);
    terminal.press('esc');
    await waitForCursor(terminal, 'pump-07');
    await terminal.waitFor((session) => shownBeside(session) === `pump-07 live`);
  });
});
