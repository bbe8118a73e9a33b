import { defineFields } from '../../table/field.ts';

export interface CounterRow {
  readonly name: string;
  readonly group: string;
}

/** Of a counter; its values and rates are series, which are drawn. */
export const counterFields = defineFields<CounterRow>()({
  counter: { label: 'COUNTER', type: 'text', get: ({ name }) => name },
  group: { label: 'GROUP', type: 'text', get: ({ group }) => group },
});
