import type { ChangeRow } from '../../compare/rows.ts';
import type { Grouping } from '../../table/grouping.ts';

export type ChangeGrouping = 'what' | 'list' | 'change' | 'node' | 'field';

/** The differences that a property has in common; `undefined` is the group of those without it. */
export interface ChangeGroup {
  readonly by: ChangeGrouping;
  readonly value: string | undefined;
}

export const changeGroupings: readonly Grouping<ChangeRow, ChangeGrouping>[] = [
  { id: 'what', valueOf: ({ list, kind }) => `${list} ${kind}` },
  { id: 'list', valueOf: ({ list }) => list },
  { id: 'change', valueOf: ({ kind }) => kind },
  { id: 'node', valueOf: ({ node }) => node },
  { id: 'field', valueOf: ({ field }) => field },
];

export const groupingOf = (by: ChangeGrouping): Grouping<ChangeRow, ChangeGrouping> | undefined =>
  changeGroupings.find(({ id }) => id === by);
