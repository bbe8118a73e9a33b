import { Script } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runAtOnce } from '../../src/domain/sliced-task.ts';
import type { SearchColumn } from '../../src/table/column.ts';
import { noFilter, parseFilter } from '../../src/table/filter.ts';
import { createTableView } from '../../src/table/table-view.ts';

interface Row {
  readonly id: string;
  readonly node: string;
  readonly port: number | undefined;
  readonly clean: boolean;
}

const columns: readonly SearchColumn<Row>[] = [
  { id: 'client', value: (row) => row.id },
  { id: 'node', value: (row) => row.node },
  { id: 'port', value: (row) => row.port },
  { id: 'clean', value: (row) => row.clean, text: (row) => (row.clean ? 'yes' : 'no') },
];
const row = (id: string, node = 'n1', port: number | undefined = 1_883, clean = true): Row => ({
  id,
  node,
  port,
  clean,
});

const rows = [
  row('sensor-10'),
  row('sensor-9', 'n2', 4_000, false),
  row('Worker/a b'),
  row('mqtt:tcp', 'n2', undefined),
];

describe('a table view', () => {
  test('returns the same result while nothing changed, and the rows themselves without filter and sort', () => {
    const view = createTableView(columns);
    const query = { rows, filter: parseFilter('sensor', columns), sortColumnId: 'client', isDescending: false };
    const result = view.query(query);
    expect(view.query({ ...query })).toBe(result);
    expect(result.rows.map((each) => each.id)).toEqual(['sensor-9', 'sensor-10']);
    expect(result.total).toBe(4);
    expect(view.query({ rows, filter: noFilter, sortColumnId: 'no such', isDescending: false }).rows).toBe(rows);
  });

  test('searches current texts after any change of the rows', () => {
    const view = createTableView(columns);
    const pool = Array.from({ length: 40 }, (_, index) => row(`id-${index}`));
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat({ max: 39 })),
        fc.nat({ max: 9 }),
        fc.constantFrom('prepare', 'forget', 'neither'),
        (picked, digit, before) => {
          const all = picked.flatMap((index) => pool[index] ?? []);
          if (before === 'prepare') runAtOnce(view.prepare(all));
          if (before === 'forget') view.forget();
          const result = view.query({
            rows: all,
            filter: parseFilter(`client:${digit}`, columns),
            sortColumnId: undefined,
            isDescending: false,
          });
          expect(result.rows).toEqual(all.filter((each) => each.id.includes(String(digit))));
          const plain = view.query({
            rows: all,
            filter: parseFilter(`-${digit}`, columns),
            sortColumnId: undefined,
            isDescending: false,
          });
          expect(plain.rows).toEqual(all.filter((each) => each.id.includes(`-${digit}`)));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('returns the same from a task as at once, and answers other queries correctly in between', () => {
    const pool = Array.from({ length: 30 }, (_, index) => row(`id-${index}`));
    const lists = fc
      .uniqueArray(fc.nat({ max: 29 }))
      .map((picked) => Array.from({ length: 200 }, () => picked.map((index) => pool[index] ?? row('none'))).flat());
    const ask = (rows: ReturnType<typeof row>[], [digit, isDescending]: readonly [number, boolean]) => ({
      rows,
      filter: digit === 0 ? noFilter : parseFilter(`client:${digit}`, columns),
      sortColumnId: 'client',
      isDescending,
    });
    const queries = fc.tuple(fc.nat({ max: 2 }), fc.boolean());
    fc.assert(
      fc.property(
        lists,
        lists,
        queries,
        queries,
        fc.nat({ max: 12 }),
        (first, second, query, otherQuery, stepCount) => {
          const view = createTableView(columns);
          const expected = (each: ReturnType<typeof ask>) => createTableView(columns).query(each);
          expect(view.query(ask(first, query))).toEqual(expected(ask(first, query)));
          const task = view.queryTask(ask(second, query));
          let isDone = false;
          for (let step = 0; step < stepCount && !isDone; step += 1) isDone = task.next().done === true;
          expect(view.query(ask(first, otherQuery))).toEqual(expected(ask(first, otherQuery)));
          if (!isDone) runAtOnce(task);
          expect(view.query(ask(second, query))).toEqual(expected(ask(second, query)));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('finds after every letter typed or deleted what a new view finds', () => {
    const run = Script.prototype.runInContext;
    // A machine that halts for a moment would make any pattern too slow.
    const spy = vi.spyOn(Script.prototype, 'runInContext').mockImplementation(function (this: Script, context) {
      return run.call(this, context);
    });
    onTestFinished(() => {
      spy.mockRestore();
    });
    const pool = Array.from({ length: 60 }, (_, index) =>
      row(`${'ab'.charAt(index % 2)}${index}-${index % 7}`, `n${index % 3}`, index * 7, index % 2 === 0),
    );
    const letter = fc.constantFrom(
      'a',
      'b',
      '1',
      '2',
      '-',
      ' ',
      '!',
      '/',
      '~',
      ':',
      '"',
      'client:',
      'port:>',
      'n1',
      '\b',
    );
    fc.assert(
      fc.property(fc.array(letter, { minLength: 1, maxLength: 9 }), fc.boolean(), (letters, isSorted) => {
        const view = createTableView(columns);
        let typed = '';
        for (const each of letters) {
          typed = each === '\b' ? typed.slice(0, -1) : typed + each;
          const query = {
            rows: pool,
            filter: parseFilter(typed, columns),
            sortColumnId: isSorted ? 'port' : undefined,
            isDescending: false,
          };
          expect(view.query(query)).toEqual(createTableView(columns).query(query));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('computes nothing again after a task', () => {
    let reads = 0;
    const columnsRead = [
      {
        id: 'client',
        value: (each: { readonly id: string }) => {
          reads += 1;
          return each.id;
        },
      },
    ];
    const view = createTableView(columnsRead);
    const query = {
      rows: [{ id: 'b' }, { id: 'a' }],
      filter: parseFilter('a', columnsRead),
      sortColumnId: 'client',
      isDescending: false,
    };
    const result = runAtOnce(view.queryTask(query));
    const before = reads;
    expect(view.query(query)).toBe(result);
    expect(reads).toBe(before);
  });
});
