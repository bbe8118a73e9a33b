import type { IntegrationKind } from '../../domain/integrations.ts';
import { defineFields } from '../../table/field.ts';
import type { IntegrationRow } from './select.ts';

export const kindNames: Readonly<Record<IntegrationKind, string>> = {
  connector: 'connector',
  action: 'action',
  source: 'source',
  rule: 'rule',
};

/** Says whether a part works, over all its nodes; `undefined` if that is not known. */
export function statusText({ part, down, cause }: IntegrationRow): string | undefined {
  if (part.isEnabled === false) return 'disabled';
  if (part.kind === 'rule') return part.isEnabled === true ? 'enabled' : undefined;
  if (cause !== undefined) return cause.isEnabled === false ? 'connector disabled' : 'connector down';
  const statuses = new Set([...part.nodes.values()].map(({ status }) => status));
  if (down.length > 0 && down.length < part.nodes.size) return `down on ${down.length} of ${part.nodes.size}`;
  const [only] = statuses;
  return statuses.size === 1 ? only : undefined;
}

export const integrationFields = defineFields<IntegrationRow>()({
  id: { label: 'NAME', type: 'name', get: ({ part }) => part.id },
  kind: { label: 'KIND', type: 'text', get: ({ part }) => kindNames[part.kind] },
  status: { label: 'STATUS', type: 'text', get: statusText },
  matched: { label: 'IN', type: 'rate', get: ({ rates }) => rates?.matched },
  succeeded: { label: 'OK', type: 'rate', get: ({ rates }) => rates?.succeeded },
  losing: { label: 'LOSS', type: 'rate', get: ({ rates }) => rates?.lost },
  lost: { label: 'LOST', type: 'count', get: ({ lost }) => lost },
  total: { label: 'TOTAL', type: 'count', get: ({ matched }) => matched },
  queued: { label: 'QUEUED', type: 'count', get: ({ queued }) => queued },
  reason: { label: 'REASON', type: 'text', get: ({ reason }) => reason },
  connector: { label: 'CONNECTOR', type: 'name', get: ({ part }) => part.connector },
  sql: { label: 'SQL', type: 'text', get: ({ part }) => part.sql },
});
