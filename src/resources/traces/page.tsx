import { type ReactNode, useMemo } from 'react';
import { watchOf } from '../../monitor/query/part.ts';
import { formatText } from '../../terminal/format.ts';
import { composeLine } from '../../terminal/line.ts';
import { safe, trusted } from '../../terminal/safe-text.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { useOpenDialog } from '../../tui/hooks/open-dialog.ts';
import { useReading, useWatch } from '../../tui/hooks/use-store.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import type { ScreenProps } from '../../tui/screen.ts';
import { useNodeNames, withShortNodes } from '../view/node-names.ts';
import { useFifthTickList } from '../view/node-table.ts';
import { traceKindNames } from './fields.ts';
import type { TraceLine } from './lines.ts';
import { traceLog, traces } from './resource.ts';
import { tracesTexts } from './texts.ts';
import { traceLineColumns } from './view/columns.ts';

const identity = ({ place }: TraceLine): string => String(place);
const copyText = ({ time, text }: TraceLine): string => `${time} ${text}`;
const newestFirst = { columnId: 'place', isReversed: true };
const noLines: readonly TraceLine[] = [];

/** Shows the lines of a trace as they come, the newest first. */
export const TraceScreen = ({
  monitor,
  name,
  width,
  height,
  notify,
}: ScreenProps & { readonly name: string }): ReactNode => {
  const theme = useTheme();
  const ask = useOpenDialog();
  useWatch(monitor, traces);
  useWatch(
    monitor,
    useMemo(() => watchOf(traceLog, name), [name]),
  );
  const known = useReading(monitor, traces);
  const trace = known.data?.find((each) => each.name === name);
  const state = useReading(monitor, traceLog, name);
  const view = useFifthTickList(
    monitor,
    useMemo(() => ({ ...state, data: state.data?.items }), [state]),
    tracesTexts.lines,
    safe` ${tracesTexts.noLines}`,
  );
  const nodeNames = useNodeNames(monitor);
  const list = useList({
    ...view,
    heading: composeLine(theme, width, [
      { text: safe` ${theme.escape(name, width)}`, role: 'title' },
      ...(trace === undefined
        ? []
        : [
            {
              text: safe`  ${trace.kind === undefined ? safe`` : trusted(traceKindNames[trace.kind])} ${theme.escape(trace.value, 60)}  `,
            },
            {
              text: formatText(trace.status, theme.escape),
              role: trace.status === 'running' ? 'ok' : 'dim',
            } as const,
          ]),
    ]),
    listKey: placeKey({ screen: 'trace', name }),
    table: 'trace lines',
    rows: state.data?.items ?? noLines,
    columns: useMemo(() => withShortNodes(traceLineColumns, ({ node }) => node, nodeNames), [nodeNames]),
    data: undefined,
    getId: identity,
    initialSort: newestFirst,
    noun: safe`line`,
    title: tracesTexts.log,
    footerNote: state.data?.hasMore === true ? tracesTexts.older : undefined,
    onOpen: ({ time, node, level, text }) => {
      ask({
        kind: 'text',
        title: tracesTexts.line,
        parts: [
          { label: tracesTexts.time, text: theme.escape(time) },
          { label: tracesTexts.node, text: theme.escape(node) },
          { label: tracesTexts.level, text: formatText(level, theme.escape) },
          { label: tracesTexts.text, text: theme.escape(text), isBlock: true },
        ],
      });
    },
    copyText,
    width,
    height,
    notify,
  });
  return <ListView list={list} />;
};
