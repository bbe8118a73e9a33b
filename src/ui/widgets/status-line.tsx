import type { ReactNode } from 'react';
import { useTheme } from '../theme-context.ts';
import type { Role } from '../theme.ts';
import { type Span, composeEnds } from './line.ts';
import { Rows } from './rows.tsx';

export interface StatusLineProps {
  readonly left: readonly Span[];
  /** Kept whole when room is short. */
  readonly right?: readonly Span[] | undefined;
  readonly width: number;
  readonly base?: Role | undefined;
}

/** One line with something at either end: header lines, messages, errors. */
export const StatusLine = ({ left, right = [], width, base }: StatusLineProps): ReactNode => (
  <Rows lines={[composeEnds(useTheme(), width, left, right, base)]} />
);
