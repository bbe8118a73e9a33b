import type { Ban, BanKind } from '../../domain/administration.ts';
import { ageOf, type BrokerClocks, secondsSince } from '../../domain/node.ts';
import { defineFields } from '../../table/field.ts';

export const banKindNames: Readonly<Record<BanKind, string>> = {
  'client-id': 'client ID',
  username: 'username',
  address: 'address',
  'client-id-pattern': 'client ID pattern',
  'username-pattern': 'username pattern',
  network: 'network',
};

/** A ban that never ends comes after all others. */
const endOf = ({ until }: Ban): number => until ?? Number.MAX_SAFE_INTEGER;

export const banFields = defineFields<Ban, BrokerClocks>()({
  who: { label: 'WHO', type: 'name', get: ({ value }) => value },
  kind: { label: 'KIND', type: 'text', get: ({ kind }) => banKindNames[kind] },
  added: {
    label: 'ADDED',
    type: 'time',
    get: ({ since }) => since,
    age: ({ since }, clocks) => ageOf(since, clocks),
  },
  ends: {
    label: 'ENDS',
    type: 'time',
    get: ({ until }) => until,
    order: endOf,
    age: ({ until }, clocks) => secondsSince(until, clocks),
  },
  reason: { label: 'REASON', type: 'text', get: ({ reason }) => reason },
  by: { label: 'BY', type: 'text', get: ({ by }) => by },
  since: { label: 'ADDED AT', type: 'time', get: ({ since }) => since },
  until: { label: 'UNTIL', type: 'time', get: ({ until }) => until, order: endOf },
});
