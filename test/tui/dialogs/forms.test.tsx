import { payloadOfHex, publishRequest, type ReadPayload } from '../../../src/resources/messages/actions.ts';
import { subscribeRequest } from '../../../src/resources/subscriptions/actions.ts';
import { clearAclRequest, disconnectRequest } from '../../../src/resources/clients/actions.ts';
import { newUserRequest } from '../../../src/resources/users/actions.ts';
import type { FormRequest } from '../../../src/actions/requests.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { TimeoutError } from '../../../src/api/errors.ts';
import type { ManagementApi } from '../../../src/api/management-api.ts';
import { safe, trusted } from '../../../src/terminal/safe-text.ts';
import { endRigs, plainTheme } from '../support/rig.tsx';
import { type AskedRig, brokerWith, createAskedRig, endMonitors, flat, hostileId, shownClient } from './harness.tsx';
import { cancelButton } from '../../support/texts.ts';

afterEach(() => {
  endRigs();
  endMonitors();
});

const noFile: ReadPayload = async () => {
  throw new Error('The file cannot be read (ENOENT).');
};
const tab = '\t';
const shiftTab = '\u001B[Z';

interface Published {
  readonly topic: string;
  readonly payload?: string | undefined;
  readonly qos?: number | undefined;
  readonly retain?: boolean | undefined;
  readonly clientId?: string | undefined;
}

test('a form that takes long says how far it is', async () => {
  const rig = createAskedRig({
    kind: 'form',
    isLocal: true,
    title: safe`Report`,
    verb: safe`Save`,
    fields: [{ id: 'file', label: safe`File`, initial: 'x' }],
    build: () => ({
      field: 'file',
      later: (tell) => {
        tell(safe`12 % read`);
        return new Promise(() => {});
      },
    }),
  });
  rig.type('P');
  await rig.until((text) => text.includes('Report'));
  rig.type('\r');
  expect((await rig.until((text) => text.includes('12 % read'))).join('\n')).not.toContain('loading');
});

const openPublish = async (
  readPayload: ReadPayload = noFile,
): Promise<{ readonly rig: AskedRig; readonly published: readonly Published[] }> => {
  const published: Published[] = [];
  const rig = createAskedRig(publishRequest(plainTheme, readPayload), {
    publish: async (message) => {
      published.push(message);
    },
  });
  rig.type('P');
  await rig.until((text) => text.includes('1 of 6'));
  return { rig, published };
};

const focus = async (rig: AskedRig, field: number, key = tab): Promise<void> => {
  rig.type(key);
  await rig.until((text) => text.includes(`${field} of 6`));
};

describe('the form of a message', () => {
  test('sends what was typed, once, after a confirmation', async () => {
    const { rig, published } = await openPublish();
    // Keys that mean something elsewhere are text here.
    rig.type('qK:1/?');
    await focus(rig, 2);
    rig.type('two words');
    await focus(rig, 3);
    await focus(rig, 4);
    rig.type('  ');
    await rig.until((text) => text.includes('‹ 2 ›'));
    await focus(rig, 5);
    rig.type('\u001B[C');
    await rig.until((text) => text.includes('‹ yes ›'));
    await focus(rig, 6);
    rig.type('me\r');
    await rig.until((text) => text.includes(cancelButton));
    expect(rig.lines().map((line) => line.trimEnd())).toEqual(
      expect.arrayContaining([
        '  qK:1/?',
        '  QoS 2, retained, sent as client me',
        '  payload (9 bytes):',
        '  | two words',
      ]),
    );
    expect(published).toEqual([]);
    rig.type('y');
    await rig.until((text) => text.includes('── Accepted'));
    expect(published).toEqual([{ topic: 'qK:1/?', payload: 'two words', qos: 2, retain: true, clientId: 'me' }]);
    expect(rig.heard).toEqual([]);
  });

  test('refuses wildcards before anything is sent', async () => {
    const { rig, published } = await openPublish();
    rig.type('a/#');
    for (let field = 2; field <= 6; field += 1) {
      await focus(rig, field);
    }
    rig.type('\r\r');
    await rig.until((text) => text.includes('! The topic must not contain + or #.'));
    // On the field that it is about.
    await rig.until((text) => text.includes('1 of 6'));
    expect(published).toEqual([]);
    expect(rig.calls).toEqual([]);
  });

  test('is left by Esc, and keeps what was typed when its question is cancelled', async () => {
    const { rig } = await openPublish();
    rig.type('plant/1');
    for (let field = 2; field <= 6; field += 1) {
      await focus(rig, field);
    }
    rig.type('\r');
    await rig.until((text) => text.includes(cancelButton));
    rig.type('\r');
    await rig.until((text) => text.includes('1 of 6'));
    expect(rig.text()).toContain('plant/1');
    rig.type('\u001B');
    await rig.until((text) => !text.includes('1 of 6'));
    expect(rig.heard).toEqual([]);
    expect(rig.calls).toEqual([]);
  });

  test('Ctrl-S continues from any field, or says why not', async () => {
    const { rig, published } = await openPublish();
    rig.type('\u0013');
    await rig.until((text) => text.includes('! The topic is empty.'));
    expect(rig.text()).toContain('1 of 6');
    rig.type('plant/1\u0013');
    await rig.until((text) => text.includes('Publish this message?'));
    expect(published).toEqual([]);
  });

  test('Enter goes to the next field, so does Tab; Shift-Tab goes back', async () => {
    const { rig } = await openPublish();
    await focus(rig, 2, '\r');
    await focus(rig, 3);
    await focus(rig, 2, shiftTab);
    await focus(rig, 1, '\u001B[A');
    await focus(rig, 2, '\u001B[B');
    expect(rig.lines().find((line) => line.startsWith('▸'))).toContain('Payload');
  });

  test('Enter stays in a field whose text is wrong, and says why', async () => {
    const { rig } = await openPublish();
    rig.type('a/#');
    await rig.until((text) => text.includes('a/#'));
    rig.type('\r');
    const lines = await rig.until((text) => text.includes('! The topic must not contain + or #.'));
    expect(lines.join('\n')).toContain('1 of 6');
  });

  test('takes bytes in hexadecimal', async () => {
    expect(payloadOfHex('68 65 6C6c 6f')).toEqual({ payload: 'hello' });
    expect(payloadOfHex('')).toEqual({ payload: '' });
    expect(payloadOfHex('abc')).toEqual({ error: 'The payload is not hexadecimal (pairs of 0-9 and a-f).' });
    expect(payloadOfHex('zz')).toHaveProperty('error');
    expect(payloadOfHex('ff')).toEqual({ error: 'The payload is not UTF-8. The API accepts only text.' });
    expect(payloadOfHex('efbbbf41')).toEqual({ payload: '\uFEFFA' });
  });

  test('reads a file when the form is left, and says why it cannot', async () => {
    const paths: string[] = [];
    const { rig, published } = await openPublish(async (path) => {
      paths.push(path);
      if (path !== '/tmp/it') throw new Error('The file cannot be read (ENOENT).');
      return 'from a file\n  with lines';
    });
    rig.type('plant/1');
    await focus(rig, 2);
    rig.type('/tmp/no');
    await focus(rig, 3);
    rig.type('\u001B[D');
    await rig.until((text) => text.includes('‹ file ›'));
    await focus(rig, 2, shiftTab);
    expect(rig.text()).toContain('path of a file, read when you continue');
    for (const field of [3, 4, 5, 6]) {
      await focus(rig, field);
    }
    rig.type('\r');
    await rig.until((text) => text.includes('! The file cannot be read (ENOENT).'));
    // On the path, which can be mended.
    await rig.until((text) => text.includes('2 of 6'));
    rig.type('\u007F\u007Fit');
    for (const field of [3, 4, 5, 6]) {
      await focus(rig, field);
    }
    rig.type('\r');
    await rig.until((text) => text.includes(cancelButton));
    expect(rig.lines().map((line) => line.trimEnd())).toEqual(
      expect.arrayContaining(['  payload (24 bytes):', '  | from a file', '  |   with lines']),
    );
    rig.type('y');
    await rig.until((text) => text.includes('── Accepted'));
    expect(published.map(({ payload }) => payload)).toEqual(['from a file\n  with lines']);
    expect(paths).toEqual(['/tmp/no', '/tmp/it']);
  });

  test('takes a paste completely or not at all', async () => {
    const { rig, published } = await openPublish();
    rig.type('\u001B[200~a/b\ry\r\u001B[201~');
    await rig.until((text) => text.includes('! Not accepted: this field takes one line only.'));
    expect(rig.text()).not.toContain('a/b');
    // The end of the line that was copied is none of it.
    rig.type('\u001B[200~a/b\r\n\u001B[201~');
    await rig.until((text) => text.includes('a/b') && !text.includes('Not accepted'));
    rig.type(`\u001B[200~${'x'.repeat(70_000)}\u001B[201~`);
    await rig.until((text) => text.includes('! Not accepted: 70,003 characters, max 65,535.'));
    expect(rig.text()).toMatch(/Topic +a\/b/u);
    await focus(rig, 2);
    rig.type(`\u001B[200~${'y'.repeat(65_537)}\u001B[201~`);
    await rig.until((text) => text.includes('65,537 characters, max 65,536.'));
    rig.type('z');
    await rig.until((text) => !text.includes('Not accepted') && /Payload +z/u.test(text));
    expect(published).toEqual([]);
  });

  test('takes fast typing from topic to payload, and a choice rejects text with a message', async () => {
    const { rig, published } = await openPublish();
    rig.type('out/x\r');
    await rig.until((text) => text.includes('2 of 6'));
    rig.type('{"a":1, "b":2}');
    await rig.until((text) => /Payload +\{"a":1, "b":2\}/u.test(text));
    await focus(rig, 3);
    rig.type('hex and more');
    await rig.until((text) => text.includes('! Choose with ← → or Space.'));
    expect(rig.text()).toContain('‹ text ›');
    rig.type('\u001B[C');
    await rig.until((text) => text.includes('‹ hex ›') && !text.includes('Not accepted'));
    rig.type(`\u001B[200~ \u001B[201~`);
    await rig.until((text) => text.includes('! Choose with ← → or Space.'));
    expect(rig.text()).toContain('‹ hex ›');
    // Still said when the field was left.
    await focus(rig, 4);
    expect(rig.text()).toContain('! Choose "Format" with ← → or Space.');
    rig.type('\u001B[C');
    await rig.until((text) => text.includes('‹ 1 ›') && !text.includes('Not accepted'));
    expect(published).toEqual([]);
  });

  test('keeps the blanks that lines of a payload begin with', async () => {
    const { rig } = await openPublish();
    rig.type('a\r');
    await rig.until((text) => text.includes('2 of 6'));
    rig.type('\u001B[200~{\n  "b": 2\n}\u001B[201~');
    await rig.until((text) => text.includes('line 3 of 3'));
    expect(rig.text()).toContain('   "b": 2');
    expect(rig.text()).not.toContain(String.raw`\x20`);
    rig.type('\u0013');
    const lines = await rig.until((text) => text.includes(cancelButton));
    expect(lines.map((line) => line.trimEnd())).toEqual(expect.arrayContaining(['  | {', '  |   "b": 2', '  | }']));
  });

  test('takes a payload of several lines: typed, pasted whole, and shown line by line', async () => {
    const { rig, published } = await openPublish();
    rig.type('plant/1');
    await focus(rig, 2);
    rig.type('one');
    await rig.until((text) => text.includes('one'));
    rig.type('\n');
    await rig.until((text) => text.includes('line 2 of 2'));
    rig.type('two\u001B\r');
    await rig.until((text) => text.includes('line 3 of 3'));
    rig.type('\u001B[200~{\r\n  "a": "\\n"\r\n}\r\u001B[201~');
    const lines = await rig.until((text) => text.includes('line 6 of 6'));
    expect(
      lines.map((line) => line.trim()).filter((line) => /^(▸ Payload +one|two|\{|.*"a": "\\+n"|\})$/u.test(line)),
    ).toHaveLength(5);
    expect(rig.text()).toContain('2 of 6');
    // Between the lines, and out of them at their ends.
    rig.type('\u001B[A');
    await rig.until((text) => text.includes('line 5 of 6'));
    rig.type('\u001B[B');
    await rig.until((text) => text.includes('line 6 of 6'));
    rig.type('\u001B[B');
    await rig.until((text) => text.includes('3 of 6') && /Payload +one +6 lines/u.test(text));
    for (const field of [4, 5, 6]) await focus(rig, field);
    rig.type('\r');
    await rig.until((text) => text.includes(cancelButton));
    rig.type('y');
    await rig.until((text) => text.includes('── Accepted'));
    expect(published.map(({ payload }) => payload)).toEqual(['one\ntwo\n{\n  "a": "\\n"\n}\n']);
  });

  test('takes a large payload, and keys in it edit only its line', async () => {
    const { rig, published } = await openPublish();
    const large = `${'0123456789'.repeat(10)}\n`.repeat(600);
    rig.type('plant/1');
    await focus(rig, 2);
    rig.type(`\u001B[200~${large}\u001B[201~`);
    await rig.until((text) => text.includes('line 601 of 601'));
    rig.type('end');
    await rig.until((text) => text.includes('end'));
    for (const field of [3, 4, 5, 6]) await focus(rig, field);
    rig.type('\r');
    await rig.until((text) => text.includes(cancelButton));
    rig.type('y');
    await rig.until((text) => text.includes('── Accepted'));
    expect(published[0]?.payload === `${large}end`).toBe(true);
  });

  test('begins with the topic of the row and no sender, and says why a wildcard cannot be sent', async () => {
    const rig = createAskedRig(publishRequest(plainTheme, noFile, { topic: 'plant/#' }));
    rig.type('P');
    await rig.until((text) => /▸ Topic +plant\/#/u.test(text) && text.includes('! The topic must not contain + or #.'));
    expect(rig.text()).toMatch(/Client ID *$/mu);
  });

  test('marks each line of the payload, also wrapped ones, as quoted', async () => {
    const { rig } = await openPublish();
    rig.type('a\r');
    await rig.until((text) => text.includes('2 of 6'));
    rig.type(`\u001B[200~${'x'.repeat(75)} QoS 0, not retained ${'y'.repeat(30)}\n\n>z\u001B[201~\u0013`);
    const lines = await rig.until((text) => text.includes(cancelButton));
    const from = lines.findIndex((line) => line.includes('payload ('));
    expect(lines.slice(from + 1, from + 5).map((line) => line.trimEnd())).toEqual([
      `  | ${'x'.repeat(74)}`,
      `  |>x QoS 0, not retained ${'y'.repeat(30)}`,
      '  |',
      '  | >z',
    ]);
  });

  test('warns of an empty retained message', async () => {
    const { rig } = await openPublish();
    rig.type('a');
    for (const field of [2, 3, 4, 5]) {
      await focus(rig, field);
    }
    rig.type(' ');
    await rig.until((text) => text.includes('‹ yes ›'));
    await focus(rig, 6);
    rig.type('\r');
    const lines = await rig.until((text) => text.includes(cancelButton));
    expect(lines.join('\n')).toContain('! An empty retained message deletes the retained message of this topic.');
  });
});

describe('a text that a form begins with', () => {
  const open = async (): Promise<AskedRig> => {
    const rig = createAskedRig({
      kind: 'form',
      title: safe`Change it`,
      verb: safe`change`,
      build: ({ count }) => ({ error: safe`is ${trusted(count ?? '')}`, field: 'count' }),
      fields: [
        { id: 'count', label: safe`Count`, initial: '32' },
        { id: 'name', label: safe`Name` },
      ],
    });
    rig.type('P');
    await rig.until((text) => /▸ Count +32/u.test(text));
    return rig;
  };

  const counts = async (rig: AskedRig, shown: string): Promise<boolean> => {
    await rig.until((text) => new RegExp(`▸ Count +${shown} `, 'u').test(text));
    return true;
  };

  test('is replaced by what is typed or pasted', async () => {
    for (const typed of ['64', '\u001B[200~64\u001B[201~']) {
      const rig = await open();
      rig.type(typed);
      expect(await counts(rig, '64')).toBe(true);
    }
  });

  test.each([
    ['\u001B[D', '3642'],
    ['\u001B[C', '3264'],
    ['\u001B[F', '3264'],
    ['\u001B[H', '6432'],
    ['\u007F', '364'],
  ])('is kept by %j, which edits it', async (key, shown) => {
    const rig = await open();
    rig.type(key);
    rig.type('64');
    expect(await counts(rig, shown)).toBe(true);
  });

  test('is edited once it was replaced, also after leaving the field', async () => {
    const rig = await open();
    rig.type('6');
    await rig.until((text) => /▸ Count +6 /u.test(text));
    rig.type(tab);
    await rig.until((text) => text.includes('2 of 2'));
    rig.type(shiftTab);
    await rig.until((text) => text.includes('1 of 2'));
    rig.type('4');
    expect(await counts(rig, '64')).toBe(true);
  });
});

describe('the form of a subscription', () => {
  test('checks the filter, then asks about the client', async () => {
    const rig = createAskedRig(
      subscribeRequest(plainTheme, { kind: 'client', client: shownClient(hostileId) }),
      brokerWith(shownClient(hostileId)),
    );
    rig.type('P');
    await rig.until((text) => text.includes('1 of 2'));
    expect(rig.text()).toContain(String.raw`Subscribe on behalf of z\x1b[2J\u202e/é "quoted"`);
    rig.type('a/#/b');
    await rig.until((text) => text.includes('a/#/b'));
    expect(rig.text()).not.toContain('!');
    rig.type('\t');
    await rig.until((text) => text.includes('2 of 2') && text.includes('! # must be the last level.'));
    rig.type(shiftTab);
    await rig.until((text) => text.includes('1 of 2'));
    rig.type('\u0015a/#\r');
    await rig.until((text) => text.includes('2 of 2') && !text.includes('!'));
    rig.type('  \r');
    await rig.until((text) => text.includes(cancelButton));
    expect(rig.text()).toContain('to a/#');
    expect(rig.text()).toContain('with QoS 2; it will receive messages on this topic');
    expect(rig.writes()).toEqual([]);
  });

  const askFor = async (
    qos: number | undefined,
    getSubscriptions: ManagementApi['getSubscriptions'],
    typed: string,
  ): Promise<AskedRig> => {
    const shown = shownClient();
    const rig = createAskedRig(
      subscribeRequest(plainTheme, { kind: 'client', client: shown }, qos),
      brokerWith(shown, { getSubscriptions, subscribe: async () => {} }),
    );
    rig.type('P');
    await rig.until((text) => text.includes('1 of 2'));
    rig.type(typed);
    return rig;
  };
  const listed = (qos: number): Awaited<ReturnType<ManagementApi['getSubscriptions']>> => [
    { clientId: 'pump-1', topic: 'a/#', qos, node: undefined },
  ];

  test('shows which QoS it replaces, and replaces no other', async () => {
    let now = listed(1);
    const rig = await askFor(undefined, async () => now, 'a/#\u0013');
    await rig.until((text) => text.includes('already subscribed: QoS 1 → 0') && text.includes(cancelButton));
    now = listed(2);
    rig.type('y');
    await rig.until((text) => flat(text).includes('it is now subscribed with QoS 2.'));
    expect(rig.calls).not.toContain('subscribe');
  });

  test('begins with the QoS of the subscription that it was opened from', async () => {
    const rig = await askFor(1, async () => listed(1), 'a/#\t');
    await rig.until((text) => text.includes('‹ 1 ›'));
    rig.type('\r');
    await rig.until((text) => text.includes('already subscribed with QoS 1') && text.includes(cancelButton));
    rig.type('n');
    // Back to the form, not to the reading.
    await rig.until((text) => text.includes('1 of 2') && text.includes('a/#'));
    expect(rig.calls).not.toContain('subscribe');
  });

  test('opens also if the current subscriptions cannot be read, and says so', async () => {
    const rig = await askFor(
      undefined,
      async () => {
        throw new TimeoutError(5_000);
      },
      'a/#\u0013',
    );
    await rig.until(
      (text) => flat(text).includes('with QoS 0; current subscription unknown: ') && text.includes(cancelButton),
    );
    expect(flat(rig.text())).toContain(new TimeoutError(5_000).message);
  });

  test('takes a QoS by its digit, and no other character', async () => {
    const rig = await askFor(undefined, async () => [], 'a/#\t');
    await rig.until((text) => text.includes('‹ 0 ›'));
    rig.type('2');
    await rig.until((text) => text.includes('‹ 2 ›'));
    rig.type('3');
    await rig.until((text) => text.includes('! Choose with ← → or Space.'));
    // One in a text is a part of it.
    rig.type('1');
    rig.type('\u001B[D');
    await rig.until((text) => text.includes('‹ 1 ›') && !text.includes('Not accepted'));
    rig.type('\u001B[200~0\u001B[201~');
    await rig.until((text) => text.includes('! Choose with ← → or Space.'));
    expect(rig.text()).toContain('‹ 1 ›');
  });
});

describe('the form of an ACL cache', () => {
  test('sends once, and says that the effect cannot be read', async () => {
    const asked: string[][] = [];
    const shown = shownClient();
    const rig = createAskedRig(
      clearAclRequest(plainTheme, shown),
      brokerWith(shown, {
        clearAclCache: async (...values) => {
          asked.push(values.slice(0, 2).map(String));
        },
      }),
    );
    rig.type('P');
    await rig.until((text) => text.includes('▸ Topic'));
    expect(rig.text()).not.toContain('! The topic is empty.');
    rig.type('\r');
    await rig.until((text) => text.includes('! The topic is empty.'));
    rig.type('plant/1\r');
    await rig.until((text) => text.includes(cancelButton));
    rig.type('y');
    await rig.until((text) => flat(text).includes('The API cannot show whether the cache is clear.'));
    expect(asked).toEqual([['pump-1', 'plant/1']]);
  });
});

describe('the error of a field', () => {
  const open = async (): Promise<AskedRig> => {
    const rig = createAskedRig(newUserRequest(plainTheme, []));
    rig.type('P');
    await rig.until((text) => text.includes('1 of 4'));
    return rig;
  };

  test('is shown when the field is left, not while typing', async () => {
    const rig = await open();
    rig.type('op\t');
    await rig.until((text) => text.includes('2 of 4'));
    expect(rig.text()).not.toContain('!');
    rig.type('one\t');
    await rig.until((text) => text.includes('3 of 4'));
    rig.type('two');
    await rig.until((text) => /Repeat +\*/u.test(text));
    expect(rig.text()).not.toContain('!');
    rig.type('\t');
    await rig.until((text) => text.includes('4 of 4') && text.includes('! The passwords do not match.'));
    // It is said as long as it holds, also while it is mended.
    rig.type(`${shiftTab}\u0015`);
    await rig.until((text) => text.includes('3 of 4'));
    expect(rig.text()).toContain('! The passwords do not match.');
    rig.type('one');
    await rig.until((text) => !text.includes('!'));
  });

  test('is not shown for a skipped field until submitting', async () => {
    const rig = await open();
    rig.type('\t\t\t');
    await rig.until((text) => text.includes('4 of 4'));
    expect(rig.text()).not.toContain('!');
    rig.type('\r');
    await rig.until((text) => text.includes('1 of 4') && text.includes('! The name is empty.'));
  });
});

test('a choice of one has no arrows, and the cursor passes over it', async () => {
  const one = { kind: 'choice', choices: ['broker2'] } as const;
  const rig = createAskedRig({
    kind: 'form',
    title: safe`Setting`,
    verb: safe`review`,
    fields: [
      { id: 'a', label: safe`From`, ...one },
      { id: 'b', label: safe`Value` },
      { id: 'c', label: safe`On`, ...one },
      { id: 'd', label: safe`Repeat` },
      { id: 'e', label: safe`At`, ...one },
    ],
    build: () => ({ error: safe`not yet` }),
  });
  rig.type('P');
  await rig.until((text) => text.includes('▸ Value') && text.includes('1 of 2'));
  expect(rig.text()).not.toMatch(/[‹›]/u);
  expect(rig.text()).toMatch(/ {2}On +broker2/u);
  rig.type(shiftTab);
  rig.type('\r');
  await rig.until((text) => text.includes('▸ Repeat') && text.includes('2 of 2'));
  expect(rig.text()).toContain('Enter Review');
  rig.type('\t');
  rig.type('\r');
  await rig.until((text) => text.includes('! not yet'));
  expect(rig.text()).toContain('▸ Repeat');
});

describe('a hidden field', () => {
  const form: FormRequest = {
    kind: 'form',
    title: safe`Change a password`,
    fields: [
      { id: 'name', label: safe`name` },
      { id: 'secret', label: safe`password`, kind: 'hidden' },
    ],
    verb: safe`go on`,
    build: ({ secret }) =>
      secret === 'open'
        ? { next: disconnectRequest(plainTheme, shownClient()) }
        : { error: safe`The password is empty.` },
  };

  test('masks what is typed, and forgets it when the form is left', async () => {
    const rig = createAskedRig(form);
    rig.type('P');
    await rig.until((text) => text.includes('1 of 2'));
    rig.type('me\ropen');
    await rig.until((text) => text.includes('password  ********'));
    expect(rig.text()).not.toContain('open');
    // Nor how long it is.
    expect(rig.text()).not.toContain('*********');
    rig.type('\r');
    await rig.until((text) => text.includes(cancelButton));
    rig.type('n');
    await rig.until((text) => text.includes('1 of 2'));
    expect(rig.text()).toContain('name      me');
    expect(rig.text()).not.toContain('*');
  });
});
