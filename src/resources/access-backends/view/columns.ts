import type { Role } from '../../../terminal/theme.ts';
import { columnsOf } from '../../../tui/components/field-columns.ts';
import { accessBackendFields } from '../fields.ts';
import type { AccessBackendRow } from '../select.ts';

export const backendRole = ({ backend, isEnabled, down }: AccessBackendRow): Role | undefined => {
  if (isEnabled === false) return 'dim';
  return down.length === 0 ? undefined : down.length < backend.nodes.size ? 'warning' : 'error';
};

export const accessBackendColumns = columnsOf(accessBackendFields, {
  id: { width: { min: 18, max: 48, grow: 1 }, isSticky: true },
  purpose: { role: 'dim', width: 14, priority: 2 },
  status: { roleOf: backendRole, width: 14, priority: 1 },
  asked: { width: 9, priority: 2 },
  accepted: { width: 9, priority: 1 },
  refused: { width: 9, priority: 1 },
  undecided: { width: 11, priority: 1 },
  total: { width: 9, priority: 3 },
  refusals: { width: 10, priority: 4 },
});
