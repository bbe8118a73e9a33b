import { Box, Text } from 'ink';
import { memo, type ReactNode } from 'react';
import type { Line } from './line.ts';

const Row = memo(({ line }: { readonly line: Line }): ReactNode => <Text wrap="truncate-end">{line}</Text>);
Row.displayName = 'Row';

export interface RowsProps {
  /** The lines of the visible window, no more, each as wide as the place it stands in. */
  readonly lines: readonly Line[];
}

/**
 * Brings finished lines to the terminal. Nothing else knows how: whatever shows more than a few
 * words goes through here, and a line that did not change costs nothing.
 */
export const Rows = ({ lines }: RowsProps): ReactNode => (
  <Box flexDirection="column" flexShrink={0}>
    {lines.map((line, index) => (
      // A place on the screen, not a record: keyed by identity, a scroll would rebuild every row.
      // oxlint-disable-next-line react/no-array-index-key
      <Row key={index} line={line} />
    ))}
  </Box>
);
