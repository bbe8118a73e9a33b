import { defineFields } from '../table/field.ts';
import type { TimelineEvent } from '../domain/event.ts';

/** What an event is about, as a list shows it: the client, else the topic, else the node. */
export const objectOf = ({ clientId, topic, node }: TimelineEvent): string | undefined => clientId ?? topic ?? node;

export const eventFields = defineFields<TimelineEvent>()({
  time: { label: 'TIME', type: 'moment', get: ({ atMs }) => atMs },
  severity: { label: 'SEVERITY', type: 'text', get: ({ severity }) => severity },
  kind: { label: 'KIND', type: 'text', get: ({ kind }) => kind },
  text: { label: 'EVENT', type: 'text', get: ({ text }) => text, aliases: ['event'] },
  object: { label: 'OBJECT', type: 'name', get: objectOf },
  lasted: {
    label: 'LASTED',
    type: 'seconds',
    get: ({ lastedMs }) => (lastedMs === undefined ? undefined : Math.round(lastedMs / 1_000)),
  },
  lost: { label: 'LOST', type: 'count', get: ({ lost }) => lost },
  since: { label: 'SINCE', type: 'moment', get: ({ sinceMs }) => sinceMs },
  node: { label: 'NODE', type: 'text', get: ({ node }) => node },
  client: { label: 'CLIENT ID', type: 'name', get: ({ clientId }) => clientId },
  topic: { label: 'TOPIC', type: 'name', get: ({ topic }) => topic },
  check: { label: 'CHECK', type: 'text', get: ({ check }) => check },
  code: { label: 'CODE', type: 'text', get: ({ code }) => code },
  problem: { label: 'PROBLEM', type: 'text', get: ({ problem }) => problem },
  outcome: { label: 'OUTCOME', type: 'text', get: ({ action }) => action?.outcome },
  by: { label: 'BY', type: 'text', get: ({ action }) => action?.by },
  run: { label: 'RUN', type: 'text', get: ({ run }) => run },
});
