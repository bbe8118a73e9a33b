import { formatRate } from '../../../terminal/format.ts';
import { safe } from '../../../terminal/safe-text.ts';
import type { Role } from '../../../terminal/theme.ts';
import { columnsOf } from '../../../tui/components/field-columns.ts';
import { integrationFields } from '../fields.ts';
import type { IntegrationRow } from '../select.ts';

/** Parts that are down because of their connector are as bad as it, which stands above them. */
export const statusRole = ({ part, down, cause }: IntegrationRow): Role | undefined => {
  if (part.isEnabled === false) return 'dim';
  if (down.length === 0) return undefined;
  return cause?.isEnabled === false ? 'dim' : down.length < part.nodes.size ? 'warning' : 'error';
};

const losesNow = ({ rates }: IntegrationRow): boolean => (rates?.lost ?? 0) > 0;

/** The columns of integrations. Actions and sources are indented: they stand below their connector. */
export const integrationColumns = columnsOf(integrationFields, {
  id: {
    format: ({ part }, { ends }) => (part.connector === undefined ? ends(part.id) : safe`  ${ends(part.id, 2)}`),
    width: { min: 16, max: 40, grow: 1 },
    isSticky: true,
  },
  kind: { role: 'dim', width: 9, priority: 3 },
  status: { roleOf: statusRole, width: 18, priority: 1 },
  matched: { format: ({ rates }) => formatRate(rates?.matched), largest: safe`most`, width: 9, priority: 3 },
  succeeded: { width: 9, priority: 4 },
  losing: { roleOf: (row) => (losesNow(row) ? 'error' : undefined), width: 9, priority: 1, largest: safe`most` },
  lost: { width: 9, priority: 2 },
  total: { width: 9, priority: 5 },
  queued: { width: 9, priority: 3 },
  reason: { width: { min: 14, max: 60, grow: 2 }, priority: 1 },
  connector: { width: { min: 12, max: 32 }, priority: 7 },
  sql: { width: { min: 14, max: 60 }, priority: 6 },
});
