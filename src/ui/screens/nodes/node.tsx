import type { ReactNode } from 'react';
import type { NodeName } from '../../../domain/node.ts';
import { mustAskNode } from '../../../monitor/select/metric-source.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useWatch } from '../../hooks/use-resource.ts';
import { useScroll } from '../../hooks/use-scroll.ts';
import { useStore, wholeState } from '../../hooks/use-store.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { positionText } from '../../text-window.ts';
import { useTheme } from '../../theme-context.ts';
import { Rows } from '../../components/rows.tsx';
import { endsRow, fillRows, toLines } from '../blocks.ts';
import { useNodeKeys } from './keys.tsx';
import { doubtText, nodeRowsOf } from './node-lines.ts';
import type { ScreenProps } from '../../frame/screen.ts';

export interface NodeScreenProps extends ScreenProps {
  readonly node: NodeName;
}

/** One node opened: every field, its statistics, rates and listeners; scrolls when it is longer than the screen. */
export const NodeScreen = ({ monitor, width, height, node, go }: NodeScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  useWatch(monitor, { kind: 'resource', name: 'nodes' });
  useWatch(monitor, { kind: 'resource', name: 'nodeStats' });
  useWatch(monitor, { kind: 'resource', name: 'stats' });
  useWatch(monitor, { kind: 'resource', name: 'listeners' });
  useWatch(monitor, mustAskNode(state, node) ? { kind: 'nodeMetrics', node } : { kind: 'resource', name: 'metrics' });

  const rows = nodeRowsOf(theme, width, state, node, nowMs);
  const room = Math.max(1, height - 1);
  const { window, handlers } = useScroll(rows.length, room);
  useKeys('list', handlers);
  useNodeKeys({ node, go });
  const doubt = doubtText(theme, state, nowMs);
  const footer = endsRow(width, [doubt === '' ? { text: safe` Esc back`, role: 'dim' } : { text: safe` ${doubt}`, role: 'error' }], [{ text: safe`${positionText(window, rows.length)} `, role: 'dim' }]);
  return <Rows lines={toLines(theme, width, height, [...fillRows(rows.slice(window.from, window.to), room), footer])} />;
};
