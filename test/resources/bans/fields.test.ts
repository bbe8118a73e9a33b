import { expect, test } from 'vitest';
import type { Ban } from '../../../src/domain/administration.ts';
import { banFields } from '../../../src/resources/bans/fields.ts';
import { fieldColumn } from '../../../src/table/field.ts';
import { recordsOf } from '../../../src/table/records.ts';

const ban: Ban = {
  kind: 'client-id',
  value: 'sensor-7',
  by: 'ops',
  reason: undefined,
  since: 1_772_374_000,
  until: undefined,
};

test('a saved ban has times in UTC, and no end if it never ends', () => {
  const columns = [
    fieldColumn('added', banFields.added),
    fieldColumn('ends', banFields.ends),
    fieldColumn('until', banFields.until),
  ];
  expect(recordsOf(columns, [ban], 0).rawOf(0)).toEqual(['2026-03-01T14:06:40.000Z', null, null]);
});

test('a ban that never ends comes after all others', () => {
  expect(banFields.ends.order(ban)).toBeGreaterThan(banFields.ends.order({ ...ban, until: 4_000_000_000 }));
});
