import type { ReactNode } from 'react';
import { composeLine } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { Rows } from './painted.tsx';
import { useTheme } from './theme-context.ts';

export interface TooSmallProps {
  readonly columns: number;
  readonly rows: number;
  readonly needed: { readonly columns: number; readonly rows: number };
  /** Warnings that every screen must show. */
  readonly always?: readonly SafeText[] | undefined;
  /** What its only key does. */
  readonly quit: SafeText;
}

/** Shown instead of everything on a terminal that is too small. */
export const TooSmall = ({ columns, rows, needed, always = [], quit }: TooSmallProps): ReactNode => {
  const theme = useTheme();
  const texts = [safe`too small`, ...always, safe`${columns}x${rows}`, safe`needs ${needed.columns}x${needed.rows}`, quit];
  return <Rows lines={texts.slice(0, Math.max(1, rows)).map((text) => composeLine(theme, columns, [{ text }]))} />;
};
