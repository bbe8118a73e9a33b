import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, nodeLinkHints, programHints, sortHints } from '../definition.ts';

export const nodes = defineScreen({
  id: 'nodes',
  title: safe`Nodes`,
  tab: {},
  key: '2',
  scopes: ['opened'],
  hints: ['filter', 'open', ...nodeLinkHints, ...sortHints, ...programHints],
});

export const node = defineScreen({
  id: 'node',
  title: safe`A node`,
  parent: 'nodes',
  scopes: ['opened'],
  listKeys: [],
  hints: [...nodeLinkHints, 'moveDown', 'moveUp', ...programHints],
});
