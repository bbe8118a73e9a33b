import type { DialogRequest } from '../../../src/actions/requests.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { makeOperations, type ManagementApi, operations } from '../../../src/api/management-api.ts';
import { endRigs } from '../support/rig.tsx';
import { dialogsFor } from './dialogs.ts';
import { type AskedRig, createAskedRig, endMonitors, hostileId } from './harness.tsx';

afterEach(() => {
  endRigs();
  endMonitors();
});

/** An id as long as MQTT lets it be, and hostile at both ends. */
const id = `${hostileId}${'x'.repeat(65_000)}${hostileId}`;
const { questions, forms, others } = dialogsFor(id);

/** Every call of the port is written down, and answers nothing. */
const recorded = (): Partial<ManagementApi> =>
  makeOperations((name) => async () => (operations[name] === 'read' ? [] : undefined));

const sizes = [
  [80, 18],
  [60, 9],
] as const;

const open = async (request: DialogRequest, size: readonly [number, number]): Promise<AskedRig> => {
  const rig = createAskedRig(request, recorded(), { size });
  rig.type('P');
  await rig.until((text) => /Esc/.test(text));
  const [, ...lines] = rig.lines();
  expect(lines.length).toBeLessThanOrEqual(size[1]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(size[0]);
  expect(rig.raw()).not.toMatch(/\u001B\[2J|\u202E/);
  return rig;
};

const closed = (text: string): boolean => !text.includes('──');

describe.each(sizes)('at %i by %i, with an id of 65,000 hostile characters', (...size) => {
  describe.each(Object.entries(questions))('the question of %s', (_, request) => {
    test('keeps its layout, and Enter does nothing', async () => {
      const rig = await open(request, size);
      rig.type('\r');
      if (request.mustType === undefined) await rig.until(closed);
      else await rig.until((text) => text.includes('! That does not match. Nothing was sent.'));
      expect([rig.calls, rig.heard]).toEqual([[], []]);
    });

    test.each(['\u001B', ...(request.mustType === undefined ? ['n', 'N', 'q'] : [])])(
      'is left by %j, and nothing else hears it',
      async (key) => {
        const rig = await open(request, size);
        rig.type(key);
        await rig.until(closed);
        expect([rig.calls, rig.heard]).toEqual([[], []]);
      },
    );
  });

  describe.each(Object.entries(forms))('the form of %s', (_, { form }) => {
    test('keeps its layout, and reports what is missing before anything is sent', async () => {
      const rig = await open(form, size);
      rig.type('\u0013');
      await rig.until((text) => text.includes('  ! '));
      expect(rig.text()).toContain('Cancel');
      expect([rig.calls, rig.heard]).toEqual([[], []]);
    });

    test('is left by Esc, and nothing else receives what is typed', async () => {
      const rig = await open(form, size);
      rig.type('q:');
      rig.type('\u001B');
      await rig.until(closed);
      expect([rig.calls, rig.heard]).toEqual([[], []]);
    });
  });

  test.each(Object.entries(others))('%s: in its place, left by Esc, and nothing was sent', async (_, request) => {
    const rig = await open(request, size);
    rig.type('\u001B');
    await rig.until(closed);
    expect(rig.writes()).toEqual([]);
    expect(rig.heard).toEqual([]);
  });
});
