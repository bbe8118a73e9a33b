import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { ActionResult } from '../../../src/actions/action.ts';
import { type BulkProgress, noSkips } from '../../../src/actions/bulk.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import type { Theme } from '../../../src/terminal/theme.ts';
import { answerLine, confirmLines } from '../../../src/ui/components/confirm.tsx';
import type { FormRequest } from '../../../src/ui/dialogs/ask.ts';
import { bulkPreviewLines, bulkProgressLines, markedLines } from '../../../src/ui/dialogs/bulk-dialog.tsx';
import { createForm, formLines } from '../../../src/ui/dialogs/form-dialog.tsx';
import { outcomeLines } from '../../../src/ui/dialogs/outcome-dialog.tsx';
import { logLines } from '../../../src/ui/screens/log/log.tsx';
import { readWrapped } from '../../support/wrapped-text.ts';
import { sizes } from '../screens/frames.ts';
import { asciiTheme, colorTheme, plainTheme } from '../support/rig.tsx';

const names = ['pump-1', 'z\u001B[2J\u202E/é\n"x"', `start-${'界'.repeat(20_000)}-end`];
const themes: readonly (readonly [string, Theme])[] = [['colour', colorTheme], ['no colour', plainTheme], ['ASCII', asciiTheme]];

const result = (patch: Partial<ActionResult>): ActionResult => ({
  id: 'x', outcome: 'done', reason: 'reading', wasSent: true, isAccepted: false, parts: [], error: undefined, why: undefined, before: undefined, after: undefined,
  startedAtMs: 0, finishedAtMs: 1, auditError: undefined, ...patch,
});

const progressOf = (text: string, patch: Partial<BulkProgress> = {}): BulkProgress => ({
  id: 'x', title: 'disconnect 40 marked clients', phase: 'finished', total: 40, perSecond: 20, done: 30, notDone: 3, unknown: 2, skipped: 5, skips: { ...noSkips, changed: 1, absent: 2, unreadable: 1, unsent: 1 }, running: 0, sent: 0, waiting: 0,
  failures: Array.from({ length: 10 }, (_, place) => ({ place, target: {}, outcome: 'not-done' as const, skip: undefined, text })), endedBecause: 'It was ended by hand.', startedAtMs: 0, finishedAtMs: 1, ...patch,
});

const formOf = (text: string): FormRequest => ({
  kind: 'form', title: safe`A form`, notes: Array.from({ length: 8 }, () => safe`some words that explain it all at length`), verb: safe`go on`,
  fields: Array.from({ length: 30 }, (_, index) => ({ id: String(index), label: safe`field ${index}`, initial: text, kind: index % 3 === 1 ? 'hidden' as const : 'text' as const })),
  build: () => ({ error: safe`wrong` }),
});

/** Everything that a dialog can look like for a name. */
const dialogs = (theme: Theme, width: number, height: number, name: string): Readonly<Record<string, readonly string[]>> => {
  const record = { phase: 'finished' as const };
  const parts = ['broker1', name, 'broker3'].map((node) => ({ node, outcome: 'unknown' as const, text: name, error: undefined }));
  const form = formOf(name.slice(0, 900));
  return {
    confirm: confirmLines(theme, width, height, { question: safe`Do it?`, target: name, details: [theme.escape(name.slice(0, 200)), safe`more`], verb: safe`do`, warning: safe`mind it` }, [answerLine(theme, width, safe`do`)]).lines,
    running: outcomeLines(theme, width, height, { title: `do it to ${name}` }, { phase: 'sending', result: undefined }),
    outcome: outcomeLines(theme, width, height, { title: `do it to ${name}` }, { ...record, result: result({ outcome: 'unknown', parts, why: name }) }),
    form: formLines(theme, width, height, { request: form, form: { ...createForm(form.fields), focus: 20 }, error: safe`wrong`, isWaiting: false }),
    preview: bulkPreviewLines(theme, width, height, { preview: { total: 40, byNode: [[name, 30], [undefined, 10]], byUser: [[name, 40]] }, perSecond: 20, changedCount: 3, shownCount: 1, names: markedLines(theme, width, Array.from({ length: 4 }, () => name)), absentIds: new Set([name]) }, [answerLine(theme, width, safe`do`)]).lines,
    progress: bulkProgressLines(theme, width, height, progressOf(name)),
    working: bulkProgressLines(theme, width, height, progressOf(name, { phase: 'running', done: 1, running: 4, sent: 3, waiting: 25 })),
  };
};

describe.each(themes)('with %s', (_, theme) => {
  test.each(sizes)('every dialog fits into %i×%i, whatever the names', (width, height) => {
    for (const name of names) {
      // As one object, so that a failure says which dialog it is.
      const measured = Object.entries(dialogs(theme, width, height, name)).map(([kind, lines]) => [kind, {
        fits: lines.length > 2 && lines.length <= height,
        widths: [...new Set(lines.map((line) => stringWidth(stripVTControlCharacters(line))))],
        hostile: lines.filter((line) => /\p{Cc}|\u202E/u.test(line.replaceAll(/\u001B\[[\d;]*m/g, ''))),
      }] as const);
      for (const [kind, found] of measured) expect({ kind, ...found }).toEqual({ kind, fits: true, widths: [width], hostile: [] });
    }
  });

  test('what a dialog answers to stands in its last line, however long the rest is', () => {
    const last = Object.fromEntries(Object.entries(dialogs(theme, 60, 9, names[2] ?? '')).map(([kind, lines]) => [kind, stripVTControlCharacters(lines.at(-1) ?? '').trim()]));
    expect(last).toEqual({
      confirm: expect.stringContaining('N cancel'),
      running: 'Esc leave it running',
      outcome: 'Enter Esc close',
      form: expect.stringContaining('Esc cancel'),
      preview: expect.stringContaining('N cancel'),
      progress: expect.stringContaining('Enter Esc close'),
      working: 'Esc leave it running  x abort: begin no more',
    });
  });
});

test('the focused field is on the screen, and hidden ones show no text', () => {
  const form = formOf('geheim');
  for (let focus = 0; focus < form.fields.length; focus += 1) {
    const lines = formLines(plainTheme, 60, 9, { request: form, form: { ...createForm(form.fields), focus }, error: undefined, isWaiting: false }).map((line) => stripVTControlCharacters(line));
    expect(lines.find((line) => line.startsWith('▸'))).toContain(`field ${focus} `);
    expect(lines.filter((line) => line.includes('geheim') && /field \d*[147] /.test(line) && Number(/field (\d+)/.exec(line)?.[1]) % 3 === 1)).toEqual([]);
  }
});

test('an outcome whose words go on and on is marked as cut, and names with spaces in them never look alike', () => {
  const text = (title: string, width: number, height: number): string =>
    outcomeLines(plainTheme, width, height, { title }, { phase: 'finished', result: result({}) }).map((line) => stripVTControlCharacters(line).trimEnd()).join('\n');
  expect(text(`disconnect ${'ab '.repeat(3_000)}c`, 200, 60)).toMatch(/…$/mu);
  const names = ['x'.repeat(36), 'x'.repeat(35), 'x'.repeat(34)].flatMap((start) => ['', ' ', '  ', '   '].map((blanks) => `${start}${blanks}y`));
  for (const width of [40, 41, 42, 51, 52, 53, 60]) {
    expect(new Set(names.map((name) => text(`disconnect ${name}`, width, 18))).size).toBe(names.length);
  }
});

test('a long id is counted without the full stop behind it', () => {
  const why = `It had left: ${'a'.repeat(1_020)}.`;
  const text = outcomeLines(plainTheme, 200, 18, { title: 'disconnect' }, { phase: 'finished', result: result({ outcome: 'not-done', why }) }).map((line) => stripVTControlCharacters(line)).join('\n');
  expect(text).toContain('(1,020 characters)');
  expect(text).toMatch(/a{60}\. *$/mu);
});

describe('the names of marked ones', () => {
  const [width, height] = [30, 100];
  const frameOf = (ids: readonly string[], absentIds: ReadonlySet<string> = new Set()): readonly string[] =>
    bulkPreviewLines(plainTheme, width, height, {
      preview: { total: ids.length, byNode: [], byUser: [] }, perSecond: 20, changedCount: 0, shownCount: ids.length, names: markedLines(plainTheme, width, ids), absentIds,
    }, []).lines.map((line) => stripVTControlCharacters(line).trimEnd());
  const headCount = frameOf([]).length;
  /** The names, as the lines show them. */
  const namesIn = (lines: readonly string[]): readonly string[] => {
    const starts = lines.flatMap((line, index) => (line !== '' && line[2] !== ' ' ? [index] : []));
    return starts.map((start, index) => {
      const own = lines.slice(start, starts[index + 1]);
      return readWrapped(own.map((line, at) => line.slice(at === 0 ? 2 : 4)), width - 6).trimEnd();
    });
  };

  test('stand in full, so that no two look alike: nor two that look like one', () => {
    const name = fc.array(fc.constantFrom('x', 'sensor', 'y'.repeat(23), '界', ' ', '  not connected', '…'), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 6 }), (ids) => {
      expect(namesIn(frameOf(ids).slice(headCount))).toEqual(ids.map((id) => plainTheme.escape(id)));
    }), { numRuns: 300 });
  });

  test.each([[60, 7], [60, 9], [80, 14]] as const)('are all reached by scrolling at %i by %i, and so is what stands above them', (wide, high) => {
    const ids = Array.from({ length: 30 }, (_, index) => `pump-${index}${'z'.repeat(index * 3)}`);
    const at = (top: number) => bulkPreviewLines(plainTheme, wide, high, {
      preview: { total: 30, byNode: [['broker1@127.0.0.1', 20], ['broker2@127.0.0.1', 10]], byUser: [['factory', 30]] }, perSecond: 20, changedCount: 2, shownCount: 30,
      names: markedLines(plainTheme, wide, ids), absentIds: new Set(['pump-1zzz']),
    }, [answerLine(plainTheme, wide, safe`do`)], top);
    const seen: string[] = [];
    for (let top = 0, isEnd = false; !isEnd; top = Math.min(top + at(top).page, at(top).maxTop)) {
      const { lines, maxTop } = at(top);
      expect(lines.length).toBeLessThanOrEqual(high);
      seen.push(...lines.map((line) => stripVTControlCharacters(line).trim()));
      isEnd = top === maxTop;
    }
    const text = seen.join(' ');
    for (const words of ['30 marked', 'by node', 'by user: factory 30', 'left alone', 'skipped', '○ pump-1zzz']) expect(text).toContain(words);
    expect(ids.filter((id) => !text.includes(id.slice(0, 40)))).toEqual([]);
  });

  test('have the sign of what is not connected beside them, where no name can stand', () => {
    expect(frameOf(['away', 'here', 'o far'], new Set(['away'])).slice(-3)).toEqual(['○ away', '  here', '  o far']);
  });
});

test('four counts stand in words', () => {
  const text = bulkProgressLines(plainTheme, 140, 18, progressOf('pump-1 stayed')).map((line) => stripVTControlCharacters(line).trimEnd()).join('\n');
  expect(text).toContain('30 done · 3 not done · 2 unknown · 5 skipped (1 changed, 2 not connected, 1 could not be read, 1 could not be sent) · 40 in all');
  expect(text).toContain('! It was ended by hand.');
  expect(text).toContain('pump-1 stayed');
});

describe('what a bulk left undone', () => {
  const failure = (place: number, outcome: BulkProgress['failures'][number]['outcome'], skip: BulkProgress['failures'][number]['skip']) => ({ place, target: {}, outcome, skip, text: `${skip ?? outcome} ${place}` });
  const hung = progressOf('', {
    done: 0, notDone: 1, unknown: 1, skipped: 38, skips: { ...noSkips, changed: 2, unreadable: 4, notReached: 32 },
    failures: [
      ...[0, 1].map((place) => failure(place, 'skipped', 'changed')), ...[2, 3, 4, 5].map((place) => failure(place, 'skipped', 'unreadable')),
      failure(6, 'not-done', undefined), failure(7, 'unknown', undefined), ...Array.from({ length: 32 }, (_, at) => failure(8 + at, 'skipped', 'notReached')),
    ],
  });
  const listed = (height: number): readonly string[] => bulkProgressLines(plainTheme, 100, height, hung).map((line) => stripVTControlCharacters(line).trim()).slice(2);

  test('is named, the worst first, with what was not reached as a count alone', () => {
    expect(listed(18)).toEqual([
      '0 done · 1 not done · 1 unknown · 38 skipped (2 changed, 4 could not be read, 32 not reached)', '· 40 in all', '! It was ended by hand.',
      'unknown 7', 'not-done 6', 'unreadable 2', 'unreadable 3', 'unreadable 4', 'unreadable 5', 'changed 0', 'changed 1', 'Enter Esc close   36 not sent: still marked',
    ]);
  });

  test('loses the lightest where there is little room, and says how many', () => {
    expect(listed(9).slice(3)).toEqual(['unknown 7', 'not-done 6', 'and 6 more: in the log (L)', 'Enter Esc close   36 not sent: still marked']);
  });
});

test('each part of an outcome is said by its node', () => {
  const parts = [{ node: 'broker1', outcome: 'done', text: undefined, error: undefined }, { node: 'broker2', outcome: 'not-done', text: 'It has another value.', error: undefined }] as const;
  const lines = outcomeLines(plainTheme, 80, 18, { title: 'change it' }, { phase: 'finished', result: result({ outcome: 'not-done', parts }) }).map((line) => stripVTControlCharacters(line).trimEnd());
  expect(lines).toEqual([expect.stringContaining('── Not done '), '  Not done: change it. 1 of 2 nodes took it.', '  broker1: Done', '  broker2: Not done  It has another value.', '  Enter Esc close']);
});

test('each node has a line, and one to which nothing was sent is not called done', () => {
  const parts = [{ node: 'broker2', outcome: 'done', text: undefined, error: undefined }, { node: 'broker1', outcome: 'done', text: 'It was active already.', error: undefined, wasAlready: true }] as const;
  const lines = outcomeLines(plainTheme, 80, 18, { title: 'start it' }, { phase: 'finished', result: result({ parts }) }).map((line) => stripVTControlCharacters(line).trimEnd());
  expect(lines.slice(1)).toEqual(['  Done: start it. 1 of 2 nodes took it, broker1 had it already.', '  broker2: Done', '  broker1: Unchanged  It was active already.', '  Enter Esc close']);
});

describe('the log', () => {
  const at = new Date(2026, 0, 2, 3, 4, 5).getTime();

  test('has the newest first, with times, wrapped and harmless', () => {
    const lines = logLines(plainTheme, 60, [
      { atMs: at, level: 'error', text: `nodes: ${names[1]}` },
      { atMs: at + 1000, level: 'info', text: 'Done: disconnect client pump-1, which was connected to the second node of all.' },
    ], [{ key: '1', name: 'publish', title: 'publish to x', startedAtMs: at + 2000, phase: 'sending', result: undefined }]).map((line) => stripVTControlCharacters(line).trimEnd());
    expect(lines).toEqual([
      ' 03:04:07 ···publish to x (sending)',
      ' 03:04:06    Done: disconnect client pump-1, which was',
      '             connected to the second node of all.',
      String.raw` 03:04:05 !! nodes: z\x1b[2J\u202e/é\x0a"x"`,
    ]);
  });

  test('cuts what is endless, and says so', () => {
    const lines = logLines(plainTheme, 80, [{ atMs: at, level: 'warning', text: names[2] ?? '' }], []).map((line) => stripVTControlCharacters(line).trimEnd());
    expect(lines.length).toBeLessThan(80);
    expect(lines.slice(-2).join(' ')).toContain('20,010 characters');
  });
});
