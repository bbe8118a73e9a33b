import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, programHints, sortHints } from '../definition.ts';

export const listeners = defineScreen({
  id: 'listeners',
  title: safe`Listeners`,
  tab: { shortLabel: safe`List` },
  key: '3',
  scopes: [],
  hints: ['filter', ...sortHints, ...programHints],
});
