import type { ReactNode } from 'react';
import { composeLine } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { Rows, useTheme } from '../components/drawing.tsx';
import { frameTexts } from './texts.ts';

export interface TooSmallProps {
  readonly columns: number;
  readonly rows: number;
  readonly needed: { readonly columns: number; readonly rows: number };
  /** Warnings that every screen must show. */
  readonly always?: readonly SafeText[] | undefined;
  /** The hint of the only key. */
  readonly quit: SafeText;
}

/** Stands in place of everything on a terminal that is too small. */
export const TooSmall = ({ columns, rows, needed, always = [], quit }: TooSmallProps): ReactNode => {
  const theme = useTheme();
  const texts = [
    frameTexts.tooSmall,
    ...always,
    safe`${columns}x${rows}`,
    frameTexts.needs(safe`${needed.columns}x${needed.rows}`),
    quit,
  ];
  return <Rows lines={texts.slice(0, Math.max(1, rows)).map((text) => composeLine(theme, columns, [{ text }]))} />;
};
