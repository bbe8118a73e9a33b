import { Box, type DOMElement, Text } from 'ink';
import {
  createContext,
  memo,
  type ReactNode,
  type Ref,
  type RefObject,
  use,
  useCallback,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import type { PaintedRow, PaintedRows } from '../../terminal/frame-difference.ts';
import { coverLine, dimLine, joinLines, type Line, overlayLine } from '../../terminal/line.ts';
import { createFramePainter, type FramePainter, type PaintedTerminal } from '../../terminal/painter.ts';
import type { ThemeName } from '../../terminal/theme-name.ts';
import { createTheme, type Theme } from '../../terminal/theme.ts';

export const ThemeContext = createContext<Theme>(createTheme({ TERM: 'dumb' }));

/** Changes the theme; `undefined` where it cannot be changed. */
export const ThemeChoiceContext = createContext<((name: ThemeName) => void) | undefined>(undefined);

export const useTheme = (): Theme => use(ThemeContext);

export interface PaintedProps {
  readonly painter: Painter;
  readonly children: ReactNode;
}

/** Draws its content with the painter, which leaves it out of Ink's own frame. */
export const Painted = ({ painter, children }: PaintedProps): ReactNode => (
  <PainterContext value={painter}>
    <Box position="absolute" flexDirection="column">
      {children}
    </Box>
  </PainterContext>
);

/** Whether lines stand over others. */
const OverContext = createContext(false);

export interface OverProps {
  readonly width: number;
  readonly height: number;
  /** The content stands at the bottom; by default in the middle. */
  readonly isAtBottom?: boolean | undefined;
  readonly children: ReactNode;
}

/** Draws content over what its parent has, which is dimmed. */
export const Over = ({ width, height, isAtBottom = false, children }: OverProps): ReactNode => (
  <OverContext value>
    <Box
      position="absolute"
      flexDirection="column"
      width={width}
      height={height}
      alignItems="center"
      justifyContent={isAtBottom ? 'flex-end' : 'center'}
    >
      <Backdrop width={width} height={height} />
      {children}
    </Box>
  </OverContext>
);

/** Dims the rows behind it, which Ink alone cannot. */
const Backdrop = ({ width, height }: { readonly width: number; readonly height: number }): ReactNode => {
  const theme = useTheme();
  const painter = use(PainterContext);
  const box = useRef<DOMElement>(null);
  useLayoutEffect(() => {
    const { current } = box;
    if (current !== null) painter?.dim(current, height, (line) => dimLine(theme, line));
  }, [painter, theme, height]);
  // Not hidden in between: shown again, it would dim what stands over it.
  useLayoutEffect(() => {
    const { current } = box;
    return current === null
      ? undefined
      : () => {
          painter?.hide(current);
        };
  }, [painter]);
  return <Box ref={box} position="absolute" width={width} height={height} />;
};

/** The painter; without one Ink paints. */
export const PainterContext = createContext<Painter | undefined>(undefined);

const Row = memo(({ line }: { readonly line: Line }): ReactNode => <Text wrap="truncate-end">{line}</Text>);
Row.displayName = 'Row';

export interface RowsHandle {
  readonly show: (lines: readonly Line[]) => void;
}

export interface RowsProps {
  readonly lines: readonly Line[];
  /** `null` where only Ink can draw. */
  readonly ref?: Ref<RowsHandle> | undefined;
  /** Called with the line and the column that were clicked, from 0. */
  readonly onClick?: OnClick | undefined;
}

type OnClick = (line: number, column: number) => void;

interface ClickTarget {
  readonly count: number;
  readonly isOver: boolean;
  readonly onClick: OnClick;
}

/** Finds the lines that were clicked. */
export class ClickTargets {
  readonly #targets = new Map<DOMElement, () => ClickTarget>();

  /** The result removes it. */
  add(element: DOMElement, get: () => ClickTarget): () => void {
    this.#targets.set(element, get);
    return () => {
      this.#targets.delete(element);
    };
  }

  /** Clicks the topmost lines at a place: those over others, and of those what was added last. */
  click(row: number, column: number): void {
    const targets = Array.from(this.#targets, ([element, get]) => ({ element, ...get() }))
      .toReversed()
      .toSorted((a, b) => Number(b.isOver) - Number(a.isOver));
    for (const { element, count, onClick } of targets) {
      const { top, left, width, from, to } = placeOf(element, count);
      const line = row - top;
      // Painted lines take no room in a box without a width.
      if (line >= from && line < to && column >= left && (width === 0 || column < left + width)) {
        onClick(line, column - left);
        return;
      }
    }
  }
}

/** The targets of clicks; without it there is no mouse. */
export const ClickTargetsContext = createContext<ClickTargets | undefined>(undefined);

const useClicks = (box: RefObject<DOMElement | null>, count: number, onClick: OnClick | undefined): void => {
  const targets = use(ClickTargetsContext);
  const isOver = use(OverContext);
  const latest = useRef({ count, onClick });
  useLayoutEffect(() => {
    latest.current = { count, onClick };
  });
  const isClickable = onClick !== undefined;
  useLayoutEffect(() => {
    const { current } = box;
    return current === null || !isClickable
      ? undefined
      : targets?.add(current, () => ({
          count: latest.current.count,
          isOver,
          onClick: latest.current.onClick ?? ignore,
        }));
  }, [targets, box, isOver, isClickable]);
};

const ignore = (): void => {};

const PlainRows = ({ lines, onClick }: Omit<RowsProps, 'ref'>): ReactNode => {
  const box = useRef<DOMElement>(null);
  useClicks(box, lines.length, onClick);
  return (
    <Box ref={box} flexDirection="column" flexShrink={0}>
      {lines.map((line, index) => (
        // Keyed by position: by identity, a scroll would rebuild every row.
        // oxlint-disable-next-line react/no-array-index-key
        <Row key={index} line={line} />
      ))}
    </Box>
  );
};

const PaintedBox = ({ painter, lines, ref, onClick }: RowsProps & { readonly painter: Painter }): ReactNode => {
  const box = useRef<DOMElement>(null);
  const isOver = use(OverContext);
  const show = useCallback(
    (next: readonly Line[]): void => {
      if (box.current !== null) {
        painter.show(box.current, next, isOver);
      }
    },
    [painter, isOver],
  );
  // After every rendering: `show` may have replaced the lines.
  useLayoutEffect(() => {
    show(lines);
  });
  useImperativeHandle(ref, () => ({ show }), [show]);
  useLayoutEffect(() => {
    const { current } = box;
    return current === null
      ? undefined
      : () => {
          painter.hide(current);
        };
  }, [painter]);
  useClicks(box, lines.length, onClick);
  return <Box ref={box} height={lines.length} flexShrink={0} />;
};

/** Draws finished lines. With a painter Ink only lays out their box; an unchanged line costs nothing. */
export const Rows = ({ lines, ref, onClick }: RowsProps): ReactNode => {
  const painter = use(PainterContext);
  return painter === undefined ? (
    <PlainRows lines={lines} onClick={onClick} />
  ) : (
    <PaintedBox painter={painter} lines={lines} ref={ref} onClick={onClick} />
  );
};

/** Paints lines of Ink elements. Ink keeps keyboard, layout and the alternate screen, and writes to `stdout`. */
export interface Painter extends FramePainter {
  /** Shows lines. @param isOver whether they stand over what other elements show in the same place */
  show(element: DOMElement, lines: readonly Line[], isOver?: boolean): void;
  /** Changes what the other elements show in the element's rows. */
  dim(element: DOMElement, rows: number, dimmed: (line: Line) => Line): void;
  hide(element: DOMElement): void;
  /** Returns what is on the screen, row by row. */
  read(): readonly string[];
}

/**
 * Creates a painter. Ink spends most of a frame on measuring text, so it lays out empty boxes. `paintSoon` must be
 * called when elements may have moved.
 */
export const createPainter = (terminal: PaintedTerminal): Painter => {
  const elements = new Map<DOMElement, Shown>();
  const { stdout, paintSoon } = createFramePainter(terminal, (rows) => placeLines(elements, rows));
  return {
    stdout,
    paintSoon,
    show(element, lines, isOver = false) {
      elements.set(element, { lines, isOver });
      paintSoon();
    },
    dim(element, rows, dimmed) {
      elements.set(element, { lines: Array.from({ length: rows }), isOver: true, dimmed });
      paintSoon();
    },
    hide(element) {
      elements.delete(element);
      paintSoon();
    },
    read: () =>
      placeLines(elements, terminal.rows).map((row) => (typeof row === 'string' ? row : (row ?? []).join(''))),
  };
};

interface Shown {
  readonly lines: readonly (Line | undefined)[];
  readonly isOver: boolean;
  readonly dimmed?: ((line: Line) => Line) | undefined;
}

/** Places lines: those of one row stand side by side; at the same column the later one is on top. */
const placeLines = (elements: ReadonlyMap<DOMElement, Shown>, rows: number): PaintedRows => {
  const frame = Array.from({ length: rows }, () => new Map<number, Line>());
  // Rows of a box; more of its content is drawn over them.
  const covered = new Set<number>();
  const placed = [...elements].map(([element, shown]) => ({ ...shown, ...placeOf(element, shown.lines.length) }));
  for (const { lines, isOver, dimmed, top, left, width, from, to } of placed.toSorted(
    (a, b) => Number(a.isOver) - Number(b.isOver) || (a.isOver ? 0 : a.left - b.left),
  )) {
    for (let index = Math.max(from, -top); index < Math.min(to, rows - top); index += 1) {
      const line = lines[index];
      const parts = frame[top + index];
      if (dimmed !== undefined && parts !== undefined) {
        frame[top + index] = new Map(Array.from(parts, ([column, part]) => [column, dimmed(part)]));
        covered.delete(top + index);
      }
      if (line === undefined || parts === undefined) continue;
      if (isOver) {
        const draw = covered.has(top + index) ? overlayLine : coverLine;
        frame[top + index] = new Map([[0, draw(joinLines(...parts.values()), line, left, width)]]);
        covered.add(top + index);
      } else parts.set(left, line);
    }
  }
  return frame.map((lines): PaintedRow | undefined =>
    lines.size > 1 ? [...lines.values()] : lines.values().next().value,
  );
};

interface PlaceOnScreen {
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

/** Returns the first row and column, and which lines are not clipped by an ancestor. */
const placeOf = (element: DOMElement, count: number): PlaceOnScreen => {
  let top = 0;
  let left = 0;
  let from = 0;
  let to = count;
  for (let node: DOMElement | undefined = element; node !== undefined; node = node.parentNode) {
    const { yogaNode, style } = node;
    if (node !== element && yogaNode !== undefined && style.overflowY === 'hidden') {
      from = Math.max(from, -top);
      to = Math.min(to, yogaNode.getComputedHeight() - top);
    }
    top += yogaNode?.getComputedTop() ?? 0;
    left += yogaNode?.getComputedLeft() ?? 0;
  }
  return { top, left, width: element.yogaNode?.getComputedWidth() ?? 0, from, to };
};
