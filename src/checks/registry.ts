import type { Check } from '../triage/check.ts';
import { access } from './access/check.ts';
import { alarms } from './alarms/check.ts';
import { balance } from './balance/check.ts';
import { drops } from './drops/check.ts';
import { fanOut } from './fan-out/check.ts';
import { integrations } from './integrations/check.ts';
import { limits } from './limits/check.ts';
import { listeners } from './listeners/check.ts';
import { nodes } from './nodes/check.ts';
import { plugins } from './plugins/check.ts';
import { readings } from './readings/check.ts';
import { reconnects } from './reconnects/check.ts';
import { refusals } from './refusals/check.ts';
import { settings } from './settings/check.ts';
import { sharedIds } from './shared-ids/check.ts';
import { slow } from './slow/check.ts';
import { slowSubscriptions } from './slow-subscriptions/check.ts';
import { split } from './split/check.ts';
import { sudden } from './sudden/check.ts';
import { unrouted } from './unrouted/check.ts';
import { versions } from './versions/check.ts';

/** All checks, in the order in which they are judged and shown. A check sees what those above it have found. */
export const checks: readonly Check[] = [
  readings,
  split,
  nodes,
  listeners,
  limits,
  sudden,
  sharedIds,
  reconnects,
  slow,
  integrations,
  access,
  alarms,
  drops,
  refusals,
  slowSubscriptions,
  unrouted,
  fanOut,
  balance,
  versions,
  plugins,
  settings,
];

export const checkIds: readonly string[] = checks.map(({ id }) => id);
