import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { ActionRecord } from '../../../src/actions/acting-monitor.ts';
import type { ActionResult } from '../../../src/actions/action.ts';
import { bulkCounts, type BulkProgress, noSkips, reconnectsText } from '../../../src/actions/bulk.ts';
import type { FormRequest } from '../../../src/actions/requests.ts';
import { bulkTexts, outcomeTexts } from '../../../src/actions/texts.ts';
import { logRows } from '../../../src/resources/log/view/event-rows.ts';
import { loadingText } from '../../../src/terminal/format.ts';
import { composeLine } from '../../../src/terminal/line.ts';
import { safe, type SafeText } from '../../../src/terminal/safe-text.ts';
import type { Theme } from '../../../src/terminal/theme.ts';
import { answerButtons, answerLine, confirmLines } from '../../../src/tui/components/confirm.tsx';
import {
  type BulkPlan,
  bulkPreviewLines,
  type BulkPreviewView,
  bulkProgressLines,
} from '../../../src/resources/clients/view/bulk-dialog.tsx';
import { type BulkTable, bulkTable } from '../../../src/resources/clients/view/bulk-table.tsx';
import { createForm, formLines } from '../../../src/tui/dialogs/form-dialog.tsx';
import { outcomeLines } from '../../../src/tui/dialogs/outcome-dialog.tsx';
import { titled } from '../../actions/support.ts';
import { cancelButton } from '../../support/texts.ts';
import { readWrapped } from '../../support/wrapped-text.ts';
import { sizes } from '../../screens/frames.ts';
import { asciiTheme, colorTheme, plainTheme } from '../support/rig.tsx';
import { bulkDialogTexts } from '../../../src/resources/clients/view/bulk-texts.ts';
import { eventOf } from '../../support/events.ts';

const names = ['pump-1', 'z\u001B[2J\u202E/é\n"x"', `start-${'界'.repeat(20_000)}-end`];
const themes: readonly (readonly [string, Theme])[] = [
  ['colour', colorTheme],
  ['no colour', plainTheme],
  ['ASCII', asciiTheme],
];

const result = (patch: Partial<ActionResult>): ActionResult => ({
  id: 'x',
  outcome: 'done',
  reason: 'reading',
  wasSent: true,
  isAccepted: false,
  parts: [],
  error: undefined,
  why: undefined,
  before: undefined,
  after: undefined,
  startedAtMs: 0,
  finishedAtMs: 1,
  auditError: undefined,
  ...patch,
});

const progressOf = (text: string, patch: Partial<BulkProgress> = {}): BulkProgress => ({
  id: 'x',
  title: 'Disconnect 40 marked clients',
  phase: 'finished',
  total: 40,
  perSecond: 20,
  done: 30,
  notDone: 3,
  unknown: 2,
  skipped: 5,
  skips: { ...noSkips, changed: 1, absent: 2, unreadable: 1, unsent: 1 },
  running: 0,
  sent: 0,
  waiting: 0,
  failures: Array.from({ length: 10 }, (_, place) => ({
    place,
    target: {},
    outcome: 'not-done' as const,
    skip: undefined,
    text,
  })),
  disconnectedIds: [],
  endedBecause: 'Stopped by the operator.',
  startedAtMs: 0,
  finishedAtMs: 1,
  ...patch,
});

const formOf = (text: string): FormRequest => ({
  kind: 'form',
  title: safe`A form`,
  notes: Array.from({ length: 8 }, () => safe`some words that explain it all at length`),
  verb: safe`go on`,
  fields: Array.from({ length: 30 }, (_, index) => ({
    id: String(index),
    label: safe`field ${index}`,
    initial: text,
    kind: index % 3 === 1 ? ('hidden' as const) : ('text' as const),
  })),
  build: () => ({ error: safe`wrong` }),
});

const tableOf = (theme: Theme, width: number, ids: readonly string[], absentIds: ReadonlySet<string>): BulkTable =>
  bulkTable(
    theme,
    width,
    ids.map((id, place) => ({
      id,
      node: place % 2 === 0 ? safe`n` : safe`m`,
      user: place % 2 === 0 ? safe`u` : safe`v`,
      raw: { node: String(place % 2), user: String(place % 2) },
      sign: absentIds.has(id) ? safe`○` : safe` `,
    })),
  );

/** The lines of a preview with the ids that stand over them, which ink-table draws. */
const withIds = ({ lines, table, tableAt, from, to }: BulkPreviewView): readonly string[] =>
  lines.map((line, at) => {
    const row =
      tableAt === undefined || at <= tableAt || at > tableAt + to - from
        ? undefined
        : table.rows[from + at - tableAt - 1];
    return row === undefined
      ? stripVTControlCharacters(line)
      : `  ${row.filter((_, cell) => cell % 3 === 0).join('  ')}`;
  });

/** Everything that a dialog can look like for a name. */
const dialogs = (
  theme: Theme,
  width: number,
  height: number,
  name: string,
): Readonly<Record<string, readonly string[]>> => {
  const record = { phase: 'finished' as const };
  const parts = ['broker1', name, 'broker3'].map((node) => ({
    node,
    outcome: 'unknown' as const,
    text: name,
    error: undefined,
  }));
  const form = formOf(name.slice(0, 900));
  return {
    confirm: confirmLines(
      theme,
      width,
      height,
      {
        question: safe`Do it?`,
        target: name,
        details: [theme.escape(name.slice(0, 200)), safe`more`],
        verb: safe`do`,
        warning: safe`mind it`,
      },
      [answerLine(theme, width, answerButtons(safe`do`))],
    ).lines,
    running: outcomeLines(theme, width, height, titled(`do it to ${name}`), { phase: 'sending', result: undefined }),
    outcome: outcomeLines(theme, width, height, titled(`do it to ${name}`), {
      ...record,
      result: result({ outcome: 'unknown', parts, why: name }),
    }),
    form: formLines(theme, width, height, {
      request: form,
      form: { ...createForm(form.fields), focus: 20 },
      error: safe`wrong`,
      progress: undefined,
    }),
    preview: bulkPreviewLines(
      theme,
      width,
      height,
      {
        preview: {
          total: 40,
          byNode: [
            [name, 30],
            [undefined, 10],
          ],
          byUser: [[name, 40]],
        },
        perSecond: 20,
        changedCount: 3,
        chosenCount: 44,
        shownCount: 1,
        table: tableOf(
          theme,
          width,
          Array.from({ length: 4 }, () => name),
          new Set([name]),
        ),
        absentCount: 1,
      },
      [answerLine(theme, width, answerButtons(safe`do`))],
    ).lines,
    progress: bulkProgressLines(theme, width, height, progressOf(name)),
    working: bulkProgressLines(
      theme,
      width,
      height,
      progressOf(name, { phase: 'running', done: 1, running: 4, sent: 3, waiting: 25 }),
    ),
  };
};

describe.each(themes)('with %s', (_, theme) => {
  test.each(sizes)('every dialog fits into %i×%i, whatever the names', (width, height) => {
    for (const name of names) {
      // As one object, so that a failure says which dialog it is.
      const measured = Object.entries(dialogs(theme, width, height, name)).map(
        ([kind, lines]) =>
          [
            kind,
            {
              fits: lines.length > 2 && lines.length <= height,
              widths: [...new Set(lines.map((line) => stringWidth(stripVTControlCharacters(line))))],
              hostile: lines.filter((line) => /\p{Cc}|\u202E/u.test(line.replaceAll(/\u001B\[[\d;]*m/g, ''))),
            },
          ] as const,
      );
      for (const [kind, found] of measured)
        expect({ kind, ...found }).toEqual({ kind, fits: true, widths: [width], hostile: [] });
    }
  });

  test('the keys of a dialog are in its last line, however long the rest is', () => {
    const last = Object.fromEntries(
      Object.entries(dialogs(theme, 60, 9, names[2] ?? '')).map(([kind, lines]) => [
        kind,
        stripVTControlCharacters(lines.at(-1) ?? '').trim(),
      ]),
    );
    expect(last).toEqual({
      confirm: expect.stringContaining(cancelButton),
      running: 'Esc Run in background',
      outcome: 'Enter/Esc Close',
      form: expect.stringContaining('Esc Cancel'),
      preview: expect.stringContaining(cancelButton),
      progress: expect.stringContaining('Enter/Esc Close'),
      working: 'x Stop sending   Esc Run in background',
    });
  });
});

test('the focused field is on the screen, and hidden ones show no text', () => {
  const form = formOf('geheim');
  for (let focus = 0; focus < form.fields.length; focus += 1) {
    const lines = formLines(plainTheme, 60, 9, {
      request: form,
      form: { ...createForm(form.fields), focus },
      error: undefined,
      progress: undefined,
    }).map((line) => stripVTControlCharacters(line));
    expect(lines.find((line) => line.startsWith('▸'))).toContain(`field ${focus} `);
    expect(
      lines.filter(
        (line) =>
          line.includes('geheim') && /field \d*[147] /.test(line) && Number(/field (\d+)/.exec(line)?.[1]) % 3 === 1,
      ),
    ).toEqual([]);
  }
});

test('what an action led to follows the outcome, escaped, and says while it is read', () => {
  const text = (record: Pick<ActionRecord, 'followUp' | 'isFollowed'>, height = 10): readonly string[] =>
    outcomeLines(plainTheme, 80, height, titled('disconnect'), {
      phase: 'finished',
      result: result({}),
      ...record,
    }).map((line) => stripVTControlCharacters(line).trimEnd());
  const followUp = 'Reconnected within 0.9 s on b from \u001B[2J1.2.3.4; session kept, 3 queued.';
  const shown = text({ followUp, isFollowed: false });
  expect(shown.slice(2)).toEqual([
    '  Reconnected within 0.9 s on b from \\x1b[2J1.2.3.4; session kept, 3 queued.',
    '  Enter/Esc Close',
  ]);
  expect(text({ isFollowed: true }).at(-2)).toBe('  ··· still watching');
  expect(text({ followUp, isFollowed: true }, 5)).toEqual([...shown.slice(0, 3), '  ··· still watching', shown[3]]);
});

test('a very long outcome is marked as cut, and names with spaces never look alike', () => {
  const text = (title: string, width: number, height: number): string =>
    outcomeLines(plainTheme, width, height, titled(title), { phase: 'finished', result: result({}) })
      .map((line) => stripVTControlCharacters(line).trimEnd())
      .join('\n');
  expect(text(`disconnect ${'ab '.repeat(3_000)}c`, 200, 60)).toMatch(/…$/mu);
  const names = ['x'.repeat(36), 'x'.repeat(35), 'x'.repeat(34)].flatMap((start) =>
    ['', ' ', '  ', '   '].map((blanks) => `${start}${blanks}y`),
  );
  for (const width of [40, 41, 42, 51, 52, 53, 60]) {
    expect(new Set(names.map((name) => text(`disconnect ${name}`, width, 18))).size).toBe(names.length);
  }
});

test('a long id is counted without the full stop behind it', () => {
  const why = `It had left: ${'a'.repeat(1_020)}.`;
  const text = outcomeLines(plainTheme, 200, 18, titled('disconnect'), {
    phase: 'finished',
    result: result({ outcome: 'not-done', why }),
  })
    .map((line) => stripVTControlCharacters(line))
    .join('\n');
  expect(text).toContain('(1,020 characters)');
  expect(text).toMatch(/a{60}\. *$/mu);
});

describe('the names of marked ones', () => {
  const [width, height] = [30, 100];
  const frameOf = (ids: readonly string[], absentIds: ReadonlySet<string> = new Set()): readonly string[] =>
    withIds(
      bulkPreviewLines(
        plainTheme,
        width,
        height,
        {
          preview: { total: ids.length, byNode: [], byUser: [] },
          perSecond: 20,
          changedCount: 0,
          chosenCount: ids.length,
          shownCount: ids.length,
          table: tableOf(plainTheme, width, ids, absentIds),
          absentCount: absentIds.size,
        },
        [],
      ),
    ).map((line) => line.trimEnd());
  /** The names, as the cells show them. */
  const namesIn = ({ rows, columns }: BulkTable): readonly string[] => {
    const cells = rows.flatMap((row) =>
      row.flatMap((text, index) => (index % 3 === 0 ? [{ text, isFirst: row[index + 1] !== '' }] : [])),
    );
    const starts = cells.flatMap(({ isFirst }, index) => (isFirst ? [index] : []));
    return starts.map((start, index) => {
      const own = cells.slice(start, starts[index + 1]);
      return own.length === 1
        ? (own[0]?.text.slice(2) ?? '')
        : readWrapped(
            own.map(({ text }, at) => text.slice(at === 0 ? 2 : 4)),
            columns[0].width - 4,
          ).trimEnd();
    });
  };

  test.each([
    [0, [0, 0], 'Their sessions and queued messages are kept.'],
    [1, [0, 1], '2 sessions will be kept, 1 will end; an unknown number of queued messages will be lost.'],
    [1, [0, 0], '2 sessions will be kept, 1 will end; no queued messages are lost.'],
    [2, [1_204, 0], '1 session will be kept, 2 will end; 1,204 queued messages are lost.'],
    [3, [0, 3], 'Their sessions end; an unknown number of queued messages will be lost.'],
    [3, [0, 0], 'Their sessions end; no queued messages are lost.'],
    [3, [1, 0], 'Their sessions end; 1 queued message is lost.'],
    [3, [12, 1], 'Their sessions end; at least 12 queued messages are lost (1 queue unknown).'],
    [3, [0, 2], 'Their sessions end; 2 of their queues are unknown, the rest are empty.'],
  ])(
    'stand below what becomes of their sessions, with %i that end and %j messages and unknown queues',
    (count, [messages = 0, unknown = 0], text) => {
      const plan = {
        preview: { total: 3, byNode: [], byUser: [] },
        perSecond: 20,
        changedCount: 0,
        chosenCount: 3,
        shownCount: 3,
        table: tableOf(plainTheme, 100, ['a', 'b', 'c'], new Set<string>()),
        absentCount: 0,
      };
      const linesOf = (
        more: Partial<Pick<BulkPlan, 'preview' | 'ending' | 'endsSessions' | 'countersSeconds' | 'changedSinceCount'>>,
      ): string =>
        bulkPreviewLines(plainTheme, 100, 30, { ...plan, ...more }, [])
          .lines.map((line) => stripVTControlCharacters(line))
          .join('\n');
      expect(linesOf({ ending: { count, queued: { messages, unknown, queues: count } } })).toContain(text);
      expect(linesOf({})).not.toMatch(/sessions/u);
      // Nor when all have changed.
      expect(
        linesOf({
          preview: { total: 0, byNode: [], byUser: [] },
          ending: { count, queued: { messages, unknown, queues: count } },
          changedSinceCount: 3,
        }),
      ).not.toMatch(/sessions/u);
      expect(
        linesOf({ ending: { count: 3, queued: { messages: 1_204, unknown: 0, queues: 3 } }, endsSessions: true }),
      ).toContain('! This also ends their sessions and subscriptions; 1,204 queued messages are lost.');
      expect(
        linesOf({
          ending: { count: 3, queued: { messages: 0, unknown: 0, queues: 3 } },
          endsSessions: true,
          countersSeconds: 15,
        }).replaceAll(/\s+/gu, ' '),
      ).toContain('no queued messages are lost (counted up to 15 s earlier).');
    },
  );

  test('are shown in full, so that no two look alike', () => {
    const name = fc
      .array(fc.constantFrom('x', 'sensor', 'y'.repeat(23), '界', ' ', '  not connected', '…'), {
        minLength: 1,
        maxLength: 12,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 6 }), (ids) => {
        expect(namesIn(tableOf(plainTheme, width, ids, new Set()))).toEqual(ids.map((id) => plainTheme.escape(id)));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    [60, 7],
    [60, 9],
    [80, 14],
  ] as const)('are all reached by scrolling at %i by %i, and so is what stands above them', (wide, high) => {
    const ids = Array.from({ length: 30 }, (_, index) => `pump-${index}-${'z'.repeat(index * 3)}`);
    const at = (top: number) =>
      bulkPreviewLines(
        plainTheme,
        wide,
        high,
        {
          preview: {
            total: 30,
            byNode: [
              ['broker1@127.0.0.1', 20],
              ['broker2@127.0.0.1', 10],
            ],
            byUser: [['factory', 30]],
          },
          perSecond: 20,
          changedCount: 2,
          chosenCount: 33,
          shownCount: 33,
          table: tableOf(plainTheme, wide, ids, new Set(['pump-1-zzz'])),
          absentCount: 1,
        },
        [answerLine(plainTheme, wide, answerButtons(safe`do`))],
        top,
      );
    const seen: string[] = [];
    for (let top = 0, isEnd = false; !isEnd; top = Math.min(top + at(top).page, at(top).maxTop)) {
      const { maxTop } = at(top);
      const lines = withIds(at(top));
      expect(lines.length).toBeLessThanOrEqual(high);
      seen.push(...lines.map((line) => stripVTControlCharacters(line).trim()));
      isEnd = top === maxTop;
    }
    const text = seen.join(' ');
    for (const words of [
      'Disconnect 30 of 33 marked clients?',
      'by node',
      'by username: factory 30',
      '! 2 will be skipped:',
      'skipped',
      '○ pump-1-zzz',
    ])
      expect(text).toContain(words);
    expect(ids.filter((id) => !text.includes(id.slice(0, 12)))).toEqual([]);
  });

  test('have no column for what they have in common, which is said above them', () => {
    const entriesOf = (nodes: readonly SafeText[], users: readonly SafeText[]) =>
      nodes.map((node, place) => ({
        id: `pump-${place}`,
        node,
        user: users[place] ?? safe`u`,
        raw: { node, user: users[place] },
        sign: safe` `,
      }));
    const headersOf = ({ columns }: BulkTable): readonly string[] => columns.map(({ header }) => header.trim());
    const { client, node, user } = bulkDialogTexts.columns;
    const same = bulkTable(plainTheme, 80, entriesOf([safe`n`, safe`n`], [safe`u`, safe`u`]));
    expect([headersOf(same), same.shared, same.groups]).toEqual([[client], { node: 'n', user: 'u' }, 5]);
    expect(headersOf(bulkTable(plainTheme, 80, entriesOf([safe`n`, safe`m`], [safe`u`, safe`u`])))).toEqual([
      client,
      node,
    ]);
    expect(headersOf(bulkTable(plainTheme, 80, entriesOf([safe`n`], [safe`u`])))).toEqual([client, node, user]);
    expect(headersOf(bulkTable(plainTheme, 80, entriesOf([safe`n`, safe`n`], [loadingText, loadingText])))).toEqual([
      client,
      user,
    ]);
    // Two that only look alike.
    const cut = ['a', 'b'].map((user, place) => ({
      id: `pump-${place}`,
      node: safe`n`,
      user: safe`u…`,
      raw: { node: 'n', user },
      sign: safe` `,
    }));
    expect(headersOf(bulkTable(plainTheme, 80, cut))).toEqual([client, user]);
    const head = (plan: Partial<Parameters<typeof bulkPreviewLines>[3]>): string =>
      bulkPreviewLines(
        plainTheme,
        80,
        20,
        {
          preview: { total: 2, byNode: [['n', 2]], byUser: [['u', 2]] },
          perSecond: 20,
          changedCount: 0,
          chosenCount: 2,
          shownCount: 2,
          table: same,
          absentCount: 0,
          ...plan,
        },
        [],
      )
        .lines.map((line) => stripVTControlCharacters(line).trim())
        .join('\n');
    expect(head({})).toContain('all on n, with username u');
    expect(head({})).not.toContain('by node');
    expect(head({ group: { by: 'username', text: safe`with username u` } })).toMatch(/^all on n$/mu);
    expect(
      head({
        table: bulkTable(plainTheme, 80, entriesOf([safe`n`, safe`m`], [safe`(none)`, safe`(none)`])),
      }),
    ).toMatch(/^all without a username\nby node: n 2$/mu);
  });

  test('have the sign of a missing connection in a column of its own', () => {
    expect(
      frameOf(['away', 'here', 'o far'], new Set(['away']))
        .filter((line) => /away|here|o far/u.test(line))
        .slice(-3),
    ).toEqual(['  ○ away', '    here', '    o far']);
  });
});

test('the counts are shown in words', () => {
  const text = bulkProgressLines(plainTheme, 140, 18, progressOf('pump-1 stayed'))
    .map((line) => stripVTControlCharacters(line).trimEnd())
    .join('\n');
  expect(text).toContain(bulkCounts(progressOf('')));
  // The title says that it was stopped.
  expect(text).not.toContain('Stopped by the operator.');
  expect(text).toContain('pump-1 stayed');
});

test('counts of nothing are left out, except of the disconnected', () => {
  expect(
    bulkCounts(progressOf('', { done: 0, notDone: 0, unknown: 0, skipped: 40, skips: { ...noSkips, absent: 40 } })),
  ).toBe('0 of 40 disconnected, 40 skipped (not connected)');
  const counts = { total: 30, reconnected: 0, away: 0, unreadable: 0, unchecked: 30, awayIds: [], isFinished: false };
  expect(reconnectsText({ ...counts, isFinished: true })).toBe('0 of 30 reconnected, 30 not checked.');
  expect(reconnectsText({ ...counts, isFinished: false })).toBe('0 of 30 reconnected, 30 not checked yet.');
  expect(
    reconnectsText({
      ...counts,
      reconnected: 20,
      away: 7,
      awayIds: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
      unreadable: 3,
      unchecked: 0,
    }),
  ).toBe('20 of 30 reconnected, 7 not yet (a, b, c, 4 more), 3 could not be read.');
  expect(reconnectsText({ ...counts, reconnected: 29, away: 1, awayIds: ['a'], unchecked: 0 })).toBe(
    '29 of 30 reconnected, 1 not yet (a).',
  );
  expect(reconnectsText({ ...counts, reconnected: 30, unchecked: 0 })).toBe('All 30 reconnected.');
  expect(reconnectsText({ ...counts, total: 1, reconnected: 1, unchecked: 0 })).toBe('The client reconnected.');
  expect(
    ['Disconnect 1 marked client', 'Disconnect 1,204 marked clients'].map((title) =>
      bulkTexts.reconnectsAfter(title, 'All reconnected.'),
    ),
  ).toEqual(['Disconnecting 1 marked client: all reconnected.', 'Disconnecting marked clients: all reconnected.']);
});

test('how many reconnect is announced, counted, and then stands', () => {
  const text = (reconnects: BulkProgress['reconnects']): string =>
    bulkProgressLines(plainTheme, 140, 18, progressOf('', { reconnects }))
      .map((line) => stripVTControlCharacters(line).trimEnd())
      .join('\n');
  const counts = { total: 30, reconnected: 0, away: 0, unreadable: 0, unchecked: 30, awayIds: [], isFinished: false };
  expect(text(counts)).toContain('  ··· reconnects are counted in 5 s');
  const some = { ...counts, reconnected: 3, unchecked: 27 };
  expect(text(some)).toContain(`  ··· ${reconnectsText(some)}`);
  expect(text({ ...some, isFinished: true })).toContain(`  ${reconnectsText({ ...some, isFinished: true })}`);
  expect(text({ ...some, isFinished: true })).not.toContain('···');
});

describe('what a bulk left undone', () => {
  const failure = (
    place: number,
    outcome: BulkProgress['failures'][number]['outcome'],
    skip: BulkProgress['failures'][number]['skip'],
  ) => ({ place, target: {}, outcome, skip, text: `${skip ?? outcome} ${place}` });
  const hung = progressOf('', {
    done: 0,
    notDone: 1,
    unknown: 1,
    skipped: 38,
    skips: { ...noSkips, changed: 2, unreadable: 4, notReached: 32 },
    failures: [
      ...[0, 1].map((place) => failure(place, 'skipped', 'changed')),
      ...[2, 3, 4, 5].map((place) => failure(place, 'skipped', 'unreadable')),
      failure(6, 'not-done', undefined),
      failure(7, 'unknown', undefined),
      ...Array.from({ length: 32 }, (_, at) => failure(8 + at, 'skipped', 'notReached')),
    ],
  });
  const listed = (height: number): readonly string[] =>
    bulkProgressLines(plainTheme, 130, height, hung)
      .map((line) => stripVTControlCharacters(line).trim())
      .slice(2);

  test('is listed, worst first; what was not reached is only counted', () => {
    expect(listed(18)).toEqual([
      '',
      bulkCounts(hung),
      '',
      'unknown 7',
      'not-done 6',
      'unreadable 2',
      'unreadable 3',
      'unreadable 4',
      'unreadable 5',
      'changed 0',
      'changed 1',
      'Enter/Esc Close   36 marked to try again',
    ]);
  });

  test('is cut from the end where there is little room, with the number of the rest', () => {
    expect(listed(7).slice(1)).toEqual([
      'unknown 7',
      'not-done 6',
      'and 6 more in the timeline (L)',
      'Enter/Esc Close   36 marked to try again',
    ]);
  });
});

test('each part of an outcome names its node', () => {
  const parts = [
    { node: 'broker1', outcome: 'done', text: undefined, error: undefined },
    { node: 'broker2', outcome: 'not-done', text: 'It has another value.', error: undefined },
  ] as const;
  const lines = outcomeLines(plainTheme, 80, 18, titled('change it'), {
    phase: 'finished',
    result: result({ outcome: 'not-done', parts }),
  }).map((line) => stripVTControlCharacters(line).trimEnd());
  expect(lines).toEqual([
    expect.stringContaining('── Not done '),
    `  ${outcomeTexts['not-done'](titled('change it'))} 1 of 2 nodes done.`,
    '  broker1: Done',
    '  broker2: Not done  It has another value.',
    '  Enter/Esc Close',
  ]);
});

test('each node has a line, and one without a request is "Unchanged"', () => {
  const parts = [
    { node: 'broker2', outcome: 'done', text: undefined, error: undefined },
    { node: 'broker1', outcome: 'done', text: 'It was active already.', error: undefined, wasAlready: true },
  ] as const;
  const lines = outcomeLines(plainTheme, 80, 18, titled('start it'), {
    phase: 'finished',
    result: result({ parts }),
  }).map((line) => stripVTControlCharacters(line).trimEnd());
  expect(lines.slice(1)).toEqual([
    `  ${outcomeTexts.done(titled('start it'))} 1 of 2 nodes done, broker1 unchanged.`,
    '  broker2: Done',
    '  broker1: Unchanged  It was active already.',
    '  Enter/Esc Close',
  ]);
});

describe('the last events', () => {
  const at = new Date().setHours(3, 4, 5, 0);
  const logLines = (...[theme, width, ...rest]: Parameters<typeof logRows>) =>
    logRows(theme, width - 2, ...rest).map((row) => composeLine(theme, width, [{ text: safe` ` }, ...row]));

  test('has the newest first, with times, wrapped and harmless', () => {
    const lines = logLines(
      plainTheme,
      60,
      [
        eventOf({ atMs: at, severity: 'critical', text: `nodes: ${names[1]}` }),
        eventOf({
          atMs: at + 1000,
          text: 'Disconnected client pump-1, which was connected to the second node.',
        }),
      ],
      [
        {
          key: '1',
          name: 'publish',
          title: 'publish to x',
          startedAtMs: at + 2000,
          phase: 'sending',
          result: undefined,
        },
      ],
    ).map((line) => stripVTControlCharacters(line).trimEnd());
    expect(lines).toEqual([
      ' 03:04:07 ···publish to x (sending)',
      ' 03:04:06    Disconnected client pump-1, which was',
      '             connected to the second node.',
      String.raw` 03:04:05 !! nodes: z\x1b[2J\u202e/é\x0a"x"`,
    ]);
  });

  test('cuts very long texts, and says so', () => {
    const lines = logLines(plainTheme, 80, [eventOf({ atMs: at, severity: 'warning', text: names[2] ?? '' })], []).map(
      (line) => stripVTControlCharacters(line).trimEnd(),
    );
    expect(lines.length).toBeLessThan(80);
    expect(lines.slice(-2).join(' ')).toContain('20,010 characters');
  });
});
