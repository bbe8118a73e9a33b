import { disconnectClient, disconnectRequest } from '../../../src/resources/clients/actions.ts';
import type { DialogRequest, ConfirmRequest } from '../../../src/actions/requests.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/envelope.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import { endRigs, plainTheme } from '../support/rig.tsx';
import { brokerWith, createAskedRig, endMonitors, flat, hostileId, longId, shownClient } from './harness.tsx';
import { cancelButton } from '../../support/texts.ts';

afterEach(() => {
  endRigs();
  endMonitors();
});

const request = (clientId?: string): ConfirmRequest => disconnectRequest(plainTheme, shownClient(clientId));
const named = (mustType: string): ConfirmRequest => ({
  kind: 'confirm',
  question: safe`Stop this plugin?`,
  target: mustType,
  verb: safe`stop it`,
  button: safe`stop on 3 nodes`,
  action: disconnectClient.create({ kind: 'client', client: shownClient() }),
  mustType,
  warning: safe`It serves this very interface.`,
});

describe('a question', () => {
  test('shows the target, its details, and what y does', async () => {
    const rig = createAskedRig(request(), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('Disconnect this client?'));
    expect(rig.lines().map((line) => line.trimEnd())).toEqual([
      'behind',
      '── Disconnect this client?',
      '  pump-1',
      '  on broker1@127.0.0.1 from 10.0.0.1:4000, no username',
      '  connected since 2026-01-01 00:00:00',
      '  Its session ends; an unknown number of queued messages will be lost.',
      '  If it reconnects before you confirm, nothing is sent.',
      '',
      `  y Disconnect   ${cancelButton}`,
    ]);
  });

  test.each([
    ['Enter', '\r'],
    ['Esc', '\u001B'],
    ['n', 'n'],
    ['N', 'N'],
    ['q', 'q'],
  ])('is left by %s, and nothing is asked of the broker', async (_, key) => {
    const rig = createAskedRig(request(), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes(cancelButton));
    rig.type(key);
    await rig.until((text) => !text.includes(cancelButton) && text.includes('Canceled. Nothing was sent.'));
    expect(rig.calls).toEqual([]);
    expect(rig.heard).toEqual([]);
  });

  test('is answered by one y, not by a y within text that comes at once', async () => {
    const rig = createAskedRig(request(), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes(cancelButton));
    // Of these, Enter cancels.
    rig.type('yes\r');
    await rig.until((text) => !text.includes(cancelButton));
    expect(rig.calls).toEqual([]);
    rig.type('P');
    await rig.until((text) => text.includes(cancelButton));
    rig.type('y');
    await rig.until((text) => text.includes('Disconnected client pump-1.'));
    expect(rig.calls.filter((call) => call === 'disconnectClient')).toHaveLength(1);
    rig.type('\r');
    await rig.until((text) => !text.includes('── '));
    expect(rig.heard).toEqual([]);
  });

  test('lets the outcome be watched until it is closed', async () => {
    const rig = createAskedRig(request(), brokerWith(shownClient()));
    const run = vi.spyOn(rig.monitor, 'runAction');
    rig.type('P');
    await rig.until((text) => text.includes(cancelButton));
    rig.type('y');
    await rig.until((text) => text.includes('Disconnected client pump-1.'));
    const [, untilClosed] = run.mock.calls[0] ?? [];
    expect(untilClosed?.aborted).toBe(false);
    rig.type('\r');
    await rig.until((text) => !text.includes('── '));
    await vi.waitFor(
      () => {
        expect(untilClosed?.aborted).toBe(true);
      },
      { timeout: 20_000 },
    );
  });

  test('is not answered by keys that came with the one that opened it', async () => {
    const rig = createAskedRig(request(), brokerWith(shownClient()));
    rig.type('Py');
    await rig.until((text) => text.includes(cancelButton));
    rig.type('n');
    await rig.until((text) => !text.includes(cancelButton));
    expect(rig.calls).toEqual([]);
  });

  test('about a client that has reconnected is refused', async () => {
    const back = { ...shownClient(), port: 4_001 };
    const rig = createAskedRig(request(), brokerWith(back));
    rig.type('P');
    await rig.until((text) => text.includes(cancelButton));
    rig.type('y');
    await rig.until((text) => flat(text).includes('Skipped client pump-1: it reconnected after you selected it.'));
    expect(rig.text()).toContain('── Not done');
    expect(rig.calls).not.toContain('disconnectClient');
  });

  test.each([
    ['done', 1, brokerWith(shownClient())],
    ['skipped', 1, brokerWith({ ...shownClient(), port: 4_001 })],
    [
      'refused',
      0,
      brokerWith(shownClient(), {
        disconnectClient: async () => {
          throw errorOfCode(105, 'no way');
        },
      }),
    ],
  ] as const)('says that there is nothing to try again if it is %s: %i', async (_, times, broker) => {
    const onSettled = vi.fn<() => void>();
    const rig = createAskedRig({ ...request(), onSettled }, broker);
    rig.type('P');
    await rig.until((text) => text.includes(cancelButton));
    rig.type('y');
    await rig.until((text) => text.includes('Enter/Esc Close'));
    expect(onSettled).toHaveBeenCalledTimes(times);
  });

  test("shows the broker's code and words, made harmless", async () => {
    const refusal = errorOfCode(105, 'no\u001B[31m way');
    const rig = createAskedRig(
      request(),
      brokerWith(shownClient(), {
        disconnectClient: async () => {
          throw refusal;
        },
      }),
    );
    rig.type('P');
    await rig.until((text) => text.includes(cancelButton));
    rig.type('y');
    await rig.until((text) => text.includes('── Not done'));
    expect(flat(rig.text())).toContain(String.raw`(code 105). The broker says: no\x1b[31m way`);
  });

  test('can be left while it runs', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const rig = createAskedRig(request(), brokerWith(shownClient(), {}, promise));
    rig.type('P');
    await rig.until((text) => text.includes(cancelButton));
    rig.type('y');
    await rig.until((text) => text.includes('sent, waiting for the response'));
    rig.type('\r');
    rig.type('\u001B');
    await rig.until((text) => !text.includes('sent, waiting for the response'));
    resolve();
    await rig.monitor.whenActionsEnd();
    expect(rig.monitor.store.getState().actions).toHaveLength(1);
  });

  test('never opens in read-only mode', async () => {
    const rig = createAskedRig(request(), brokerWith(shownClient()), { isReadOnly: true });
    // The key of another command: P itself does not exist then.
    rig.type('L');
    await rig.until((text) => text.includes('behind Read-only mode: actions are disabled'));
    expect(rig.text()).not.toContain('Disconnect');
  });
});

describe('a hostile or long id', () => {
  test('is shown in full and escaped', async () => {
    const rig = createAskedRig(request(hostileId), brokerWith(shownClient(hostileId)));
    rig.type('P');
    await rig.until((text) => text.includes(cancelButton));
    expect(rig.text()).toContain(String.raw`  z\x1b[2J\u202e/é "quoted"`);
    expect(rig.raw()).not.toContain('\u001B[2J');
  });

  test('that does not fit is scrolled, and cannot be confirmed before all of it was visible', async () => {
    const rig = createAskedRig(request(longId), brokerWith(shownClient(longId)));
    rig.type('P');
    await rig.until((text) => text.includes(cancelButton));
    expect(rig.text()).toContain('  start-xxx');
    expect(rig.text()).toContain('lines 1–15 of 794 (↑ ↓ PgUp PgDn)');
    expect(rig.lines().length).toBeLessThanOrEqual(19);
    rig.type('yj');
    await rig.until((text) => text.includes('lines 2–16 of 794'));
    expect(rig.text()).toContain('PgDn Read the rest first');
    expect(rig.calls).toEqual([]);
    rig.type('\u001B[6~'.repeat(60));
    await rig.until((text) => text.includes('xxx-end') && text.includes('y Disconnect'));
    rig.type('kkkkk');
    await rig.until((text) => text.includes('lines 775–789 of 794'));
    // Once seen it is seen.
    expect(rig.text()).toContain('y Disconnect');
    rig.type('y');
    await rig.until((text) => text.includes('── Done'));
    expect(rig.text()).toContain('Enter/Esc Close');
    expect(rig.lines().length).toBeLessThanOrEqual(19);
  });
});

describe('a question that needs a typed name', () => {
  test('does nothing before the name is typed', async () => {
    const rig = createAskedRig(named('emq_dashboard'), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('Type emq_dashboard to stop it:'));
    expect(rig.text()).toContain('! It serves this very interface.');
    expect(rig.text()).toContain('Enter Stop on 3 nodes   Esc Cancel');
    rig.type('\r');
    await rig.until((text) => text.includes('! That does not match. Nothing was sent.'));
    expect(rig.calls).toEqual([]);
  });

  test('takes a name raw or as shown', async () => {
    for (const typed of [' ', String.raw`\x20`]) {
      const rig = createAskedRig(named(' '), brokerWith(shownClient()));
      rig.type('P');
      await rig.until((text) => text.includes(String.raw`Type \x20 to stop it:`));
      const before = rig.frameCount();
      rig.type(typed);
      await rig.until((text) => text.includes(`to stop it: ${typed.trim()}`) && rig.frameCount() > before);
      rig.type('\r');
      await rig.until((text) => text.includes('── Done'));
      expect(rig.calls).toContain('disconnectClient');
    }
  });

  test('does nothing for another spelling', async () => {
    const rig = createAskedRig(named('emq_dashboard'), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('Type emq_dashboard to stop it:'));
    rig.type('yq:emq_Dashboard\r');
    await rig.until(
      (text) => text.includes('yq:emq_Dashboard') && text.includes('! That does not match. Nothing was sent.'),
    );
    expect(rig.calls).toEqual([]);
    expect(rig.heard).toEqual([]);
  });

  test('takes no Enter that comes with the name', async () => {
    const rig = createAskedRig(named('emq_dashboard'), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('Type emq_dashboard to stop it:'));
    rig.type('emq_dashboard\r');
    await rig.until((text) => text.includes('to stop it: emq_dashboard'));
    expect(rig.calls).toEqual([]);
  });

  test('runs once, however often Enter is pressed', async () => {
    const rig = createAskedRig(named('emq_dashboard'), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('Type emq_dashboard to stop it:'));
    rig.type('emq_dashboard');
    await rig.until((text) => text.includes('to stop it: emq_dashboard'));
    rig.type('\r');
    await rig.until((text) => !text.includes('to stop it:'));
    rig.type('\r');
    await rig.until((text) => text.includes('── Done'));
    expect(rig.calls.filter((call) => call === 'disconnectClient')).toHaveLength(1);
    expect(rig.heard).toEqual([]);
  });

  test('is left by Esc', async () => {
    const rig = createAskedRig(named('x'), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('Type x to stop it:'));
    rig.type('\u001B');
    await rig.until((text) => !text.includes('Type x'));
    expect(rig.calls).toEqual([]);
  });
});

test('scrolls details that do not fit', async () => {
  const details = Array.from({ length: 40 }, (_, index) => safe`detail ${index + 1}`);
  const rig = createAskedRig({ ...request(), details }, brokerWith(shownClient()), { size: [60, 9] });
  rig.type('P');
  await rig.until((text) => text.includes('lines 1–5 of 41'));
  rig.type('jj');
  await rig.until((text) => text.includes('lines 3–7 of 41'));
  expect(rig.text()).toContain('detail 7');
  rig.type('k');
  await rig.until((text) => text.includes('lines 2–6 of 41'));
  expect(rig.text()).toContain(cancelButton);
  expect(rig.lines()).toHaveLength(10);
});

describe('a text in full', () => {
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
  const request: DialogRequest = {
    kind: 'text',
    title: safe`A setting`,
    parts: [
      { label: safe`key`, text: safe`a.b` },
      { label: safe`description`, text: plainTheme.escape(words) },
    ],
  };

  test('is wrapped, scrolled to its last word, and closed, in read-only mode too', async () => {
    const rig = createAskedRig(request, {}, { isReadOnly: true });
    rig.type('L');
    await rig.until((text) => text.includes('── A setting') && text.includes('  a.b') && text.includes('word0 '));
    expect(rig.text()).not.toContain('word199');
    for (let page = 0; page < 3; page += 1) {
      rig.type('\u001B[6~');
    }
    await rig.until((text) => text.includes('word199'));
    rig.type('\u001B');
    await rig.until((text) => !text.includes('A setting'));
    expect(rig.heard).toEqual([]);
  });

  test('stands in a column beside its labels, but below a long one and that of a block', async () => {
    const rig = createAskedRig(
      {
        ...request,
        parts: [
          ...request.parts,
          { label: safe`on node1`, text: safe`1,000` },
          { label: plainTheme.escape(`on ${'n'.repeat(60)}`), text: safe`2,000` },
          { label: safe`payload`, text: safe`{}`, isBlock: true },
        ],
      },
      {},
      { size: [80, 50] },
    );
    rig.type('L');
    const lines = await rig.until((text) => text.includes('── A setting'));
    const at = (text: string): number | undefined => lines.find((line) => line.includes(text))?.indexOf(text);
    expect(['a.b', 'word0', '1,000'].map(at)).toEqual([15, 15, 15]);
    expect(lines[lines.findIndex((line) => line.includes('word0')) + 1]).toMatch(/^ {15}word\d+/u);
    expect(['on nnn', '2,000', 'payload', '{}'].map(at)).toEqual([2, 2, 2, 2]);
  });
});
