import { afterEach, describe, expect, test } from 'vitest';
import { disconnectClient } from '../../../src/actions/clients.ts';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/codes.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import type { AskRequest, ConfirmRequest } from '../../../src/ui/dialogs/ask.ts';
import { disconnectRequest } from '../../../src/ui/dialogs/client-requests.ts';
import { endRigs, plainTheme } from '../support/rig.tsx';
import { brokerWith, createAskedRig, endMonitors, flat, hostileId, longId, shownClient } from './harness.tsx';

afterEach(() => {
  endRigs();
  endMonitors();
});

const request = (clientId?: string): ConfirmRequest => disconnectRequest(plainTheme, shownClient(clientId));
const named = (mustType: string): ConfirmRequest => ({
  kind: 'confirm', question: safe`Stop this plugin?`, target: mustType, verb: safe`stop it`, action: disconnectClient.create({ kind: 'client', client: shownClient() }), mustType,
  warning: safe`It serves this very interface.`,
});

describe('a question', () => {
  test('says the target and what tells it apart, and what y does', async () => {
    const rig = createAskedRig(request(), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('Disconnect this client?'));
    expect(rig.lines().map((line) => line.trimEnd())).toEqual([
      'behind',
      `── Disconnect this client? ${'─'.repeat(53)}`,
      '  pump-1',
      '  on broker1@127.0.0.1 from 10.0.0.1:4000, user –',
      '  connected since 2026-01-01 00:00:00',
      '  It is read again first; a reconnect in that very moment cannot be ruled out.',
      '',
      '  y disconnect    N cancel  (Enter, Esc)',
    ]);
  });

  test.each([['Enter', '\r'], ['Esc', '\u001B'], ['n', 'n'], ['N', 'N'], ['q', 'q']])('is left by %s, and nothing is asked of the broker', async (_, key) => {
    const rig = createAskedRig(request(), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('N cancel'));
    rig.type(key);
    await rig.until((text) => !text.includes('N cancel'));
    expect(rig.calls).toEqual([]);
    expect(rig.heard).toEqual([]);
  });

  test('answered with y, however often, asks once and says that it is done', async () => {
    const rig = createAskedRig(request(), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('N cancel'));
    rig.type('yyy');
    await rig.until((text) => text.includes('Done: disconnect client pump-1.'));
    expect(rig.calls.filter((call) => call === 'disconnectClient')).toHaveLength(1);
    rig.type('\r');
    await rig.until((text) => !text.includes('Done:'));
    expect(rig.heard).toEqual([]);
  });

  test('is not answered by keys that came with the one that opened it', async () => {
    const rig = createAskedRig(request(), brokerWith(shownClient()));
    rig.type('Py');
    await rig.until((text) => text.includes('N cancel'));
    rig.type('n');
    await rig.until((text) => !text.includes('N cancel'));
    expect(rig.calls).toEqual([]);
  });

  test('about a client that came back meanwhile is refused', async () => {
    const back = { ...shownClient(), port: 4_001 };
    const rig = createAskedRig(request(), brokerWith(back));
    rig.type('P');
    await rig.until((text) => text.includes('N cancel'));
    rig.type('y');
    await rig.until((text) => flat(text).includes('Changed since listed: it has connected anew.'));
    expect(rig.text()).toContain('── Not done ');
    expect(rig.calls).not.toContain('disconnectClient');
  });

  test('shows the broker\'s code and words, made harmless', async () => {
    const refusal = errorOfCode(105, 'no\u001B[31m way');
    const rig = createAskedRig(request(), brokerWith(shownClient(), { disconnectClient: async () => { throw refusal; } }));
    rig.type('P');
    await rig.until((text) => text.includes('N cancel'));
    rig.type('y');
    await rig.until((text) => text.includes('── Not done'));
    expect(flat(rig.text())).toContain(String.raw`(code 105). It says: no\x1b[31m way`);
  });

  test('can be left while it runs; it goes on', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const rig = createAskedRig(request(), brokerWith(shownClient(), {}, promise));
    rig.type('P');
    await rig.until((text) => text.includes('N cancel'));
    rig.type('y');
    await rig.until((text) => text.includes('sent; waiting for the answer'));
    rig.type('\r');
    rig.type('\u001B');
    await rig.until((text) => !text.includes('waiting for the answer'));
    resolve();
    await rig.monitor.whenActionsEnd();
    expect(rig.monitor.store.getState().actions).toHaveLength(1);
  });

  test('in read-only mode is never asked', async () => {
    const rig = createAskedRig(request(), brokerWith(shownClient()), { isReadOnly: true });
    // The key of another command: P itself does not exist then.
    rig.type('L');
    await rig.until((text) => text.includes('behind nothing can be done'));
    expect(rig.text()).not.toContain('Disconnect');
  });
});

describe('a hostile or long id', () => {
  test('is written out in full and harmless', async () => {
    const rig = createAskedRig(request(hostileId), brokerWith(shownClient(hostileId)));
    rig.type('P');
    await rig.until((text) => text.includes('N cancel'));
    expect(rig.text()).toContain(String.raw`  z\x1b[2J\u202e/é "quoted"`);
    expect(rig.raw()).not.toContain('\u001B[2J');
  });

  test('that has no room is scrolled, and not answered with yes before all of it was in sight', async () => {
    const rig = createAskedRig(request(longId), brokerWith(shownClient(longId)));
    rig.type('P');
    await rig.until((text) => text.includes('N cancel'));
    expect(rig.text()).toContain('  start-xxx');
    expect(rig.text()).toContain('lines 1–15 of 793: ↑ ↓ PgUp PgDn');
    expect(rig.lines().length).toBeLessThanOrEqual(19);
    rig.type('yj');
    await rig.until((text) => text.includes('lines 2–16 of 793'));
    expect(rig.text()).toContain('PgDn shows the rest first');
    expect(rig.calls).toEqual([]);
    rig.type('\u001B[6~'.repeat(60));
    await rig.until((text) => text.includes('xxx-end') && text.includes('y disconnect'));
    rig.type('kkkkk');
    await rig.until((text) => text.includes('lines 774–788 of 793'));
    // Once seen it is seen.
    expect(rig.text()).toContain('y disconnect');
    rig.type('y');
    await rig.until((text) => text.includes('── Done'));
    expect(rig.text()).toContain('Enter Esc close');
    expect(rig.lines().length).toBeLessThanOrEqual(19);
  });
});

describe('a question that wants a name', () => {
  test('does nothing before the name stands there', async () => {
    const rig = createAskedRig(named('emq_dashboard'), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('type emq_dashboard to stop it:'));
    expect(rig.text()).toContain('! It serves this very interface.');
    rig.type('\r');
    await rig.until((text) => text.includes('that is not the same; nothing was done'));
    expect(rig.calls).toEqual([]);
  });

  test('takes a name as it is, or as it is shown', async () => {
    for (const typed of [' ', String.raw`\x20`]) {
      const rig = createAskedRig(named(' '), brokerWith(shownClient()));
      rig.type('P');
      await rig.until((text) => text.includes(String.raw`type \x20 to stop it:`));
      rig.type(typed);
      await rig.until((text) => text.includes(`to stop it: ${typed.trim()}`));
      rig.type('\r');
      await rig.until((text) => text.includes('── Done'));
      expect(rig.calls).toContain('disconnectClient');
    }
  });

  test('that is spelled otherwise does nothing', async () => {
    const rig = createAskedRig(named('emq_dashboard'), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('type emq_dashboard to stop it:'));
    rig.type('yq:emq_Dashboard\r');
    await rig.until((text) => text.includes('yq:emq_Dashboard') && text.includes('that is not the same'));
    expect(rig.calls).toEqual([]);
    expect(rig.heard).toEqual([]);
  });

  test('is done once it stands there, however often Enter is pressed', async () => {
    const rig = createAskedRig(named('emq_dashboard'), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('type emq_dashboard to stop it:'));
    rig.type('emq_dashboard');
    await rig.until((text) => text.includes('to stop it: emq_dashboard'));
    rig.type('\r\r');
    await rig.until((text) => text.includes('── Done'));
    expect(rig.calls.filter((call) => call === 'disconnectClient')).toHaveLength(1);
    expect(rig.heard).toEqual([]);
  });

  test('is left by Esc', async () => {
    const rig = createAskedRig(named('x'), brokerWith(shownClient()));
    rig.type('P');
    await rig.until((text) => text.includes('type x to stop it:'));
    rig.type('\u001B');
    await rig.until((text) => !text.includes('type x'));
    expect(rig.calls).toEqual([]);
  });
});

test('details that have no room are scrolled', async () => {
  const details = Array.from({ length: 40 }, (_, index) => safe`detail ${index + 1}`);
  const rig = createAskedRig({ ...request(), details }, brokerWith(shownClient()), { size: [60, 9] });
  rig.type('P');
  await rig.until((text) => text.includes('lines 1–5 of 40'));
  rig.type('jj');
  await rig.until((text) => text.includes('lines 3–7 of 40'));
  expect(rig.text()).toContain('detail 7');
  rig.type('k');
  await rig.until((text) => text.includes('lines 2–6 of 40'));
  expect(rig.text()).toContain('N cancel');
  expect(rig.lines()).toHaveLength(10);
});

describe('a text in full', () => {
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
  const request: AskRequest = { kind: 'text', title: safe`A setting`, parts: [{ label: safe`key`, text: safe`a.b` }, { label: safe`description`, text: plainTheme.escape(words) }] };

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
});
