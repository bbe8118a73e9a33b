import { Box, Text, type DOMElement } from 'ink';
import { memo, use, useLayoutEffect, useRef, type ReactNode } from 'react';
import { PainterContext } from './painter-context.ts';
import type { Painter } from './painter.ts';
import type { Line } from './line.ts';

const Row = memo(({ line }: { readonly line: Line }): ReactNode => <Text wrap="truncate-end">{line}</Text>);
Row.displayName = 'Row';

export interface RowsProps {
  /** The lines of the visible window, no more, each as wide as the screen. */
  readonly lines: readonly Line[];
}

const PlainRows = ({ lines }: RowsProps): ReactNode => (
  <Box flexDirection="column" flexShrink={0}>
    {lines.map((line, index) => (
      // A place on the screen, not a record: keyed by identity, a scroll would rebuild every row.
      // oxlint-disable-next-line react/no-array-index-key
      <Row key={index} line={line} />
    ))}
  </Box>
);

const PaintedRows = ({ painter, lines }: RowsProps & { readonly painter: Painter }): ReactNode => {
  const box = useRef<DOMElement>(null);
  useLayoutEffect(() => {
    if (box.current !== null) {
      painter.show(box.current, lines);
    }
  }, [painter, lines]);
  useLayoutEffect(() => {
    const { current } = box;
    return current === null ? undefined : () => { painter.hide(current); };
  }, [painter]);
  return <Box ref={box} height={lines.length} flexShrink={0} />;
};

/**
 * Brings finished lines to the terminal. Nothing else knows how: whatever shows more than a few
 * words goes through here, and a line that did not change costs nothing. Under a painter Ink only
 * keeps their place.
 */
export const Rows = ({ lines }: RowsProps): ReactNode => {
  const painter = use(PainterContext);
  return painter === undefined ? <PlainRows lines={lines} /> : <PaintedRows painter={painter} lines={lines} />;
};
