import { disconnectRequest } from '../../src/resources/clients/actions.ts';
import type { DialogRequest } from '../../src/actions/requests.ts';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { screenFor, unboxed } from '../support/boxes.ts';
import { TerminalScreen, untouchedModes } from '../support/terminal-screen.ts';
import { readWrapped } from '../support/wrapped-text.ts';
import { dialogsFor } from '../tui/dialogs/dialogs.ts';
import { createAskedRig, endMonitors, shownClient } from '../tui/dialogs/harness.tsx';
import { endRigs, plainTheme } from '../tui/support/rig.tsx';
import { allHostileTexts, hostileText, unescape } from './texts.ts';

afterEach(() => {
  endRigs();
  endMonitors();
});

const [columns, rows] = [80, 60];
/** The screen's size, with the box around the dialog. */
const [screenColumns, screenRows] = screenFor([columns, rows]);

/** Draws a frame on a terminal that is larger than the dialog. Returns its lines and its effects besides drawing. */
const judge = async (frame: string): Promise<{ readonly lines: readonly string[]; readonly did: unknown }> => {
  const screen = new TerminalScreen(screenColumns + 20, screenRows + 10);
  await screen.write(frame.replaceAll('\n', '\r\n'));
  const { titles, clipboard, replies, commands, bells } = screen.effects();
  const lines = screen.lines().map((line) => line.trimEnd());
  const outside = lines.filter((line, at) =>
    at >= screenRows + 6
      ? line !== ''
      : screen
          .row(at)
          .slice(screenColumns)
          .some(({ char }) => char !== ' '),
  );
  const did = { titles, clipboard, replies, commands, bells, modes: screen.modes(), outside };
  screen.dispose();
  return { lines: unboxed(lines), did };
};
const nothing = { titles: [], clipboard: [], replies: [], commands: [], bells: 0, modes: untouchedModes, outside: [] };

/** Waits for a dialog and returns its lines. */
const shown = async (request: DialogRequest): Promise<readonly string[]> => {
  const rig = createAskedRig(request, {}, { size: [columns, rows] });
  rig.type('P');
  await rig.until((text) => /Esc|n Cancel/u.test(text));
  const { lines, did } = await judge(rig.raw());
  rig.unmount();
  expect(did).toEqual(nothing);
  return lines;
};

/** Joins the lines and undoes the escaping; the dialog's own text is around the result. */
const said = (lines: readonly string[]): string =>
  unescape(
    readWrapped(
      lines.map((line) => line.slice(2)),
      columns - 4,
    ),
  );

/** Names that fit into a dialog. */
const anyName = hostileText.filter((text) => text !== '' && text !== '""' && text.length < 300);
/** Names that mostly wrap at or next to a blank. */
const blankName = fc
  .array(fc.constantFrom('x', 'y'.repeat(47), '界', ' ', '  '), { minLength: 3, maxLength: 12 })
  .map((parts) => `x${parts.join('')}x`);
const name = fc.oneof(anyName, blankName);

describe('every dialog shows the whole name of its target', () => {
  test.each(
    Object.keys(dialogsFor('x').questions).filter(
      (kind) =>
        kind !== 'stopping what serves the interface' &&
        kind !== 'clearing the alarm history' &&
        kind !== 'what the form of an ACL cache comes to',
    ),
  )('%s', async (kind) => {
    await fc.assert(
      fc.asyncProperty(name, async (id) => {
        const request = dialogsFor(id).questions[kind];
        expect(request === undefined ? [] : said(await shown(request))).toContain(id);
      }),
      { numRuns: 3 },
    );
  });
});

describe('names that do not fit', () => {
  // Combining marks have no width: such a name is narrow but long.
  const long = 'x\u0301\u0302'.repeat(300);

  test('is shown in full among the marked ones, and as cut in the counts by node and user', async () => {
    const client = { ...shownClient(`${long}1`), username: long };
    const other = { ...client, clientId: `${long}2`, username: `${long}3` };
    const lines = await shown({
      kind: 'bulk',
      targets: [
        { kind: 'client', client },
        { kind: 'client', client: other },
      ],
      changedIds: new Set(),
      shownCount: 2,
    });
    // Beside a name are its node and user.
    const names = lines
      .slice(lines.findIndex((line) => line.includes('CLIENT ID')) + 1)
      .map((line) => line.replace(/ {2,}\S+… *$/u, '').trim())
      .join('');
    expect(names).toContain(`${long}1${long}2`);
    expect(lines.find((line) => line.includes('by user'))).toMatch(/…/u);
    const shared = await shown({
      kind: 'bulk',
      targets: [
        { kind: 'client', client },
        { kind: 'client', client: { ...other, username: long } },
      ],
      changedIds: new Set(),
      shownCount: 2,
    });
    expect(shared.join(' ')).toMatch(/all on broker1\S*, with username .*…/u);
  });

  test('is marked as cut in the details of a question', async () => {
    const request = disconnectRequest(plainTheme, { ...shownClient(), username: 'u'.repeat(400) });
    expect(request.details?.[0]).toMatch(/user u{299}…$/u);
  });
});

describe('forms, menus and what is read first', () => {
  const { forms, others } = dialogsFor('x');
  test.each([...Object.keys(forms), ...Object.keys(others)])('%s: only draws, in its place', async (kind) => {
    for (const id of [allHostileTexts.filter((text) => text.length < 100).join(''), '__proto__', '\u202E']) {
      const dialogs = dialogsFor(id);
      const request = dialogs.forms[kind]?.form ?? dialogs.others[kind];
      expect((request === undefined ? [] : await shown(request)).join('')).toMatch(/Esc|n Cancel/u);
    }
  });
});
