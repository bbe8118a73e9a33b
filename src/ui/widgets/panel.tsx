import { Box } from 'ink';
import type { ReactNode } from 'react';
import { glyphs } from '../glyphs.ts';
import { type SafeText, safe, trusted } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { cutText, widthOf } from '../text-width.ts';
import type { Theme } from '../theme.ts';
import { type Line, composeLine } from './line.ts';
import { Rows } from './rows.tsx';

const rule = (length: number): SafeText => trusted(glyphs.rule.repeat(Math.max(0, length)));

/** A rule with a title in it, and something short at its right end: `── Nodes ──────── 3/3 ──`. */
export const titleLine = (theme: Theme, width: number, title: SafeText, right?: SafeText): Line => {
  const ending = right === undefined ? safe`` : safe` ${right} ${rule(1)}`;
  const shown = cutText(title, Math.max(0, width - widthOf(ending) - 4));
  const middle = width - 3 - widthOf(shown) - 1 - widthOf(ending);
  return composeLine(theme, width, [
    { text: safe`${rule(2)} `, role: 'dim' },
    { text: shown, role: 'title' },
    { text: safe` ${rule(middle)}`, role: 'dim' },
    { text: ending, role: 'dim' },
  ]);
};

export interface PanelProps {
  readonly title: SafeText;
  readonly right?: SafeText | undefined;
  readonly width: number;
  readonly children?: ReactNode;
}

/** A titled part of a screen; costs one line. */
export const Panel = ({ title, right, width, children }: PanelProps): ReactNode => (
  <Box flexDirection="column" width={width} flexShrink={0}>
    <Rows lines={[titleLine(useTheme(), width, title, right)]} />
    {children}
  </Box>
);
