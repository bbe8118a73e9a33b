import type { NodeStats } from '../../domain/node.ts';
import { defineFields, type Field, type NumberField } from '../../table/field.ts';
import type { Gauge, NodeRow } from './select.ts';

const share = (label: string, gaugeOf: (row: NodeRow) => Gauge) =>
  ({
    label,
    type: 'share',
    get: (row: NodeRow) => gaugeOf(row).share,
    // In percent as shown, so that nodes that are equally full keep their places.
    order: (row: NodeRow) => {
      const { share: full } = gaugeOf(row);
      return full === undefined ? undefined : Math.round(full * 100);
    },
  }) as const satisfies Field<NodeRow>;

const figure = (label: string, name: NumberField<NodeStats>, type: 'count' | 'bytes' = 'count') =>
  ({
    label,
    type,
    get: ({ stats }: NodeRow) => stats?.[name],
    unparsed: ({ stats }: NodeRow) => stats?.unparsed[name],
  }) as const satisfies Field<NodeRow>;

export const nodeFields = defineFields<NodeRow>()({
  node: { label: 'NODE', type: 'text', get: ({ name }) => name },
  status: {
    label: 'STATUS',
    type: 'text',
    get: ({ status, statusText }) => (status === 'other' ? statusText : status),
    text: ({ status, statusText }) => `${status === 'unknown' ? 'gone' : status} ${statusText}`,
  },
  version: { label: 'VERSION', type: 'text', get: ({ info }) => info?.version },
  uptime: {
    label: 'UPTIME',
    type: 'seconds',
    get: ({ info }) => info?.uptimeSeconds,
    unparsed: ({ info }) => info?.unparsed['uptimeSeconds'],
  },
  clients: figure('CLIENTS', 'clients'),
  'memory-share': share('MEMORY', ({ memory }) => memory),
  'process-share': share('PROCESSES', ({ processes }) => processes),
  memory: figure('MEM USED', 'memoryUsedBytes', 'bytes'),
  total: figure('MEM TOTAL', 'memoryTotalBytes', 'bytes'),
  processes: figure('PROCS', 'processesUsed'),
  limit: figure('PROC LIMIT', 'processLimit'),
  fds: figure('MAX FDS', 'maxFileDescriptors'),
  load1: figure('LOAD1', 'load1'),
  load5: figure('LOAD5', 'load5'),
  load15: figure('LOAD15', 'load15'),
  otp: { label: 'RUNTIME', type: 'text', get: ({ info, stats }) => info?.otpRelease ?? stats?.otpRelease },
  clock: {
    label: 'CLOCK',
    type: 'time',
    get: ({ info }) => info?.clock,
    unparsed: ({ info }) => info?.unparsed['datetime'],
  },
  description: { label: 'DESCRIPTION', type: 'text', get: ({ info }) => info?.description },
});
