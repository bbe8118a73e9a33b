import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, programHints, selectionKeys, sortHints } from '../definition.ts';

export const clients = defineScreen({
  id: 'clients',
  title: safe`Clients`,
  tab: { shortLabel: safe`Cli` },
  key: '4',
  scopes: ['row', 'scan'],
  hints: ['filter', 'open', 'disconnect', 'rowActions', 'mark', 'groupBy', ...sortHints, 'abortScan', ...programHints],
});

export const client = defineScreen({
  id: 'client',
  title: safe`A client`,
  parent: 'clients',
  scopes: ['row', 'opened'],
  unusedKeys: [...selectionKeys, 'openClients', 'openRoutes', 'openPlugins', 'openMetrics', 'openListeners'],
  listKeys: ['copyId'],
  hints: ['disconnect', 'rowActions', 'openSessions', 'openSubscriptions', 'moveDown', 'moveUp', 'copyId', ...programHints],
});
