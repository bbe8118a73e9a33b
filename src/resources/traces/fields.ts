import type { Trace, TraceKind } from '../../domain/traces.ts';
import { defineFields } from '../../table/field.ts';
import { ageOf, type BrokerClocks } from '../../domain/node.ts';
import type { TraceLine } from './lines.ts';

export const traceKindNames: Readonly<Record<TraceKind, string>> = {
  'client-id': 'client ID',
  topic: 'topic',
  address: 'address',
  rule: 'rule',
};

export const traceBytes = ({ logBytes }: Trace): number =>
  [...logBytes.values()].reduce((sum, bytes) => sum + bytes, 0);

export const traceFields = defineFields<Trace, BrokerClocks>()({
  name: { label: 'NAME', type: 'name', get: ({ name }) => name },
  status: { label: 'STATUS', type: 'text', get: ({ status }) => status },
  kind: { label: 'KIND', type: 'text', get: ({ kind }) => kind && traceKindNames[kind] },
  value: { label: 'FOLLOWS', type: 'name', get: ({ value }) => value },
  size: { label: 'SIZE', type: 'bytes', get: traceBytes },
  started: {
    label: 'STARTED',
    type: 'time',
    get: ({ startAt }) => startAt,
    age: ({ startAt }, clocks) => ageOf(startAt, clocks),
  },
  ends: { label: 'ENDS', type: 'time', get: ({ endAt }) => endAt },
});

export const traceLineFields = defineFields<TraceLine, undefined>()({
  place: { label: '#', type: 'count', get: ({ place }) => place },
  time: { label: 'TIME', type: 'text', get: ({ time }) => time },
  node: { label: 'NODE', type: 'name', get: ({ node }) => node },
  level: { label: 'LEVEL', type: 'text', get: ({ level }) => level },
  line: { label: 'LINE', type: 'text', get: ({ text }) => text },
});
