import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { type BulkProgress, noSkips } from '../../src/actions/bulk.ts';
import { type ActingState, initialActingState } from '../../src/actions/acting-monitor.ts';
import { NoAnswerError, ProxyLoginError } from '../../src/api/errors.ts';
import { safe } from '../../src/terminal/safe-text.ts';
import { messageLine } from '../../src/screens/status/message.tsx';
import { capabilitiesB } from './administration-fixtures.tsx';
import { plainTheme } from '../tui/support/rig.tsx';
import { reading } from '../../src/monitor/query/part.ts';
import { readingsOf } from '../support/readings.ts';
import { stats } from '../../src/resources/statistics/resource.ts';
import { createKeymap } from '../../src/screens/keys.ts';
import { type HintContext, hintsOf } from '../../src/screens/hints.ts';
import { hintLine, type HintLineOptions } from '../../src/tui/frame/hint-line.ts';

const bulk: BulkProgress = {
  id: 'x',
  title: 'Disconnect 1,400 marked clients',
  phase: 'running',
  total: 1_400,
  perSecond: 20,
  done: 100,
  notDone: 10,
  unknown: 5,
  skipped: 5,
  skips: noSkips,
  running: 4,
  sent: 3,
  waiting: 1_276,
  failures: [],
  disconnectedIds: [],
  endedBecause: undefined,
  startedAtMs: 0,
  finishedAtMs: undefined,
};
const line = (state: Partial<ActingState>, width = 80): string =>
  stripVTControlCharacters(
    messageLine(plainTheme, width, { ...initialActingState(2), ...state }, undefined, 0),
  ).trimEnd();

test('names the variable to correct after a proxy rejected its login', () => {
  const proxyLoginError = new ProxyLoginError({
    url: 'http://proxy.test:3128',
    variable: 'HTTPS_PROXY',
    hasLogin: true,
  });
  expect(line({ isUnauthorized: true, proxyLoginError }, 120)).toContain(
    ` ! ${proxyLoginError.brief}. Polling has stopped.`,
  );
});

test('shows the latest event while there is nothing else to say', () => {
  const at = (state: Partial<ActingState>, notice?: Parameters<typeof messageLine>[3]): string =>
    stripVTControlCharacters(
      messageLine(plainTheme, 80, { ...initialActingState(2), ...state }, notice, 0, [
        { text: safe` 23:09:11 Problem: x` },
      ]),
    ).trimEnd();
  expect(at({})).toBe(' 23:09:11 Problem: x');
  expect(at({}, { text: safe`Refreshing`, role: 'accent' })).toBe(' Refreshing');
  expect(at({ isUnauthorized: true })).toMatch(/^ ! Login rejected: press A/u);
});

test('shows a skipped address for a while, after a failover', () => {
  const skippedAddress = {
    url: 'https://b',
    brief: 'certificate expired',
    message: 'Certificate expired: have it renewed.',
    atMs: 0,
  };
  const failover = { url: 'http://c', insteadOf: 'http://a', because: 'It is gone.', atMs: 0 };
  const skipped = '! Skipped https://b: certificate expired (L: log)';
  expect(line({ skippedAddress }, 120)).toContain(skipped);
  expect(line({ skippedAddress, failover }, 120)).toContain(
    ` ! Switched to http://c. ${skipped} http://a failed: It is gone.`,
  );
  const atMs = -15_001;
  expect(line({ skippedAddress: { ...skippedAddress, atMs }, failover: { ...failover, atMs } }, 120)).toContain(
    skipped,
  );
  expect(line({ skippedAddress: { ...skippedAddress, atMs: -30_001 } }, 120)).not.toContain('https://b');
});

test('the address in use is never cut by one that was skipped, nor by why the last one failed', () => {
  const long = 'x'.repeat(300);
  const skippedAddress = { url: `https://${long}`, brief: long, message: long, atMs: 0 };
  const failover = { url: 'https://broker-2.example:18083', insteadOf: `http://${long}`, because: long, atMs: 0 };
  expect(line({ skippedAddress, failover }, 80)).toMatch(
    /^ ! Switched to https:\/\/broker-2\.example:18083\. ! Skipped https:\/\/x+…/u,
  );
  expect(line({ failover }, 80)).toMatch(/^ ! Switched to https:\/\/broker-2\.example:18083\. http:\/\/x+…/u);
});

test('a retry that is due is never in 0 s', () => {
  const failing = (waitMs: number): string =>
    line(
      {
        watched: [stats],
        ...readingsOf({
          stats: { ...reading(initialActingState(2), stats), error: new NoAnswerError(), nextAttemptAtMs: waitMs },
        }),
      },
      120,
    );
  expect(failing(1_001)).toContain(' Retry in 2 s.');
  expect(failing(1)).toContain(' Retry in 1 s.');
  for (const waitMs of [0, -1_000]) expect(failing(waitMs)).toMatch(/ Retrying.$/u);
});

test('shows the progress and key of a running bulk action until it is finished', () => {
  expect(line({ bulk })).toMatch(/ disconnecting 120 of 1,400 \(B progress\)$/u);
  expect(line({ bulk: { ...bulk, phase: 'ending' } })).toContain('disconnecting 120 of 1,400');
  expect(line({ bulk: { ...bulk, phase: 'finished' } })).toBe(line({}));
});

const keymap = createKeymap({ isReadOnly: false });
/** Nothing is open, and no filter is set. */
const atRest: HintContext = { runs: (id) => id !== 'close' && id !== 'clearFilter' };
const hints = (width: number, options: HintLineOptions = {}, context: HintContext = atRest): string =>
  stripVTControlCharacters(
    hintLine(plainTheme, width, keymap, hintsOf('clients', undefined, context), options),
  ).trimEnd();

test('shows the load of the last minute behind the hints where there is room, and only known figures', () => {
  const load = { requests: 96, answerBytes: 1_234_567, connections: undefined };
  expect(hints(220, { load })).toMatch(/ \? help +96 requests\/min · 1\.2 MB\/min$/u);
  expect(hints(200, { load: { ...load, answerBytes: undefined } })).toMatch(/ \? help +96 requests\/min$/u);
  expect(hints(110, { load: { ...load, requests: 1 } })).toMatch(/ \? help +1 request\/min$/u);
  expect(hints(250, { load: { ...load, connections: 2 } })).toMatch(
    / \? help +2 connections · 96 requests\/min · 1\.2 MB\/min$/u,
  );
  expect(hints(130, { load: { ...load, connections: 1 } })).toMatch(/ \? help +1 connection · 96 requests\/min$/u);
  // Dropped before the requests.
  expect(hints(100, { load: { ...load, connections: 1 } })).toMatch(/ \? help +96 requests\/min$/u);
  // Narrow terminals need the room for keys.
  expect(hints(60, { load })).toBe(hints(60));
  // A longer number drops no hint.
  const keysAt = (requests: number): string =>
    hints(100, { load: { ...load, requests } }).replace(/ +[\d,]+ requests\/min.*$/u, '');
  expect(keysAt(9)).toBe(keysAt(99_999));
});

test('leaves the last column free', () => {
  for (let width = 60; width < 140; width += 1) expect(hints(width).length).toBeLessThan(width);
});

test('names grouping and selecting at 120 columns, with the load', () => {
  expect(hints(120, { load: { requests: 96, answerBytes: undefined, connections: 1 } })).toMatch(
    / o group .* Space mark .* 96 requests\/min$/u,
  );
});

test('at 80 columns names the menu, grouping, saving and the palette', () => {
  expect(hints(80)).toBe(' / filter  K disconnect  a menu  o group  Ctrl-S save  : find  q quit  ? help');
});

test.each(['nodes', 'listeners', 'clients', 'sessions', 'subscriptions', 'routes'] as const)(
  'at 80 columns says how to save the list of %s',
  (screen) => {
    const line = hintLine(plainTheme, 80, keymap, hintsOf(screen, undefined, atRest));
    expect(stripVTControlCharacters(line)).toContain(' Ctrl-S save ');
  },
);

test('the key that pauses says that it resumes while polling is paused', () => {
  expect(hints(220)).toMatch(/ p pause /u);
  expect(hints(220, { isFrozen: true })).toMatch(/ p resume /u);
});

test('with selected rows the first hints say how many K disconnects, and how to clear them', () => {
  expect(hints(80, { counts: new Map([['disconnect', 1_204]]) }, { ...atRest, selectedCount: 1_204 })).toMatch(
    /^ K disconnect 1,204 {2}U unmark {2}\/ filter /u,
  );
  expect(hints(80)).toMatch(/^ \/ filter .* K disconnect {2}/u);
  expect(hintsOf('nodes', undefined, { ...atRest, selectedCount: 3 })).not.toContain('unmarkAll');
});

test('names the menu of actions only where the broker has some', () => {
  expect(hintsOf('plugins', capabilitiesB, atRest)).toContain('screenMenu');
  expect(hintsOf('listeners', capabilitiesB, atRest)).not.toContain('screenMenu');
  expect(hintsOf('listeners', { ...capabilitiesB, listenerControl: true }, atRest)).toContain('screenMenu');
});
