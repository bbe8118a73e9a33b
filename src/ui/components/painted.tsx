import { Box } from 'ink';
import type { ReactNode } from 'react';
import { PainterContext } from './painter-context.ts';
import type { Painter } from './painter.ts';

export interface PaintedProps {
  readonly painter: Painter;
  readonly children: ReactNode;
}

/**
 * Everything in it is painted by `painter`. Taken out of Ink's own frame, which so is empty and the same for
 * ever: Ink writes it once, and again when it has reason to think that the screen was disturbed.
 */
export const Painted = ({ painter, children }: PaintedProps): ReactNode => (
  <PainterContext value={painter}>
    <Box position="absolute" flexDirection="column">{children}</Box>
  </PainterContext>
);
