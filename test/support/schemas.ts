import * as z from 'zod';
import { schemaText } from '../../src/cli/list/schemas.ts';
import { checkIds } from '../../src/checks/registry.ts';

const text = z.string().nullable();
const number = z.number().nullable();
const ofNodes = <Schema extends z.ZodType>(schema: Schema) => z.record(z.string(), schema);
const numbers = z.record(z.string(), number);
const stat = z.strictObject({ count: number, max: number });
const status = z.enum(['running', 'stopped', 'other']);
const isTrue = z.literal(true).nullable().optional();
const unparsed = z.record(z.string(), z.string());

const info = z.strictObject({
  name: z.string(),
  version: text,
  description: text,
  uptimeSeconds: number,
  clock: number,
  otpRelease: text,
  status,
  statusText: z.string(),
  isSilent: isTrue,
  unparsed,
});
const load = z.strictObject({
  name: z.string(),
  otpRelease: text,
  memoryTotalBytes: number,
  memoryUsedBytes: number,
  processLimit: number,
  processesUsed: number,
  maxFileDescriptors: number,
  clients: number,
  load1: number,
  load5: number,
  load15: number,
  status,
  statusText: z.string(),
  isSilent: isTrue,
  unparsed,
});
const listener = z.strictObject({
  id: text.optional(),
  running: z.enum(['yes', 'no', 'partly']).nullable().optional(),
  isEnabled: z.boolean().nullable().optional(),
  isUnlimited: isTrue,
  protocol: z.string(),
  listen: z.string(),
  address: text,
  port: number,
  acceptors: number,
  maxClients: number,
  currentClients: number,
  shutdownCount: z.record(z.string(), z.number()),
  shutdownCountRaw: text,
});

/** The output of `--once --json`. */
const onceSchema = z.strictObject({
  takenAt: z.iso.datetime(),
  url: z.string(),
  variant: text,
  problems: z.array(
    z.strictObject({
      check: z.enum(checkIds),
      code: z.string(),
      severity: z.enum(['critical', 'warning']),
      text: z.string(),
      node: text,
      client: text,
      topic: text,
      since: z.iso.datetime().nullable(),
    }),
  ),
  ok: z.array(z.enum(checkIds)),
  notChecked: z.array(z.string()),
  nodes: z.array(z.strictObject({ name: z.string(), info: info.nullable(), stats: load.nullable() })).nullable(),
  listeners: ofNodes(z.array(listener)).nullable(),
  metrics: z
    .union([
      z.strictObject({ kind: z.literal('by-node'), nodes: ofNodes(numbers) }),
      z.strictObject({ kind: z.literal('total'), total: numbers }),
    ])
    .nullable(),
  ratesPerSecond: numbers.nullable(),
  stats: ofNodes(
    z.strictObject({
      clients: stat,
      sessions: stat,
      subscribers: stat,
      subscriptions: stat,
      topics: stat,
      routes: stat,
      retained: stat,
    }),
  ).nullable(),
  clients: z.strictObject({ total: number, byNode: ofNodes(z.number()) }),
  errors: z.array(z.strictObject({ part: z.string(), kind: z.string(), message: z.string() })),
});

/** The schemas in `schemas/`, by file name; those of the lists are made by the build. */
export const schemas: ReadonlyMap<string, string> = new Map([
  ['once.json', schemaText({ title: 'brokertop --once --json', ...z.toJSONSchema(onceSchema) })],
]);
