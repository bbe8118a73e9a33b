import type { Built, FormRequest } from '../../../src/actions/requests.ts';
import { describe, expect, test } from 'vitest';
import { safe, trusted } from '../../../src/terminal/safe-text.ts';
import type { Column } from '../../../src/tui/components/column.ts';
import { exportRequest, type SaveFile } from '../../../src/tui/list/export-list.ts';
import { plainTheme } from '../support/rig.tsx';

interface Row {
  readonly id: string;
  readonly at: number | undefined;
}

const columns: readonly Column<Row>[] = [
  { id: 'id', header: safe`ID`, value: ({ id }) => id, format: ({ id }) => trusted(id), width: 8 },
  { id: 'at', header: safe`AT`, value: ({ at }) => at, type: 'time', format: () => safe`–`, width: 8 },
];
const rows: readonly Row[] = [
  { id: 'a,"b"', at: 3_600 },
  { id: 'ü', at: undefined },
];

const requestOf = (save: SaveFile, caveat = undefined as ReturnType<typeof trusted> | undefined): FormRequest =>
  exportRequest(
    plainTheme,
    { name: 'clients', rows, columns, shownIds: ['id'], caveat },
    { save, zoneSeconds: () => 3_600 },
    new Date(2_026, 0, 2, 3, 4, 5).getTime(),
  );

const submit = async (request: FormRequest, values: Readonly<Record<string, string>>): Promise<Built> => {
  const initial = Object.fromEntries(
    request.fields.map(({ id, initial: text, choices }) => [id, text ?? choices?.[0] ?? '']),
  );
  const built = request.build({ ...initial, ...values });
  return 'later' in built ? built.later(() => {}) : built;
};

describe('saving a list', () => {
  const saved: { file: string; text: string; mayReplace: boolean }[] = [];
  const save: SaveFile = async (file, pieces, mayReplace) => {
    saved.push({ file, text: [...pieces].join(''), mayReplace });
    return { path: `/work/${file}`, bytes: 2_048 };
  };

  test('writes the columns shown, or all, with times in UTC', async () => {
    const outcome = await submit(requestOf(save), {});
    expect(saved.pop()).toEqual({
      file: 'clients-20260102-030405.csv',
      text: 'id\r\n"a,""b"""\r\nü\r\n',
      mayReplace: false,
    });
    expect(outcome).toMatchObject({
      next: {
        kind: 'text',
        title: 'Saved',
        parts: [{ text: '/work/clients-20260102-030405.csv' }, { text: '2 rows, 1 column, 2.0 kB' }],
      },
    });
    await submit(requestOf(save), { format: 'ndjson', columns: 'all', file: 'x', replace: 'yes' });
    expect(saved.pop()).toEqual({
      file: 'x.ndjson',
      text:
        String.raw`{"id":"a,\"b\"","at":"1970-01-01T00:00:00.000Z"}` +
        '\n' +
        String.raw`{"id":"\u00fc","at":null}` +
        '\n',
      mayReplace: true,
    });
    await submit(requestOf(save), { format: 'json', file: 'x.txt' });
    expect(saved.pop()).toMatchObject({
      file: 'x.txt',
      text: String.raw`[` + '\n' + String.raw`{"id":"a,\"b\""},` + '\n' + String.raw`{"id":"\u00fc"}` + '\n]\n',
    });
  });

  test('says what is missing in the rows, before and after', async () => {
    const request = requestOf(save, safe`The list is incomplete.`);
    expect(request.notes).toEqual(['The list is incomplete.']);
    expect(JSON.stringify(await submit(request, {}))).toContain('The list is incomplete.');
  });

  test('needs a name', async () => {
    expect(await submit(requestOf(save), { file: '  ' })).toEqual({ error: 'Type a file name.', field: 'file' });
  });
});
