import { defineFields } from '../../table/field.ts';
import type { AccessBackendRow } from './select.ts';

/** Says whether a backend works, over all its nodes; `undefined` if that is not known. */
export function backendStatus({ backend, isEnabled, down }: AccessBackendRow): string | undefined {
  if (isEnabled === false) return 'disabled';
  if (down.length > 0)
    return down.length === backend.nodes.size ? 'down' : `down on ${down.length} of ${backend.nodes.size}`;
  return [...backend.nodes.values()].every(({ isConnected }) => isConnected === true) ? 'connected' : undefined;
}

export const accessBackendFields = defineFields<AccessBackendRow>()({
  id: { label: 'BACKEND', type: 'name', get: ({ backend }) => backend.id },
  purpose: { label: 'DECIDES', type: 'text', get: ({ backend }) => backend.purpose },
  status: { label: 'STATUS', type: 'text', get: backendStatus },
  asked: { label: 'ASKED', type: 'rate', get: ({ perSecond }) => perSecond.asked },
  accepted: { label: 'YES', type: 'rate', get: ({ perSecond }) => perSecond.accepted },
  refused: { label: 'NO', type: 'rate', get: ({ perSecond }) => perSecond.refused },
  undecided: { label: 'NO MATCH', type: 'rate', get: ({ perSecond }) => perSecond.undecided },
  total: { label: 'TOTAL', type: 'count', get: ({ totals }) => totals.asked },
  refusals: { label: 'REFUSED', type: 'count', get: ({ totals }) => totals.refused },
});
