import { expect, test } from 'vitest';
import { defineFields } from '../../../src/table/field.ts';
import { plainTheme } from '../support/rig.tsx';
import { columnsOf } from '../../../src/tui/components/field-columns.ts';
import { restRows } from '../../../src/tui/list/detail.tsx';

interface Row {
  readonly id: string;
  readonly zone?: string;
  readonly size?: number;
}

const fields = defineFields<Row>()({
  id: { label: 'ID', type: 'name', get: ({ id }) => id },
  zone: { label: 'ZONE', type: 'text', get: ({ zone }) => zone },
  size: { label: 'MAX SIZE', type: 'bytes', get: ({ size }) => size },
});

const columns = columnsOf(fields, {});

const textsOf = (row: Row): readonly string[] =>
  restRows(plainTheme, 40, columns, ['id'], row, undefined).map((spans) =>
    spans
      .map(({ text }) => text)
      .join('')
      .trim(),
  );

test('a panel has the fields that it does not draw itself, as far as they are known', () => {
  expect(textsOf({ id: 'a', zone: 'eu\u202Ewest', size: 2_048 })).toEqual([
    'zone       eu\\u202ewest',
    'max size   2.0 kB',
  ]);
  expect(textsOf({ id: 'a', size: 1 })).toEqual(['max size   1 B']);
  expect(textsOf({ id: 'a' })).toEqual([]);
});
