import { Box, type DOMElement, Text } from 'ink';
import { createContext, memo, type ReactNode, type Ref, use, useCallback, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import type { Line } from '../../terminal/line.ts';
import type { Painter } from './painter.ts';

export interface PaintedProps {
  readonly painter: Painter;
  readonly children: ReactNode;
}

/** Everything in it is painted by `painter` and left out of Ink's own frame, which stays empty. */
export const Painted = ({ painter, children }: PaintedProps): ReactNode => (
  <PainterContext value={painter}>
    <Box position="absolute" flexDirection="column">{children}</Box>
  </PainterContext>
);

/** Paints the lines of `Rows`; without one Ink does. */
export const PainterContext = createContext<Painter | undefined>(undefined);

const Row = memo(({ line }: { readonly line: Line }): ReactNode => <Text wrap="truncate-end">{line}</Text>);
Row.displayName = 'Row';

/** Shows other lines until the next rendering; as many as before. */
export interface RowsHandle {
  readonly show: (lines: readonly Line[]) => void;
}

export interface RowsProps {
  /** The visible lines, each as wide as the screen. */
  readonly lines: readonly Line[];
  /** `null` where only Ink can draw. */
  readonly ref?: Ref<RowsHandle> | undefined;
}

const PlainRows = ({ lines }: Pick<RowsProps, 'lines'>): ReactNode => (
  <Box flexDirection="column" flexShrink={0}>
    {lines.map((line, index) => (
      // Keyed by position: by identity, a scroll would rebuild every row.
      // oxlint-disable-next-line react/no-array-index-key
      <Row key={index} line={line} />
    ))}
  </Box>
);

const PaintedRows = ({ painter, lines, ref }: RowsProps & { readonly painter: Painter }): ReactNode => {
  const box = useRef<DOMElement>(null);
  const show = useCallback((next: readonly Line[]): void => {
    if (box.current !== null) {
      painter.show(box.current, next);
    }
  }, [painter]);
  // After every rendering: `show` may have replaced the lines.
  useLayoutEffect(() => { show(lines); });
  useImperativeHandle(ref, () => ({ show }), [show]);
  useLayoutEffect(() => {
    const { current } = box;
    return current === null ? undefined : () => { painter.hide(current); };
  }, [painter]);
  return <Box ref={box} height={lines.length} flexShrink={0} />;
};

/**
 * Draws finished lines. Everything longer than a few words goes through here; an unchanged line costs nothing. With a
 * painter Ink only lays out their place.
 */
export const Rows = ({ lines, ref }: RowsProps): ReactNode => {
  const painter = use(PainterContext);
  return painter === undefined ? <PlainRows lines={lines} /> : <PaintedRows painter={painter} lines={lines} ref={ref} />;
};
