import { Box } from 'ink';
import { type ReactNode, useMemo } from 'react';
import { checkOf } from '../../checks/words.ts';
import { clientPanel } from '../../resources/clients/panel.tsx';
import { useIdClicks } from '../../tui/list/use-row-clicks.ts';
import { useSpoken } from '../../tui/speech/use-speech.ts';
import { nextContext } from '../../resources/problems/view/next-context.ts';
import { useProblemKeys } from '../../resources/problems/view/problem-keys.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { triageItems } from './items.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useListKeys, useListState, useListSync } from '../../tui/list/use-list-state.ts';
import { placeKey, selectCursorId } from '../../tui/list/list-state.ts';
import { sentenceText } from '../../terminal/sentence-text.ts';
import { findingSpeech } from '../../resources/problems/view/finding-speech.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { useStore, wholeState } from '../../tui/hooks/use-store.ts';
import { selectReport } from '../../triage/view.ts';
import { useTriageWatches } from '../status/triage-watches.ts';
import { useJump } from '../../resources/view/use-jump.ts';
import { sparePanels } from '../../resources/view/spare-panels.tsx';
import type { Sort } from '../../tui/components/column.ts';
import { stopScan } from '../../resources/view/scan-list.ts';
import { layOutTriage } from './lines.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';

const unsorted: Sort = { columnId: '', isReversed: false };

export const TriageScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  const report = selectReport(state);
  useTriageWatches(monitor, state, report);
  const items = useMemo(() => triageItems(report), [report]);
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  const control = useListState(unsorted, placeKey({ screen: 'triage' }));
  const list = useListSync(control, ids, height);
  const cursorId = selectCursorId(list);
  const selected = items.find(({ id }) => id === cursorId);
  const jump = useJump(go);
  useProblemKeys(monitor, selected?.finding, { notify, go });
  useListKeys(control, {
    onOpen:
      selected === undefined
        ? undefined
        : () => {
            jump(selected.jump, nowMs);
          },
  });
  useKeys('scan', {
    abortScan: () => {
      notify(stopScan(monitor));
    },
  });
  useSpoken(
    selected && {
      rank: 'row',
      key: selected.id,
      isOnKeyOnly: true,
      lines: () =>
        selected.finding === undefined
          ? [`${checkOf(selected.check).title}: ${sentenceText(theme, selected.text, width)}`]
          : findingSpeech(theme, selected.finding, nextContext(state, nowMs)),
    },
  );
  const view = layOutTriage(
    theme,
    width,
    height,
    report,
    items,
    list.cursorIndex,
    nextContext(state, nowMs),
    (columns, rows) => sparePanels(theme, columns, rows, state, nowMs),
  );
  const clickItem = useIdClicks(control);
  const onClick = (line: number): void => {
    const id = view.idAt(line);
    if (id !== undefined) clickItem(id);
  };
  const { side } = view;
  if (side === undefined) return <Rows lines={view.lines} onClick={onClick} />;
  return (
    <Box>
      <Box flexDirection="column" width={width - side.width} flexShrink={0}>
        <Rows lines={view.lines} onClick={onClick} />
      </Box>
      <Box flexDirection="column" width={side.width} flexShrink={0}>
        <Rows lines={side.lines} />
        {side.client !== undefined &&
          clientPanel(monitor, { clientId: side.client }, side.width, height - side.lines.length)}
      </Box>
    </Box>
  );
};
