import type { ReactNode } from 'react';
import { safe } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { composeLine } from './line.ts';
import { Rows } from './rows.tsx';

export interface TooSmallProps {
  readonly columns: number;
  readonly rows: number;
  readonly needed: { readonly columns: number; readonly rows: number };
}

/** Stands in for everything on a terminal that is too small to tell the truth on. */
export const TooSmall = ({ columns, rows, needed }: TooSmallProps): ReactNode => {
  const theme = useTheme();
  const texts = [safe`too small`, safe`${columns}x${rows}`, safe`needs ${needed.columns}x${needed.rows}`, safe`q quit`];
  return <Rows lines={texts.slice(0, Math.max(1, rows)).map((text) => composeLine(theme, columns, [{ text }]))} />;
};
