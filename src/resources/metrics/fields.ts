import { defineFields } from '../../table/field.ts';

export interface CounterRow {
  readonly name: string;
  readonly group: string;
}

/** The fields of a counter. Its values and rates are series, which are drawn. */
export const counterFields = defineFields<CounterRow>()({
  counter: { label: 'COUNTER', type: 'text', get: ({ name }) => name },
  group: { label: 'GROUP', type: 'text', get: ({ group }) => group },
});
